"""A forged model is refused when it is loaded: every attribute is what its part declares, and nothing else is there."""

import copy
import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC

import tsrp
from tests.saving.test_archive import forged, refused, rewritten
from tests.support.domains import make_domains
from tsrp import JDA, NN, TSRP, KernelRidge, Panel, PerDomain
from tsrp.classifiers.forest import Forest
from tsrp.exceptions import InputError
from tsrp.memory import limited_memory
from tsrp.saving.archive import encode, write
from tsrp.selection.heads import Head


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.tsrp"


@pytest.fixture(scope="module")
def fitted():
    """A fit of a model; its parts are forged in the file."""
    Xs, ys, Xt, _ = make_domains()
    names = np.array(["ant", "bee", "cat", "dog"])

    def fit(model):
        return model.fit(Xs, names[ys], Xt)

    return fit


@pytest.fixture
def saved(fitted, path):
    fitted(TSRP(JDA(5))).save(path)
    return path


def unchecked(model, path):
    """The file of a model as a forger has it: nothing of it was looked at."""
    _ = model.calibration_
    write(path, *encode(model), overwrite=True)


def at(*names):
    """The place of an attribute of a part in the manifest."""
    return ["model", *(key for name in names for key in ("state", name))]


@pytest.fixture
def forest(fitted):
    return fitted(NN(classifier=Forest(3)))


def endless(forest):
    forest._children[:, 1] = 0
    forest._children[:, 0] = 1
    forest._depth = 10**15


def too_deep(forest):
    forest._depth = 10**15


def last_child_of_nobody(forest):
    forest._children[1, -1] = len(forest._thresholds)


def last_feature_beyond(forest):
    forest._features[-1] = forest.n_features_in_


def last_leaf_beyond(forest):
    forest._leaves[-1] = len(forest._starts) - 1


def negative_leaf(forest):
    forest._leaves[-1] = -1


def root_beyond(forest):
    forest._roots[-1] = len(forest._thresholds)


def roots_of_fractions(forest):
    forest._roots = forest._roots.astype(float)


def fewer_thresholds(forest):
    forest._thresholds = forest._thresholds[:-1]


def fewer_shares(forest):
    forest._shares = forest._shares[:-1]


def class_beyond(forest):
    forest._codes[-1] = len(forest.classes_)


def leaves_that_start_late(forest):
    forest._starts[0] = 1


def leaf_without_shares(forest):
    forest._starts[1] = 0


@pytest.mark.parametrize(
    "forge",
    [
        endless,
        too_deep,
        last_child_of_nobody,
        last_feature_beyond,
        last_leaf_beyond,
        negative_leaf,
        root_beyond,
        roots_of_fractions,
        fewer_thresholds,
        fewer_shares,
        class_beyond,
        leaves_that_start_late,
        leaf_without_shares,
    ],
)
def test_trees_that_lead_nowhere_are_refused(forest, path, forge):
    _ = forest.calibration_
    forge(forest.classifier_)
    unchecked(forest, path)
    refused(path, "cannot be read as a saved model")


ATTRIBUTES = [
    *(("n_features_in_",), ("classes_",), ("fit_labels_",), ("history_",), ("mapping_",), ("mapping_", "weights")),
    *(("classifier_",), ("classifier_", "_samples"), ("classifier_", "_codes"), ("evidence_",), ("evidence_", "trust")),
    *(("evidence_", "class_order"), ("evidence_", "linear"), ("evidence_", "ranks"), ("estimated_accuracy_",)),
    *(("calibration_",), ("calibration_", "offset"), ("picked_",), ("base",), ("trust",)),
]


@pytest.mark.parametrize("value", [None, -70, "x", {"dict": []}, [], {"array": 10**6}, {"array": True}, ...], ids=str)
@pytest.mark.parametrize("names", ATTRIBUTES, ids=".".join)
def test_an_attribute_that_is_something_else_is_refused(saved, names, value):
    refused(forged(saved, at(*names), value), "cannot be read as a saved model")


def test_attributes_that_a_part_does_not_have_are_refused(saved):
    refused(forged(saved, at("classifier_", "n_jobs"), 3000), "'n_jobs' is not an attribute that it has")


@pytest.mark.parametrize(
    "name", ["os.system", "sklearn.GaussianNB", "tsrp.Panel", 3, None, ["tsrp.LinearMap"]], ids=str
)
def test_classes_that_are_not_for_this_place_are_never_looked_up(saved, name):
    refused(forged(saved, [*at("mapping_"), "class"], name), "model.mapping_: ", "is not a part of a saved model")


@pytest.mark.parametrize(
    ("forge", "words"),
    [
        (lambda model: forge_array(model.evidence_, "trust", lambda a: a.astype("S4")), "trust: its type is |S4"),
        (lambda model: forge_array(model.evidence_, "trust", lambda a: a.astype("f2")), "trust: its type is float16"),
        (
            lambda model: forge_array(model.evidence_.propagation, "nodes", lambda a: a + np.float64(1.7e308)),
            "propagation.nodes",
        ),
        (
            lambda model: forge_array(model.evidence_.means, "directions", lambda a: a * np.nan),
            "directions: it holds NaN",
        ),
        (
            lambda model: forge_array(model.mapping_, "weights", lambda a: a[:, :-1]),
            "mapping_.weights: it is of shape (12, 4)",
        ),
        (lambda model: forge_array(model.classifier_, "_codes", lambda a: a + 99), "_codes: it holds"),
        (lambda model: forge_array(model.classifier_, "_samples", lambda a: a[:-1]), "_codes: it is of shape"),
        (
            lambda model: forge_array(model, "picked_", lambda a: a[:-1]),
            "picked_: it is of shape (49,) instead of (50)",
        ),
    ],
    ids=["text", "half precision", "too large", "NaN", "components", "classes", "samples", "rows"],
)
def test_arrays_of_another_type_shape_or_range_are_refused(fitted, path, forge, words):
    model = fitted(TSRP(JDA(5)))
    _ = model.calibration_
    forge(model)
    unchecked(model, path)
    refused(path, words)


def forge_array(part, name, change):
    vars(part)[name] = change(getattr(part, name))


SUPPORT = {
    "counts": ("_n_support", lambda a: a + np.array([10**6, -(10**6), 0, 0], a.dtype)),
    "too many counts": ("_n_support", lambda a: a * 1000),
    "numbers": ("support_", lambda a: -a - 1),
    "other numbers": ("support_", lambda a: a.astype("i8")),
    "coefficients": ("_dual_coef_", lambda a: a[:, :-1]),
    "rows of coefficients": ("_dual_coef_", lambda a: a[:-1]),
    "NaN": ("_dual_coef_", lambda a: a * np.nan),
    "intercepts": ("_intercept_", lambda a: a[:-1]),
    "probabilities": ("_probA", lambda a: np.ones(6)),
    "vectors": ("support_vectors_", lambda a: a[:-1]),
}


@pytest.mark.parametrize(("name", "change"), SUPPORT.values(), ids=SUPPORT)
def test_support_vectors_that_do_not_fit_together_never_reach_libsvm(fitted, path, name, change):
    model = fitted(TSRP(JDA(5), classifier=SVC()))
    forge_array(model.classifier_, name, change)
    unchecked(model, path)
    refused(path, "model.classifier_")


def test_a_kernel_that_looks_samples_up_by_number_is_not_loadable(fitted, path):
    model = fitted(TSRP(JDA(5), classifier=SVC()))
    model.classifier_.support_[:] = 2**30
    unchecked(model, path)
    refused(forged(path, at("classifier_", "kernel"), "precomputed"), "classifier_.kernel: it must be one of 'linear'")


@pytest.mark.parametrize("name", ["coef_", "intercept_"])
def test_nan_in_a_classifier_of_scikit_learn_is_refused(fitted, path, name):
    model = fitted(NN(classifier=LogisticRegression()))
    forge_array(model.classifier_, name, lambda a: a * np.nan)
    unchecked(model, path)
    refused(path, f"classifier_.{name}: it holds NaN")


@pytest.mark.parametrize("name", ["mean_", "scale_"])
def test_nan_in_a_scaler_of_the_source_is_refused(fitted, path, name):
    model = fitted(PerDomain(make_pipeline(StandardScaler(), Normalizer()), NN()))
    forge_array(model.source_transformer_[0], name, lambda a: a * np.nan)
    unchecked(model, path)
    refused(path, f"source_transformer_.steps.{name}: it holds NaN")


class TestNeighbours:
    """A part that is built again."""

    @pytest.fixture
    def neighbours(self, fitted, path):
        fitted(NN(classifier=KNeighborsClassifier(3, algorithm="kd_tree"))).save(path)
        return path

    @pytest.mark.parametrize("n_jobs", [65, 3000, -3])
    def test_start_no_more_threads_than_a_machine_has(self, neighbours, n_jobs):
        refused(
            forged(neighbours, at("classifier_", "n_jobs"), n_jobs), "classifier_.n_jobs: it must be a whole number"
        )

    @pytest.mark.parametrize("number", [61, 0, 10**9])
    def test_are_no_more_than_there_are_samples(self, neighbours, number):
        refused(forged(neighbours, at("classifier_", "n_neighbors"), number))

    def test_have_no_parts_of_their_own(self, neighbours):
        with zipfile.ZipFile(neighbours) as archive:
            part = json.loads(archive.read("manifest.json"))["model"]["state"]["classifier_"]
        refused(forged(neighbours, at("classifier_", "_fit_X"), part), "it is not an array")


@pytest.mark.parametrize("depth", [30, 20_000])
def test_parts_that_are_nested_too_deeply_are_refused(fitted, path, depth):
    fitted(NN(classifier=make_pipeline(Normalizer(), LogisticRegression()))).save(path)
    step = b'{"class": "sklearn.Pipeline", "state": {"steps": [["a", '
    whole = depth * step + b'{"class": "sklearn.Normalizer", "state": {}}' + depth * b"]]}}"
    forged(path, at("classifier"), "HERE")
    rewritten(path, manifest=lambda text: text.replace(b'"HERE"', whole))
    refused(path, "cannot be read as a saved model")


class TestMemory:
    """What a file takes is summed up before it is taken."""

    def test_of_labels_is_counted_over_all_arrays(self, fitted, path):
        """A label takes one byte in the file, and as many as its class has characters in memory."""
        fitted(TSRP(JDA(5))).save(path)
        long = {"texts": ["a" * 40_000, "bee", "cat", "dog"], "objects": False}
        forged(path, at("classes_"), long)
        with limited_memory("20MB"), pytest.raises(InputError, match=r"needs about .* of memory, more than the 20 MB"):
            tsrp.load(path)

    def test_of_the_json_is_counted(self, saved):
        forged(saved, at("target_index_"), [0] * 1_000_000)
        with limited_memory("50MB"), pytest.raises(InputError, match=r"needs about .* of memory, more than the 50 MB"):
            tsrp.load(saved)

    def test_of_features_that_nothing_is_known_of_is_not_taken(self, fitted, path):
        model = fitted(PerDomain(StandardScaler(with_mean=False, with_std=False), NN()))
        unchecked(model, path)
        with zipfile.ZipFile(path) as archive:
            text = archive.read("manifest.json")
        many = text.replace(b'"n_features_in_": 12', b'"n_features_in_": 20000000')
        assert many != text
        refused(rewritten(path, manifest=lambda _: many))

    def test_of_texts_without_a_width_is_not_taken(self, fitted, path):
        """The format has no types of texts that a file could choose."""
        fitted(NN()).save(path)
        refused(forged(path, at("classes_"), {"texts": ["a", "b"], "dtype": "<U"}), "model.classes_")


def _of_other_features(panel):
    panel.student_.n_features_in_ += 1


def _without_end(panel):
    panel.student_._children[:] = 0


def _with_votes_of_one_dimension(panel):
    panel.votes_ = panel.votes_[:, 0]


def _with_factors_of_fewer_classes(panel):
    panel.class_factors_ = np.ones(2)


def _with_factors_that_are_no_numbers(panel):
    panel.class_factors_[2] = np.nan


def _with_factors_of_nothing(panel):
    panel.class_factors_[2] = 0.0


def _without_probabilities(panel):
    member = next(voter.model for voter in panel.voters_ if voter.name == "logistic regression, soft")
    member.classifier_.intercept_[:] = np.nan


def _with_a_wrong_neighbour(panel):
    voters = [voter.model for voter in panel.voters_]
    classifier = next(own.classifier_ for own in voters if type(own.classifier_).__name__ == "NearestNeighbour")
    classifier._codes[-1] = 99


@pytest.fixture(scope="module")
def panel(fitted):
    return fitted(Panel("quick", n_jobs=1))


@pytest.mark.parametrize(
    "forge",
    [
        _of_other_features,
        _without_end,
        _with_votes_of_one_dimension,
        _with_factors_of_fewer_classes,
        _with_factors_that_are_no_numbers,
        _with_factors_of_nothing,
        _without_probabilities,
        _with_a_wrong_neighbour,
    ],
)
def test_a_panel_whose_parts_do_not_belong_to_it_is_refused(panel, path, forge):
    model = copy.deepcopy(panel)
    forge(model)
    unchecked(model, path)
    refused(path, "cannot be read as a saved model")


@pytest.mark.parametrize(
    ("name", "value"), [("doubt_", 1.1), ("student_weight_", -1), ("voters_", []), ("history_", [])]
)
def test_a_panel_that_says_of_itself_what_cannot_be_is_refused(panel, path, name, value):
    unchecked(panel, path)
    refused(forged(path, at(name), value), "cannot be read as a saved model")


def test_a_method_with_another_classifier_on_top_is_looked_at_too(fitted, path):
    model = fitted(Head(JDA(5), LogisticRegression()))
    model.classifier_.coef_ = model.classifier_.coef_[:, :-1]
    unchecked(model, path)
    refused(path, "model.classifier_.coef_: it is of shape (4, 4)")


def test_weights_that_do_not_fit_the_samples_of_a_kernel_are_refused(fitted, path):
    model = fitted(NN(classifier=KernelRidge()))
    model.classifier_._weights = model.classifier_._weights[:, :3]
    unchecked(model, path)
    refused(path, "classifier_._weights: it is of shape (60, 3) instead of (60, 4)")


def test_elements_of_no_bytes_are_refused(saved):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|S0", "fortran_order": False, "shape": (10**12,)})
    rewritten(saved, array=lambda _: header.getvalue(), sign_arrays=True)
    refused(saved, "holds more than an array")


def test_members_that_overlap_are_refused(saved):
    with zipfile.ZipFile(saved, "a") as archive:
        for member in archive.infolist():
            member.file_size = member.compress_size = saved.stat().st_size // 2
        # Its table of contents is written again.
        vars(archive)["_didModify"] = True
    refused(saved, "its members overlap")
