"""The page of docs/TRUST.md says what the results say."""

import json

import numpy as np
import pytest

from benchmarks import trust_runs
from benchmarks.trust_page import flat, harm, means, page, summary
from benchmarks.trust_runs import calibration_error, measure, of_ranking, reliability


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """What the benchmark measures on the embedded digits."""
    folder = tmp_path_factory.mktemp("trust")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trust_runs, "FOLDER", folder)
        measure("digits", "printed -> handwritten", "nn")
        return trust_runs.known("digits", "printed -> handwritten", "nn")


def test_what_is_measured_is_read_again(result):
    assert result["accuracy"] == pytest.approx(0.6283, abs=1e-4)
    assert 0.5 < result["auroc"]["picked"] < result["auroc"]["trust"] < 1
    assert json.loads(json.dumps(result)) == result


def test_on_the_embedded_digits_probabilities_are_worth_more_than_picks(result):
    assert result["right"] > 0.9 > result["before"]["right"]
    assert result["now"]["half"] > result["before"]["half"]
    assert result["now"]["aurc"] < result["before"]["aurc"]


def test_a_ranking_is_judged_by_its_first_rows():
    right = np.array([True] * 6 + [False] * 4)
    best, worst = of_ranking(right, -np.arange(10)), of_ranking(right, np.arange(10))
    assert (best["half"], best["most"]) == (1.0, 0.75)
    assert (worst["half"], worst["most"]) == (0.2, 0.5)
    assert best["aurc"] == pytest.approx(np.mean([0] * 6 + [1 / 7, 2 / 8, 3 / 9, 4 / 10]))


def test_the_calibration_error_is_the_mean_distance_of_tenths():
    right, p = np.array([True, True, False, True]), np.array([0.95, 0.97, 0.31, 0.35])
    np.testing.assert_allclose(reliability(right, p), [(2, 0.33, 0.5), (2, 0.96, 1.0)])
    assert calibration_error(right, p) == pytest.approx((0.17 + 0.04) / 2)


def test_data_sets_count_the_same_and_alarms_are_counted(result):
    other = {**result, "dataset": "coil20", "linear": {"as given": 0.99, "z-scores": 0.1}, "alarm": "x"}
    better = {**other, "linear": {"as given": 0.1, "z-scores": 0.99}, "alarm": None}
    calm = {**other, "linear": {"as given": 0.1, "z-scores": 0.1}}
    table = flat([result, other, better, calm])
    assert means(table)["accuracy"].tolist() == pytest.approx([100 * result["accuracy"]] * 2)
    text = harm({"nn": table})
    assert "| nn | 1 of 1 (100 %) | 1 of 3 (33 %) | 1 of 2 (50 %) | 1 of 2 (50 %) |" in text
    assert "Not named, nn: COIL20" in text


def test_the_page_has_every_part(result):
    text = page({"dicd+tsrp": [result], "nn": [result], "jda": []})
    assert summary(flat([result])) in text
    assert all(f"\n## {part}" in text for part in ("In short", "Reliability", "Other methods", "What it costs"))
    assert "| nn |" in text
    assert "| jda |" not in text
    scaled = page({"nn": [result]}, {"rows": 50_000, "fit": 12, "fit MB": 345, "signals": 67, "signals MB": 890})
    assert "On 50,000 + 50,000 made rows of 256 features JDA took 12 s and 345 MB" in scaled
