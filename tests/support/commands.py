"""The command line, run in this process or in one of its own."""

import os
import sys
from importlib import import_module
from multiprocessing import get_context

from typer.testing import CliRunner

from tsrp.cli import app, main


def run(*arguments, given=None):
    """The command in this process; `given` is its standard input."""
    settings = {"COLUMNS": "200", "TERM": "dumb"}
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given, env=settings)


def start(*arguments, log, constants=None):
    """Start a process with the command, which may be killed; what it prints goes into a file.

    It is forked by a server that has imported the package, because that takes longer than most commands do.
    `constants` are values by the names of modules' constants, for this process alone.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(["tsrp.experiments.backends", "tsrp.experiments.paper_tables"])
    process = context.Process(target=_run_main, args=([str(argument) for argument in arguments], log, constants or {}))
    process.start()
    return process


def _run_main(arguments, log, constants):
    for name, value in constants.items():
        module, _, constant = name.rpartition(".")
        setattr(import_module(module), constant, value)
    with open(log, "w") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    sys.argv = ["tsrp", *arguments]
    main()
