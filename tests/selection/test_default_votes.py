"""Other ways to count votes, on votes that are made up."""

import numpy as np
import pytest

from benchmarks.default_votes import accuracy, by_dataset, other_powers, without_each

TRUTH = np.array([0, 0, 1, 1])
BALLOTS = {
    "truth": TRUTH,
    "labels": np.array([TRUTH, TRUTH, 1 - TRUTH, 1 - TRUTH]),
    "names": np.array(["one", "other", "third", "fourth"]),
    "families": np.array(["a", "b", "c", "d"]),
    "assortativity": np.array([0.9, 0.9, 0.8, 0.8]),
    "shares": np.array([0.5, 0.5]),
    "student": np.zeros((4, 2)),
    "divided": np.zeros(4, bool),
    "as_they_are": np.zeros(4, bool),
    "adapts": np.ones(4, bool),
    "explained": np.array(0.5),
    "confused": np.array(0.1),
    "accuracy": np.array(0.9),
    "skill": np.array(0.9),
    "strangeness": np.array(0.5),
    "consensus": np.array(0.5),
    "merits": np.array([1.0, 1.0]),
    "support": np.array(9.0),
    "probabilities": np.zeros((0, 4, 2)),
}
WRONG = {**BALLOTS, "truth": 1 - TRUTH}
TASKS = {("coil20", "a"): BALLOTS, ("coil20", "b"): WRONG, ("digits", "c"): BALLOTS}


def test_a_vote_is_counted_with_the_powers_that_are_asked_for():
    assert accuracy(BALLOTS) == 100
    # Where assortativity counts nothing the vote is a tie, and the first class is taken.
    assert accuracy(BALLOTS, powers=(6, 0)) == 50


def test_a_member_can_be_left_out():
    assert accuracy(BALLOTS, without="one") == 0


def test_votes_for_classes_that_the_target_lacks_can_be_counted_in_full():
    rows = np.repeat([[0, 0, 0, 0], [0, 0, 1, 1]], [90, 10], axis=0).T
    lacking = {
        **BALLOTS,
        "truth": np.zeros(100, int),
        "labels": rows,
        "assortativity": np.array([0.8, 0.8, 0.9, 0.9]),
        "student": np.zeros((100, 2)),
    }
    assert accuracy(lacking, corrected=False) == 90
    assert accuracy(lacking) == 100
    assert "| the correction for the classes' shares | 90.00 | -10.00 |" in without_each({("coil20", "a"): lacking})


def test_a_student_votes_unless_it_is_left_out():
    taught = {**BALLOTS, "assortativity": np.full(4, 0.9), "student": np.eye(2)[1 - TRUTH]}
    assert accuracy(taught) == 0
    # A tie of the members: the first class is taken.
    assert accuracy(taught, taught=False) == 50
    assert "| the student | 50.00 | +50.00 |" in without_each({("coil20", "a"): taught})


def test_members_divide_their_votes_unless_each_votes_for_its_label_alone():
    divided = {
        **BALLOTS,
        "assortativity": np.full(4, 0.9),
        # The third is wrong everywhere, but not sure of it.
        "divided": np.array([False, False, True, False]),
        "probabilities": np.where(np.eye(2)[TRUTH] > 0, 0.4, 0.6)[np.newaxis],
    }
    assert accuracy(divided) == 100
    # A tie: the first class is taken.
    assert accuracy(divided, divided=False) == 50
    assert accuracy(divided, without="one") == 0
    assert "| probabilities | 50.00 | -50.00 |" in without_each({("coil20", "a"): divided})


def test_adaptation_is_doubted_unless_that_is_left_out():
    rare, even = np.repeat([0, 1], [80, 20]), np.repeat([0, 1], [50, 50])
    doubted = {
        **BALLOTS,
        "truth": rare,
        "labels": np.array([rare, rare, even, np.roll(even, 10)]),
        "assortativity": np.array([0.1, 0.1, 0.9, 0.9]),
        "student": np.zeros((100, 2)),
        "probabilities": np.zeros((0, 100, 2)),
        "as_they_are": np.array([True, True, False, False]),
        "adapts": np.array([False, False, True, True]),
    }
    assert accuracy(doubted) == 100
    assert accuracy(doubted, doubted=False) < 90
    assert accuracy({**doubted, "explained": np.array(0.0)}) < 90
    assert accuracy({**doubted, "support": np.array(0.1)}) < 90
    assert accuracy(doubted, without="fourth") < 90


def test_where_adaptation_is_doubted_those_decide_that_are_less_often_wrong_in_the_source():
    ours, theirs = np.repeat([0, 1], [80, 20]), np.repeat([1, 0, 1], [10, 70, 20])
    doubted = {
        **BALLOTS,
        "truth": ours,
        "labels": np.array([theirs, ours, np.tile([0, 1], 50), np.repeat([0, 1], 50)]),
        "student": np.zeros((100, 2)),
        "probabilities": np.zeros((0, 100, 2)),
        "as_they_are": np.array([True, True, False, False]),
        "adapts": np.array([False, False, True, True]),
    }
    assert accuracy({**doubted, "merits": np.array([0.2, 1.0])}) == 100
    assert accuracy({**doubted, "merits": np.array([1.0, 0.2])}) == 90


def test_each_data_set_counts_once():
    assert by_dataset(TASKS, accuracy) == {"coil20": 50, "digits": 100}
    assert "with all of them 75.00" in without_each(TASKS)
    assert "| one | 25.00 | -50.00 |" in without_each(TASKS)


@pytest.mark.parametrize(("kind", "accuracy"), [("object", "50.00"), ("digit", "100.00")])
def test_powers_are_chosen_without_the_kind_that_is_left_out(kind, accuracy):
    [line] = [line for line in other_powers(TASKS).splitlines() if line.startswith(f"| {kind} ")]
    assert line.endswith(f"{accuracy} |")
