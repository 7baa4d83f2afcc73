"""The exceptions of the package; all of them are :class:`ProfError`."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import Any, Dict, Iterator, Optional

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class ProfError(RuntimeError):
    """A function of libprof failed; the text is the C library's message."""


class LibraryError(ProfError, OSError):
    """``libprof.so`` (or the program ``profdump``) is missing, or is not of this package's version."""


class ProfdumpError(ProfError):
    """``profdump`` failed. ``status`` is its exit status, the text what it said."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class BenchError(ProfError):
    """A benchmark has no result. ``reasons`` are sentences; ``answer`` is what profdump's JSON says of the calls, if they were
    recorded: ``answer["sequences"]`` has what they launched.
    """

    def __init__(self, *reasons: str, answer: Optional[Dict[str, Any]] = None) -> None:
        super().__init__("\n".join(reasons))
        self.reasons, self.answer = list(reasons), answer


class UnfinishedError(ProfError, AssertionError):
    """A result was asked for that is not there yet. Also an AssertionError: torch.profiler raises these."""


def warn(text: str) -> None:
    """A RuntimeWarning at the line of the program that called into this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_PACKAGE, contextlib.__file__)):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, RuntimeWarning, stacklevel=level)


def _is_ours(error: BaseException) -> bool:
    """Whether code of this package raised it, for the program or for a callback of the program's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return isinstance(error, ProfError) or (trace is not None and trace.tb_frame.f_code.co_filename.startswith(_PACKAGE))


@contextlib.contextmanager
def only_warning(what: str = "") -> Iterator[None]:
    """Turns libprof's errors into warnings that begin with `what`, so that a running training goes on."""
    try:
        yield
    except Exception as error:
        if not _is_ours(error):
            raise
        warn(f"{what}{error}")
