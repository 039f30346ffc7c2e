"""SPL: every round has the labels of plain loops, and chooses more of the target."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.support import textbook
from tests.support.benchmarks import accuracies
from tests.support.domains import make_domains
from tests.support.odd_domains import VARIANTS, odd_domains
from tsrp import SPL, TSRP, NearestNeighbour
from tsrp.methods.spl import Prototypes, cluster, surest


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_every_round_has_the_labels_of_the_textbook_version(variant, seed):
    Xs, ys, Xt = odd_domains(variant, seed)
    model = SPL(6, ridge=0.5, max_iter=6).fit(Xs, ys, Xt)
    expected = textbook.spl(Xs, ys, Xt, 4, k=6, ridge=0.5, rounds=6)
    assert len(model.history_) == 6
    for r, labels in zip(model.history_, expected, strict=True):
        np.testing.assert_array_equal(r.labels, labels)


@pytest.mark.parametrize("variant", VARIANTS)
def test_remedied_labels_are_chosen_by_the_prototypes_chances(variant):
    Xs, ys, Xt = odd_domains(variant)
    model = TSRP(SPL(6, max_iter=5), trust=0.8).fit(Xs, ys, Xt)

    def remedy(Zs, Zt, crude):
        return textbook.remedy(Zs, ys, Zt, crude, 0.8, 3)[0]

    expected = textbook.spl(Xs, ys, Xt, 4, k=6, ridge=1.0, rounds=5, remedy=remedy)
    for r, labels in zip(model.history_, expected, strict=True):
        np.testing.assert_array_equal(r.crude, labels)


def test_all_rounds_are_run_even_if_no_label_moves():
    Xs, ys, _, _ = make_domains()
    model = SPL(8, max_iter=7).fit(Xs, ys, Xs)
    assert model.n_iter_ == 7
    assert any(r.n_moved == 0 for r in model.history_[:-1])


probabilities = hnp.arrays(float, st.integers(1, 30), elements=st.floats(0.1, 1))


@given(probabilities, st.integers(2, 12), st.data())
def test_each_round_chooses_more_of_each_class_and_the_surest_first(probability, rounds, data):
    codes = data.draw(hnp.arrays(int, len(probability), elements=st.integers(0, 2)))
    before = np.zeros(len(codes), dtype=bool)
    for number in range(1, rounds + 1):
        chosen = surest(codes, probability, number, rounds)
        assert np.all(chosen >= before)
        for code in np.unique(codes):
            own = codes == code
            assert chosen[own].sum() <= own.sum() * number / (rounds - 1)
            if (chosen & own).any() and (~chosen & own).any():
                assert probability[chosen & own].min() > probability[~chosen & own].max()
        before = chosen


def test_in_the_end_all_but_the_least_sure_are_chosen():
    assert surest(np.array([0, 0, 0, 1]), np.array([0.3, 0.5, 0.4, 0.9]), 4, 5).tolist() == [False, True, True, False]


class TestClusters:
    def test_no_step_raises_the_sum_of_squares(self):
        rng = np.random.default_rng(0)
        X, start = rng.normal(size=(60, 3)), rng.normal(size=(4, 3))
        centres = cluster(X, start)

        def squares(centres):
            return np.sum((X - centres[textbook.nearest(centres, X)]) ** 2)

        assert squares(centres) < squares(start)
        codes = textbook.nearest(centres, X)
        np.testing.assert_allclose(centres, [X[codes == c].mean(axis=0) for c in range(4)])

    def test_one_without_samples_keeps_its_centre(self):
        X = np.array([[0.0, 0.0], [1.0, 0.0]])
        centres = cluster(X, np.array([[0.4, 0.0], [50.0, 50.0]]))
        assert centres.tolist() == [[0.5, 0.0], [50.0, 50.0]]


class TestPrototypes:
    def test_without_other_samples_the_nearest_class_mean_decides(self):
        Xs, ys, Xt, _ = make_domains()
        Zs, Zt = textbook.unit(Xs), textbook.unit(Xt)
        means = textbook.unit(np.array([Zs[ys == c].sum(axis=0) for c in range(4)]))
        np.testing.assert_array_equal(Prototypes().fit(Zs, ys).predict(Zt), textbook.nearest(means, Zt))

    def test_clusters_that_moved_label_samples_far_from_the_class_means(self):
        Zs, ys = np.eye(2), ["flat", "steep"]
        Zt = textbook.unit(np.array([[1.0, 0.9], [1.0, 0.95], [0.0, 1.0], [-0.1, 1.0], [1.0, 1.06]]))
        alone = Prototypes().fit(Zs, ys).predict(Zt)
        assert alone.tolist() == ["flat", "flat", "steep", "steep", "steep"]
        assert Prototypes().fit(Zs, ys, Zt).predict(Zt)[4] == "flat"


def test_another_classifier_is_used_but_does_not_choose(domains):
    Xs, ys, Xt, _ = domains
    model = SPL(8, classifier=NearestNeighbour(), max_iter=4).fit(Xs, ys, Xt)
    assert isinstance(model.classifier_, NearestNeighbour)
    Zs, Zt = model.transform(Xs), model.transform(Xt)
    np.testing.assert_array_equal(model.labels_, ys[textbook.nearest(Zs, Zt)])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components must be a whole number of at least 1"),
        ({"ridge": 0}, "ridge must be a number greater than 0"),
    ],
)
def test_parameters_are_checked(domains, parameters, message):
    with pytest.raises(ValueError, match=message):
        SPL(**parameters).fit(*domains[:3])


@pytest.mark.parametrize(("features", "average"), [("surf", 52.09), ("mobilenetv2", 96.03)])
def test_averages_are_those_of_the_prototype(features, average, data_dir):
    assert accuracies(f"office-caltech-{features}", "spl", data_dir)[:, -1].mean() == pytest.approx(average, abs=0.5)
