"""The command that is being run, as one would type it once more."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator

import typer


def typed(context: typer.Context, without: Collection[str]) -> str:
    """The command with the arguments and options that were given, but for some parameters."""
    return shlex.join(["tsrp", str(context.info_name), *_words(context, without)])


def _words(context: typer.Context, without: Collection[str]) -> Iterator[str]:
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        if name in without or source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[name]
        if parameter.param_type_name == "argument":
            yield str(value)
        elif isinstance(value, bool):
            yield parameter.opts[0]
        else:
            # Options that may be repeated have a list of values, those of several words a tuple.
            for one in value if isinstance(value, list) else [value]:
                yield parameter.opts[0]
                yield from map(str, one) if isinstance(one, tuple) else [str(one)]
