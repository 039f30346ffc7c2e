"""A process that is ended while it writes leaves nothing behind."""

import os
import signal
import subprocess
import sys

import pytest

from benchmarks.attack.forks import ask_in_forks
from benchmarks.attack.signals import end_commands, end_writers

SIGNALS = """
import os, signal
from tsrp.cli.console import handle_signals, reporting_errors

def ask_to_end():
    os.kill(os.getpid(), signal.SIGTERM)
    os.getpid()  # Python looks for signals when a function ends

class Lost:
    def __del__(self):
        ask_to_end()

@reporting_errors
def command():
    lost = Lost()
    del lost
    print("goes on", flush=True)
    try:
        ask_to_end()
    finally:
        ask_to_end()
        print("cleaned up", flush=True)
    print("was not ended", flush=True)

handle_signals()
command()
"""


TURNED = """
import os, signal
from tsrp.cli.console import handle_signals, if_interrupted, reporting_errors

@reporting_errors
def command():
    with if_interrupted("the labels were written"):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            os.getpid()
        except BaseException:
            raise ImportError("numpy._core.multiarray failed to import") from None

handle_signals()
command()
"""


# Jobs in the background begin with some signals ignored.
HEARD = """
import signal
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name, signal.SIGTERM), signal.SIG_DFL)
"""


def run(code):
    return subprocess.run([sys.executable, "-c", HEARD + code], capture_output=True, text=True)


def test_a_signal_while_writing_leaves_no_file(tmp_path):
    assert end_writers(tmp_path, 30) == {"ended": 30, "files left": 0}


def test_a_signal_to_a_command_leaves_no_process_and_no_file(tmp_path):
    assert end_commands(tmp_path, 2, seed=16) == {"ended": 2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
def test_a_child_forked_while_threads_ask_models_answers():
    assert ask_in_forks(3, panels=0) == {"served": 3}


def test_a_signal_that_a_finaliser_loses_is_not_the_last_one_and_another_does_not_disturb_the_end():
    process = run(SIGNALS)
    assert process.stdout.splitlines() == ["goes on", "cleaned up"]
    assert process.stderr.splitlines()[-1] == "tsrp: ended by SIGTERM; nothing was written."
    assert process.returncode == 143


def test_an_interruption_that_a_library_turns_into_another_error_is_no_bug():
    process = run(TURNED)
    assert (process.returncode, process.stderr) == (130, "tsrp: interrupted; the labels were written.\n")


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP here")
def test_what_nohup_ignores_stays_ignored():
    code = "import os, signal; from tsrp.cli.console import handle_signals; handle_signals(); os.kill(os.getpid(), 1)"
    ignore = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    assert run(ignore + code).returncode == 0
    assert run(code).returncode == 1
