"""Average accuracy of all methods, in ascending order, on each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from tsrp.datasets.catalogue import DATASETS, PAPER
from tsrp.datasets.loading import is_on_disk
from tsrp.experiments.figures.choice import datasets_on_disk
from tsrp.experiments.figures.layout import TEXT, headline, legend, name_axes, name_panel, sheet
from tsrp.experiments.paper_tables import WITH_TSRP, PaperTable, Row, common_tasks, tables
from tsrp.experiments.runs import IMPROVED, Run, paper_grid, strong_grid
from tsrp.experiments.scoring import Result
from tsrp.experiments.strong_tables import is_strong, strong_tables
from tsrp.experiments.summaries import base_of
from tsrp.report.style import INK, RIGHT, WRONG, plain

OTHERS = tuple(name for name in DATASETS if name not in PAPER)
# In panels of their own; all other methods stand below, however many they are.
EIGHT = tuple(name.upper() + end for name in IMPROVED for end in ("", WITH_TSRP))
PANELS = ("the paper's\neight methods", "other\nmethods", "stronger\nmethods")
PER_ROW = 3
# Letters of a data set's name that fit above a panel.
TITLE_WIDTH = 16
# Inches: of a method's line, and of what a panel has besides.
LINE, BESIDES = 0.19, 0.6
NOTE = (
    "BDA: the best of ten mu on each task, chosen by accuracy, as in the paper; auto: mu found without labels\n"
    "NN unit: rows of unit length; CDML and RTML: reconstructions\n"
    "Stronger methods: one setting each, alone and with TSRP on one line, with the higher figure"
)


@dataclass(frozen=True)
class Average:
    """A method's average in per cent over the tasks that all methods have; the paper's over the same tasks."""

    column: str
    measured: float
    published: float | None


@dataclass(frozen=True)
class Block:
    """A data set: the paper's eight methods, the others and the stronger ones, each in ascending order.

    The stronger ones may be over other tasks than the rest.
    """

    title: str
    count: str
    eight: list[Average]
    others: list[Average]
    strong: list[Average]
    strong_count: str = ""

    @property
    def panels(self) -> list[list[list[Average]]]:
        """What `PANELS` names, line by line: of a stronger method, alone and with TSRP, the higher one last."""
        lines: dict[str, list[Average]] = {}
        for average in self.strong:
            lines.setdefault(base_of(average.column) or average.column, []).append(average)
        ordered = sorted(lines.values(), key=lambda line: line[-1].measured)
        return [[[average] for average in self.eight], [[average] for average in self.others], ordered]


def runs(wanted: Sequence[str], data_dir: Path | None) -> list[Run]:
    """What `draw` needs; it also shows what it finds of the stronger methods, which take as long as all the rest."""
    every = paper_grid(datasets_on_disk(data_dir, wanted))
    return [run for run in every if is_on_disk(run.dataset, run.task, data_dir)]


def draw(wanted: Sequence[str], results: Mapping[Run, Result], data_dir: Path | None) -> Figure:
    """A column a data set: ours as dots, filled with TSRP, the paper's averages as upright ticks."""
    blocks = _blocks(wanted, results, data_dir)
    bands = [blocks[i : i + PER_ROW] for i in range(0, len(blocks), PER_ROW)]
    shown = [i for i in range(len(PANELS)) if any(block.panels[i] for block in blocks)]
    # Lines have one distance all over: a row of panels is as high as the longest of them.
    n_lines = [max(len(block.panels[i]) for block in band) for band in bands for i in shown]
    heights = [LINE * n + BESIDES for n in n_lines]
    figure = sheet(1.2 + sum(heights))
    grid = figure.subplots(len(heights), len(bands[0]), squeeze=False, height_ratios=heights)
    for number, block in enumerate(blocks):
        band, column = divmod(number, PER_ROW)
        low, high = _range(block)
        for place, i in enumerate(shown):
            panel, row = block.panels[i], len(shown) * band + place
            axes = grid[row, column]
            _panel(axes, panel, high - low)
            axes.set_xlim(low - 0.1 * (high - low), high + 0.4 * (high - low))
            axes.set_ylim(len(panel) - n_lines[row] - 0.7, len(panel) - 0.3)
            name_axes(axes, y=PANELS[i] if column == 0 else "")
        name_panel(grid[len(shown) * band, column], f"{fill(block.title, TITLE_WIDTH)}\n{block.count}")
        if block.strong_count not in ("", block.count):
            name_panel(axes, block.strong_count)
        name_axes(axes, x="average accuracy, %")
    for axes in grid.flat:
        if not axes.lines:
            axes.remove()
    figure.align_ylabels()
    headline(figure, "Average accuracies in ascending order")
    marks = [
        Line2D([], [], ls="", marker="o", ms=6.5, mfc="white", mec=RIGHT, mew=1.4, label="method alone"),
        Line2D([], [], ls="", marker="o", ms=6.5, mfc=RIGHT, mec=RIGHT, mew=1.4, label="with TSRP"),
    ]
    if any(average.published is not None for block in blocks for average in [*block.eight, *block.others]):
        marks.append(Line2D([], [], ls="", marker="|", ms=14, mec=WRONG, mew=1.6, label="published, same tasks"))
    legend(figure, marks, NOTE)
    return figure


def caption(wanted: Sequence[str], results: Mapping[Run, Result], data_dir: Path | None) -> str:
    """On how many data sets TSRP raises the average of each of the paper's methods, and what is best on each."""
    blocks = _blocks(wanted, results, data_dir)
    found = [{average.column: average.measured for average in block.eight} for block in blocks]
    counts = []
    for name in map(str.upper, IMPROVED):
        pairs = [(averages[name], averages[name + WITH_TSRP]) for averages in found if name in averages]
        if pairs:
            counts.append(f"{name} on {sum(with_tsrp > alone for alone, with_tsrp in pairs)} of {len(pairs)}")
    best = [max([*block.eight, *block.others, *block.strong], key=lambda average: average.measured) for block in blocks]
    named = [f"{block.title}: {top.column} ({top.measured:.1f})" for block, top in zip(blocks, best, strict=True)]
    return (
        "Averages over the tasks that all methods have, each data set with a scale of its own. TSRP raises the average "
        f"of {', '.join(counts)} data sets. The highest averages: {'; '.join(named)}."
    )


def _blocks(wanted: Sequence[str], results: Mapping[Run, Result], data_dir: Path | None) -> list[Block]:
    datasets = datasets_on_disk(data_dir, wanted)
    paper, strong = paper_grid(datasets), strong_grid(datasets)
    return [
        _block(
            tables([dataset], results, data_dir, paper),
            strong_tables([dataset], results, data_dir, [*paper, *strong]),
        )
        for dataset in datasets
    ]


def _block(paper: Sequence[PaperTable], strong: Sequence[PaperTable]) -> Block:
    columns, rows = _side_by_side(paper)
    averages, n_tasks = _averages(columns, rows)
    stronger, strong_count = [], ""
    for table in strong:
        found, n_common = _averages(table.columns, table.rows)
        # References are not what the ticks are for.
        stronger = [replace(average, published=None) for average in found if is_strong(average.column)]
        strong_count = f"{n_common} of {len(rows)} tasks"
    return Block(
        paper[0].title,
        f"{n_tasks} of {len(rows)} tasks",
        [average for average in averages if average.column in EIGHT],
        [average for average in averages if average.column not in EIGHT],
        stronger,
        strong_count,
    )


def _averages(columns: Sequence[str], rows: Sequence[Row]) -> tuple[list[Average], int]:
    """The averages in ascending order, and over how many tasks."""
    present, tasks = common_tasks(rows)
    averages = []
    for i in present:
        entries = [row.entries[i] for row in tasks]
        published = [entry.published for entry in entries if entry.published is not None]
        paper = float(np.mean(published)) if len(published) == len(entries) else None
        averages.append(Average(columns[i], float(np.mean([entry.measured for entry in entries])), paper))
    return sorted(averages, key=lambda average: average.measured), len(tasks)


def _range(block: Block) -> tuple[float, float]:
    shown = [*block.eight, *block.others, *block.strong]
    every = [value for average in shown for value in (average.measured, average.published) if value is not None]
    return min(every), max(every)


def _panel(axes: Axes, panel: Sequence[Sequence[Average]], width: float) -> None:
    plain(axes)
    for height, line in enumerate(panel):
        axes.plot([average.measured for average in line], [height] * len(line), color=RIGHT, lw=1.0)
        for average in line:
            if average.published is not None:
                axes.plot(average.published, height, "|", ms=12, mec=WRONG, mew=1.6)
            inside = RIGHT if average.column.endswith(WITH_TSRP) else "white"
            axes.plot(average.measured, height, "o", ms=5.5, mfc=inside, mec=RIGHT, mew=1.4)
        # Beyond the published tick, where that would stand in the figure.
        ahead = average.published is not None and 0 < average.published - average.measured < 0.35 * width
        beside = average.published if ahead else average.measured
        text = axes.annotate(f"{average.measured:.1f}", (beside, height), (7, 0), textcoords="offset points")
        text.set(va="center", color=INK, fontsize=TEXT)
    names = [line[0].column if len(line) == 1 else base_of(line[0].column) or line[0].column for line in panel]
    axes.set_yticks(range(len(panel)), names, fontsize=TEXT)


def _side_by_side(made: Sequence[PaperTable]) -> tuple[list[str], list[Row]]:
    """The columns of all tables of a data set, each once, and its tasks with the entries of all of them."""
    places = {column: (table, i) for table in reversed(made) for i, column in enumerate(table.columns)}
    tasks = [row for row in made[0].rows if not row.is_summary]
    rows = [
        Row(task.label, tuple(table.rows[number].entries[i] for table, i in places.values()), task.task)
        for number, task in enumerate(tasks)
    ]
    return list(places), rows
