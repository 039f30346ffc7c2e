"""What parameters may be: declared once, refused in a sentence that names them."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from tsrp import BDA, JDA, TJM, TSRP
from tsrp.exceptions import UsageError, WrongTypeError
from tsrp.parameters import (
    Classifier,
    Flag,
    Number,
    NumberOr,
    OneOf,
    Optional,
    check_parameters,
    check_values,
    constraints_of,
)


@pytest.mark.parametrize(
    ("constraint", "good", "bad", "words"),
    [
        (Number(low=0), [0, 0.5, np.float32(2), 10**50], [-1, "1", None, True, np.nan, np.inf, 10**400], "at least 0"),
        (Number(low=0, open_low=True), [1e-300], [0, -1], "a number greater than 0"),
        (
            Number(low=1, high=3, whole=True),
            [1, np.int8(3)],
            [0, 4, 1.0, 2.5],
            "a whole number of at least 1 and at most 3",
        ),
        (NumberOr(Number(low=0), "auto"), [0, "auto"], ["Auto", -1, None], "a number of at least 0"),
        (Optional(Number(low=1)), [None, 1], [0, "x"], "at least 1"),
        (OneOf(("a", "b")), ["a"], ["c", None, 1], "one of 'a', 'b'"),
        (Flag(), [True, np.False_], [1, "true", None], "True or False"),
        (Classifier(), [None, LogisticRegression()], [LogisticRegression, LinearRegression(), 3], "classifier|object"),
    ],
)
def test_a_constraint_takes_what_it_says_and_nothing_else(constraint, good, bad, words):
    for value in good:
        constraint.check("size", value)
    for value in bad:
        with pytest.raises(UsageError, match=f"^size must be .*({words})"):
            constraint.check("size", value)


def test_a_class_adds_to_what_the_classes_above_it_declare_and_may_change_it():
    assert {"mu", "ridge", "max_iter", "classifier"} <= set(constraints_of(BDA))
    assert constraints_of(TJM)["kernel"] == OneOf(("linear", "rbf"))
    assert constraints_of(JDA)["kernel"] == OneOf(("primal", "linear", "rbf"))


def test_values_are_checked_without_making_an_estimator():
    check_values(JDA, {"ridge": 1})
    with pytest.raises(UsageError, match="ridge must be a number greater than 0, but it is 0"):
        check_values(JDA, {"ridge": 0})


def test_the_parameters_of_a_base_are_checked_with_those_of_tsrp():
    with pytest.raises(UsageError, match="ridge must be"):
        check_parameters(TSRP(JDA(ridge=-1)))
    with pytest.raises(WrongTypeError, match="base must be an object, not a class"):
        check_parameters(TSRP(JDA))


def test_each_parameter_is_checked_once_in_a_fit(domains, monkeypatch):
    Xs, ys, Xt, _ = domains
    checked = []
    monkeypatch.setattr(Number, "check", lambda self, name, value: checked.append(name))
    TSRP(JDA(n_components=5)).fit(Xs, ys, Xt)
    assert len(checked) == len(set(checked)) > 3
