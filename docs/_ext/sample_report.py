"""Writes ``sample-report.html`` into the site: a real report, of the version that the site describes."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    from tsrp import DICD, TSRP
    from tsrp.datasets import load_digit_pair

    pair = load_digit_pair()
    model = TSRP(DICD(n_components=40)).fit(pair.Xs[::6], pair.ys[::6], pair.Xt[::6])
    model.report(Path(app.outdir, "sample-report.html"), truth=pair.yt[::6], overwrite=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write it when the pages are there."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
