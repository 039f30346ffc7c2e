"""ARTL against the dense version of its formula, round by round, and known figures."""

from typing import Any

import numpy as np
import pytest

from tests.methods.test_methods_agree_with_textbook import assert_same_rounds, variants
from tests.support import textbook
from tsrp import ARTL, NN, GraphRidge

SHAPES = {"fewer features": (60, 50, 8), "fewer samples": (25, 20, 90), "fewer samples than neighbours": (9, 9, 5)}
N_NEIGHBORS = 20
VARIANTS = ["plain", "repeated samples", "missing class"]
SURF = {
    **{"C -> A": 44.05, "C -> W": 31.53, "C -> D": 39.49, "A -> C": 36.06, "A -> W": 33.56, "A -> D": 36.94},
    **{"W -> C": 29.74, "W -> A": 38.31, "W -> D": 87.90, "D -> C": 30.45, "D -> A": 34.86, "D -> W": 88.47},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mu", [0.5, 0.9])
def test_every_round_has_the_labels_of_the_dense_version(shape, variant, mu):
    Xs, ys, Xt = variants(variant, 1, *shape)
    expected = textbook.graph_rounds(Xs, ys, Xt, 6, mu=mu, n_neighbors=N_NEIGHBORS)
    model = ARTL(mu=mu, n_neighbors=N_NEIGHBORS, max_iter=6).fit(Xs, ys, Xt)
    assert_same_rounds(model, expected)


def test_it_is_the_graph_classifier_on_unit_rows(domains):
    Xs, ys, Xt, _ = domains
    settings: Any = {"alignment": 2.0, "n_neighbors": 4, "smoothness": 0.5}
    plain = NN(unit_rows=True, classifier=GraphRidge(**settings)).fit(Xs, ys, Xt)
    np.testing.assert_array_equal(ARTL(**settings).fit(Xs, ys, Xt).labels_, plain.labels_)


@pytest.mark.parametrize(("name", "figure"), SURF.items())
def test_the_known_figure_on_surf_comes_out(name, figure, accuracy_on):
    assert accuracy_on("office-caltech-surf", name, ARTL()) == pytest.approx(figure, abs=0.2)
