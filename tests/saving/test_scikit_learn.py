"""Parts of scikit-learn become JSON and arrays, and answer as before when they come back."""

import json
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler
from sklearn.svm import SVC

from tests.support.domains import make_domains
from tsrp import NN, PerDomain
from tsrp.exceptions import WrongTypeError
from tsrp.saving.archive import decode, encode
from tsrp.saving.parts import SCHEMAS

NAMES = [name for name in SCHEMAS if name.startswith("sklearn.")]
LEARNERS = [
    *(SVC(), SVC(kernel="poly", degree=2, C=3.0), SVC(kernel="linear", gamma="auto"), LogisticRegression(C=0.1)),
    *(KNeighborsClassifier(3, weights="distance"), KNeighborsClassifier(algorithm="ball_tree", p=1)),
    *(KNeighborsClassifier(algorithm="kd_tree"), KNeighborsClassifier(algorithm="brute", n_jobs=1)),
    make_pipeline(StandardScaler(), LogisticRegression()),
]
SCALERS = [
    *(StandardScaler(), StandardScaler(with_mean=False), StandardScaler(with_std=False), PCA(2, whiten=True), PCA()),
    *(MinMaxScaler((0, 2), clip=True), MaxAbsScaler(), Normalizer("max"), make_pipeline(Normalizer(), PCA(3))),
]


def there_and_back(model):
    content, arrays = encode(model)
    return decode(json.loads(json.dumps(content)), arrays, lambda size: None)


def fitted(model, kind=str):
    Xs, ys, Xt, _ = make_domains()
    model = model.fit(Xs, ys.astype(kind), Xt)
    _ = model.calibration_
    return model, Xt


@pytest.mark.parametrize("kind", [str, object, np.int8, np.float64])
@pytest.mark.parametrize("classifier", LEARNERS, ids=repr)
def test_classifiers_answer_as_before(classifier, kind):
    model, Xt = fitted(NN(classifier=classifier), kind)
    back = there_and_back(model)
    assert repr(back) == repr(model)
    assert back.labels_.dtype.kind == model.labels_.dtype.kind
    for answer in ("predict", "predict_proba", "decision_function"):
        if hasattr(classifier, answer):
            ours, theirs = (getattr(own.classifier_, answer)(Xt) for own in (back, model))
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("scaler", SCALERS, ids=repr)
def test_transformers_answer_as_before(scaler):
    model, Xt = fitted(PerDomain(scaler, NN()))
    back = there_and_back(model)
    assert repr(back) == repr(model)
    np.testing.assert_array_equal(back.transform(Xt), model.transform(Xt))
    np.testing.assert_array_equal(back.project_source(Xt), model.project_source(Xt))


def test_probabilities_of_support_vectors_come_back():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model, Xt = fitted(NN(classifier=SVC(probability=True, random_state=0)))
        back = there_and_back(model)
    np.testing.assert_array_equal(back.classifier_.predict_proba(Xt), model.classifier_.predict_proba(Xt))


def test_two_classes_have_the_signs_that_scikit_learn_shows():
    Xs, ys, Xt, _ = make_domains(n_classes=2)
    model = NN(classifier=SVC(kernel="linear")).fit(Xs, ys.astype(bool), Xt)
    _ = model.calibration_
    back = there_and_back(model)
    np.testing.assert_array_equal(back.classifier_.coef_, model.classifier_.coef_)
    np.testing.assert_array_equal(back.predict(Xt), model.predict(Xt))


@pytest.mark.parametrize(
    ("classifier", "words"),
    [
        (
            GaussianNB(),
            "NN.classifier is a GaussianNB, which the file format has no place for: use joblib.dump, or one",
        ),
        (SVC(kernel=lambda a, b: a @ b.T), "NN.classifier.kernel is <function"),
        (SVC(random_state=np.random.RandomState(0)), "NN.classifier.random_state is RandomState("),
        (
            KNeighborsClassifier(algorithm="brute", n_jobs=65),
            "NN.classifier.n_jobs is 65, which the file format has no place for",
        ),
        (make_pipeline(StandardScaler(), SVC(), memory="cache"), "NN.classifier.memory is 'cache'"),
    ],
    ids=["class", "kernel", "random state", "threads", "cache"],
)
def test_what_has_no_place_is_named(classifier, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model, _ = fitted(NN(classifier=classifier))
    with pytest.raises(WrongTypeError, match="^" + re.escape(words)):
        encode(model)


def test_a_subclass_is_not_its_class():
    class Mine(SVC):
        pass

    with pytest.raises(WrongTypeError, match="classifier is a Mine"):
        encode(fitted(NN(classifier=Mine()))[0])


def test_every_name_leads_to_its_class():
    for name, schema in SCHEMAS.items():
        assert name.partition(".")[2] == schema.kind.__name__.lstrip("_")


def test_the_documentation_lists_what_may_be_saved():
    page = (Path(__file__).parents[2] / "docs" / "model-format.md").read_text()
    for name in NAMES:
        assert f"`{name.partition('.')[2]}`" in page
