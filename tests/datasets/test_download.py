"""Downloads from a real server on this machine: good, truncated, wrong, missing, and back again after a while."""

import hashlib
import os
import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from tsrp.datasets import DATASETS, DataFile, Dataset, fetch
from tsrp.datasets import download as module
from tsrp.datasets.catalogue.readers import arrays
from tsrp.datasets.record import FileDomain
from tsrp.exceptions import DownloadError

CONTENT = np.random.default_rng(0).bytes(200_000)
BLOB = hashlib.sha1(b"blob %d\0" % len(CONTENT) + CONTENT).hexdigest()
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server:
    """Answers each request with the next of its answers, the last one again and again."""

    def __init__(self):
        self.answers = ["good"]
        self.asked: list[str] = []
        self.sent = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.path)
                answer = server.answers[0] if len(server.answers) == 1 else server.answers.pop(0)
                if isinstance(answer, int):
                    self.send_error(answer)
                    return
                if answer.startswith("to "):
                    self.send_response(302)
                    self.send_header("Location", answer.removeprefix("to "))
                    self.end_headers()
                    return
                if answer == "endless":
                    self.send_response(200)
                    self.end_headers()
                    with suppress(OSError):
                        while server.sent < 400_000_000:
                            server.sent += self.wfile.write(CONTENT)
                    return
                body = {"good": CONTENT, "wrong": bytes(len(CONTENT)), "short": CONTENT[:100]}.get(answer, CONTENT)
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if answer == "truncated" else body)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.http.server_port}"


@pytest.fixture
def server():
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


@pytest.fixture(params=["sha256", "blob"])
def toy(request, monkeypatch):
    """A data set of one file, which is known by its SHA-256 or by git's id only."""
    monkeypatch.setattr(module, "PAUSE", 0.0)
    known = {"sha256": SHA256, "size": len(CONTENT)} if request.param == "sha256" else {"blob": BLOB}
    file = DataFile("toy.mat", "owner/name/commit/data/toy.mat", **known)
    about = Dataset(
        "toy",
        "Toy",
        "table",
        {"old": FileDomain(1, file, arrays("X", "y"))},
        (),
        1,
        {1: "one"},
        "none",
        "nobody",
        "made up",
    )
    monkeypatch.setitem(DATASETS, "toy", about)
    return "toy"


def test_a_good_file_takes_its_place_once(toy, server, tmp_path):
    [done] = fetch(toy, data_dir=tmp_path, mirror=server.address)
    assert (done.what, done.path) == ("fetched", tmp_path / "toy" / "toy.mat")
    assert done.path.read_bytes() == CONTENT
    assert server.asked == ["/owner/name/commit/data/toy.mat"]
    [again] = fetch(toy, data_dir=tmp_path, mirror=server.address)
    assert again.what == "kept"
    assert len(server.asked) == 1


@pytest.mark.parametrize("answer", ["truncated", "wrong", "short"])
def test_a_bad_answer_is_refused_and_leaves_nothing(toy, server, tmp_path, answer):
    server.answers = [answer]
    with pytest.raises(DownloadError, match=r"toy\.mat could not be downloaded .* after 3 attempts"):
        list(fetch(toy, data_dir=tmp_path, mirror=server.address))
    assert len(server.asked) == 3
    assert list((tmp_path / "toy").iterdir()) == []


def test_a_server_that_sends_too_much_is_left_at_once(toy, server, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST", 300_000)
    server.answers = ["endless"]
    with pytest.raises(DownloadError, match=r"the server sends more than the [23]00,000 bytes of the file"):
        list(fetch(toy, data_dir=tmp_path, mirror=server.address))
    # What the system holds of a connection comes on top.
    assert server.sent < 20_000_000
    assert len(server.asked) == 1
    assert list((tmp_path / "toy").iterdir()) == []


def test_a_file_that_takes_too_long_is_given_up(toy, server, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "DEADLINE", -1.0)
    with pytest.raises(DownloadError, match="it takes more than"):
        list(fetch(toy, data_dir=tmp_path, mirror=server.address))


def test_a_server_that_says_nothing_is_given_up(toy, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mirror = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(DownloadError, match="ReadTimeout"):
            list(fetch(toy, data_dir=tmp_path, mirror=mirror))


@pytest.mark.parametrize("place", ["http://127.0.0.1:9/x", "/elsewhere", "ftp://127.0.0.1/x", "file:///etc/hostname"])
def test_redirects_lead_to_https_only(toy, server, tmp_path, place):
    server.answers = [f"to {place}"]
    with pytest.raises(DownloadError, match=r"passes on to .*, which is not https"):
        list(fetch(toy, data_dir=tmp_path, mirror=server.address))
    assert len(server.asked) == 1


@pytest.mark.parametrize("answers", [["truncated", "good"], ["wrong", "short", "good"], [503, "good"]])
def test_a_bad_answer_is_asked_for_again(toy, server, tmp_path, answers):
    server.answers = list(answers)
    [done] = fetch(toy, data_dir=tmp_path, mirror=server.address)
    assert done.path.read_bytes() == CONTENT
    assert len(server.asked) == len(answers)


def test_what_is_not_there_is_asked_for_once(toy, server, tmp_path):
    server.answers = [404]
    with pytest.raises(DownloadError, match=r"the server answered 404 .*put it into .*toy"):
        list(fetch(toy, data_dir=tmp_path, mirror=server.address))
    assert len(server.asked) == 1
    assert list((tmp_path / "toy").iterdir()) == []


@pytest.mark.parametrize("content", [b"", CONTENT[:-1], bytes(len(CONTENT))])
def test_a_damaged_file_on_disk_is_fetched_again(toy, server, tmp_path, content):
    path = tmp_path / "toy" / "toy.mat"
    path.parent.mkdir()
    path.write_bytes(content)
    [done] = fetch(toy, data_dir=tmp_path, mirror=server.address)
    assert done.what == "replaced"
    assert "instead of" in done.reason
    assert path.read_bytes() == CONTENT


def test_a_copy_of_ones_own_is_kept(toy, server, tmp_path, monkeypatch):
    path = tmp_path / "toy" / "toy.mat"
    path.parent.mkdir()
    path.write_bytes(b"mine")
    spec = DATASETS["toy"].domains["old"]
    assert isinstance(spec, FileDomain)
    read = FileDomain(1, spec.file, lambda path: (np.ones((1, 1)), np.array([1])))
    monkeypatch.setitem(DATASETS["toy"].domains, "old", read)
    [done] = fetch(toy, data_dir=tmp_path, mirror=server.address)
    assert done.what == "kept"
    assert done.reason.startswith("not the published file: ")
    assert path.read_bytes() == b"mine"
    assert server.asked == []


def test_a_damaged_file_stays_if_no_better_one_comes(toy, server, tmp_path):
    path = tmp_path / "toy" / "toy.mat"
    path.parent.mkdir()
    path.write_bytes(b"old")
    server.answers = ["wrong"]
    with pytest.raises(DownloadError):
        list(fetch(toy, data_dir=tmp_path, mirror=server.address))
    assert path.read_bytes() == b"old"


def test_a_server_that_is_not_there_is_named(toy, tmp_path):
    with pytest.raises(DownloadError, match=r"127\.0\.0\.1:9/owner.*after 3 attempts"):
        list(fetch(toy, data_dir=tmp_path, mirror="http://127.0.0.1:9"))


def test_a_folder_that_must_not_be_written_to_is_named_before_anything_is_asked_for(toy, server, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(DownloadError, match="permission denied"):
        list(fetch(toy, data_dir=tmp_path, mirror=server.address))
    assert server.asked == []


def test_a_file_in_place_of_the_folder_is_named(toy, server, tmp_path):
    (tmp_path / "toy").write_text("in the way")
    with pytest.raises(DownloadError, match="cannot be made"):
        list(fetch(toy, data_dir=tmp_path, mirror=server.address))


def test_a_file_without_address_is_reported(tmp_path):
    done = list(fetch("office-caltech-mobilenetv2", data_dir=tmp_path))
    assert {entry.what for entry in done} == {"no address"}


def test_a_bar_sees_all_bytes(toy, server, tmp_path):
    class Bar:
        total, seen = 0, 0

        def update(self, amount):
            self.seen += amount

        def reset(self):
            self.seen = 0

        def close(self):
            pass

    bar = Bar()
    list(fetch(toy, data_dir=tmp_path, mirror=server.address, bar=bar))
    assert bar.total == bar.seen == len(CONTENT)
