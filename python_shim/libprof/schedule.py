"""Which steps are recorded."""

from __future__ import annotations

import enum
import warnings
from typing import Callable


class ProfilerAction(enum.Enum):
    """What is done in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    """Record; the cycle ends with this step."""


Schedule = Callable[[int], ProfilerAction]
"""From the number of a step, counted from 0, to what is done in it."""


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Schedule:
    """Cycles of `wait` steps that are left out, `warmup` in which devices are recorded but not kept, `active`
    kept.

    The first `skip_first` steps are left out before that; `repeat` ends after so many cycles, 0 never;
    `skip_first_wait` not 0: the first cycle does not wait. AssertionError for numbers that make no schedule.
    """
    counts = {
        "wait": wait, "warmup": warmup, "active": active, "repeat": repeat, "skip_first": skip_first,
        "skip_first_wait": skip_first_wait,
    }  # fmt: skip
    wrong = [f"{name}={count}" for name, count in counts.items() if count < (name == "active")]
    if wrong:
        raise AssertionError(f"{', '.join(wrong)}: a schedule counts steps, and at least one is active")
    if warmup == 0:
        warnings.warn(
            "a schedule without warmup has the cost of beginning to record in its first step", stacklevel=2
        )
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if step >= 0 and skip_first_wait:
            step += wait
        if step < 0 or (repeat and step >= repeat * length):
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(_step: int) -> ProfilerAction:
    """Where there is no schedule."""
    return ProfilerAction.RECORD
