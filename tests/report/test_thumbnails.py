"""Thumbnails: small and recognisable, and of hostile files nothing but a reason."""

import io
import os
import struct
import warnings
import zlib

import numpy as np
import PIL.Image
import pytest

from tsrp.report import thumbnails
from tsrp.report.thumbnails import SIDE, Missing, Thumbnail

OUTSIDE, NO_FILE, TOO_LARGE = "outside the folder of images", "no such file", "too large"
UNREADABLE = "not an image that can be shown"


def picture(folder, name, values, **options):
    PIL.Image.fromarray(values).save(folder / name, **options)


def thumbnail_of(name, folder):
    return thumbnails.make_thumbnail(name, folder)


def pixels(thumbnail):
    return np.asarray(PIL.Image.open(io.BytesIO(thumbnail.content)))


def png_of_size(width, height):
    """A PNG of few bytes that says it is large."""

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )


def test_small_pictures_are_enlarged_pixel_by_pixel(tmp_path):
    values = np.arange(64, dtype=np.uint8).reshape(8, 8) * 4
    picture(tmp_path, "digit.png", values)
    found = thumbnail_of("digit.png", tmp_path)
    assert found.kind == "png"
    np.testing.assert_array_equal(pixels(found), np.kron(values, np.ones((16, 16), dtype=np.uint8)))


@pytest.mark.parametrize("suffix", ["png", "jpg", "gif", "bmp", "webp", "tif", "ppm"])
def test_photographs_become_small_and_keep_their_shape(tmp_path, suffix):
    picture(tmp_path, f"photo.{suffix}", np.full((300, 600, 3), [200, 30, 30], dtype=np.uint8))
    found = thumbnail_of(f"photo.{suffix}", tmp_path)
    assert found.kind == "jpeg"
    assert pixels(found).shape == (SIDE // 2, SIDE, 3)
    np.testing.assert_allclose(pixels(found).mean(axis=(0, 1)), [200, 30, 30], atol=4)


def test_transparent_pictures_lie_on_white(tmp_path):
    picture(tmp_path, "clear.png", np.zeros((200, 200, 4), dtype=np.uint8))
    assert pixels(thumbnail_of("clear.png", tmp_path)).min() == 255


def test_measurements_are_stretched_from_black_to_white(tmp_path):
    picture(tmp_path, "scan.png", np.array([[1000, 1500], [2000, 3000]], dtype=np.uint16))
    found = pixels(thumbnail_of("scan.png", tmp_path))
    assert [found[0, 0], found[-1, -1]] == [0, 255]


def test_a_photograph_that_was_taken_upright_is_upright(tmp_path):
    image = PIL.Image.fromarray(np.zeros((200, 400), dtype=np.uint8))
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(tmp_path / "upright.jpg", exif=exif)
    assert pixels(thumbnail_of("upright.jpg", tmp_path)).shape == (SIDE, SIDE // 2)


def test_an_absolute_path_within_the_folder_is_as_good(tmp_path):
    picture(tmp_path, "a.png", np.zeros((8, 8), dtype=np.uint8))
    assert isinstance(thumbnail_of(str(tmp_path / "a.png"), tmp_path), Thumbnail)


@pytest.mark.parametrize("way", ["..", "absolute", "link", "linked folder"])
def test_nothing_outside_the_folder_is_opened(tmp_path, monkeypatch, way):
    folder = tmp_path / "images"
    folder.mkdir()
    picture(tmp_path, "secret.png", np.zeros((8, 8), dtype=np.uint8))
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "up").symlink_to(tmp_path)
    monkeypatch.setattr(thumbnails, "_decode", None)
    name = {"..": "../secret.png", "absolute": str(tmp_path / "secret.png"), "link": "link.png"}.get(
        way, "up/secret.png"
    )
    assert thumbnail_of(name, folder) == Missing(OUTSIDE)


def test_a_link_to_another_picture_of_the_folder_is_followed(tmp_path):
    picture(tmp_path, "a.png", np.zeros((8, 8), dtype=np.uint8))
    (tmp_path / "b.png").symlink_to("a.png")
    assert isinstance(thumbnail_of("b.png", tmp_path), Thumbnail)


@pytest.mark.parametrize(
    "name", ["none.png", ".", "a\0b", "x" * 5_000, "http://example.org/a.png", "data:image/png;base64,AAAA", "pipe"]
)
def test_what_is_not_a_file_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    assert thumbnail_of(name, tmp_path) == Missing(NO_FILE)


def test_an_empty_path_is_no_picture(tmp_path):
    assert thumbnail_of(" ", tmp_path) == Missing("no path")


@pytest.mark.parametrize("size", [(8_000, 8_000), (60_000, 60_000), (2**31 - 1, 2**31 - 1)])
def test_bombs_are_not_decoded(tmp_path, size):
    (tmp_path / "bomb.png").write_bytes(png_of_size(*size))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert thumbnail_of("bomb.png", tmp_path) == Missing(TOO_LARGE)


def test_a_large_file_is_not_read(tmp_path, monkeypatch):
    picture(tmp_path, "a.png", np.zeros((8, 8), dtype=np.uint8))
    monkeypatch.setattr(thumbnails, "LARGEST_FILE", 20)
    assert thumbnail_of("a.png", tmp_path) == Missing(TOO_LARGE)


@pytest.mark.parametrize(
    "content",
    [
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 100\n(%pipe%id) (w) file\n",
        b"GIF89a",
        b"",
        b"\x89PNG\r\n\x1a\n" + b"\xff" * 200,
        png_of_size(100, 100)[:40],
    ],
    ids=["svg", "eps", "gif", "empty", "noise", "cut"],
)
@pytest.mark.parametrize("suffix", ["png", "svg", "eps"])
def test_what_is_not_a_plain_picture_is_not_shown(tmp_path, content, suffix):
    (tmp_path / f"odd.{suffix}").write_bytes(content)
    assert thumbnail_of(f"odd.{suffix}", tmp_path) == Missing(UNREADABLE)


def test_a_cut_photograph_is_not_shown(tmp_path):
    picture(tmp_path, "whole.jpg", np.random.default_rng(0).integers(0, 255, (300, 300, 3), dtype=np.uint8))
    content = (tmp_path / "whole.jpg").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(content[: len(content) // 2])
    assert thumbnail_of("cut.jpg", tmp_path) == Missing(UNREADABLE)
