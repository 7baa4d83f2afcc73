"""The exceptions of the package; all of them are :class:`ProfError`."""

from __future__ import annotations


class ProfError(RuntimeError):
    """Something that libprof was asked for could not be done; the text is the C layer's sentence."""


class LibraryError(ProfError, OSError):
    """``libprof.so`` (or the program ``profdump``) is missing, or is not of this package's version."""


class ProfdumpError(ProfError):
    """``profdump`` failed. ``status`` is its exit status, the text what it said."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class UnfinishedError(ProfError, AssertionError):
    """A result was asked for that is not there yet. Also an AssertionError: torch.profiler raises these."""
