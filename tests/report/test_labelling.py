"""Rows for somebody to label: which, and under which name their labels are kept."""

import numpy as np
import pytest

from tests.support.domains import make_domains
from tsrp import NN
from tsrp.exceptions import UsageError
from tsrp.report.labelling import misfits, prepare


@pytest.fixture(scope="module")
def model():
    return NN().fit(*make_domains()[:3])


def test_twenty_of_each_kind_that_differ_if_nothing_is_said(model):
    found = prepare(model, None, None)
    assert [len(query.rows) for query in found.queries] == [20, 20]
    assert len(set(found.rows.tolist())) == 40
    assert found.queries[1].rows.tolist() == model.audit(20).rows.tolist()


def test_as_many_as_is_said(model):
    assert [len(query.rows) for query in prepare(model, 3, 0).queries] == [3]
    assert [len(query.rows) for query in prepare(model, 45, None).queries] == [45, 5]
    none = prepare(model, 0, 0)
    assert none.queries == []
    assert len(none.rows) == len(none.likely) == 0


def test_more_than_there_are_are_refused(model):
    with pytest.raises(UsageError, match="`suggest` and `audit` ask for 51 rows, but the label of only 50"):
        prepare(model, 50, 1)
    with pytest.raises(UsageError, match="suggest must be"):
        prepare(model, -1, 1)


def test_known_rows_are_not_asked_about():
    Xs, ys, Xt, yt = make_domains()
    some = np.where(np.arange(50) < 47, yt, None)
    found = prepare(NN().fit(Xs, ys, Xt, some), None, None)
    assert found.known.tolist() == list(range(47))
    assert set(found.rows.tolist()) < {47, 48, 49}
    assert len(found.rows) == 2
    assert prepare(NN().fit(Xs, ys, Xt, yt), None, None).queries == []


def test_the_likeliest_class_is_the_label(model):
    found = prepare(model, 5, 5)
    assert model.classes_[found.likely[:, 0]].tolist() == model.labels_[found.rows].tolist()


def test_work_is_kept_under_a_name_of_its_own(model):
    again = NN().fit(*make_domains()[:3])
    assert prepare(model, 5, 5).key == prepare(again, 5, 5).key
    Xs, ys, Xt, _ = make_domains()
    others = [
        prepare(model, 5, 6),
        prepare(NN().fit(Xs, ys, Xt * 1.01), 5, 5),
        prepare(NN().fit(Xs, np.array(["a", "b", "c", "d"])[ys], Xt), 5, 5),
    ]
    assert len({prepare(model, 5, 5).key, *(other.key for other in others)}) == 4


def test_misfits_are_the_least_probable_of_each_class_and_never_known():
    labels = np.array([0, 0, 0, 0, 0, 2])
    probability = np.array([0.9, 0.1, 0.5, 0.3, 0.7, 0.4])
    known = np.array([False, False, False, True, False, False])
    assert [rows.tolist() for rows in misfits(labels, probability, known, 3)] == [[1, 2, 4], [], [5]]
