"""The HTML report of a large fit: seconds of the fit and of the report, peak memory, size of the page.

python -m benchmarks.report                # 10,000 + 10,000 rows of 128 features in 10 classes, JDA+TSRP
python -m benchmarks.report 2000 dicd      # these rows of each domain, another method
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.synthetic import make_domains, ridge
from tsrp.report.page import write_report
from tsrp.spec import make_method


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    method = sys.argv[2] if len(sys.argv) > 2 else "jda"
    Xs, ys, Xt, yt = make_domains(n, n, n_features=128, n_classes=10)
    start = time.perf_counter()
    model = make_method(f"{method}+tsrp", {"ridge": ridge(2 * n)}).fit(Xs, ys, Xt)
    print(f"{n:,} + {n:,} rows of 128 features, 10 classes, {method}+tsrp, {model.n_iter_} rounds")
    print(f"fit      {time.perf_counter() - start:6.1f} s, peak {peak():6.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.html")
        start, start_cpu = time.perf_counter(), time.process_time()
        findings = write_report(model, path, truth=yt)
        elapsed, cpu = time.perf_counter() - start, time.process_time() - start_cpu
        size = path.stat().st_size / 1e6
    print(f"report   {elapsed:6.1f} s ({cpu:.1f} s of processor time), peak {peak():6.0f} MB")
    print(f"page     {size:6.2f} MB, {int((~findings.confident).sum()):,} uncertain rows")


if __name__ == "__main__":
    main()
