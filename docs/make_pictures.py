"""Draws the pictures of the documentation anew, into docs/pictures.

python -m docs.make_pictures              # needs the data sets that the cookbook names, and Chromium

Those of the cookbook and of the page on trust are drawn by their code; that of the report is what a browser shows.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from tests.support import page_code
from tsrp import DICD, TSRP
from tsrp.datasets import load_digit_pair

DOCS = Path(__file__).resolve().parent


def run_pages() -> None:
    """Run every page of the cookbook, and the one on trust."""
    for page in (*sorted((DOCS / "cookbook").glob("*.md")), DOCS / "which-labels.md"):
        page_code.run(page)


def photograph_report() -> None:
    """Show the report of the embedded digits in a browser: what is seen first."""
    pair = load_digit_pair()
    model = TSRP(DICD(n_components=40)).fit(pair.Xs, pair.ys, pair.Xt)
    with TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        model.report(page, files=("printed", "handwritten"))
        window = ["--window-size=1280,940", "--hide-scrollbars", "--virtual-time-budget=10000"]
        safe = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
        subprocess.run(["chromium", *safe, *window, "--screenshot=report.png", page.as_uri()], check=True)
    # Fewer colours make a third of the file.
    Image.open("report.png").convert("RGB").quantize(96).save("report.png", optimize=True)


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    os.chdir(DOCS / "pictures")
    photograph_report()
    run_pages()
