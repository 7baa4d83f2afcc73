"""Statistics of an event over its iterations."""

from __future__ import annotations

import math
from typing import Iterable, List, Optional, Tuple


class PerfData:
    """How long an event took, by iteration, and what that comes to.

    ``raw`` are the durations in the unit of their block; one that is not known is NaN and in no statistic.
    Two are equal when their durations are, one by one; the hash is that of the durations, so ``raw`` should
    stay as it is once this is a key.
    """

    __slots__ = ("raw",)

    def __init__(self, raw: Iterable[float]) -> None:
        self.raw: List[float] = list(raw)

    def _known(self) -> List[float]:
        return sorted(value for value in self.raw if not math.isnan(value))

    def percentile(self, percent: float) -> float:
        """Interpolated between the nearest two, as numpy's ``percentile`` does; NaN when nothing is known."""
        known = self._known()
        if not known:
            return math.nan
        rank = percent / 100 * (len(known) - 1)
        below = int(rank)
        if below + 1 >= len(known):
            return float(known[-1])
        low, high, part = known[below], known[below + 1], rank - below
        difference = high - low  # from the nearer end: the result never lies outside of the two
        return float(high - difference * (1 - part) if part >= 0.5 else low + difference * part)

    @property
    def p10(self) -> float:
        """10th percentile."""
        return self.percentile(10)

    @property
    def p50(self) -> float:
        """Median."""
        return self.percentile(50)

    @property
    def p90(self) -> float:
        """90th percentile."""
        return self.percentile(90)

    @property
    def avg(self) -> float:
        """Mean."""
        known = self._known()
        return sum(known) / len(known) if known else math.nan

    @property
    def min(self) -> float:
        """Shortest."""
        return min(self._known(), default=math.nan)

    @property
    def max(self) -> float:
        """Longest."""
        return max(self._known(), default=math.nan)

    def _key(self) -> Tuple[Optional[float], ...]:
        return tuple(None if math.isnan(value) else value for value in self.raw)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, PerfData) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"PerfData(raw={self.raw!r})"
