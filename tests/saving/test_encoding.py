"""Values and scikit-learn's parts become JSON and arrays, and come back as they were."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from tsrp.saving.encoding import decode, encode
from tsrp.saving.parts import PLACES, name_of, part

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def there_and_back(value):
    arrays: list[np.ndarray] = []
    return decode(json.loads(json.dumps(encode(value, arrays, "value"))), arrays)


@settings(max_examples=40)
@given(values)
def test_plain_values_come_back(value):
    assert repr(there_and_back(value)) == repr(value)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.array([1.5, np.inf, np.nan], dtype=np.float32),
        np.array([True, False]),
        np.array(["ant", "bee", "ant"]),
        np.array([["a", "b"], ["b", "ccc"]]),
        np.array(["ant", "bee"], dtype=object),
        np.array([], dtype=str),
        np.array([b"raw"]),
        np.array(["2026-01-01"], dtype="datetime64[D]"),
    ],
    ids=str,
)
def test_arrays_keep_values_type_and_shape(array):
    back = there_and_back(array)
    np.testing.assert_array_equal(back, array)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)


def test_scalars_types_and_row_names_come_back():
    scalar = there_and_back(np.float32(1.5))
    assert (scalar, type(scalar)) == (1.5, np.float32)
    assert there_and_back(np.dtype("int16")) == np.dtype("int16")
    assert there_and_back(pd.Index(["a", 3])).tolist() == ["a", 3]


def test_an_array_of_other_objects_is_refused():
    with pytest.raises(TypeError, match=r"model\.notes is an array of object values"):
        encode(np.array([{}], dtype=object), [], "model.notes")


@pytest.mark.parametrize("name", [name for name in PLACES if name.startswith("sklearn.") and "Pipeline" not in name])
def test_scikit_learns_parts_come_back_fitted_and_unfitted(name):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 3
    X = rng.normal(size=(40, 4)) + 3 * y[:, None]
    estimator = part(name)()
    assert repr(there_and_back(estimator)) == repr(estimator)
    estimator.fit(X, y)
    back = there_and_back(estimator)
    for answer in ("transform", "predict", "predict_proba", "decision_function"):
        if hasattr(estimator, answer):
            np.testing.assert_array_equal(getattr(back, answer)(X), getattr(estimator, answer)(X))
    assert repr(clone(back)) == repr(estimator)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_neighbours_grow_their_tree_again(algorithm):
    X = np.random.default_rng(0).normal(size=(30, 3))
    knn = KNeighborsClassifier(3, algorithm=algorithm, weights="distance").fit(X, np.repeat(["a", "b", "c"], 10))
    back = there_and_back(knn)
    np.testing.assert_array_equal(back.predict_proba(X + 0.1), knn.predict_proba(X + 0.1))
    assert back.get_params() == knn.get_params()


def test_a_subclass_is_not_its_class():
    class Mine(SVC):
        pass

    assert name_of(SVC) == "sklearn.SVC"
    assert name_of(Mine) is None
    with pytest.raises(TypeError, match="model is a Mine"):
        encode(Mine(), [], "model")


def test_a_function_has_no_place():
    with pytest.raises(TypeError, match=r"model\.kernel is a function"):
        encode(SVC(kernel=lambda a, b: a @ b.T), [], "model")


def test_every_name_leads_to_its_class():
    for name in PLACES:
        assert name_of(part(name)) == name
