"""The page that shows the figures, with captions from the results."""

from __future__ import annotations

from collections.abc import Iterable

from tsrp.experiments.scoring import Result

NAME = "figures.md"
INTRODUCTION = """# Figures

Drawn by `tsrp figures`, which also writes this page: what the captions say is computed from the same results.
"""


def section(name: str, summary: str, caption: str, results: Iterable[Result]) -> str:
    """A figure with its caption, and how long its fits took.

    Examples
    --------
    >>> print(section("sweeps", "accuracy against trust", "It is best at 0.9.", []))
    ## Accuracy against trust
    <BLANKLINE>
    ![Accuracy against trust](sweeps.png)
    <BLANKLINE>
    It is best at 0.9.
    <BLANKLINE>
    From 0 fits, which took 0.0 minutes in all.
    <BLANKLINE>
    """
    title = summary[0].upper() + summary[1:]
    seconds = [result.seconds for result in results]
    effort = f"From {len(seconds):,} fits, which took {sum(seconds) / 60:.1f} minutes in all."
    return "\n\n".join([f"## {title}", f"![{title}]({name}.png)", caption, effort]) + "\n"


def page(sections: Iterable[str]) -> str:
    """All of them below each other."""
    return "\n".join([INTRODUCTION, *sections])
