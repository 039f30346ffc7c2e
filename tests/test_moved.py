"""Modules that were documented under another name are still found there."""

import sys
from importlib import import_module

import pytest

import tsrp
from tsrp._moved import MOVED


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_an_old_name_gives_what_the_new_one_has(old, new):
    with pytest.warns(DeprecationWarning, match="is tsrp") as caught:
        moved = import_module(old)
    assert str(caught[-1].message) == f"{old} is {new} now."
    own = [name for name in vars(import_module(new)) if not name.startswith("_")]
    assert all(getattr(moved, name) is getattr(import_module(new), name) for name in own)


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    """Each of them is imported anew."""
    for name in MOVED:
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_names_of_methods_py_are_where_they_were():
    from tsrp import methods, spec

    assert methods.make_method is spec.make_method
    assert methods.METHODS["jda"].kind is tsrp.JDA
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = methods.nothing


def test_other_names_are_not_found():
    with pytest.raises(ModuleNotFoundError):
        import_module("tsrp.projection")
