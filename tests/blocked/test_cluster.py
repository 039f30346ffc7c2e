"""Samples of Dask give the labels of the same samples in memory, in threads and on a cluster that loses a worker."""

import os
import shlex
import signal
import time
from functools import partial
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from tests.support.commands import run
from tests.support.domains import make_domains
from tsrp import BDA, DICD, GFK, JDA, NN, PCA, TCA, TSRP, PerDomain
from tsrp.blocked.cluster import DaskBlocks, connected, in_order, send
from tsrp.blocked.elsewhere import sending
from tsrp.datasets.loading import load_task
from tsrp.exceptions import InputError, UsageError
from tsrp.numerics import neighbours, remote

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.xdist_group("cluster")]
NAMES = [f"f{j}" for j in range(12)]


def twins():
    """Every sample twice, far from each other: ties everywhere."""
    Xs, ys, Xt, _ = make_domains(1, n_source=200, n_target=150, m=12)
    return np.vstack([Xs, Xs]), np.concatenate([ys, ys]), np.vstack([Xt, Xt]).astype(np.float32)


@pytest.fixture(scope="module")
def domains():
    Xs, ys, Xt, _ = make_domains(n_source=300, n_target=250, shift=2.0)
    return Xs, ys, Xt


@pytest.mark.parametrize("method", [NN(), PCA(5), TCA(5), JDA(5), BDA(5, mu="auto"), TSRP(DICD(5))], ids=str)
def test_arrays_and_data_frames_give_the_labels_of_memory(method, domains):
    Xs, ys, Xt = domains
    whole = clone(method).fit(Xs, ys, Xt)
    labels = da.from_array(ys, chunks=50)
    arrays = clone(method).fit(da.from_array(Xs, chunks=(70, 5)), labels, da.from_array(Xt, chunks=(41, -1)))
    source = dd.from_pandas(pd.DataFrame(Xs, columns=NAMES), npartitions=4)
    frames = clone(method).fit(source, ys, pd.DataFrame(Xt, columns=NAMES))
    for model in (arrays, frames):
        np.testing.assert_array_equal(model.labels_, whole.labels_)
    assert frames.feature_names_in_.tolist() == NAMES
    np.testing.assert_allclose(arrays.probability_, whole.probability_, atol=0.02)
    np.testing.assert_array_equal(arrays.predict(da.from_array(Xt, (60, -1))), whole.predict(Xt))


def test_unknown_chunks_are_counted_and_empty_ones_left_out():
    X = da.from_array(np.arange(20.0).reshape(10, 2), chunks=(3, 2))
    samples = DaskBlocks.of(X[X[:, 0] > 5], "X")
    assert samples.shape == (7, 2)
    np.testing.assert_array_equal(samples.rows(np.array)[:, 0], [6, 8, 10, 12, 14, 16, 18])


def test_sums_come_back_as_one():
    X = np.random.default_rng(0).normal(size=(100, 3))
    samples = DaskBlocks.of(da.from_array(X, chunks=(3, 3)), "X")
    total = samples.total(lambda block: block.sum(axis=0))
    np.testing.assert_allclose(total, X.sum(axis=0), atol=1e-12)
    np.testing.assert_array_equal(samples.total(lambda block: block.sum(axis=0)), total)


def test_errors_of_a_block_are_those_of_memory(domains):
    Xs, ys, Xt = domains
    bad = Xt.copy()
    bad[200, 4] = np.nan
    with pytest.raises(InputError, match=r"Xt: 1 value is NaN or infinity .* in row 200, column 4"):
        JDA(5).fit(da.from_array(Xs), ys, da.from_array(bad, (100, -1)))
    with pytest.raises(InputError, match="Xs must have two dimensions"):
        JDA(5).fit(da.from_array(Xs[:, 0]), ys, da.from_array(Xt))
    with pytest.raises(UsageError, match="GFK needs all samples in memory"):
        GFK().fit(da.from_array(Xs), ys, da.from_array(Xt))


@pytest.mark.parametrize("seed", range(3))
def test_a_search_in_parts_finds_the_first_nearest(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    references, queries = rng.integers(3, size=(90, 3)) / 3.0, rng.integers(3, size=(70, 3)) / 3.0
    # Ties, exact ones and such that differ by rounding.
    references[45:] = references[:45] * (1 + 2e-16)
    expected = neighbours.nearest(references, queries)
    monkeypatch.setattr(neighbours, "WORTH_SENDING", 1)
    monkeypatch.setattr(remote, "PART", 16)
    sent = []

    def send_here(function, calls):
        sent.extend(calls)
        return [function(*arguments) for arguments in calls]

    with sending(send_here):
        np.testing.assert_array_equal(neighbours.nearest(references, queries), expected)
    assert len(sent) == 6 * 5
    assert max(len(part) for part, *_ in sent) == 16


def test_work_is_sent_in_order():
    assert send(divmod, [(7, 2), (9, 4)]) == [(3, 1), (2, 1)]


@pytest.fixture
def everything_is_worth_sending(monkeypatch):
    monkeypatch.setattr(neighbours, "WORTH_SENDING", 1)
    monkeypatch.setattr(remote, "PART", 128)
    monkeypatch.setattr("tsrp._utsp.LIGHT", 0)


def fit_on(cluster, model, Xs, ys, Xt, **options):
    with connected(cluster.scheduler_address):
        return clone(model).fit(da.from_array(Xs, chunks=(90, -1)), ys, da.from_array(Xt, chunks=(70, -1)), **options)


@pytest.mark.parametrize(
    "model",
    [TSRP(JDA(5, max_iter=2)), TSRP(DICD(5, max_iter=2)), PerDomain(StandardScaler(), TSRP(JDA(5, max_iter=2)))],
    ids=str,
)
@pytest.mark.parametrize("data", ["shifted", "twins"])
def test_a_cluster_gives_the_same_labels(dask_cluster, everything_is_worth_sending, domains, model, data):
    given = domains if data == "shifted" else twins()
    np.testing.assert_array_equal(fit_on(dask_cluster, model, *given).labels_, clone(model).fit(*given).labels_)


@pytest.mark.published
def test_a_cluster_gives_the_same_labels_on_a_benchmark(dask_cluster, everything_is_worth_sending, data_dir):
    task = load_task("office-caltech-surf", "D -> W", data_dir=data_dir)
    given = task.source.X, task.source.y, task.target.X
    model = TSRP(DICD(20, max_iter=2))
    np.testing.assert_array_equal(fit_on(dask_cluster, model, *given).labels_, clone(model).fit(*given).labels_)


def test_a_worker_that_is_killed_during_a_fit_changes_no_label(dask_cluster, everything_is_worth_sending, domains):
    model = TSRP(DICD(5, max_iter=3))
    expected = clone(model).fit(*domains)
    killed: list[int] = []

    def kill(event):
        if not killed:
            killed.append(next(iter(dask_cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    found = fit_on(dask_cluster, model, *domains, callback=kill)
    assert killed
    assert found.n_iter_ > 1
    np.testing.assert_array_equal(found.labels_, expected.labels_)


def test_the_command_sends_its_work_to_a_cluster(dask_cluster, domains, tmp_path):
    Xs, ys, Xt = domains
    source = pd.DataFrame(Xs, columns=NAMES).assign(label=np.array(list("abcd"))[ys])
    target = pd.DataFrame(Xt, columns=NAMES).assign(key=np.arange(len(Xt)))
    for name, frame in (("source", source), ("target", target)):
        (tmp_path / name).mkdir()
        for i, start in enumerate(range(0, len(frame), 100)):
            frame.iloc[start : start + 20].to_parquet(tmp_path / name / f"part.{i}.parquet")
    options = ("-m", "dicd+tsrp", "-s", "n_components=5", "-s", "max_iter=2", "--id", "key", "-f")
    files = (tmp_path / "source" / "*.parquet", tmp_path / "target" / "*.parquet")
    assert run("adapt", *files, *options).exit_code == 0
    expected = pd.read_csv(tmp_path / "target-labels.csv")
    output = tmp_path / "on-dask.csv"
    for place in (files, (f"file://{tmp_path}/source", f"file://{tmp_path}/target/*.parquet")):
        result = run("adapt", *place, *options, "-o", output, "--dask", dask_cluster.scheduler_address)
        assert result.exit_code == 0, result.stderr
        found = pd.read_csv(output)
        pd.testing.assert_frame_equal(found[["key", "label"]], expected[["key", "label"]])


def test_results_of_calls_come_in_order_and_calls_are_taken_as_they_are_needed(dask_cluster):
    taken = []

    def calls():
        for i in range(30):
            taken.append(i)
            yield (i, 10)

    with connected(dask_cluster.scheduler_address):
        results = in_order(divmod, calls())
        first = next(results)
        assert len(taken) < 10
        assert [first, *results] == [divmod(i, 10) for i in range(30)]


def test_a_call_whose_worker_is_killed_is_made_again(dask_cluster):
    with connected(dask_cluster.scheduler_address):
        results = in_order(slow_square, [(i,) for i in range(12)])
        found = [next(results)]
        os.kill(next(iter(dask_cluster.workers.values())).pid, signal.SIGKILL)
        assert found + list(results) == [i * i for i in range(12)]


def test_what_is_refused_is_not_tried_again(dask_cluster, tmp_path):
    X = np.arange(20.0).reshape(10, 2)
    with connected(dask_cluster.scheduler_address):
        samples = DaskBlocks.of(da.from_array(X, chunks=(2, 2)), "X").then(partial(refusing, tmp_path))
        for ask in (
            lambda: samples.total(np.square),
            lambda: list(samples.map(np.square)),
            lambda: list(in_order(np.square, [(samples.whole(),)])),
            lambda: list(in_order(partial(refusing, tmp_path), [(X,)])),
        ):
            with pytest.raises(InputError, match="a number is 13"):
                ask()
    assert len(list(tmp_path.iterdir())) == 4


def refusing(folder, block):
    """The block, unless it has a 13: each time is noted by a file."""
    if 13.0 in block:
        (folder / uuid4().hex).touch()
        raise InputError("a number is 13")
    return block


def slow_square(number):
    time.sleep(0.1)
    return number * number


def test_predict_sends_its_work_to_a_cluster(dask_cluster, domains, tmp_path):
    Xs, ys, Xt = domains
    model = TSRP(JDA(5)).fit(pd.DataFrame(Xs, columns=NAMES), ys, pd.DataFrame(Xt, columns=NAMES))
    model.save(tmp_path / "model.tsrp")
    new = pd.DataFrame(Xt + 0.1, columns=NAMES).assign(key=np.arange(len(Xt)))
    (tmp_path / "new").mkdir()
    for i, start in enumerate(range(0, len(new), 25)):
        new.iloc[start : start + 25].to_parquet(tmp_path / "new" / f"part.{i}.parquet", row_group_size=10)
    options = ("--id", "key", "--block-rows", "12", "-f")
    assert run("predict", tmp_path / "model.tsrp", tmp_path / "new", *options).exit_code == 0
    expected = (tmp_path / "new-labels.csv").read_text()
    output = tmp_path / "on-dask.csv"
    for place in (tmp_path / "new" / "*.parquet", f"file://{tmp_path}/new"):
        address = dask_cluster.scheduler_address
        result = run("predict", tmp_path / "model.tsrp", place, *options, "-o", output, "--dask", address)
        assert result.exit_code == 0, result.stderr
        assert output.read_text() == expected
    assert pd.read_csv(output)["label"].tolist() == model.predict(new[NAMES]).tolist()
    new.loc[[30], "f3"] = np.nan
    new.iloc[25:50].to_parquet(tmp_path / "new" / "part.1.parquet", row_group_size=3)
    result = run("predict", tmp_path / "model.tsrp", tmp_path / "new", *options, "-o", output, "--dask", address)
    assert result.exit_code == 3
    assert "part.1.parquet: 1 value is NaN or infinity (inf), the first in row 6" in " ".join(result.stderr.split())
    assert output.read_text() == expected


def test_tune_sends_its_candidates_to_a_cluster(dask_cluster, domains, tmp_path):
    Xs, ys, Xt = domains
    source, target = (pd.DataFrame(X, columns=NAMES) for X in (Xs, Xt))
    source["label"] = np.array(list("abcd"))[ys]
    for name, frame in (("source", source), ("target", target)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet")
    candidates = ("-m", "gfk", "-m", "jda+tsrp", "-m", "nn", "-s", "n_components=5", "-q", "-f")
    here, elsewhere = f"{tmp_path}/{{}}.csv", f"file://{tmp_path}/{{}}.parquet"
    dask = ("--dask", dask_cluster.scheduler_address)
    tables = []
    for place, options in ((here, ("--jobs", 1)), (here, dask), (elsewhere, dask)):
        files = (place.format("source"), place.format("target"))
        result = run("tune", *files, *candidates, *options, "-o", tmp_path / "ranking.csv")
        assert result.exit_code == 0, result.stderr
        tables.append(pd.read_csv(tmp_path / "ranking.csv").drop(columns="seconds"))
    for table in tables[1:]:
        pd.testing.assert_frame_equal(table, tables[0], check_exact=True)
    # What to run next is of a method that a cluster can fit, as the files are elsewhere.
    words = shlex.split(result.stdout)
    assert words[words.index("--method") + 1] in ("jda+tsrp", "nn")
    assert run(*words[1:], "-o", tmp_path / "labels.csv").exit_code == 0
    assert len(pd.read_csv(tmp_path / "labels.csv")) == len(Xt)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--dask", "garbage"), "--dask must be a scheduler's"),
        (("--dask", "tcp://127.0.0.1:9"), "there is no Dask scheduler at tcp://127.0.0.1:9"),
    ],
)
def test_an_address_without_a_scheduler_is_refused(tmp_path, monkeypatch, given, words):
    monkeypatch.setattr("tsrp.blocked.cluster.PATIENCE", 0.5)
    (tmp_path / "a.csv").write_text("a,label\n1,2\n")
    result = run("adapt", tmp_path / "a.csv", tmp_path / "a.csv", *given)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
