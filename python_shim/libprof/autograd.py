"""The interface of torch.autograd.profiler as of its first releases, implemented with libprof.

    from libprof import autograd as profiler

    with profiler.profile() as prof:
        y = x ** 2
        y.backward()
    print(prof)

Differences: each thread has its own stack of ranges, so that an unclosed range does not affect other threads.
CUDA time is that of the launched operations, not of the stream. Tables are sorted in descending order.
Averages can be averaged again. Chrome traces have arrows that viewers draw.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import sys
import warnings
from types import TracebackType
from typing import Any, DefaultDict, Dict, Iterable, List, Optional, Set, Tuple, Type

from . import _torch, events, recorder
from . import profiler as _profiler
from ._build_events import build_events
from ._output import replacing
from ._recording import Recording
from ._torch_observer import SHAPES
from .averages import FunctionEventAvg as _Average
from .errors import ProfError
from .event_list import EventList as _EventList, Listed, has_rows_of_functions
from .events import Interval, Kernel
from .profiler import kineto_available
from .ranges import record_function
from ._schedule import KinetoStepTracker

range = record_function

UNFINISHED = "<unfinished torch.autograd.profile>"
_SORTS = ("cpu_time", "cuda_time", "cpu_time_total", "cuda_time_total", "count")


def format_time(time_us: float) -> str:
    """Microseconds, whatever their size."""
    return f"{time_us:.3f}us"


def attr_formatter(name: str) -> property:
    """A time of an event, as text."""
    return property(lambda self: format_time(getattr(self, name)))


class FormattedTimesMixin:
    """Times as text, of what has them."""

    cpu_time_str = attr_formatter("cpu_time")
    cuda_time_str = attr_formatter("cuda_time")
    cpu_time_total_str = attr_formatter("cpu_time_total")
    cuda_time_total_str = attr_formatter("cuda_time_total")


class FunctionEvent(FormattedTimesMixin, events.FunctionEvent):
    """A range of a thread; `cpu_start` and `cpu_end` are microseconds."""

    def __init__(self, id: int, name: str, thread: int, cpu_start: float, cpu_end: float) -> None:
        super().__init__(id, name, thread, cpu_start, cpu_end)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} cpu_time={self.cpu_time_str} cuda_time={self.cuda_time_str} "
            f"name={self.name} thread={self.thread}>"
        )


class FunctionEventAvg(FormattedTimesMixin, _Average):
    """Events of one name, or averages of it, added up with ``+=``."""

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg cpu_time={self.cpu_time_str} cuda_time={self.cuda_time_str} key={self.key}>"
        )


class EventList(Listed[Any]):
    """Events or averages, printed as a table of five columns."""

    def __str__(self) -> str:
        return self.table()

    def table(
        self, sort_by: Optional[str] = None, header: Optional[str] = None, row_limit: int = -1, **layout: Any
    ) -> str:
        """The table: as registered, or descending by cpu_time, cuda_time, cpu_time_total, cuda_time_total or
        count. With another column of :meth:`libprof.EventList.table`, or another of its keywords, it is that table.
        """
        if layout or (sort_by is not None and sort_by not in _SORTS):
            return _EventList[Any](self).table(sort_by, row_limit, header=header, **layout)
        return build_table(self, sort_by, header, row_limit)

    def key_averages(self) -> "EventList":
        """Averages by name, in the order in which names first come."""
        averages: Dict[Any, FunctionEventAvg] = {}
        for event in self:
            averages.setdefault(event.key, FunctionEventAvg()).add(event)
        return EventList(averages.values())

    def total_average(self) -> FunctionEventAvg:
        """All added up, under the key "Total"."""
        total = FunctionEventAvg()
        for event in self:
            total.add_any(event)
        total.key = "Total"
        return total

    def export_chrome_trace(self, path: str) -> None:
        """A Chrome trace of these events and what they launched, for chrome://tracing; replaces `path` when
        complete.
        """
        with replacing(path) as file:
            file.write(json.dumps(_chrome_events(self)).encode())


_CPU, _CUDA = 1, 2


def _chrome_events(listed: Iterable[events.FunctionEvent]) -> List[Dict[str, Any]]:
    """Arrows have one name, category and id at both ends, and a slice to bind to: viewers drop others."""
    rows: List[Dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}
        for pid, name in ((_CPU, "CPU functions"), (_CUDA, "CUDA functions"))
    ]
    arrows = 0
    for event in listed:
        cpu = {"ts": event.cpu_interval.start, "tid": event.thread, "pid": _CPU, "args": {}}
        rows.append({"name": event.name, "ph": "X", "dur": event.cpu_interval.elapsed_us(), **cpu})
        for kernel in event.kernels:
            device = {"ts": kernel.interval.start, "tid": kernel.device, "pid": _CUDA, "args": {}}
            arrow = {"name": "cpu_to_cuda", "cat": "cpu_to_cuda", "id": arrows}
            rows.append({"name": kernel.name, "ph": "X", "dur": kernel.interval.elapsed_us(), **device})
            rows.append({"ph": "s", **arrow, **cpu})
            rows.append({"ph": "f", "bp": "e", **arrow, **device})
            arrows += 1
    return rows


def build_table(
    listed: Iterable[Any], sort_by: Optional[str] = None, header: Optional[str] = None, row_limit: int = -1
) -> str:
    """The table of events or averages; "" of none. ValueError for a column that there is not."""
    rows = list(listed)
    if sort_by is not None:
        if sort_by not in _SORTS:
            raise ValueError(f"sort_by: unknown column {sort_by!r}; known: {', '.join(_SORTS)}")
        rows.sort(key=lambda event: getattr(event, sort_by), reverse=True)
    rows = rows if row_limit < 0 else rows[:row_limit]
    if not rows:
        return ""
    width, column = max(len(str(event.key)) for event in rows) + 4, 15

    def line(*cells: Any) -> str:
        return str(cells[0]).ljust(width) + "".join(f"  {cell: >{column}}" for cell in cells[1:])

    rule = "-" * width + ("  " + "-" * column) * 5
    lines = ["=" * len(rule), header] if header is not None else []
    lines += [rule, line("Name", "CPU time", "CUDA time", "Calls", "CPU total", "CUDA total"), rule]
    lines += [
        line(
            event.key, format_time(event.cpu_time), format_time(event.cuda_time), event.count,
            format_time(event.cpu_time_total), format_time(event.cuda_time_total),
        )
        for event in rows
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _as_functions(made: Iterable[events.FunctionEvent]) -> EventList:
    """The ranges among them, under this module's class; children and parents are those in the list."""
    chosen = [event for event in made if event.kind in ("range", "step")]
    functions: Dict[int, FunctionEvent] = {}
    for event in chosen:
        functions[id(event)] = event.as_instance_of(FunctionEvent)
    for function in functions.values():
        parent = function.cpu_parent
        function.cpu_parent = functions.get(id(parent)) if parent is not None else None
        function.cpu_children = [functions.get(id(child), child) for child in function.cpu_children]
    return EventList(functions.values())


class profile:
    """Records ranges of all threads, and with ``use_cuda`` the operations that they launched.

    An object can be entered once; several may be active at the same time. With ``enabled`` False it does
    nothing. The results are in ``function_events``. Later keywords of torch.autograd.profiler.profile do the
    same as those of :class:`libprof.profile`; ``use_kineto`` has no effect.
    """

    def __init__(
        self,
        enabled: bool = True,
        use_cuda: bool = False,
        *,
        use_device: Optional[str] = None,
        use_cpu: bool = True,
        use_kineto: bool = True,
        activity_filters: Optional[Dict[Any, Iterable[str]]] = None,
        **options: Any,
    ) -> None:
        self.enabled = enabled
        self.use_cuda = use_cuda = use_cuda or use_device == "cuda"
        self.entered = False
        self.function_events: Optional[EventList] = None
        kinds = _profiler.ProfilerActivity
        filters = {str(getattr(one, "name", one)): names for one, names in (activity_filters or {}).items()}
        wanted = [kinds.CPU] * use_cpu + [kinds.CUDA] * use_cuda
        activities = [{kind: filters[kind.name]} if kind.name in filters else kind for kind in wanted]
        self._profile = _profiler.profile(activities=activities, **options)

    def __enter__(self) -> "profile":
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("autograd profiler traces are not reentrant")
        self.entered = True
        self._profile.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if not self.enabled:
            return
        with _profiler.behind(error):
            self._profile.stop()
            self._keep()

    def _keep(self) -> None:
        self._profile._shown(stacklevel=5)
        made = _as_functions(self._profile._events(with_functions=False))
        for function in [] if self.use_cuda else made:
            function.kernels = []
            function.set_exact_times(function._self_ns, 0, 0)
        self.function_events = made

    def __repr__(self) -> str:
        return UNFINISHED if self.function_events is None else repr(self.function_events)

    def __str__(self) -> str:
        return UNFINISHED if self.function_events is None else str(self.function_events)

    def _finished(self) -> EventList:
        if self.function_events is None:
            raise ProfError("can't export a trace that didn't finish running")
        return self.function_events

    def table(self, sort_by: Optional[str] = None, **layout: Any) -> str:
        """See EventList."""
        return self._finished().table(sort_by, **layout)

    def export_chrome_trace(
        self, path: str, metadata: Optional[Dict[str, str]] = None, use_python_export: bool = False, **options: Any
    ) -> None:
        """Writes the whole recording as a Chrome trace with `metadata`. See :meth:`libprof.profile.export_chrome_trace`."""
        self._finished()
        for key, value in (metadata or {}).items():
            self._profile.add_metadata(key, value)
        self._profile.export_chrome_trace(path, use_python_export, **options)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """See :meth:`libprof.profile.export_stacks`."""
        self._finished()
        self._profile.export_stacks(path, metric)

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
        include_python_functions: Optional[bool] = None,
    ) -> Any:
        """See EventList; by more than the name, or with Python functions, averages are those of
        :meth:`libprof.profile.key_averages`.
        """
        events, by_more = self._finished(), group_by_input_shape or group_by_stack_n or group_by_overload_name
        functions = self._profile.with_stack and has_rows_of_functions(include_python_functions)
        if not (by_more or functions):
            return events.key_averages()
        return self._profile.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name, functions)

    def total_average(self) -> FunctionEventAvg:
        """See EventList."""
        return self._finished().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Sum of self times on the CPU, microseconds."""
        return float(sum(event.self_cpu_time_total for event in self._finished()))

    @property
    def kineto_results(self) -> Any:
        """See :attr:`libprof.profile.kineto_results`."""
        return self._profile.kineto_results

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[Any]) -> None:
        """See :meth:`libprof.profile.toggle_collection_dynamic`."""
        self._profile.toggle_collection_dynamic(enabled, activities)


class emit_nvtx:
    """Records this process, forwards ranges and marks to an attached NVTX tool, and has PyTorch emit its operators.

    An object can be entered once, before anything is recorded, or later with PROF_EMIT_NVTX=1 in the
    environment. With ``enabled`` False it does nothing.
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes
        self.entered = False
        self._open = contextlib.ExitStack()

    def __enter__(self) -> "emit_nvtx":
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("NVTX annotation context manager is not reentrant")
        self.entered = True
        self._forward()
        with contextlib.ExitStack() as stack:
            recorder.start()
            stack.callback(recorder.stop)
            torch = sys.modules.get("torch")
            if torch is not None and torch.cuda.is_available():
                stack.enter_context(torch.autograd.profiler.emit_nvtx(record_shapes=self.record_shapes))
            self._open = stack.pop_all()
        return self

    def _forward(self) -> None:
        if os.environ.get("PROF_EMIT_NVTX") == "1":
            return
        try:
            recorder.configure(emit_nvtx=True)
        except ProfError as error:
            warnings.warn(f"ranges are not forwarded to NVTX: {error}", RuntimeWarning, stacklevel=3)

    def __exit__(self, *error: Any) -> None:
        self._open.close()


class emit_itt:
    """Records this process including PyTorch's operators, with shapes if ``record_shapes`` is set. The recording goes to
    libprof's file; no ITT tool is needed.

    An object can be entered once. With ``enabled`` False it does nothing.
    """

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes, self.entered = enabled, record_shapes, False
        self._open = contextlib.ExitStack()

    def __enter__(self) -> "emit_itt":
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("ITT annotation context manager is not reentrant")
        self.entered = True
        with contextlib.ExitStack() as stack:
            recorder.start()
            stack.callback(recorder.stop)
            stack.enter_context(_torch.recorded(SHAPES if self.record_shapes else 0))
            self._open = stack.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.close()


def load_nvprof(path: "os.PathLike[str] | str") -> EventList:
    """Functions of a database that ``nvprof -o`` wrote, with the kernels that each launched.

    A kernel belongs to the innermost range of its thread around its launch. ProfdumpError for what cannot be
    read.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(2, "No such file", os.fspath(path))
    return _as_functions(build_events(Recording([os.fspath(path)])))


parse_nvprof_trace = load_nvprof


class EnforceUnique:
    """Raises RuntimeError for a key that it has seen before."""

    def __init__(self) -> None:
        self.seen: Set[Tuple[Any, ...]] = set()

    def see(self, *key: Any) -> None:
        """`key` comes once."""
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


@functools.lru_cache(maxsize=None)
def _demangler() -> Optional[Any]:
    with contextlib.suppress(OSError, AttributeError):
        function = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
        function.restype = ctypes.c_void_p
        function.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)]
        return function
    return None


def _demangle(name: str) -> str:
    demangle, status = _demangler(), ctypes.c_int(-1)
    text = demangle(name.encode(), None, None, ctypes.byref(status)) if demangle else None
    if not text:
        return name
    try:
        return (ctypes.cast(text, ctypes.c_char_p).value or b"").decode(errors="replace")
    finally:
        free = ctypes.CDLL(None).free
        free.argtypes = [ctypes.c_void_p]
        free(text)


class StringTable(DefaultDict[str, str]):
    """From names to what C++ wrote them for, where libstdc++ is; others are themselves."""

    def __missing__(self, key: str) -> str:
        self[key] = _demangle(key)
        return self[key]


__all__ = [
    "EnforceUnique", "EventList", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel", "KinetoStepTracker",
    "StringTable", "build_table", "emit_itt", "emit_nvtx", "format_time", "kineto_available", "load_nvprof",
    "parse_nvprof_trace", "profile", "range", "record_function",
]  # fmt: skip
