"""MNIST-USPS: handwritten digits from two sources."""

from __future__ import annotations

from typing import Any

from tsrp.datasets.catalogue.readers import arrays
from tsrp.datasets.record import DataFile, Dataset, FileDomain

# MNIST_vs_USPS.mat of the same origin holds the same samples, with the sides exchanged.
_FILE = DataFile(
    "USPS_vs_MNIST.mat",
    "AngryCarrot/JDA/12167daf32b01a07b85fdfa3db57a42b3be7eefe/data/USPS_vs_MNIST.mat",
    "77d2df99e2aab8a722c8d4ff7c93a92d8b29d409a065f12e972168d1089e2971",
    "8720d6e158dc1c0cfece1681c92553618d829541",
    3303450,
)
_PRIMAL: dict[str, Any] = {"kernel": "primal", "ridge": 0.1}

MNIST_USPS = Dataset(
    name="mnist-usps",
    title="MNIST-USPS",
    type="digit",
    domains={
        "USPS": FileDomain(1800, _FILE, arrays("X_src", "Y_src")),
        "MNIST": FileDomain(2000, _FILE, arrays("X_tar", "Y_tar")),
    },
    tasks=(("USPS", "MNIST"), ("MNIST", "USPS")),
    n_features=256,
    class_names={digit + 1: str(digit) for digit in range(10)},
    licence="none stated with the file",
    citation=(
        "LeCun, Bottou, Bengio and Haffner: Gradient-based learning applied to document recognition. Proceedings of "
        "the IEEE 1998. Hull: A database for handwritten text recognition research. IEEE TPAMI 1994."
    ),
    origin="grey images of 16 x 16, as used by Long et al. (JDA, ICCV 2013)",
    settings={
        "jda": _PRIMAL,
        "bda": _PRIMAL,
        "dicd": {"kernel": "linear", "ridge": 1.0, "discrimination": 1.0, "repulsion": 0.1},
        "pca": {"preprocess": "unit"},
        "gfk": {"preprocess": "unit", "n_components": 100},
        "meda": {"preprocess": "row-zscore"},
        "tca": {"preprocess": "unit", **_PRIMAL},
        "tjm": {"kernel": "linear", "ridge": 1.0, "n_components": 100},
    },
    trust={"nn": 0.9, "jda": 0.85, "bda": 0.85, "dicd": 0.85},
)
