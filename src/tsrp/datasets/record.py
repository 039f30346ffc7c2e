"""What a data set is: its files and where they come from, its domains, tasks and settings; and what loading returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tsrp._types import FloatArray, LabelArray

Samples: TypeAlias = tuple[FloatArray, LabelArray]
ARROW = " -> "


@dataclass(frozen=True)
class Copy:
    """Another file with the samples of a published one: what it is, its SHA-256, and the folder where it is kept."""

    what: str
    sha256: str
    folder: str


@dataclass(frozen=True)
class DataFile:
    """A file of a data set.

    Attributes
    ----------
    name : str
        In the folder that is named like the data set.
    address : str or None
        ``repository/commit/path`` on GitHub: what is there never changes. None if it cannot be downloaded.
    sha256 : str or None
        Of its bytes, if it is known.
    blob : str or None
        Its id in git, a SHA-1 of its size and bytes, if that is known.
    size : int or None
        In bytes, if it is known.
    copy : Copy or None
        Another file that stands in for this one where this one is not there.
    """

    name: str
    address: str | None = None
    sha256: str | None = None
    blob: str | None = None
    size: int | None = None
    copy: Copy | None = None


@dataclass(frozen=True)
class FileDomain:
    """A domain in a file: how many samples it has, and how to read them."""

    n_samples: int
    file: DataFile
    read: Callable[[Path], Samples]


@dataclass(frozen=True)
class MadeDomain:
    """A domain that is made rather than read: how many samples, and how to make them from a seed."""

    n_samples: int
    make: Callable[[int], Samples]


@dataclass(frozen=True)
class Dataset:
    """One benchmark: domains that share features and classes, the tasks between them, and the settings for them.

    Attributes
    ----------
    name, title : str
        For the command line, and for people.
    type : str
        What its samples are, as the paper's table of data sets has it: object, face, digit; text, table or sensor.
    domains : mapping of str to FileDomain or MadeDomain
    tasks : tuple of (source, target)
        In the paper's order.
    n_features : int
    class_names : mapping of label to str
        What the labels mean; its keys are the classes.
    preprocess : str
        What happens to each domain first: a name of `tsrp.spec.PREPROCESSING`.
    settings : mapping of method to its parameters
        A method that is not among them runs with its defaults.
    pair_settings : mapping of method to mapping of two domains to its parameters
        Where they differ from pair to pair; the same in both directions.
    trust : mapping of method to TSRP's trust around it
    variants : mapping of method to mapping of name to its parameters
        Further settings that are worth a column of their own, preprocessing included.
    licence, citation, origin : str
    feature_names : tuple of str or None
    """

    name: str
    title: str
    type: str
    domains: Mapping[str, FileDomain | MadeDomain]
    tasks: tuple[tuple[str, str], ...]
    n_features: int
    class_names: Mapping[int, str]
    licence: str
    citation: str
    origin: str
    preprocess: str = "none"
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    pair_settings: Mapping[str, Mapping[frozenset[str], Mapping[str, Any]]] = field(default_factory=dict)
    trust: Mapping[str, float] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    feature_names: tuple[str, ...] | None = None

    @property
    def task_names(self) -> tuple[str, ...]:
        """The tasks as the paper writes them: ``"C -> A"``."""
        return tuple(source + ARROW + target for source, target in self.tasks)

    def settings_for(self, method: str, task: str) -> dict[str, Any]:
        """The parameters of a method on a task, as far as they are not its defaults."""
        pair = frozenset(task.split(ARROW))
        return {**self.settings.get(method, {}), **self.pair_settings.get(method, {}).get(pair, {})}

    @property
    def files(self) -> tuple[DataFile, ...]:
        """The files of all domains, each once."""
        return tuple({spec.file: None for spec in self.domains.values() if isinstance(spec, FileDomain)})

    @property
    def is_seeded(self) -> bool:
        """Whether a seed changes the samples."""
        return any(isinstance(spec, MadeDomain) for spec in self.domains.values())

    def files_of(self, *domains: str) -> tuple[DataFile, ...]:
        """The files that some domains are in."""
        specs = (self.domains[domain] for domain in domains)
        return tuple({spec.file: None for spec in specs if isinstance(spec, FileDomain)})


@dataclass(frozen=True, eq=False)
class Domain:
    """A loaded domain.

    Attributes
    ----------
    dataset, name : str
    X : array of float, shape (n, m)
        The samples as the file has them.
    y : array of int, shape (n,)
        Their classes.
    class_names : mapping of label to str
    feature_names : tuple of str or None
    licence, citation, provenance : str
        Under what terms, whom to cite, and which file of which origin this is.
    note : str
        What differs from the published file, if this is another one; "" if it does not.
    """

    dataset: str
    name: str
    X: FloatArray
    y: LabelArray
    class_names: Mapping[int, str]
    feature_names: tuple[str, ...] | None
    licence: str
    citation: str
    provenance: str
    note: str = ""


@dataclass(frozen=True, eq=False)
class Task:
    """A labelled source and a target; the target's classes are for scoring only."""

    source: Domain
    target: Domain

    @property
    def name(self) -> str:
        return self.source.name + ARROW + self.target.name
