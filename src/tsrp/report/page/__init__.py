"""The report as one HTML page that needs nothing else: no network, no files beside it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tsrp._types import IntArray
from tsrp.exceptions import OutputError
from tsrp.io.files import check_kind, check_place, replacing
from tsrp.report.findings import Findings, find
from tsrp.report.labelling import Labelling
from tsrp.report.samples import Sample
from tsrp.report.style import class_colours, probability_colours
from tsrp.report.thumbnails import Missing, Thumbnail
from tsrp.report.verdict import beside_nothing
from tsrp.trust.judgement import CONFIDENT_AT
from tsrp.trust.queries import MEASURE

HERE = Path(__file__).parent
SUFFIXES = (".html", ".htm")
# The page's own scripts: later ones use what earlier ones define.
SCRIPTS = ("common.js", "labelling.js", "page.js")
# Of the moves between classes, at most.
LARGEST_FLOWS = 30


def check_report(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse a path to which `write_report` could not write, before a long computation.

    Parameters
    ----------
    path : path
        The page: .html or .htm.
    overwrite : bool, default False
        Accept a file that exists.
    """
    check_kind(Path(path), SUFFIXES, OutputError)
    check_place(Path(path), overwrite)


def write_report(
    model: Any,
    path: str | os.PathLike[str],
    *,
    truth: npt.ArrayLike | None = None,
    ids: Sequence[Any] | None = None,
    files: tuple[str, str] | None = None,
    confident_at: float = CONFIDENT_AT,
    suggest: int | None = None,
    audit: int | None = None,
    show: tuple[str, Sequence[Any]] | None = None,
    image_folder: str | os.PathLike[str] = ".",
    command: str | None = None,
    overwrite: bool = False,
) -> Findings:
    """Write what a fit found as one HTML page, which is there complete or not at all.

    Parameters
    ----------
    model : estimator of this package
        Fitted in this process: it still has its data.
    path : path
        The page, .html or .htm.
    truth : array of shape (n_target,), optional
        True labels of the target; None, NaN or empty where they are not known.
    ids : sequence of length n_target, optional
        What the target's rows are called. None: the row names of the target, if it was a data frame that has any.
    files : tuple of two str, optional
        Where source and target come from.
    confident_at : float in [0, 1], default 0.9
        The probability from which a label is called confident: where the page's choice of rows begins.
    suggest, audit : int, optional
        How many rows to ask about: those whose labels would help most, and rows at random, to measure accuracy. 20 each
        if not given, fewer if there are not as many; 0 for none.
    show : tuple of {"text", "image"} and a sequence of length n_target, optional
        Texts, or paths of image files, by which a person recognises rows: those to label, and the misfits of each
        class. None: some features are shown, beside the source's range.
    image_folder : path, default "."
        Where image files are; none is opened elsewhere.
    command : str, optional
        The command that was run; the page tells how to run it again with the labels that were filled in.
    overwrite : bool, default False
        Replace a file that exists.

    Returns
    -------
    Findings
        What the page shows.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.datasets import make_blobs
    >>> from tsrp import NN, TSRP
    >>> X, y = make_blobs(60, n_features=5, random_state=0)
    >>> model = TSRP(NN()).fit(X[:30], y[:30], X[30:])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     findings = write_report(model, Path(folder, "report.html"), truth=y[30:])
    >>> findings.truth.accuracy
    1.0
    """
    check_report(path, overwrite=overwrite)
    findings = find(
        model,
        truth=truth,
        ids=ids,
        files=files,
        confident_at=confident_at,
        suggest=suggest,
        audit=audit,
        show=show,
        image_folder=image_folder,
        command=command,
    )
    page = render(findings).encode(errors="replace")
    with replacing(Path(path), overwrite) as file:
        file.write(page)
    return findings


def render(findings: Findings) -> str:
    """The page of some findings."""
    from bokeh import __version__ as bokeh_version
    from bokeh.resources import Resources
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    from tsrp.report.page.plots import draw

    document = draw(findings)
    roots = {root.id: f"plot-{root.name}" for root in document.roots}
    plots = {"document": document.to_json(deferred=False), "roots": roots}
    bokeh = "\n".join(Resources(mode="inline", components=["bokeh"], log_level="error").js_raw)
    scripts = [bokeh, "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)]
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"percent": percent, "whole": whole, "number": number}
    return environment.get_template("page.html.j2").render(
        f=findings,
        plots=Markup(_json(plots)),
        plot_names=set(roots.values()),
        data=Markup(_json(_data(findings))),
        scripts=[Markup(script) for script in scripts],
        # Only these scripts run, whatever else a name might smuggle in, and nothing is fetched.
        hashes=" ".join(_hash(script) for script in scripts),
        style=Markup((HERE / "page.css").read_text(encoding="utf-8")),
        versions={**findings.versions, "Bokeh": bokeh_version},
        colours=class_colours(len(findings.classes)),
        classes=_class_rows(findings),
        flows=_largest_flows(findings),
        ways=_ways(findings),
        beside_nothing=beside_nothing(findings),
    )


def percent(share: float | None) -> str:
    """A share as people read it; nothing becomes a dash."""
    return "–" if share is None or np.isnan(share) else f"{100 * share:.1f} %"


def whole(share: float) -> str:
    """A share that is not known to a tenth of a per cent."""
    return f"{100 * share:.0f} %"


def number(value: float, digits: int = 0) -> str:
    """A number with thousands apart; nothing becomes a dash, and no zero is negative."""
    return "–" if np.isnan(value) else f"{round(value, digits) + 0.0:,.{digits}f}"


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _json(value: Any) -> str:
    """JSON that can stand in a script element: plain ASCII that neither ends the element nor opens a comment."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(findings: Findings) -> dict[str, Any]:
    """What the page's script needs beside the drawings: every row, the most probable label first."""
    rows = findings.by_probability
    truth, ids, numbers = findings.truth, findings.ids, findings.numbers
    return {
        "classes": findings.classes,
        "true_classes": findings.classes if truth is None else truth.names,
        "colours": class_colours(len(findings.classes)),
        "probability_colours": probability_colours(),
        "ids": None if ids is None else dict(zip(numbers.tolist(), ids, strict=True)),
        "confident_at": findings.confident_at,
        "before": _before(findings),
        "rows": {
            "row": numbers[rows].tolist(),
            "label": findings.labels[rows].tolist(),
            "crude": findings.crude[rows].tolist(),
            "probability": findings.probability[rows].tolist(),
            "runner_up": findings.runner_up[rows].tolist(),
            "runner_up_probability": findings.runner_up_probability[rows].round(4).tolist(),
            # 1 and 0; -1 where the truth is not known.
            "right": None if truth is None else np.where(truth.codes < 0, -1, truth.right)[rows].tolist(),
        },
        "labelling": _labelling(findings.labelling, numbers),
        "misfits": [numbers[rows].tolist() for rows in findings.misfits],
        "samples": {
            "kind": findings.samples.kind,
            "of": {int(numbers[row]): _shown(sample) for row, sample in findings.samples.of.items()},
        },
    }


def _before(findings: Findings) -> str | None:
    """What to call the labels of which the given ones were made; None if they are the same."""
    if findings.members:
        return "best member's label"
    return "crude label" if findings.remedied else None


def _labelling(labelling: Labelling, numbers: IntArray) -> dict[str, Any]:
    return {
        "key": labelling.key,
        "lists": [
            {"purpose": query.purpose, "random": query.purpose == MEASURE, "rows": numbers[query.rows].tolist()}
            for query in labelling.queries
        ],
        "likely": dict(zip(numbers[labelling.rows].tolist(), labelling.likely.tolist(), strict=True)),
        "known": numbers[labelling.known].tolist(),
    }


def _shown(sample: Sample) -> Any:
    """A sample as the page's script takes it."""
    if isinstance(sample, Thumbnail):
        return {"image": f"data:image/{sample.kind};base64,{base64.b64encode(sample.content).decode()}"}
    if isinstance(sample, Missing):
        return {"missing": sample.reason}
    if isinstance(sample, str):
        return sample
    return [[f.name, *(f"{number:.4g}" for number in (f.value, f.low, f.high)), f.outside] for f in sample]


def _ways(findings: Findings) -> list[dict[str, Any]]:
    """Adaptation and its alternatives, by how well their labels fit neighbouring and similar rows."""
    compared = findings.comparison
    ways = [compared.adapted, *compared.alternatives]
    most = max(way.information for way in ways)
    return [
        {
            "name": way.name,
            "neighbours": way.information / most if most > 0 else 0.0,
            "source": way.surroundings,
            "better": way is compared.better,
        }
        for way in ways
    ]


def _class_rows(findings: Findings) -> list[dict[str, Any]]:
    """A row of the table of classes for each of them."""
    n_classes = len(findings.classes)
    source, target = (np.bincount(codes, minlength=n_classes) for codes in (findings.source, findings.labels))
    expected = np.bincount(findings.labels, weights=findings.probability, minlength=n_classes)
    return [
        {
            "name": name,
            "source": int(source[k]),
            "target": int(target[k]),
            "source_share": source[k] / source.sum(),
            "target_share": target[k] / target.sum(),
            "expected": expected[k] / target[k] if target[k] else None,
            "arrived": int(findings.flows[:, k].sum()),
            "left": int(findings.flows[k].sum()),
        }
        for k, name in enumerate(findings.classes)
    ]


def _largest_flows(findings: Findings) -> list[tuple[str, str, int]]:
    i, j = np.nonzero(findings.flows)
    order = np.argsort(-findings.flows[i, j], kind="stable")[:LARGEST_FLOWS]
    return [(findings.classes[i[k]], findings.classes[j[k]], int(findings.flows[i[k], j[k]])) for k in order]
