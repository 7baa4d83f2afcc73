"""Files that Python writes by itself, as profdump writes its own: complete or not at all, and no recording lost."""

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
    """A file to write. At the end it takes the place of `path`, with the mode of the file there; after an exception that
    one stays. A link stays, too. Devices and pipes are written directly, and so is a file that nothing can be made beside.

    :class:`ProfError` where `path` is a recording or one of the `inputs`.
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
    with open(path, "r+b") as file:  # renaming would not ask for the right to write
        is_recording = file.read(5)[1:] == b"PROF"
    if is_recording or any(os.path.exists(other) and os.path.samefile(path, other) for other in inputs):
        what = "a recording" if is_recording else "an input"
        raise ProfError(f"{path}: would overwrite {what}; name another file")


def _beside(name: str, mode: Optional[int]) -> Iterator[IO[bytes]]:
    part = os.path.join(os.path.dirname(name), f".prof-{os.getpid()}-{threading.get_ident()}.tmp")
    try:
        file = open(part, "xb")  # for whom the umask allows it, unlike tempfile's
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
