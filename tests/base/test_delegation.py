"""A model around a model answers with what the innermost method found."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

import tsrp
from tests.support.domains import make_domains
from tsrp import JDA, TSRP, PerDomain
from tsrp.selection import SCORES, search
from tsrp.skada import ToSkada


@pytest.fixture(scope="module")
def nested():
    Xs, ys, Xt, _ = make_domains()
    return PerDomain(StandardScaler(), PerDomain(MaxAbsScaler(), TSRP(JDA(n_components=5)))).fit(Xs, ys, Xt)


def test_attributes_are_those_of_the_innermost_method(nested):
    inner = nested.method_.method_
    for name in ("labels_", "picked_", "history_", "classes_", "classifier_", "n_iter_"):
        assert getattr(nested, name) is getattr(inner, name)
    assert nested.method_name == "JDA+TSRP"
    assert PerDomain(StandardScaler(), TSRP(JDA(), strong_classifier=LogisticRegression())).final_classifier is not None


def test_it_is_the_method_on_data_that_went_through_both_transformers(nested):
    Xs, ys, Xt, _ = make_domains()
    prepared = [MaxAbsScaler().fit_transform(StandardScaler().fit_transform(X)) for X in (Xs, Xt)]
    plain = TSRP(JDA(n_components=5)).fit(prepared[0], ys, prepared[1])
    np.testing.assert_array_equal(nested.labels_, plain.labels_)
    np.testing.assert_array_equal(nested.predict(Xt), plain.labels_)
    np.testing.assert_array_equal(nested.project_source(Xs), plain.transform(prepared[0]))
    np.testing.assert_array_equal(nested.transform(Xt), plain.transform(prepared[1]))


def test_the_record_has_what_the_user_passed_and_what_the_method_was_given(nested):
    Xs, _, Xt, _ = make_domains()
    record = nested.fit_record_
    np.testing.assert_array_equal(record.given.Xs, Xs)
    np.testing.assert_array_equal(record.given.Xt, Xt)
    prepared = MaxAbsScaler().fit_transform(StandardScaler().fit_transform(Xt))
    np.testing.assert_array_equal(record.adapted.Xt, prepared)
    with pytest.raises(ValueError, match="it is part of another model"):
        _ = nested.method_.probability_
    np.testing.assert_allclose(record.Zt, nested.transform(Xt), atol=1e-12)


def test_it_reports(nested, tmp_path):
    yt = make_domains()[3]
    found = nested.report(tmp_path / "report.html", truth=yt, ids=range(50), files=("lab", "field"))
    assert found.method == "JDA+TSRP"
    assert found.truth.accuracy == np.mean(nested.labels_ == yt)
    assert "lab <span" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_it_is_saved_and_loaded(nested, tmp_path):
    Xt = make_domains()[2]
    nested.save(tmp_path / "model.tsrp")
    loaded = tsrp.load(tmp_path / "model.tsrp")
    np.testing.assert_array_equal(loaded.predict(Xt), nested.labels_)
    np.testing.assert_array_equal(loaded.labels_, nested.labels_)
    with pytest.raises(ValueError, match="was loaded or copied"):
        loaded.report(tmp_path / "report.html")


def test_it_can_be_searched_by_every_score(nested):
    Xs, ys, Xt, _ = make_domains()
    found = search(Xs, ys, Xt, [clone(nested), "nn"], score=list(SCORES), error_score="raise")
    assert found.table[list(SCORES)].notna().all(axis=None)


def test_the_bridge_to_skada_passes_on_too(nested):
    Xs, ys, Xt, _ = make_domains()
    domains = np.repeat([1, -2], [len(Xs), len(Xt)])
    bridged = ToSkada(clone(nested)).fit(np.vstack([Xs, Xt]), np.concatenate([ys, np.full(50, -1)]), domains)
    np.testing.assert_array_equal(bridged.labels_, nested.labels_)
    np.testing.assert_array_equal(bridged.picked_, nested.picked_)
    with_probabilities = ToSkada(clone(nested).set_params(method__method__strong_classifier=LogisticRegression()))
    assert hasattr(with_probabilities, "predict_proba")
    assert not hasattr(bridged, "predict_proba")


def test_before_the_fit_there_is_nothing_to_pass_on(nested):
    fresh = clone(nested)
    assert not hasattr(fresh, "labels_")
    with pytest.raises(NotFittedError):
        fresh.predict(make_domains()[2])
