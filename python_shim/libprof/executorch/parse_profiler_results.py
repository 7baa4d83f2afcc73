"""Prof buffers of ExecuTorch: what was measured and allocated, block by block.

    from libprof.executorch.parse_profiler_results import deserialize_profile_results, profile_table

    prof_data, mem_allocations = deserialize_profile_results(open("prof_result.bin", "rb").read())
    for table in profile_table(prof_data):
        print(table)

Functions, classes and tables are those of ExecuTorch's parser; it is ``profdump`` that reads the buffers, of
either byte order. What the parser got wrong is right: an event that did not end has an unknown duration
(NaN), not one below zero; blocks without events and blocks with fewer iterations than the one before have
tables; an allocator is that of its own block, or of an earlier one; and the framework's tax is that of
:mod:`.framework_tax`.
"""

from __future__ import annotations

import dataclasses
import math
import os
from typing import Any, Dict, List, Optional, Tuple, Union

from ._answer import Source, ask
from .framework_tax import ProfileEventFrameworkTax, profile_aggregate_framework_tax
from .tables import Table
from .time_scale import TimeScale

CHAIN_IDX_NO_CHAIN = -1
"""``chain_idx`` of an event outside of chains."""

Number = Union[int, float]


@dataclasses.dataclass
class ProfileData:
    """An event of one iteration as it was recorded, in ticks. ``end_time`` is 0 when it did not end."""

    name: str
    chain_idx: int
    instruction_idx: int
    start_time: int
    end_time: int


@dataclasses.dataclass
class ProfileEvent:
    """An event of a block, with all iterations of the block.

    ``ts`` is when each began and ``duration`` how long it took: milliseconds, rounded to 4 decimals, or
    cycles. A duration that is not known is NaN.
    """

    name: str
    ts: List[Number]
    duration: List[Number]
    chain_idx: int = CHAIN_IDX_NO_CHAIN
    instruction_idx: int = -1
    stacktrace: Optional[str] = None


@dataclasses.dataclass
class MemEvent:
    """Bytes that an allocator handed out in one iteration of a block."""

    allocator_name: str
    total_allocations_done: int


ProfileResults = Tuple[Dict[str, List[ProfileEvent]], Dict[str, List[MemEvent]]]


def _numbers(values: List[Any], is_float: bool) -> List[Number]:
    return [float(value) if is_float else int(value) for value in values]


def _durations(event: Dict[str, Any], is_float: bool) -> List[Number]:
    """Those of iterations that did not end, or ended before they began, are not known."""
    known: List[Number] = []
    for start, end, duration in zip(event["start_ticks"], event["end_ticks"], event["duration"]):
        is_known = end is not None and (end >= start or duration >= 0)
        known.append((float(duration) if is_float else int(duration)) if is_known else math.nan)
    return known


def _profile_event(event: Dict[str, Any], is_float: bool) -> ProfileEvent:
    return ProfileEvent(
        name=event["name"],
        ts=_numbers(event["ts"], is_float),
        duration=_durations(event, is_float),
        chain_idx=event["chain_idx"],
        instruction_idx=event["instruction_idx"],
    )


def deserialize_profile_results(
    buff: Source, time_scale: TimeScale = TimeScale.TIME_IN_NS, *, wrap32: bool = False
) -> ProfileResults:
    """What is in a prof buffer: events by the name of their block, and allocations by the name of theirs.

    Blocks of one name are iterations; the n-th events of all are one :class:`ProfileEvent`. Dictionaries are
    in the order in which blocks first appeared.

    ``buff``        the bytes of the buffer, or its file's path; a trace of libprof's own will do as well
    ``time_scale``  what a tick is: ns, us, ms or cycles
    ``wrap32``      ticks have 32 bits: an event that ends before it begins went over their end once

    Raises :class:`ValueError` when iterations of a block differ, :class:`~libprof.ProfdumpError` when the
    buffer is damaged or empty; what is odd in it and can be read all the same is a :class:`UserWarning`. Any
    thread.
    """
    scale = TimeScale(time_scale)
    if scale is TimeScale.S:
        raise ValueError("time_scale is one of TIME_IN_NS, TIME_IN_US, TIME_IN_MS and CPU_CYCLES")
    target = TimeScale.CYCLES if scale is TimeScale.CYCLES else TimeScale.MS
    options = ["--compat", "--source-time-scale", scale.value, "--target-time-scale", target.value]
    answer = ask(buff, *options, *(["--wrap32"] if wrap32 else []))
    is_float = scale in (TimeScale.NS, TimeScale.US)
    prof_data = {
        name: [_profile_event(event, is_float) for event in events]
        for name, events in answer["profile"].items()
    }
    mem_allocations = {
        name: [MemEvent(**event) for event in events] for name, events in answer["mem"].items()
    }
    return prof_data, mem_allocations


def recorded_events(buff: Source) -> Dict[str, List[List[ProfileData]]]:
    """By the name of their block, the events of each iteration in ticks, before anything is reckoned.

    ``buff`` and what is raised: as of :func:`deserialize_profile_results`.
    """
    recorded: Dict[str, List[List[ProfileData]]] = {}
    for name, events in ask(buff, "--compat")["profile"].items():
        iterations = len(events[0]["ts"]) if events else 0
        recorded[name] = [
            [
                ProfileData(
                    event["name"],
                    event["chain_idx"],
                    event["instruction_idx"],
                    event["start_ticks"][i],
                    event["end_ticks"][i] or 0,
                )
                for event in events
            ]
            for i in range(iterations)
        ]
    return recorded


# ---- tables ----


def _iterations(count: int, unit: str) -> List[str]:
    return [f"Iteration {i}{f' ({unit})' if unit else ''}" for i in range(count)]


def profile_table(
    profile_data: Dict[str, List[ProfileEvent]], model_buffer: Optional[bytes] = None, *, unit: str = ""
) -> List[Table]:
    """A table for each block: an event a line, a column for each iteration.

    ``model_buffer`` is there for programs that give one and is not looked at; ``unit`` is put into the
    headers of durations.
    """
    tables = []
    for name, events in profile_data.items():
        count = max((len(event.duration) for event in events), default=0)
        table = Table(name, ["Name", "Chain", "Instr", "Frame", *_iterations(count, unit)])
        for event in events:
            missing = [None] * (count - len(event.duration))
            table.add_row(
                [
                    event.name,
                    event.chain_idx,
                    event.instruction_idx,
                    event.stacktrace,
                    *event.duration,
                    *missing,
                ]
            )
        tables.append(table)
    return tables


def mem_profile_table(mem_allocations: Dict[str, List[MemEvent]]) -> List[Table]:
    """A table for each block: an allocator a line, with its bytes."""
    headers = ["Allocator name", "Total size of allocations done"]
    return [
        Table(name, headers, [[event.allocator_name, event.total_allocations_done] for event in events])
        for name, events in mem_allocations.items()
    ]


def profile_framework_tax_table(
    prof_framework_tax_data: Dict[str, ProfileEventFrameworkTax], *, unit: str = ""
) -> List[Table]:
    """A table for each block of what :func:`profile_aggregate_framework_tax` returned."""
    tables = []
    for name, tax in prof_framework_tax_data.items():
        suffix = f" ({unit})" if unit else ""
        table = Table(f"{name} framework tax calculations", ["", *_iterations(len(tax.exec_time), "")])
        table.add_row([f"Model execution time{suffix}", *tax.exec_time])
        table.add_row([f"Time spent in kernels and delegates{suffix}", *tax.kernel_and_delegate_time])
        table.add_row(["Framework tax (%)", *tax.framework_tax])
        tables.append(table)
    return tables


def all_tables(results: ProfileResults, model_buffer: Optional[bytes] = None) -> List[Table]:
    """Events, framework tax and memory, in the order in which ExecuTorch's programs print them."""
    prof_data, mem_allocations = results
    tax = profile_aggregate_framework_tax(prof_data)
    return [
        *profile_table(prof_data, model_buffer),
        *profile_framework_tax_table(tax),
        *mem_profile_table(mem_allocations),
    ]


def deserialize_profile_results_files(
    profile_results_path: Union[str, "os.PathLike[str]"],
    bundled_program_ff_path: Union[str, "os.PathLike[str]"],
    time_scale: TimeScale = TimeScale.TIME_IN_NS,
    *,
    wrap32: bool = False,
) -> ProfileResults:
    """Prints the tables of a buffer's file: events, framework tax, memory; returns what was in it.

    The model's file must be there and be readable; nothing is taken from it. Raises as
    :func:`deserialize_profile_results`, and :class:`OSError`.
    """
    with open(bundled_program_ff_path, "rb") as model_file:
        model_buffer = model_file.read()
    results = deserialize_profile_results(profile_results_path, time_scale, wrap32=wrap32)
    for table in all_tables(results, model_buffer):
        print(table)
    return results
