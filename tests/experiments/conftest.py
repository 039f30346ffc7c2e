"""What the tests of the results file share, and those of the demo."""

from types import SimpleNamespace

import pytest

from tsrp.datasets.digits import load_digit_pair
from tsrp.experiments.demo import run_demo
from tsrp.experiments.store import Results


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


@pytest.fixture
def results(path):
    with Results(path) as results:
        yield results


@pytest.fixture(scope="session")
def demo():
    """The demo as it stands: its pair of domains, its rows, and what it told while it ran."""
    pair, told = load_digit_pair(), []
    rows = run_demo(pair, lambda name, round_: told.append((name, round_)))
    return SimpleNamespace(pair=pair, rows=rows, told=told)
