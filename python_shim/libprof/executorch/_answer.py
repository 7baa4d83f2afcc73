"""What ``profdump executorch blocks`` says of a prof buffer or an ETDump, as Python objects."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from typing import Any, Iterator, List, NoReturn, Sequence, Union

from .._profdump import find_program, unrecorded_environment
from ..errors import ProfdumpError

Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview]
"""A file's path, or what is in it."""

_OWN_EXCEPTIONS = {"ValueError": ValueError, "RuntimeError": RuntimeError}


@contextlib.contextmanager
def as_path(source: Source) -> Iterator[str]:
    """Path of a file with the source in it: a temporary one, removed at the end, for bytes."""
    if isinstance(source, (str, os.PathLike)):
        yield os.fspath(source)
        return
    with tempfile.NamedTemporaryFile(prefix="libprof-") as file:
        file.write(source)
        file.flush()
        yield file.name


def _sentences(said: bytes, source: Source, path: str) -> List[str]:
    """Lines of standard error as they are for people who know no program and no temporary file."""
    text = said.decode(errors="replace")
    if not isinstance(source, (str, os.PathLike)):
        text = text.replace(path, "<bytes>")
    return [
        line[len("profdump: ") :] if line.startswith("profdump: ") else line for line in text.splitlines()
    ]


def warn(sentence: str) -> None:
    """A :class:`UserWarning` that points at the program's own line, outside of this package."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, UserWarning, stacklevel=level)


def _refuse(sentences: Sequence[str], status: int) -> NoReturn:
    name, _, sentence = (sentences[-1] if sentences else "").partition(": ")
    if name in _OWN_EXCEPTIONS:
        raise _OWN_EXCEPTIONS[name](sentence)
    raise ProfdumpError("\n".join(sentences) or f"profdump ended with {status}", status)


def ask(source: Source, *options: str) -> Any:
    """The JSON of ``profdump executorch blocks --format json --raw`` with these options, decoded.

    What profdump says is wrong with the file, though it can be read, becomes a :class:`UserWarning`. Raises
    :class:`~libprof.ProfdumpError` with its sentence when the file cannot be read, and the exception that
    ExecuTorch's own program would have raised (``--compat``). Any thread.
    """
    program = find_program("profdump")
    with as_path(source) as path:
        command = [program, "executorch", "blocks", "--format", "json", "--raw", *options, "--", path]
        done = subprocess.run(command, capture_output=True, env=unrecorded_environment(), check=False)
        sentences = _sentences(done.stderr, source, path)
    if done.returncode != 0:
        _refuse(sentences, done.returncode)
    for sentence in sentences:
        warn(sentence)
    return json.loads(done.stdout)
