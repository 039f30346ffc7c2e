"""What README.md says is true."""

import re
from pathlib import Path

from typer.testing import CliRunner

from tsrp.cli import app

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_python_example_runs():
    [code] = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert names["model"].labels_.shape == (1797,)
    assert names["model"].score(names["pair"].Xt, names["pair"].yt) > 0.8


def test_the_options_and_files_it_names_exist():
    root = Path(__file__).parents[1]
    for path in re.findall(r"\]\(([\w./-]+)\)", README):
        assert (root / path).exists()
    known = CliRunner().invoke(app, ["adapt", "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).stdout
    for option in set(re.findall(r"tsrp adapt .*", README)):
        assert all(name in known for name in re.findall(r"--\w[\w-]+", option))


def test_its_table_of_figures_was_generated():
    table = README.split("--write -->\n")[1].split("<!-- end")[0]
    assert len(re.findall(r"^\| (?:NN|JDA|BDA|DICD)", table, flags=re.MULTILINE)) == 8
