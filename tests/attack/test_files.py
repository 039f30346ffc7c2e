"""A damaged data file is refused in a sentence, or can be read."""

from benchmarks.attack.files import damage_data_files


def test_a_damaged_file_is_refused_or_read_the_same_in_every_way(tmp_path):
    found = damage_data_files(tmp_path, 300)
    assert set(found) == {"refused", "served"}
