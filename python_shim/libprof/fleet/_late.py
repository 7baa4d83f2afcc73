"""Ranks that take longer than others, by evidence: what each does in each step against the others, and who waited for it.

A rank stands out where its mean excess over the others exceeds the noise between its steps and the differences between ranks, and
where the others lost that time waiting. Single steps that exceed what the rank usually takes by far are stalls.
"""

from __future__ import annotations

import functools
import math
import statistics
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ._engine import records, sql_text
from ._limits import Limits

PARTS = {"compute_ns": "compute", "copy_ns": "copies", "idle_host_ns": "host", "idle_device_ns": "device idle"}
"""Parts of a step, and what they are called as a cause."""
MOST_PAIRED = 200
"""Ranks whose differences are looked at one by one; of more, evenly spread ones."""
LEAST_HITS, OFTEN = 2, 0.2
"""Steps, and share of them, in which a rank that always takes longer must exceed the others by half of its mean or more."""
FEW_RANKS = 4
"""Fewer do not show how far ranks differ when nothing is wrong."""


@dataclass(frozen=True)
class Late:
    """A rank that the others wait for: `steps` are those in which it stalled; none if it always takes longer.

    `excess_ns`: mean of these steps. `hit` of `total` steps. `waited_ns`: what each other rank lost in all. `in_range`: of cause "host"."""

    rank: int
    cause: str
    in_range: str
    excess_ns: float
    hit: int
    total: int
    waited_ns: float
    steps: Tuple[int, ...] = ()


@dataclass(frozen=True)
class Detection:
    """What would be found: a rank that always takes longer by `excess_ns` a step, and one step that takes longer by `stall_ns`."""

    ranks: int
    steps: int
    step_ns: float
    excess_ns: float
    stall_ns: float


@dataclass(frozen=True)
class Lateness:
    """What the steps show. `detection`: none if there is nothing to compare."""

    ranks: Tuple[Late, ...] = ()
    stages: Tuple[Tuple[int, Late], ...] = ()
    detection: Optional[Detection] = None


def judged_sql(limits: Limits) -> str:
    """The beginning of statements about ``judged``."""
    return sql_text("late").format(least_stall=repr(limits.least_stall), stall_deviations=repr(limits.stall_deviations))


def _number(value: Any) -> float:
    """NULL counts as 0; engines differ in the types of sums."""
    return float(value or 0)


# ---- how far ranks differ when nothing is wrong ----


def spread_of(groups: Sequence[Sequence[float]]) -> float:
    """A standard deviation of equals that up to half of the values leave alone: Rousseeuw and Croux's Qn, of differences inside groups."""
    differences: List[float] = []
    for group in groups:
        values = sorted(group)[:: max(1, len(group) // MOST_PAIRED)]
        differences += [b - a for i, a in enumerate(values) for b in values[i + 1 :]]
    if not differences:
        return 0.0
    differences.sort()
    size = sum(map(len, groups)) / len(groups)
    return 2.2219 * size / (size + 2.6) * differences[(len(differences) + 3) // 4 - 1]


def _center(values: Sequence[float]) -> float:
    """The median of the lower half: the other half may be slow."""
    return statistics.median(sorted(values)[: (len(values) + 1) // 2])


def _deviations(limits: Limits, ranks: int) -> float:
    """Standard deviations that chance does not reach for any of so many ranks."""
    return statistics.NormalDist().inv_cdf(1 - limits.false_alarm / max(1, ranks))


def _spreads(ranks: int) -> float:
    """How many spreads above the center the slowest of so many healthy ranks may be; of few ranks, the spread itself is uncertain."""
    return (statistics.NormalDist().inv_cdf(1 - 0.01 / max(1, ranks)) + 0.67) * (1 + 4 / max(1, ranks))


# ---- who is last by more than chance ----


def _is_last_too_often(limits: Limits, last: float, by_chance: float, ranks: int) -> bool:
    """Chernoff's bound for the probability that a rank is last so often, times the number of ranks."""
    if last <= by_chance or by_chance <= 0:
        return False
    return -last * math.log(last / by_chance) + last - by_chance < math.log(limits.false_alarm / max(1, ranks))


# ---- each rank over all of its steps ----

_PLAIN = "NOT stall AND NOT special"
_SUMS = ", ".join(
    f"avg(CASE WHEN {_PLAIN} THEN {part} END) AS {part}, sum(CASE WHEN stall THEN {part} END) AS stall_{part}" for part in PARTS
)
_BY_RANK = (
    " SELECT rank, max(usual_ns) AS usual_ns, max(noise_ns) AS noise_ns, count(*) AS steps,"
    f" sum(CASE WHEN {_PLAIN} THEN 1 ELSE 0 END) AS plain, avg(CASE WHEN {_PLAIN} THEN excess_ns END) AS excess_ns,"
    f" stddev_samp(CASE WHEN {_PLAIN} THEN excess_ns END) AS deviation_ns, avg(CASE WHEN {_PLAIN} THEN lost_ns END) AS lost_ns,"
    f" sum(CASE WHEN {_PLAIN} AND excess_ns > mean_ns / 2 THEN 1 ELSE 0 END) AS hit,"
    " sum(CASE WHEN stall THEN 1 ELSE 0 END) AS stalls, sum(CASE WHEN stall THEN above_ns END) AS stall_ns,"
    f" sum(CASE WHEN stall AND waited_ns > 0 THEN least(waited_ns, above_ns) END) AS stall_waited_ns, {_SUMS}"
    f" FROM (SELECT *, avg(CASE WHEN {_PLAIN} THEN excess_ns END) OVER (PARTITION BY rank) AS mean_ns FROM judged) AS j GROUP BY rank ORDER BY rank"
)


def _cause(row: Dict[str, Any], prefix: str = "") -> str:
    """The part of the steps that exceeds the others' by most."""
    return PARTS[max(PARTS, key=lambda part: _number(row[prefix + part]))]


@dataclass(frozen=True)
class _Means:
    """By rank: its mean excess over the others of its group (stage), and the error that this has if the rank is like the others.

    `spread`: how far ranks differ apart from that error."""

    excess: Dict[int, float]
    error: Dict[int, float]
    spread: float


def _means_of(rows: Sequence[Dict[str, Any]], groups: Sequence[Sequence[int]]) -> _Means:
    mean = {row["rank"]: _number(row["excess_ns"]) for row in rows if row["plain"]}
    deviations = [_number(row["deviation_ns"]) for row in rows if row["plain"] and row["plain"] > 1]
    usual = statistics.median(deviations) if deviations else 0.0
    error = {
        # The deviation of few steps is uncertain itself: hence more for few.
        row["rank"]: usual / math.sqrt(row["plain"]) * (1 + 10 / row["plain"])
        for row in rows
        if row["plain"] and usual
    }
    sets = [[rank for rank in group if rank in mean] for group in groups]
    excess: Dict[int, float] = {}
    for ranks in filter(None, sets):
        center = _center([mean[rank] for rank in ranks])
        excess.update({rank: mean[rank] - center for rank in ranks})
    spread = spread_of([[mean[rank] for rank in ranks] for ranks in sets if ranks]) if len(mean) >= FEW_RANKS else 0.0
    noise = statistics.median(error.values()) if error else 0.0
    return _Means(excess, error, math.sqrt(max(0.0, spread**2 - noise**2)))


def _longer(row: Dict[str, Any], excess_ns: float, ranges: Dict[Tuple[int, bool], str], collectives: bool) -> Late:
    cause = _cause(row)
    waited = max(0.0, min(_number(row["lost_ns"]), excess_ns)) * row["plain"] if collectives else 0.0
    return Late(
        row["rank"], cause, ranges.get((row["rank"], False), "") if cause == "host" else "", excess_ns, int(row["hit"]), int(row["steps"]), waited
    )


def _ranges(engine: Any, limits: Limits) -> Dict[Tuple[int, bool], str]:
    """The range by which the host keeps the device waiting longer than on other ranks: by rank, usually and in stalls."""
    rows = engine.run(judged_sql(limits) + sql_text("late_ranges"))[1]
    return {(rank, bool(stall)): name for rank, stall, name in rows}


def _stalls(engine: Any, limits: Limits, rows: Sequence[Dict[str, Any]], ranges: Dict[Tuple[int, bool], str], collectives: bool) -> List[Late]:
    steps: Dict[int, List[int]] = {}
    for row in records(engine, judged_sql(limits) + " SELECT rank, step FROM judged WHERE stall ORDER BY rank, step"):
        steps.setdefault(row["rank"], []).append(row["step"])
    found: List[Late] = []
    for row in rows:
        count, ns = int(row["stalls"] or 0), _number(row["stall_ns"])
        waited = _number(row["stall_waited_ns"])
        if not count or (collectives and waited < limits.exposed * ns):
            continue
        cause = _cause(row, "stall_")
        where = ranges.get((row["rank"], True), "") if cause == "host" else ""
        found.append(Late(row["rank"], cause, where, ns / count, count, int(row["steps"]), waited if collectives else 0.0, tuple(steps[row["rank"]])))
    return found


def _detection(rows: Sequence[Dict[str, Any]], means: _Means, needed: Dict[int, float], limits: Limits) -> Detection:
    usual, noise = _number(rows[0]["usual_ns"]), _number(rows[0]["noise_ns"])
    stall = max(limits.least_stall * usual, limits.stall_deviations * noise)
    least = statistics.median(needed.values()) if needed else math.inf
    return Detection(len(rows), max(int(row["steps"]) for row in rows), usual, least, stall)


def find_late(engine: Any, limits: Limits, stages: Sequence[Tuple[int, ...]], arrivals: Dict[int, Tuple[float, float]]) -> Lateness:
    """Ranks and stages that take longer. `stages`: of pipelines, which differ from each other anyway. `arrivals`: by rank, how often
    it is last in collectives, and how often by chance; none without collectives: then nobody is seen to wait."""
    rows = records(engine, judged_sql(limits) + _BY_RANK)
    if not rows:
        return Lateness()
    usual, collectives = _number(rows[0]["usual_ns"]), bool(arrivals)
    everyone = [row["rank"] for row in rows]
    staged = {rank for stage in stages for rank in stage}
    of_stages = [stage for stage in stages if len(stage) > 1]
    alone = [rank for rank in everyone if rank in staged and not any(rank in stage for stage in of_stages)]
    groups = [*of_stages, [rank for rank in everyone if rank not in staged], *([alone] if alone else [])]
    means = _means_of(rows, groups)
    least = limits.least_share * usual * (1 if len(everyone) >= FEW_RANKS else 3)
    z = _deviations(limits, len(everyone))
    needed: Dict[int, float] = {}
    late: List[Dict[str, Any]] = []
    for row in rows:
        rank = row["rank"]
        if rank not in means.excess:
            continue
        floor = max(least, _spreads(len(everyone)) * means.spread, limits.least_stage_share * usual if rank in alone else 0)
        by_noise = z * means.error.get(rank, math.inf)
        needed[rank] = max(floor, by_noise)
        excess = means.excess[rank]
        if row["hit"] < max(LEAST_HITS, OFTEN * row["plain"]):
            continue
        is_sure = excess >= by_noise or _is_last_too_often(limits, *arrivals.get(rank, (0.0, 0.0)), len(everyone))
        if excess >= floor and is_sure and (not collectives or _number(row["lost_ns"]) >= limits.exposed * excess):
            late.append(row)
    slow_stages = _slow_stages(rows, of_stages, limits.least_stage_share * usual)
    has_stalls = any(row["stalls"] for row in rows)
    ranges = _ranges(engine, limits) if has_stalls or any(_cause(row) == "host" for row in late + [rows for _, rows, _ in slow_stages]) else {}
    longer = [_longer(row, means.excess[row["rank"]], ranges, collectives) for row in late]
    stalls = _stalls(engine, limits, rows, ranges, collectives) if has_stalls else []
    return Lateness(
        tuple(_merged(longer, stalls)),
        tuple((number, _longer(row, excess, ranges, collectives)) for number, row, excess in slow_stages),
        _detection(rows, means, needed, limits),
    )


def _slow_stages(rows: Sequence[Dict[str, Any]], stages: Sequence[Tuple[int, ...]], least_ns: float) -> List[Tuple[int, Dict[str, Any], float]]:
    """Stages whose ranks all take longer than the other stages: number, the row of the rank in their middle, and the excess."""
    of_rank = {row["rank"]: row for row in rows if row["plain"]}
    present = [(number, [of_rank[rank] for rank in stage if rank in of_rank]) for number, stage in enumerate(stages)]
    present = [(number, sorted(of, key=lambda row: _number(row["excess_ns"]))) for number, of in present if of]
    if len(present) < 2:
        return []
    middles = {number: statistics.median(_number(row["excess_ns"]) for row in of) for number, of in present}
    found = []
    for number, of in present:
        excess = middles[number] - _center(list(middles.values()))
        least = _number(of[0]["excess_ns"]) - _center(list(middles.values()))
        if excess >= least_ns and least >= least_ns / 2:
            found.append((number, of[len(of) // 2], excess))
    return found


def _merged(longer: Sequence[Late], stalls: Sequence[Late]) -> List[Late]:
    """A rank that always takes longer for the reason that it stalls for has one fault; that which costs most comes first."""
    always = {(late.rank, late.cause, late.in_range): late for late in longer}
    apart: List[Late] = []
    for stall in stalls:
        key = (stall.rank, stall.cause, stall.in_range)
        late = always.get(key)
        if late is None:
            apart.append(stall)
            continue
        ns = (late.excess_ns * (late.total - stall.hit) + stall.excess_ns * stall.hit) / late.total
        hit = min(late.total, late.hit + stall.hit)
        always[key] = Late(late.rank, late.cause, late.in_range, ns, hit, late.total, late.waited_ns + stall.waited_ns)
    return sorted([*always.values(), *apart], key=lambda late: (-(late.waited_ns or late.excess_ns * late.hit), late.rank))


@functools.lru_cache(maxsize=8)
def arrivals_of(engine: Any) -> Dict[int, Tuple[float, float]]:
    """How often each rank is last in collectives, and how often by chance."""
    rows = records(engine, sql_text("stragglers"))
    return {row["rank"]: (_number(row["times_last"]), _number(row["by_chance"])) for row in rows if row["collectives"]}
