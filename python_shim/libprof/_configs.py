"""Configuration classes that PyTorch 2.15 accepts for an activity in place of a list of types. PyTorch's own work, too."""

from __future__ import annotations

import re
import sys
import warnings
from dataclasses import dataclass, field, fields
from typing import Any, Dict, List, Optional

from .errors import warn

COUNTERS = "hardware counters are not recorded: use Nsight Compute, or PyTorch's own profiler"


@dataclass(frozen=True)
class CuspyConfig:
    """Configures PyTorch's own CUPTI reader, which libprof replaces. libprof always records synchronizing calls; the other
    settings cause a warning.
    """

    enable_cuda_sync_events: bool = False
    enable_environment_counters: bool = False
    enable_graph_dependencies: bool = False
    enable_event_node_ids: bool = False


@dataclass
class PerformanceMetricsConfig:
    """Hardware counters to sample. libprof does not record them: a profile warns. Times are milliseconds."""

    metric_names: List[str]
    sampling_interval_ms: Optional[float] = None
    lookback_window_ms: Optional[float] = None


@dataclass
class ProfilerActivityConfig:
    """An activity's event types (None: all) and further settings."""

    activity_types: Optional[List[str]] = None
    profiler_configs: List[Any] = field(default_factory=list)


def types_listed(value: Any, has_cpu: bool) -> Optional[List[str]]:
    """The event types in a list or a ProfilerActivityConfig; None: all. Warns about settings without effect. As in PyTorch,
    ValueError for a CuspyConfig without the activity CPU.
    """
    if not hasattr(value, "activity_types"):
        listed: Optional[List[str]] = value
        return listed
    for config in value.profiler_configs:
        if hasattr(config, "metric_names"):
            warn(f"PerformanceMetricsConfig: {COUNTERS}")
        elif type(config).__name__ == CuspyConfig.__name__:
            if not has_cpu:
                raise ValueError("a CuspyConfig needs the activity CPU, too")
            without = [one.name for one in fields(config)[1:] if getattr(config, one.name)]
            if without:
                warn(f"CuspyConfig: without effect here: {', '.join(without)}")
        else:
            warn(f"profiler_configs: without effect here: {type(config).__name__}")
    types: Optional[List[str]] = value.activity_types
    return types


def warn_deprecated(name: str, minor: int, instead: str) -> None:
    """Issues a FutureWarning for a keyword deprecated in PyTorch 2.`minor`, unless the imported PyTorch is older."""
    version = re.match(r"(\d+)\.(\d+)", getattr(sys.modules.get("torch"), "__version__", ""))
    if version and (int(version[1]), int(version[2])) >= (2, minor):
        warnings.warn(f"{name} is deprecated from PyTorch 2.{minor} on: {instead}", FutureWarning, stacklevel=3)


def check_lanes(annotations: Optional[Dict[int, Any]], lanes: str) -> None:
    """Checks arguments of export_chrome_trace() as PyTorch does. Warns that annotations have no effect."""
    if lanes not in ("all", "none"):
        raise ValueError(f"graph_lanes must be 'all' or 'none', not {lanes!r}")
    if lanes == "all" and not annotations:
        raise ValueError("graph_lanes='all' needs cuda_graph_annotations")
    if annotations:
        warn("cuda_graph_annotations have no effect: a graph's kernels are in the range that was open when they were captured")
