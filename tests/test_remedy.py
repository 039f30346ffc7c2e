"""TSRP: the inner loop, the ablations, and what can be wrapped."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, Normalizer, StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from tests.support import textbook
from tests.support.domains import make_domains
from tsrp import BDA, DICD, JDA, NN, TSRP, NearestNeighbour, PerDomain, utsp
from tsrp.exceptions import InputError
from tsrp.known import Known
from tsrp.numerics import neighbours
from tsrp.remedy import remedy


@given(st.integers(0, 10_000), st.floats(0, 1), st.integers(1, 4))
@settings(max_examples=60)
def test_inner_loop_equals_the_plain_version(seed, trust, inner_iterations):
    Xs, ys, Xt, _ = make_domains(seed, n_source=25, n_target=30, m=3)
    crude = ys[textbook.nearest(Xs, Xt)]
    labels, uncertain = textbook.remedy(Xs, ys, Xt, crude, trust, inner_iterations)
    result = remedy(Xs, ys, Xt, crude, np.arange(4), trust=trust, inner_iterations=inner_iterations)
    np.testing.assert_array_equal(result.codes, labels)
    np.testing.assert_array_equal(np.flatnonzero(result.picked == 0), np.sort(uncertain))


class Retrained(NearestNeighbour):
    """1-nearest-neighbour that is trained anew on the whole pool, as every other classifier is."""


@pytest.mark.parametrize("training", ["confident", "source"])
@pytest.mark.parametrize("base", [NN(), JDA(4), DICD(4)], ids=["NN", "JDA", "DICD"])
def test_searching_only_what_joined_the_pool_changes_nothing(domains, base, training):
    Xs, ys, Xt, _ = domains
    fits = []
    for classifier in (None, NearestNeighbour(), Retrained()):
        model = TSRP(base, trust=0.6, inner_iterations=4, strong_classifier=classifier, strong_training=training)
        fits.append(model.fit(Xs, ys, Xt))
    for fit in fits[1:]:
        np.testing.assert_array_equal(fit.labels_, fits[0].labels_)
        np.testing.assert_array_equal(fit.picked_, fits[0].picked_)
        np.testing.assert_array_equal(fit.predict(Xs), fits[0].predict(Xs))


def test_the_source_is_searched_once_a_round(domains, monkeypatch):
    """The strong 1-nearest-neighbour goes on with what the weak one has found."""
    Xs, ys, Xt, _ = domains
    searched = []

    def count(rows, pool, queries, noise, search=neighbours._search):
        searched.append(len(pool) * len(queries))
        return search(rows, pool, queries, noise)

    monkeypatch.setattr(neighbours, "_search", count)
    model = TSRP(NN(), trust=0.9).fit(Xs, ys, Xt)
    assert (model.picked_ != 1).any()
    # Beside that search, uncertain samples are compared with confident ones.
    assert searched[0] == len(Xs) * len(Xt)
    assert sum(searched[1:]) <= len(Xt) ** 2


def test_a_projection_that_is_not_finite_is_one_sentence(domains):
    class Broken(FunctionTransformer):
        def transform(self, X):
            return np.where(np.arange(len(X))[:, None] == 0, np.nan, X)

    Xs, ys, Xt, _ = domains
    with pytest.raises(InputError, match=r"NearestNeighbour\(\) refuses these samples: Input X contains NaN"):
        TSRP(Broken()).fit(Xs, ys, Xt)


def test_samples_that_are_picked_at_first_sight_keep_their_crude_labels(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(JDA(n_components=5), trust=0.8).fit(Xs, ys, Xt)
    last = model.history_[-1]
    at_first_sight = model.picked_ == 1
    assert 0 < at_first_sight.sum() < len(Xt)
    np.testing.assert_array_equal(last.crude[at_first_sight], model.labels_[at_first_sight])
    np.testing.assert_array_equal(at_first_sight, utsp(model.transform(Xt), last.crude, 0.8))
    np.testing.assert_array_equal(at_first_sight, last.confident)


def test_trust_zero_changes_nothing(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(DICD(n_components=5), trust=0).fit(Xs, ys, Xt)
    assert (model.picked_ == 1).all()
    np.testing.assert_array_equal(model.labels_, DICD(n_components=5).fit(Xs, ys, Xt).labels_)


def test_the_source_only_ablation_with_1nn_is_the_base_method(domains):
    Xs, ys, Xt, _ = domains
    ablation = TSRP(JDA(n_components=5), strong_training="source").fit(Xs, ys, Xt)
    np.testing.assert_array_equal(ablation.labels_, JDA(n_components=5).fit(Xs, ys, Xt).labels_)


def test_the_neighbours_ablation_trusts_more(domains):
    Xs, ys, Xt, _ = domains
    tree, neighbours = (TSRP(NN(), trust=0.95, picker=p).fit(Xs, ys, Xt) for p in ("tree", "neighbours"))
    assert not np.any((tree.picked_ == 1) & (neighbours.picked_ != 1))
    assert (neighbours.picked_ == 1).sum() > (tree.picked_ == 1).sum()


def test_a_strong_classifier_of_another_kind_relabels_the_uncertain(domains):
    Xs, ys, Xt, _ = domains
    weak, strong = KNeighborsClassifier(5), SVC(kernel="linear")
    model = TSRP(NN(), trust=0.95, inner_iterations=1, classifier=weak, strong_classifier=strong).fit(Xs, ys, Xt)
    crude = weak.fit(Xs, ys).predict(Xt)
    confident = utsp(Xt, crude, 0.95)
    strong.fit(np.vstack([Xs, Xt[confident]]), np.concatenate([ys, crude[confident]]))
    np.testing.assert_array_equal(model.labels_[~confident], strong.predict(Xt[~confident]))
    np.testing.assert_array_equal(model.labels_[confident], crude[confident])
    np.testing.assert_array_equal(model.predict(Xs), strong.predict(Xs))


def test_a_base_brings_its_own_classifier_and_rounds(domains):
    Xs, ys, Xt, _ = domains
    own = TSRP(JDA(n_components=5, max_iter=2, classifier=LogisticRegression())).fit(Xs, ys, Xt)
    assert own.n_iter_ <= 2
    assert isinstance(own.classifier_, LogisticRegression)
    assert TSRP(JDA(n_components=5, max_iter=5), max_iter=1).fit(Xs, ys, Xt).n_iter_ == 1


def test_classifiers_see_the_users_own_labels(domains):
    Xs, ys, Xt, _ = domains
    names = np.array(["ant", "bee", "cat", "dog"])[ys]
    weighted = LogisticRegression(class_weight={"ant": 1, "bee": 2, "cat": 1, "dog": 3})
    assert set(TSRP(NN(), classifier=weighted).fit(Xs, names, Xt).labels_) <= set(names)


def test_a_scikit_learn_transformer_can_be_wrapped(domains):
    Xs, ys, Xt, _ = domains
    transformer = make_pipeline(StandardScaler(), PCA(4), Normalizer())
    model = TSRP(transformer, trust=0.8).fit(Xs, ys, Xt)
    assert model.n_iter_ == 1
    fitted = transformer.fit(np.vstack([Xs, Xt]))
    np.testing.assert_allclose(model.transform(Xt), fitted.transform(Xt))
    Zs, Zt = fitted.transform(Xs), fitted.transform(Xt)
    crude = ys[textbook.nearest(Zs, Zt)]
    np.testing.assert_array_equal(model.labels_, textbook.remedy(Zs, ys, Zt, crude, 0.8, 3)[0])
    np.testing.assert_array_equal(model.predict(Xt), model.labels_)


def test_a_supervised_transformer_learns_from_the_pseudo_labels(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(LinearDiscriminantAnalysis(n_components=3)).fit(Xs, ys, Xt)
    assert model.n_iter_ > 1
    first = LinearDiscriminantAnalysis(n_components=3).fit(Xs, ys)
    np.testing.assert_array_equal(
        model.history_[0].crude, ys[textbook.nearest(first.transform(Xs), first.transform(Xt))]
    )
    before = model.history_[-2].labels
    last = LinearDiscriminantAnalysis(n_components=3).fit(np.vstack([Xs, Xt]), np.concatenate([ys, before]))
    np.testing.assert_allclose(model.transform(Xt), last.transform(Xt))


class Doubling:
    """A base method that shares nothing with this package but the contract."""

    uses_target_labels = True

    def prepare(self, Xs, ys, Xt, n_classes):
        self.seen = []
        self.samples = Xs, Xt
        return self

    def project(self, yt):
        self.seen.append(yt)
        return tuple(2 * X for X in self.samples)

    def mapping(self):
        return self

    def transform(self, X):
        return 2 * X


def test_any_object_with_the_contract_can_be_wrapped(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(Doubling()).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(model.labels_, TSRP(NN()).fit(Xs, ys, Xt).labels_)
    assert model.base_.seen[0] is None
    np.testing.assert_array_equal(model.classes_[model.base_.seen[1]], model.history_[0].labels)


@pytest.mark.parametrize("output", ["default", "pandas"])
def test_a_transformer_may_answer_with_frames_or_sparse_matrices(domains, output):
    Xs, ys, Xt, _ = domains
    plain = TSRP(PCA(3)).fit(Xs, ys, Xt)
    model = TSRP(PCA(3).set_output(transform=output)).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert isinstance(model.transform(Xt), np.ndarray)
    bins = TSRP(KBinsDiscretizer(3, encode="onehot", strategy="uniform")).fit(Xs, ys, Xt)
    assert isinstance(bins.transform(Xt), np.ndarray)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"base": TSRP(NN())}, TypeError, "base must not be TSRP, which adapts by itself: put it outside of TSRP"),
        ({"base": PerDomain(PCA(2), NN())}, TypeError, "base must not be PerDomain"),
        ({"base": JDA}, TypeError, r"base must be an object, not a class: pass JDA\(\) instead of JDA"),
        ({"base": 3}, TypeError, "base must be a method such as DICD"),
        ({"trust": -0.1}, ValueError, "trust must be a number of at least 0 and at most 1, but it is -0.1"),
        ({"trust": True}, ValueError, "trust must be a number"),
        ({"inner_iterations": 0}, ValueError, "inner_iterations must be a whole number of at least 1"),
        ({"max_iter": 2.5}, ValueError, "max_iter must be a whole number"),
        ({"picker": "all"}, ValueError, "picker must be one of 'tree', 'neighbours'"),
        ({"strong_training": "both"}, ValueError, "strong_training must be one of 'confident', 'source'"),
        ({"classifier": SVC}, TypeError, r"classifier must be an object, not a class: pass SVC\(\)"),
        ({"strong_classifier": PCA()}, TypeError, "strong_classifier must be a scikit-learn classifier"),
        ({"base": BDA(mu=2)}, ValueError, "mu must be a number of at least 0 and at most 1, but it is 2"),
        ({"base": BDA(mu="best")}, ValueError, 'mu must be a number .* or "auto"'),
        ({"base": DICD(repulsion=-1)}, ValueError, "repulsion must be a number of at least 0"),
        ({"base": JDA(ridge=0)}, ValueError, "ridge must be a number greater than 0"),
        ({"base": JDA(kernel="poly")}, ValueError, "kernel must be one of 'primal', 'linear', 'rbf'"),
        ({"base": JDA(n_components=0)}, ValueError, "n_components must be a whole number of at least 1"),
    ],
)
def test_a_bad_parameter_is_named(domains, parameters, error, message):
    Xs, ys, Xt, _ = domains
    with pytest.raises(error, match=message):
        TSRP(**{"base": NN(), **parameters}).fit(Xs, ys, Xt)


@given(st.integers(0, 10_000), st.floats(0, 1), st.sampled_from(["tree", "neighbours", "trust"]))
@settings(max_examples=20)
def test_known_rows_are_picked_before_all_others(seed, trust, picker):
    Xs, ys, Xt, yt = make_domains(seed, n_source=25, n_target=30, m=3)
    known = Known(np.arange(0, 30, 4), yt[::4])
    crude = ys[textbook.nearest(Xs, Xt)]
    found = remedy(Xs, ys, Xt, crude, np.arange(4), trust=trust, inner_iterations=1, picker=picker, known=known)
    assert (found.picked[known.rows] == 1).all()
    np.testing.assert_array_equal(found.codes[known.rows], known.codes)
    # The strong classifier learns from them beside the source.
    others = np.flatnonzero(found.picked == 0)
    pool = np.flatnonzero(found.picked == 1)
    Z, labels = np.vstack([Xs, Xt[pool]]), np.concatenate([ys, found.codes[pool]])
    np.testing.assert_array_equal(found.codes[others], labels[textbook.nearest(Z, Xt[others])])


def test_with_all_rows_known_nothing_is_left_to_pick(domains):
    Xs, ys, Xt, yt = domains
    found = remedy(Xs, ys, Xt, yt, np.arange(4), trust=0.9, inner_iterations=3, known=Known(np.arange(50), yt))
    assert (found.picked == 1).all()
    np.testing.assert_array_equal(found.codes, yt)


@pytest.mark.parametrize("base", [JDA(20, max_iter=2), DICD(20, max_iter=2)], ids=["JDA", "DICD"])
def test_the_number_of_threads_changes_no_bit(base):
    # More rows, features and samples of a class than a block or a tile has.
    Xs, ys, Xt, _ = make_domains(0, n_source=2200, n_target=2400, m=270, n_classes=2)

    def fit(threads):
        with threadpool_limits(threads, "blas"):
            model = TSRP(base).fit(Xs, ys, Xt)
        return model.labels_, model.picked_, model.transform(Xt)

    one = fit(1)
    for threads in (2, 8):
        for found, expected in zip(fit(threads), one, strict=True):
            np.testing.assert_array_equal(found, expected)
