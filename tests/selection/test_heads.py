"""Another classifier on a method's last projection."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import tsrp
from tsrp import JDA, NN, TSRP, PerDomain
from tsrp.exceptions import WrongTypeError
from tsrp.selection.heads import Head


@pytest.fixture
def linear():
    return LogisticRegression(C=10)


@pytest.mark.parametrize("method", [TSRP(JDA(5)), PerDomain(StandardScaler(), JDA(5)), NN()])
def test_the_classifier_learns_from_the_projected_source(domains, method, linear):
    Xs, ys, Xt, _ = domains
    fitted = clone(method).fit(Xs, ys, Xt)
    Zs, Zt = fitted.project_source(Xs), fitted.transform(Xt)
    Zs, Zt = (Z / np.linalg.norm(Z, axis=1, keepdims=True) for Z in (Zs, Zt))
    model = Head(method, linear).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(model.labels_, clone(linear).fit(Zs, ys).predict(Zt))
    np.testing.assert_array_equal(model.predict(Xt), model.labels_)
    np.testing.assert_allclose(model.transform(Xt), Zt)
    np.testing.assert_allclose(model.project_source(Xs), Zs)
    np.testing.assert_array_equal(model.history_[-1].labels, fitted.labels_)


def test_it_says_how_far_to_trust_its_labels_and_is_saved(domains, linear, tmp_path):
    Xs, ys, Xt, _ = domains
    model = Head(TSRP(JDA(5)), linear).fit(Xs, ys, Xt)
    assert model.probability_.shape == (len(Xt),)
    assert "JDA+TSRP with LogisticRegression" in model.compare().sentence
    model.save(tmp_path / "head.tsrp")
    np.testing.assert_array_equal(tsrp.load(tmp_path / "head.tsrp").predict(Xt), model.predict(Xt))


def test_what_does_not_fit_is_named(domains, linear):
    with pytest.raises(WrongTypeError, match="method must be one of this package"):
        Head(StandardScaler(), linear).fit(*domains[:3])
    with pytest.raises(NotFittedError):
        Head(NN(), linear).predict(domains[2])
