"""libprof for Python: the interface of torch.profiler, with a recorder that survives ``kill -9``.

    import libprof

    with libprof.profile() as prof:
        with libprof.record_function("train step"):
            train_step()
    print(prof.key_averages().table(sort_by="self_cuda_time_total"))
    prof.export_chrome_trace("trace.json")

Importing the package loads ``libprof.so`` if it can be found, and starts no recording. Import it before PyTorch to record
PyTorch's operators.
"""

import os as _os
from typing import TYPE_CHECKING, Any

from . import _compiled, _native, _torch_types, itt
from ._after_import import after_import as _after_import
from ._configs import CuspyConfig, PerformanceMetricsConfig, ProfilerActivityConfig
from ._export import tensorboard_trace_handler
from ._bench import BenchComparison, BenchOperation, BenchResult, BenchTime, bench, bench_compare
from .annotations import Allocator, attr, counter, mark, thread_name
from .averages import FunctionEventAvg
from .errors import BenchError, LibraryError, ProfdumpError, ProfError, UnfinishedError
from .event_list import EventList
from .events import DeviceType, FunctionEvent, Interval, Kernel
from .profiler import ProfilerActivity, kineto_available, profile, supported_activities
from .ranges import is_recording, range_end, range_start, record_function
from .recorder import configure, flush, load, output_path, start, step, stop
from .schedule import ProfilerAction, schedule
from .schedule import count_optimizer_steps as _count_optimizer_steps
from .trace import Trace, read
from .version import __version__

if TYPE_CHECKING:
    from ._snapshot import MemorySnapshot, memory_snapshot

_KinetoProfile = profile  # in torch.profiler, the base class of profile
range = record_function
_native.load_if_there()
_after_import("torch._dynamo", _compiled.add_rules)
_after_import("torch.autograd.profiler_util", _torch_types.adopt)
if _os.environ.get("PROF_DAEMON") == "always":  # trace requests count steps, even without a profile
    _after_import("torch.optim.optimizer", _count_optimizer_steps)


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext libprof``: the magic ``%%prof``."""
    from .hooks import ipython  # the host, which is not there elsewhere

    ipython.load_ipython_extension(shell)


def __getattr__(name: str) -> Any:
    """Names that are imported or made on first use: memory_snapshot(), and a subclass of PyTorch's ExecutionTraceObserver."""
    if name in ("MemorySnapshot", "memory_snapshot"):
        from . import _snapshot

        return getattr(_snapshot, name)
    if name == "ExecutionTraceObserver":
        from ._execution_trace import observer_class

        return observer_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Allocator",
    "BenchComparison",
    "BenchError",
    "BenchOperation",
    "BenchResult",
    "BenchTime",
    "CuspyConfig",
    "DeviceType",
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
    "Kernel",
    "LibraryError",
    "MemorySnapshot",
    "PerformanceMetricsConfig",
    "ProfError",
    "ProfdumpError",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerActivityConfig",
    "Trace",
    "UnfinishedError",
    "__version__",
    "attr",
    "bench",
    "bench_compare",
    "configure",
    "counter",
    "flush",
    "is_recording",
    "itt",
    "kineto_available",
    "load",
    "mark",
    "memory_snapshot",
    "output_path",
    "profile",
    "range",
    "range_end",
    "range_start",
    "read",
    "record_function",
    "schedule",
    "start",
    "step",
    "stop",
    "supported_activities",
    "tensorboard_trace_handler",
    "thread_name",
]
