"""Adds libprof's ranges and steps to the execution trace that PyTorch's observer writes.

That observer records only PyTorch's record_function(). So while it runs, libprof opens its ranges through
record_function(). libprof's compiled observer then records them, with their number in the execution trace. An observer
that runs without a profile also opens the gate that ranges read.
"""

from __future__ import annotations

import functools
import os
from typing import Any, List, Optional

from . import _open_ranges, _torch_observer, ranges


class _Opened:
    """Replaces prof_range_push() until the last user and all ranges opened here have ended. A thread's ranges nest."""

    def __init__(self, torch: Any) -> None:
        ranges.is_recording()  # binds the functions
        self.named = torch.autograd.profiler.record_function
        self.users = 0
        self._push, self._pop, self._gate = ranges._push, ranges._pop, ranges._gate

    def begin(self) -> None:
        """Adds a user."""
        self.users += 1
        ranges._push, ranges._pop, ranges._gate = self.push, self.pop, _OPEN

    def end(self) -> None:
        """Removes a user."""
        self.users -= 1
        if not self.users:
            ranges._gate = self._gate
        self._leave()

    def _leave(self) -> None:
        if not self.users and not _open_ranges.has_through():
            ranges._push, ranges._pop = self._push, self._pop

    def push(self, name: bytes) -> None:
        """Opens a range: through PyTorch while there is a user."""
        through = None
        if self.users:
            through = self.named(name.decode(errors="replace"))
            through.__enter__()
        else:
            self._push(name)
        _open_ranges.of_thread.through.append(through)

    def pop(self) -> None:
        """Closes the thread's innermost range. Ranges from before the first user are not in the list."""
        opened = _open_ranges.of_thread.through
        through = opened.pop() if opened else None
        if through is None:
            self._pop()
        else:
            through.__exit__(None, None, None)
            self._leave()


_opened: Optional[_Opened] = None
_OPEN = (1, 1)  # the gate's words while recording is on


def _opened_by(torch: Any) -> Optional[_Opened]:
    """None without the compiled observer: a recording would then lack ranges that PyTorch opens."""
    global _opened
    if torch is None or _torch_observer.find(torch)[0] is None:
        return None
    _opened = _opened or _Opened(torch)
    return _opened


@functools.lru_cache(maxsize=None)
def observer_class() -> Any:
    """PyTorch's ExecutionTraceObserver, which also sees libprof's ranges while it runs, with or without a profile."""
    import torch

    class ExecutionTraceObserver(torch.profiler.ExecutionTraceObserver):
        """PyTorch's observer, which also sees libprof's ranges. See torch.profiler.ExecutionTraceObserver."""

        def start(self) -> None:
            """Starts to write."""
            was_running = self._execution_trace_running
            super().start()
            opened = _opened_by(torch)
            if opened and self._execution_trace_running and not was_running:
                opened.begin()

        def stop(self) -> None:
            """Stops."""
            was_running = self._execution_trace_running
            super().stop()
            if was_running and _opened:
                _opened.end()

    ExecutionTraceObserver.__module__ = "libprof"
    return ExecutionTraceObserver


def observer_from_environment(torch: Any) -> Any:
    """The observer that ENABLE_PYTORCH_EXECUTION_TRACE=1 requests; None without it."""
    if torch is None or os.environ.get("ENABLE_PYTORCH_EXECUTION_TRACE") != "1":
        return None
    build = getattr(torch.profiler.ExecutionTraceObserver, "build_execution_trace_obs_from_env", None)
    return build() if build else None


class ExecutionTrace:
    """Runs an observer of PyTorch's from begin() to end(). Without libprof's compiled observer, it records only PyTorch's own
    ranges and operators."""

    def __init__(self, torch: Any, observer: Any) -> None:
        self._observer = observer
        self._steps: List[Any] = []
        self._opened = _opened_by(torch)

    def begin(self) -> None:
        """Starts writing."""
        self._observer.start()
        if self._opened:
            self._opened.begin()

    def end(self) -> None:
        """Stops writing."""
        self.end_step()
        if self._opened:
            self._opened.end()
        self._observer.stop()

    def begin_step(self, number: int) -> None:
        """Ends the previous step and begins this one. The compiled observer ignores it: the recorder has its own steps."""
        self.end_step()
        if self._opened:
            self._steps.append(self._opened.named(f"ProfilerStep#{number}"))
            self._steps[-1].__enter__()

    def end_step(self) -> None:
        """Ends the current step, if any."""
        while self._steps:
            self._steps.pop().__exit__(None, None, None)
