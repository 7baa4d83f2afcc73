"""Switches recording on and off, and chooses the trace file.

A process has one trace file. If neither PROF_OUTPUT nor :func:`configure` names it, and the library was not
preloaded, it is in a private temporary directory that this process removes at exit. Export results that you
want to keep.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import shutil
import tempfile
import threading
from typing import Optional

from . import _native, _open_ranges
from .ranges import is_recording

_lock = threading.Lock()
_output_settled = False


def configure(
    output: Optional[str] = None, max_bytes: int = 0, ring: bool = False, emit_nvtx: bool = False
) -> None:
    """Overrides the environment variables for the trace file. Raises ProfError once anything was recorded.

    ``output`` is its name, in which %p is the process id (see PROF_OUTPUT). ``max_bytes`` is its size limit;
    0 means PROF_MAX_MB. ``ring`` overwrites the oldest part at that limit instead of stopping. ``emit_nvtx``
    forwards ranges and marks to an attached NVTX tool.
    """
    global _output_settled
    library = _native.library()
    options = _native.Options(ctypes.sizeof(_native.Options), os.fsencode(output) if output else None)
    options.max_bytes, options.ring, options.emit_nvtx = max_bytes, ring, emit_nvtx
    library.check(library.prof_configure(ctypes.byref(options)))
    if output:
        _output_settled = True


def _remove_directory(path: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


def _end_at_exit(owner: int) -> None:
    """What objects do when the interpreter is taken apart is not recorded: the file is about to be removed."""
    library = _native.library()
    while os.getpid() == owner and is_recording() and library.prof_stop() == _native.OK:
        pass


def private_directory() -> str:
    """Creates a directory that this process removes at exit."""
    directory = tempfile.mkdtemp(prefix="libprof-")
    atexit.register(_remove_directory, directory, os.getpid())
    return directory


def _settle_output(library: _native.Library) -> None:
    global _output_settled
    with _lock:
        own_choice = library.path is None or "PROF_OUTPUT" in os.environ or library.prof_output_path()
        if not _output_settled and not own_choice:
            configure(output=os.path.join(private_directory(), "%p.prof"))
            atexit.register(_end_at_exit, os.getpid())  # before the directory goes
        _output_settled = True


def start() -> None:
    """Starts recording. Starts and stops nest: recording is on while there are more starts. Any thread."""
    library = _native.library()
    _settle_output(library)
    if not is_recording():
        _open_ranges.forget_all()
    library.check(library.prof_start())


def stop() -> None:
    """Undoes one start. When recording stops, open ranges end."""
    library = _native.library()
    library.check(library.prof_stop())
    if not is_recording():
        _open_ranges.forget_all()


def flush() -> None:
    """Writes everything recorded so far to the file, including finished device operations.

    Operations still running on a device are not included: synchronize it first.
    """
    library = _native.library()
    library.check(library.prof_flush())


def flush_if_any() -> None:
    """Like flush(), but does nothing if nothing has been recorded yet."""
    library = _native.library()
    status = library.prof_flush()
    if status != _native.NOTHING:
        library.check(status)


def load() -> None:
    """Raises LibraryError if importing this package could not load libprof.so."""
    _native.library()


def step(number: Optional[int] = None) -> None:
    """Ends the current step and begins the next one, "ProfilerStep#N". Call it once per iteration, always
    from the same thread. `number` is N; by default, the process counts steps from 0.
    """
    if number is not None and number < 0:
        raise ValueError(f"a step's number cannot be negative: {number}")
    library, was = _native.library(), is_recording()
    if number is None:
        library.prof_step()
    else:
        library.prof_step_at(number)
    if was and not is_recording():  # PROF_SCHEDULE, PROF_STOP
        _open_ranges.forget_all()


def output_path() -> str:
    """Path of this process's trace file, or "" before it exists."""
    return os.fsdecode(_native.library().prof_output_path() or b"")


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
