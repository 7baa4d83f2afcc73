"""What is wrong with a job, in sentences with their evidence; nothing where nothing stands out."""

from __future__ import annotations

import functools
import statistics
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, List, Sequence, Set, Tuple

from .._times import ranks_text, time_text
from . import _clocks, _groups, _pipeline
from ._engine import sql_text

EXCESS_OF_STEP = 0.05
"""Report a rank that others wait for if it exceeds most ranks by this share of a median step."""
SLOW_TRANSFER = 1.5
"""A communicator is slow if its transfers take this many times as long as the fastest of its like."""


@dataclass(frozen=True)
class Finding:
    """`kind`: empty, missing, double, mismatch, stopped, link, clock, stage or straggler. `ranks` or `hosts`: where."""

    kind: str
    sentence: str
    ranks: Tuple[int, ...] = ()
    hosts: Tuple[str, ...] = ()
    cause: str = ""


def _rows(engine: Any, sql: str) -> List[Dict[str, Any]]:
    columns, rows = engine.run(sql)
    return [dict(zip(columns, row)) for row in rows]


def _ms(ns: float) -> str:
    return f"{ns / 1e6:.3g} ms"


def _listed(items: List[Any]) -> str:
    shown = ", ".join(str(item) for item in items[:8])
    return shown if len(items) <= 8 else f"{shown} and {len(items) - 8} more"


# ---- recordings that are not there ----


def missing_ranks(engine: Any) -> List[Finding]:
    """Ranks of the job without a recording."""
    rows = _rows(engine, "SELECT rank, max(world_size) AS world FROM ranks WHERE rank_known GROUP BY rank")
    there = {row["rank"] for row in rows}
    world = max((row["world"] or 0 for row in rows), default=0)
    if len(there) >= world:
        return []
    missing = [rank for rank in range(world) if rank not in there]
    return [Finding("missing", f"{ranks_text(missing, 8)} of {world} {'has' if len(missing) == 1 else 'have'} no recording", tuple(missing))]


def double_ranks(engine: Any) -> List[Finding]:
    """Ranks with several recordings: their rows are added up in reports."""
    rows = _rows(engine, "SELECT rank, count(*) AS n FROM ranks WHERE rank_known GROUP BY rank HAVING count(*) > 1 ORDER BY rank")
    if not rows:
        return []
    ranks = tuple(row["rank"] for row in rows)
    return [Finding("double", f"several recordings have the same rank and are added up: {ranks_text(ranks, 8)}", ranks)]


# ---- collectives that do not end ----


def _first_to_stop(engine: Any, ranks: List[int]) -> int:
    """Of these, the one that got least far: by its steps, then by the collectives that it called."""
    wanted = ", ".join(str(rank) for rank in ranks)
    steps = {r["rank"]: r["step"] for r in _rows(engine, f"SELECT rank, max(step) AS step FROM steps WHERE rank IN ({wanted}) GROUP BY rank")}
    calls = {r["rank"]: r["n"] for r in _rows(engine, f"SELECT rank, count(*) AS n FROM collectives WHERE rank IN ({wanted}) GROUP BY rank")}
    return min(ranks, key=lambda rank: (steps.get(rank, -1), calls.get(rank, 0), rank))


def _mismatch(row: Dict[str, Any], rows: List[Dict[str, Any]]) -> Finding:
    """Of two ranks that call different collectives, neither can be called the one that is wrong."""
    place = f"collective {row['sequence']} of communicator {row['communicator']}, step {row['step']}"
    what = f"rank {row['rank']} called {row['function']} of {row['bytes']} bytes where"
    same = [other for other in rows if (other["communicator"], other["sequence"]) == (row["communicator"], row["sequence"])]
    if len(same) != 2:
        return Finding("mismatch", f"{what} the others called something else ({place})", (row["rank"],))
    other = next(other for other in same if other["rank"] != row["rank"])
    sentence = f"{what} rank {other['rank']} called {other['function']} of {other['bytes']} bytes ({place})"
    return Finding("mismatch", sentence, tuple(sorted((row["rank"], other["rank"]))))


def hangs(engine: Any) -> List[Finding]:
    """The first collective that cannot end, and the rank that caused it."""
    rows = _rows(engine, sql_text("mismatches"))
    if not rows:
        return []
    others = [row for row in rows if row["state"].startswith("entered")]
    if others:
        return [_mismatch(others[0], rows)]
    absent = sorted({row["rank"] for row in rows if row["state"] == "did not enter"})
    if not absent:
        return []
    rank = _first_to_stop(engine, absent)
    row = next(row for row in rows if row["rank"] == rank and row["state"] == "did not enter")
    waiting = len({other["rank"] for other in rows if other["state"] == "waits"})
    sentence = (
        f"rank {rank} stopped first: it did not enter collective {row['sequence']} of communicator {row['communicator']} "
        f"(step {row['step']}); {waiting} ranks wait for collectives that cannot end"
    )
    return [Finding("stopped", sentence, (rank,))]


# ---- links ----


@dataclass(frozen=True)
class _Transfer:
    """A communicator or a pair of ranks. Those of one `like` should be equally fast. `pair`: none for a communicator."""

    like: Tuple[Any, ...]
    ns: int
    hosts: FrozenSet[str]
    pair: Tuple[int, ...] = ()


def _transfers(engine: Any, pipelines: _pipeline.Pipelines) -> List[_Transfer]:
    hosts: Dict[int, Set[str]] = {}
    for row in _rows(engine, "SELECT DISTINCT c.communicator, r.host FROM collectives AS c JOIN ranks AS r ON r.rank = c.rank"):
        hosts.setdefault(row["communicator"], set()).add(row["host"])
    found = [
        _Transfer((row["function"], row["ranks"], row["bytes"]), row["transfer_ns"], frozenset(hosts[row["communicator"]]))
        for row in _rows(engine, sql_text("collectives"))
        if row["communicator"] is not None and row["ranks"] > 1 and row["transfer_ns"] is not None
    ]
    pairs = [_Transfer(("pair", link.bytes), link.transfer_ns, frozenset(link.hosts), (link.sender, link.receiver)) for link in pipelines.links]
    return [*found, *pairs]


def slow_links(engine: Any, pipelines: _pipeline.Pipelines) -> List[Finding]:
    """Hosts that all slow transfers have in common and no other has; the ranks, if only sends and receives are slow."""
    groups: Dict[Tuple[Any, ...], List[_Transfer]] = {}
    for transfer in _transfers(engine, pipelines):
        groups.setdefault(transfer.like, []).append(transfer)
    slow: List[_Transfer] = []
    fine: Set[str] = set()
    ratio = 0.0
    for transfers in groups.values():
        fastest_ns = min(transfer.ns for transfer in transfers)
        behind = [transfer for transfer in transfers if transfer.ns > SLOW_TRANSFER * fastest_ns]
        if behind:  # otherwise nothing tells whether all of them are slow or none
            slow += behind
            ratio = max(ratio, *(transfer.ns / max(1, fastest_ns) for transfer in behind))
            fine |= set().union(*(transfer.hosts for transfer in transfers if transfer not in behind))
    if not slow:
        return []
    suspects = tuple(sorted(frozenset.intersection(*(transfer.hosts for transfer in slow)) - fine))
    ranks: Tuple[int, ...] = ()
    where = f"on {_listed(list(suspects))}" if suspects else "of some communicators"
    if all(transfer.pair for transfer in slow):
        ranks = tuple(sorted({rank for transfer in slow for rank in transfer.pair}))
        where = _between([transfer.pair for transfer in slow], pipelines.stage_of())
    return [Finding("link", f"transfers {where} take up to {ratio:.1f} times as long as others of the same size", ranks, suspects)]


def _between(pairs: Sequence[Tuple[int, ...]], stage_of: Dict[int, int]) -> str:
    hops = sorted({tuple(sorted(stage_of.get(rank, -1) for rank in pair)) for pair in pairs})
    if len(hops) == 1 and min(hops[0]) >= 0:
        return f"between stages {hops[0][0]} and {hops[0][1]} of the pipeline"
    return "between ranks " + _listed(sorted({f"{min(pair)} and {max(pair)}" for pair in pairs}))


# ---- ranks that others wait for ----


def _in_how_many_steps(engine: Any, late: Sequence[Dict[str, Any]]) -> Dict[int, Tuple[int, int]]:
    """By late rank: in how many steps it exceeds the others by half of its excess or more, and how many steps there are."""
    if not late:
        return {}
    excess = ", ".join(f"({row['rank']}, {row['longer_by_ns']})" for row in late)
    rows = _rows(
        engine,
        "WITH typical AS (SELECT step, median(duration_ns - communication_ns) AS ns FROM steps GROUP BY step), "
        f"late AS (SELECT * FROM (VALUES {excess}) AS given(rank, excess_ns)) "
        "SELECT s.rank, sum(CASE WHEN s.duration_ns - s.communication_ns - t.ns > l.excess_ns / 2 THEN 1 ELSE 0 END) AS hit, count(*) AS steps "
        "FROM steps AS s JOIN typical AS t ON t.step = s.step JOIN late AS l ON l.rank = s.rank GROUP BY s.rank",
    )
    return {row["rank"]: (int(row["hit"] or 0), int(row["steps"])) for row in rows}


def _late_ranks(engine: Any) -> List[Dict[str, Any]]:
    """Rows of the report on stragglers that exceed most ranks by enough."""
    median = _rows(engine, "SELECT median(duration_ns) AS ns FROM steps")[0]["ns"]
    if not median:
        return []
    limit_ns = EXCESS_OF_STEP * float(median)
    return [row for row in _rows(engine, sql_text("stragglers")) if row["longer"] is not None and row["longer_by_ns"] >= limit_ns]


def _slow_stages(late: Sequence[Dict[str, Any]], pipelines: _pipeline.Pipelines, counts: Dict[int, Tuple[int, int]]) -> List[Finding]:
    """Stages of which every rank is late for the same reason."""
    causes = {row["rank"]: row for row in late}
    findings: List[Finding] = []
    for number, ranks in enumerate(pipelines.stages()):
        rows = [causes[rank] for rank in ranks if rank in causes]
        if len(ranks) < 2 or len(rows) < len(ranks) or len({row["longer"] for row in rows}) > 1:
            continue
        ns = statistics.median(row["longer_by_ns"] for row in rows)
        steps = counts[ranks[0]][1]
        sentence = (
            f"the others wait for stage {number} of the pipeline ({_groups.ranks_text(ranks)}): {rows[0]['longer']} takes {_ms(ns)} a step "
            f"longer than on most ranks{_pipeline.waits_text(pipelines, ranks, steps)}"
        )
        findings.append(Finding("stage", sentence, ranks, (), rows[0]["longer"]))
    return findings


def stragglers(engine: Any, pipelines: _pipeline.Pipelines) -> List[Finding]:
    """Stages and ranks that take longer than most, and that others therefore wait for."""
    # Of a device without records, "host" would be all that a rank can be late for.
    late = _late_ranks(engine) if _evidence(engine)["busy_steps"] else []
    counts = _in_how_many_steps(engine, late)
    findings = _slow_stages(late, pipelines, counts)
    told = {rank for finding in findings for rank in finding.ranks}
    stage_of = pipelines.stage_of()
    for row in late:
        rank = row["rank"]
        if rank in told:
            continue
        hit, steps = counts[rank]
        where = f" in range '{row['in_range']}'" if row["in_range"] else ""
        stage = f", stage {stage_of[rank]} of the pipeline" if rank in stage_of else ""
        place = f"rank {rank} on {row['host'] or 'an unknown host'}{stage}"
        # Without collectives that wait, nobody is seen to wait: the cost is what the rank itself takes longer.
        effect = f"the others wait for {place}, {_ms(row['caused_ns'])} in all" if row["caused_ns"] else f"{place} takes longer"
        sentence = (
            f"{effect}: {row['longer']}{where} takes {_ms(row['longer_by_ns'])} a step longer than on most ranks (in {hit} of {steps} steps)"
            f"{_pipeline.waits_text(pipelines, [rank], steps)}"
        )
        findings.append(Finding("straggler", sentence, (rank,), (), row["longer"]))
    return findings


# ---- clocks ----


def bad_clocks(engine: Any) -> List[Finding]:
    """The clock that is farthest from the others, where clocks contradict what the kernels state of them."""
    if _rows(engine, "SELECT count(DISTINCT host) AS n FROM ranks WHERE clock_synchronized")[0]["n"] < 2:
        return []
    contradicting = [clock for clock in _clocks.compare_clocks(engine) if clock.contradicts]
    if not contradicting:
        return []
    middle = statistics.median(clock.lines[-1].offset_ns for clock in _clocks.compare_clocks(engine) if clock.lines)
    worst = max(contradicting, key=lambda clock: (abs(clock.lines[-1].offset_ns - middle), clock.host))
    more = f"; {len(contradicting)} hosts contradict each other in this way: see 'clocks'" if len(contradicting) > 2 else ""
    return [Finding("clock", f"the clock of {worst.host} is {worst.note}{more}", (), (worst.host,))]


def _evidence(engine: Any) -> Dict[str, int]:
    """How much there is of what a statement about the job needs. A kernel of a collective does not tell whether another rank takes part."""
    return _rows(
        engine,
        "SELECT count(DISTINCT rank) AS ranks, max(world_size) AS world, (SELECT count(*) FROM steps) AS steps,"
        " (SELECT count(*) FROM steps WHERE compute_ns > 0 OR communication_ns > 0 OR copy_ns > 0) AS busy_steps,"
        " (SELECT count(*) FROM collectives WHERE communicator IS NOT NULL AND communicator <> 0) AS communicators,"
        " (SELECT count(*) FROM collectives WHERE duration_ns IS NOT NULL) AS collectives FROM ranks",
    )[0]


def all_clear(engine: Any) -> List[str]:
    """What was looked at and is in order, in one sentence, and what cannot be judged, where nothing was found."""
    there = _evidence(engine)
    clear, unknown = [], []
    if there["world"]:
        clear.append(f"all {there['world']} ranks recorded")
    else:
        unknown.append("whether all ranks recorded cannot be judged: no world size was recorded")
    if there["communicators"]:
        clear.append("no collective hangs")
    else:
        unknown.append("whether a collective hangs cannot be judged: no communicators were recorded")
    if there["ranks"] < 2:
        unknown.append("whether a rank keeps others waiting cannot be judged: there is one rank only")
    elif not there["steps"]:
        unknown.append("whether a rank keeps others waiting cannot be judged: no steps were recorded")
    elif not there["busy_steps"]:
        unknown.append("whether a rank keeps others waiting cannot be judged: no device operations were recorded in steps")
    else:
        clear.append("no rank takes longer than the others" if not there["collectives"] else "no rank keeps the others waiting")
    return ([f"Nothing stands out: {', '.join(clear)}."] if clear else []) + [f"{sentence[0].upper()}{sentence[1:]}." for sentence in unknown]


def notes(engine: Any) -> List[str]:
    """What cannot be answered, and why; none of it is a fault of the job."""
    ((ranks, steps, sources),) = engine.run("SELECT count(DISTINCT rank), (SELECT count(*) FROM steps), count(DISTINCT source) FROM ranks")[1]
    ((collectives,),) = engine.run("SELECT count(*) FROM collectives WHERE duration_ns IS NOT NULL")[1]
    said: List[str] = []
    if ranks == 1:
        said.append("there is one rank only: nothing to compare it with")
    elif ranks and not collectives:
        said.append("no collectives were recorded: which ranks the others wait for, links and clocks cannot be judged")
    if ranks and steps and not _evidence(engine)["busy_steps"]:
        said.append("no device operations were recorded in steps: what ranks compute, and which takes longer, cannot be judged")
    if ranks and not steps:
        said.append("no steps were recorded: times by step are missing")
    if sources > 1:
        counts = engine.run("SELECT source, count(*) AS n FROM ranks GROUP BY source ORDER BY n DESC, source")[1]
        kinds = ", ".join(f"{source} ({count})" for source, count in counts)
        said.append(f"different programs recorded the ranks, so they may differ for that reason alone: {kinds}")
    return said


@functools.lru_cache(maxsize=2)
def judge(engine: Any) -> Tuple[Finding, ...]:
    """All findings, what stops a job first; computed once for each engine."""
    if not _rows(engine, "SELECT rank FROM ranks LIMIT 1"):
        return (Finding("empty", "there are no ranks: no recording could be packed into this dataset", ()),)
    stopped, pipelines = hangs(engine), _pipeline.find_pipelines(engine)
    found = (*missing_ranks(engine), *double_ranks(engine), *stopped, *slow_links(engine, pipelines), *bad_clocks(engine))
    return found if stopped else (*found, *stragglers(engine, pipelines))


def headline(engine: Any) -> str:
    """How large the job is, and its median step over all ranks."""
    job = _rows(engine, "SELECT count(DISTINCT rank) AS ranks, count(DISTINCT host) AS hosts FROM ranks")[0]
    steps = [row["ns"] for row in _rows(engine, "SELECT median(duration_ns) AS ns FROM steps GROUP BY rank") if row["ns"]]
    step = f"median step {time_text(statistics.median(steps))}" if steps else "no steps"
    return f"{job['ranks']} ranks on {job['hosts']} hosts, {step}"
