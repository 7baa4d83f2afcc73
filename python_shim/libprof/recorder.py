"""Recording on and off, and the file that it goes to.

A process has one trace file. Where neither PROF_OUTPUT nor :func:`configure` names it, and nobody preloaded
the library, it lies in a private temporary directory which this process removes at its exit: results that are
to outlive it are exported.
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
    """Replaces what the environment says about the trace file; before anything is recorded, else ProfError.

    ``output`` is its name, %p standing for the process id (see prof.h); ``max_bytes`` its limit, 0 for that
    of PROF_MAX_MB; ``ring`` keeps the last part of the run there instead of stopping; ``emit_nvtx`` forwards
    ranges and marks to an attached NVTX tool.
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


def private_directory() -> str:
    """A new directory, which this process removes at its exit."""
    directory = tempfile.mkdtemp(prefix="libprof-")
    atexit.register(_remove_directory, directory, os.getpid())
    return directory


def _settle_output(library: _native.Library) -> None:
    global _output_settled
    with _lock:
        own_choice = library.path is None or "PROF_OUTPUT" in os.environ or library.prof_output_path()
        if not _output_settled and not own_choice:
            configure(output=os.path.join(private_directory(), "%p.prof"))
        _output_settled = True


def start() -> None:
    """Begins recording, or goes on with it: it is on while there were more starts than stops. Any thread."""
    library = _native.library()
    _settle_output(library)
    if not is_recording():
        _open_ranges.forget_all()
    library.check(library.prof_start())


def stop() -> None:
    """Takes one start back. Ranges that are open when recording ends, end."""
    library = _native.library()
    library.check(library.prof_stop())
    if not is_recording():
        _open_ranges.forget_all()


def flush() -> None:
    """When this returns, everything recorded so far is in the file, what devices did included.

    What is still in progress on a device is not: synchronise it before.
    """
    library = _native.library()
    library.check(library.prof_flush())


def flush_if_any() -> None:
    """The same, where nothing has been recorded yet nothing."""
    library = _native.library()
    status = library.prof_flush()
    if status != _native.NOTHING:
        library.check(status)


def load() -> None:
    """Raises LibraryError if importing this package could not load libprof.so."""
    _native.library()


def step(number: Optional[int] = None) -> None:
    """Ends the step in progress and begins the next: rows "ProfilerStep#N". Once per iteration, from one
    thread. `number` is N; without it steps count from 0 in the process.
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
    """Path of this process's trace file; "" while there is none."""
    return os.fsdecode(_native.library().prof_output_path() or b"")


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
