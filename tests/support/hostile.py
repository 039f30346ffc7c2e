"""A report whose every name is an attack, for the tests of the page and of the browser."""

import numpy as np

from tests.support.domains import make_domains
from tsrp import JDA, TSRP
from tsrp.report.page import write_report

CLASSES = [
    "<script>document.title='owned'</script>",
    "\"; document.title='owned'//",
    "</script><img src=x onerror=document.title='owned'>",
    "=cmd|' /C calc'!A0",
]
FILES = ("<b>lab</b>.csv", "field\u2028&lt;.csv")
N_TARGET = 150


def ids():
    awkward = ["-7", "@SUM(A1)", 'say "hi", twice', "</td><script>alert(1)</script>", "${alert(1)}", "$$x^2$$"]
    return [f"{awkward[i % len(awkward)]} {i}" for i in range(N_TARGET)]


def write_hostile(path):
    """Write the page; returns the model and the findings."""
    Xs, ys, Xt, yt = make_domains(n_source=100, n_target=N_TARGET, shift=1.5)
    Xt = Xt + 2.5 * np.random.default_rng(1).normal(size=Xt.shape)
    names = np.array(CLASSES)
    model = TSRP(JDA(n_components=5), trust=0.97).fit(Xs, names[ys], Xt)
    return model, write_report(model, path, truth=names[yt], ids=ids(), files=FILES)
