"""Rows to label next: the plain version, and what the words promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.domains import make_domains
from tsrp import JDA, NN, TSRP, Panel
from tsrp.exceptions import UsageError
from tsrp.numerics.rows import unit_rows
from tsrp.trust import queries
from tsrp.trust.queries import ask, audited, check_counts, suggested, usual_counts


def textbook_suggestion(units, doubt, n, taken):
    """Every pair of rows, one row at a time."""
    free = np.flatnonzero(~taken).tolist()
    weight = doubt + np.mean([doubt[row] for row in free])
    chosen, labelled = [], np.flatnonzero(taken).tolist()
    for _ in range(n):
        gains = {}
        for row in (row for row in free if row not in labelled):
            said = {j: max(1.0 if i == j else max(units[i] @ units[j], 0.0) for i in [*labelled, row]) for j in free}
            gains[row] = sum(weight[j] * said[j] for j in free)
        best = max(gains, key=lambda row: gains[row])
        chosen.append(best)
        labelled.append(best)
    return chosen


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=20)
def test_suggestions_equal_the_plain_version(seed, n):
    random = np.random.default_rng(seed)
    units = unit_rows(random.normal(size=(30, 4)))
    doubt, taken = random.uniform(size=30), random.uniform(size=30) < 0.2
    assert suggested(units, doubt, n, taken).rows.tolist() == textbook_suggestion(units, doubt, n, taken)


def test_of_rows_that_say_equally_much_the_first_is_suggested():
    """Sums of equal rows differ in the last bits, by the processor."""
    random = np.random.default_rng(0)
    doubt = random.uniform(size=40)
    for copies in range(2, 40):
        once = unit_rows(random.normal(size=(20, 8)))
        units = np.vstack([once, np.repeat(once[5:6], copies, axis=0)])
        units *= 1 + 1e-15 * random.normal(size=(len(units), 1))
        assert 5 in suggested(units, doubt[0] + np.zeros(len(units)), 1, np.zeros(len(units), dtype=bool)).rows


def test_a_row_of_each_doubtful_group_comes_first():
    centres = np.eye(4)
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(4), 15)
    units = unit_rows(centres[group] + 0.05 * random.normal(size=(60, 4)))
    doubt = np.array([0.01, 0.5, 0.6, 0.7])[group]
    rows = suggested(units, doubt, 3, np.zeros(60, dtype=bool)).rows
    assert group[rows].tolist() == [3, 2, 1]


def test_rows_that_are_known_already_speak_for_those_beside_them(domains):
    random = np.random.default_rng(0)
    units = unit_rows(np.eye(2)[np.repeat([0, 1], 20)] + 0.05 * random.normal(size=(40, 2)))
    taken = np.arange(40) == 3
    assert suggested(units, np.full(40, 0.5), 1, taken).rows[0] >= 20


def test_of_a_large_target_some_rows_are_looked_at_and_the_most_doubtful_come_last(monkeypatch):
    monkeypatch.setattr(queries, "ENOUGH", 10)
    random = np.random.default_rng(0)
    units, doubt = unit_rows(random.normal(size=(40, 3))), random.uniform(size=40)
    taken = np.arange(40) < 5
    rows = suggested(units, doubt, 35, taken).rows
    assert sorted(rows) == list(range(5, 40))
    assert np.all(np.diff(doubt[rows[10:]]) <= 0)
    assert suggested(units, doubt, 4, taken).rows.tolist() == rows[:4].tolist()


def test_equal_rows_are_not_suggested_before_others():
    units = np.vstack([np.repeat([[1.0, 0.0]], 30, axis=0), [[0.0, 1.0]]])
    assert sorted(suggested(units, np.full(31, 0.5), 2, np.zeros(31, dtype=bool)).rows) == [0, 30]


@pytest.mark.parametrize("model", [NN(), TSRP(JDA(5)), Panel("quick")], ids=["NN", "TSRP", "panel"])
def test_models_suggest_and_draw_rows_whose_label_is_not_known(model, domains):
    Xs, ys, Xt, yt = domains
    known = np.where(np.arange(50) < 10, yt, np.nan)
    model.fit(Xs, ys, Xt, known)
    for query in (model.suggest(40), model.audit(40)):
        assert sorted(query.rows) == list(range(10, 50))
    assert model.suggest(5).rows.tolist() == model.suggest(40).rows.tolist()[:5]
    drawn = model.audit(7).rows
    assert not set(model.suggest(33, besides=drawn).rows) & set(drawn)
    assert "improve" in model.suggest(1).purpose
    assert "at random" in model.audit(1).purpose


def test_audits_are_random_samples():
    taken = np.arange(20) < 5
    counts = np.bincount(np.concatenate([audited(3, taken, seed).rows for seed in range(2000)]), minlength=20)
    assert (counts[:5] == 0).all()
    # Each of fifteen rows is drawn 400 times on average, with a standard deviation of 18.
    assert (np.abs(counts[5:] - 400) < 90).all()
    assert audited(3, taken, 0).rows.tolist() == audited(3, taken, 0).rows.tolist()


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "3", None])
def test_a_number_of_rows_that_is_none_is_refused(domains, n):
    model = NN().fit(*domains[:3])
    for choose in (model.suggest, model.audit):
        with pytest.raises(UsageError, match="n must be a whole number of at least 1"):
            choose(n)


def test_more_rows_than_there_are_is_refused():
    Xs, ys, Xt, yt = make_domains()
    model = NN().fit(Xs, ys, Xt, np.where(np.arange(50) < 10, yt, np.nan))
    for choose in (model.suggest, model.audit):
        with pytest.raises(UsageError, match="`n` asks for 41 rows to label, but the label of only 40 target rows"):
            choose(41)
    with pytest.raises(UsageError, match="seed must be a whole number"):
        model.audit(3, seed=-1)


@pytest.mark.parametrize("rows", [[50], [-1], [1.5], ["a"], [True], [[1, 2]], 3])
def test_rows_that_are_not_in_the_target_are_refused(domains, rows):
    model = NN().fit(*domains[:3])
    with pytest.raises(UsageError, match="`besides` must be a list of whole numbers from 0 to 49, of rows of Xt"):
        model.suggest(3, besides=rows)
    with pytest.raises(UsageError, match="`rows` must be a list of whole numbers from 0 to 49"):
        model.ranked_classes(rows)


def test_rows_of_both_kinds_differ_and_those_at_random_do_not_depend_on_the_others(domains):
    model = NN().fit(*domains[:3])
    suggestion, audit = ask(model, suggest=30, audit=20)
    assert sorted([*suggestion.rows, *audit.rows]) == list(range(50))
    assert audit.rows.tolist() == model.audit(20).rows.tolist()
    assert [query.purpose for query in ask(model, 0, 2)] == [audit.purpose]
    assert ask(model, 0, 0) == []


@pytest.mark.parametrize(
    ("n_unknown", "said", "expected"),
    [
        (1_000, (None, None), (20, 20)),
        (30, (None, None), (15, 15)),
        (30, (25, None), (25, 5)),
        (30, (None, 30), (0, 30)),
        (30, (7, 0), (7, 0)),
        (1, (None, None), (0, 0)),
    ],
)
def test_the_usual_number_of_rows_never_asks_for_more_than_there_are(n_unknown, said, expected):
    assert usual_counts(n_unknown, *said) == expected
    check_counts(n_unknown, *expected)
