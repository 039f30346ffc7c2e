"""TCA and TJM beside other installed packages, in one run: exactness, labels and seconds on the same problems.

    pip install ".[bench]"                     # skada, and adapt, which needs TensorFlow
    tsrp datasets fetch office-caltech-surf    # and mnist-usps, and coil20
    python -m benchmarks.peers                 # about twenty minutes on two cores
    python -m benchmarks.peers 250 500         # only TCA on ever more samples: 250 + 250, then 500 + 500

All are asked for the k smallest theta of  (K M K + ridge G) a = theta (K H K) a,  K the linear kernel, M the mean
discrepancy scaled to Frobenius norm 1, G the identity (TCA) or the weights of the last round (TJM). With L and R the
two sides and theta the Rayleigh quotient, `residual` is the largest |L a - theta R a| / (|L a| + |theta| |R a|) of the
k vectors: do they solve the problem? `%` is the accuracy of 1-nearest-neighbour on the projection. `s` is the time of
the fit, the projection and these labels: the best of three for tsrp, one for the packages, on all BLAS threads.

On ever more samples a package is left out once it would take too long. Beside them stands what the public scripts of
JDA (JDA.m, JDA.py) ask for on the kernel in each round: M, H, K, K M K and K H K are n x n, of 8 n^2 bytes, and the
last two are four products of 2 n^3 operations, before the eigenproblem of that size.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.linalg
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler, normalize

from benchmarks.synthetic import make_domains, ridge
from tsrp import TCA, TJM
from tsrp.datasets import load_task
from tsrp.methods import tjm
from tsrp.numerics.eigenproblem import Reduction

HEADER = f"\n{{:<20}} {'':<14} {'rounds':>6} {'%':>8} {'residual':>10} {'s':>8} {'x tsrp':>8}"
ROUNDS = 10
# Ten dense rounds on more samples than this take many minutes.
PATIENCE = 2500
# Samples of each domain, and the seconds that a package may be expected to take.
SIZES, LONGEST = (500, 1_000, 2_000, 4_000, 8_000, 16_000), 180.0


class Problem(NamedTuple):
    """A task and the settings of a method."""

    Xs: np.ndarray
    ys: np.ndarray
    Xt: np.ndarray
    yt: np.ndarray
    k: int
    ridge: float

    @property
    def X(self) -> np.ndarray:
        return np.vstack([self.Xs, self.Xt])

    @property
    def discrepancy_norm(self) -> float:
        """The Frobenius norm of M before it is scaled to 1."""
        return 1 / len(self.Xs) + 1 / len(self.Xt)

    @property
    def pull(self) -> np.ndarray:
        """The vector q of K M K = q q'."""
        return self.X @ (self.Xs.mean(axis=0) - self.Xt.mean(axis=0)) / np.sqrt(self.discrepancy_norm)

    @property
    def marks(self) -> np.ndarray:
        """How skada tells source (positive) from target (negative)."""
        return np.repeat([1, -2], [len(self.Xs), len(self.Xt)])


# The vectors A (a row for each sample), the diagonal of G in the last round, the number of rounds.
Solution: TypeAlias = tuple[np.ndarray, np.ndarray | float, int]
# A contender labels the target, which is timed, and tells afterwards what it solved.
Fitted: TypeAlias = tuple[np.ndarray, Callable[[], Solution]]
Contender: TypeAlias = Callable[[Problem], Fitted]


@contextmanager
def watched(owner: Any, name: str) -> Iterator[SimpleNamespace]:
    """Count the calls of a function or method and keep the last: no model keeps the problem of its last round."""
    function, calls = getattr(owner, name), SimpleNamespace(count=0)

    def watching(*args: Any, **kwargs: Any) -> Any:
        calls.count += 1
        # tsrp overwrites the weights, a vector, for the next round.
        calls.args = [arg.copy() if getattr(arg, "ndim", 0) == 1 else arg for arg in args]
        calls.result = function(*args, **kwargs)
        return calls.result

    setattr(owner, name, watching)
    try:
        yield calls
    finally:
        setattr(owner, name, function)


def tsrp_tca(p: Problem) -> Fitted:
    with watched(Reduction, "project") as calls:
        labels = TCA(p.k, ridge=p.ridge).fit(p.Xs, p.ys, p.Xt).labels_
    reduction, Y = calls.args
    return labels, lambda: (reduction.F / reduction.scale @ Y, 1.0, calls.count)


def tsrp_tjm(p: Problem) -> Fitted:
    with watched(tjm, "smallest_eigenvectors_weighted") as calls:
        labels = TJM(p.k, ridge=p.ridge, max_steps=ROUNDS).fit(p.Xs, p.ys, p.Xt).labels_
    return labels, lambda: (calls.result, calls.args[3], calls.count)


def mu(p: Problem) -> float:
    """What makes the TCA of both packages this problem: they solve with I + mu K M K, and M as it comes.

    Kernel and k can be set, so nothing is left to differ. But both (skada 0.6.0, adapt 0.4.5) form L^-1 R and pass it
    to `eigh`, which reads one triangle of it. It is symmetric only where the means of the domains agree, as on SURF
    after the z-score of each domain; elsewhere they decompose another matrix.
    """
    return 1 / (p.ridge * p.discrepancy_norm)


def skada_tca(p: Problem) -> Fitted:
    from skada import TransferComponentAnalysisAdapter

    model = TransferComponentAnalysisAdapter(kernel="linear", n_components=p.k, mu=mu(p))
    return nearest(p, model.fit_transform(p.X, sample_domain=p.marks)), lambda: (model.eigvects_, 1.0, 1)


def adapt_tca(p: Problem) -> Fitted:
    from adapt.feature_based import TCA as AdaptTCA

    model = AdaptTCA(kernel="linear", n_components=p.k, mu=mu(p), verbose=0)
    Z = np.vstack([model.fit_transform(p.Xs, p.Xt), model.transform(p.Xt)])
    return nearest(p, Z), lambda: (model.vectors_, 1.0, 1)


def skada_tjm(tol: float) -> Contender:
    """TJM of skada 0.6.0: kernel, k, ridge (`tradeoff`) and M are the same, rounds and scale are not.

    It stops once the loss changes by less than `tol` of the loss before, which starts at -2 tol: one round for any
    tol >= 0, and all of them for tol < 0. Vectors have the length of the constraint, not 1; the next round's weights
    are 1 / (2 |a|), not 1 / |a|. Neither can be set, so its second round is another problem: the residual is of that.
    """

    def contender(p: Problem) -> Fitted:
        from skada import TransferJointMatchingAdapter

        model = TransferJointMatchingAdapter(p.k, tradeoff=p.ridge, max_iter=ROUNDS, kernel="linear", tol=tol)
        with watched(scipy.linalg, "eigh") as calls:
            labels = nearest(p, model.fit_transform(p.X, sample_domain=p.marks))
        return labels, lambda: (model.A_, (np.diag(calls.args[0]) - p.pull**2) / p.ridge, calls.count)

    return contender


def nearest(p: Problem, Z: np.ndarray) -> np.ndarray:
    return KNeighborsClassifier(1).fit(Z[: len(p.Xs)], p.ys).predict(Z[len(p.Xs) :])


def residual(p: Problem, A: np.ndarray, G: np.ndarray | float) -> float:
    X, q, length = p.X, p.pull, np.linalg.norm
    KA = X @ (X.T @ A)
    left = np.outer(q, q @ A) + p.ridge * (G * A.T).T
    right = X @ (X.T @ (KA - KA.mean(axis=0)))
    right *= (A * left).sum(axis=0) / (A * right).sum(axis=0)
    return float((length(left - right, axis=0) / (length(left, axis=0) + length(right, axis=0))).max())


def compare(what: str, p: Problem, contenders: dict[str, Contender]) -> dict[str, float]:
    """Print a row for each contender, tsrp first; their seconds."""
    times: dict[str, float] = {}
    for name, contender in contenders.items():
        if name == "skada, tol < 0" and len(p.X) > PATIENCE:
            continue
        runs = []
        for _ in range(1 if times else 3):
            start = time.perf_counter()
            labels, solution = contender(p)
            runs.append(time.perf_counter() - start)
        times[name] = min(runs)
        A, G, rounds = solution()
        numbers = f"{rounds:6d} {100 * np.mean(labels == p.yt):8.2f} {residual(p, A, G):10.0e}"
        print(f"{what:<20} {name:<14} {numbers} {times[name]:8.2f} {times[name] / times['tsrp']:8.1f}", flush=True)
    return times


def available() -> dict[str, dict[str, Contender]]:
    """The contenders of each method, of the packages that can be imported."""
    # TensorFlow comes with adapt and has much to say.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    found: dict[str, dict[str, Contender]] = {"TCA": {"tsrp": tsrp_tca}, "TJM": {"tsrp": tsrp_tjm}}
    skada_tjms = {"skada": skada_tjm(tol=0.01), "skada, tol < 0": skada_tjm(tol=-1)}
    peers: dict[str, dict[str, dict[str, Contender]]] = {
        "skada": {"TCA": {"skada": skada_tca}, "TJM": skada_tjms},
        "adapt": {"TCA": {"adapt": adapt_tca}},
    }
    for package, methods in peers.items():
        try:
            importlib.import_module(package)
        except Exception as error:  # a TensorFlow that does not fit fails in many ways
            print(f"{package}: not installed ({error})")
            continue
        print(f"{package} {version(package)}: {' and '.join(methods)}")
        for method, contenders in methods.items():
            found[method].update(contenders)
    return found


def grow(sizes: Sequence[int], contenders: dict[str, Contender]) -> None:
    """Print the seconds of each contender on ever more samples, and what the public scripts of JDA need a round."""
    columns = "".join(f" {f'{name}, s':>10}" for name in contenders)
    print(f"\n{'TCA, k=100':<20}{columns}   JDA scripts, a round: matrices, products")
    before: dict[str, tuple[int, float]] = {}
    for size in sizes:
        Xs, ys, Xt, yt = make_domains(size, size)
        problem, n = Problem(Xs, ys, Xt, yt, 100, ridge(2 * size)), 2 * size
        cells = ""
        for name, contender in contenders.items():
            smaller, seconds = before.get(name, (size, 0.0))
            # Packages take the cube of the samples.
            if name != "tsrp" and seconds * (size / smaller) ** 3 > LONGEST:
                cells += f" {'too long':>10}"
                continue
            start = time.perf_counter()
            contender(problem)
            before[name] = size, time.perf_counter() - start
            cells += f" {before[name][1]:10.2f}"
        scripts = f"{5 * 8 * n**2 / 1e9:8.2f} GB, {8 * n**3:.0e} operations"
        print(f"{f'{size:,} + {size:,} x 256':<20}{cells}   {scripts}", flush=True)


def main() -> None:
    # skada warns of inaccurate vectors: the residual says how inaccurate.
    warnings.simplefilter("ignore")
    contenders = available()
    if len(sys.argv) > 1:
        return grow([int(size) for size in sys.argv[1:]], contenders["TCA"])

    # The published settings, except that TCA was in its primal form on the last two, which the packages do not have.
    print(HEADER.format("tasks"))
    zscore, unit = (Normalizer("l1"), StandardScaler()), Normalizer()
    for what, dataset, name, method, steps, k, weight in (
        ("SURF C->A", "office-caltech-surf", "C -> A", "TCA", zscore, 100, 1.0),
        ("SURF C->A", "office-caltech-surf", "C -> A", "TJM", (*zscore, unit), 20, 1.0),
        ("MNIST->USPS", "mnist-usps", "MNIST -> USPS", "TCA", (unit,), 100, 0.1),
        ("MNIST->USPS", "mnist-usps", "MNIST -> USPS", "TJM", (unit,), 100, 1.0),
        ("COIL1->COIL2", "coil20", "COIL1 -> COIL2", "TCA", (unit,), 100, 0.1),
        ("COIL1->COIL2", "coil20", "COIL1 -> COIL2", "TJM", (unit,), 100, 1.0),
    ):
        task, preprocess = load_task(dataset, name), make_pipeline(*steps)
        Xs, Xt = (preprocess.fit_transform(domain.X) for domain in (task.source, task.target))
        problem = Problem(Xs, task.source.y, Xt, task.target.y, k, weight)
        compare(f"{what}, {method}", problem, contenders[method])

    print(HEADER.format("2,000 + 2,000 x 256"))
    Xs, ys, Xt, yt = make_domains(2000, 2000)
    for method, k, scale in (("TCA", 100, np.asarray), ("TJM", 20, normalize)):
        problem = Problem(scale(Xs), ys, scale(Xt), yt, k, ridge(4000))
        times = compare(f"{method}, k={k}", problem, contenders[method])
        fast = times.pop("tsrp")
        if times:
            print(f"{method}: tsrp is {min(times.values()) / fast:.0f} times as fast as the fastest package (target 5)")
    grow(SIZES, contenders["TCA"])


if __name__ == "__main__":
    main()
