"""Scalers learn from samples in blocks what they learn from the same samples in memory."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, RobustScaler, StandardScaler

from tests.support.domains import make_domains
from tsrp import DICD, JDA, TSRP, PerDomain, RowScaler, SoftScaler
from tsrp.base.scaling import fit_transform_blocks, fits_blocks
from tsrp.blocked.cluster import DaskBlocks
from tsrp.blocked.local import ArrayReader, LocalBlocks
from tsrp.exceptions import UsageError
from tsrp.spec import PREPROCESSING

NAMES = list("abcdef")
SCALERS = [
    Normalizer("l1"),
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(copy=False),
    MinMaxScaler((-1, 1), copy=False),
    MaxAbsScaler(),
    RowScaler(),
    SoftScaler(),
    make_pipeline(Normalizer("l1"), StandardScaler()),
]


def samples(dtype=np.float64):
    """Features of different units, one far from 0, one that does not vary."""
    X = np.random.default_rng(0).normal(size=(103, 6)) * np.array([1, 1e-6, 1e3, 1, 5, 0]) + [0, 0, 0, 1e4, -3, 0.1]
    return X.astype(dtype)


def local(X, names=None):
    return LocalBlocks.of(ArrayReader(X, rows=20), names)


def on_dask(X, names=None):
    da = pytest.importorskip("dask.array")
    blocks = DaskBlocks.of(da.from_array(X, chunks=(20, -1)), "X")
    blocks.names = names
    return blocks


def learnt(fitted):
    last = fitted[-1] if hasattr(fitted, "steps") else fitted
    return {name: value for name, value in vars(last).items() if name.endswith("_")}


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("names", [None, NAMES], ids=["no names", "names"])
@pytest.mark.parametrize("place", [local, on_dask])
def test_blocks_teach_what_memory_teaches(scaler, dtype, names, place):
    X = samples(dtype)
    whole = X.copy() if names is None else pd.DataFrame(X, columns=names, copy=True)
    expected = clone(scaler).fit(whole)
    fitted, scaled = fit_transform_blocks(scaler, place(X, names))
    assert learnt(fitted).keys() == learnt(expected).keys()
    for name, value in learnt(expected).items():
        found = learnt(fitted)[name]
        if name == "feature_names_in_":
            assert found.tolist() == value.tolist() == NAMES
        else:
            # The deviation of a feature far from 0 loses as many digits as its values have in common.
            np.testing.assert_allclose(found, value, rtol=1e-6 if dtype == np.float32 else 1e-9, atol=1e-12)
    assert (scaled.dtype, scaled.names) == (dtype, None)
    again = clone(scaler).set_params(**{"copy": True} if "copy" in scaler.get_params() else {}).fit(whole)
    np.testing.assert_allclose(
        scaled.rows(np.array), again.transform(whole), rtol=0, atol=1e-4 if dtype == np.float32 else 1e-9
    )
    # Passes find the samples as they were.
    np.testing.assert_array_equal(X, samples(dtype))


def test_all_preprocessing_by_name_is_fitted_to_blocks():
    assert all(fits_blocks(make()) for name, make in PREPROCESSING.items() if name != "none")


@pytest.mark.parametrize("transformer", [RobustScaler(), PCA(2), make_pipeline(StandardScaler(), PCA(2))], ids=str)
def test_a_transformer_that_needs_more_is_refused(transformer):
    Xs, ys, Xt, _ = make_domains(n_source=40, n_target=40)
    model = PerDomain(transformer, JDA(2))
    assert not model.takes_blocks
    with pytest.raises(UsageError, match="needs all samples in memory: those in blocks go to scikit-learn's"):
        model.fit(local(Xs), ys, local(Xt))


@pytest.mark.parametrize("preprocess", [name for name in PREPROCESSING if name != "none"])
@pytest.mark.parametrize("place", [local, on_dask])
def test_labels_and_probabilities_are_those_of_memory(preprocess, place):
    Xs, ys, Xt, _ = make_domains(n_source=150, n_target=120, shift=2.0)
    Xs, Xt = np.abs(Xs) * np.geomspace(1e-3, 1e3, Xs.shape[1]), np.abs(Xt) * np.geomspace(1e-2, 1e2, Xt.shape[1])
    model = PerDomain(PREPROCESSING[preprocess](), TSRP(DICD(5, max_iter=3)))
    whole = clone(model).fit(Xs, ys, Xt)
    blocks = clone(model).fit(place(Xs), ys, place(Xt))
    np.testing.assert_array_equal(blocks.labels_, whole.labels_)
    np.testing.assert_allclose(blocks.probability_, whole.probability_, atol=0.02)
    np.testing.assert_array_equal(blocks.predict(place(Xt[::2])), whole.predict(Xt[::2]))
    np.testing.assert_array_equal(blocks.predict(Xt), whole.predict(Xt))


def test_a_model_of_named_blocks_takes_data_frames():
    Xs, ys, Xt, _ = make_domains(n_source=80, n_target=60, m=6)
    model = PerDomain(StandardScaler(), JDA(3)).fit(local(Xs, NAMES), ys, local(Xt, NAMES))
    frame = pd.DataFrame(Xt, columns=NAMES)
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    np.testing.assert_array_equal(model.predict(local(Xt, NAMES)), model.labels_)
