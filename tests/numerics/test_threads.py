import multiprocessing
import sys
import threading
import warnings

import numpy as np
from scipy import linalg
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

from tests.support.domains import make_domains
from tsrp import JDA, TSRP
from tsrp.numerics import threads
from tsrp.numerics.threads import one_blas_thread, parallel_map


def blas_threads():
    linalg.eigh(np.eye(2))
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_blas_is_limited_inside_and_as_before_afterwards():
    with threadpool_limits(2, "blas"):
        with one_blas_thread():
            assert blas_threads() == {1}
            with one_blas_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {1}
        assert blas_threads() == {2}


def test_libraries_are_looked_for_again_only_after_an_import(monkeypatch):
    found = []

    def look():
        found.append(ThreadpoolController())
        return found[-1]

    def use():
        limit.enter()
        limit.leave()

    limit = threads._BlasLimit()
    monkeypatch.setattr(threads, "ThreadpoolController", look)
    use()
    use()
    assert len(found) == 1
    monkeypatch.setitem(sys.modules, "with_its_own_blas", threads)
    use()
    assert len(found) == 2


def test_work_is_shared_among_the_threads_that_blas_had():
    seen = set()
    barrier = threading.Barrier(2, timeout=10)

    def work(item):
        barrier.wait()
        seen.add(threading.get_ident())
        return item * item

    with threadpool_limits(2, "blas"):
        assert parallel_map(work, [1, 2]) == [1, 4]
    assert len(seen) == 2


def test_one_thread_means_no_other_thread():
    with threadpool_limits(1, "blas"):
        assert set(parallel_map(lambda _: threading.get_ident(), range(4))) == {threading.get_ident()}


def test_a_forked_child_starts_afresh():
    with threadpool_limits(2, "blas"), one_blas_thread():
        child = multiprocessing.get_context("fork").Pool(1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            assert child.apply(blas_threads) == {2}
        child.terminate()
        child.join()
        assert blas_threads() == {1}


def test_a_limit_that_the_host_sets_during_a_fit_stays():
    with threadpool_limits(2, "blas"):
        with one_blas_thread():
            ThreadpoolController().select(user_api="blas").limit(limits=3)
        assert blas_threads() == {3}


def _fit_in_child(answers):
    Xs, ys, Xt, _ = make_domains()
    answers.put(TSRP(JDA(5)).fit(Xs, ys, Xt).labels_.tolist())


def test_a_process_forked_while_another_thread_fits_can_fit_too():
    """The child has none of the parent's threads: what they hold, it must not wait for."""
    Xs, ys, Xt, _ = make_domains()
    began, ended = threading.Event(), threading.Event()

    def hold(event):
        began.set()
        ended.wait(60)

    fit = threading.Thread(target=lambda: JDA(5).fit(Xs, ys, Xt, callback=hold))
    with threadpool_limits(2, "blas"):
        fit.start()
        assert began.wait(60)
        context = multiprocessing.get_context("fork")
        answers = context.SimpleQueue()
        with warnings.catch_warnings():
            # What Python says of all forks beside threads.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = context.Process(target=_fit_in_child, args=(answers,))
            child.start()
        child.join(60)
        assert child.exitcode == 0
        assert answers.get() == TSRP(JDA(5)).fit(Xs, ys, Xt).labels_.tolist()
        assert blas_threads() == {1}
        ended.set()
        fit.join()
        assert blas_threads() == {2}


def test_a_fit_in_another_thread_is_limited_while_the_host_holds_a_limit():
    seen = []

    def look():
        with one_blas_thread():
            seen.append(blas_threads())
        seen.append(blas_threads())

    with threadpool_limits(2, "blas"):
        other = threading.Thread(target=look)
        other.start()
        other.join()
        assert seen == [{1}, {2}]
    with threadpool_limits(1, "blas"):
        assert blas_threads() == {1}


def test_the_limit_is_undone_whoever_ends_last():
    inside, ended = threading.Event(), threading.Event()

    def stay():
        with one_blas_thread():
            inside.set()
            ended.wait(60)

    other = threading.Thread(target=stay)
    with threadpool_limits(2, "blas"):
        with one_blas_thread():
            other.start()
            assert inside.wait(60)
        assert blas_threads() == {1}
        ended.set()
        other.join()
        assert blas_threads() == {2}
