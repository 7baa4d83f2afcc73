"""How far the clocks of a job's hosts are apart, from the collectives that end on all of them at the same time.

An all-reduce ends everywhere within the time that its last bytes take, whenever ranks entered it. So the difference of
its ends on two hosts is the difference of their clocks plus a few microseconds. A line is fitted to these differences:
offset and drift; where a clock was set, one line before and one after. Every second collective is held out of the fit and
checks it: the error stated is what 99 % of those are within. A delay that is the same for every collective cannot be told
from an offset: it shows where an offset is larger than the error that the kernels state for their clocks (NTP, PTP).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from .._times import time_text
from ._engine import Rows

HOST_OF_RANK = "(SELECT rank, min(host) AS host FROM ranks GROUP BY rank)"

BARRIERS = ("ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclAlltoAll")
LEAST_COLLECTIVES = 8
"""Minimum number of collectives that two hosts must share."""
LARGEST_ERROR_NS = 1_000_000
"""Ends that are further apart than this after the fit contradict each other."""
LEAST_JUMP_NS = 5_000
"""Smaller jumps cannot be distinguished from noise."""

Point = Tuple[float, float]
"""Time by the clock of the reference, and how far the other clock is ahead then; nanoseconds since the first."""


@dataclass(frozen=True)
class Line:
    """From `from_ns` on, by the clock of the reference, a clock is ahead by offset_ns + drift * (time - from_ns)."""

    from_ns: int
    offset_ns: float
    drift: float

    def at(self, time_ns: float) -> float:
        """How far the clock is ahead of the reference, in nanoseconds."""
        return self.offset_ns + self.drift * (time_ns - self.from_ns)


@dataclass(frozen=True)
class Clock:
    """A host's clock against `reference`. If it could not be estimated, there are no lines and `refusal` says why."""

    host: str
    reference: str
    lines: Tuple[Line, ...] = ()
    error_ns: float = 0.0
    refusal: str = ""
    bound_ns: Optional[int] = None
    """The kernel's bound of this clock's error; None where it is not synchronized, or not recorded."""
    note: str = ""
    """What the kernel's statement adds: a sentence, or nothing."""
    contradicts: bool = False
    """The note says that this clock and another one cannot both be what their kernels state."""

    def ahead(self, time_ns: float) -> float:
        """How far this clock is ahead when the reference shows `time_ns`."""
        line = self.lines[0]
        for other in self.lines[1:]:
            if time_ns >= other.from_ns:
                line = other
        return line.at(time_ns)

    def to_reference(self, own_ns: float) -> float:
        """What the reference shows when this clock shows `own_ns`."""
        time_ns = own_ns - self.ahead(own_ns)
        return own_ns - self.ahead(time_ns)  # once more: drift and jumps count from the reference's time


# ---- lines through points ----


class _Sums:
    """Least squares over any run of points in constant time."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._sums = [(0.0, 0.0, 0.0, 0.0, 0.0)]
        for x, y in points:
            a, b, c, d, e = self._sums[-1]
            self._sums.append((a + x, b + y, c + x * x, d + x * y, e + y * y))

    def fit(self, first: int, end: int) -> Tuple[float, float, float]:
        """Mean of y where x is 0, slope, and the sum of squared residuals."""
        n = end - first
        x, y, xx, xy, yy = (b - a for a, b in zip(self._sums[first], self._sums[end]))
        spread = xx - x * x / n
        together = xy - x * y / n
        slope = together / spread if spread > 0 else 0.0
        return (y - slope * x) / n, slope, max(0.0, yy - y * y / n - slope * together)


def _split(sums: _Sums, first: int, end: int) -> List[Tuple[int, int]]:
    """Splits the points where the clock was set: where two lines fit much better than one."""
    least = LEAST_COLLECTIVES // 2
    _, _, whole = sums.fit(first, end)
    best: Tuple[float, int] = (math.inf, 0)
    for middle in range(first + least, end - least + 1):
        best = min(best, (sums.fit(first, middle)[2] + sums.fit(middle, end)[2], middle))
    if best[0] * 4 > whole or math.sqrt(whole / (end - first)) < LEAST_JUMP_NS:
        return [(first, end)]
    return _split(sums, first, best[1]) + _split(sums, best[1], end)


def _fit(points: Sequence[Point], base_ns: int) -> Tuple[Line, ...]:
    """Lines through points that are sorted by time; times of the lines are since 1970."""
    sums = _Sums(points)
    lines = []
    for first, end in _split(sums, 0, len(points)):
        offset, slope, _ = sums.fit(first, end)
        begin = points[first][0]
        lines.append(Line(base_ns + int(begin), offset + slope * begin, slope))
    return tuple(lines)


def _move_begins(lines: Tuple[Line, ...], points: Sequence[Point], base_ns: int) -> Tuple[Line, ...]:
    """Each line begins halfway between the last of all points that is closer to the line before, and the next point."""
    moved = list(lines)
    for i in range(1, len(lines)):
        before, after = moved[i - 1], lines[i]
        old = [x for x, y in points if abs(before.at(base_ns + x) - y) < abs(after.at(base_ns + x) - y)]
        new = [x for x, _ in points if x > max(old)] if old else []
        if new:
            begin = base_ns + int((max(old) + min(new)) / 2)
            moved[i] = Line(begin, after.at(begin), after.drift)
    return tuple(moved)


def _held_out_error(clock: Clock, points: Sequence[Point], base_ns: int) -> float:
    """99 % of the points are this close to the line of their time."""
    distances = sorted(abs(clock.ahead(base_ns + x) - y) for x, y in points)
    return distances[min(len(distances) - 1, int(0.99 * len(distances)))]


# ---- hosts ----


def _ends(engine: Any) -> Tuple[int, Dict[Tuple[int, int], Dict[str, float]]]:
    """End times of collectives on each host: mean over its ranks, relative to the first end."""
    wanted = ", ".join(f"'{function}'" for function in BARRIERS)
    base = engine.run("SELECT min(start) FROM collectives")[1][0][0] or 0
    _, rows = engine.run(
        f"SELECT c.communicator, c.sequence, r.host, avg(c.start - {base} + c.duration_ns) FROM collectives AS c "
        f"JOIN {HOST_OF_RANK} AS r ON r.rank = c.rank "
        f"WHERE c.communicator IS NOT NULL AND c.duration_ns IS NOT NULL AND c.function IN ({wanted}) "
        "AND coalesce(c.group_place, 0) = 0 "
        "GROUP BY c.communicator, c.sequence, r.host"
    )
    ends: Dict[Tuple[int, int], Dict[str, float]] = {}
    for communicator, sequence, host, end in rows:
        ends.setdefault((communicator, sequence), {})[host] = float(end)
    return int(base), {key: hosts for key, hosts in ends.items() if len(hosts) > 1}


def _points(ends: Dict[Tuple[int, int], Dict[str, float]], reference: str, host: str) -> List[Point]:
    return sorted((hosts[reference], hosts[host] - hosts[reference]) for hosts in ends.values() if reference in hosts and host in hosts)


def _compare(host: str, reference: str, points: Sequence[Point], base_ns: int) -> Clock:
    if len(points) < LEAST_COLLECTIVES:
        return Clock(host, reference, refusal=f"only {len(points)} collectives connect it with {reference}")
    clock = Clock(host, reference, _move_begins(_fit(points[::2], base_ns), points, base_ns))
    error = _held_out_error(clock, points[1::2], base_ns)
    if error > LARGEST_ERROR_NS:
        return Clock(host, reference, refusal=f"its collectives with {reference} contradict each other by {error / 1e6:.3g} ms")
    return Clock(host, reference, clock.lines, error)


def _through(clock: Clock, parent: Clock) -> Clock:
    """The same clock against the reference of the one that it was compared with."""
    starts = sorted({line.from_ns for line in (*clock.lines, *parent.lines)})
    lines = []
    for start in starts:
        ahead = parent.ahead(start) + clock.ahead(start)
        drift = _drift_at(parent, start) + _drift_at(clock, start)
        lines.append(Line(start, ahead, drift))
    return Clock(clock.host, parent.reference, tuple(lines), clock.error_ns + parent.error_ns)


def _drift_at(clock: Clock, time_ns: int) -> float:
    return [line for line in clock.lines if line.from_ns <= time_ns or line is clock.lines[0]][-1].drift


@functools.lru_cache(maxsize=2)
def compare_clocks(engine: Any) -> List[Clock]:
    """Every host's clock against that of the first host by name, beside what the kernels state of their clocks.

    Hosts that share no collective with others are refused; the kernels' bounds may still say something of them."""
    base, ends = _ends(engine)
    until = base + int(max((end for hosts in ends.values() for end in hosts.values()), default=0.0))
    return _note(_estimate(engine, base, ends), _kernel_states(engine), base, until)


def _estimate(engine: Any, base: int, ends: Dict[Tuple[int, int], Dict[str, float]]) -> List[Clock]:
    hosts = [row[0] for row in engine.run("SELECT DISTINCT host FROM ranks ORDER BY host")[1]]
    if not hosts:
        return []
    known: Dict[str, Clock] = {hosts[0]: Clock(hosts[0], hosts[0], (Line(base, 0.0, 0.0),))}
    refused: Dict[str, Clock] = {}
    waiting: List[str] = [hosts[0]]
    while waiting:
        parent = waiting.pop(0)
        for host in _neighbours(ends, parent) - set(known):
            clock = _compare(host, parent, _points(ends, parent, host), base)
            if clock.refusal:
                refused[host] = clock
                continue
            known[host] = _through(clock, known[parent]) if parent != hosts[0] else clock
            waiting.append(host)
    nothing = f"no collective connects it with {hosts[0]}"
    return [known.get(host) or refused.get(host) or Clock(host, hosts[0], refusal=nothing) for host in hosts]


def _neighbours(ends: Dict[Tuple[int, int], Dict[str, float]], host: str) -> Set[str]:
    return {other for hosts in ends.values() if host in hosts for other in hosts} - {host}


# ---- what the kernels state ----


def _kernel_states(engine: Any) -> Dict[str, Tuple[bool, int]]:
    """By host: whether its clock is synchronized, and the largest bound of its error that any of its ranks recorded."""
    _, rows = engine.run(
        "SELECT host, min(CASE WHEN clock_synchronized THEN 1 ELSE 0 END), max(clock_error_ns) FROM ranks "
        "WHERE clock_error_ns IS NOT NULL GROUP BY host"
    )
    return {host: (bool(synchronized), int(bound)) for host, synchronized, bound in rows}


def _note(clocks: Sequence[Clock], states: Dict[str, Tuple[bool, int]], base: int, until: int) -> List[Clock]:
    bounded = [replace(clock, bound_ns=states[clock.host][1] if states.get(clock.host, (False, 0))[0] else None) for clock in clocks]
    contradicted = _contradictions(bounded, base, until)
    of_reference = bounded[0].bound_ns if bounded else None
    noted = []
    for clock in bounded:
        note = contradicted.get(clock.host, "")
        if clock.host in states and not states[clock.host][0]:
            note = "its kernel says that its clock is not synchronized"
        elif clock.refusal and clock.bound_ns is not None and of_reference is not None:
            first = bounded[0].host
            note = f"within {time_text(clock.bound_ns + of_reference)} of {first} by NTP or PTP, as the kernels of both state"
        noted.append(replace(clock, note=note, contradicts=clock.host in contradicted and note == contradicted[clock.host]))
    return noted


def _contradictions(clocks: Sequence[Clock], base: int, until: int) -> Dict[str, str]:
    """By host: a sentence where its clock is further from another one than the bounds of both and the error allow.

    True time is within its bound of each clock. So there is a contradiction where two of these spans do not meet."""
    known = [clock for clock in clocks if clock.bound_ns is not None and not clock.refusal]
    jumps = {line.from_ns for clock in known for line in clock.lines[1:]}
    found: Dict[str, str] = {}
    for time_ns in sorted({base, until, *jumps, *(jump - 1 for jump in jumps)} if len(known) > 1 else ()):
        lowest = min(known, key=lambda clock: clock.ahead(time_ns) + _slack(clock))
        highest = max(known, key=lambda clock: clock.ahead(time_ns) - _slack(clock))
        for clock in known:
            for other in (lowest, highest):
                if abs(clock.ahead(time_ns) - other.ahead(time_ns)) > _slack(clock) + _slack(other):
                    found.setdefault(clock.host, _contradiction(clock, other, time_ns))
    return found


def _slack(clock: Clock) -> float:
    return (clock.bound_ns or 0) + clock.error_ns


def _contradiction(clock: Clock, other: Clock, time_ns: int) -> str:
    apart = clock.ahead(time_ns) - other.ahead(time_ns)
    allowed = (clock.bound_ns or 0) + (other.bound_ns or 0)
    return (
        f"{time_text(abs(apart))} {'ahead of' if apart > 0 else 'behind'} {other.host}, although the kernels of both state at most "
        f"{time_text(allowed)}: one of the clocks is not what its daemon believes, or collectives end on one host later by a constant delay"
    )


def clock_rows(clocks: Sequence[Clock]) -> Rows:
    """A row for each line of each host's clock, and one for each clock that was refused."""
    columns = ["host", "reference", "since", "ahead_ns", "drift_ppm", "error_ns", "refused", "kernel_bound_ns", "note"]
    rows: List[Tuple[Any, ...]] = []
    for clock in clocks:
        kernel = (clock.bound_ns, clock.note or None)
        for line in clock.lines:
            rows.append((clock.host, clock.reference, line.from_ns, line.offset_ns, line.drift * 1e6, clock.error_ns, None, *kernel))
        if clock.refusal:
            rows.append((clock.host, clock.reference, None, None, None, None, clock.refusal, *kernel))
    return columns, rows


# ---- is it consistent ----


def violations(engine: Any, clocks: Sequence[Clock]) -> Optional[int]:
    """Collectives that, by the fitted clocks, end on one rank before another has entered, by more than the clocks' error.

    Hosts whose clock was refused are left out; None: none is left, so nothing can be said. Sends and receives
    are left out, too: whose they match is not recorded."""
    by_host = {clock.host: clock for clock in clocks if not clock.refusal}
    if not by_host:
        return None
    _, rows = engine.run(
        "SELECT c.communicator, c.sequence, r.host, max(c.start), min(c.start + c.duration_ns) FROM collectives AS c "
        f"JOIN {HOST_OF_RANK} AS r ON r.rank = c.rank "
        "WHERE c.communicator IS NOT NULL AND c.duration_ns IS NOT NULL AND c.sequence IS NOT NULL "
        "GROUP BY c.communicator, c.sequence, r.host"
    )
    entered: Dict[Tuple[int, int], float] = {}
    ended: Dict[Tuple[int, int], float] = {}
    for communicator, sequence, host, start, end in rows:
        if host not in by_host:
            continue
        clock, key = by_host[host], (communicator, sequence)
        entered[key] = max(entered.get(key, -math.inf), clock.to_reference(start) - clock.error_ns)
        ended[key] = min(ended.get(key, math.inf), clock.to_reference(end) + clock.error_ns)
    return sum(ended[key] < entered[key] for key in entered)
