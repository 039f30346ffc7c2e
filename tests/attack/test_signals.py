"""A process that is ended while it writes leaves nothing behind."""

import subprocess
import sys

from benchmarks.attack.signals import end_writers

SIGNALS = """
import os, signal
from tsrp.cli.console import reporting_errors, terminate

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

signal.signal(signal.SIGTERM, terminate)
command()
"""


def test_sigterm_while_writing_leaves_no_file(tmp_path):
    assert end_writers(tmp_path, 30) == {"ended": 30, "files left": 0}


def test_a_signal_that_a_finaliser_loses_is_not_the_last_one_and_another_does_not_disturb_the_end():
    process = subprocess.run([sys.executable, "-c", SIGNALS], capture_output=True, text=True)
    assert process.stdout.splitlines() == ["goes on", "cleaned up"]
    assert process.stderr.splitlines()[-1] == "tsrp: ended by SIGTERM; nothing was written."
    assert process.returncode == 143
