"""A fit to samples in blocks gives the labels of the fit to the same samples in memory."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA as Components
from sklearn.linear_model import LogisticRegression

from tests.support.domains import make_domains
from tsrp import BDA, DICD, GFK, JDA, NN, PCA, TCA, TJM, TSRP, Panel, load
from tsrp.base.blocked import check_blocked_domains
from tsrp.blocked.local import ArrayReader, LocalBlocks
from tsrp.exceptions import InputError, TsrpError, UsageError
from tsrp.memory import limited_memory

METHODS = [
    NN(),
    NN(unit_rows=True),
    PCA(5),
    TCA(5),
    JDA(5),
    JDA(5, kernel="primal", ridge=0.1),
    JDA(5, ridge=1e-5, ridge_scale="relative", classifier=LogisticRegression()),
    BDA(5, mu="auto"),
    DICD(5),
    TSRP(NN()),
    TSRP(JDA(5), trust=0.5),
    TSRP(DICD(5, kernel="primal", repulsion=1.0)),
    TSRP(DICD(5), picker="trust"),
]
TAKES_ALL = [GFK(), TJM(5), JDA(5, kernel="rbf"), TSRP(TJM(5)), TSRP(Components(2))]


@pytest.fixture(scope="module")
def domains():
    return make_domains(n_source=150, n_target=130, m=12, shift=2.0)


def blocks(X, rows=37, names=None):
    return LocalBlocks.of(ArrayReader(X, rows), names)


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_same_labels_and_the_same_trust(method, dtype, domains):
    Xs, ys, Xt, _ = domains
    Xs, Xt = Xs.astype(dtype), Xt.astype(dtype)
    whole = clone(method).fit(Xs, ys, Xt)
    parts = clone(method).fit(blocks(Xs), ys, blocks(Xt, 41))
    np.testing.assert_array_equal(parts.labels_, whole.labels_)
    assert parts.n_iter_ == whole.n_iter_
    np.testing.assert_array_equal(parts.predict(Xt), whole.predict(Xt))
    tolerance = 1e-9 if dtype == np.float64 else 1e-3
    np.testing.assert_allclose(parts.transform(Xt), whole.transform(Xt), rtol=tolerance, atol=tolerance)
    # A rank may differ where two samples are nearly equal in a signal.
    assert np.mean(np.abs(parts.trust_ - whole.trust_) > 1e-9) < (0.05 if dtype == np.float32 else 0.02)
    assert abs(parts.estimated_accuracy_.value - whole.estimated_accuracy_.value) < 0.02


def test_known_labels_are_kept_and_taught(domains):
    Xs, ys, Xt, yt = domains
    told = np.full(len(yt), None, dtype=object)
    told[:20] = yt[:20]
    whole, parts = (TSRP(DICD(5)).fit(Xs, ys, X, told) for X in (Xt, blocks(Xt)))
    np.testing.assert_array_equal(parts.labels_, whole.labels_)
    np.testing.assert_allclose(parts.probability_, whole.probability_, atol=0.05)


def test_a_target_of_equal_rows_is_labelled_by_chance(domains):
    Xs, ys, Xt, _ = domains
    model = JDA(5).fit(blocks(Xs), ys, blocks(np.repeat(Xt[:1], 100, axis=0)))
    np.testing.assert_allclose(model.probability_, np.mean(ys == model.labels_[0]))
    assert model.estimated_accuracy_.equal_rows


def test_one_domain_may_be_in_memory(domains):
    Xs, ys, Xt, _ = domains
    expected = JDA(5).fit(Xs, ys, Xt).labels_
    np.testing.assert_array_equal(JDA(5).fit(blocks(Xs), ys, Xt).labels_, expected)
    np.testing.assert_array_equal(JDA(5).fit(Xs, ys, blocks(Xt)).labels_, expected)


def test_a_mapped_file_is_read_in_blocks_where_it_would_not_fit(tmp_path, domains, monkeypatch):
    Xs, ys, Xt, _ = domains
    np.save(tmp_path / "Xs.npy", Xs)
    mapped = np.load(tmp_path / "Xs.npy", mmap_mode="r")
    checked = []

    def check(*given):
        checked.append(check_blocked_domains(*given))
        return checked[-1]

    monkeypatch.setattr("tsrp.base.blocked.check_blocked_domains", check)
    expected = TSRP(JDA(5)).fit(mapped, ys, Xt).labels_
    assert not checked
    with limited_memory(2 * (Xs.nbytes + Xt.nbytes)):
        found = TSRP(JDA(5)).fit(mapped, ys, Xt)
    assert len(checked) == 1
    np.testing.assert_array_equal(found.labels_, expected)


@pytest.mark.parametrize("method", TAKES_ALL, ids=str)
def test_methods_that_need_all_samples_say_so(method, domains):
    Xs, ys, Xt, _ = domains
    assert not method.takes_blocks
    with pytest.raises(UsageError, match="needs all samples in memory: those in blocks go to NN, PCA"):
        method.fit(blocks(Xs), ys, blocks(Xt))


def test_others_refuse_blocks_too(domains):
    Xs, ys, Xt, _ = domains
    with pytest.raises(TsrpError, match="Xs is in blocks, which are not taken here"):
        Panel().fit(blocks(Xs), ys, blocks(Xt))


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_what_cannot_be_computed_with_is_found_in_any_block(value, domains):
    Xs, ys, Xt, _ = domains
    Xt = Xt.copy()
    Xt[100, 3] = value
    names = [f"feature {j}" for j in range(12)]
    with pytest.raises(InputError, match=r"Xt: 1 value is .* the first in row 100, column 'feature 3'"):
        JDA(5).fit(blocks(Xs, names=names), ys, blocks(Xt, names=names))


def test_features_must_be_the_same(domains):
    Xs, ys, Xt, _ = domains
    with pytest.raises(InputError, match="Xt has 11 features, but Xs has 12"):
        JDA(5).fit(blocks(Xs), ys, blocks(Xt[:, 1:]))
    names = list("abcdefghijkl")
    with pytest.raises(InputError, match="its columns are not those of Xs"):
        JDA(5).fit(blocks(Xs, names=names), ys, blocks(Xt, names=names[::-1]))


def test_names_are_noted_and_compared(domains):
    Xs, ys, Xt, _ = domains
    names = list("abcdefghijkl")
    model = JDA(5).fit(blocks(Xs, names=names), ys, blocks(Xt, names=names))
    assert model.feature_names_in_.tolist() == names
    assert model.probability_.shape == (130,)
    with pytest.raises(InputError):
        model.predict(pd.DataFrame(Xt, columns=names[::-1]))


def test_single_precision_that_would_not_do_becomes_double(domains):
    Xs, ys, Xt, _ = domains
    Xs, Xt = ((X * 1e12).astype(np.float32) for X in (Xs, Xt))
    checked = check_blocked_domains(JDA(5), blocks(Xs), ys, blocks(Xt))
    assert checked.Xs.dtype == checked.Xt.dtype == np.float64
    np.testing.assert_array_equal(TCA(5).fit(blocks(Xs), ys, blocks(Xt)).labels_, TCA(5).fit(Xs, ys, Xt).labels_)


def test_a_projection_that_does_not_fit_is_refused_with_its_size(domains):
    Xs, ys, Xt, _ = domains
    with limited_memory("40KB"), pytest.raises(InputError, match=r"280 samples to 5 components needs about 44.8 KB"):
        JDA(5).fit(blocks(Xs), ys, blocks(Xt))
    with limited_memory("40KB"), pytest.raises(InputError, match=r"150 samples to 12 features needs about 57.6 KB"):
        NN().fit(blocks(Xs), ys, blocks(Xt))


def test_samples_that_do_not_vary_are_refused():
    same = np.ones((20, 3))
    for method in (PCA(2), JDA(2)):
        with pytest.raises(InputError, match="do not vary"):
            method.fit(blocks(same), np.arange(20) % 2, blocks(same))


def test_what_needs_the_samples_in_memory_says_so(domains, tmp_path):
    Xs, ys, Xt, _ = domains
    model = JDA(5).fit(blocks(Xs), ys, blocks(Xt))
    for ask in (model.compare, lambda: model.report(tmp_path / "page.html")):
        with pytest.raises(UsageError, match="needs all samples in memory, but this JDA was fitted to samples in blo"):
            ask()
    assert model.suggest(3).rows.shape == (3,)


def test_a_model_is_saved_without_the_blocks(domains, tmp_path):
    Xs, ys, Xt, _ = domains
    model = TSRP(JDA(5)).fit(blocks(Xs), ys, blocks(Xt))
    model.save(tmp_path / "model.tsrp")
    loaded = load(tmp_path / "model.tsrp")
    np.testing.assert_array_equal(loaded.predict_confidence(Xt).labels, model.predict_confidence(Xt).labels)


def test_rows_are_drawn_in_memory_only(domains):
    Xs, ys, Xt, _ = domains
    with pytest.raises(UsageError, match="max_fit_rows draws rows from samples in memory"):
        JDA(5, max_fit_rows=50).fit(blocks(Xs), ys, blocks(Xt))
