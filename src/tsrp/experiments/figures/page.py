"""The page that shows the figures, with captions from the results."""

from __future__ import annotations

from collections.abc import Iterable

from tsrp.experiments.scoring import Result, other_files

NAME = "figures.md"
INTRODUCTION = """# Figures

Drawn by `tsrp figures`, which also writes this page: what the captions say is computed from the same results. `tsrp
figures NAME` draws one alone. Most fits serve several figures, and the tables too.
"""


def section(name: str, summary: str, caption: str, results: Iterable[Result]) -> str:
    """A figure with its caption, which files were not the published ones, and how long the fits took.

    Examples
    --------
    >>> print(section("sweeps", "accuracy against trust", "It is best at 0.9.", []))
    ## sweeps
    <BLANKLINE>
    ![accuracy against trust](sweeps.png)
    <BLANKLINE>
    Accuracy against trust. It is best at 0.9.
    <BLANKLINE>
    Fits: 0, of 0 s in all.
    <BLANKLINE>
    """
    words = f"{summary[0].upper()}{summary[1:]}. {caption}"
    used = list(results)
    seconds = sum(result.seconds for result in used)
    duration = f"{seconds / 60:.1f} minutes" if seconds >= 60 else f"{seconds:.0f} s"
    effort = [*other_files(used).values(), f"Fits: {len(used):,}, of {duration} in all."]
    return "\n\n".join([f"## {name}", f"![{summary}]({name}.png)", words, " ".join(effort)]) + "\n"


def page(sections: Iterable[str]) -> str:
    """All of them below each other."""
    return "\n".join([INTRODUCTION, *sections])
