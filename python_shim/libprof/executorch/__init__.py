"""ExecuTorch's habits over libprof: prof buffers, ETDumps, and profiling blocks of the running program.

    executorch.profiler.parse_profiler_results  ->  libprof.executorch.parse_profiler_results
    executorch.devtools.inspector               ->  libprof.executorch.inspector
    the bindings' _create_profile_block and its like  ->  libprof.executorch

Everything is also here, under its own name.
"""

from .compare import compare_results
from .etrecord import DelegateMetadata, ETRecord, OperatorNode, parse_etrecord
from .event import Event
from .event_block import EventBlock
from .framework_tax import ProfileEventFrameworkTax, profile_aggregate_framework_tax
from .inspector import Inspector
from .parse_profiler_results import (
    CHAIN_IDX_NO_CHAIN,
    MemEvent,
    ProfileData,
    ProfileEvent,
    deserialize_profile_results,
    deserialize_profile_results_files,
    mem_profile_table,
    profile_framework_tax_table,
    profile_table,
    recorded_events,
)
from .perf import PerfData
from .record import (
    NO_ALLOCATOR,
    NO_EVENT,
    _create_profile_block,
    _dump_profile_results,
    _reset_profile_results,
    begin_profiling,
    enable_profiling,
    end_profiling,
    instruction_scope,
    scope,
    track_allocation,
    track_allocator,
)
from .signatures import (
    DebugEventSignature,
    EventSignature,
    InstructionEventSignature,
    ProfileEventSignature,
    RunSignature,
)
from .tables import Table
from .time_scale import TimeScale, calculate_time_scale_factor
from .values import LoggedTensor

__all__ = [
    "CHAIN_IDX_NO_CHAIN",
    "DebugEventSignature",
    "DelegateMetadata",
    "ETRecord",
    "Event",
    "EventBlock",
    "EventSignature",
    "Inspector",
    "InstructionEventSignature",
    "LoggedTensor",
    "MemEvent",
    "NO_ALLOCATOR",
    "NO_EVENT",
    "OperatorNode",
    "PerfData",
    "ProfileData",
    "ProfileEvent",
    "ProfileEventFrameworkTax",
    "ProfileEventSignature",
    "RunSignature",
    "Table",
    "TimeScale",
    "_create_profile_block",
    "_dump_profile_results",
    "_reset_profile_results",
    "begin_profiling",
    "calculate_time_scale_factor",
    "compare_results",
    "deserialize_profile_results",
    "deserialize_profile_results_files",
    "enable_profiling",
    "end_profiling",
    "instruction_scope",
    "mem_profile_table",
    "parse_etrecord",
    "profile_aggregate_framework_tax",
    "profile_framework_tax_table",
    "profile_table",
    "recorded_events",
    "scope",
    "track_allocation",
    "track_allocator",
]
