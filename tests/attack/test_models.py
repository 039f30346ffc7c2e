"""A forged model with right checksums is refused when it is loaded, or it serves."""

from benchmarks.attack.models import forge


def test_a_forged_model_never_loads_and_then_fails(tmp_path):
    found = forge(tmp_path, 120)
    assert set(found) == {"refused", "serves"}
