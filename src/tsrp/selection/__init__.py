"""Which method and which settings, without target labels: candidates, scores, and the search over them.

>>> from tsrp.selection import SCORES
>>> "reverse" in SCORES
True
"""

from __future__ import annotations

from tsrp.selection.candidates import Candidate, candidate_grid, default_candidates
from tsrp.selection.score_table import DEFAULT_SCORE, SCORES, Score
from tsrp.selection.search import Selection, Trial, search
from tsrp.selection.summary import summarise

# Its name before.
verdict = summarise

__all__ = [
    "DEFAULT_SCORE",
    "SCORES",
    "Candidate",
    "Score",
    "Selection",
    "Trial",
    "candidate_grid",
    "default_candidates",
    "search",
    "summarise",
    "verdict",
]
