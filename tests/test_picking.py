"""Which samples the strong classifier learns from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from tests.support.domains import make_domains
from tsrp import DICD, NN, TSRP
from tsrp.exceptions import UsageError
from tsrp.picking import Signals, make_picker


def textbook_spread(Zs, shares, Zt):
    """Label propagation with dense matrices, one pair at a time, and its classes balanced by half."""
    units = normalize(np.vstack([Zs, Zt]))
    n = len(units)
    W = np.zeros((n, n))
    for i in range(n):
        cosines = units @ units[i]
        for j in [j for j in np.argsort(-cosines, kind="stable") if j != i][:10]:
            W[i, j] = W[j, i] = np.exp((cosines[j] - 1) / 0.1)
    D = np.diag(W.sum(axis=1) ** -0.5)
    known = np.vstack([shares, np.zeros((len(Zt), shares.shape[1]))])
    spread = known
    for _ in range(50):
        spread = 0.95 * D @ W @ D @ spread + 0.05 * known
    spread = spread / known.sum(axis=0)
    target = (spread / spread.sum(axis=1, keepdims=True))[len(Zs) :]
    target = target / np.sqrt(target.sum(axis=0))
    return target / target.sum(axis=1, keepdims=True)


def textbook_picks(supports, codes, share):
    """Sample by sample: what all signals confirm, then the strongest, up to the share of the class."""
    confirmed = [all(support[i].argmax() == code for support in supports) for i, code in enumerate(codes)]
    strength = np.mean([rankdata([support[i, code] for i, code in enumerate(codes)]) for support in supports], axis=0)
    picked = set(np.flatnonzero(confirmed).tolist())
    for code in set(codes.tolist()):
        own = [i for i in range(len(codes)) if codes[i] == code]
        best = sorted(own, key=lambda i: (not confirmed[i], -strength[i], i))
        picked |= set(best[: int(np.ceil(share * len(own)))])
    return np.array(sorted(picked), dtype=int)


def test_the_signals_equal_plain_versions():
    Xs, ys, Xt, _ = make_domains(n_classes=4)
    spread, chances = Signals.fit(Xs, ys, Xt, 4, logistic=True).supports
    np.testing.assert_allclose(spread, textbook_spread(Xs, np.eye(4)[ys], Xt), atol=1e-12)
    plain = LogisticRegression(C=10, tol=1e-12, max_iter=10_000).fit(normalize(Xs), ys).predict_proba(normalize(Xt))
    np.testing.assert_allclose(chances, plain, atol=1e-6)


@pytest.mark.parametrize("times", [2, 8])
def test_rows_that_are_repeated_say_nothing_new(times):
    Xs, ys, Xt, _ = make_domains(n_classes=4)
    once = Signals.fit(Xs, ys, Xt, 4, logistic=True).supports
    Xs, ys, Xt = (np.concatenate(times * [own]) for own in (Xs, ys, Xt))
    repeated = Signals.fit(Xs, ys, Xt, 4, logistic=True).supports
    for own, other in zip(once, repeated, strict=True):
        np.testing.assert_allclose(other, np.tile(own, (times, 1)), atol=1e-4)


def test_copies_whose_classes_differ_are_one_node_that_has_each_by_its_share():
    Xs, ys, Xt, _ = make_domains(n_classes=4)
    shares = np.eye(4)[ys]
    shares[0] = (2 * np.eye(4)[ys[0]] + np.eye(4)[(ys[0] + 1) % 4]) / 3
    Xs, ys = np.vstack([Xs, Xs[:1], Xs[:1]]), np.append(ys, [ys[0], (ys[0] + 1) % 4])
    [spread] = Signals.fit(Xs, ys, Xt, 4, logistic=False).supports
    np.testing.assert_allclose(spread, textbook_spread(Xs[:-2], shares, Xt), atol=1e-5)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3, 0.7, 1.0]), st.integers(1, 2))
@settings(max_examples=60)
def test_what_the_signals_confirm_is_picked_and_a_share_of_every_class(seed, share, n_signals):
    rng = np.random.default_rng(seed)
    supports = [rng.dirichlet(np.ones(4), size=40).round(2) for _ in range(n_signals)]
    samples = rng.permutation(40)[:30]
    codes = rng.integers(0, 4, size=30)
    picked = samples[Signals(supports).confirm(samples, codes, share)]
    plain = textbook_picks([support[samples] for support in supports], codes, share)
    np.testing.assert_array_equal(picked, samples[plain])


def test_a_class_that_no_signal_confirms_keeps_its_share():
    support = np.tile([0.6, 0.4], (10, 1))
    codes = np.repeat([0, 1], 5)
    picked = Signals([support]).confirm(np.arange(10), codes, 0.5)
    assert picked[:5].all()
    assert picked[5:].tolist() == [True, True, True, False, False]


@pytest.mark.parametrize("name", ["propagation", "trust"])
def test_picked_and_others_are_all_samples(name):
    Xs, ys, Xt, yt = make_domains(n_classes=4)
    samples = np.arange(len(Xt))[::2]
    picked, others = make_picker(name, Xs, ys, Xt, 4, trust=0.9, share=0.5)(samples, yt[samples])
    assert len(picked) > 0
    np.testing.assert_array_equal(np.sort(np.concatenate([picked, others])), samples)


def test_trust_confirms_less_than_propagation_alone():
    Xs, ys, Xt, yt = make_domains(n_classes=4)
    samples = np.arange(len(Xt))
    propagation, trust = (
        make_picker(name, Xs, ys, Xt, 4, trust=0.9, share=0.0)(samples, yt)[0] for name in ("propagation", "trust")
    )
    assert set(trust) <= set(propagation)


@pytest.mark.parametrize("picker", ["propagation", "trust"])
def test_a_share_of_one_trusts_every_label(domains, picker):
    Xs, ys, Xt, _ = domains
    model = TSRP(DICD(n_components=5), picker=picker, share=1.0).fit(Xs, ys, Xt)
    assert (model.picked_ == 1).all()
    np.testing.assert_array_equal(model.labels_, DICD(n_components=5).fit(Xs, ys, Xt).labels_)


def test_labels_do_not_depend_on_the_names_of_the_classes(domains):
    Xs, ys, Xt, _ = domains
    names = np.array(["d", "a", "c", "b"])
    model = TSRP(NN(), picker="trust")
    np.testing.assert_array_equal(model.fit(Xs, names[ys], Xt).labels_, names[model.fit(Xs, ys, Xt).labels_])


@pytest.mark.parametrize("share", [-0.1, 1.1, "most"])
def test_a_share_is_between_0_and_1(domains, share):
    Xs, ys, Xt, _ = domains
    with pytest.raises(UsageError, match="share must be a number of at least 0 and at most 1"):
        TSRP(NN(), picker="trust", share=share).fit(Xs, ys, Xt)
