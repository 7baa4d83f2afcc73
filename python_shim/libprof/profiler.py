"""torch.profiler's `profile` over libprof's recorder."""

from __future__ import annotations

import contextlib
import enum
import os
import time
import warnings
from types import TracebackType
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Set, Type

from . import _export, _python_calls, _torch, notebook, recorder
from ._build_events import build_events
from ._recording import Recording, Window
from ._table import Layout
from .averages import FunctionEventAvg
from .errors import ProfError, UnfinishedError
from .event_list import EventList, averages_of, export_stacks
from .events import FunctionEvent
from .schedule import ProfilerAction, Schedule, always
from .trace import Trace, format_of

_KEPT = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class ProfilerActivity(enum.Enum):
    """What results show: what threads did, and what CUDA devices did."""

    CPU = 0
    CUDA = 2


def supported_activities() -> Set[ProfilerActivity]:
    """Both; whether there are devices shows when something is launched."""
    return set(ProfilerActivity)


def _activities_of(wanted: Optional[Iterable[Any]], use_cuda: Optional[bool]) -> Set[ProfilerActivity]:
    """Also PyTorch's own ProfilerActivity, by its name."""
    if wanted is None:
        if use_cuda is not None:
            warnings.warn("use_cuda is the old name of activities", FutureWarning, stacklevel=4)
        return {ProfilerActivity.CPU} if use_cuda is False else supported_activities()
    names = [
        str(getattr(one, "name", one))
        for group in wanted
        for one in (group if isinstance(group, dict) else [group])
    ]
    other = sorted(set(names) - set(ProfilerActivity.__members__))
    if other:
        warnings.warn(
            f"not recorded, being neither CPU nor CUDA: {', '.join(other)}", RuntimeWarning, stacklevel=4
        )
    known = {ProfilerActivity[name] for name in names if name in ProfilerActivity.__members__}
    if not known:
        raise AssertionError("activities holds neither ProfilerActivity.CPU nor ProfilerActivity.CUDA")
    return known


class profile:
    """Records a part of this process; its results are read from the trace file when they are first asked for.

        with profile(schedule=schedule(wait=1, warmup=1, active=3), on_trace_ready=handler) as prof:
            for batch in batches:
                train(batch)
                prof.step()
        print(prof.key_averages().table(sort_by="self_cuda_time_total", row_limit=10))

    ``activities`` says which rows results show, ``profile_memory`` adds the columns of memory, ``with_flops``
    that of operations. In a process that imported PyTorch its operators are ranges, with input shapes where
    ``record_shapes`` (or ``with_flops``) asks for them. With ``with_stack`` Python
    functions are the call stacks of what happens in them: on all threads from Python 3.12 on, before on the
    thread that starts it and on those that begin later.
    ``on_trace_ready(prof)`` is called at the end of every cycle of the schedule, and at the end; the results
    are then that cycle's, or with ``acc_events`` those of all cycles so far. Arguments that are not supported warn. A
    profile in which nothing was recorded warns, too; its lists, tables and traces are empty.

    Everything that began between start and stop, on every thread, is in the results; a profile may be begun
    while others are under way. start, step and stop belong to one thread. Results stay after the end, and
    after other recordings; before it they raise UnfinishedError. A child that is forked in between records
    into a file of its own: its copy of this object has no results, and says so.
    """

    def __init__(
        self,
        *,
        activities: Optional[Iterable[Any]] = None,
        schedule: Optional[Schedule] = None,
        on_trace_ready: Optional[Callable[["profile"], Any]] = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: Optional[bool] = None,
    ) -> None:
        self.activities = _activities_of(activities, use_cuda)
        self.schedule: Schedule = schedule or always
        self.on_trace_ready = on_trace_ready
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self.with_stack, self.with_flops = with_stack, with_flops
        self.acc_events = acc_events
        self.step_num = 0
        self.current_action = ProfilerAction.NONE
        self._running_in: Optional[int] = None
        self._recording: Optional[contextlib.ExitStack] = None
        self._window_start_ns: Optional[int] = None
        self._first_start_ns: Optional[int] = None
        self._recorded: Optional[Recording] = None
        self._metadata: Dict[str, Any] = {}
        for name in ("with_modules", "experimental_config", "execution_trace_observer"):
            if locals()[name]:
                warnings.warn(f"{name} is PyTorch's own: it has no effect here", RuntimeWarning, stacklevel=2)

    def __repr__(self) -> str:
        if self._is_forked():
            return f"<libprof.profile of process {self._running_in}, which forked this one>"
        state = "running" if self._running_in else "finished" if self._recorded else "not started"
        return f"<libprof.profile {state}, step {self.step_num}>"

    def _repr_html_(self) -> str:
        """In a notebook: the part of the trace that it recorded; before that, what it is."""
        return self.trace._repr_html_() if self._recorded else notebook.preformatted(repr(self))

    # ---- from the beginning to the end ----

    def __enter__(self) -> "profile":
        self.start()
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        with behind(error):
            self.stop()

    def start(self) -> None:
        """Begins with step 0 of the schedule; RuntimeError while it is under way."""
        if self._running_in is not None and not self._is_forked():
            raise ProfError("this profile is running already")
        self._recording = None
        self._running_in = os.getpid()
        self.step_num = 0
        self._window_start_ns = self._first_start_ns = None
        try:
            self._go_to(self.schedule(0))
        except BaseException:
            self._running_in = None
            raise
        if self.schedule is not always:
            recorder.step()

    def step(self) -> None:
        """The next step begins; does what the schedule says of it."""
        if self._running_in is None:
            raise UnfinishedError("step() is for a profile that is running")
        self.step_num += 1
        self._go_to(self.schedule(self.step_num))
        recorder.step()

    def stop(self) -> None:
        """Ends it: a cycle that is under way is kept, and handed to on_trace_ready. Without a start it does
        nothing.
        """
        if self._running_in is None:
            return
        try:
            if self._is_forked():
                self._switch_off()
            else:
                self._go_to(ProfilerAction.NONE)
                if self._first_start_ns is None:
                    self._recorded = Recording([], why_empty="the schedule of this profile reached no step to record")
        finally:
            self._running_in = None if not self._is_forked() else self._running_in

    def _is_forked(self) -> bool:
        return self._running_in is not None and self._running_in != os.getpid()

    def _go_to(self, action: ProfilerAction) -> None:
        before, self.current_action = self.current_action, action
        if self._window_start_ns is not None and (
            before is ProfilerAction.RECORD_AND_SAVE or action not in _KEPT
        ):
            self._end_window(self._window_start_ns)
        if action is ProfilerAction.NONE:
            self._switch_off()
            return
        self._switch_on()
        if action in _KEPT and self._window_start_ns is None:
            self._window_start_ns = time.time_ns()
            self._first_start_ns = self._first_start_ns or self._window_start_ns

    def _switch_on(self) -> None:
        if self._recording is not None:
            return
        with contextlib.ExitStack() as stack:
            recorder.start()
            stack.callback(recorder.stop)
            stack.enter_context(_stacks(self.with_stack))
            stack.enter_context(_torch.operators(self.record_shapes or self.with_flops))
            self._recording = stack.pop_all()

    def _switch_off(self) -> None:
        recording, self._recording = self._recording, None
        if recording is not None:
            recording.close()

    def _end_window(self, start_ns: int) -> None:
        self._window_start_ns, end_ns = None, time.time_ns()
        self._switch_off()
        recorder.flush_if_any()
        if self.acc_events and self._first_start_ns is not None:
            start_ns = self._first_start_ns
        path = recorder.output_path()
        self._recorded = Recording([path] if path else [], Window(start_ns, end_ns))
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    # ---- results ----

    def _result(self) -> Recording:
        if self._is_forked():
            raise ProfError(
                f"process {self._running_in} began this profile and forked this one, "
                "which records into a file of its own"
            )
        if self._recorded is None:
            raise UnfinishedError("a profile has results when it has ended: after its with block, or stop()")
        return self._recorded

    def _shown(self, stacklevel: int = 4) -> Recording:
        """The recording, for methods that show something of it: warns if it is empty."""
        recording = self._result()
        recording.warn_if_empty(stacklevel)
        return recording

    @property
    def trace(self) -> Trace:
        """This profile's part of the trace file, for everything that profdump can do; an empty trace if nothing was
        recorded."""
        return self._shown().trace

    def _layout(self) -> Layout:
        return Layout(memory=self.profile_memory, flops=self.with_flops)

    def _shows(self, device: bool) -> bool:
        return (ProfilerActivity.CUDA if device else ProfilerActivity.CPU) in self.activities

    def events(self) -> EventList:
        """Everything that happened, in the order in which it began."""
        recording = self._shown()
        events = recording.once("events", lambda: build_events(recording))
        shown = [event for event in events if self._shows(event.device_type.name == "CUDA")]
        layout = self._layout()._replace(device=any(event.device_type.name == "CUDA" for event in shown))
        listed = EventList(shown, layout=layout)
        return listed._comes_from(recording) if len(shown) == len(events) else listed

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_input_shapes: bool = False,
    ) -> EventList:
        """What happened, added up by name, and by input shapes and innermost functions where asked for."""
        shapes = group_by_input_shape or group_by_input_shapes
        averages = averages_of(self._shown(), shapes, group_by_stack_n, self._layout())
        if self.with_flops:
            self._add_flops(averages)
        shown = [row for row in averages if self._shows(row.device_type.name == "CUDA")]
        if len(shown) == len(averages):
            return averages
        return EventList(shown, layout=averages._layout._replace(device=self._shows(True)))

    def _add_flops(self, averages: EventList) -> None:
        """Of the events with the attribute; a range that is grouped by more than its name has its name's."""
        sums: Dict[Any, float] = {}
        for event in self.events():
            if event.flops is not None:
                sums[event.key, "range"] = sums.get((event.key, "range"), 0) + event.flops
        for row in averages:
            row.flops = sums.get((row.key, row.kind))

    def total_average(self) -> FunctionEventAvg:
        """All calls added up."""
        return self.key_averages().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """Sum of self times on the CPU, microseconds."""
        return self.key_averages().self_cpu_time_total

    def table(self, *arguments: Any, **keywords: Any) -> str:
        """``key_averages().table(...)``."""
        return self.key_averages().table(*arguments, **keywords)

    # ---- files ----

    def add_metadata(self, key: str, value: str) -> None:
        """A string for the Chrome traces that are exported from now on."""
        self._metadata[str(key)] = str(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """The same for a value in JSON; ValueError for what is none."""
        self._metadata[str(key)] = _export.parsed_json(value)

    def export_chrome_trace(self, path: str) -> None:
        """A Chrome trace for ui.perfetto.dev and chrome://tracing; .gz and .zst are packed."""
        _export.chrome_trace(self._result(), os.fspath(path), self._metadata)
        self._shown()

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Folded stacks of functions (``with_stack``) or ranges for flamegraph.pl: see
        EventList.export_stacks.
        """
        export_stacks(self._shown(), path, metric)

    def export(self, path: str, format: Optional[str] = None) -> None:
        """Whatever else profdump writes: see :meth:`libprof.Trace.export`."""
        self._result().export(os.fspath(path), format or format_of(path))
        self._shown()


@contextlib.contextmanager
def behind(error: Optional[BaseException]) -> Iterator[None]:
    """Runs the end of a profile. If the body raised `error`, its caller gets that one, and other exceptions only warn."""
    try:
        yield
    except Exception as other:
        if error is None:
            raise
        text = f"at the end of a profile whose body raised {type(error).__name__}: {type(other).__name__}: {other}"
        with contextlib.suppress(RuntimeWarning):
            warnings.warn(text, RuntimeWarning, stacklevel=4)


@contextlib.contextmanager
def _stacks(wanted: bool) -> Iterator[None]:
    """Functions of Python are the call stacks of what happens in them; where they cannot be, it warns."""
    if wanted:
        try:
            _python_calls.begin()
        except ProfError as error:
            warnings.warn(
                f"with_stack: calls of Python are not recorded: {error}", RuntimeWarning, stacklevel=8
            )
            wanted = False
    try:
        yield
    finally:
        if wanted:
            _python_calls.end()


__all__: List[str] = ["FunctionEvent", "ProfilerActivity", "profile", "supported_activities"]
