"""JAX's annotations as ranges: call :func:`record_annotations` once, before the work."""

from __future__ import annotations

import contextlib
from typing import Any

from jax.profiler import StepTraceAnnotation, TraceAnnotation

from .. import record_function, step

# These become methods of TraceAnnotation. A program may hold the class already, so it is not replaced.


def _init(self: Any, name: str, **metadata: Any) -> None:
    super(TraceAnnotation, self).__init__(name, **metadata)
    metadata.pop("_r", None)  # how JAX marks its steps
    self._libprof_range = record_function(name, **metadata)


def _enter(self: Any) -> Any:
    if isinstance(self, StepTraceAnnotation):
        step()
    self._libprof_range.__enter__()
    return super(TraceAnnotation, self).__enter__()


def _exit(self: Any, *what: Any) -> Any:
    try:
        return super(TraceAnnotation, self).__exit__(*what)
    finally:
        self._libprof_range.__exit__(*what)


def record_annotations() -> None:
    """From now on, ``TraceAnnotation``, ``StepTraceAnnotation`` and ``annotate_function`` of ``jax.profiler`` are ranges,
    with their keywords as attributes. A StepTraceAnnotation begins a step, so do not call :func:`libprof.step` as well.
    """
    TraceAnnotation._libprof_range = contextlib.nullcontext()  # of those that exist already
    TraceAnnotation.__init__, TraceAnnotation.__enter__, TraceAnnotation.__exit__ = _init, _enter, _exit
