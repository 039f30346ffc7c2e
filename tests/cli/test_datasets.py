"""`tsrp datasets`: what it lists, shows, fetches and refuses."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.support import commands
from tsrp.datasets import DATASETS

USAGE, DOWNLOAD = 2, 6


run = partial(commands.run, "datasets")


@pytest.fixture
def mirror(data_dir, tmp_path):
    """A server on this machine that has the files of COIL20 under GitHub's path."""
    root = tmp_path / "server"
    [file] = DATASETS["coil20"].files
    (root / file.address).parent.mkdir(parents=True)
    (root / file.address).symlink_to(data_dir / "coil20" / file.name)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_it_lists_every_data_set_and_what_is_here(tmp_path, data_dir):
    nothing, something = run("--data-dir", tmp_path).stdout, run("--data-dir", data_dir).stdout
    for name, about in DATASETS.items():
        [line] = [line for line in nothing.splitlines() if line.startswith(f"{name} ")]
        assert line.split()[1] == about.type
        assert f" {about.n_features:,} " in line
        assert f" {len(about.class_names)} " in line
        assert "built in" in line if name == "digits" else " no" in line
    assert str(tmp_path) in nothing.replace("\n", "")
    [line] = [line for line in something.splitlines() if line.startswith("coil20 ")]
    assert line.rstrip().endswith(" yes")
    [line] = [line for line in something.splitlines() if line.startswith("gas-drift ")]
    assert line.rstrip().endswith("8 of 10")
    assert "No public address: office-caltech-mobilenetv2" in nothing
    assert "No public address" not in something
    for listed in (nothing, something):
        assert max(len(line.rstrip()) for line in listed.split("Folder: ")[0].splitlines()) <= 80


def test_it_shows_one_with_licence_and_citation():
    answer = run("show", "gas-drift").stdout
    for words in ("CC BY 4.0", "Vergara", "batch1 -> batch10", "ethanol", "zscore"):
        assert words in answer
    assert run("show", "gas").exit_code == USAGE


def test_it_fetches_checks_and_keeps(mirror, tmp_path):
    first = run("fetch", "coil20", "--data-dir", tmp_path, "--mirror", mirror)
    assert first.exit_code == 0, first.stderr
    assert first.stdout == "coil20: COIL_2.mat fetched\n"
    assert run("--data-dir", tmp_path, "fetch", "coil20", "--mirror", mirror).stdout == "coil20: COIL_2.mat kept\n"
    path = tmp_path / "coil20" / "COIL_2.mat"
    path.write_bytes(path.read_bytes()[:-7])
    again = run("fetch", "coil20", "--data-dir", tmp_path, "--mirror", mirror)
    assert again.stdout == "coil20: COIL_2.mat replaced (it has 3,016,139 bytes instead of 3,016,146)\n"


def test_the_environment_names_the_folder_too(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("TSRP_DATA", str(tmp_path))
    assert run("fetch", "coil20", "--mirror", mirror).exit_code == 0
    assert (tmp_path / "coil20" / "COIL_2.mat").exists()


def test_what_the_server_does_not_have_is_one_sentence(mirror, tmp_path):
    result = run("fetch", "mnist-usps", "--data-dir", tmp_path, "--mirror", mirror)
    assert result.exit_code == DOWNLOAD
    assert "USPS_vs_MNIST.mat could not be downloaded" in result.stderr
    assert "404" in result.stderr
    assert "not complete: mnist-usps." in result.stderr


def test_what_cannot_be_had_does_not_keep_the_others_away(mirror, tmp_path):
    result = run("fetch", "mnist-usps", "coil20", "--data-dir", tmp_path, "--mirror", mirror)
    assert result.exit_code == DOWNLOAD
    assert result.stdout == "coil20: COIL_2.mat fetched\n"
    assert "not complete: mnist-usps." in result.stderr


def test_a_mirror_that_is_no_address_is_wrong_usage(tmp_path):
    result = run("fetch", "coil20", "--data-dir", tmp_path, "--mirror", "ftp://x")
    assert result.exit_code == USAGE
    assert "mirror must begin with http" in result.stderr


def test_a_folder_of_an_unknown_user_is_one_sentence(monkeypatch):
    monkeypatch.setenv("TSRP_DATA", "~nobody-of-that-name/data")
    result = run()
    assert result.exit_code == 3
    assert "names a user that there is not" in result.stderr


def test_what_has_no_address_is_said(tmp_path):
    result = run("fetch", "office-caltech-mobilenetv2", "--data-dir", tmp_path)
    assert result.exit_code == DOWNLOAD
    assert "dslr_mobilenetv2.mat no address" in result.stdout
    assert "not complete: office-caltech-mobilenetv2." in result.stderr
    assert "built in" in run("fetch", "digits", "--data-dir", tmp_path).stdout


def test_an_unknown_name_is_refused_before_anything_is_fetched(tmp_path):
    result = run("fetch", "coil20", "coil21", "--data-dir", tmp_path)
    assert result.exit_code == USAGE
    assert "Did you mean 'coil20'" in result.stderr
    assert list(tmp_path.iterdir()) == []
