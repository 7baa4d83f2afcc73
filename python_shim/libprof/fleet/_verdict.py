"""What is wrong with a job, in sentences with their evidence; nothing where nothing stands out."""

from __future__ import annotations

import dataclasses
import functools
import math
import statistics
from typing import Any, Dict, List, Tuple

from .._answers import ANY
from .._times import counted, ranks_text, time_text
from . import _clocks, _faults, _late, _links, _pipeline, _unknown
from ._engine import records, sql_text
from ._faults import Finding
from ._limits import Limits


# ---- recordings that are not there ----


def missing_ranks(engine: Any) -> List[Finding]:
    """Ranks of the job without a recording. Recordings of unknown ranks may be those of any."""
    rows = records(engine, "SELECT rank, max(world_size) AS world FROM ranks GROUP BY rank")
    unknown = len(_unknown.names(engine))
    there = {row["rank"] for row in rows if row["rank"] >= 0}
    world = max((row["world"] or 0 for row in rows), default=0)
    count = world - len(there) - unknown
    if count <= 0:
        return []
    if unknown:
        return [Finding("missing", f"at least {count} of {world} ranks {'has' if count == 1 else 'have'} no recording", ())]
    missing = [rank for rank in range(world) if rank not in there]
    return [Finding("missing", f"{ranks_text(missing, 8)} of {world} {'has' if len(missing) == 1 else 'have'} no recording", tuple(missing))]


def double_ranks(engine: Any) -> List[Finding]:
    """Ranks with several recordings: their rows are added up in reports."""
    rows = records(engine, "SELECT rank, count(*) AS n FROM ranks WHERE rank_known GROUP BY rank HAVING count(*) > 1 ORDER BY rank")
    if not rows:
        return []
    ranks = tuple(row["rank"] for row in rows)
    return [Finding("double", f"several recordings have the same rank and are added up: {ranks_text(ranks, 8)}", ranks)]


# ---- collectives that do not end ----


def _first_to_stop(engine: Any, ranks: List[int]) -> int:
    """Of these, the one that got least far: by its steps, then by the collectives that it called."""
    wanted = ", ".join(str(rank) for rank in ranks)
    steps = {r["rank"]: r["step"] for r in records(engine, f"SELECT rank, max(step) AS step FROM steps WHERE rank IN ({wanted}) GROUP BY rank")}
    calls = {r["rank"]: r["n"] for r in records(engine, f"SELECT rank, count(*) AS n FROM collectives WHERE rank IN ({wanted}) GROUP BY rank")}
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
    rows = records(engine, sql_text("mismatches"))
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


# ---- ranks that others wait for ----


@functools.lru_cache(maxsize=4)
def lateness(engine: Any, limits: Limits = Limits()) -> _late.Lateness:
    """Who takes longer than the others, and what would be found."""
    # Of a device without records, "host" would be all that a rank can be late for.
    if not _evidence(engine)["busy_steps"]:
        return _late.Lateness()
    return _late.find_late(engine, limits, _pipeline.find_pipelines(engine).stages(), _late.arrivals_of(engine))


def stragglers(engine: Any, limits: Limits = Limits()) -> List[Finding]:
    """Stages, hosts and ranks that the others wait for."""
    hosts = {row["rank"]: row["host"] or "" for row in records(engine, _clocks.HOST_OF_RANK)}
    return _faults.find_faults(lateness(engine, limits), hosts, _pipeline.find_pipelines(engine))


# ---- clocks ----


def bad_clocks(engine: Any) -> List[Finding]:
    """The clock that is farthest from the others, where clocks contradict what the kernels state of them."""
    if records(engine, "SELECT count(DISTINCT host) AS n FROM ranks WHERE clock_synchronized")[0]["n"] < 2:
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
    return records(
        engine,
        "SELECT count(DISTINCT rank) AS ranks, max(world_size) AS world, (SELECT count(*) FROM steps) AS steps,"
        " (SELECT count(*) FROM steps WHERE compute_ns > 0 OR communication_ns > 0 OR copy_ns > 0) AS busy_steps,"
        " (SELECT count(*) FROM collectives WHERE communicator IS NOT NULL AND communicator <> 0) AS communicators,"
        " (SELECT count(*) FROM collectives WHERE duration_ns IS NOT NULL) AS collectives FROM ranks",
    )[0]


MISSING, HANGS, LATE = "missing", "hangs", "late"


def _judged(engine: Any) -> Dict[str, Tuple[bool, str]]:
    """Of each question, whether the recordings can answer it, and what is in order then, else why it cannot be judged."""
    there = _evidence(engine)
    late = "whether a rank keeps others waiting cannot be judged: "
    answers = {}
    if there["world"] and not _unknown.names(engine):
        answers[MISSING] = (True, f"all {there['world']} ranks recorded")
    elif not _unknown.names(engine):
        answers[MISSING] = (False, "whether all ranks recorded cannot be judged: no world size was recorded")
    else:
        answers[MISSING] = (False, _unstated(engine))
    if there["communicators"]:
        answers[HANGS] = (True, "no collective hangs")
    else:
        answers[HANGS] = (False, "whether a collective hangs cannot be judged: no communicators were recorded")
    if there["ranks"] < 2:
        answers[LATE] = (False, f"{late}there is one rank only")
    elif not there["steps"]:
        answers[LATE] = (False, f"{late}no steps were recorded")
    elif not there["busy_steps"]:
        answers[LATE] = (False, f"{late}no device operations were recorded in steps")
    else:
        answers[LATE] = (True, "no rank takes longer than the others" if not there["collectives"] else "no rank keeps the others waiting")
    return answers


def all_clear(engine: Any) -> List[str]:
    """What was looked at and is in order, in one sentence, and what cannot be judged, where nothing was found. That recordings do not
    state their rank is in notes()."""
    answers = _judged(engine)
    clear = [text for known, text in answers.values() if known]
    unknown = [text for question, (known, text) in answers.items() if not known and (question != MISSING or not _unknown.names(engine))]
    return ([f"Nothing stands out: {', '.join(clear)}."] if clear else []) + [f"{sentence[0].upper()}{sentence[1:]}." for sentence in unknown]


def cannot_judge(engine: Any) -> Dict[str, Tuple[str, ...]]:
    """Sentences that say what cannot be judged, with the kinds of findings that this concerns; those of a diagnosis as a whole have "any"."""
    if not records(engine, "SELECT rank FROM ranks LIMIT 1"):
        return {EMPTY: (ANY, *(kind for kind in _faults.KINDS if kind != "empty"))}
    kinds = {MISSING: ("missing",), HANGS: ("mismatch", "stopped"), LATE: _faults.LATE_KINDS}
    unknown = {text: (ANY, *kinds[question]) for question, (known, text) in _judged(engine).items() if not known}
    if not _evidence(engine)["collectives"]:
        unknown["links and clocks cannot be judged: no collectives were recorded"] = ("link", "clock")
    elif records(engine, "SELECT count(DISTINCT host) AS n FROM ranks WHERE NOT coalesce(clock_synchronized, false)")[0]["n"]:
        unknown["clocks cannot be judged: not every host states that its clock is synchronized"] = ("clock",)
    return unknown


def _unstated(engine: Any) -> str:
    """That recordings do not state their rank, so that it is unknown which ranks have one."""
    unknown = len(_unknown.names(engine))
    whose = "1 recording does not state its rank" if unknown == 1 else f"{unknown} recordings do not state their rank"
    return f"whether all ranks recorded cannot be judged: {whose}"


def notes(engine: Any) -> List[str]:
    """What cannot be answered, and why; none of it is a fault of the job."""
    ((ranks, steps, sources),) = engine.run("SELECT count(DISTINCT rank), (SELECT count(*) FROM steps), count(DISTINCT source) FROM ranks")[1]
    ((collectives,),) = engine.run("SELECT count(*) FROM collectives WHERE duration_ns IS NOT NULL")[1]
    said: List[str] = []
    if _unknown.names(engine) and not missing_ranks(engine):
        said.append(_unstated(engine))
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


EMPTY = "there are no ranks: no recording could be packed into this dataset"


@functools.lru_cache(maxsize=4)
def judge(engine: Any, limits: Limits = Limits()) -> Tuple[Finding, ...]:
    """All findings: what stops a job, then what delays it, the most expensive first, then the rest; computed once for each engine."""
    if not records(engine, "SELECT rank FROM ranks LIMIT 1"):
        return (Finding("empty", EMPTY, ()),)
    return tuple(dataclasses.replace(one, sentence=_unknown.named(engine, one.sentence)) for one in _findings(engine, limits))


def _findings(engine: Any, limits: Limits) -> Tuple[Finding, ...]:
    stopped = hangs(engine)
    delays = [*_links.slow_links(engine, _pipeline.find_pipelines(engine), limits), *([] if stopped else stragglers(engine, limits))]
    delays.sort(key=lambda finding: -finding.cost_ns)
    return (*stopped, *delays, *bad_clocks(engine), *missing_ranks(engine), *double_ranks(engine))


def detection_limit(engine: Any, limits: Limits = Limits()) -> str:
    """The smallest slowdown that would be found, as a sentence; empty if there is nothing to compare."""
    found = lateness(engine, limits).detection
    if not found or not found.step_ns:
        return ""
    always = f"takes {time_text(found.excess_ns)} a step ({100 * found.excess_ns / found.step_ns:.2g} %) longer"
    sure = f"a rank that always {always}, and " if found.excess_ns < math.inf else ""
    return f"Detection limit with {counted(found.ranks, 'rank')} and {counted(found.steps, 'step')}: {sure}a single step that takes {time_text(found.stall_ns)} longer."


def job_size(engine: Any) -> Dict[str, Any]:
    """Ranks, hosts, and the median step over all ranks."""
    job = records(engine, "SELECT count(DISTINCT rank) AS ranks, count(DISTINCT host) AS hosts FROM ranks")[0]
    steps = [row["ns"] for row in records(engine, "SELECT median(duration_ns) AS ns FROM steps GROUP BY rank") if row["ns"]]
    return {**job, "step_ns": statistics.median(steps) if steps else None}


def headline(engine: Any) -> str:
    """How large the job is, and its median step over all ranks."""
    job = job_size(engine)
    step = f"median step {time_text(job['step_ns'])}" if job["step_ns"] else "no steps"
    attempts = getattr(engine, "attempts", None)
    attempt = ""
    if attempts and attempts.count > 1:
        attempt = f", attempt {attempts.shown} of {attempts.count}" if attempts.shown else f", {attempts.count} attempts together"
    return f"{counted(job['ranks'], 'rank')} on {counted(job['hosts'], 'host')}, {step}{attempt}"
