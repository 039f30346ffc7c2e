"""Small tasks that are odd in one way each, for methods with graphs and clusters."""

from tests.support.domains import make_domains

VARIANTS = ("plain", "fewer samples than features", "missing class", "repeated samples", "one neighbour too few")


def odd_domains(variant, seed=1):
    """Source, its codes and target; four classes. With "one neighbour too few" there are 8 target samples."""
    n_features = 90 if variant == "fewer samples than features" else 10
    n_target = 8 if variant == "one neighbour too few" else 30
    Xs, ys, Xt, yt = make_domains(seed, 40, n_target, n_features)
    if variant == "missing class":
        Xt = Xt[yt != 2]
    if variant == "repeated samples":
        Xs[5:10], ys[5:10] = Xs[5], ys[5]
        Xt[:6] = Xt[0]
    return Xs, ys, Xt
