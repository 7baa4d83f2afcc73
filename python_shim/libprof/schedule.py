"""Which steps are recorded."""

from __future__ import annotations

import enum
import warnings
from typing import Callable


class ProfilerAction(enum.Enum):
    """What a profile does during a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    """Record; the cycle ends with this step."""


Schedule = Callable[[int], ProfilerAction]
"""Maps the number of a step, counted from 0, to an action."""


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Schedule:
    """Returns a schedule that repeats cycles of `wait` steps off, `warmup` steps recorded but discarded, and
    `active` steps recorded.

    Before the first cycle it skips `skip_first` steps. It ends after `repeat` cycles; 0 means never. With
    `skip_first_wait`, the first cycle has no `wait` steps. Raises AssertionError for invalid numbers.
    """
    counts = {
        "wait": wait, "warmup": warmup, "active": active, "repeat": repeat, "skip_first": skip_first,
        "skip_first_wait": skip_first_wait,
    }  # fmt: skip
    wrong = [f"{name}={count}" for name, count in counts.items() if count < (name == "active")]
    if wrong:
        raise AssertionError(f"invalid schedule: {', '.join(wrong)} (at least 0 steps, and 1 for active)")
    if warmup == 0:
        warnings.warn(
            "without warmup, the first active step includes the cost of starting to record", stacklevel=2
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
    """The default schedule: records all steps."""
    return ProfilerAction.RECORD
