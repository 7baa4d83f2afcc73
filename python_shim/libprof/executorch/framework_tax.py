"""Framework tax: how much of a model's execution was neither a kernel nor a delegate."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Dict, List, Sequence, Tuple, Union

if TYPE_CHECKING:
    from .parse_profiler_results import ProfileEvent

Number = Union[int, float]
Span = Tuple[Number, Number]
"""When something began, and how long it took."""

EXECUTION = "Method::execute"
KERNELS = ("native_call", "delegate_execute")


@dataclasses.dataclass
class ProfileEventFrameworkTax:
    """Of a block, by iteration: times in the unit of its events, and the tax as a percentage."""

    exec_time: List[Number]
    kernel_and_delegate_time: List[Number]
    framework_tax: List[float]


def _rounded(value: Number) -> Number:
    """Sums of numbers with 4 decimals have 4 decimals."""
    return round(value, 4) if isinstance(value, float) else value


def _covered(kernels: Sequence[Span], begin: Number, length: Number) -> Number:
    """Time from `begin` on in which a kernel ran; what lies in another kernel counts once."""
    covered: Number = 0
    done, end = begin, begin + length
    for start, duration in sorted(kernels):
        if start + duration <= done or start >= end:
            continue
        whole = (
            start >= done and start + duration <= end
        )  # as it was measured, without a rounding of its ends
        covered += duration if whole else min(start + duration, end) - max(start, done)
        done = start + duration
    return _rounded(covered)


def _spans(events: Sequence["ProfileEvent"], iteration: int) -> List[Span]:
    """Events that have the iteration and a duration in it."""
    return [
        (event.ts[iteration], event.duration[iteration])
        for event in events
        if iteration < len(event.duration) and not math.isnan(event.duration[iteration])
    ]


def _block_tax(
    executions: Sequence["ProfileEvent"], kernels: Sequence["ProfileEvent"]
) -> ProfileEventFrameworkTax:
    tax = ProfileEventFrameworkTax([], [], [])
    for iteration in range(max(len(event.duration) for event in executions)):
        ran = _spans(executions, iteration)
        inside = _spans(kernels, iteration)
        total = _rounded(sum(duration for _, duration in ran)) if ran else math.nan
        busy = (
            _rounded(sum(_covered(inside, start, duration) for start, duration in ran)) if ran else math.nan
        )
        tax.exec_time.append(total)
        tax.kernel_and_delegate_time.append(busy)
        tax.framework_tax.append(round((total - busy) / total * 100, 2) if total else math.nan)
    return tax


def profile_aggregate_framework_tax(
    prof_data: Dict[str, List["ProfileEvent"]],
) -> Dict[str, ProfileEventFrameworkTax]:
    """By block, the events ``Method::execute`` and how much of them kernels and delegates took.

    A kernel or delegate is an event whose name begins with ``native_call`` or ``delegate_execute``; what is
    within another one counts once, and what is outside of the executions does not. Executions of one
    iteration are added up. Blocks that have no execution, or no kernel, are left out. An execution that took
    no time, or whose time is not known, has the tax NaN.
    """
    taxes = {}
    for name, events in prof_data.items():
        executions = [event for event in events if event.name == EXECUTION and event.duration]
        kernels = [event for event in events if event.name.startswith(KERNELS)]
        if executions and kernels:
            taxes[name] = _block_tax(executions, kernels)
    return taxes
