"""`python -m tsrp` is the command `tsrp`."""

from tsrp.cli import main

main()
