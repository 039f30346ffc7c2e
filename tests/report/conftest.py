"""The page of hostile names, which the tests of the page read and those of the browser open."""

import pytest

from tests.support.hostile import write_hostile


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """Its path, the model and the findings."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    return path, *write_hostile(path)
