"""What the tests of the results file share."""

import pytest

from tsrp.experiments.store import Results


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


@pytest.fixture
def results(path):
    with Results(path) as results:
        yield results
