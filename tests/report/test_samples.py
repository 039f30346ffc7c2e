"""What rows look like: snippets, pictures within a limit, or features beside the source's range."""

import numpy as np
import PIL.Image
import pytest

from tsrp.exceptions import UsageError
from tsrp.report import samples
from tsrp.report.samples import SNIPPET, check_show
from tsrp.report.thumbnails import Missing, Thumbnail


def show_values(*arguments):
    return samples.show_values(*arguments)


def show_features(*arguments):
    return samples.show_features(*arguments)


def test_texts_become_snippets_and_gaps_are_empty():
    texts = ["as it is <b>", "a\n\n b\tc", "x" * 1_000, None, float("nan"), 7]
    found = show_values(range(6), ("text", texts), ".")
    assert found.kind == "text"
    assert found.of[0] == "as it is <b>"
    assert found.of[1] == "a b c"
    assert found.of[2] == "x" * SNIPPET + "…"
    assert [found.of[row] for row in (3, 4, 5)] == ["", "", "7"]
    assert found.note == ""


def test_only_the_rows_that_are_asked_for_are_looked_at(tmp_path):
    PIL.Image.new("L", (8, 8)).save(tmp_path / "a.png")
    found = show_values([2], ("image", ["../x", "y", "a.png"]), tmp_path)
    assert list(found.of) == [2]
    assert isinstance(found.of[2], Thumbnail)


def test_pictures_find_room_in_their_order_and_the_note_counts_the_others(tmp_path, monkeypatch):
    for k in range(4):
        PIL.Image.fromarray(np.random.default_rng(k).integers(0, 255, (128, 128), dtype=np.uint8)).save(
            tmp_path / f"{k}.png"
        )
    size = len(show_values([0], ("image", ["0.png"]), tmp_path).of[0].content)
    monkeypatch.setattr(samples, "MOST_BYTES", int(2.5 * size))
    found = show_values([3, 2, 1, 0, 4], ("image", [f"{k}.png" for k in range(5)]), tmp_path)
    assert [type(sample) for sample in found.of.values()] == [Thumbnail, Thumbnail, Missing, Missing, Missing]
    assert found.note == "3 of 5 images are not shown: no room left in the page (2), no such file (1)."


def test_features_are_those_that_tell_classes_apart():
    random = np.random.default_rng(0)
    ys = np.repeat([0, 1, 2], 100)
    Xs = random.normal(size=(300, 12))
    Xs[:, 9] += 5 * ys
    Xs[:, 3] += 2 * ys
    Xs[:, 6] = 1e99
    Xt = np.zeros((2, 12))
    Xt[1, 9] = 100.0
    found = show_features([1], Xs, ys, Xt, [f"f{k}" for k in range(12)])
    assert [feature.name for feature in found.of[1]][:2] == ["f9", "f3"]
    assert len(found.of[1]) == 4
    first = found.of[1][0]
    assert (first.value, first.outside) == (100.0, True)
    assert np.mean((Xs[:, 9] >= first.low) & (Xs[:, 9] <= first.high)) == pytest.approx(0.9, abs=0.01)
    assert not found.of[1][1].outside


@pytest.mark.parametrize("ys", [[0, 0, 0], [0, 1, 2], [0, 0, 1]])
@pytest.mark.parametrize("values", [[[1.0], [1.0], [1.0]], [[0.0], [0.0], [5.0]]])
def test_features_of_few_rows_are_shown_as_well(ys, values):
    found = show_features([0], np.array(values), np.array(ys), np.array([[2.0]]), None)
    assert [feature.name for feature in found.of[0]] == ["0"]


@pytest.mark.parametrize(
    ("show", "sentence"),
    [
        (("video", ["a", "b"]), "there is no way to show samples 'video'; there are text, image"),
        (("text", ["a"]), "`show` has 1 values, but Xt has 2 rows"),
    ],
)
def test_what_cannot_be_shown_is_refused(show, sentence):
    with pytest.raises(UsageError, match=sentence):
        check_show(show, 2)
