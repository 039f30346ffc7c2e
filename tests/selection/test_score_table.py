"""The scores by name, and the one that decides."""

import re
from pathlib import Path

from tsrp.selection import DEFAULT_SCORE, SCORES

PAGE = Path(__file__).parents[2] / "docs" / "SELECTION.md"


def published_order():
    summary = PAGE.read_text().split("## Summary\n")[1].split("| without a score |")[0]
    return re.findall(r"^\| `([\w-]+)` \| ([\d.]+) ", summary, flags=re.MULTILINE)


def test_the_page_shows_every_score_by_its_mean_regret():
    order = published_order()
    assert {name for name, _ in order} == set(SCORES)
    regrets = [float(regret) for _, regret in order]
    assert regrets == sorted(regrets)


def test_the_default_is_the_best_of_the_page():
    assert published_order()[0][0] == DEFAULT_SCORE


def test_weights_are_scores_of_single_candidates():
    for score in SCORES.values():
        assert all(not SCORES[weight].weights for weight in score.weights)
