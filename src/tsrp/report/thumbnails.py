"""Small pictures of image files that nobody has checked: whatever is odd about one, it is only not shown."""

from __future__ import annotations

import io
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

# The longer side of a thumbnail, in pixels, and what a page may hold of them, in bytes.
SIDE = 128
MOST_BYTES = 8_000_000
# What is not decoded: more pixels than cameras have take too much memory, in a file of however few bytes.
MOST_PIXELS, LARGEST_FILE = 50_000_000, 100_000_000
# Decoders of plain pictures. Others run programs (EPS), or are seldom tried.
FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF", "PPM")
JPEG_QUALITY = 80


@dataclass(frozen=True)
class Thumbnail:
    """A picture of at most 128 x 128 pixels.

    Attributes
    ----------
    kind : {"png", "jpeg"}
    content : bytes
    """

    kind: str
    content: bytes


@dataclass(frozen=True)
class Missing:
    """Why there is no picture."""

    reason: str


def make_thumbnail(name: str, folder: Path) -> Thumbnail | Missing:
    """A small picture of an image file.

    Parameters
    ----------
    name : str
        The file's path, relative to the folder or absolute.
    folder : Path
        Files elsewhere are not opened, whatever the path or a link says.

    Examples
    --------
    >>> make_thumbnail("../secret.png", Path("photos"))
    Missing(reason='outside the folder of images')
    """
    if not name.strip():
        return Missing("no path")
    try:
        root, path = Path(os.path.realpath(folder)), Path(os.path.realpath(folder / name.strip()))
        if not path.is_relative_to(root):
            return Missing("outside the folder of images")
        if not path.is_file():
            return Missing("no such file")
        if path.stat().st_size > LARGEST_FILE:
            return Missing("too large")
    # Names that no file can have.
    except (OSError, ValueError):
        return Missing("no such file")
    return _decode(path)


def _decode(path: Path) -> Thumbnail | Missing:
    import PIL.Image

    try:
        with warnings.catch_warnings():
            # Of oddities within the file.
            warnings.simplefilter("ignore")
            with PIL.Image.open(path, formats=FORMATS) as image:
                if image.width * image.height > MOST_PIXELS:
                    return Missing("too large")
                return _encode(image)
    except PIL.Image.DecompressionBombError:
        return Missing("too large")
    # Decoders of damaged files raise nearly anything.
    except Exception:
        return Missing("not an image that can be shown")


def _encode(image: Image) -> Thumbnail:
    from PIL import ImageOps
    from PIL.Image import Resampling

    was = max(image.size)
    # A JPEG file is decoded at a fraction of its size.
    image.draft(None, (2 * SIDE, 2 * SIDE))
    image.thumbnail((SIDE, SIDE))
    image = _opaque(ImageOps.exif_transpose(image))
    times = SIDE // max(image.size)
    if times > 1:
        # Pixels of small pictures, such as those of digits, stay sharp.
        image = image.resize((image.width * times, image.height * times), Resampling.NEAREST)
    kind = "jpeg" if was > SIDE else "png"
    content = io.BytesIO()
    image.save(content, kind, **({"quality": JPEG_QUALITY} if kind == "jpeg" else {}))
    return Thumbnail(kind, content.getvalue())


def _opaque(image: Image) -> Image:
    """The same in grey or in colours, on white."""
    import PIL.Image

    if image.mode in ("1", "L", "RGB"):
        return image.convert("RGB" if image.mode == "RGB" else "L")
    if image.mode[0] in "IF":
        # Measurements rather than shades: from the least to the largest.
        values: Any = np.asarray(image, dtype=np.float64)
        span = np.ptp(values) or 1.0
        return PIL.Image.fromarray(np.uint8(255 * ((values - values.min()) / span)))
    colours = image.convert("RGBA")
    return PIL.Image.alpha_composite(PIL.Image.new("RGBA", colours.size, "white"), colours).convert("RGB")
