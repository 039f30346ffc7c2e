"""How the documentation site is built: `make docs`."""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "tsrp"
author = "The tsrp developers"
project_copyright = author
release = metadata.version("tsrp")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "command_help",
    "formulas",
    "method_lists",
    "sample_report",
]
exclude_patterns = ["_ext"]
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# Not prose: `ns`, `C` and the like in backquotes of docstrings are links where they name something of this package.
default_role = "py:obj"

autodoc_member_order = "bysource"
# Types stand in the docstrings, in words; those of the signatures are longer than what they annotate.
autodoc_typehints = "none"
# The pages say which members are shown.
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"tsrp {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "svg"
pygments_style = "default"
