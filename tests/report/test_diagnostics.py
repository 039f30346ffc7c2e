"""Warnings: each fires on what it is for, and none where adaptation helps."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from tests.support.domains import make_domains
from tsrp import JDA, NN, TSRP, Panel, PerDomain
from tsrp.columns import OddColumn
from tsrp.datasets import load_task
from tsrp.datasets.catalogue import DATASETS
from tsrp.report import diagnostics as module
from tsrp.report import findings
from tsrp.report.diagnostics import diagnose
from tsrp.report.findings import Distances, find
from tsrp.spec import MethodSpec


@pytest.fixture(scope="module")
def calm():
    """Findings that nothing is wrong with: four classes of the same size, a hundred rows a domain."""
    Xs, ys, Xt, yt = make_domains(n_source=100, n_target=100, shift=0.1)
    found = find(TSRP(JDA(n_components=5, max_iter=4)).fit(Xs, ys, Xt), truth=yt)
    even = np.arange(100) % 4
    truth = replace(
        found.truth,
        accuracy=0.9,
        accuracy_of_alternatives=dict.fromkeys(found.truth.accuracy_of_alternatives, 0.8),
        accuracy_confident=0.95,
        accuracy_uncertain=0.7,
    )
    first, last = found.rounds[0], replace(found.rounds[-1], number=4, limit=10, n_moved=0)
    return replace(
        found,
        source=even,
        labels=even,
        unadapted=even,
        probability=sure(70),
        truth=truth,
        distances=Distances(1.5, 0.5, 0.2, 0.01),
        rounds=[first, first, last],
    )


def sure(n):
    """The probabilities of a hundred labels, n of which are confident."""
    return np.where(np.arange(100) < n, 0.95, 0.5)


def rounds(calm, first, last, **changes):
    """Three rounds, of which the first and the last relabel so many of a hundred rows."""

    def remedied(n):
        return np.where(np.arange(100) < n, "other", "same")

    made = [replace(calm.rounds[0], crude=remedied(n), labels=np.array(["same"] * 100)) for n in (first, first, last)]
    return [*made[:2], replace(made[2], number=3, **changes)]


def titles(found):
    return [diagnostic.title for diagnostic in diagnose(found)]


def test_nothing_is_said_where_nothing_is_wrong(calm):
    assert diagnose(calm) == []
    assert diagnose(replace(calm, truth=None, distances=None)) == []


def test_labels_worse_than_without_adaptation(calm):
    worse = replace(calm.truth, accuracy=0.6)
    (diagnostic,) = diagnose(replace(calm, truth=worse))
    assert diagnostic.title == "Worse than without adaptation"
    assert "60 % of the 100 labels" in diagnostic.seen
    assert "80 %" in diagnostic.seen
    few = replace(worse, codes=np.where(np.arange(100) < 10, 0, -1))
    assert diagnose(replace(calm, truth=few)) == []


def test_confident_labels_worse_than_uncertain_ones(calm):
    wrong = replace(calm.truth, accuracy_confident=0.5, accuracy_uncertain=0.75)
    (diagnostic,) = diagnose(replace(calm, truth=wrong))
    assert (
        diagnostic.seen == "50 % of the confident labels with a known truth are right, and 75 % of the uncertain ones."
    )
    assert diagnose(replace(calm, truth=wrong, probability=sure(95))) == []


def test_labels_of_few_classes(calm):
    (first, *_) = diagnose(replace(calm, labels=np.zeros(100, dtype=int)))
    assert first.title == "Labels collapse to few classes"
    assert "1.0 equally large classes; the source has 4.0; 3 of 4 classes have no row" in first.seen


def test_a_few_rows_say_nothing_about_the_shares_of_classes(calm):
    one = np.zeros(1, dtype=int)
    few = replace(calm, labels=one, unadapted=one, probability=np.ones(1))
    assert module.collapsed(few) is module.other_shares(few) is None


def test_rows_that_are_as_few_as_classes_need_not_fill_them(calm):
    labels = np.random.default_rng(0).integers(0, 60, size=40)
    few = replace(calm, classes=[str(k) for k in range(60)], source=np.arange(600) % 60, labels=labels)
    assert module.collapsed(few) is None
    assert module.collapsed(replace(few, labels=labels % 5)) is not None


def test_few_confident_labels(calm):
    (diagnostic,) = diagnose(replace(calm, probability=sure(30)))
    assert diagnostic.seen == "Only 30 % of the labels are right with a probability of at least 0.9."


def test_classifiers_that_disagree_more_and_more(calm):
    (diagnostic,) = diagnose(replace(calm, rounds=rounds(calm, 10, 20)))
    assert diagnostic.title == "The two classifiers disagree more and more"
    assert "on 10 % of the rows in the first round, and on 20 % in the last" in diagnostic.seen
    assert diagnose(replace(calm, rounds=rounds(calm, 20, 10))) == []
    assert diagnose(replace(calm, rounds=rounds(calm, 1, 4))) == []
    assert diagnose(replace(calm, rounds=rounds(calm, 10, 20), remedied=False)) == []


def test_domains_further_apart(calm):
    (diagnostic,) = diagnose(replace(calm, distances=Distances(1.0, 1.5, 0.1, 0.3)))
    assert diagnostic.title == "The domains are further apart than before"
    assert "A-distance rose from 1.00 to 1.50" in diagnostic.seen
    assert "MMD rose from 0.100 to 0.300" in diagnostic.seen
    (diagnostic,) = diagnose(replace(calm, distances=Distances(1.0, 0.5, 0.1, 0.3)))
    assert "A-distance" not in diagnostic.seen


def test_labels_that_did_not_settle(calm):
    (diagnostic,) = diagnose(replace(calm, rounds=rounds(calm, 10, 5, limit=3, n_moved=12)))
    assert diagnostic.seen == "12 % of the labels still changed in the last of 3 rounds."
    assert diagnose(replace(calm, rounds=rounds(calm, 10, 5, limit=3, n_moved=2))) == []
    once = replace(calm.rounds[0], number=1, limit=1, n_moved=100)
    assert diagnose(replace(calm, rounds=[once])) == []


def test_other_shares_of_the_classes_beyond_chance(calm):
    other = np.repeat([0, 1, 2, 3], [70, 10, 10, 10])
    assert titles(replace(calm, labels=other)) == ["Other shares of the classes than in the source"]
    assert titles(replace(calm, unadapted=other)) == ["Other shares of the classes than in the source"]
    # Of ten rows the shares of four classes differ as much by chance.
    few = {"labels": np.repeat([0, 1, 2, 3], [5, 1, 2, 2]), "unadapted": np.arange(10) % 4, "probability": np.ones(10)}
    assert titles(replace(calm, **few, rounds=[replace(calm.rounds[0], limit=1)], truth=None)) == []


def test_features_that_do_not_tell_the_classes_of_the_source_apart_are_warned_of(calm):
    """A quarter of the rows is of the largest class."""
    (diagnostic,) = diagnose(replace(calm, estimated=replace(calm.estimated, home=0.3)))
    assert diagnostic.title == "Features tell little about the classes"
    assert "30 % of the source's own labels" in diagnostic.seen
    assert "the largest class alone is 25 %" in diagnostic.seen
    assert diagnose(replace(calm, estimated=replace(calm.estimated, home=0.4))) == []


def test_every_concern_says_what_was_seen_what_it_may_mean_and_what_to_try(calm):
    bad = replace(
        calm,
        labels=np.zeros(100, dtype=int),
        probability=sure(30),
        distances=Distances(1.0, 1.5, 0.1, 0.3),
        truth=replace(calm.truth, accuracy=0.1, accuracy_confident=0.1),
        rounds=rounds(calm, 10, 20, limit=3, n_moved=50),
        columns=[OddColumn("'serial'", "identifier")],
        estimated=replace(calm.estimated, home=0.2),
    )
    found = diagnose(bad)
    assert len(found) == len(module.CHECKS)
    for diagnostic in found:
        for part in (diagnostic.seen, diagnostic.meaning, diagnostic.advice):
            assert part.endswith(".")
            assert part in str(diagnostic)


def test_columns_that_are_not_features_are_named_and_the_rest_counted(calm):
    large = [OddColumn(str(k), "scale") for k in range(6)]
    assert diagnose(replace(calm, columns=[])) == []
    [found] = diagnose(replace(calm, columns=[OddColumn("'serial'", "identifier"), *large]))
    assert found.seen.startswith("Column 'serial' looks like a row number; if it is one, leave it out. 6 columns vary")
    assert "(0, 1, 2, 3, 4 and 1 more)" in found.seen


@pytest.fixture
def with_constants():
    """The domains with many columns that are constant, one of them large, and one that dwarfs all others."""
    Xs, ys, Xt, _ = make_domains(n_source=100, n_target=100, m=24)
    constants = np.array([1731984000000000.0, *range(30)])
    Xs, Xt = (np.hstack([X, np.tile(constants, (100, 1))]) for X in (Xs, Xt))
    for X in (Xs, Xt):
        X[:, 0] *= 10_000
    return Xs, ys, Xt


def test_constant_columns_are_no_reason_for_a_warning(without_planes, with_constants):
    found = find(NN().fit(*with_constants))
    assert [column.kind for column in found.columns] == ["scale"]


@pytest.mark.parametrize("model", [PerDomain(StandardScaler(), NN()), Panel("quick")], ids=["per domain", "panel"])
def test_a_large_column_is_no_reason_either_where_features_are_scaled(without_planes, with_constants, model):
    assert find(model.fit(*with_constants)).columns == []


def test_a_target_of_equal_rows_is_warned_of_and_not_called_good(without_planes):
    Xs, _, Xt, _ = make_domains(n_source=100, n_target=100)
    ys = np.where(np.arange(100) < 95, "many", "few")
    found = find(NN().fit(Xs, ys, np.repeat(Xt[:1], 60, axis=0)))
    assert titles(found) == ["All rows of the target are equal"]
    assert found.diagnostics[0].seen == "Each of the 60 rows has the same values in all columns."
    assert found.verdict.level == "unclear"
    assert found.verdict.command == ""


def fitted(dataset, task, method, data_dir):
    record = DATASETS[dataset]
    pair = load_task(dataset, task, data_dir=data_dir)
    settings = dict(record.settings.get(MethodSpec(method).base, {}))
    preprocess = settings.pop("preprocess", record.preprocess)
    model = MethodSpec(method, settings, preprocess).build()
    return model.fit(pair.source.X, pair.source.y, pair.target.X), pair.target.y


@pytest.fixture
def without_planes(monkeypatch):
    for name in ("_tsne", "principal_plane"):
        monkeypatch.setattr(findings, name, lambda X: np.zeros((len(X), 2)))


@pytest.mark.parametrize(
    ("dataset", "task"),
    [
        ("digits", "printed -> handwritten"),
        ("coil20", "COIL2 -> COIL1"),
        ("office-caltech-mobilenetv2", "A -> D"),
    ],
)
def test_none_where_adaptation_helps(without_planes, data_dir, dataset, task):
    model, truth = fitted(dataset, task, "dicd+tsrp", data_dir)
    found = find(model, truth=truth)
    assert found.truth.accuracy > found.truth.accuracy_before
    assert diagnose(found) == []


@pytest.mark.parametrize("batch", [2, 4, 8, 9])
def test_gas_sensors_deserve_a_warning_without_any_truth(without_planes, data_dir, batch):
    model, truth = fitted("gas-drift", f"batch1 -> batch{batch}", "dicd+tsrp", data_dir)
    found = find(model, truth=truth)
    assert titles(found)[0] == "Worse than without adaptation"
    assert titles(replace(found, truth=None)) != []
