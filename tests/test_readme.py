"""What README.md says is true."""

import re
from pathlib import Path

from typer.testing import CliRunner

from tsrp.cli import app

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_options_and_files_it_names_exist():
    root = Path(__file__).parents[1]
    for path in re.findall(r"\]\(([\w./-]+)\)", README):
        assert (root / path).exists()
    for command in ("adapt", "bench", "datasets fetch", "figures"):
        known = CliRunner().invoke(app, [*command.split(), "--help"], env={"TERM": "dumb"}).stdout
        for line in re.findall(rf"tsrp {command} ([^#\n]*)", README):
            assert all(name in known for name in re.findall(r"--\w[\w-]+", line))


def test_its_benchmarks_of_a_data_set_are_no_wrong_usage(tmp_path):
    lines = re.findall(r"tsrp bench (coil20 [^#\n]*)", README)
    assert lines
    for line in lines:
        result = CliRunner().invoke(app, ["bench", *line.split(), "--data-dir", str(tmp_path)])
        assert "none of these data sets and tasks is on this disk" in " ".join(result.stderr.split())


def test_its_summary_is_that_of_the_results():
    summary = README.split("<!-- summary of docs/RESULTS.md -->\n")[1].split("<!-- end of summary -->")[0]
    assert (
        len(re.findall(r"^\| (?:NN|JDA|BDA|DICD|PCA|GFK|TCA|TJM|TSL|DTSL|CDML|RTML)", summary, flags=re.MULTILINE))
        == 23
    )
    assert summary in (Path(__file__).parents[1] / "docs" / "RESULTS.md").read_text()
