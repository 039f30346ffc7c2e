"""A panel of methods: a vote that anyone can follow, and the contract of every estimator."""

import pickle
import threading
import time
import warnings
from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import tsrp
from tests.support.domains import make_domains
from tsrp import JDA, NN, Arrival, Panel, PerDomain
from tsrp.exceptions import InputError, UsageError
from tsrp.memory import limited_memory
from tsrp.progress import Event
from tsrp.selection import verdict
from tsrp.selection.doubt import NO_SKILL, SAME_FEATURES, Doubt
from tsrp.selection.members import Recipe, recipes
from tsrp.selection.student import DECIMALS


@pytest.fixture(scope="module")
def domains():
    return make_domains(n_source=120, n_target=100)


@pytest.fixture(scope="module")
def panel(domains):
    Xs, ys, Xt, _ = domains
    return Panel("quick").fit(Xs, ys, Xt)


@pytest.fixture
def invite(monkeypatch):
    """Have a panel consist of these recipes."""
    return lambda *chosen: monkeypatch.setattr("tsrp.selection.panel.recipes", lambda budget, n_source: list(chosen))


class Fails(NN):
    """A method that cannot be fitted."""

    def __init__(self, how=None):
        super().__init__()
        self.how = how

    def fit(self, Xs, ys, Xt, yt=None, *, callback=None):
        raise self.how


def recipe(name, estimator, **options):
    return Recipe(name, name, estimator, **options)


PLAIN = recipe("plain", NN())
LINEAR = recipe("linear", NN(classifier=LogisticRegression()), adapts=False)


def counted(panel, ballots):
    """A vote by hand: what each member says of each class, by its weight and the class's factor."""
    weights = [voter.weight for voter in panel.voters_ if not voter.error]
    votes = panel.class_factors_ * sum(weight * ballot for weight, ballot in zip(weights, ballots, strict=True))
    return votes / votes.sum(axis=1, keepdims=True)


def ballots(panel, X, labels):
    """Members that have probabilities divide their votes by these, others vote for their label."""
    for voter, own in zip([voter for voter in panel.voters_ if not voter.error], labels, strict=True):
        classifier = voter.model.classifier_
        if hasattr(classifier, "predict_proba"):
            yield classifier.predict_proba(voter.model.transform(X))
        else:
            yield (own[:, None] == panel.classes_).astype(float)


def test_labels_are_those_of_most_weight(panel, domains):
    labels = [voter.model.labels_ for voter in panel.voters_ if not voter.error]
    np.testing.assert_allclose(panel.member_votes_, counted(panel, ballots(panel, domains[2], labels)))
    np.testing.assert_allclose(panel.label_votes_, counted(panel, [own[:, None] == panel.classes_ for own in labels]))
    np.testing.assert_array_equal(panel.labels_, panel.classes_[panel.votes_.argmax(axis=1)])


def test_a_student_of_the_members_votes_too(panel, domains):
    """By what its trees say of rows that they did not learn from."""
    said = (1 + panel.student_weight_) * panel.votes_ - panel.member_votes_
    np.testing.assert_allclose(said.sum(axis=1), panel.student_weight_)
    assert (said >= -1e-12).all()
    Xt, taught = domains[2], panel.classes_[panel.label_votes_.argmax(axis=1)]
    sureness = panel.label_votes_.max(axis=1).round(DECIMALS)
    again = clone(panel.student_).fit_out_of_bag(Xt, taught, sureness)
    places = np.searchsorted(panel.classes_, panel.student_.classes_)
    np.testing.assert_allclose(said[:, places], panel.student_weight_ * again, atol=1e-12)


def test_a_student_counts_more_where_the_target_lacks_classes(panel):
    Xs, ys, Xt, yt = make_domains(n_source=200, n_target=300, m=8, n_classes=6)
    few = Panel("quick").fit(Xs, ys, Xt[np.isin(yt, np.unique(ys)[:2])])
    assert few.student_weight_ > 2 > panel.student_weight_ >= 0.5


def test_a_target_that_lacks_classes_gets_fewer_labels_of_them(monkeypatch):
    Xs, ys, Xt, yt = make_domains(n_source=200, n_target=300, m=8, n_classes=6, shift=3.0)
    kept = np.isin(yt, np.unique(ys)[:2])
    corrected = Panel("quick", n_jobs=1).fit(Xs, ys, Xt[kept])
    monkeypatch.setattr("tsrp.selection.verdict.class_factors", lambda votes, shares: np.ones_like(shares))
    plain = Panel("quick", n_jobs=1).fit(Xs, ys, Xt[kept])
    lacking = [np.isin(model.labels_, np.unique(ys)[2:]).sum() for model in (corrected, plain)]
    assert lacking[0] < lacking[1]
    assert np.mean(corrected.labels_ == yt[kept]) > np.mean(plain.labels_ == yt[kept])


def test_new_rows_are_put_to_the_same_vote(panel, domains):
    X = domains[2][:5] + 0.1
    voters = [voter for voter in panel.voters_ if not voter.error]
    votes = counted(panel, ballots(panel, X, [voter.model.predict(X) for voter in voters]))
    votes[:, np.searchsorted(panel.classes_, panel.student_.classes_)] += (
        panel.student_weight_ * panel.student_.predict_proba(X)
    )
    np.testing.assert_array_equal(panel.predict(X), panel.classes_[votes.argmax(axis=1)])


def test_it_is_right_where_its_members_are(panel, domains):
    assert np.mean(panel.labels_ == domains[3]) >= 0.9


def test_the_table_says_what_each_member_did(panel):
    table = panel.members_
    assert list(table) == ["member", "weight", "agreement", "assortativity", "same", "accuracy", "seconds", "error"]
    assert table["weight"].is_monotonic_decreasing
    assert table["weight"].sum() == pytest.approx(1)
    assert table["accuracy"].between(0, 1).all()
    assert (table["error"] == "").all()
    assert len(table) == len(panel.voters_)


@pytest.mark.parametrize("budget", ["quick", "normal", "thorough"])
def test_every_budget_has_classifiers_without_adaptation(budget):
    chosen = recipes(budget, 1000)
    assert any(not recipe.adapts for recipe in chosen)
    assert any(recipe.adapts for recipe in chosen)
    assert len({recipe.name for recipe in chosen}) == len(chosen)


def test_a_larger_budget_adds_members():
    names = [[recipe.name for recipe in recipes(budget, 1000)] for budget in ("quick", "normal", "thorough")]
    assert names[0] == names[1][: len(names[0])]
    assert names[1] == names[2][: len(names[1])]


def test_a_member_that_fails_takes_no_part(domains, invite):
    Xs, ys, Xt, _ = domains
    invite(PLAIN, recipe("broken", Fails(ZeroDivisionError("division by zero"))), LINEAR)
    model = Panel().fit(Xs, ys, Xt)
    [failed] = [voter for voter in model.voters_ if voter.error]
    assert (failed.name, failed.error, failed.weight) == ("broken", "division by zero", 0.0)
    without = model.members_.set_index("member")
    assert np.isnan(without.loc["broken", "accuracy"])
    invite(PLAIN, LINEAR)
    np.testing.assert_array_equal(model.votes_, Panel().fit(Xs, ys, Xt).votes_)


def test_labels_are_judged_where_the_domains_are_aligned(domains, invite):
    """Not in the best member's projection, if that does not bring them together."""
    Xs, ys, Xt, _ = domains
    invite(PLAIN, LINEAR, recipe("aligned", JDA(n_components=3), aligns=True))
    model = Panel().fit(Xs, ys, Xt)
    assert isinstance(model.projecting_member_, JDA)
    np.testing.assert_array_equal(model.transform(Xt), model.projecting_member_.transform(Xt))
    np.testing.assert_array_equal(model.fit_record_.Zt, model.transform(Xt))
    invite(PLAIN, LINEAR)
    model = Panel().fit(Xs, ys, Xt)
    assert model.projecting_member_ is model.voters_[0].model


def test_the_estimate_looks_at_the_votes(panel):
    estimated = panel.estimated_accuracy_
    assert estimated.votes == pytest.approx(panel.label_votes_[np.arange(100), panel.votes_.argmax(axis=1)].mean())
    parts = [estimated.reverse, estimated.atc, estimated.votes, estimated.nearby]
    assert estimated.value == pytest.approx(np.median(parts))


def test_the_limit_of_memory_holds_for_every_member(domains, invite):
    invite(
        Recipe("small", "neighbours", NN(), adapts=False),
        Recipe("large", "jda", JDA(kernel="rbf")),
    )
    with limited_memory("10KB"):
        members = Panel().fit(*domains[:3]).members_.set_index("member")
    assert members["error"]["small"] == ""
    assert "more than the 10 KB that it may take" in members["error"]["large"]


def test_if_every_member_refuses_the_data_a_sentence_says_why(domains, invite):
    invite(recipe("first", Fails(InputError("too small."))), recipe("second", Fails(InputError("too large."))))
    with pytest.raises(InputError, match="no member of the panel could be fitted; the first, first: too small"):
        Panel().fit(*domains[:3])


def test_if_every_member_fails_by_a_bug_it_is_not_the_users_mistake(domains, invite):
    invite(recipe("first", Fails(ZeroDivisionError("division by zero"))))
    with pytest.raises(RuntimeError, match="division by zero") as caught:
        Panel().fit(*domains[:3])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.filterwarnings("ignore::tsrp.validation.ComponentsWarning")
def test_the_best_member_is_an_ordinary_method(panel, domains):
    Xs, ys, Xt, _ = domains
    best = panel.best_member_
    # Of equals, the first: those without adaptation come before the others.
    voter = max(panel.voters_, key=lambda voter: voter.weight)
    fresh = clone(best).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(best.labels_, voter.model.labels_)
    np.testing.assert_array_equal(best.labels_, fresh.labels_)
    np.testing.assert_allclose(best.probability_, fresh.probability_)
    assert panel.adaptation_needed_ or not voter.adapts


def test_adaptation_is_not_needed_only_if_a_classifier_of_the_source_is_estimated_to_do_as_well(panel):
    """Here by a panel whose weightiest member does not adapt, and gives some rows another label than the vote."""
    voters = [replace(own, weight=1.0 if own.name == "logistic regression" else 0.0) for own in panel.voters_]
    [place] = [place for place, own in enumerate(voters) if own.weight]

    def of_the_source(n_other):
        best, labels = copy(voters[place].model), panel.labels_.copy()
        labels[:n_other] = [next(name for name in panel.classes_ if name != own) for own in labels[:n_other]]
        best.fit_labels_ = labels
        made = copy(panel)
        made.voters_ = [*voters[:place], replace(voters[place], model=best), *voters[place + 1 :]]
        return made

    same, worse = of_the_source(0), of_the_source(20)
    assert not same.adaptation_needed_
    assert worse.adaptation_needed_
    table = worse.members_.set_index("member")
    assert table.loc["logistic regression", "accuracy"] < worse.estimated_accuracy_.value - 0.05


def test_adaptation_is_doubted_where_classes_are_not_as_frequent_and_features_mean_the_same():
    """Iris, divided by the width of its sepals: what scales each domain by itself is wrong on most of the target."""
    X, y = load_iris(return_X_y=True)
    is_source = X[:, 1] <= np.median(X[:, 1])
    rest = np.delete(X, 1, axis=1)
    model = Panel("quick").fit(rest[is_source], y[is_source], rest[~is_source])
    assert model.doubt_ > 0.9
    assert not model.adaptation_needed_
    assert np.mean(model.labels_ == y[~is_source]) > 0.9
    # What classifiers have right at home is a part of the estimate.
    assert model.estimated_accuracy_.home == model.source_accuracy_ > 0.9
    # Which labels are by classifiers without adaptation anyway.
    assert model.compare().helps
    assert "in doubt" in model.compare().sentence
    told = np.where(np.arange(len(y[~is_source])) < 12, y[~is_source].astype(float), np.nan)
    known = Panel("quick").fit(rest[is_source], y[is_source], rest[~is_source], told)
    assert "of 12 known labels" in known.compare().sentence
    # Judged where the decision was made, not where the domains are aligned.
    np.testing.assert_array_equal(model.fit_record_.Zt, rest[~is_source])
    scaled = model.members_.set_index("member").loc["logistic regression, z-scores"]
    assert scaled["same"] < 0.5


def test_where_adaptation_is_doubted_who_is_more_often_right_in_the_source_decides():
    """Classes on two rings, between which no line runs."""
    rng = np.random.default_rng(0)
    codes, angles = np.arange(600) % 2, rng.uniform(0, 2 * np.pi, size=600)
    rings = (1 + codes[:, np.newaxis]) * np.column_stack([np.cos(angles), np.sin(angles)])
    X = np.hstack([rings + 0.1 * rng.normal(size=rings.shape), rng.normal(size=(600, 3))])
    model = Panel("quick").fit(X[:300], codes[:300], X[300:])
    weights = model.members_.set_index("member")["weight"]
    assert model.adaptation_doubted_
    assert weights["trees"] > 10 * weights["logistic regression"]
    assert np.mean(model.labels_ == codes[300:]) > 0.95


def test_of_few_rows_with_many_features_no_classifier_is_asked(monkeypatch):
    monkeypatch.setattr("tsrp.selection.verdict.Answers.of", None)
    rng = np.random.default_rng(0)
    model = Panel("quick").fit(rng.normal(size=(40, 100)), np.arange(40) % 10, rng.normal(size=(40, 100)))
    assert model.doubt_ == 0
    assert np.isnan(model.source_accuracy_)


def test_a_class_that_is_rare_in_the_source_is_not_found_in_half_of_the_target(monkeypatch):
    """Rows are of two kinds, of equal size, that have nothing to do with the classes; one of these is rare."""
    monkeypatch.setattr(verdict, "doubt_in_adaptation", lambda *given: Doubt(0.0, ""))
    rng = np.random.default_rng(0)

    def drawn(n):
        y, kind = (rng.uniform(size=n) < 0.06).astype(int), rng.integers(2, size=n)
        X = rng.normal(size=(n, 6))
        X[:, 0] += 1.5 * y
        X[:, 1:4] += 6 * kind[:, np.newaxis]
        return X, y

    (Xs, ys), (Xt, yt) = drawn(200), drawn(200)
    model = Panel("quick").fit(Xs, ys, Xt + np.array([0, 0, 0, 0, 6, -6]))
    assert np.mean(model.labels_ == yt) > 0.85


def test_features_that_tell_nothing_about_the_classes_do_not_find_them_in_groups_of_the_target():
    """Rows are of two kinds, of equal size; nothing has to do with the classes, one of which is rare."""
    rng = np.random.default_rng(0)
    kind = rng.integers(2, size=400)
    X = rng.normal(size=(400, 5))
    X[:, :3] += 6 * kind[:, np.newaxis]
    y = (rng.uniform(size=400) < 0.2).astype(int)
    model = Panel("quick").fit(X[:200], y[:200], X[200:] + np.array([0, 0, 0, 3, -3]))
    assert model.doubt_ > 0.9
    assert model.doubt_reason_ == NO_SKILL
    assert np.mean(model.labels_ == y[200:]) > 0.7


def test_a_column_that_gives_the_domain_away_is_no_movement_of_the_others():
    """Shops that differ in what they sell, and have numbers: whoever aligns the shops mixes the classes up."""
    rng = np.random.default_rng(0)

    def drawn(n, share, number):
        y = (rng.uniform(size=n) < share).astype(int)
        X = rng.normal(size=(n, 6))
        X[:, :3] += 2 * y[:, np.newaxis]
        return np.column_stack([X, number + 0.1 * rng.normal(size=n)]), y

    (Xs, ys), (Xt, yt) = drawn(300, 0.6, 1.0), drawn(300, 0.15, 2.0)
    model = Panel("quick").fit(Xs, ys, Xt)
    assert model.doubt_ > 0.9
    assert model.doubt_reason_ == SAME_FEATURES
    assert np.mean(model.labels_ == yt) > 0.9


def test_adaptation_is_not_doubted_where_it_helps(panel):
    assert panel.doubt_ == 0
    assert panel.doubt_reason_ == ""
    assert panel.estimated_accuracy_.home is None


def test_no_adaptation_is_needed_where_a_classifier_of_the_source_is_best(domains, invite):
    Xs, ys, _, _ = domains
    invite(LINEAR, recipe("astray", PerDomain(StandardScaler(), NN())))
    model = Panel().fit(Xs, ys, Xs[::-1])
    assert not model.adaptation_needed_


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_result_does_not_depend_on_threads(domains, panel, n_jobs):
    model = Panel("quick", n_jobs=n_jobs).fit(*domains[:3])
    np.testing.assert_array_equal(model.votes_, panel.votes_)
    assert [voter.name for voter in model.voters_] == [voter.name for voter in panel.voters_]


def test_the_names_of_the_classes_do_not_matter(domains, panel):
    Xs, ys, Xt, _ = domains
    names = np.array(["d", "c", "b", "a"])
    np.testing.assert_array_equal(Panel("quick").fit(Xs, names[ys], Xt).labels_, names[panel.labels_])


def test_the_order_of_the_rows_hardly_matters(domains, panel):
    """Trees are drawn at random, by the order of the rows; nothing else depends on it."""
    Xs, ys, Xt, _ = domains
    rng = np.random.default_rng(0)
    s, t = rng.permutation(len(Xs)), rng.permutation(len(Xt))
    other = Panel("quick").fit(Xs[s], ys[s], Xt[t])
    assert np.mean(other.labels_ == panel.labels_[t]) >= 0.98


def test_members_are_shown_as_they_arrive(domains):
    events: list[Event] = []
    model = Panel("quick").fit(*domains[:3], callback=events.append)
    seen = [event for event in events if isinstance(event, Arrival)]
    assert [event.number for event in seen] == list(range(1, len(seen) + 1))
    assert {event.limit for event in seen} == {len(model.voters_)}
    assert {event.name for event in seen} == {voter.name for voter in model.voters_}


class Slow(NN):
    """A method of many rounds that take their time, and which says when it began and ended."""

    def __init__(self, log=None):
        super().__init__()
        self.log = log

    def __sklearn_clone__(self):
        return self

    def fit(self, Xs, ys, Xt, yt=None, *, callback=None):
        self.log.append("began")
        try:
            for _ in range(100):
                time.sleep(0.02)
                callback(None)
        finally:
            self.log.append("ended")


def test_members_that_are_not_ready_in_time_take_no_part(domains, invite):
    log: list[str] = []
    invite(PLAIN, recipe("slow", Slow(log)))
    began = time.monotonic()
    model = Panel(0.1).fit(*domains[:3])
    assert time.monotonic() - began < 1.5
    assert [voter.error for voter in model.voters_] == ["", "its time was up."]


def test_the_first_member_is_always_there(domains):
    model = Panel(1e-9).fit(*domains[:3])
    assert [voter.name for voter in model.voters_ if not voter.error] == ["logistic regression"]


def test_an_interruption_ends_all_members(domains, invite):
    log: list[str] = []
    invite(PLAIN, recipe("slow", Slow(log)), *(recipe(f"later {k}", Slow(log)) for k in range(3)))

    def interrupt(event):
        raise KeyboardInterrupt

    before, began = threading.active_count(), time.monotonic()
    model = Panel(n_jobs=2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*domains[:3], callback=interrupt)
    assert time.monotonic() - began < 1.5
    assert threading.active_count() == before
    assert log.count("began") == log.count("ended") < 4
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"budget": "huge"}, "`budget` must be 'quick', 'normal', 'thorough' or a number of seconds, not 'huge'"),
        ({"budget": -1}, "budget must be a number greater than 0"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0, or None, but it is 0"),
    ],
)
def test_a_wrong_parameter_is_named(domains, parameters, message):
    with pytest.raises(UsageError, match=message):
        Panel(**parameters).fit(*domains[:3])


def test_trust_sorts_right_before_wrong_labels():
    Xs, ys, Xt, yt = make_domains(n_source=200, n_target=300, m=3)
    model = Panel("quick").fit(Xs, ys, Xt)
    right = model.labels_ == yt
    assert 0.05 < np.mean(~right) < 0.7
    assert model.trust_[right].mean() > model.trust_[~right].mean() + 0.1
    assert model.probability_.mean() == pytest.approx(model.estimated_accuracy_.value, abs=0.01)


def test_new_rows_are_judged_alone_as_in_a_batch(panel, domains):
    Xt = domains[2]
    together = panel.predict_confidence(Xt)
    alone = [panel.predict_confidence(row[None]) for row in Xt[:5]]
    np.testing.assert_allclose(together.probability[:5], np.concatenate([own.probability for own in alone]), atol=1e-5)
    np.testing.assert_array_equal(together.labels[:5], np.concatenate([own.labels for own in alone]))


def test_probabilities_of_classes_are_those_of_the_labels(panel, domains):
    Xt = domains[2]
    judged, P = panel.predict_confidence(Xt), panel.predict_proba(Xt)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    codes = np.searchsorted(panel.classes_, judged.labels)
    np.testing.assert_allclose(P[np.arange(len(P)), codes], judged.probability)


def test_a_saved_panel_labels_new_rows(panel, domains, tmp_path):
    Xt = domains[2]
    panel.save(tmp_path / "panel.tsrp")
    loaded = tsrp.load(tmp_path / "panel.tsrp")
    np.testing.assert_array_equal(loaded.predict(Xt), panel.predict(Xt))
    np.testing.assert_array_equal(loaded.predict_proba(Xt), panel.predict_proba(Xt))
    pd.testing.assert_frame_equal(loaded.members_, panel.members_.assign(seconds=np.nan))
    np.testing.assert_array_equal(loaded.best_member_.predict(Xt), panel.best_member_.predict(Xt))


def test_a_panel_of_all_members_can_be_saved(domains, tmp_path):
    Xs, ys, Xt, _ = domains
    model = Panel("thorough").fit(Xs, ys, Xt)
    assert all(not voter.error for voter in model.voters_)
    model.save(tmp_path / "panel.tsrp")
    np.testing.assert_array_equal(tsrp.load(tmp_path / "panel.tsrp").predict(Xt), model.predict(Xt))


def test_a_pickle_and_a_clone(panel, domains):
    Xt = domains[2]
    again = pickle.loads(pickle.dumps(panel))
    np.testing.assert_array_equal(again.predict_proba(Xt), panel.predict_proba(Xt))
    with pytest.raises(NotFittedError):
        clone(panel).predict(Xt)


def test_data_frames_keep_their_columns_and_rows(domains):
    Xs, ys, Xt, _ = domains
    names = [f"f{k}" for k in range(Xs.shape[1])]
    source, target = (pd.DataFrame(X, columns=names) for X in (Xs, Xt))
    target.index = [f"row {k}" for k in range(len(Xt))]
    model = Panel("quick").fit(source, ys, target)
    assert model.to_frame().index.tolist() == target.index.tolist()
    np.testing.assert_array_equal(model.predict(target), model.predict(target.copy()))
    with pytest.raises(InputError, match="feature names"):
        model.predict(target[names[::-1]])


def test_a_report_and_a_comparison_can_be_had(panel, tmp_path):
    found = panel.report(tmp_path / "report.html")
    assert found.method == "the panel"
    assert [member["member"] for member in found.members] == panel.members_["member"].tolist()
    page = (tmp_path / "report.html").read_text()
    assert "<h2>Members</h2>" in page
    assert all(voter.name in page for voter in panel.voters_)
    assert "the panel" in panel.compare().sentence


def test_the_projection_is_the_best_members(panel, domains):
    Xs, _, Xt, _ = domains
    np.testing.assert_array_equal(panel.transform(Xt), panel.projecting_member_.transform(Xt))
    assert panel.project_source(Xs).shape == (len(Xs), len(panel.get_feature_names_out()))


@pytest.fixture(scope="module")
def told(domains):
    """A panel that knows a quarter of the labels, where the target calls two classes otherwise; and all labels."""
    Xs, ys, Xt, yt = domains
    yt = np.array([1, 0, 2, 3])[yt]
    known = np.arange(100) % 4 == 0
    return Panel("quick").fit(Xs, ys, Xt, np.where(known, yt, np.nan)), known, yt


class TestKnownLabels:
    def test_are_kept_and_certain(self, told):
        model, known, yt = told
        np.testing.assert_array_equal(model.known_, known)
        np.testing.assert_array_equal(model.labels_[known], yt[known])
        assert (model.probability_[known] == 1).all()
        assert (model.trust_[known] == 1).all()
        assert model.probability_.mean() == pytest.approx(model.estimated_accuracy_.value, abs=0.01)

    def test_help_the_others(self, told, panel):
        model, known, yt = told
        before, after = (np.mean(own.labels_[~known] == yt[~known]) for own in (panel, model))
        assert after > before + 0.1

    def test_weigh_the_members(self, told):
        table = told[0].members_
        assert list(table)[:5] == ["member", "weight", "agreement", "assortativity", "right"]
        assert table["right"].between(0, 1).all()
        assert table["right"].nunique() > 1

    def test_judge_members_by_fits_that_know_the_other_half_of_them(self, told, domains):
        model, known, yt = told
        Xs, ys, Xt, _ = domains
        rows = np.flatnonzero(known)
        for recipe in recipes("quick", len(Xs)):
            right = []
            for out, half in ((rows[1::2], rows[::2]), (rows[::2], rows[1::2])):
                yt_half = np.full(100, np.nan)
                yt_half[half] = yt[half]
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    alone = clone(recipe.estimator).fit(Xs, ys, Xt, yt_half)
                right.extend(alone.labels_[out] == yt[out])
            [voter] = [voter for voter in model.voters_ if voter.name == recipe.name]
            assert voter.right == pytest.approx(np.mean(right)), recipe.name

    def test_are_voted_on_by_fits_that_know_the_other_half_of_them(self, domains, invite):
        Xs, ys, Xt, yt = domains
        invite(LINEAR)
        rows = np.arange(0, 100, 4)
        model = Panel().fit(Xs, ys, Xt, np.where(np.isin(np.arange(100), rows), yt, np.nan))
        for out, half in ((rows[1::2], rows[::2]), (rows[::2], rows[1::2])):
            alone = clone(LINEAR.estimator).fit(Xs, ys, Xt, np.where(np.isin(np.arange(100), half), yt, np.nan))
            chances = alone.classifier_.predict_proba(Xt[out]) * model.class_factors_
            np.testing.assert_allclose(model.member_votes_[out], chances / chances.sum(axis=1, keepdims=True))

    def test_lower_the_estimate_where_the_vote_would_be_wrong(self, told, panel):
        model, known, yt = told
        others = model.probability_[~known].mean()
        right = np.mean(model.labels_[~known] == yt[~known])
        assert abs(others - right) < abs(panel.estimated_accuracy_.value - np.mean(panel.labels_ == yt))

    def test_are_kept_in_a_saved_panel(self, told, domains, tmp_path):
        model, known, _ = told
        model.save(tmp_path / "panel.tsrp")
        loaded = tsrp.load(tmp_path / "panel.tsrp")
        np.testing.assert_array_equal(loaded.known_, known)
        np.testing.assert_array_equal(loaded.probability_, model.probability_)
        pd.testing.assert_frame_equal(loaded.members_, model.members_.assign(seconds=np.nan))
        np.testing.assert_array_equal(loaded.predict(domains[2]), model.predict(domains[2]))

    def test_of_all_rows_are_the_labels(self, domains):
        Xs, ys, Xt, yt = domains
        model = Panel("quick").fit(Xs, ys, Xt, yt)
        np.testing.assert_array_equal(model.labels_, yt)
        assert model.estimated_accuracy_.value == 1
