"""torch.profiler's `profile`, implemented with libprof's recorder."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
import time
import warnings
from types import TracebackType
from typing import Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, Optional, Set, Tuple, Type, TypeVar, cast

from . import _experimental, _export, _garbage, _python_calls, _tasks, _torch, notebook, recorder
from ._configs import check_lanes, types_listed, warn_deprecated
from ._guest import thread_local
from ._profdump import check_program
from ._recording import ALL_MEMORY, Recording, Window
from ._execution_trace import ExecutionTrace, observer_from_environment
from ._results import Shown, averages_of_cycles, events_of_cycles, hides_something, types_of
from ._table import Layout
from ._torch_enum import TorchEnum
from ._torch_methods import TorchMethods
from ._tensors import Capture
from ._torch_observer import FLOPS, IDS, MEMORY, MODULES, OVERLOADS, POINTERS, SHAPES, STEPS
from .averages import FunctionEventAvg
from .errors import ProfError, UnfinishedError, only_warning, warn
from .event_list import EventList, Groups, export_stacks, has_rows_of_functions
from .events import FunctionEvent
from ._schedule import KinetoStepTracker, ProfilerAction, Schedule, action_of, always
from .trace import Trace

_KEPT = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
_STEP_NAME = "ProfilerStep"  # of the counts of steps
_local = thread_local()  # stepper: the profile whose steps are recorded on this thread


class ProfilerActivity(TorchEnum):
    """What results show: activity of threads (CPU), activity of CUDA devices (CUDA). A profile ignores the others, which
    torch.profiler has, and says so.
    """

    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5


def supported_activities() -> Set[ProfilerActivity]:
    """CPU, and CUDA unless the program has imported a PyTorch that has no CUDA device here: programs choose their device by
    this. Without PyTorch, whether a device exists is known only when something is launched.
    """
    theirs = getattr(getattr(sys.modules.get("torch"), "autograd", None), "_supported_activities", None)
    names = {"CUDA"} if theirs is None else {activity.name for activity in theirs()}
    return {one for one in (ProfilerActivity.CPU, ProfilerActivity.CUDA) if one.name in names | {"CPU"}}


def kineto_available() -> bool:
    """Always True: timelines need no Kineto here."""
    return True


_FILTERS = {
    "CPU_OP": "cpu_op", "USER_ANNOTATION": "user_annotation", "CPU_INSTANT_EVENT": "cpu_instant_event",
    "PYTHON_FUNCTION": "python_function",
    "CUDA_RUNTIME": "cuda_runtime", "CUDA_DRIVER": "cuda_driver", "CONCURRENT_KERNEL": "kernel",
    "GPU_MEMCPY": "gpu_memcpy", "GPU_MEMSET": "gpu_memset",
}  # fmt: skip
_OTHER_FILTERS = {
    "GPU_USER_ANNOTATION", "EXTERNAL_CORRELATION", "OVERHEAD", "CUDA_SYNC", "CUDA_EVENT", "CUDA_PROFILER_RANGE",
    "GPU_PM_COUNTER", "COLLECTIVE_COMM", "GLOW_RUNTIME", "HPU_OP", "MTIA_RUNTIME", "MTIA_CCP_EVENTS", "MTIA_INSIGHT",
    "XPU_RUNTIME", "XPU_DRIVER", "PRIVATEUSE1_RUNTIME", "PRIVATEUSE1_DRIVER",
}  # fmt: skip
"""Kineto's other types of events: results have none of them, or always have them."""


def _names_of(group: Any) -> List[str]:
    """Names of activities: of one, or of a dict's keys."""
    return [str(getattr(one, "name", one)) for one in (group if isinstance(group, dict) else [group])]


def _check_filters(activity: str, names: Iterable[str]) -> None:
    """Raises ProfError for an unknown type of events, as torch.profiler does: results would lack what the program meant."""
    unknown = sorted(set(names) - _FILTERS.keys() - _OTHER_FILTERS)
    if unknown:
        known = sorted(name for name, category in _FILTERS.items() if category in types_of(activity))
        raise ProfError(f"activities: {activity} has no event types {', '.join(unknown)}; known: {', '.join(known)}")


def _wanted_types(wanted: Iterable[Any]) -> Dict[str, FrozenSet[str]]:
    """Maps the name of each activity to the event types to show: all, or those listed in a dict."""
    if not isinstance(wanted, Iterable):
        raise TypeError(f"activities must be a list or a set, not {wanted!r}")
    types: Dict[str, FrozenSet[str]] = {}
    other: List[str] = []
    wanted = list(wanted)
    has_cpu = any("CPU" in _names_of(group) for group in wanted)
    for group in wanted:
        for one, value in group.items() if isinstance(group, dict) else [(group, None)]:
            activity = str(getattr(one, "name", one))
            if activity in types:
                raise ValueError(f"the activity {activity} occurs more than once")
            known, names = types_of(activity), types_listed(value, has_cpu)
            if names is not None:
                _check_filters(activity, names)
                other += [name for name in names if _FILTERS.get(name) not in known]
                known &= {_FILTERS[name] for name in names if name in _FILTERS}
            elif not known:
                other.append(activity)
            types[activity] = known
    if other:
        warn(f"activities ignored, neither CPU nor CUDA: {', '.join(sorted(other))}")
    return types


def _activities_of(wanted: Optional[Iterable[Any]], use_cuda: Optional[bool]) -> Tuple[Set[ProfilerActivity], Shown]:
    """Accepts PyTorch's own ProfilerActivity, too, by its name."""
    if wanted is None:
        if use_cuda is not None:
            warnings.warn("use_cuda is deprecated: use activities", FutureWarning, stacklevel=3)
        wanted = [ProfilerActivity.CPU] if use_cuda is False else [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    types = _wanted_types(wanted)
    activities = {ProfilerActivity[name] for name in types if types_of(name)}
    if not activities:
        raise AssertionError("activities must contain ProfilerActivity.CPU or ProfilerActivity.CUDA")
    return activities, Shown(frozenset().union(*types.values()))


Method = TypeVar("Method", bound=Callable[..., None])


def _in_turn(method: Method) -> Method:
    """Threads that call such methods at once take turns. A forked child does not wait for a thread that it lacks."""

    @functools.wraps(method)
    def call(self: "profile") -> None:
        with contextlib.nullcontext() if self._is_forked() else self._turn:
            method(self)
            self._tell()

    return cast(Method, call)


def _check_callbacks(**callbacks: Any) -> None:
    """TypeError for what cannot be called: later, in the midst of the training, it could only be a warning."""
    for name, callback in callbacks.items():
        if callback is not None and not callable(callback):
            raise TypeError(f"{name} must be callable, not {callback!r}")


class profile(TorchMethods):
    """Records this process between start and stop. Results are read from the trace file on first use.

        with profile(schedule=schedule(wait=1, warmup=1, active=3), on_trace_ready=handler) as prof:
            for batch in batches:
                train(batch)
                prof.step()
        print(prof.key_averages().table(sort_by="self_cuda_time_total", row_limit=10))

    ``activities`` selects the rows of results. ``profile_memory`` adds columns for memory, ``with_flops`` one
    for FLOPs. If the process has imported PyTorch, its operators are ranges, with input shapes if
    ``record_shapes`` or ``with_flops`` is set. ``with_stack`` records calls of Python functions as call
    stacks, on all threads. Before Python 3.12, other threads' stacks begin with their next call or return.
    ``with_modules`` adds the modules of scripted operators to Chrome traces.

    ``on_trace_ready(prof)`` is called at the end of every cycle of the schedule, and at the end. Results then
    cover that cycle, or with ``acc_events`` all cycles so far. Unsupported arguments cause a warning, and so
    does a profile in which nothing was recorded; its lists, tables and traces are empty.

    Results contain everything that began between start and stop, on all threads. Several profiles may run at
    the same time. Call start, step and stop from the same thread. Results remain available after other
    recordings; while the profile runs, they raise UnfinishedError. A process forked while the profile runs
    records to a file of its own; its copy of this object has no results.
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
        _check_callbacks(
            schedule=schedule, on_trace_ready=on_trace_ready, custom_trace_id_callback=custom_trace_id_callback
        )
        super().__init__(custom_trace_id_callback)
        self._turn = threading.RLock()
        self.activities, self._activities = _activities_of(activities, use_cuda)
        has_devices = ProfilerActivity.CUDA in self.activities and ProfilerActivity.CUDA in supported_activities()
        self.use_device = "cuda" if has_devices else None
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
        self._capture: Optional[Capture] = None
        self._untold: List[Callable[[], None]] = []  # warnings of a window that has ended: they may raise
        self._cycles: List[Recording] = []  # the latest first; without acc_events only that
        self._metadata: Dict[str, Any] = {}
        self._described: Dict[str, Any] = {}  # _description() at the beginning of the latest cycle
        self.with_modules, self.experimental_config = with_modules, experimental_config
        observer = execution_trace_observer or observer_from_environment(_torch.imported())
        self.execution_trace_observer = observer
        self._execution_trace = ExecutionTrace(_torch.imported(), observer) if observer is not None else None
        self.post_processing_timeout_s = post_processing_timeout_s
        if post_processing_timeout_s is not None and post_processing_timeout_s < 0:
            raise ValueError(f"post_processing_timeout_s must be non-negative, not {post_processing_timeout_s}")
        if post_processing_timeout_s is not None:
            warn("post_processing_timeout_s has no effect here")
        if with_modules:
            warn_deprecated("with_modules", 14, "with_stack records calls of modules")
        requested = _experimental.requested(experimental_config)
        self._with_overloads, self._with_garbage = (one in requested for one in (_experimental.OVERLOADS, _experimental.GARBAGE))

    def __repr__(self) -> str:
        if self._is_forked():
            return f"<libprof.profile of parent process {self._running_in}>"
        state = "running" if self._running_in else "finished" if self._cycles else "not started"
        return f"<libprof.profile {state}, step {self.step_num}>"

    def _repr_html_(self) -> str:
        """In a notebook: the recorded part of the trace, or repr() before there is one."""
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

    @_in_turn
    def start(self) -> None:
        """Begins step 0 of the schedule. Raises ProfError (a RuntimeError) if the profile is already running, or if
        ``LIBPROF_BIN`` is a directory without profdump.
        """
        if self._running_in is not None and not self._is_forked():
            raise ProfError("this profile is already running")
        check_program("profdump")
        self._recording = None
        self._running_in = os.getpid()
        self.step_num = 0
        self._window_start_ns = None
        self._cycles = self._cycles if self.acc_events else []
        try:
            self._go_to(action_of(self.schedule(0)), self._switch_on)
        except BaseException:
            self._switch_off()
            self._running_in = None
            raise
        KinetoStepTracker.init_step_count(_STEP_NAME)
        if self.schedule is not always:
            self._record_step()

    @_in_turn
    def step(self) -> None:
        """Begins the next step, with the action that the schedule has for it. Warns if the profile is not running."""
        if self._running_in is None:
            warn("step() has no effect: the profile is not running")
            return
        self.step_num += 1
        if self._execution_trace is not None:
            self._execution_trace.end_step()
        if not self._is_forked():
            action = ProfilerAction.NONE
            with only_warning():
                action = action_of(self.schedule(self.step_num))
            self._go_to(action, self._switch_on_or_warn)
        KinetoStepTracker._count_profile(_STEP_NAME)
        self._record_step()

    def _record_step(self) -> None:
        """Numbers steps as torch.profiler does. A thread has one step at a time: if several profiles step on a thread,
        the steps of the first are recorded.
        """
        stepper: Optional[profile] = getattr(_local, "stepper", None)
        if stepper is None or stepper._running_in != os.getpid():
            stepper = _local.stepper = self
        if stepper is self:
            recorder.step(self.step_num)
        if self._execution_trace is not None and self._window_start_ns is not None:
            self._execution_trace.begin_step(self.step_num)

    @_in_turn
    def stop(self) -> None:
        """Ends the profile. A cycle in progress is kept and passed to on_trace_ready. Does nothing if the profile has already
        ended. If it was never started, raises UnfinishedError, or only warns if it has a schedule.
        """
        if self._running_in is None:
            self._check_started()
            return
        try:
            if self._is_forked():
                self._switch_off()
            else:
                self._go_to(ProfilerAction.NONE, self._switch_on)
                if self._execution_trace is not None:
                    self.execution_trace_observer.cleanup()
                if not self._cycles:
                    self._cycles = [Recording([], why_empty="the schedule reached no step that is recorded")]
        finally:
            self._running_in = None if not self._is_forked() else self._running_in
            KinetoStepTracker.erase_step_count(_STEP_NAME)
            if getattr(_local, "stepper", None) is self:
                _local.stepper = None

    def _check_started(self) -> None:
        if self._cycles or self.step_num or self._trace_id:
            return
        if self.schedule is always:
            raise UnfinishedError("stop() without start(): nothing was recorded")
        warn("stop() has no effect: the profile is not running")

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle and copy: keeps the results, which need the trace file, and omits this process's state."""
        if self._running_in is not None:
            raise TypeError("a profile cannot be copied while it is running")
        own = ("_turn", "_recording", "_capture", "_seen", "on_trace_ready", "schedule", "custom_trace_id_callback", "experimental_config",
               "execution_trace_observer", "_execution_trace")  # fmt: skip
        return {name: value for name, value in self.__dict__.items() if name not in own}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._turn, self._recording, self._capture, self._seen = threading.RLock(), None, None, None
        self.schedule, self.on_trace_ready, self.custom_trace_id_callback = always, None, None
        self.experimental_config = self.execution_trace_observer = self._execution_trace = None

    def __del__(self) -> None:
        if getattr(self, "_recording", None) is not None and not self._is_forked() and not sys.is_finalizing():
            warn("a running profile was deleted: its recording ends, and its results are lost")
            if self._window_start_ns is not None:
                self._end_hooks(self._window_start_ns)
            self._switch_off()

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
        """Starts recording for warm-up: results begin only at start_trace()."""
        self._running_in = os.getpid()
        self._switch_on()

    def start_trace(self) -> None:
        """Begins the part of the recording that results show."""
        self.prepare_trace()
        if self._window_start_ns is None:
            self._begin_window()

    def stop_trace(self) -> None:
        """Ends that part and the recording, without calling on_trace_ready."""
        if self._window_start_ns is not None:
            self._keep_window(self._window_start_ns)
        self._switch_off()
        self._running_in = None
        self._tell()

    def _begin_window(self) -> None:
        self._new_trace_id()
        self._described = self._description()
        if self._execution_trace is not None:
            self._execution_trace.begin()
        self._capture = _torch.capture(self._with_identities(), self.with_stack and (self.profile_memory or self.record_shapes))
        _tasks.begin_window()
        self._window_start_ns = time.time_ns()

    def _description(self) -> Dict[str, Any]:
        """The members that torch.profiler writes about a profile at the top of its traces."""
        flags = ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops")
        described: Dict[str, Any] = {"trace_id": self._trace_id, **{name: 1 for name in flags if getattr(self, name)}}
        job = _torch.distributed_info()
        return {**described, "distributedInfo": job} if job else described

    def _switch_on(self) -> None:
        if self._recording is not None:
            return
        with contextlib.ExitStack() as stack:
            recorder.start()
            stack.callback(recorder.stop)
            stack.enter_context(_stacks(self.with_stack))
            stack.enter_context(_garbage.recorded(self._with_garbage))
            self._seen = stack.enter_context(_torch.recorded(self._wanted_of_torch()))
            self._recording = stack.pop_all()

    def _with_identities(self) -> bool:
        """Whether to identify tensors and allocations. This costs time, and tensors get numbers as inputs, which need shapes."""
        return self.profile_memory and self.record_shapes

    def _wanted_of_torch(self) -> int:
        return (
            (SHAPES if self.record_shapes or self.with_flops else 0)
            | (FLOPS if self.with_flops else 0)
            | (MEMORY if self.profile_memory else 0)
            | (POINTERS if self._with_identities() else 0)
            | (OVERLOADS if self._with_overloads else 0)
            | (IDS if self.record_shapes else 0)
            | (IDS | STEPS if self._execution_trace is not None else 0)
            | (MODULES if self.with_modules else 0)
        )

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
            with only_warning("on_trace_ready: "):
                self.on_trace_ready(self)

    def _end_hooks(self, start_ns: int) -> Tuple[List[_tasks.Switch], Optional[Callable[[], Any]]]:
        """Ends what watches the program in the window only: what was seen of tasks, and of tensors."""
        tasks = _tasks.end_window(start_ns, time.time_ns())
        self._window_start_ns, capture, self._capture = None, self._capture, None
        if self._execution_trace is not None:
            self._execution_trace.end()
        if capture is None:
            return tasks, None
        self._untold.append(capture.warn)
        return tasks, capture.end()

    def _tell(self) -> None:
        while self._untold:
            self._untold.pop(0)()

    def _keep_window(self, start_ns: int) -> None:
        end_ns = time.time_ns()
        tasks, seen = self._end_hooks(start_ns)
        known = ALL_MEMORY
        if self._seen is not None:
            known = self._seen.known_memory()
            self._untold.append(self._seen.warn)
        self._switch_off()
        with only_warning():
            recorder.flush_if_any()
        path = recorder.output_path()
        window = Window(start_ns, end_ns)
        recording = Recording(
            [path] if path else [], window, known_memory=known, off=self._end_toggles(end_ns),
            with_flops=self.with_flops, with_memory=self.profile_memory, use_device=self.use_device,
            tasks=tasks, seen=seen,
        )  # fmt: skip
        self._cycles = [recording, *(self._cycles if self.acc_events else [])]

    # ---- results ----

    def _result(self) -> Recording:
        if self._is_forked():
            raise ProfError(
                f"this profile belongs to parent process {self._running_in}; "
                "this process was forked from it and records to a file of its own"
            )
        if not self._cycles:
            raise UnfinishedError("results are available only after the with block or stop()")
        return self._cycles[0]

    def _shown(self, stacklevel: int = 4) -> Recording:
        """The latest cycle, for methods that show results: warns if it is empty."""
        recording = self._result()
        recording.warn_if_empty(stacklevel)
        return recording

    @property
    def trace(self) -> Trace:
        """This profile's part of the trace file, with all that profdump can do. Empty if nothing was recorded. With
        acc_events, the part of the latest cycle."""
        return self._shown().trace

    def _layout(self) -> Layout:
        return Layout(memory=self.profile_memory, flops=self.with_flops)

    def events(self) -> EventList[FunctionEvent]:
        """All events, in the order of their start times; with acc_events, the latest cycle comes first."""
        self._shown()
        return self._events(with_functions=True)

    def _events(self, with_functions: bool) -> EventList[FunctionEvent]:
        return events_of_cycles(self._cycles, self._activities, self._layout(), with_functions)

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
        include_python_functions: Optional[bool] = None,
        group_by_input_shapes: bool = False,
    ) -> EventList[FunctionEventAvg]:
        """Events summed by name, and optionally by input shapes, the innermost `group_by_stack_n` functions and the name of
        the overload ("Tensor" of aten::add.Tensor), which an `experimental_config` with ``capture_overload_names`` records.

        With `include_python_functions`, calls that ``with_stack`` recorded are rows, too, and take their time from the
        ranges around. The default is that of the PyTorch that is imported: True up to 2.13, False from 2.14 on and without it.
        """
        self._shown()
        if group_by_overload_name and not self._with_overloads:
            warn("group_by_overload_name needs experimental_config=_ExperimentalConfig(capture_overload_names=True)")
        shapes = group_by_input_shape or group_by_input_shapes
        functions = has_rows_of_functions(include_python_functions)
        groups = Groups(shapes, group_by_stack_n, group_by_overload_name, functions)
        return averages_of_cycles(self._cycles, self._activities, groups, self._layout())

    def total_average(self) -> FunctionEventAvg:
        """The sum of all averages."""
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
        """Adds a string to Chrome traces exported from now on."""
        self._metadata[str(key)] = str(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Like add_metadata(), with a value in JSON; NaN and infinities become strings. Raises ValueError if it is not JSON."""
        self._metadata[str(key)] = _export.parsed_json(value)

    def export_chrome_trace(
        self,
        path: str,
        use_python_export: bool = False,
        cuda_graph_annotations: Optional[Dict[int, Any]] = None,
        graph_lanes: str = "none",
        default_stream: int = 7,
    ) -> None:
        """Writes a Chrome trace for ui.perfetto.dev and chrome://tracing. Compresses it if `path` ends in .gz or .zst. The
        other keywords have no effect.
        """
        check_lanes(cuda_graph_annotations, graph_lanes)
        self._export_chrome(os.fspath(path), "chrome")

    def _export_for_plugin(self, path: str) -> None:
        self._export_chrome(path, "tensorboard")

    def _export_chrome(self, path: str, kind: str) -> None:
        _export.chrome_trace(self._result(), path, {**self._described, **self._metadata}, kind)
        self._shown(stacklevel=5)
        self._warn_of_activities()

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes folded stacks of functions for flamegraph.pl: see :meth:`EventList.export_stacks`. AssertionError without
        ``with_stack``.
        """
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True; export(path, 'folded') has ranges as stacks")
        export_stacks(self._shown(), path, metric)

    def export(self, path: str, format: Optional[str] = None) -> None:
        """Writes any format that profdump writes: see :meth:`libprof.Trace.export`."""
        self._result().export(os.fspath(path), format)
        self._shown()
        self._warn_of_activities()

    def _warn_of_activities(self) -> None:
        if hides_something(self._result(), self._activities):
            warn("activities: the file contains everything that was recorded, including what lists and tables hide")


@contextlib.contextmanager
def behind(error: Optional[BaseException]) -> Iterator[None]:
    """For the end of a profile. If the body raised `error`, that propagates, and other exceptions become warnings."""
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
    """Records Python functions as call stacks. Warns if that is not possible."""
    if wanted:
        try:
            _python_calls.begin(builtins=True)
        except ProfError as error:
            warn(f"with_stack: calls of Python functions are not recorded: {error}")
            wanted = False
    try:
        yield
    finally:
        if wanted:
            _python_calls.end()


__all__: List[str] = ["FunctionEvent", "ProfilerActivity", "profile", "supported_activities"]
