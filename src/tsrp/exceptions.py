"""What this package raises for a mistake that its user can mend; anything else that it raises is a bug.

Each error is one sentence that names the argument or file, what is wrong, and what to do. Parameters stand between
backquotes where the sentence says which one to change; the command line puts its own option there::

    TsrpError (a ValueError)
      UsageError        a name, a parameter or a combination of them that there is not
        WrongTypeError  an argument of the wrong type (also a TypeError)
      InputError        samples, labels or a file that cannot be used
      OutputError       a file that cannot be written
      DownloadError     a file that cannot be had (also an OSError)
      ResultsError      a results file of the experiments that cannot be used
"""

from __future__ import annotations

__all__ = ["DownloadError", "InputError", "OutputError", "ResultsError", "TsrpError", "UsageError", "WrongTypeError"]


# Characters of a sentence. What it quotes from a file or from another package may have thousands.
LONGEST, END = 400, 150


class TsrpError(ValueError):
    """The base of all errors that this package raises on purpose."""

    def __init__(self, sentence: str = "", *details: object) -> None:
        super().__init__(shortened(sentence), *details)


def shortened(sentence: str) -> str:
    """A sentence without its middle if it is too long: what is wrong comes first, and what to do last.

    Examples
    --------
    >>> len(shortened("x.npy cannot be read (" + 1000 * "?" + "): download it again."))
    400
    """
    if len(sentence) <= LONGEST:
        return sentence
    return f"{sentence[: LONGEST - END - 5]} ... {sentence[-END:]}"


class UsageError(TsrpError):
    """A name that is not known, a parameter out of its range, or options that exclude each other."""


class WrongTypeError(UsageError, TypeError):
    """An argument of a type that cannot be used, such as a class where an object is needed."""


class InputError(TsrpError):
    """Samples, labels or a file that cannot be used, alone or with the settings of the fit."""


# The name that `tsrp.datasets` has for it.
DataFileError = InputError


class OutputError(TsrpError):
    """A file that cannot be written; nothing has changed then."""


class DownloadError(TsrpError, OSError):
    """A file that could not be downloaded."""


class ResultsError(TsrpError):
    """A results file that cannot be used."""
