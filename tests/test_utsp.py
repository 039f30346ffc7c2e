"""UTSP: which samples of a pseudo class are confident, and why."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.support import textbook
from tsrp import _utsp, utsp
from tsrp.blocked.elsewhere import sending
from tsrp.numerics import similarities

# Small integers: many equal similarities, equal degrees and rows of zeros.
samples = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        hnp.arrays(float, (n, 3), elements=st.integers(-2, 2)), hnp.arrays(int, n, elements=st.integers(0, 2))
    )
)


def on_circle(angles):
    return np.column_stack([np.cos(angles), np.sin(angles)])


@given(samples, st.floats(0, 1), st.sampled_from(["tree", "neighbours"]))
@settings(max_examples=200)
def test_equals_the_plain_version(drawn, trust, picker):
    Z, labels = drawn
    expected = textbook.utsp(Z, labels, trust, tree=picker == "tree")
    np.testing.assert_array_equal(utsp(Z, labels, trust, picker=picker), expected)


@given(samples, st.floats(0, 1), st.floats(0.1, 100))
def test_only_directions_count(drawn, trust, factor):
    Z, labels = drawn
    np.testing.assert_array_equal(utsp(Z * factor, labels, trust), utsp(Z, labels, trust))


@given(samples, st.floats(0, 1))
def test_every_class_keeps_someone(drawn, trust):
    Z, labels = drawn
    confident = utsp(Z, labels, trust)
    assert set(labels[confident]) == set(labels)


@given(samples, st.floats(0, 1))
def test_the_tree_is_part_of_the_neighbours(drawn, trust):
    Z, labels = drawn
    tree, neighbours = utsp(Z, labels, trust), utsp(Z, labels, trust, picker="neighbours")
    assert not np.any(tree & ~neighbours)


@given(samples, st.floats(0, 1), st.sampled_from([100, 4000]))
@settings(max_examples=60)
def test_memory_does_not_change_the_pick(drawn, trust, memory):
    Z, labels = drawn
    whole = utsp(Z, labels, trust)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_utsp, "Similarities", lambda units: similarities.Similarities(units, memory))
        patch.setattr(_utsp, "MANY_EDGES", 3)
        patch.setattr(similarities, "MOST_ROWS_OF_MATRIX", 3)
        patch.setattr(similarities, "TILE_ROWS", 4)
        patch.setattr(similarities, "TILE_COLUMNS", 5)
        np.testing.assert_array_equal(utsp(Z, labels, trust), whole)


@pytest.mark.parametrize("picker", ["tree", "neighbours"])
def test_picks_that_are_made_elsewhere_are_the_same(monkeypatch, picker):
    rng = np.random.default_rng(0)
    Z, labels = rng.normal(size=(300, 4)), rng.integers(3, size=300)
    expected = utsp(Z, labels, 0.96, picker=picker)
    monkeypatch.setattr("tsrp._utsp.LIGHT", 0)
    sent: list[Any] = []

    def send(function, calls):
        sent.extend(function(*arguments) for arguments in calls)
        return sent

    with sending(send):
        np.testing.assert_array_equal(utsp(Z, labels, 0.96, picker=picker), expected)
    # What comes back has the size of the samples, however many pairs are similar.
    assert sum(len(graph.i) for graph in sent) == 300 < sum(graph.degree.sum() for graph in sent) / 2
    assert not expected.all()


def test_trust_zero_trusts_everyone_and_trust_one_the_closest_pair():
    Z = on_circle([0.0, 0.1, 0.5, 0.9, 1.4])
    assert utsp(Z, [0] * 5, 0.0).all()
    assert utsp(Z, [0] * 5, 1.0).tolist() == [True, True, False, False, False]


def test_a_class_of_three_is_trusted_as_a_whole():
    Z = on_circle([0.0, 0.1, 3.0])
    assert utsp(Z, [1, 1, 1], 0.9).all()


def test_a_threshold_that_is_not_positive_trusts_the_class():
    Z = on_circle([0.0, 1.6, 3.2, 4.8])
    confident, [pick] = utsp(Z, [0] * 4, 0.3, return_details=True)
    assert confident.all()
    assert pick.threshold is None
    assert pick.root is None


def test_rows_of_zeros_are_similar_to_nothing():
    Z = np.vstack([on_circle([0.0, 0.1, 0.2, 0.3]), [[0.0, 0.0]]])
    assert utsp(Z, [0] * 5, 0.5).tolist() == [True] * 4 + [False]


def test_details_explain_the_pick():
    Z = on_circle([0.0, 0.1, 0.2, 2.0, 2.9, 0.0, 0.1])
    labels = np.array(["b"] * 5 + ["a"] * 2)
    confident, [a, b] = utsp(Z, labels, 1.0, return_details=True)
    assert (a.label, b.label) == ("a", "b")
    assert a.threshold is None
    assert a.samples.tolist() == [5, 6]
    assert b.root == 1
    assert b.parent.tolist() == [1, -1, 1, -1, -1]
    assert b.threshold == pytest.approx(np.cos(0.1))
    assert confident[b.samples].tolist() == b.confident.tolist() == [True, True, True, False, False]


@given(samples, st.floats(0, 1))
def test_parents_lead_every_confident_sample_to_the_root(drawn, trust):
    Z, labels = drawn
    units = textbook.unit(Z)
    for pick in utsp(Z, labels, trust, return_details=True)[1]:
        if pick.threshold is None:
            continue
        parent = dict(zip(pick.samples.tolist(), pick.parent.tolist(), strict=True))
        for sample, confident in zip(pick.samples.tolist(), pick.confident, strict=True):
            steps = 0
            while confident and sample != pick.root:
                assert units[sample] @ units[parent[sample]] >= pick.threshold - 1e-9
                sample = parent[sample]
                steps += 1
                assert steps <= len(parent)
            if not confident:
                assert parent[sample] == -1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0], [np.nan]], [0, 0]), "Z: 1 value is NaN or infinity .* row 1, column 0"),
        (([[1.0]], [0, 0]), "labels has 2 labels, but Z has 1 rows"),
        (([[1.0]], [0], 1.5), "trust must be a number of at least 0 and at most 1, but it is 1.5"),
        (([[1.0]], [0], "high"), "trust must be a number"),
    ],
)
def test_bad_input_gets_one_clear_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        utsp(*arguments)


def test_an_unknown_picker_is_named():
    with pytest.raises(ValueError, match="picker must be one of 'tree', 'neighbours', but it is 'all'"):
        utsp([[1.0]], [0], picker="all")
