"""The embedded pair: printed digits as the source, handwritten digits as the target; nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path as Outline
from matplotlib.textpath import TextPath
from sklearn.datasets import load_digits

from tsrp._types import BoolArray, FloatArray, IntArray

# By name: the other fonts that matplotlib ships have no digits, or symbols where the digits should be.
FONTS = (
    *("DejaVuSans.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-BoldOblique.ttf"),
    *("DejaVuSansMono.ttf", "DejaVuSansMono-Oblique.ttf", "DejaVuSansMono-Bold.ttf", "DejaVuSansMono-BoldOblique.ttf"),
    *("DejaVuSerif.ttf", "DejaVuSerif-Italic.ttf", "DejaVuSerif-Bold.ttf", "DejaVuSerif-BoldItalic.ttf"),
    *("STIXGeneral.ttf", "STIXGeneralItalic.ttf", "STIXGeneralBol.ttf", "STIXGeneralBolIta.ttf"),
    *("cmr10.ttf", "cmb10.ttf", "cmss10.ttf", "cmtt10.ttf"),
)
IMAGES_PER_GLYPH = 7
# The bitmap is BITMAP x BITMAP; each feature counts the set pixels of a BLOCK x BLOCK square of it.
BITMAP, BLOCK = 32, 4
# How the printed digits vary: height in pixels, shear, and rotation in degrees.
HEIGHT = 28.0
HEIGHT_SPREAD, SLANT_SPREAD, ROTATION_SPREAD = 0.15, 0.25, 12.0

_CENTRES = np.arange(BITMAP) - (BITMAP - 1) / 2
# Centres of the bitmap's pixels, row by row from the top; the origin is its middle, y points up.
_PIXELS = np.column_stack([np.tile(_CENTRES, BITMAP), np.repeat(-_CENTRES, BITMAP)])


@dataclass(frozen=True)
class DigitPair:
    """Printed and handwritten digits, described by the same 64 features.

    A sample is an image of 8 x 8, row by row; each feature counts the black pixels (0 to 16) in a square of 4 x 4 of
    a bitmap of 32 x 32. Class ``d`` is the digit ``d``.

    Attributes
    ----------
    Xs : array of float, shape (1400, 64)
        Printed digits, the source.
    ys : array of int, shape (1400,)
        Their classes, 140 of each.
    Xt : array of float, shape (1797, 64)
        Handwritten digits, the target.
    yt : array of int, shape (1797,)
        Their classes, to judge the result by; no method sees them.
    """

    Xs: FloatArray
    ys: IntArray
    Xt: FloatArray
    yt: IntArray


def load_digit_pair(seed: int = 0) -> DigitPair:
    """Make the printed digits and load the handwritten ones.

    The printed digits come from the fonts that matplotlib ships, seven images of each digit in each font, every one
    with its own random height, slant and rotation. The handwritten ones are scikit-learn's `load_digits`; both were
    made in the same way, by counting the set pixels of a larger bitmap.

    Parameters
    ----------
    seed : int, default 0
        Of the random changes: the same seed gives the same images.

    Returns
    -------
    DigitPair

    Examples
    --------
    >>> pair = load_digit_pair()
    >>> pair.Xs.shape, pair.Xt.shape
    ((1400, 64), (1797, 64))
    >>> float(pair.Xs.min()), float(pair.Xs.max())
    (0.0, 16.0)
    """
    return DigitPair(*printed_digits(seed), *handwritten_digits())


def handwritten_digits() -> tuple[FloatArray, IntArray]:
    """The target of the pair: images and their classes."""
    X, y = load_digits(return_X_y=True)
    return X.astype(np.float64), y.astype(np.int64)


def printed_digits(seed: int) -> tuple[FloatArray, IntArray]:
    """The source of the pair: images and their classes."""
    rng = np.random.default_rng(seed)
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    images, labels = [], []
    for digit in range(10):
        for font in FONTS:
            glyph = glyph_outline(folder / font, str(digit))
            for _ in range(IMAGES_PER_GLYPH):
                images.append(_block_counts(_bitmap(glyph, _random_change(rng))))
                labels.append(digit)
    return np.array(images, dtype=np.float64), np.array(labels, dtype=np.int64)


def glyph_outline(font: Path, character: str) -> list[FloatArray]:
    """The closed polygons of a glyph, the middle of its bounding box at the origin, scaled to height 1."""
    # Large, because curves become polygons with a tolerance in absolute units.
    text = TextPath((0, 0), character, size=200, prop=FontProperties(fname=str(font)))
    polygons = [np.asarray(polygon) for polygon in text.to_polygons()]
    corners = np.vstack(polygons)
    low, high = corners.min(axis=0), corners.max(axis=0)
    return [(polygon - (low + high) / 2) / (high - low)[1] for polygon in polygons]


def _random_change(rng: np.random.Generator) -> FloatArray:
    """The transposed matrix that slants, then rotates, then enlarges."""
    height = HEIGHT * (1 + rng.uniform(-HEIGHT_SPREAD, HEIGHT_SPREAD))
    slant = rng.uniform(-SLANT_SPREAD, SLANT_SPREAD)
    angle = np.deg2rad(rng.uniform(-ROTATION_SPREAD, ROTATION_SPREAD))
    shear = np.array([[1.0, 0.0], [slant, 1.0]])
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    change: FloatArray = height * shear @ rotation
    return change


def _bitmap(glyph: list[FloatArray], change: FloatArray) -> BoolArray:
    """Which pixel centres lie inside: within an odd number of the polygons, as holes are polygons too."""
    inside = np.zeros(len(_PIXELS), dtype=bool)
    for polygon in glyph:
        inside ^= Outline(polygon @ change).contains_points(_PIXELS)
    return inside.reshape(BITMAP, BITMAP)


def _block_counts(bitmap: BoolArray) -> IntArray:
    side = BITMAP // BLOCK
    counts: IntArray = bitmap.reshape(side, BLOCK, side, BLOCK).sum(axis=(1, 3)).ravel()
    return counts
