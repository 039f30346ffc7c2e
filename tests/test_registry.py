"""A method is named once, in its class; everything else follows."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tsrp
from tests.support.commands import run
from tsrp.base.adapter import Method
from tsrp.classifiers.training import is_transductive
from tsrp.parameters import constraints_of
from tsrp.registry import MethodInfo, method_class, method_names, methods
from tsrp.saving.parts import SCHEMAS

ROOT = Path(__file__).parents[1]
every_method = pytest.mark.parametrize("info", methods().values(), ids=methods())


def test_every_file_of_the_folder_is_a_method():
    folder = Path(tsrp.__file__).parent / "methods"
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert set(method_names()) == set(methods()) == files


@every_method
class TestEveryMethod:
    def test_is_registered_under_the_name_of_its_file_and_exported_in_capitals(self, info: MethodInfo):
        assert info.kind.__module__ == f"tsrp.methods.{info.name}"
        assert info.kind.__name__ == info.name.upper()
        assert getattr(tsrp, info.kind.__name__) is info.kind is method_class(info.kind.__name__)
        assert info.kind.__name__ in dir(tsrp)

    def test_is_a_method_with_words_of_its_own(self, info: MethodInfo):
        assert issubclass(info.kind, Method)
        assert all((info.summary, info.reference, info.cost))
        assert "" in info.small

    def test_declares_what_each_of_its_parameters_may_be(self, info: MethodInfo):
        assert set(inspect.signature(info.kind).parameters) <= set(constraints_of(info.kind))

    def test_counts_rounds_with_max_iter_or_has_none(self, info: MethodInfo):
        has_rounds = "max_iter" in inspect.signature(info.kind).parameters
        assert has_rounds == (info.kind.uses_target_labels or is_transductive(info.kind().final_classifier))

    def test_is_listed_saved_and_documented(self, info: MethodInfo):
        assert f" {info.name} " in run("methods").stdout
        assert f"tsrp.{info.kind.__name__}" in SCHEMAS
        assert (ROOT / "docs" / "methods" / f"{info.name}.md").is_file()


def test_the_names_are_known_without_importing_a_method():
    code = "import sys, tsrp; assert 'JDA' in dir(tsrp); assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_not_a_method_is_not_exported():
    with pytest.raises(AttributeError, match="has no attribute 'jda'"):
        _ = tsrp.jda  # type: ignore[attr-defined]
    assert method_class("XYZ") is None


def test_the_stub_for_type_checkers_is_current():
    subprocess.run([sys.executable, ROOT / "tools" / "write_stub.py", "--check"], check=True)
