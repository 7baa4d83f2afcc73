"""torch.profiler's `profile` over libprof's recorder."""

from __future__ import annotations

import contextlib
import enum
import os
import threading
import time
import warnings
from types import TracebackType
from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, Optional, Set, Tuple, Type

from . import _export, _python_calls, _torch, notebook, recorder
from ._recording import ALL_MEMORY, Recording, Window
from ._results import CPU_TYPES, DEVICE_TYPES, Shown, averages_of_cycles, events_of_cycles, hides_something
from ._table import Layout
from ._torch_methods import TorchMethods
from .averages import FunctionEventAvg
from .errors import ProfError, UnfinishedError, only_warning, warn
from .event_list import EventList, export_stacks
from .events import FunctionEvent
from .schedule import ProfilerAction, Schedule, always
from .trace import Trace, format_of

_KEPT = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
_local = threading.local()  # stepper: the profile whose steps are recorded on this thread


class ProfilerActivity(enum.Enum):
    """What results show: what threads did, and what CUDA devices did."""

    CPU = 0
    CUDA = 2


def supported_activities() -> Set[ProfilerActivity]:
    """Both; whether there are devices shows when something is launched."""
    return set(ProfilerActivity)


_FILTERS = {
    "CPU_OP": "cpu_op", "USER_ANNOTATION": "user_annotation", "CPU_INSTANT_EVENT": "cpu_instant_event",
    "CUDA_RUNTIME": "cuda_runtime", "CUDA_DRIVER": "cuda_driver", "CONCURRENT_KERNEL": "kernel",
    "GPU_MEMCPY": "gpu_memcpy", "GPU_MEMSET": "gpu_memset",
}  # fmt: skip
_GROUPS = {"CPU": CPU_TYPES, "CUDA": DEVICE_TYPES}


def _wanted_types(wanted: Iterable[Any]) -> Dict[str, FrozenSet[str]]:
    """Of each activity, under its name, the types that are shown: all, or those of a dict's list."""
    types: Dict[str, FrozenSet[str]] = {}
    other: List[str] = []
    for group in wanted:
        for one, names in group.items() if isinstance(group, dict) else [(group, None)]:
            activity = str(getattr(one, "name", one))
            if activity in types:
                raise ValueError(f"the activity {activity} is named more than once")
            known = _GROUPS.get(activity, frozenset())
            if names is not None:
                other += [name for name in names if _FILTERS.get(name) not in known]
                known &= {_FILTERS[name] for name in names if name in _FILTERS}
            elif not known:
                other.append(activity)
            types[activity] = known
    if other:
        warn(f"not recorded, being neither CPU nor CUDA: {', '.join(sorted(other))}")
    return types


def _activities_of(wanted: Optional[Iterable[Any]], use_cuda: Optional[bool]) -> Tuple[Set[ProfilerActivity], Shown]:
    """Also PyTorch's own ProfilerActivity, by its name."""
    if wanted is None:
        if use_cuda is not None:
            warnings.warn("use_cuda is the old name of activities", FutureWarning, stacklevel=3)
        wanted = [ProfilerActivity.CPU] if use_cuda is False else [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    types = _wanted_types(wanted)
    activities = {ProfilerActivity[name] for name in types if name in _GROUPS}
    if not activities:
        raise AssertionError("activities holds neither ProfilerActivity.CPU nor ProfilerActivity.CUDA")
    return activities, Shown(frozenset().union(*types.values()))


class profile(TorchMethods):
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
        custom_trace_id_callback: Optional[Callable[[], str]] = None,
        post_processing_timeout_s: Optional[float] = None,
    ) -> None:
        super().__init__(custom_trace_id_callback)
        self.activities, self._activities = _activities_of(activities, use_cuda)
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
        self._seen: Optional[_torch.Seen] = None
        self._cycles: List[Recording] = []  # the latest first; without acc_events only that
        self._metadata: Dict[str, Any] = {}
        self.with_modules, self.experimental_config = with_modules, experimental_config
        self.execution_trace_observer = execution_trace_observer
        self.post_processing_timeout_s = post_processing_timeout_s
        for name in ("with_modules", "experimental_config", "post_processing_timeout_s"):
            if locals()[name]:
                warn(f"{name} has no effect here")

    def __repr__(self) -> str:
        if self._is_forked():
            return f"<libprof.profile of process {self._running_in}, which forked this one>"
        state = "running" if self._running_in else "finished" if self._cycles else "not started"
        return f"<libprof.profile {state}, step {self.step_num}>"

    def _repr_html_(self) -> str:
        """In a notebook: the part of the trace that it recorded; before that, what it is."""
        return self.trace._repr_html_() if self._cycles else notebook.preformatted(repr(self))

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
        self._window_start_ns = None
        self._cycles = self._cycles if self.acc_events else []
        try:
            self._go_to(self.schedule(0), self._switch_on)
        except BaseException:
            self._running_in = None
            raise
        if self.schedule is not always:
            self._record_step()

    def step(self) -> None:
        """The next step begins; does what the schedule says of it."""
        if self._running_in is None:
            raise UnfinishedError("step() is for a profile that is running")
        self.step_num += 1
        self._go_to(self.schedule(self.step_num), self._switch_on_or_warn)
        self._record_step()

    def _record_step(self) -> None:
        """Numbered as torch.profiler's. A thread has one step at a time: of profiles that step on the same thread, the
        first one's steps are recorded.
        """
        stepper: Optional[profile] = getattr(_local, "stepper", None)
        if stepper is None or stepper._running_in != os.getpid():
            stepper = _local.stepper = self
        if stepper is self:
            recorder.step(self.step_num)

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
                self._go_to(ProfilerAction.NONE, self._switch_on)
                if self.execution_trace_observer is not None:
                    self.execution_trace_observer.cleanup()
                if not self._cycles:
                    self._cycles = [Recording([], why_empty="the schedule of this profile reached no step to record")]
        finally:
            self._running_in = None if not self._is_forked() else self._running_in
            if getattr(_local, "stepper", None) is self:
                _local.stepper = None

    def _is_forked(self) -> bool:
        return self._running_in is not None and self._running_in != os.getpid()

    def _go_to(self, action: ProfilerAction, switch_on: Callable[[], None]) -> None:
        before, self.current_action = self.current_action, action
        if self._window_start_ns is not None and (
            before is ProfilerAction.RECORD_AND_SAVE or action not in _KEPT
        ):
            self._end_window(self._window_start_ns)
        if action is ProfilerAction.NONE:
            self._switch_off()
            return
        switch_on()
        if action in _KEPT and self._window_start_ns is None:
            self._begin_window()

    # ---- parts of a cycle ----

    def prepare_trace(self) -> None:
        """Records from now on, and keeps nothing of it before start_trace()."""
        self._running_in = os.getpid()
        self._switch_on()

    def start_trace(self) -> None:
        """What begins from now on is kept."""
        self.prepare_trace()
        if self._window_start_ns is None:
            self._begin_window()

    def stop_trace(self) -> None:
        """Ends that; on_trace_ready is not called."""
        if self._window_start_ns is not None:
            self._keep_window(self._window_start_ns)
        self._switch_off()
        self._running_in = None

    def _types_of(self, activity: str) -> FrozenSet[str]:
        return _GROUPS.get(activity, frozenset())

    def _begin_window(self) -> None:
        self._new_trace_id()
        if self.execution_trace_observer is not None:
            self.execution_trace_observer.start()
        self._window_start_ns = time.time_ns()

    def _switch_on(self) -> None:
        if self._recording is not None:
            return
        with contextlib.ExitStack() as stack:
            recorder.start()
            stack.callback(recorder.stop)
            stack.enter_context(_stacks(self.with_stack))
            shapes = self.record_shapes or self.with_flops
            self._seen = stack.enter_context(_torch.recorded(shapes, self.with_flops, self.profile_memory))
            self._recording = stack.pop_all()

    def _switch_on_or_warn(self) -> None:
        with only_warning():
            self._switch_on()

    def _switch_off(self) -> None:
        recording, self._recording = self._recording, None
        if recording is not None:
            with only_warning():
                recording.close()

    def _end_window(self, start_ns: int) -> None:
        self._keep_window(start_ns)
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _keep_window(self, start_ns: int) -> None:
        self._window_start_ns, end_ns = None, time.time_ns()
        if self.execution_trace_observer is not None:
            self.execution_trace_observer.stop()
        known = self._seen.known_memory() if self._seen is not None else ALL_MEMORY
        self._switch_off()
        with only_warning():
            recorder.flush_if_any()
        path = recorder.output_path()
        window = Window(start_ns, end_ns)
        recording = Recording([path] if path else [], window, known_memory=known, off=self._end_toggles(end_ns))
        self._cycles = [recording, *(self._cycles if self.acc_events else [])]

    # ---- results ----

    def _result(self) -> Recording:
        if self._is_forked():
            raise ProfError(
                f"process {self._running_in} began this profile and forked this one, "
                "which records into a file of its own"
            )
        if not self._cycles:
            raise UnfinishedError("a profile has results when it has ended: after its with block, or stop()")
        return self._cycles[0]

    def _shown(self, stacklevel: int = 4) -> Recording:
        """The latest cycle, for methods that show something of it: warns if it is empty."""
        recording = self._result()
        recording.warn_if_empty(stacklevel)
        return recording

    @property
    def trace(self) -> Trace:
        """This profile's part of the trace file, for everything that profdump can do; an empty trace if nothing was
        recorded. With acc_events that of the latest cycle."""
        return self._shown().trace

    def _layout(self) -> Layout:
        return Layout(memory=self.profile_memory, flops=self.with_flops)

    def events(self) -> EventList:
        """Everything that happened, in the order in which it began; with acc_events the latest cycle's first."""
        self._shown()
        return events_of_cycles(self._cycles, self._activities, self._layout())

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
        group_by_input_shapes: bool = False,
    ) -> EventList:
        """What happened, added up by name, and by input shapes and innermost functions where asked for.
        `group_by_overload_name` changes nothing: names of overloads are not recorded.
        """
        self._shown()
        shapes = group_by_input_shape or group_by_input_shapes
        return averages_of_cycles(self._cycles, self._activities, shapes, group_by_stack_n, self._layout())

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

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        """A Chrome trace for ui.perfetto.dev and chrome://tracing; .gz and .zst are packed. `use_python_export` changes
        nothing.
        """
        _export.chrome_trace(self._result(), os.fspath(path), self._metadata)
        self._shown()
        self._warn_of_activities()

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Folded stacks of functions (``with_stack``) or ranges for flamegraph.pl: see
        EventList.export_stacks.
        """
        export_stacks(self._shown(), path, metric)

    def export(self, path: str, format: Optional[str] = None) -> None:
        """Whatever else profdump writes: see :meth:`libprof.Trace.export`."""
        self._result().export(os.fspath(path), format or format_of(path))
        self._shown()
        self._warn_of_activities()

    def _warn_of_activities(self) -> None:
        if hides_something(self._result(), self._activities):
            warn("activities: files hold everything that was recorded, also what lists and tables do not show")


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
            warn(f"with_stack: calls of Python are not recorded: {error}")
            wanted = False
    try:
        yield
    finally:
        if wanted:
            _python_calls.end()


__all__: List[str] = ["FunctionEvent", "ProfilerActivity", "profile", "supported_activities"]
