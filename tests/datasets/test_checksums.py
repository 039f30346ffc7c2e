"""Files are recognised by SHA-256, else by git's id."""

import hashlib
import re
import shutil
import subprocess

import pytest

from tsrp.datasets import DataFile
from tsrp.datasets.checksums import fault

CONTENT = b"some bytes\n" * 300_000


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(CONTENT)
    return path


def test_the_right_file_has_no_fault(path):
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    blob = hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()
    for known in ({}, {"size": len(CONTENT)}, {"sha256": sha256}, {"blob": blob}, {"sha256": sha256, "blob": "0" * 40}):
        assert fault(path, DataFile("file", **known)) is None


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git to ask for its own id")
def test_the_id_is_what_git_says(path):
    answer = subprocess.run(["git", "hash-object", "--no-filters", path], capture_output=True, text=True, check=True)
    assert fault(path, DataFile("file", blob=answer.stdout.strip())) is None


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ({"size": 5}, "3,300,000 bytes instead of 5"),
        ({"sha256": "0" * 64}, r"SHA-256 is \w{12}\.\.\. instead of 000000000000"),
        ({"blob": "0" * 40}, r"git id is \w{12}\.\.\. instead of 000000000000"),
    ],
)
def test_another_file_has_a_fault(path, known, sentence):
    assert re.search(sentence, fault(path, DataFile("file", **known)))
