"""Domains and tasks of the catalogue, from the folder where their files are. Never from the network."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np

from tsrp.datasets.catalogue import DATASETS
from tsrp.datasets.checksums import fault, sha256
from tsrp.datasets.record import DataFile, Dataset, Domain, FileDomain, Task
from tsrp.exceptions import InputError
from tsrp.io.files import check_input
from tsrp.lookup import check_name, look_up
from tsrp.validation import warn

ENVIRONMENT = "TSRP_DATA"


def data_folder(data_dir: str | os.PathLike[str] | None = None) -> Path:
    """The folder in which each data set has its own folder of files.

    Parameters
    ----------
    data_dir : path, optional
        The folder. None: what the environment variable TSRP_DATA says, else ``tsrp`` in the user's data folder.

    Examples
    --------
    >>> data_folder("benchmarks").name
    'benchmarks'
    """
    named = data_dir or os.environ.get(ENVIRONMENT)
    if named:
        try:
            return Path(named).expanduser()
        except RuntimeError as error:
            raise InputError(f"{named} names a user that there is not: correct {ENVIRONMENT} or `data_dir`.") from error
    from platformdirs import user_data_path

    return user_data_path("tsrp", appauthor=False)


def find_dataset(name: str) -> Dataset:
    """A data set of the catalogue by its name."""
    return look_up("data set", name, DATASETS)


def find_task(dataset: Dataset, task: str) -> tuple[str, str]:
    """The domains of a task, by its name such as ``"C -> A"``."""
    names = dataset.task_names
    return dataset.tasks[names.index(check_name("task", task, names, of=f" in {dataset.name}"))]


def missing_files(dataset: Dataset, *domains: str, data_dir: str | os.PathLike[str] | None = None) -> list[DataFile]:
    """The files of some domains (of all, if none are named) that are not on this disk."""
    files = dataset.files_of(*domains) if domains else dataset.files
    return [file for file in files if not place_of(dataset, file, data_dir).is_file()]


def place_of(dataset: Dataset, file: DataFile, data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Where a file of a data set is, or would be: its copy's place if only that is there."""
    own = data_folder(data_dir) / dataset.name / file.name
    if file.copy is not None and not own.exists():
        other = data_folder(data_dir) / file.copy.folder / file.name
        if other.is_file():
            return other
    return own


def difference(path: Path, file: DataFile) -> str:
    """What a file is if it is not the published one; "" if it is, or if nothing is known of that one.

    Parameters
    ----------
    path : Path
        The file on disk.
    file : DataFile
        The published one.
    """
    if file.copy is not None and sha256(path) == file.copy.sha256:
        return file.copy.what
    reason = fault(path, file)
    return "" if reason is None else f"not the published file ({reason})"


def is_on_disk(dataset: str, task: str, data_dir: str | os.PathLike[str] | None = None) -> bool:
    """Whether the files of both domains of a task are here."""
    about = find_dataset(dataset)
    return not missing_files(about, *find_task(about, task), data_dir=data_dir)


def load_domain(dataset: str, domain: str, *, data_dir: str | os.PathLike[str] | None = None, seed: int = 0) -> Domain:
    """Load one domain of a data set.

    Parameters
    ----------
    dataset, domain : str
        Their names; ``tsrp datasets`` lists the data sets.
    data_dir : path, optional
        Where the data sets are; see `data_folder`.
    seed : int, default 0
        For samples that are made rather than read.

    Returns
    -------
    Domain
        Samples as the file has them, without preprocessing.

    Raises
    ------
    InputError
        If the file is not there, or not what it should be; the sentence says what to do.

    Examples
    --------
    >>> load_domain("digits", "handwritten").X.shape
    (1797, 64)
    """
    about = find_dataset(dataset)
    spec = look_up("domain", domain, about.domains, of=f" in {dataset}")
    note = ""
    if isinstance(spec, FileDomain):
        path = place_of(about, spec.file, data_dir)
        _check(path, spec.file, dataset)
        X, y = spec.read(path)
        note = difference(path, spec.file)
        origin = note or ("from " + spec.file.address if spec.file.address else about.origin)
        provenance = f"{path.name}, {origin}"
    else:
        X, y = spec.make(seed)
        provenance = f"{about.origin}, seed {seed}"
    if X.shape != (spec.n_samples, about.n_features) or not set(np.unique(y)) <= set(about.class_names):
        raise InputError(
            f"{dataset} {domain} should be {spec.n_samples} samples of {about.n_features} features in the classes "
            f"{min(about.class_names)} to {max(about.class_names)}, but it is not: get the file again."
        )
    if note:
        warn(f"{path} is {note}: figures may differ.")
    return Domain(
        dataset=dataset,
        name=domain,
        X=X,
        y=y,
        class_names=about.class_names,
        feature_names=about.feature_names,
        licence=about.licence,
        citation=about.citation,
        provenance=provenance,
        note=note,
    )


def is_usable(dataset: Dataset, file: DataFile, data_dir: str | os.PathLike[str] | None = None) -> bool:
    """Whether a file on disk can be read and has the samples, features and classes of its domains."""
    domains = [
        name for name, spec in dataset.domains.items() if isinstance(spec, FileDomain) and spec.file.name == file.name
    ]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for domain in domains:
                load_domain(dataset.name, domain, data_dir=data_dir)
    except InputError:
        return False
    return True


def load_task(dataset: str, task: str, *, data_dir: str | os.PathLike[str] | None = None, seed: int = 0) -> Task:
    """Load source and target of a task.

    Parameters
    ----------
    dataset, task : str
        Their names, such as ``"office-caltech-surf"`` and ``"C -> A"``.
    data_dir, seed
        As for `load_domain`.

    Returns
    -------
    Task

    Examples
    --------
    >>> task = load_task("digits", "printed -> handwritten")
    >>> task.source.X.shape, task.target.y.shape
    ((1400, 64), (1797,))
    """
    source, target = find_task(find_dataset(dataset), task)
    return Task(*(load_domain(dataset, domain, data_dir=data_dir, seed=seed) for domain in (source, target)))


def _check(path: Path, file: DataFile, dataset: str) -> None:
    if not path.exists():
        where = f"run  tsrp datasets fetch {dataset}" if file.address else "no public address is known; ask its makers"
        raise InputError(f"{path} is not on this disk: {where}, or name its folder with {ENVIRONMENT}.")
    check_input(path)
