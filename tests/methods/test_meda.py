"""MEDA against the dense version of its formula, round by round, and known figures."""

from typing import Any

import numpy as np
import pytest

from tests.methods.test_artl import N_NEIGHBORS, SHAPES, VARIANTS
from tests.methods.test_methods_agree_with_textbook import assert_same_rounds, variants
from tests.support import textbook
from tsrp import GFK, MEDA, TSRP, GraphRidge, NearestNeighbour

SURF = {
    **{"C -> A": 56.58, "C -> W": 53.90, "C -> D": 50.32, "A -> C": 44.52, "A -> W": 53.22, "A -> D": 45.86},
    **{"W -> C": 33.66, "W -> A": 42.80, "W -> D": 89.17, "D -> C": 34.73, "D -> A": 40.19, "D -> W": 87.46},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_round_has_the_labels_of_the_dense_version(shape, variant):
    Xs, ys, Xt = variants(variant, 1, *shape)
    Us, Ut = textbook.geodesic_features(Xs, Xt, 2)
    model = MEDA(2, n_neighbors=N_NEIGHBORS, max_iter=6).fit(Xs, ys, Xt)
    assert_same_rounds(model, textbook.graph_rounds(Us, ys, Ut, 6, n_neighbors=N_NEIGHBORS))


def test_its_features_are_those_of_gfk_with_unit_length(domains):
    Xs, ys, Xt, _ = domains
    model = MEDA(3).fit(Xs, ys, Xt)
    np.testing.assert_allclose(model.transform(Xt), textbook.unit(GFK(3).fit(Xs, ys, Xt).transform(Xt)))
    with pytest.warns(UserWarning, match="n_components=20 is more than the 12 directions"):
        assert MEDA().fit(Xs, ys, Xt).n_components_ == 12


def test_its_parameters_are_those_of_the_classifier(domains):
    Xs, ys, Xt, _ = domains
    settings: Any = {
        "mu": "auto",
        "alignment": 2.0,
        "ridge": 0.3,
        "smoothness": 0.5,
        "n_neighbors": 4,
        "n_landmarks": 70,
    }
    model = MEDA(3, **settings).fit(Xs, ys, Xt)
    assert repr(model.final_classifier) == repr(GraphRidge(**settings))
    assert model.classifier_.get_params() == GraphRidge(**settings).get_params()
    assert 0 <= model.classifier_.mu_ <= 1


def test_tsrp_remedies_in_the_space_of_its_features(domains):
    Xs, ys, Xt, _ = domains
    model = TSRP(MEDA(3)).fit(Xs, ys, Xt)
    assert isinstance(model.classifier_, NearestNeighbour)
    Us, Ut = textbook.geodesic_features(Xs, Xt, 3)
    yt = ys[textbook.nearest(textbook.unit(Us), textbook.unit(Ut))]
    for r in model.history_:
        crude = textbook.graph_ridge(Us, ys, Ut, yt)[len(Us) :].argmax(axis=1)
        np.testing.assert_array_equal(r.crude, crude)
        yt, _ = textbook.remedy(textbook.unit(Us), ys, textbook.unit(Ut), crude, 0.9, 3)
        np.testing.assert_array_equal(r.labels, yt)


@pytest.mark.parametrize(("name", "figure"), SURF.items())
def test_the_known_figure_on_surf_comes_out(name, figure, accuracy_on):
    assert accuracy_on("office-caltech-surf", name, MEDA()) == pytest.approx(figure, abs=0.2)


@pytest.mark.parametrize(
    ("dataset", "name", "figure"),
    [
        ("mnist-usps", "MNIST -> USPS", 89.00),
        ("mnist-usps", "USPS -> MNIST", 75.15),
        ("coil20", "COIL2 -> COIL1", 90.69),
        ("coil20", "COIL1 -> COIL2", 87.64),
    ],
)
def test_the_known_figure_on_images_that_are_scaled_by_themselves_comes_out(dataset, name, figure, accuracy_on):
    assert accuracy_on(dataset, name, MEDA(), "row-zscore") == pytest.approx(figure, abs=0.5)


def test_the_known_average_on_images_as_they_are_comes_out(accuracy_on):
    figures = [accuracy_on("coil20", name, MEDA()) for name in ("COIL2 -> COIL1", "COIL1 -> COIL2")]
    assert np.mean(figures) == pytest.approx(87.43, abs=0.5)
