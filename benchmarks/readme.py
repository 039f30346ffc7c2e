"""Copy the summary of docs/RESULTS.md into README.md, between its marks.

python benchmarks/readme.py
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- summary of docs/RESULTS.md -->\n", "<!-- end of summary -->"


def summary() -> str:
    """What stands between the heading of the summary and that of the first table."""
    page = (ROOT / "docs" / "RESULTS.md").read_text()
    return page.split("## Summary\n\n")[1].split("\n## ")[0]


def main() -> None:
    readme = ROOT / "README.md"
    before, rest = readme.read_text().split(BEGIN)
    readme.write_text(before + BEGIN + summary() + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
