"""Writes files as profdump does: complete or not at all, and never over a recording."""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from typing import IO, Iterator, Optional, Sequence, Union

from .errors import ProfError

PathLike = Union[str, "os.PathLike[str]"]


@contextlib.contextmanager
def replacing(path: PathLike, inputs: Sequence[PathLike] = ()) -> Iterator[IO[bytes]]:
    """A file to write, which replaces `path` at the end and keeps its mode; after an exception the old file stays. A
    symbolic link stays, and the file that it points to is replaced. Devices and pipes are written directly, and so is a
    file in a directory that allows no new file.

    :class:`ProfError` if `path` is a recording or one of the `inputs`.
    """
    name = os.path.realpath(path)
    if not os.path.exists(path):
        yield from _beside(name, None)
    elif not os.path.isfile(path):
        with open(path, "wb") as device:
            yield device
    else:
        _check(os.fspath(path), inputs)
        yield from _beside(name, stat.S_IMODE(os.stat(name).st_mode))


def _check(path: str, inputs: Sequence[PathLike]) -> None:
    with open(path, "r+b") as file:  # renaming would not check write permission
        is_recording = file.read(5)[1:] == b"PROF"
    if is_recording or any(os.path.exists(other) and os.path.samefile(path, other) for other in inputs):
        what = "a recording" if is_recording else "an input"
        raise ProfError(f"{path}: would overwrite {what}; name another file")


def _beside(name: str, mode: Optional[int]) -> Iterator[IO[bytes]]:
    part = os.path.join(os.path.dirname(name), f".prof-{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        file = open(part, "xb")  # has the umask's mode, unlike tempfile's
    except OSError as error:
        if mode is None or not isinstance(error, PermissionError):
            error.filename = name
            raise
        with open(name, "wb") as directly:
            yield directly
        return
    with file:
        try:
            if mode is not None:
                os.chmod(part, mode)
            yield file
            file.close()
            os.replace(part, name)
        except BaseException:
            os.unlink(part)
            raise
