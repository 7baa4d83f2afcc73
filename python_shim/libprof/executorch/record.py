"""Profiling blocks of the running program: what ExecuTorch's runtime calls, from Python.

    from libprof import executorch as et

    for _ in range(3):
        et._create_profile_block("inference")       # blocks of one name are iterations
        with et.scope("Method::execute"):
            with et.instruction_scope(chain=0, index=7), et.scope("native_call_add.out"):
                add()
    prof_data, mem_allocations = et.deserialize_profile_results(et._dump_profile_results())

Blocks and events are records of libprof's trace like everything else: nothing can overflow, names are copied,
and any thread may begin and end. Which block an event belongs to is the process's, not the thread's: that
which was current when it began.

Nothing is recorded until :func:`enable_profiling`, the first :func:`_create_profile_block`, or somebody else
(``profrun``, ``PROF_START``, :class:`libprof.profile`) has recording begin; until then the calls cost a look
at one word. What began recording may say where the trace goes; if it is these functions, and ``PROF_OUTPUT``
does not say, it goes into a temporary directory that is removed when the interpreter ends.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import shutil
import tempfile
import threading
from typing import Iterator, Optional, Union

from .. import _native

NO_EVENT = 0
"""Token of an event that is not recorded."""

NO_ALLOCATOR = 0
"""Number of an allocator that is not recorded."""

_enabling = threading.Lock()


def _remove(directory: str, owner: int) -> None:
    """A forked child that ends leaves the parent's trace where it is."""
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


def _configure(output: Optional[str]) -> None:
    """Says where the trace goes, unless one has begun: that goes on."""
    library = _native.library()
    if output is None and os.environ.get("PROF_OUTPUT"):
        return
    if output is None:
        directory = tempfile.mkdtemp(prefix="libprof-blocks-")
        atexit.register(_remove, directory, os.getpid())
        output = os.path.join(directory, "blocks-%p.prof")
    options = _native.Options(size_bytes=ctypes.sizeof(_native.Options), output=os.fsencode(output))
    library.check(library.prof_configure(ctypes.byref(options)))


def enable_profiling(output: Union[str, "os.PathLike[str]", None] = None) -> None:
    """Begins to record, as a build of ExecuTorch with ``PROFILING_ENABLED`` does; without effect while
    recording is on.

    ``output`` is the trace file (a pattern as in ``PROF_OUTPUT``), None for one that goes with the process.
    Raises :class:`~libprof.ProfError` when recording cannot begin, or when the trace began earlier and the
    file is given. Any thread.
    """
    library = _native.library()
    with _enabling:
        if library.prof_gate()[0]:
            return
        if output is not None or not library.prof_output_path():
            _configure(None if output is None else os.fspath(output))
        library.check(library.prof_start())


# ---- blocks ----


def _create_profile_block(name: str) -> None:
    """Begins a block; one in which nothing happened so far gets the new name instead. Begins to record if
    need be."""
    enable_profiling()
    _native.library().prof_block_create(name.encode())


def _reset_profile_results() -> None:
    """Forgets what the current block holds so far: it is in no dump any more. The timeline keeps it."""
    _native.library().prof_block_reset()


def _dump_profile_results() -> bytes:
    """All blocks so far as prof buffers of version 1; recording goes on.

    It may be called any number of times, with events in between. Events that have not ended, and blocks that
    hold nothing, are left out. Raises :class:`~libprof.ProfError` when no block holds anything. Any thread.
    """
    library = _native.library()
    with tempfile.TemporaryDirectory(prefix="libprof-") as directory:
        path = os.path.join(directory, "blocks.etprof")
        library.check(library.prof_dump_etprof(os.fsencode(path)))
        with open(path, "rb") as file:
            return file.read()


# ---- events ----


def begin_profiling(name: str) -> int:
    """Begins an event of the current block, at the calling thread's instruction; returns its token."""
    return int(_native.library().prof_event_begin(name.encode()))


def end_profiling(token: int) -> None:
    """Ends the event, on any thread. :data:`NO_EVENT` is ignored; what is no open event's is counted as
    lost."""
    _native.library().prof_range_end(token)


@contextlib.contextmanager
def scope(name: str) -> Iterator[None]:
    """An event that lasts as long as the ``with``."""
    token = begin_profiling(name)
    try:
        yield
    finally:
        end_profiling(token)


@contextlib.contextmanager
def instruction_scope(chain: int, index: int) -> Iterator[None]:
    """Events that this thread begins within are at instruction `index` of the chain; -1 is outside of
    chains."""
    library = _native.library()
    outer = library.prof_instruction_enter(chain, index)
    try:
        yield
    finally:
        library.prof_instruction_leave(outer)


# ---- memory ----


def track_allocator(name: str) -> int:
    """A number for the allocator of this name; :data:`NO_ALLOCATOR` where none can be had."""
    return int(_native.library().prof_alloc_track(name.encode()))


def track_allocation(allocator: int, size_bytes: int) -> None:
    """The allocator handed out so many bytes in the current block."""
    if size_bytes < 0:
        raise ValueError(f"an allocation of {size_bytes} bytes")
    if allocator != NO_ALLOCATOR and _native.library().prof_gate()[0]:
        _native.library().prof_alloc(allocator, None, size_bytes)
