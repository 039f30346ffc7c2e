"""A file that changes while it is read is refused in a sentence, or served as one of its versions."""

from benchmarks.attack.replaced import change_files


def test_a_file_that_changes_is_refused_or_served_as_one_of_its_versions(tmp_path):
    assert set(change_files(tmp_path, 6)) <= {"refused", "served"}
