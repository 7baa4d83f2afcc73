"""The package's names. Those of memory snapshots are imported on first use: see the package's ``__getattr__``."""

from typing import TYPE_CHECKING

from . import itt
from ._bench import BenchComparison, BenchOperation, BenchResult, BenchTime, bench, bench_compare
from ._configs import CuspyConfig, PerformanceMetricsConfig, ProfilerActivityConfig
from ._export import tensorboard_trace_handler
from ._schedule import ProfilerAction, schedule
from .annotations import Allocator, attr, counter, mark, thread_name
from .averages import FunctionEventAvg
from .errors import BenchError, LibraryError, ProfdumpError, ProfError, UnfinishedError
from .event_list import EventList
from .events import DeviceType, FunctionEvent, Interval, Kernel
from .profiler import ProfilerActivity, kineto_available, profile, supported_activities
from .ranges import is_recording, range_end, range_start, record_function
from .recorder import configure, flush, load, output_path, start, step, stop
from .trace import Trace, read
from .version import __version__

if TYPE_CHECKING:
    from ._snapshot import MemorySnapshot, memory_snapshot

_KinetoProfile = profile  # in torch.profiler, the base class of profile
range = record_function

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
