"""Amazon reviews: good or bad, by their words, for books, DVDs, electronics and kitchen appliances."""

from __future__ import annotations

from tsrp.datasets.catalogue.readers import arrays
from tsrp.datasets.record import DataFile, Dataset, FileDomain

_ORIGIN = "caokangx/MK-MMCD-MEDA/61bc949ec59a3b030476a04bb1dd647a1990eeca/data/amazon_review"
# Samples, SHA-256, git's id, bytes.
_PRODUCTS = {
    "books": (
        2000,
        "7a53b54f0c0e81e7ee4774d762a927399cede9a802a2409732ba00cc1c23a17a",
        "e7a211264339509c2fbd815cc4d4b3a2a7451323",
        356724,
    ),
    "dvd": (
        1999,
        "13a71d399f9c7ae57064952979c830455057ffd0a8da73f2c9075338d64d98ce",
        "071503c7d32da111df36df38db307ccb9a03002b",
        360255,
    ),
    "elec": (
        1998,
        "f1dd6e01c1eed956d3abe6493a6bb5efc95e6585b8b9b2d856c0c07e12893a35",
        "b90b525d71261b5f7b33519fe24e3844c5f03b2c",
        316867,
    ),
    "kitchen": (
        1999,
        "b1f4e5ddfbd7b37ad2638fccbf83bd8558abf63b3e8d69a9d5bca77b1a49fed5",
        "70248f41b2b26f0268708be7938a184469c0db51",
        287938,
    ),
}


def _domain(product: str) -> FileDomain:
    n_samples, sha256, blob, size = _PRODUCTS[product]
    name = f"{product}_400.mat"
    return FileDomain(n_samples, DataFile(name, f"{_ORIGIN}/{name}", sha256, blob, size), arrays("fts", "labels"))


AMAZON_REVIEWS = Dataset(
    name="amazon-reviews",
    title="Amazon reviews",
    type="text",
    domains={product: _domain(product) for product in _PRODUCTS},
    tasks=tuple((source, target) for source in _PRODUCTS for target in _PRODUCTS if source != target),
    n_features=400,
    class_names={0: "negative", 1: "positive"},
    licence="none stated with the file; the original reviews are for research",
    citation=(
        "Blitzer, Dredze and Pereira: Biographies, Bollywood, boom-boxes and blenders: domain adaptation for sentiment "
        "classification. ACL 2007."
    ),
    origin="400 words and pairs of words of the multi-domain sentiment data set, weighted",
    # No published figures: the defaults of each method.
)
