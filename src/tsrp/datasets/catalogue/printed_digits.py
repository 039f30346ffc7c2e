"""The embedded pair: printed and handwritten digits, made and not downloaded."""

from __future__ import annotations

from typing import Any

from tsrp.datasets.record import Dataset, MadeDomain, Samples

# 64 pixels vary in 64 directions, fewer than the default of 100; a projection should leave some of them out, too.
# Kernel and ridge are the paper's for its own digits, MNIST and USPS; with its defaults JDA brings little here.
_PRIMAL: dict[str, Any] = {"n_components": 40, "kernel": "primal", "ridge": 0.1}


def _printed(seed: int) -> Samples:
    # matplotlib, which draws them, is loaded only for that.
    from tsrp.datasets.digits import printed_digits

    return printed_digits(seed)


def _handwritten(seed: int) -> Samples:
    from tsrp.datasets.digits import handwritten_digits

    return handwritten_digits()


DIGITS = Dataset(
    name="digits",
    title="Printed and handwritten digits",
    type="digit",
    domains={"printed": MadeDomain(1400, _printed), "handwritten": MadeDomain(1797, _handwritten)},
    tasks=(("printed", "handwritten"),),
    n_features=64,
    class_names={digit: str(digit) for digit in range(10)},
    licence="CC BY 4.0 (handwritten, UCI Machine Learning Repository); the printed ones are drawn here",
    citation="Alpaydin and Kaynak: Cascading classifiers. Kybernetika 34, 1998 (handwritten).",
    origin="fonts that matplotlib ships, and scikit-learn's load_digits",
    settings={
        "jda": _PRIMAL,
        "bda": _PRIMAL,
        "dicd": {"n_components": 40, "kernel": "linear", "ridge": 1.0},
        "pca": {"n_components": 40},
        "tca": {"preprocess": "unit", **_PRIMAL},
        "rtml": {"n_components": 40},
    },
)
