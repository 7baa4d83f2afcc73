"""Address ranges that are mapped: memory from CUDA, which segments that can grow (expandable_segments) map in parts."""

from __future__ import annotations

import bisect
from typing import Iterable, Iterator, List, Sequence, Tuple

Range = Tuple[int, int]


class Ranges:
    """Ranges that do not overlap, in order."""

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        self._ranges: List[Range] = sorted(ranges)
        self.total = sum(end - begin for begin, end in self._ranges)

    def __iter__(self) -> Iterator[Range]:
        return iter(self._ranges)

    def copy(self) -> "Ranges":
        """Another one with the same ranges."""
        return Ranges(self._ranges)

    def add(self, begin: int, end: int, join: bool = False) -> None:
        """Adds a range; with `join`, it and those that touch it become one. What of it is there already counts once."""
        self.remove(begin, end)
        self.total += end - begin
        if join:
            at = bisect.bisect_left(self._ranges, (begin, begin))
            if at < len(self._ranges) and self._ranges[at][0] == end:
                end = self._ranges.pop(at)[1]
            if at and self._ranges[at - 1][1] == begin:
                begin = self._ranges.pop(at - 1)[0]
        bisect.insort(self._ranges, (begin, end))

    def remove(self, begin: int, end: int) -> Tuple[List[Range], List[Range]]:
        """Takes out what lies in it; what reaches beyond is cut. Returns the ranges that it touched, and what is left of them."""
        first = bisect.bisect_left(self._ranges, (begin, begin))
        if first and self._ranges[first - 1][1] > begin:
            first -= 1
        last = first
        rest: List[Range] = []
        while last < len(self._ranges) and self._ranges[last][0] < end:
            low, high = self._ranges[last]
            self.total -= min(high, end) - max(low, begin)
            rest += [part for part in ((low, begin), (end, high)) if part[0] < part[1]]
            last += 1
        touched = self._ranges[first:last]
        self._ranges[first:last] = rest
        return touched, rest

    def largest_gap(self, used: Sequence[Range]) -> int:
        """The largest part of a range that none of `used`, in order, covers."""
        largest, at = 0, 0
        for begin, end in self._ranges:
            free_from = begin
            while at < len(used) and used[at][0] < end:
                if used[at][1] > begin:
                    largest = max(largest, used[at][0] - free_from)
                    free_from = max(free_from, used[at][1])
                at += 1
            largest = max(largest, end - free_from)
        return largest
