"""The embedded pair: what the printed digits are made of, and that they can be made again."""

import time
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.font_manager import get_font
from sklearn.datasets import load_digits

from tsrp.datasets import digits
from tsrp.datasets.digits import FONTS, IMAGES_PER_GLYPH, glyph_outline, load_digit_pair

FOLDER = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


@pytest.fixture(autouse=True)
def drawn_anew(digits_once, monkeypatch):
    monkeypatch.setattr(digits, "printed_digits", digits_once)


@pytest.fixture(scope="module")
def pair():
    return load_digit_pair()


def test_the_same_seed_gives_the_same_images(pair):
    np.testing.assert_array_equal(load_digit_pair(0).Xs, pair.Xs)


def test_another_seed_gives_other_images_of_the_same_classes(pair):
    other = load_digit_pair(1)
    assert (other.Xs != pair.Xs).any(axis=1).mean() > 0.99
    np.testing.assert_array_equal(other.ys, pair.ys)


def test_it_is_made_quickly():
    began = time.process_time()
    load_digit_pair()
    assert time.process_time() - began < 2


def test_printed_classes_are_balanced(pair):
    assert np.bincount(pair.ys).tolist() == [len(FONTS) * IMAGES_PER_GLYPH] * 10


@pytest.mark.parametrize("domain", ["Xs", "Xt"])
def test_features_are_counts_of_the_pixels_of_a_block(pair, domain):
    X = getattr(pair, domain)
    assert X.dtype == np.float64
    assert X.shape[1] == 64
    np.testing.assert_array_equal(X, X.round())
    assert (X.min(), X.max()) == (0, 16)


def test_no_image_is_empty_or_full(pair):
    ink = pair.Xs.sum(axis=1) / 32**2
    assert ink.min() > 0.05
    assert ink.max() < 0.7


def test_the_target_is_that_of_scikit_learn(pair):
    X, y = load_digits(return_X_y=True)
    np.testing.assert_array_equal(pair.Xt, X)
    np.testing.assert_array_equal(pair.yt, y)
    assert pair.yt.dtype.kind == pair.ys.dtype.kind == "i"


@pytest.mark.parametrize("font", FONTS)
def test_every_font_has_ten_different_digits(font):
    characters = get_font(str(FOLDER / font)).get_charmap()
    assert {ord(digit) for digit in "0123456789"} <= set(characters)
    shapes = {glyph_outline(FOLDER / font, digit)[0].tobytes() for digit in "0123456789"}
    assert len(shapes) == 10


def test_glyphs_have_unit_height_and_sit_in_the_middle():
    corners = np.vstack(glyph_outline(FOLDER / "DejaVuSans.ttf", "8"))
    low, high = corners.min(axis=0), corners.max(axis=0)
    np.testing.assert_allclose(low + high, 0, atol=1e-12)
    assert high[1] - low[1] == pytest.approx(1)


def test_holes_stay_white_and_images_stand_upright():
    bitmap = digits._bitmap(glyph_outline(FOLDER / "DejaVuSans.ttf", "9"), 28 * np.eye(2))
    filled = np.argwhere(bitmap)
    assert (filled[:, 0].min(), filled[:, 0].max()) == (2, 29)
    # A nine has its bowl, and the bowl its hole, in the upper half, and more ink there.
    assert bitmap[:16].sum() > bitmap[16:].sum()
    assert not bitmap[10:13, 15:17].any()


def test_a_positive_slant_leans_to_the_right():
    glyph = glyph_outline(FOLDER / "DejaVuSans.ttf", "1")
    upright = digits._bitmap(glyph, 28 * np.eye(2))
    slanted = digits._bitmap(glyph, 28 * np.array([[1.0, 0.0], [0.25, 1.0]]))

    def lean(bitmap):
        row, column = np.nonzero(bitmap)
        return column[row < 16].mean() - column[row >= 16].mean()

    assert lean(slanted) > lean(upright) + 1
