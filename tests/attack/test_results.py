"""A results file that is damaged is refused in a sentence, or serves."""

from benchmarks.attack.results import VALUES, damage_files, odd_values


def test_a_damaged_file_is_refused_or_serves(tmp_path):
    found = damage_files(tmp_path, 150)
    assert set(found) == {"refused", "served"}


def test_values_that_nobody_wrote_are_refused_or_harmless(tmp_path):
    assert set(odd_values(tmp_path, VALUES[::4])) == {"refused", "served"}
