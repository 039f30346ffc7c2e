"""For all tests, also those in docstrings."""

import os
from importlib.util import find_spec

import pytest
import sklearn

# Where everything is checked, a missing package is a failure.
if find_spec("skada") is None and not os.environ.get("CI"):
    collect_ignore = ["src/tsrp/skada.py"]


@pytest.fixture(autouse=True)
def scikit_learn_as_it_was():
    """Importing skada switches scikit-learn's metadata routing on for good: each test begins without it."""
    with sklearn.config_context():
        yield
