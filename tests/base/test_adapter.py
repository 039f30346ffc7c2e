"""What every method does with its input, its rounds and its answers."""

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_info, threadpool_limits

from tests.support.domains import global_random_state, make_domains
from tests.support.every_method import CLASSES, METHODS
from tsrp import DICD, GFK, JDA, MEDA, NN, TSRP, Method, NearestNeighbour, Round
from tsrp.exceptions import InputError
from tsrp.memory import limited_memory
from tsrp.methods.nn import _Identity
from tsrp.progress import Step


@cache
def fitted(model):
    """Fitted to the domains; for tests that only look at it."""
    Xs, ys, Xt, _ = make_domains()
    return clone(model).fit(Xs, ys, Xt)


every_method = pytest.mark.parametrize("model", METHODS.values(), ids=METHODS.keys())
every_class = pytest.mark.parametrize("model", CLASSES.values(), ids=CLASSES.keys())


@every_method
class TestEveryMethod:
    def test_has_labels_and_confidence_for_each_target_sample(self, model, domains):
        yt = domains[3]
        model = fitted(model)
        assert model.labels_.shape == model.confident_.shape == yt.shape
        assert model.confident_.dtype == bool
        assert accuracy_score(yt, model.labels_) > 0.5
        assert model.classes_.tolist() == [0, 1, 2, 3]
        assert model.n_features_in_ == 12
        assert model.n_iter_ == len(model.history_)

    def test_predicts_the_target_as_it_labelled_it(self, model, domains):
        _, _, Xt, yt = domains
        model = fitted(model)
        np.testing.assert_array_equal(model.predict(Xt), model.labels_)
        assert model.score(Xt, yt) == np.mean(model.labels_ == yt)

    def test_transforms_one_sample_as_it_does_many(self, model, domains):
        Xt = domains[2]
        model = fitted(model)
        together = model.transform(Xt)
        assert np.isfinite(together).all()
        for i in (0, 7):
            np.testing.assert_allclose(model.transform(Xt[i : i + 1])[0], together[i], atol=1e-9)

    def test_does_not_change_its_input_or_its_parameters(self, model, domains):
        Xs, ys, Xt, _ = domains
        copies = Xs.copy(), ys.copy(), Xt.copy()
        model = clone(model)
        before = repr(model)
        model.fit(Xs, ys, Xt)
        for array, copy in zip((Xs, ys, Xt), copies, strict=True):
            np.testing.assert_array_equal(array, copy)
        assert repr(model) == before

    def test_leaves_the_users_random_numbers_alone(self, model, domains):
        Xs, ys, Xt, _ = domains
        before = global_random_state()
        clone(model).fit(Xs, ys, Xt).predict(Xt)
        assert global_random_state() == before

    def test_gives_the_same_answer_again_and_after_pickling(self, model, domains):
        Xs, ys, Xt, _ = domains
        first, second = fitted(model), clone(model).fit(Xs, ys, Xt)
        np.testing.assert_array_equal(first.transform(Xs), second.transform(Xs))
        loaded = pickle.loads(pickle.dumps(first))
        np.testing.assert_array_equal(loaded.predict(Xs), first.predict(Xs))
        np.testing.assert_array_equal(loaded.labels_, second.labels_)

    def test_reports_each_round(self, model, domains):
        Xs, ys, Xt, _ = domains
        seen: list[Round | Step] = []
        model = clone(model).fit(Xs, ys, Xt, callback=seen.append)
        rounds = [event for event in seen if isinstance(event, Round)]
        assert rounds == model.history_
        assert [r.number for r in rounds] == list(range(1, len(rounds) + 1))
        previous = None
        for r in rounds:
            assert r.n_remedied == np.sum(r.crude != r.labels)
            assert r.n_moved == (len(Xt) if previous is None else np.sum(r.labels != previous))
            assert (r.confident is None) == (not isinstance(model, TSRP))
            assert r.n_confident == (0 if r.confident is None else r.confident.sum())
            assert r.seconds > 0
            previous = r.labels
        np.testing.assert_array_equal(previous, model.labels_)

    def test_odd_but_honest_data_give_finite_answers(self, model):
        Xs, ys, Xt, _ = make_domains(3)
        Xs[:, 2] = Xt[:, 2] = 7.0
        Xs[5] = Xt[6] = 0.0
        Xs[10:14] = Xs[10]
        Xt[20:30] = Xt[20]
        ys = np.where(np.arange(60) == 11, 9, ys)
        with np.errstate(all="raise", under="ignore"):
            model = clone(model).fit(Xs, ys, Xt)
        assert np.isfinite(model.transform(np.vstack([Xs, Xt]))).all()
        assert set(model.labels_) <= set(ys)

    def test_classes_without_target_samples_are_no_obstacle(self, model):
        Xs, ys, Xt, yt = make_domains(4)
        model = clone(model).fit(Xs, ys, Xt[yt < 2])
        assert set(model.labels_) <= {0, 1, 2, 3}

    def test_a_single_target_sample_is_enough(self, model, domains):
        Xs, ys, Xt, _ = domains
        if isinstance(getattr(model, "base", model), GFK | MEDA):
            with pytest.raises(ValueError, match=r"Xt does not vary .*needs the principal directions"):
                clone(model).fit(Xs, ys, Xt[:1])
        else:
            assert clone(model).fit(Xs, ys, Xt[:1]).labels_.shape == (1,)

    def test_float32_stays_float32(self, model, domains):
        Xs, ys, Xt, _ = domains
        model = clone(model).fit(Xs.astype(np.float32), ys, Xt.astype(np.float32))
        assert model.transform(Xt.astype(np.float32)).dtype == np.float32
        assert model.transform(Xt).dtype == np.float64


@every_class
class TestEveryClass:
    """Whatever its parameters are."""

    @pytest.mark.parametrize("kind", ["string", "object", "bool", "int"])
    def test_takes_labels_of_any_type(self, model, domains, kind):
        Xs, ys, Xt, _ = domains
        if kind == "bool":
            names = np.array([False, True])
            ys = ys % 2
        else:
            texts = ["ant", "bee", "cat", "dog"]
            names = {"string": np.array(texts), "object": np.array(texts, object)}.get(kind, np.array([-7, 2, 30, 400]))
        plain = clone(model).fit(Xs, ys, Xt) if kind == "bool" else fitted(model)
        model = clone(model).fit(Xs, names[ys], Xt)
        np.testing.assert_array_equal(model.labels_, names[plain.labels_])
        assert model.labels_.dtype == names.dtype
        np.testing.assert_array_equal(model.predict(Xt), model.labels_)

    def test_names_what_is_wrong_with_the_input(self, model, domains):
        Xs, ys, Xt, _ = domains
        holes = Xt.copy()
        holes[3, 4] = np.nan
        holes[9, 1] = np.inf
        cases = [
            ((Xs, ys, holes), "Xt: 2 values are NaN or infinity .* row 3, column 4"),
            ((holes, ys[:50], Xt), "Xs: 2 values are NaN"),
            ((Xs, ys, Xt[:, :5]), "Xt has 5 features, but Xs has 12"),
            ((Xs, ys, Xt[:0]), "Xt is empty"),
            ((Xs[:0], ys[:0], Xt), "Xs is empty"),
            ((Xs, np.zeros(60), Xt), "ys holds one class only"),
            ((Xs, ys[:-1], Xt), "ys has 59 labels, but Xs has 60 rows"),
            ((Xs, None, Xt), "ys is None"),
            ((Xs, [[1, 2]] * 60, Xt), r"ys must hold one label for each row of Xs, but its shape is \(60, 2\)"),
            ((Xs, np.where(ys == 1, np.nan, ys), Xt), "ys: 15 labels are missing .* row 1"),
            ((Xs, np.linspace(0, 1, 60), Xt), "ys cannot be read as classes"),
            ((Xs, np.array([1, "a"] * 30, object), Xt), "ys cannot be read as classes"),
            ((Xs[0], ys, Xt), "Xs: Expected 2D array"),
            ((Xs, ys, np.full((3, 12), "x")), "Xt: .*could not convert string to float"),
        ]
        for arguments, message in cases:
            with pytest.raises(ValueError, match=message):
                clone(model).fit(*arguments)

    def test_sparse_input_is_refused_in_a_sentence(self, model, domains):
        Xs, ys, Xt, _ = domains
        with pytest.raises(TypeError, match=r"Xt is a sparse matrix.*pass Xt\.toarray\(\), which takes 4\.8 KB"):
            clone(model).fit(Xs, ys, sparse.csr_array(Xt))

    def test_asks_to_be_fitted_first(self, model, domains):
        for method in ("predict", "transform"):
            with pytest.raises(NotFittedError):
                getattr(clone(model), method)(domains[0])

    def test_new_samples_are_checked_too(self, model, domains):
        Xt = domains[2]
        model = fitted(model)
        with pytest.raises(ValueError, match="X has 3 features, but"):
            model.predict(Xt[:, :3])
        with pytest.raises(ValueError, match="X: 600 values are NaN"):
            model.transform(Xt * np.nan)

    def test_data_frames_work_and_their_columns_are_compared(self, model, domains):
        Xs, ys, Xt, _ = domains
        names = [f"f{i}" for i in range(12)]
        frames = pd.DataFrame(Xs, columns=names), pd.Series(ys), pd.DataFrame(Xt, columns=names)
        plain = fitted(model)
        model = clone(model).fit(*frames)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        assert model.feature_names_in_.tolist() == names
        np.testing.assert_array_equal(model.predict(frames[2]), plain.labels_)
        with pytest.raises(ValueError, match=r"Xt: its columns are not those of Xs.*Xt\[Xs\.columns\]"):
            clone(model).fit(frames[0], frames[1], frames[2][names[::-1]])

    @pytest.mark.parametrize("classifier", [KNeighborsClassifier(3), SVC(), LogisticRegression()], ids=type)
    def test_any_classifier_labels_the_target(self, model, domains, classifier):
        Xs, ys, Xt, yt = domains
        model = clone(model).set_params(classifier=classifier).fit(Xs, ys, Xt)
        assert accuracy_score(yt, model.labels_) > 0.5
        if not isinstance(model, TSRP):
            np.testing.assert_array_equal(model.predict(Xt), model.labels_)


def test_a_column_of_labels_is_taken_with_scikit_learns_warning(domains):
    Xs, ys, Xt, _ = domains
    with pytest.warns(DataConversionWarning):
        model = NN().fit(Xs, ys[:, None], Xt)
    np.testing.assert_array_equal(model.labels_, NN().fit(Xs, ys, Xt).labels_)


def test_a_callback_that_raises_ends_the_fit(domains):
    Xs, ys, Xt, _ = domains

    def stop(r):
        if r.number == 2:
            raise KeyboardInterrupt

    model = JDA(n_components=5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(Xs, ys, Xt, callback=stop)
    with pytest.raises(NotFittedError):
        model.predict(Xt)


@every_class
def test_a_fit_that_fails_leaves_nothing_of_an_earlier_one(model, domains):
    Xs, ys, Xt, _ = domains
    model = clone(model).fit(Xs, ys, Xt)

    def stop(r):
        raise RuntimeError

    for spoil in (lambda: model.fit(Xs, ys, Xt, callback=stop), lambda: model.fit(Xs, ys, Xt * np.nan)):
        with pytest.raises((RuntimeError, ValueError)):
            spoil()
        assert not hasattr(model, "labels_")
        assert not hasattr(model, "picked_")
        with pytest.raises(NotFittedError):
            check_is_fitted(model)
        model.fit(Xs, ys, Xt)
    assert model.labels_.shape == (50,)


@every_method
def test_products_run_on_one_blas_thread(model, domains):
    Xs, ys, Xt, _ = domains
    seen: set[int] = set()

    def look(event):
        seen.update(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")

    with threadpool_limits(2, "blas"):
        clone(model).fit(Xs, ys, Xt, callback=look)
    assert seen == {1}


def test_a_source_in_float32_and_a_target_in_float64_meet_in_float64(domains):
    Xs, ys, Xt, _ = domains
    mixed = JDA(5).fit(Xs.astype(np.float32), ys, Xt)
    exact = JDA(5).fit(Xs.astype(np.float32).astype(float), ys, Xt)
    np.testing.assert_array_equal(mixed.transform(Xt), exact.transform(Xt))


class Stubborn(KNeighborsClassifier):
    """Answers what it likes."""

    def __init__(self, answer=None):
        super().__init__()
        self.answer = answer

    def predict(self, X):
        return np.full(len(X), self.answer)


@pytest.mark.parametrize("answer", [1.5, 99, -1, "a"])
def test_a_classifier_that_invents_classes_is_refused(domains, answer):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match="does not answer with one of the source's classes"):
        NN(classifier=Stubborn(answer)).fit(Xs, ys, Xt)


def test_a_regressor_is_no_classifier(domains):
    Xs, ys, Xt, _ = domains
    with pytest.raises(TypeError, match="classifier must be a scikit-learn classifier"):
        NN(classifier=LinearRegression()).fit(Xs, ys, Xt)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (JDA(5, ridge=np.inf), "ridge must be a number greater than 0, but it is inf"),
        (JDA(5, ridge=10**400), "ridge must be a number greater than 0"),
        (DICD(5, repulsion=np.inf), "repulsion must be a number"),
        (JDA(5, ridge=5e-324), "cannot be computed with these settings"),
    ],
)
def test_extreme_parameters_are_refused_in_a_sentence(domains, model, message):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match=message):
        model.fit(Xs, ys, Xt)


def test_labels_of_pandas_and_of_python_objects_are_taken(domains):
    Xs, ys, Xt, _ = domains
    plain = NN().fit(Xs, ys, Xt).labels_
    for labels in (pd.Series(ys, dtype="Int64"), pd.Categorical(ys), np.array(ys.tolist(), dtype=object)):
        np.testing.assert_array_equal(NN().fit(Xs, labels, Xt).labels_, plain)
    gap = pd.Series(["a", "b"] * 30, dtype="string")
    gap[7] = pd.NA
    with pytest.raises(ValueError, match=r"ys: 1 label is missing .* row 7"):
        NN().fit(Xs, gap, Xt)


def test_frames_with_numbered_columns_in_another_order_are_noticed(domains):
    Xs, ys, Xt, _ = domains
    with pytest.raises(ValueError, match="Xt: its columns are not those of Xs"):
        NN().fit(pd.DataFrame(Xs), ys, pd.DataFrame(Xt)[list(range(11, -1, -1))])


def test_history_is_the_users_to_change(domains):
    Xs, ys, Xt, _ = domains

    def spoil(r):
        r.labels[:] = 0

    model = JDA(5, max_iter=2).fit(Xs, ys, Xt, callback=spoil)
    np.testing.assert_array_equal(model.labels_, JDA(5, max_iter=2).fit(Xs, ys, Xt).labels_)
    np.testing.assert_array_equal(model.predict(Xt), model.labels_)


def test_rounds_end_when_the_labels_settle(domains):
    Xs, ys, Xt, _ = domains
    long, short = (JDA(n_components=5, max_iter=n).fit(Xs, ys, Xt) for n in (50, 49))
    assert long.n_iter_ == short.n_iter_ < 49
    assert long.history_[-1].n_moved == 0


def test_more_components_than_directions_are_reduced_with_a_warning(domains):
    Xs, ys, Xt, _ = domains
    with pytest.warns(UserWarning, match="n_components=100 is more than the 12 directions .* 12 are used"):
        model = JDA().fit(Xs, ys, Xt)
    assert model.transform(Xt).shape == (50, 12)


def test_samples_that_do_not_vary_cannot_be_projected():
    X = np.tile([1.0, 2.0, 3.0], (6, 1)) * np.arange(1, 7)[:, None]
    with pytest.raises(ValueError, match="Xs and Xt do not vary"):
        DICD(n_components=2).fit(X, [0, 1] * 3, X)


def test_a_kernel_matrix_larger_than_memory_is_refused(domains):
    Xs, ys, Xt, _ = domains
    with (
        limited_memory("10KB"),
        pytest.raises(InputError, match=r'kernel="rbf" for 110 samples needs about .*use kernel="linear"'),
    ):
        JDA(n_components=5, kernel="rbf").fit(Xs, ys, Xt)


def test_nested_parameters_can_be_searched(domains):
    Xs, ys, Xt, yt = domains
    grid = ParameterGrid({"base__n_components": [2, 5], "base__kernel": ["linear", "primal"], "trust": [0.8, 0.9]})
    scores = {}
    for parameters in grid:
        model = clone(TSRP(DICD())).set_params(**parameters).fit(Xs, ys, Xt)
        assert model.transform(Xt).shape[1] == parameters["base__n_components"]
        scores[str(parameters)] = model.score(Xt, yt)
    assert len(scores) == 8
    assert TSRP(DICD()).get_params()["base__repulsion"] == 0.1


class Halves(Method):
    """The samples as they are; by its own classifier all are of the last class."""

    uses_target_labels = True
    labels_itself = True

    def __init__(self, *, max_iter=3, remembers=False, classifier=None):
        self.max_iter = max_iter
        self.remembers = remembers
        self.classifier = classifier

    def prepare(self, Xs, ys, Xt, n_classes):
        return HalvesRounds(Xs, Xt, self.remembers)


class HalvesRounds:
    def __init__(self, Xs, Xt, remembers):
        self._Z = Xs, Xt
        self.remembers = remembers

    def project(self, yt):
        return self._Z

    def mapping(self):
        return _Identity()

    def classifier(self, classes):
        return DummyClassifier(strategy="constant", constant=classes[-1]).fit(np.zeros((len(classes), 1)), classes)


def test_a_methods_own_classifier_labels_unless_another_is_chosen(domains):
    Xs, ys, Xt, _ = domains
    names = np.array(["ant", "bee", "cat", "dog"])
    own = Halves().fit(Xs, names[ys], Xt)
    assert set(own.labels_) == set(own.predict(Xs)) == {"dog"}
    chosen = Halves(classifier=KNeighborsClassifier(1)).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(chosen.labels_, NN().fit(Xs, ys, Xt).labels_)
    remedied = TSRP(Halves()).fit(Xs, names[ys], Xt)
    assert set(remedied.history_[0].crude) == {"dog"}
    assert isinstance(remedied.classifier_, NearestNeighbour)


def test_rounds_that_remember_are_all_run(domains):
    Xs, ys, Xt, _ = domains
    assert Halves().fit(Xs, ys, Xt).n_iter_ == 2
    assert Halves(remembers=True).fit(Xs, ys, Xt).n_iter_ == 3


@every_class
class TestKnownLabels:
    def test_are_kept_and_help_the_others(self, model, domains):
        Xs, ys, Xt, yt = domains
        names = np.array(["ant", "bee", "cat", "dog"])
        # The target calls two classes otherwise, which nobody can see without known labels.
        yt = np.array([1, 0, 2, 3])[yt]
        known = np.arange(50) % 2 == 0
        told = clone(model).fit(Xs, names[ys], Xt, np.where(known, names[yt], None))
        np.testing.assert_array_equal(told.known_, known)
        for labels in (told.labels_, told.history_[0].crude, told.history_[-1].labels):
            np.testing.assert_array_equal(labels[known], names[yt][known])
        before = np.mean(fitted(model).labels_[~known] == yt[~known])
        assert np.mean(told.labels_[~known] == names[yt][~known]) >= before

    def test_of_all_rows_are_the_labels(self, model, domains):
        Xs, ys, Xt, yt = domains
        told = clone(model).fit(Xs, ys, Xt, yt)
        np.testing.assert_array_equal(told.labels_, yt)
        assert told.estimated_accuracy_.value == 1
        assert (told.probability_ == 1).all()

    def test_of_no_row_change_nothing(self, model, domains):
        Xs, ys, Xt, _ = domains
        told, plain = clone(model).fit(Xs, ys, Xt, [None] * 50), fitted(model)
        np.testing.assert_array_equal(told.labels_, plain.labels_)
        np.testing.assert_array_equal(told.transform(Xt), plain.transform(Xt))
        np.testing.assert_array_equal(told.probability_, plain.probability_)
        assert not told.known_.any()

    def test_are_forgotten_by_the_next_fit(self, model, domains):
        Xs, ys, Xt, yt = domains
        again = clone(model).fit(Xs, ys, Xt, yt).fit(Xs, ys, Xt)
        assert not again.known_.any()
        np.testing.assert_array_equal(again.labels_, fitted(model).labels_)


def test_a_known_class_that_the_source_lacks_is_refused(domains):
    Xs, ys, Xt, _ = domains
    with pytest.raises(InputError, match="`yt` says 9 in row 49, a class that the source does not have"):
        NN().fit(Xs, ys, Xt, [None] * 49 + [9])


def test_rounds_are_told_what_is_known(domains):
    Xs, ys, Xt, yt = domains
    told = []

    class Listening(HalvesRounds):
        def know(self, known):
            told.append(known.rows.tolist())

    class Asking(Halves):
        def prepare(self, Xs, ys, Xt, n_classes):
            return Listening(Xs, Xt, False)

    Asking().fit(Xs, ys, Xt, np.where(np.arange(50) < 3, yt, np.nan))
    assert told == [[0, 1, 2]]
