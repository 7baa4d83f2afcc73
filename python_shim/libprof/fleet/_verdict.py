"""What is wrong with a job, in sentences with their evidence; nothing where nothing stands out."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Dict, List, Set, Tuple

from ._engine import sql_text
from ._text import time_text

EXCESS_OF_STEP = 0.05
"""Report a rank that others wait for if it exceeds most ranks by this share of a median step."""
SLOW_TRANSFER = 1.5
"""A communicator is slow if its transfers take this many times as long as the fastest of its like."""


@dataclass(frozen=True)
class Finding:
    """`kind`: empty, missing, double, mismatch, stopped, link or straggler. `ranks` or `hosts`: where."""

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
    return [Finding("missing", f"{len(missing)} of {world} ranks have no recording: {_listed(missing)}", tuple(missing))]


def double_ranks(engine: Any) -> List[Finding]:
    """Ranks with several recordings: their rows are added up in reports."""
    rows = _rows(engine, "SELECT rank, count(*) AS n FROM ranks WHERE rank_known GROUP BY rank HAVING count(*) > 1 ORDER BY rank")
    if not rows:
        return []
    ranks = tuple(row["rank"] for row in rows)
    return [Finding("double", f"several recordings have the same rank and are added up: {_listed(list(ranks))}", ranks)]


# ---- collectives that do not end ----


def _first_to_stop(engine: Any, ranks: List[int]) -> int:
    """Of these, the one that got least far: by its steps, then by the collectives that it called."""
    wanted = ", ".join(str(rank) for rank in ranks)
    steps = {r["rank"]: r["step"] for r in _rows(engine, f"SELECT rank, max(step) AS step FROM steps WHERE rank IN ({wanted}) GROUP BY rank")}
    calls = {r["rank"]: r["n"] for r in _rows(engine, f"SELECT rank, count(*) AS n FROM collectives WHERE rank IN ({wanted}) GROUP BY rank")}
    return min(ranks, key=lambda rank: (steps.get(rank, -1), calls.get(rank, 0), rank))


def hangs(engine: Any) -> List[Finding]:
    """The first collective that cannot end, and the rank that caused it."""
    rows = _rows(engine, sql_text("mismatches"))
    if not rows:
        return []
    others = [row for row in rows if row["state"].startswith("entered")]
    if others:
        row = others[0]
        place = f"collective {row['sequence']} of communicator {row['communicator']}, step {row['step']}"
        what = f"{row['function']} of {row['bytes']} bytes"
        return [Finding("mismatch", f"rank {row['rank']} called {what} where the others called something else ({place})", (row["rank"],))]
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


def slow_links(engine: Any) -> List[Finding]:
    """Hosts that every slow communicator has in common and no other communicator has."""
    groups: Dict[Tuple[Any, ...], List[Dict[str, Any]]] = {}
    for row in _rows(engine, sql_text("collectives")):
        if row["communicator"] is not None and row["ranks"] > 1:
            groups.setdefault((row["function"], row["ranks"], row["bytes"]), []).append(row)
    hosts: Dict[int, Set[str]] = {}
    for row in _rows(engine, "SELECT DISTINCT c.communicator, r.host FROM collectives AS c JOIN ranks AS r ON r.rank = c.rank"):
        hosts.setdefault(row["communicator"], set()).add(row["host"])
    slow: List[Dict[str, Any]] = []
    fine: Set[str] = set()
    ratio = 0.0
    for rows in groups.values():
        limit = SLOW_TRANSFER * min(row["transfer_ns"] for row in rows)
        behind = [row for row in rows if row["transfer_ns"] > limit]
        if behind:  # otherwise nothing tells whether all of them are slow or none
            slow += behind
            ratio = max(ratio, *(SLOW_TRANSFER * row["transfer_ns"] / limit for row in behind))
            fine |= set().union(*(hosts[row["communicator"]] for row in rows if row not in behind))
    if not slow:
        return []
    suspects = sorted(set.union(*(hosts[row["communicator"]] for row in slow)) - fine)
    where = f"on {_listed(suspects)}" if suspects else "of some communicators"
    return [
        Finding("link", f"transfers {where} take up to {ratio:.1f} times as long as others of the same size", (), tuple(suspects))
    ]


# ---- ranks that others wait for ----


def _in_how_many_steps(engine: Any, rank: int, excess_ns: int) -> Tuple[int, int]:
    row = _rows(
        engine,
        "WITH typical AS (SELECT step, median(duration_ns - communication_ns) AS ns FROM steps GROUP BY step) "
        f"SELECT sum(CASE WHEN s.duration_ns - s.communication_ns - t.ns > {excess_ns} / 2 THEN 1 ELSE 0 END) AS hit, count(*) AS steps "
        f"FROM steps AS s JOIN typical AS t ON t.step = s.step WHERE s.rank = {rank}",
    )[0]
    return int(row["hit"] or 0), int(row["steps"])


def stragglers(engine: Any) -> List[Finding]:
    """Ranks that take longer than most, and that others therefore wait for."""
    median = _rows(engine, "SELECT median(duration_ns) AS ns FROM steps")[0]["ns"]
    if not median:
        return []
    findings: List[Finding] = []
    for row in _rows(engine, sql_text("stragglers")):
        if row["longer"] is None or row["longer_by_ns"] < EXCESS_OF_STEP * float(median):
            continue
        hit, steps = _in_how_many_steps(engine, row["rank"], row["longer_by_ns"])
        where = f" in range '{row['in_range']}'" if row["in_range"] else ""
        sentence = (
            f"the others wait for rank {row['rank']} on {row['host'] or 'an unknown host'}, {_ms(row['caused_ns'])} in all: "
            f"{row['longer']}{where} takes {_ms(row['longer_by_ns'])} a step longer than on most ranks (in {hit} of {steps} steps)"
        )
        findings.append(Finding("straggler", sentence, (row["rank"],), (), row["longer"]))
    return findings


def judge(engine: Any) -> List[Finding]:
    """All findings, what stops a job first."""
    if not _rows(engine, "SELECT rank FROM ranks LIMIT 1"):
        return [Finding("empty", "there are no ranks: no recording could be packed into this dataset", ())]
    stopped = hangs(engine)
    found = [*missing_ranks(engine), *double_ranks(engine), *stopped, *slow_links(engine)]
    return found if stopped else [*found, *stragglers(engine)]


def headline(engine: Any) -> str:
    """How large the job is, and its median step over all ranks."""
    job = _rows(engine, "SELECT count(DISTINCT rank) AS ranks, count(DISTINCT host) AS hosts FROM ranks")[0]
    steps = [row["ns"] for row in _rows(engine, "SELECT median(duration_ns) AS ns FROM steps GROUP BY rank") if row["ns"]]
    step = f"median step {time_text(statistics.median(steps))}" if steps else "no steps"
    return f"{job['ranks']} ranks on {job['hosts']} hosts, {step}"
