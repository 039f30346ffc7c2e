"""Data to adapt: the embedded pair, the public benchmarks, files of your own.

>>> from tsrp.datasets import DATASETS, load_task
>>> DATASETS["office-caltech-surf"].task_names[:2]
('C -> A', 'C -> W')
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tsrp.datasets.catalogue import DATASETS
    from tsrp.datasets.digits import load_digit_pair
    from tsrp.datasets.download import fetch
    from tsrp.datasets.loading import data_folder, load_domain, load_task
    from tsrp.datasets.record import DataFile, Dataset, Domain, Task
    from tsrp.exceptions import DataFileError
    from tsrp.io.readers import read_source, read_target

_HOMES = {
    "DATASETS": "datasets.catalogue",
    "DataFile": "datasets.record",
    "DataFileError": "exceptions",
    "Dataset": "datasets.record",
    "Domain": "datasets.record",
    "Task": "datasets.record",
    "data_folder": "datasets.loading",
    "fetch": "datasets.download",
    "load_digit_pair": "datasets.digits",
    "load_domain": "datasets.loading",
    "load_task": "datasets.loading",
    "read_source": "io.readers",
    "read_target": "io.readers",
}

__all__ = [
    "DATASETS",
    "DataFile",
    "DataFileError",
    "Dataset",
    "Domain",
    "Task",
    "data_folder",
    "fetch",
    "load_digit_pair",
    "load_domain",
    "load_task",
    "read_source",
    "read_target",
]


def __getattr__(name: str) -> Any:
    # Loaded when first asked for: reading a CSV file needs no matplotlib, the catalogue no network.
    if name in _HOMES:
        return getattr(import_module(f"tsrp.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'tsrp.datasets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
