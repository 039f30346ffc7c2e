"""Mushrooms: edible or poisonous, by 22 features in letters; the domains are two shapes of the stalk."""

from __future__ import annotations

from tsrp.datasets.catalogue.readers import read_mushrooms, table_rows
from tsrp.datasets.record import DataFile, Dataset, FileDomain

_FILE = DataFile(
    "mushrooms.csv",
    "jansernm/Mushroom-Classification/ba2460c07b17e9595969bd518bb5b89d13bb2b1c/Data/mushrooms.csv",
    "f0284c7a4210c4b0793713de9c45841d66f9bb27f6408f8bfedb6b34e6d6f53c",
    "abf74eebe9ff0330f4e0bfd59fd2061ef00cb3c9",
    374003,
)

MUSHROOMS = Dataset(
    name="mushrooms",
    title="Mushrooms",
    type="table",
    domains={
        "enlarging": FileDomain(3516, _FILE, table_rows("stalk-shape", "e", read_mushrooms)),
        "tapering": FileDomain(4608, _FILE, table_rows("stalk-shape", "t", read_mushrooms)),
    },
    tasks=(("enlarging", "tapering"), ("tapering", "enlarging")),
    # One for each letter of each of the 22 columns.
    n_features=117,
    class_names={0: "edible", 1: "poisonous"},
    licence="CC BY 4.0 (UCI Machine Learning Repository)",
    citation="Mushroom. UCI Machine Learning Repository, 1981 (from the Audubon Society Field Guide).",
    origin="Mushroom data set of the UCI Machine Learning Repository, each letter of a column as a zero or one",
    # No published figures: the defaults of each method.
)
