"""Labels of unseen samples are trusted by the rule that picked the target's."""

import numpy as np
import pytest

from tests.support.domains import make_domains
from tsrp import JDA, NN, TSRP, PerDomain
from tsrp._utsp import pick_classes
from tsrp.trust.picks import BLOCK, Trusted


def by_the_rule(trusted, Z, codes):
    """One sample and one trusted sample at a time."""
    confident, similarity = [], []
    for z, code in zip(Z, codes, strict=True):
        found = [
            float(z @ t / np.linalg.norm(z) / np.linalg.norm(t))
            for t, c in zip(trusted.Z, trusted.codes, strict=True)
            if c == code
        ]
        similarity.append(max(found, default=0.0))
        confident.append(bool(found) and max(found) >= trusted.thresholds[code] - 1e-12)
    return np.array(confident), np.array(similarity)


def test_a_sample_is_confident_if_the_tree_of_its_class_would_reach_it(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(JDA(n_components=5)).fit(Xs, ys, Xt)
    Xs, _, Xn, _ = make_domains(7, n_target=80)
    new = np.vstack([Xs, Xn])
    judged = model.predict_confidence(new)
    np.testing.assert_array_equal(judged.labels, model.predict(new))
    confident, similarity = by_the_rule(model.trusted_, model.transform(new), judged.labels)
    np.testing.assert_array_equal(judged.confident, confident)
    np.testing.assert_allclose(judged.similarity, similarity, atol=1e-12)
    assert 0 < judged.confident.sum() < len(new)


@pytest.mark.parametrize("model", [TSRP(NN()), TSRP(JDA(5)), JDA(5)], ids=repr)
def test_what_was_confident_in_the_fit_stays_so(model, domains):
    Xs, ys, Xt, _ = domains
    model.fit(Xs, ys, Xt)
    judged = model.predict_confidence(Xt)
    assert judged.confident[model.confident_].all()
    np.testing.assert_allclose(judged.similarity[model.confident_], 1.0)
    assert not judged.confident.all()


def test_thresholds_are_those_of_the_last_rounds_crude_labels(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(JDA(n_components=5), trust=0.8).fit(Xs, ys, Xt)
    picks = pick_classes(model.transform(Xt), model.history_[-1].crude, 0.8, "tree", with_tree=False)
    np.testing.assert_allclose(model.trusted_.thresholds, [pick.threshold for pick in picks])


def test_a_label_without_trusted_samples_is_never_confident():
    trusted = Trusted(np.array([[1.0, 0.0]]), np.array([0]), np.array([-2.0, -2.0]))
    confident, similarity = trusted.judge(np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([0, 1]))
    assert confident.tolist() == [True, False]
    assert similarity.tolist() == [1.0, 0.0]


def test_a_class_of_few_samples_trusts_their_own_directions_only():
    Z = np.array([[1.0, 0.0], [0.0, 1.0]])
    trusted = Trusted.from_picks(Z, pick_classes(Z, np.array([1, 1]), 0.9, "tree", with_tree=False), 2)
    confident, _ = trusted.judge(np.array([[3.0, 0.0], [1.0, 0.1]]), np.array([1, 1]))
    assert confident.tolist() == [True, False]


def test_a_class_that_is_trusted_as_a_whole_trusts_what_is_labelled_so():
    Z = np.eye(5)
    trusted = Trusted.from_picks(Z, pick_classes(Z, np.zeros(5, int), 0.9, "tree", with_tree=False), 1)
    assert trusted.judge(-np.ones((1, 5)), np.array([0]))[0].all()


def test_samples_beyond_one_block_are_judged_alike():
    rng = np.random.default_rng(0)
    trusted = Trusted(rng.normal(size=(30, 4)), np.zeros(30, int), np.array([0.9]))
    Z = rng.normal(size=(2 * BLOCK + 5, 4))
    confident, similarity = trusted.judge(Z, np.zeros(len(Z), int))
    plain = by_the_rule(trusted, Z[-20:], np.zeros(20, int))
    np.testing.assert_array_equal(confident[-20:], plain[0])
    np.testing.assert_allclose(similarity[-20:], plain[1])


def test_per_domain_judges_what_it_has_scaled(domains):
    from sklearn.preprocessing import StandardScaler

    Xs, ys, Xt, _ = domains
    model = PerDomain(StandardScaler(), TSRP(JDA(5))).fit(Xs, ys, Xt)
    judged = model.predict_confidence(Xt)
    assert judged.confident[model.confident_].all()
    np.testing.assert_array_equal(judged.labels, model.labels_)
