"""Nothing but printable characters reaches the terminal, and no label ends in a traceback."""

from benchmarks.attack.texts import CODES, TEXTS, print_texts


def test_what_is_printed_is_printable(tmp_path):
    assert set(print_texts(tmp_path, TEXTS[1:2], CODES[1:3])) == {"refused", "served"}
