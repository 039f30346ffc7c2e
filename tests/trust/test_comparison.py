"""Does adaptation help? The verdict follows from figures that need no true label."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.preprocessing import StandardScaler, normalize

from tests.support.domains import make_domains
from tsrp import JDA, NN, TSRP, PerDomain
from tsrp.spec import MethodSpec, parse_settings
from tsrp.trust.comparison import Labelling, _verdict, _verdict_by_known
from tsrp.trust.information import neighbour_information, original_neighbours

NONE = np.empty(0)
ADAPTED = Labelling("DICD+TSRP", "", NONE, 0.7, 1.0, 0.5, 1.0)
RAW = Labelling("logistic regression", "--method nn --set classifier=logistic", NONE, 0.6, 0.9, 0.45, 0.8)
SCALED = replace(RAW, name="logistic regression on z-scores", command=f"{RAW.command} --preprocess zscore")
NEAREST = Labelling("1-nearest-neighbour", "--method nn", NONE, 0.6, 0.8, 0.4, 0.7)


def verdict(raw=RAW, scaled=SCALED, adapted=ADAPTED, below_chance=False):
    return _verdict(adapted, [raw, scaled, NEAREST], below_chance)


def test_where_nothing_is_better_nothing_is_said_against_adaptation():
    better, sentence = verdict()
    assert better is None
    assert sentence == "Nothing speaks against DICD+TSRP: no linear model without adaptation looks better."


def test_more_information_among_neighbours_is_better():
    ahead = replace(SCALED, information=1.2)
    better, sentence = verdict(scaled=ahead)
    assert better is ahead
    assert sentence == (
        "Logistic regression on z-scores without adaptation looks better than DICD+TSRP: neighbouring rows agree more "
        "on its labels (mutual information 1.20, with adaptation 1.00). Try --method nn --set classifier=logistic "
        "--preprocess zscore."
    )
    assert verdict(scaled=replace(SCALED, information=1.05))[0] is None


def test_labels_of_similar_source_rows_count_where_the_estimate_is_low():
    ahead = replace(RAW, surroundings=0.6)
    assert verdict(raw=ahead)[0] is ahead
    assert "(60 %, with adaptation 50 %)" in verdict(raw=ahead)[1]
    assert verdict(raw=ahead, adapted=replace(ADAPTED, estimated_accuracy=0.8))[0] is None


def test_a_part_of_the_estimate_below_guessing_speaks_against_adaptation():
    better, sentence = verdict(below_chance=True)
    assert better is not None
    assert "less than would speak for guessing" in sentence


@pytest.fixture(scope="module")
def compared():
    Xs, ys, Xt, _ = make_domains()
    model = PerDomain(StandardScaler(), TSRP(JDA(n_components=5))).fit(Xs, np.array(["a", "b", "c", "d"])[ys], Xt)
    return model, model.compare()


def test_figures_are_those_of_each_way_to_label(compared):
    model, comparison = compared
    Xs, ys, Xt, _ = make_domains()
    labels = LogisticRegression(max_iter=100, tol=1e-3).fit(Xs, ys).predict(Xt)
    raw = comparison.alternatives[0]
    np.testing.assert_array_equal(raw.labels, model.classes_[labels])
    codes = np.searchsorted(model.classes_, model.labels_)
    near = original_neighbours(Xt)
    assert raw.same == np.mean(labels == codes)
    assert raw.information == neighbour_information(labels, near)
    assert comparison.adapted.information == neighbour_information(codes, near)
    assert comparison.adapted.estimated_accuracy == model.estimated_accuracy_.value
    scaled = [normalize(StandardScaler().fit_transform(X)) for X in (Xs, Xt)]
    back = RidgeClassifier(1.0).fit(scaled[1], labels).predict(scaled[0])
    assert 0 < raw.estimated_accuracy <= np.mean(back == ys) + 0.05
    table = comparison.to_frame()
    assert table.index[0] == "JDA+TSRP"
    assert table.shape == (4, 5)


def test_the_commands_give_the_labels_that_were_compared(compared):
    _, comparison = compared
    Xs, ys, Xt, _ = make_domains()
    for way, expected in zip(
        comparison.alternatives,
        [
            NN(classifier=LogisticRegression(max_iter=1000)),
            PerDomain(StandardScaler(), NN(classifier=LogisticRegression(max_iter=1000))),
            NN(),
        ],
        strict=True,
    ):
        words = way.command.split()
        options = dict(zip(words[::2], words[1::2], strict=True))
        settings = parse_settings([options["--set"]] if "--set" in options else [])
        method = MethodSpec(options["--method"], settings, options.get("--preprocess", "none")).build()
        assert repr(method) == repr(expected)
        labels = method.fit(Xs, ys, Xt).labels_
        codes = np.searchsorted(compared[0].classes_, compared[0].labels_)
        assert np.mean(labels == codes) == pytest.approx(way.same, abs=0.021)


def test_of_a_target_of_equal_rows_no_labels_look_better():
    Xs, ys, Xt, _ = make_domains()
    comparison = NN().fit(Xs, ys, np.repeat(Xt[:1], 40, axis=0)).compare()
    assert comparison.helps
    assert "all rows of the target are equal, so that labels are guesses" in comparison.sentence


def test_one_class_only_is_compared_too():
    Xs, ys, Xt, _ = make_domains()
    assert JDA(n_components=3).fit(Xs, ys, np.repeat(Xt[:1], 4, axis=0)).compare().adapted.information == 0


def test_features_that_do_not_vary_are_no_reason_to_fail():
    X, y = np.zeros((40, 3)), np.arange(40) % 2
    compared = NN().fit(X, y, X).compare()
    assert all(0 <= way.estimated_accuracy <= 1 for way in compared.alternatives)


class TestKnownLabelsDecide:
    """Where there are some, nothing has to be guessed."""

    def test_if_an_alternative_gives_more_of_them(self):
        better, sentence = _verdict_by_known(ADAPTED, [RAW, SCALED, NEAREST], 12, [14, 15, 20], 20)
        assert better is SCALED
        assert "of 20 known labels it gives 15, DICD+TSRP 12 without having been told them. Try --method nn" in sentence

    def test_if_none_gives_many_more(self):
        better, sentence = _verdict_by_known(ADAPTED, [RAW, SCALED, NEAREST], 13, [14, 15, 20], 20)
        assert better is None
        assert sentence.endswith(
            "of 20 known labels it gives 13 without having been told them, logistic regression on z-scores without "
            "adaptation 15."
        )

    def test_if_there_are_ten(self):
        Xs, ys, Xt, yt = make_domains()
        for n, word in ((9, "no linear model"), (10, "of 10 known labels")):
            model = NN().fit(Xs, ys, Xt, np.where(np.arange(50) < n, yt, np.nan))
            assert word in model.compare().sentence
