"""The README as package indexes show it: links and pictures point to the repository, at this version's tag."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"""(\]\(|\bsrc="|\bhref=")([\w./-]+)(?=[#)"\s])""")
PICTURES = {".gif", ".jpg", ".png", ".svg"}


class ReadmeHook(MetadataHookInterface):
    """Fills in `readme`, which pyproject.toml declares as dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        text = (root / "README.md").read_text(encoding="utf-8")
        text = with_absolute_links(text, metadata["urls"]["Repository"], f"v{metadata['version']}", root)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def with_absolute_links(text: str, repository: str, tag: str, root: Path) -> str:
    """The text with its relative links to files and folders of the checkout made absolute."""

    def replace(found: re.Match[str]) -> str:
        before, path = found.groups()
        if not (root / path).exists():
            return found[0]
        view = "raw" if Path(path).suffix in PICTURES else "tree" if (root / path).is_dir() else "blob"
        return f"{before}{repository}/{view}/{tag}/{path}"

    return LINK.sub(replace, text)
