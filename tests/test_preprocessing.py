"""Each domain is preprocessed by itself."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import Normalizer, OneHotEncoder, StandardScaler

from tsrp import JDA, NN, TSRP, PerDomain, RowScaler, SoftScaler
from tsrp.exceptions import InputError
from tsrp.progress import Event


def test_domains_are_scaled_separately_and_new_samples_as_the_target(domains):
    Xs, ys, Xt, yt = domains
    rounds: list[Event] = []
    model = PerDomain(StandardScaler(), TSRP(JDA(n_components=5))).fit(Xs, ys, Xt, callback=rounds.append)
    Zs, Zt = ((X - X.mean(axis=0)) / X.std(axis=0) for X in (Xs, Xt))
    plain = TSRP(JDA(n_components=5)).fit(Zs, ys, Zt)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    np.testing.assert_array_equal(model.confident_, plain.confident_)
    np.testing.assert_array_equal(model.picked_, plain.picked_)
    np.testing.assert_array_equal(model.predict(Xt), plain.labels_)
    np.testing.assert_allclose(model.transform(Xt), plain.transform(Zt), atol=1e-12)
    assert model.score(Xt, yt) == plain.score(Zt, yt)
    assert model.history_ == rounds
    assert model.n_iter_ == plain.n_iter_
    assert model.n_features_in_ == 12
    assert model.classes_.tolist() == [0, 1, 2, 3]


def test_columns_in_another_order_and_holes_are_noticed(domains):
    Xs, ys, Xt, _ = domains
    names = [f"f{i}" for i in range(12)]
    model = PerDomain(StandardScaler(), JDA(n_components=5))
    with pytest.raises(ValueError, match="Xt: its columns are not those of Xs"):
        model.fit(pd.DataFrame(Xs, columns=names), ys, pd.DataFrame(Xt, columns=names[::-1]))
    with pytest.raises(ValueError, match="Xt: 600 values are NaN"):
        model.fit(Xs, ys, Xt * np.nan)


def test_a_fit_that_fails_leaves_nothing_of_an_earlier_one(domains):
    Xs, ys, Xt, _ = domains
    model = PerDomain(StandardScaler(), JDA(n_components=5)).fit(Xs, ys, Xt)
    with pytest.raises(ValueError, match="ridge must be"):
        model.set_params(method__ridge=-1).fit(Xs + 100, ys, Xt + 100)
    with pytest.raises(NotFittedError):
        model.predict(Xt)
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TSRP(JDA()), StandardScaler()), "method must be one of this package"),
        ((StandardScaler(), JDA), "method must be one of this package"),
        ((None, JDA()), "transformer must be a scikit-learn transformer, but it is None"),
    ],
)
def test_parts_that_do_not_fit_are_named(domains, arguments, message):
    with pytest.raises(TypeError, match=message):
        PerDomain(*arguments).fit(*domains[:3])


def test_parameters_nest():
    model = clone(PerDomain(StandardScaler(), TSRP(JDA()))).set_params(method__base__ridge=0.5)
    assert model.method.base.ridge == 0.5


def test_asks_to_be_fitted_first(domains):
    for method in ("predict", "transform"):
        with pytest.raises(NotFittedError):
            getattr(PerDomain(StandardScaler(), JDA()), method)(domains[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_are_scaled_by_themselves(domains, dtype):
    X = domains[0].astype(dtype)
    X[3] = 0.1
    Z = RowScaler().fit_transform(X)
    assert Z.dtype == dtype
    assert not Z[3].any()
    others = np.delete(X.astype(np.float64), 3, axis=0)
    expected = (others - others.mean(axis=1, keepdims=True)) / others.std(axis=1, keepdims=True)
    np.testing.assert_allclose(np.delete(Z, 3, axis=0), expected, atol=1e-5 if dtype == np.float32 else 1e-12)
    np.testing.assert_array_equal(RowScaler().fit(X[:1]).transform(X), Z)


@pytest.mark.parametrize("exponent", [-1070, -600, 600, 1022])
def test_rows_of_any_size_are_scaled_alike(exponent):
    X = np.array([[1.0, -1.0, 0.0], [3.0, 1.0, 1.0]])
    np.testing.assert_array_equal(RowScaler().fit_transform(np.ldexp(X, exponent)), RowScaler().fit_transform(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_soft_scales_are_deviations_plus_their_median(domains, dtype):
    X = (domains[0] * np.arange(1, 13)).astype(dtype)
    deviation = X.std(axis=0, dtype=np.float64)
    Z = SoftScaler().fit_transform(X)
    assert Z.dtype == dtype
    expected = (X - X.mean(axis=0, dtype=np.float64)) / (deviation + np.median(deviation))
    np.testing.assert_allclose(Z, expected, atol=1e-5 if dtype == np.float32 else 1e-12)


def test_soft_scales_do_not_depend_on_a_common_unit(domains):
    X = np.column_stack([domains[0], np.ones(len(domains[0]))])
    np.testing.assert_allclose(SoftScaler().fit_transform(1000 * X), SoftScaler().fit_transform(X), atol=1e-12)


def test_soft_scales_of_features_that_do_not_vary_are_one():
    assert not SoftScaler().fit_transform(np.ones((3, 2))).any()


@pytest.mark.parametrize("transformer", [Normalizer(), StandardScaler()])
def test_single_precision_near_its_end_is_transformed_in_double(transformer):
    rng = np.random.default_rng(0)
    Xs, ys, Xt = rng.normal(size=(20, 3)), np.arange(20) % 2, rng.normal(size=(9, 3))
    plain = PerDomain(transformer, NN()).fit(Xs, ys, Xt)
    far_s, far_t = ((1e37 * X).astype(np.float32) for X in (Xs, Xt))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        large = PerDomain(transformer, NN()).fit(far_s, ys, far_t)
        np.testing.assert_allclose(large.transform(far_t), plain.transform(Xt), atol=1e-6)


def _with_islands(X, rng):
    frame = pd.DataFrame(X[:, :3], columns=["size", "weight", "age"])
    return frame.assign(island=np.array(["Biscoe", "Dream"])[(X[:, 3] + rng.normal(size=len(X)) > 0).astype(int)])


@pytest.mark.parametrize("method", [JDA(n_components=3), TSRP(JDA(n_components=3)), NN()], ids=repr)
def test_columns_of_text_reach_the_transformer(domains, method):
    """As if they had been transformed before."""
    rng = np.random.default_rng(0)
    (Xs, ys, Xt), names = domains[:3], ["size", "weight", "age"]
    source, target = _with_islands(Xs, rng), _with_islands(Xt, rng)
    encoder = OneHotEncoder(categories=[["Biscoe", "Dream"]], sparse_output=False)
    columns = ColumnTransformer([("numbers", StandardScaler(), names), ("text", encoder, ["island"])])
    known = np.where(np.arange(len(Xt)) < 10, domains[3].astype(object), None)
    for yt in (None, known):
        model = PerDomain(columns, method).fit(source, ys, target, yt)
        Zs, Zt = (clone(columns).fit_transform(X) for X in (source, target))
        plain = clone(method).fit(Zs, ys, Zt, yt)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        np.testing.assert_array_equal(model.probability_, plain.probability_)
        np.testing.assert_array_equal(model.predict(target[5:9]), plain.predict(Zt[5:9]))
        np.testing.assert_array_equal(model.predict_proba(target), plain.predict_proba(Zt))
        assert model.compare().sentence.replace("PerDomain", "") == plain.compare().sentence
    with pytest.raises(InputError, match="refuses these samples: columns are missing"):
        model.predict(target[names])


def test_text_that_a_transformer_cannot_take_is_refused(domains):
    source = _with_islands(domains[0], np.random.default_rng(0))
    with pytest.raises(InputError, match="refuses these samples: could not convert string to float"):
        PerDomain(StandardScaler(), NN()).fit(source, domains[1], source)
