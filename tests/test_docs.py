"""The documentation runs as it stands, builds without warnings, needs no network, and leaves nothing public out."""

import os
import re
import subprocess
import sys
import zlib
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import pytest
import sklearn
from typer.main import get_group
from typer.testing import CliRunner

import tsrp
from tests.support import page_code
from tsrp import datasets, exceptions, selection
from tsrp.cli import app, console
from tsrp.experiments.figures import FIGURES
from tsrp.registry import method_names

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [page for page in (ROOT / "README.md", *sorted(DOCS.rglob("*.md"))) if any(page_code.blocks(page))]
NEEDS_DATA = {"drifting-sensors.md", "hundred-labels.md", "new-camera.md", "which-labels.md"}
NEEDS_SKADA = {"ecosystem.md"}


@pytest.mark.site
@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_the_code_of_a_page_runs_and_prints_what_it_shows(page, tmp_path, monkeypatch, request):
    if page.name in NEEDS_DATA:
        monkeypatch.setenv("TSRP_DATA", str(request.getfixturevalue("data_dir").resolve()))
    if page.name in NEEDS_SKADA and find_spec("skada") is None and not os.environ.get("CI"):
        pytest.skip('needs skada: run  pip install "tsrp[skada]"')
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    # skada switches metadata routing on when it is imported first, which may have been in another test.
    with plt.rc_context(), sklearn.config_context(enable_metadata_routing=page.name in NEEDS_SKADA):
        page_code.run(page)
    plt.close("all")
    for picture in tmp_path.glob("*.png"):
        committed = DOCS / "pictures" / picture.name
        assert committed.is_file()
        assert f"pictures/{picture.name})" in page.read_text()


def test_the_page_of_errors_has_every_class_exit_code_and_option():
    text = (DOCS / "errors.md").read_text()
    assert all(f"\n### {name}\n" in text for name in exceptions.__all__)
    assert all(f"| {code:d} | " in text for code in console.Exit)
    assert all(f"| `{parameter}` | `{option}` |" in text for parameter, option in console.OPTIONS.items())
    assert console.BUG in " ".join(text.split())


def test_its_benchmarks_of_a_data_set_are_not_wrong_usage(tmp_path):
    lines = re.findall(r"tsrp bench (coil20 [^#\n]*)", (DOCS / "reproducing.md").read_text())
    assert lines
    for line in lines:
        result = CliRunner().invoke(app, ["bench", *line.split(), "--data-dir", str(tmp_path)])
        assert "none of these data sets and tasks is on this disk" in " ".join(result.stderr.split())


def test_the_page_of_figures_shows_every_figure():
    shown = re.findall(r"\]\((.+)\.png\)", (DOCS / "figures" / "figures.md").read_text())
    assert shown == list(FIGURES)
    assert all((DOCS / "figures" / f"{name}.png").is_file() for name in shown)


@pytest.mark.parametrize("name", ["idea", "framework"])
def test_diagrams_have_words_for_who_cannot_see_them_a_dark_look_and_need_no_network(name):
    text = (DOCS / "pictures" / f"{name}.svg").read_text()
    tags = [element.tag.rpartition("}")[2] for element in ElementTree.fromstring(text)]
    assert {"title", "desc"} <= set(tags)
    assert "prefers-color-scheme: dark" in text
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]


def test_pictures_are_small():
    assert all(picture.stat().st_size < 200_000 for picture in DOCS.glob("pictures/*.png"))


class TestPageCode:
    """What the runner above would not let pass."""

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("```python\n>>> 1 + 1\n3\n```", "Expected:\n    3\nGot:\n    2"),
            ("```python\n>>> f'{0.83:.0%}'\n'80%'\n```", "Got:\n    '83%'"),
            ("```python\nassert False\n```", "^$"),
            ("```console\n$ tsrp adapt no.csv such.csv\n```", "exit code 3"),
            ("```console\n$ tsrp --version\ntsrp 99\n```", "instead of\ntsrp 99"),
            ("```console\n$ tsrp --version || echo $?\n```", "exit code 0"),
            ("```console\n$ tsrp adapt no.csv such.csv || echo $?\ntsrp: ...\n99\n```", "check the path.\n3\n"),
        ],
    )
    def test_refuses_a_page_that_is_wrong(self, text, message, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        page = tmp_path / "page.md"
        page.write_text(text + "\n")
        with pytest.raises(AssertionError, match=message):
            page_code.run(page)

    def test_refuses_options_that_do_not_exist_in_commands_that_are_not_run(self, tmp_path):
        page = tmp_path / "page.md"
        page.write_text("```sh\ntsrp datasets fetch coil20 --everything\n```\n")
        with pytest.raises(Exception, match="--everything"):
            page_code.run(page)

    def test_names_of_one_block_are_there_in_the_next(self, tmp_path):
        page = tmp_path / "page.md"
        page.write_text(
            "```python\na = 1\n```\n\n```python\n>>> a\n1\n>>> b = 2\n```\n\n```python\nassert b == 2\n```\n"
        )
        page_code.run(page)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    options = ["-W", "--keep-going", "-q", "-d", folder / "doctrees"]
    command = [sys.executable, "-m", "sphinx", *options, DOCS, folder / "html"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return folder / "html"


@pytest.mark.site
@pytest.mark.xdist_group("site")
class TestSite:
    def test_needs_no_network(self, site):
        for page in site.rglob("*.html"):
            text = page.read_text()
            loaded = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=\"([^\"]+)\"", text)
            loaded += re.findall(r"<link[^>]*\srel=\"(?:stylesheet|preload|icon)\"[^>]*\shref=\"([^\"]+)\"", text)
            assert [address for address in loaded if re.match(r"(https?:)?//", address)] == []
        for style in site.rglob("*.css"):
            assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", style.read_text()) == []

    def test_draws_its_formulas(self, site):
        text = (site / "methods" / "jda.html").read_text()
        assert 'class="formula"><svg' in text
        assert r"\operatorname" in text
        assert "MathJax" not in text

    def test_leaves_no_markup_behind(self, site):
        for source in DOCS.rglob("*.md"):
            page = (site / source.relative_to(DOCS)).with_suffix(".html")
            article = re.search(r"<article.*?</article>", page.read_text(), flags=re.DOTALL)[0]
            prose = re.sub(r"<(pre|code|svg|dt)\b.*?</\1>", "", article, flags=re.DOTALL)
            assert re.findall(r".*(?:\$|`|\*\*).*", prose) == [], page.name

    def test_has_every_public_name(self, site):
        documented = set(re.findall(r"^(\S+) py:", inventory(site), flags=re.MULTILINE))
        public = {f"{module.__name__}.{name}" for module in (tsrp, datasets, selection) for name in module.__all__}
        assert public - documented == set()

    def test_has_a_page_for_every_method(self, site):
        for name in (*method_names(), "tsrp"):
            assert (site / "methods" / f"{name}.html").is_file()
            assert f"methods/{name}.html" in (site / "index.html").read_text()

    def test_shows_the_help_of_every_command(self, site):
        text = (site / "cli.html").read_text()
        commands = get_group(app).commands
        assert {"adapt", "predict", "bench"} <= set(commands)
        for name in (*commands, "datasets-fetch"):
            assert f'id="tsrp-{name}"' in text
        assert "--label" in text


def inventory(site):
    """The names that the site documents, one a line: what Sphinx writes for other sites to link to."""
    *_, compressed = (site / "objects.inv").read_bytes().split(b"\n", 4)
    return zlib.decompress(compressed).decode()
