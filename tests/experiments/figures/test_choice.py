"""The figures show the paper's data where they are on the disk, else the embedded digits."""

from tsrp.datasets.catalogue import PAPER
from tsrp.experiments.figures.choice import EMBEDDED, datasets_on_disk, first_on_disk


def test_the_papers_data_are_shown_if_they_are_there(data_dir):
    surf, decaf6, pie, digits, coil = PAPER
    assert datasets_on_disk(data_dir) == [surf, decaf6, pie, digits, coil]
    assert first_on_disk([(decaf6, "C -> A"), (coil, "COIL1 -> COIL2")], data_dir)[0] == coil


def test_without_them_the_embedded_digits_are(nowhere):
    assert datasets_on_disk(nowhere) == ["digits"]
    assert first_on_disk([("coil20", "COIL1 -> COIL2")], nowhere) == EMBEDDED
