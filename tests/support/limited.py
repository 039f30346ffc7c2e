"""Run a command of tsrp in a process whose address space may grow by so many bytes only.

    python limited.py BYTES FILE WARMING COMMAND

WARMING and COMMAND are lists of arguments in JSON. The first is run before the limit, so that libraries are loaded
and their threads are there. FILE, or the files of a folder, must be too large to be read as a whole: that is tried
first.
"""

import json
import resource
import sys
from pathlib import Path

from tests.support.commands import run


def size():
    """The address space of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def main():
    headroom, path = int(sys.argv[1]), Path(sys.argv[2])
    warming, command = (json.loads(text) for text in sys.argv[3:])
    first = run(*warming)
    assert first.exit_code == 0, first.stderr
    limit = size() + headroom
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        b"".join([file.read_bytes() for file in (path.iterdir() if path.is_dir() else [path])])
    except MemoryError:
        pass
    else:
        raise SystemExit(f"{path} could be read as a whole")
    result = run(*command)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    print(result.stdout, result.stderr)
    raise SystemExit(result.exit_code)


if __name__ == "__main__":
    main()
