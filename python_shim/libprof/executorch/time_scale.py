"""Units of time: of the ticks in a file, and of what is shown."""

from __future__ import annotations

from enum import Enum
from typing import Dict, Optional


class TimeScale(Enum):
    """What a tick is. The parser of prof buffers and the Inspector had an enumeration each: this is both.

    ``TIME_IN_NS``, ``TIME_IN_US``, ``TIME_IN_MS`` and ``CPU_CYCLES`` are the names of the first, whose
    numbers are understood as well: ``TimeScale(0)`` is ``TimeScale.NS``.
    """

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"
    CYCLES = "cycles"
    TIME_IN_NS = "ns"
    TIME_IN_US = "us"
    TIME_IN_MS = "ms"
    CPU_CYCLES = "cycles"

    @classmethod
    def _missing_(cls, value: object) -> Optional[TimeScale]:
        numbered: Dict[object, TimeScale] = {0: cls.NS, 1: cls.US, 2: cls.MS, 3: cls.CYCLES}
        return numbered.get(value) if type(value) is int else None


TIME_SCALE_DICT = {
    TimeScale.NS: 1_000_000_000,
    TimeScale.US: 1_000_000,
    TimeScale.MS: 1_000,
    TimeScale.S: 1,
    TimeScale.CYCLES: 1,
}
"""How many of the unit are a second; of cycles, one is one."""


def calculate_time_scale_factor(source_time_scale: TimeScale, target_time_scale: TimeScale) -> float:
    """What a time in the source's unit is divided by to be one in the target's.

    Raises :class:`RuntimeError` when one of them is cycles and the other is not: cycles are no time.
    """
    if (source_time_scale is TimeScale.CYCLES) != (target_time_scale is TimeScale.CYCLES):
        raise RuntimeError(
            "For TimeScale in cycles both the source and target time scale have to be in cycles."
        )
    return TIME_SCALE_DICT[source_time_scale] / TIME_SCALE_DICT[target_time_scale]
