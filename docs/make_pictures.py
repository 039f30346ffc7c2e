"""Draws the pictures of the cookbook, with the code of its pages, into docs/pictures.

python docs/make_pictures.py              # needs the data sets that the pages name
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent


def main() -> None:
    """Run every page of the cookbook in the folder of the pictures."""
    os.environ["MPLBACKEND"] = "Agg"
    sys.path.insert(0, str(DOCS / "_ext"))
    import page_code

    pages = sorted((DOCS / "cookbook").glob("*.md"))
    os.chdir(DOCS / "pictures")
    for page in pages:
        page_code.run(page)


if __name__ == "__main__":
    main()
