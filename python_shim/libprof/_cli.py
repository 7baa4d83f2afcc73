"""Exit statuses and errors of the programs in this package."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Callable, List

from .errors import ProfError

FAILURES = (ProfError, OSError, ValueError, TypeError, RuntimeError, AssertionError)


def add_listing_options(parser: argparse.ArgumentParser, rows: int, rows_help: str) -> None:
    """--rows N, which is `rows` unless given, and --format: of commands that print lists."""
    parser.add_argument("--rows", type=int, default=rows, metavar="N", help=rows_help)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text (default) or json")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="print JSON: --format json")


def parse_listing(parser: argparse.ArgumentParser, words: List[str]) -> argparse.Namespace:
    """The options; a number of rows that there cannot be is wrong usage."""
    options = parser.parse_args(words)
    if options.rows < -1:
        parser.error(f"--rows {options.rows}: a number of rows, or -1 for all")
    return options


def finish(program: str, action: Callable[[], None]) -> int:
    """Runs the action and returns the exit status: 0, or 1 after an error message on standard error.

    A closed pipe gets no message, and a standard output that was closed from the start is no error.
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
    """Flushes standard output and error. A stream that was closed before the interpreter started is None."""
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
