"""How the programs of this package end."""

from __future__ import annotations

import os
import sys
from typing import Callable

from .errors import ProfError

FAILURES = (ProfError, OSError, ValueError, TypeError, RuntimeError, AssertionError)


def finish(program: str, action: Callable[[], None]) -> int:
    """Does it and returns the exit status: 0, or 1 after having said on standard error what is wrong.

    A reader that closed the pipe needs no telling, nor does the one who closed standard output.
    """
    try:
        try:
            action()
        finally:  # --help of argparse raises SystemExit
            flush()
    except BrokenPipeError:
        _forget_output()
        return 1
    except FAILURES as error:
        _forget_output()
        print(f"{program}: {error}", file=sys.stderr)
        return 1
    return 0


def flush() -> None:
    """What was printed is out. A stream that was closed before the interpreter began is None."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _forget_output() -> None:
    """What is left in the buffer of standard output cannot be written; the interpreter would try at its
    end."""
    try:
        flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
