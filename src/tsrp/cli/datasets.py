"""`tsrp datasets`: which data sets there are, which are on this disk, and getting them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from tsrp.cli.console import (
    EXIT_CODES,
    Command,
    Exit,
    Group,
    fail,
    if_interrupted,
    note,
    out,
    progress_bar,
    reporting_errors,
    with_options,
)

if TYPE_CHECKING:
    from tsrp.datasets.record import Dataset

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir", help="Folder of the data sets; TSRP_DATA if not given, else tsrp in the user's data folder."
    ),
]
datasets = typer.Typer(
    cls=Group, help="List the data sets, and download them.", epilog=EXIT_CODES, invoke_without_command=True
)


@datasets.callback()
@reporting_errors
def list_datasets(context: typer.Context, data_dir: DataDir = None) -> None:
    """List the data sets: type, size, samples, features, classes, and whether they are on this disk."""
    if context.invoked_subcommand is not None:
        context.obj = data_dir
        return
    _print_list(data_dir)


def _print_list(data_dir: Path | None) -> None:
    from tsrp.datasets import DATASETS, data_folder
    from tsrp.datasets.loading import missing_files

    # Without a frame, so that it fits into 80 columns.
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("data set", "type", "tasks", "samples", "features", "classes", "MB", "on disk"):
        is_text = heading in ("data set", "type", "on disk")
        table.add_column(heading, justify="left" if is_text else "right", no_wrap=True)
    for about in DATASETS.values():
        table.add_row(
            about.name,
            about.type,
            str(len(about.tasks)),
            f"{sum(spec.n_samples for spec in about.domains.values()):,}",
            f"{about.n_features:,}",
            str(len(about.class_names)),
            _size(about, data_dir),
            _presence(about, data_dir),
        )
    out.print(table)
    out.print(f"Folder: {escape(str(data_folder(data_dir)))}", highlight=False, soft_wrap=True)
    private = [
        name
        for name, about in DATASETS.items()
        if not all(file.address for file in missing_files(about, data_dir=data_dir))
    ]
    if private:
        out.print(f"No public address: {', '.join(private)}", highlight=False)
    out.print(
        "tsrp datasets fetch NAME gets the files; licences and citations: tsrp datasets show NAME.", highlight=False
    )


def _presence(about: Dataset, data_dir: Path | None) -> str:
    from tsrp.datasets.loading import missing_files

    if not about.files:
        return "built in"
    missing = missing_files(about, data_dir=data_dir)
    if not missing:
        return "yes"
    here = len(about.files) - len(missing)
    return f"{here} of {len(about.files)}" if here else "no"


def _size(about: Dataset, data_dir: Path | None) -> str:
    """The size of all files, as far as it is known or they are here."""
    from tsrp.datasets.loading import place_of

    if not about.files:
        return "-"
    sizes = []
    for file in about.files:
        path = place_of(about, file, data_dir)
        sizes.append(path.stat().st_size if path.is_file() else file.size)
    known = [size for size in sizes if size is not None]
    if not known:
        return "?"
    return f"{'' if len(known) == len(sizes) else '> '}{sum(known) / 1e6:.1f}"


@datasets.command(cls=Command, epilog=EXIT_CODES)
@reporting_errors
def show(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A data set.")],
    data_dir: DataDir = None,
) -> None:
    """Show a data set: domains, tasks, classes, settings, licence, citation, and for each file what is on this disk."""
    from tsrp.datasets.loading import find_dataset

    about = find_dataset(name)
    table = Table(title=about.title, show_header=False)
    rows = {
        "type": about.type,
        "domains": ", ".join(f"{domain} ({spec.n_samples:,})" for domain, spec in about.domains.items()),
        "tasks": ", ".join(about.task_names),
        "classes": ", ".join(f"{label} {text}" for label, text in about.class_names.items()),
        "preprocessing": about.preprocess,
        **{
            f"settings of {method}": ", ".join(f"{key}={value}" for key, value in settings.items())
            for method, settings in about.settings.items()
        },
        "trust of +tsrp": ", ".join(f"{method} {trust:g}" for method, trust in about.trust.items()) or "the default",
        "what it is": about.origin,
        "licence": about.licence,
        "please cite": about.citation,
        "files": "\n".join(_file_states(about, data_dir if data_dir is not None else context.obj)) or "none",
    }
    for heading, text in rows.items():
        table.add_row(heading, escape(text))
    out.print(table)


def _file_states(about: Dataset, data_dir: Path | None) -> Iterator[str]:
    """Each file: what is on this disk, and where it comes from."""
    from tsrp.datasets.loading import difference, place_of

    for file in about.files:
        path = place_of(about, file, data_dir)
        state = (difference(path, file) or "the published file") if path.is_file() else "not on this disk"
        yield f"{file.name}: {state}; {file.address or 'no public address'}"


@datasets.command(cls=Command, epilog=EXIT_CODES)
@reporting_errors
def fetch(
    context: typer.Context,
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Data sets, or all.")],
    data_dir: DataDir = None,
    mirror: Annotated[
        str, typer.Option(help="Address of a server with the files, for those who cannot reach GitHub.")
    ] = "https://raw.githubusercontent.com",
) -> None:
    """Download data sets: each file is checked against its checksum, and one that is damaged is fetched again."""
    from tsrp.datasets import DATASETS
    from tsrp.datasets.download import check_mirror
    from tsrp.datasets.loading import find_dataset

    folder = data_dir if data_dir is not None else context.obj
    chosen = list(DATASETS) if names == ["all"] else [find_dataset(name).name for name in dict.fromkeys(names)]
    check_mirror(mirror)
    # One that cannot be had does not keep the others away.
    failed = [name for name in chosen if not _fetch(name, folder, mirror)]
    if failed:
        fail(f"not complete: {', '.join(failed)}.", Exit.DOWNLOAD)


def _fetch(name: str, data_dir: Path | None, mirror: str) -> bool:
    """Get one data set, and tell of each file; whether all of them are there now."""
    from tsrp.datasets import DATASETS
    from tsrp.datasets import fetch as fetch_files
    from tsrp.exceptions import DownloadError

    if not DATASETS[name].files:
        out.print(f"{name}: built in, nothing to fetch", highlight=False)
    complete = True
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with (
        if_interrupted("files that were complete are kept"),
        progress_bar(columns=columns) as progress,
    ):
        try:
            for done in fetch_files(name, data_dir=data_dir, mirror=mirror, bar=_FileBar(progress, name)):
                reason = f" ({done.reason})" if done.reason else ""
                out.print(f"{name}: {done.file.name} {done.what}{escape(reason)}", highlight=False, soft_wrap=True)
                complete = complete and done.what != "no address"
        except DownloadError as error:
            note(f"{name}: {with_options(error)}")
            complete = False
    return complete


class _FileBar:
    """The bar of the file that is being fetched, as pooch drives it."""

    def __init__(self, progress: Progress, name: str) -> None:
        self.progress = progress
        self.task = progress.add_task(name, total=None)

    @property
    def total(self) -> int:
        return int(self.progress.tasks[self.task].total or 0)

    @total.setter
    def total(self, size: int) -> None:
        self.progress.reset(self.task, total=size)

    def update(self, amount: int) -> None:
        self.progress.advance(self.task, amount)

    def reset(self) -> None:
        self.progress.reset(self.task)

    def close(self) -> None:
        pass
