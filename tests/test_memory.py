"""What does not fit is refused in a sentence."""

import math
import os

import pytest

from tsrp import memory
from tsrp.exceptions import InputError, UsageError
from tsrp.memory import check_memory, limited_memory, memory_limit, parse_size, show_size


def test_more_than_the_limit_is_refused():
    with (
        limited_memory("2 GB"),
        pytest.raises(InputError, match=r"this needs about 3 GB .* the 2 GB that it may take; use less, or .*`max_mem"),
    ):
        check_memory("this", 3e9, "use less")
    with limited_memory("4GB"):
        check_memory("this", 3e9, "use less")


def test_the_limit_is_three_quarters_of_what_is_free(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 8e9)
    assert memory_limit() == 6e9


def test_limits_can_be_nested():
    with limited_memory("2GB"):
        with limited_memory("1GB"), limited_memory(None):
            assert memory_limit() == 1e9
        assert memory_limit() == 2e9


class TestWhatIsFree:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
        monkeypatch.setattr(memory, "CONTROL_GROUPS", tmp_path)
        return tmp_path

    def test_is_what_the_system_calls_available(self, folder):
        (folder / "meminfo").write_text("MemTotal:  9000 kB\nMemAvailable:    1000 kB\nBuffers:  1 kB\n")
        assert memory.free_memory() == 1_024_000

    @pytest.mark.parametrize(
        ("limit", "taken"),
        [("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes")],
    )
    def test_is_no_more_than_the_container_has_left(self, folder, limit, taken):
        (folder / "meminfo").write_text("MemAvailable:    1000 kB\n")
        (folder / "memory").mkdir()
        (folder / limit).write_text("5000\n")
        (folder / taken).write_text("4000\n")
        (folder / limit).with_name("memory.stat").write_text("anon 9\ninactive_file 1500\nactive_file 7\n")
        assert memory.free_memory() == 5000 - (4000 - 1500)
        (folder / taken).write_text("9000\n")
        assert memory.free_memory() == 0
        for none in ("max\n", "9223372036854771712\n"):
            (folder / limit).write_text(none)
            assert memory.free_memory() == 1_024_000

    def test_is_all_there_is_where_the_system_says_no_more(self, folder):
        assert memory.free_memory() == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

    def test_has_no_bound_where_the_system_is_silent(self, folder, monkeypatch):
        monkeypatch.setattr(os, "sysconf_names", {})
        assert memory.free_memory() == math.inf
        check_memory("this", 1e18, "use less")


@pytest.mark.parametrize(
    ("text", "size"), [("500MB", 5e8), ("2g", 2e9), ("1.5 GB", 1.5e9), ("7", 7), (7, 7), ("1 tb", 1e12), ("3kb", 3e3)]
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "0", "1 XB", "1e9", "nan", "many"])
def test_what_is_not_a_size_is_refused(text):
    with pytest.raises(UsageError, match="`max_memory` must be a size such as 500MB or 2GB"):
        parse_size(text)


@pytest.mark.parametrize(
    ("size", "text"), [(999, "999 B"), (1.5e9, "1.5 GB"), (4e8, "400 MB"), (8e12, "8 TB"), (8e15, "8,000 TB")]
)
def test_sizes_are_shown_as_people_read_them(size, text):
    assert show_size(size) == text
