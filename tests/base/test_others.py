"""Fits to a sample of the rows: all rows of the target are labelled and judged."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tests.support.domains import make_domains
from tsrp import JDA, NN, TSRP, Panel, PerDomain, load
from tsrp.exceptions import UsageError
from tsrp.progress import Event, Stage
from tsrp.trust.queries import ask

LIMIT = 60
MODELS: dict[str, Any] = {
    "method": JDA(n_components=5, max_fit_rows=LIMIT),
    "TSRP": TSRP(JDA(n_components=5), max_fit_rows=LIMIT),
    "its base": TSRP(JDA(n_components=5, max_fit_rows=LIMIT)),
    "scaled": PerDomain(StandardScaler(), TSRP(NN(), max_fit_rows=LIMIT)),
    "panel": Panel("quick", max_fit_rows=LIMIT),
    "scaled panel": PerDomain(StandardScaler(), Panel("quick", max_fit_rows=LIMIT)),
}
DOMAINS = make_domains(n_source=200, n_target=300, m=8, n_classes=4)


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param].fit(*DOMAINS[:3])


def others_of(model):
    return np.delete(np.arange(len(DOMAINS[2])), model.others_.fitted)


def test_a_fit_learns_from_some_rows_and_labels_all(model):
    assert len(model.fit_record_.given.Xs) == len(model.fit_record_.given.Xt) == LIMIT
    assert len(model.labels_) == len(model.trust_) == len(model.to_frame()) == len(DOMAINS[2])
    assert np.mean(model.labels_ == DOMAINS[3]) > 0.8
    np.testing.assert_array_equal(model.labels_[model.others_.fitted], model.fit_labels_)


def test_other_rows_are_labelled_and_judged_as_new_ones(model):
    rest = others_of(model)
    judged = model.predict_confidence(DOMAINS[2][rest])
    np.testing.assert_array_equal(model.labels_[rest], judged.labels)
    np.testing.assert_array_equal(model.trust_[rest], judged.trust)
    np.testing.assert_array_equal(model.probability_[rest], judged.probability)


def test_rows_of_the_fit_are_judged_as_by_a_fit_to_them_alone(model):
    given = model.fit_record_.given
    alone = clone(model).fit(given.Xs, given.classes[given.ys], given.Xt)
    assert alone.others_ is None
    np.testing.assert_array_equal(model.fit_labels_, alone.labels_)
    np.testing.assert_array_equal(model.probability_[model.others_.fitted], alone.probability_)
    assert model.estimated_accuracy_ == alone.estimated_accuracy_
    assert model.compare().sentence == alone.compare().sentence


def test_copies_and_saved_models_know_all_rows(model, tmp_path):
    model.save(tmp_path / "model.tsrp")
    for copy in (pickle.loads(pickle.dumps(model)), load(tmp_path / "model.tsrp")):
        np.testing.assert_array_equal(copy.labels_, model.labels_)
        np.testing.assert_array_equal(copy.probability_, model.probability_)


def test_rows_to_label_are_numbered_as_in_the_target(model):
    queries = ask(model, suggest=5, audit=5)
    rows = np.concatenate([query.rows for query in queries])
    assert len(np.unique(rows)) == 10
    assert np.isin(rows, model.others_.fitted).all()
    ranked = model.ranked_classes(rows)
    np.testing.assert_array_equal(ranked[:, 0], model.labels_[rows])


def test_no_more_rows_are_suggested_than_were_learnt_from(model):
    with pytest.raises(UsageError, match="only 60 target rows"):
        model.suggest(LIMIT + 1)


def test_known_rows_are_learnt_from_whatever_the_limit():
    Xs, ys, Xt, yt = DOMAINS
    known = np.full(len(Xt), None)
    known[[2, 250, 299]] = yt[[2, 250, 299]]
    model = JDA(n_components=5, max_fit_rows=LIMIT).fit(Xs, ys, Xt, known)
    assert np.flatnonzero(model.known_).tolist() == [2, 250, 299]
    np.testing.assert_array_equal(model.labels_[model.known_], yt[model.known_])
    assert (model.probability_[model.known_] == 1).all()


def test_text_is_transformed_before_rows_are_drawn():
    Xs, ys, Xt, _ = DOMAINS
    frames = [
        pd.DataFrame(X[:, :3], columns=list("abc")).assign(sign=np.where(X[:, 3] > 0, "+", "-")) for X in (Xs, Xt)
    ]
    columns = make_column_transformer((StandardScaler(), list("abc")), (OneHotEncoder(sparse_output=False), ["sign"]))
    model = PerDomain(columns, NN(max_fit_rows=LIMIT)).fit(frames[0], ys, frames[1])
    rest = others_of(model)
    np.testing.assert_array_equal(model.labels_[rest], model.predict(frames[1].iloc[rest]))


def test_names_of_rows_are_those_of_the_target():
    Xs, ys, Xt, _ = DOMAINS
    frame = pd.DataFrame(Xt, index=[f"row {i}" for i in range(len(Xt))]).rename(columns=str)
    model = NN(max_fit_rows=LIMIT).fit(pd.DataFrame(Xs).rename(columns=str), ys, frame)
    assert model.to_frame().index.tolist() == frame.index.tolist()
    assert model.of_fit().to_frame().index.tolist() == frame.index[model.others_.fitted].tolist()


def test_progress_counts_the_rows_that_are_labelled_and_judged():
    events: list[Event] = []
    model = NN(max_fit_rows=LIMIT).fit(*DOMAINS[:3], callback=events.append)
    stages = [event for event in events if isinstance(event, Stage)]
    assert (stages[-1].number, stages[-1].limit) == (240, 240)
    assert model.others_ is not None


def test_a_large_source_alone_leaves_no_rows_out():
    Xs, ys, Xt, _ = DOMAINS
    model = NN(max_fit_rows=100).fit(Xs, ys, Xt[:50])
    assert model.others_ is None
    assert len(model.fit_record_.given.Xs) == 100
