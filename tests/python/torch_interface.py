"""The interface of torch.profiler and torch.autograd.profiler, walked, beside ours.

    python3 tests/python/torch_interface.py >docs/torch_profiler.md
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import libprof
import torch
from libprof import autograd
from torch.autograd import profiler as torch_autograd
from torch.autograd import profiler_util

NO_EFFECT = "no effect"


class Item(NamedTuple):
    """A public name, keyword, method or field."""

    group: str
    name: str
    is_here: bool


def public(one: Any) -> List[str]:
    return sorted(name for name in dir(one) if not name.startswith("_"))


def keywords(function: Any) -> List[str]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    return [name for name in parameters if name not in ("self", "args", "kwargs") and not name.startswith("_")]


def takes(function: Any, keyword: str) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(one.name == keyword or one.kind is one.VAR_KEYWORD for one in parameters)


def is_ours(one: Any, name: str) -> bool:
    """Whether libprof itself defines the name, not only the PyTorch class that it inherits from."""
    kinds = (one if isinstance(one, type) else type(one)).__mro__
    hasattr(one, name)  # members that are made when they are first read
    return name in getattr(one, "__dict__", {}) or any(name in vars(kind) for kind in kinds if not kind.__module__.startswith("torch"))


EXCEPTIONS: Dict[Tuple[str, str], str] = {
    ("torch.profiler", "ExecutionTraceObserver"): "A subclass of PyTorch's, made on first use. With the observer, its files contain libprof's ranges, even without a profile, and a profile's steps, but not ranges in coroutines.",
    ("torch.profiler", "kineto_available"): "Always true: libprof records without Kineto.",
    ("torch.profiler", "supported_activities"): "CPU, and CUDA if PyTorch has a device; both without PyTorch.",
    ("profile", "with_modules="): "With the observer, the same: scripted modules in Chrome traces. For other modules, use with_stack.",
    ("profile", "experimental_config="): "Only capture_overload_names and record_python_gc_info have an effect. verbose and profile_all_threads are always on. A warning lists other settings.",
    ("profile", "post_processing_timeout_s="): f"{NO_EFFECT}, warns.",
    ("profile", "activities="): "CPU and CUDA; others are named in a warning. Lists of types are honoured in results, not in files. Unknown types raise ProfError.",
    ("profile", "profile_memory="): "With the observer, memory of the CPU and of CUDA devices; elsewhere `--` and a warning.",
    ("profile", "with_stack="): "Python functions as call stacks of everything, also of CUDA calls, as events and as rows. Their names have the whole path and the class; those of built-in functions have no address.",
    ("profile", "export_memory_timeline"): "The same files. Without record_shapes and with_stack, all memory is uncategorized. HTML is libprof's report.",
    ("profile", "toggle_collection_dynamic"): "Results leave out what begins while an activity is off; files have it.",
    ("profile", "stop_trace"): "The same. start(), stop() and schedules do not call it, start_trace() or prepare_trace().",
    ("profile", "profiler"): "The profile itself. PyTorch's tools read its `kineto_results`, see python.md.",
    ("profile", "stop"): "The same. If a profile with a schedule was never started, a warning. A second call does nothing.",
    ("EventList", "export_chrome_trace"): "Writes the whole recording, as the profile's does. ProfError for a filtered list.",
    ("EventList", "table"): "The same columns and row order; sorted by name, rows ascend. Notes below the table list lost records. ValueError for an unknown column or unit, TypeError if row_limit is not a number.",
    ("torch.profiler", "ProfilerActivityConfig"): "The same; settings other than activity_types cause a warning.",
    ("torch.profiler", "PerformanceMetricsConfig"): "Accepted with a warning: hardware counters are not recorded.",
    ("torch.profiler", "CuspyConfig"): "Accepted: libprof reads CUPTI itself. A warning lists settings without effect, such as environment counters.",
    ("profile", "wait_for_exports"): "Does nothing: files are complete when their export returns.",
    ("profile", "take_pending_cuspy_export"): "Always None.",
    ("FunctionEvent", "metadata"): "`attributes`, a dict.",
    **{
        (f"{group}.export_chrome_trace", f"{name}="): text + "."
        for group in ("profile", "autograd.profile")
        for name, text in (
            ("use_python_export", NO_EFFECT), ("cuda_graph_annotations", f"{NO_EFFECT}, warns"),
            ("graph_lanes", f"{NO_EFFECT}; ValueError for what PyTorch refuses"), ("default_stream", NO_EFFECT),
        )
    },
    ("tensorboard_trace_handler", "dir_name="): "The same; `plugin_views=True` fills more views of TensorBoard's plugin; see `profdump --to tensorboard`.",
    ("tensorboard_trace_handler", "use_python_export="): NO_EFFECT + ".",
    ("FunctionEvent", "concrete_inputs"): "The same; text where Python has no such value (complex numbers, symbols).",
    **{
        ("FunctionEvent.__init__", f"{name}="): "Not there: recordings have it; set the attribute."
        for name in keywords(profiler_util.FunctionEvent.__init__)
        if not takes(libprof.FunctionEvent.__init__, name)
    },
    ("FunctionEvent", "python_id"): "The same number as in the Chrome trace of the same cycle.",
    ("FunctionEvent", "python_module_id"): "The same in a process's first profile; a module keeps its number in later ones.",
    ("FunctionEvent", "scope"): "The same; 0 for functions of TorchScript.",
    ("FunctionEventAvg", "scope"): "The same; 0 for functions of TorchScript.",
    ("FunctionEvent", "flow_id"): "Always 0: `kernels` and Chrome traces connect calls and operations.",
    ("FunctionEvent", "flow_type"): "Always 0.",
    ("FunctionEvent", "flow_start"): "Always false.",
    ("FunctionEvent", "linked_correlation_id"): "Always 0; `correlation` is CUDA's.",
    ("FunctionEvent", "self_cpu_percent"): "Always -1: the table computes it.",
    ("FunctionEvent", "total_cpu_percent"): "Always -1.",
    ("FunctionEvent", "total_device_percent"): "Always -1.",
    ("FunctionEvent", "event_metadata"): "Always None; `attributes` has what was recorded.",
    ("FunctionEvent", "id"): "The number of the event in the list.",
    ("FunctionEvent", "external_id"): "PyTorch's number, 0 for operators with a sequence number.",
    ("FunctionEvent", "use_device"): "As in torch.profiler, None if PyTorch is a build without CUDA, or if the activity CUDA is off. Otherwise \"cuda\", even without a device.",
    ("FunctionEvent", "device_type"): "PyTorch's type where it is imported.",
    ("FunctionEvent", "is_legacy"): "Always false.",
    ("FunctionEvent", "is_remote"): "Always false.",
    ("FunctionEvent", "node_id"): "Always -1.",
    ("ProfilerAction", "DEVICE_STOPPED"): "Not there: it is internal to torch.profiler.",
    ("ProfilerActivity", "XPU"): f"{NO_EFFECT}: a profile names it in a warning.",
    ("ProfilerActivity", "MTIA"): f"{NO_EFFECT}: a profile names it in a warning.",
    ("ProfilerActivity", "HPU"): f"{NO_EFFECT}: a profile names it in a warning.",
    ("ProfilerActivity", "PrivateUse1"): f"{NO_EFFECT}: a profile names it in a warning.",
    ("torch.autograd.profiler", "MemRecordsAcc"): "Not there: it is internal to torch.profiler.",
    ("torch.autograd.profiler", "emit_itt"): "Records into libprof's file; no ITT tool is needed.",
    ("torch.autograd.profiler", "EventList"): "Prints the five-column table of the first releases, unless asked for more.",
    ("torch.autograd.profiler_util", "EventMetadata"): "Not there: `attributes` has what was recorded.",
    ("torch.autograd.profiler_util", "MemRecordsAcc"): "Not there: it is internal to torch.profiler.",
    ("torch.autograd.profiler", "KinetoStepTracker"): "Advances the recorder's step.",
    ("autograd.profile", "use_kineto="): NO_EFFECT + ".",
    ("autograd.profile", "key_averages"): "The five-column table by name; grouped by more, or with Python functions, libprof.profile's.",
    ("autograd.profile", "experimental_config="): "Only capture_overload_names and record_python_gc_info have an effect. verbose and profile_all_threads are always on. A warning lists other settings.",
    ("autograd.profile", "with_modules="): "As libprof.profile's.",
    ("autograd.profile", "post_processing_timeout_s="): f"{NO_EFFECT}, warns.",
    ("FunctionEvent.append_kernel", "duration="): "Not there: start and end instead.",
    ("autograd.profile", "config"): "Not there: it is internal to torch.profiler.",
    ("autograd.profile", "create_trace_id"): "Not there: it is internal to torch.profiler.",
    ("autograd.profile", "default_trace_id"): "Not there: it is internal to torch.profiler.",
}
"""What is not the same, and why."""

OLDER: Dict[Tuple[str, str], str] = {
    ("FunctionEvent", "metadata_json"): "Until 2.14: `attributes`, a dict.",
    ("profile", "use_cuda="): "Until 2.14: the same.",
    ("autograd.profile", "use_cuda="): "Until 2.14: the same.",
    ("profile", "take_pending_cupti_export"): "In 2.14: always None.",
}
"""What PyTorch 2.13 or 2.14 has, but not 2.15."""
VERSION = "2.15"
"""The version of PyTorch that the page describes."""
IN_OLDER = """
## Older versions of PyTorch

Up to PyTorch 2.13, `key_averages()` has rows for Python functions, and no `include_python_functions=`. libprof has this keyword with every
PyTorch; its default follows the imported version. Without these rows, libprof counts their time as self time of the enclosing range;
torch.profiler counts it nowhere.

| | what differs |
|---|---|
"""


def walk_keywords(group: str, theirs: Any, ours: Any) -> Iterator[Item]:
    for name in keywords(theirs):
        yield Item(group, f"{name}=", takes(ours, name))


def walk_class(group: str, theirs: Any, ours: Any) -> Iterator[Item]:
    """Methods and attributes, and the keywords of methods that both have."""
    for name in public(theirs):
        yield Item(group, name, is_ours(ours, name))
        method = inspect.getattr_static(theirs, name, None)
        if inspect.isfunction(method) and callable(getattr(ours, name, None)):
            yield from walk_keywords(f"{group}.{name}", method, getattr(ours, name))


def finished() -> autograd.profile:
    """Properties of results are there when a profile has ended."""
    with warnings.catch_warnings(), autograd.profile() as prof:
        warnings.simplefilter("ignore")
    return prof


class _EmptyList(List[Any]):
    """Methods that every list has are not torch's."""


def walk() -> Iterator[Item]:
    """Everything public of the installed torch.profiler."""
    for name in torch.profiler.__all__:
        yield Item("torch.profiler", name, hasattr(libprof, name))
    yield from walk_keywords("profile", torch.profiler.profile.__init__, libprof.profile.__init__)
    yield from walk_class("profile", torch.profiler.profile, libprof.profile)
    yield Item("profile", "profiler", hasattr(libprof.profile, "profiler"))
    for name in ("schedule", "tensorboard_trace_handler"):
        yield from walk_keywords(name, getattr(torch.profiler, name), getattr(libprof, name))
    yield from walk_keywords("record_function", torch.profiler.record_function.__init__, libprof.record_function.__init__)
    yield from (Item("ProfilerAction", one.name, hasattr(libprof.ProfilerAction, one.name)) for one in torch.profiler.ProfilerAction)
    for name in torch.profiler.ProfilerActivity.__members__:
        yield Item("ProfilerActivity", name, hasattr(libprof.ProfilerActivity, name))
    lists = [item for item in walk_class("EventList", profiler_util.EventList, libprof.EventList)]
    yield from (item for item in lists if item.name not in public(_EmptyList) and "." not in item.group)
    yield from (item for item in lists if "." in item.group)
    theirs = profiler_util.FunctionEvent(id=1, name="x", thread=1, start_us=0, end_us=1)
    yield from walk_class("FunctionEvent", theirs, libprof.FunctionEvent(1, "x", 1, 0, 1))
    yield from walk_keywords("FunctionEvent.__init__", profiler_util.FunctionEvent.__init__, libprof.FunctionEvent.__init__)
    yield from walk_class("FunctionEventAvg", profiler_util.FunctionEventAvg(), libprof.FunctionEventAvg())
    yield from walk_class("Interval", profiler_util.Interval(0, 1), libprof.Interval(0, 1))
    for name in torch_autograd.__all__:
        yield Item("torch.autograd.profiler", name, hasattr(autograd, name))
    yield from walk_keywords("autograd.profile", torch_autograd.profile.__init__, autograd.profile.__init__)
    for name in profiler_util.__all__:
        yield Item("torch.autograd.profiler_util", name, hasattr(autograd, name) or hasattr(libprof, name))
    yield from walk_class("autograd.profile", torch_autograd.profile, finished())
    for name in ("emit_nvtx", "emit_itt"):
        yield from walk_keywords(f"autograd.{name}", getattr(torch_autograd, name).__init__, getattr(autograd, name).__init__)
    yield from walk_class("KinetoStepTracker", torch_autograd.KinetoStepTracker, autograd.KinetoStepTracker)


def once() -> List[Item]:
    return list(dict.fromkeys(walk()))


def markdown() -> str:
    items, groups = once(), dict.fromkeys(item.group for item in once())
    lines = [
        "# The interface of torch.profiler",
        "",
        f"Every public name, keyword, method and field of `torch.profiler` and `torch.autograd.profiler` of PyTorch {torch.__version__.split('+')[0]}.",
        "`tests/python/torch_interface.py` writes this page, and a test fails where PyTorch has something that is not here.",
        "Methods whose keywords are all the same have no section of their own.",
        "What the numbers mean is in [python.md](python.md#numbers-beside-torchprofilers).",
    ]
    for group in groups:
        names = [item.name for item in items if item.group == group]
        same = [name for name in names if (group, name) not in EXCEPTIONS]
        if len(same) == len(names) and "." in group and all(name.endswith("=") for name in names):
            continue
        lines += ["", f"## {group}", ""]
        if same:
            lines.append("The same: " + ", ".join(f"`{name}`" for name in same) + ".")
        others = [f"| `{name}` | {EXCEPTIONS[group, name]} |" for name in names if (group, name) in EXCEPTIONS]
        if others:
            lines += ([""] if same else []) + ["| | what differs |", "|---|---|", *others]
    older = [f"| `{group}.{name}` | {text} |" for (group, name), text in OLDER.items()]
    return "\n".join(lines) + "\n" + IN_OLDER + "\n".join(older) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
