"""The demo: the paper's methods on the embedded pair, without and with TSRP. It computes; printing is the caller's."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tsrp.base.adapter import Adapter
from tsrp.datasets.catalogue.printed_digits import DIGITS
from tsrp.datasets.digits import DigitPair
from tsrp.methods.bda import BDA
from tsrp.methods.dicd import DICD
from tsrp.methods.jda import JDA
from tsrp.methods.nn import NN
from tsrp.progress import Event
from tsrp.remedy import TSRP

WITH_TSRP = "+TSRP"

OnRound = Callable[[str, Event], object]


@dataclass(frozen=True)
class DemoRow:
    """How one method did on the target.

    Attributes
    ----------
    method : str
        For example ``"JDA"`` or ``"JDA+TSRP"``.
    accuracy : float
        Share of target samples with the right label, from 0 to 1.
    estimated_accuracy : float
        The same as the method estimates it, without the target's classes.
    half_accuracy : float
        Accuracy of the half of the labels that are trusted most.
    confident_share : float
        Share of target samples whose labels are right with a probability of at least 0.9.
    confident_accuracy : float
        Accuracy of these.
    seconds : float
        Time of the fit.
    model : Adapter
        The fitted method.
    """

    method: str
    accuracy: float
    estimated_accuracy: float
    half_accuracy: float
    confident_share: float
    confident_accuracy: float
    seconds: float
    model: Adapter

    @property
    def base(self) -> str:
        """The method's name without TSRP."""
        return self.method.removesuffix(WITH_TSRP)


def demo_methods() -> dict[str, Adapter]:
    """The demo's methods by name, unfitted, each followed by its version with TSRP.

    Examples
    --------
    >>> list(demo_methods())
    ['NN', 'NN+TSRP', 'JDA', 'JDA+TSRP', 'BDA', 'BDA+TSRP', 'DICD', 'DICD+TSRP']
    """
    settings = DIGITS.settings
    # BDA finds mu by itself: with a half it would be JDA once more.
    bases: dict[str, Adapter] = {
        "NN": NN(),
        "JDA": JDA(**settings["jda"]),
        "BDA": BDA(**settings["bda"], mu="auto"),
        "DICD": DICD(**settings["dicd"]),
    }
    methods: dict[str, Adapter] = {}
    for name, base in bases.items():
        methods |= {name: base, name + WITH_TSRP: TSRP(base)}
    return methods


def run_demo(pair: DigitPair, on_round: OnRound | None = None) -> list[DemoRow]:
    """Fit every method of `demo_methods` and judge it by the target's classes.

    Parameters
    ----------
    pair : DigitPair
        The domains.
    on_round : callable, optional
        Called with the method's name and a `Round` after each round of each fit.

    Returns
    -------
    list of DemoRow
        In the order of `demo_methods`.
    """
    return [_fit(name, method, pair, on_round) for name, method in demo_methods().items()]


def _fit(name: str, method: Adapter, pair: DigitPair, on_round: OnRound | None) -> DemoRow:
    def report(round_: Event) -> None:
        if on_round is not None:
            on_round(name, round_)

    began = time.perf_counter()
    model = method.fit(pair.Xs, pair.ys, pair.Xt, callback=report)
    seconds = time.perf_counter() - began
    right, confident = model.labels_ == pair.yt, model.confident_
    most_trusted = np.argsort(-model.trust_, kind="stable")[: len(right) // 2]
    return DemoRow(
        method=name,
        accuracy=float(right.mean()),
        estimated_accuracy=model.estimated_accuracy_.value,
        half_accuracy=float(right[most_trusted].mean()),
        confident_share=float(confident.mean()),
        confident_accuracy=float(right[confident].mean()),
        seconds=seconds,
        model=model,
    )
