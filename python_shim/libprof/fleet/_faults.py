"""Findings, and ranks that others wait for as findings: one for each fault, however many ranks it hits."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Sequence, Set, Tuple

from . import _groups, _pipeline
from ._late import Late, Lateness

ALL_RANKS = 0.25
"""From this share of the ranks on, and at least MANY, stalls with one cause are one fault of the job. Two suffice if what they do is known."""
MANY = 3
SAME_RANGE = 0.8
"""Share of the ranks that must stall in one range for it to be named."""
PATTERNS = (("garbage collection", r"(^|[^a-z])gc([^a-z]|$)|garbage"), ("checkpoints", r"checkpoint|ckpt|(^|[^a-z])save"), ("evaluation", r"eval|valid"))
"""What ranges with such names do."""


LATE_KINDS = ("stage", "host", "pauses", "straggler")
KINDS = ("empty", "missing", "double", "mismatch", "stopped", "link", "clock", *LATE_KINDS)


@dataclass(frozen=True)
class Finding:
    """`kind`: one of KINDS. `ranks` or `hosts`: where. `in_range`: the range that takes longer, empty unknown.

    `cost_ns`: what each other rank loses, as far as that is known: the most expensive finding comes first."""

    kind: str
    sentence: str
    ranks: Tuple[int, ...] = ()
    hosts: Tuple[str, ...] = ()
    cause: str = ""
    cost_ns: float = 0.0
    in_range: str = ""


def ms(ns: float) -> str:
    """``1.53 ms``"""
    return f"{ns / 1e6:.3g} ms"


def listed(items: Sequence[Any], most: int = 8) -> str:
    """``a, b and 3 more``"""
    shown = ", ".join(str(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def _steps_text(late: Late) -> str:
    """In which steps; of stalls, their numbers if there are few."""
    if not late.steps:
        return f"in {late.hit} of {late.total} steps"
    if len(late.steps) == 1:
        return f"in step {late.steps[0]}, one of {late.total}"
    numbers = f": {', '.join(map(str, late.steps))}" if len(late.steps) <= 4 else ""
    return f"in {late.hit} of {late.total} steps{numbers}"


def _why(late: Late, than: str, excess_ns: float = 0.0) -> str:
    """``host in range 'input' takes 12 ms a step longer than on most ranks``"""
    where = f" in range '{late.in_range}'" if late.in_range else ""
    a_step = "" if len(late.steps) == 1 else " a step"
    return f"{late.cause}{where} takes {ms(excess_ns or late.excess_ns)}{a_step} longer than {than}"


def _cost(late: Late) -> float:
    return late.waited_ns or late.excess_ns * late.hit


# ---- one rank ----


def _rank_finding(late: Late, hosts: Dict[int, str], pipelines: _pipeline.Pipelines) -> Finding:
    stage_of = pipelines.stage_of()
    stage = f", stage {stage_of[late.rank]} of the pipeline" if late.rank in stage_of else ""
    place = f"rank {late.rank} on {hosts.get(late.rank) or 'an unknown host'}{stage}"
    # Without collectives that wait, nobody is seen to wait: the cost is what the rank itself takes longer.
    effect = f"the others wait for {place}, {ms(late.waited_ns)} in all" if late.waited_ns else f"{place} takes longer"
    waits = "" if late.steps else _pipeline.waits_text(pipelines, [late.rank], late.total)
    sentence = f"{effect}: {_why(late, 'on most ranks')} ({_steps_text(late)}){waits}"
    return Finding("straggler", sentence, (late.rank,), (), late.cause, _cost(late), late.in_range)


# ---- several ranks ----


def _of_hosts(lates: Sequence[Late], hosts: Dict[int, str]) -> Iterable[Tuple[str, List[Late]]]:
    """Hosts of which all ranks are late, unless all hosts are."""
    members: Dict[str, Set[int]] = {}
    for rank, host in hosts.items():
        members.setdefault(host, set()).add(rank)
    late = {one.rank: one for one in lates}
    whole = [host for host, ranks in members.items() if host and len(ranks) > 1 and ranks <= set(late)]
    return [(host, [late[rank] for rank in sorted(members[host])]) for host in whole] if len(whole) < len(members) else []


def _typical(lates: Sequence[Late]) -> Late:
    """The one in the middle."""
    return sorted(lates, key=lambda late: late.excess_ns)[len(lates) // 2]


def _host_finding(host: str, lates: Sequence[Late]) -> Finding:
    ranks = tuple(late.rank for late in lates)
    middle = _typical(lates)
    waited = max(late.waited_ns for late in lates)
    place = f"{host} (all {len(ranks)} ranks: {_groups.rank_text(ranks)})"
    effect = f"the others wait for {place}, {ms(waited)} in all" if waited else f"{place} takes longer"
    sentence = f"{effect}: {_why(middle, 'on other hosts')} ({_steps_text(middle)})"
    return Finding("host", sentence, ranks, (host,), middle.cause, max(map(_cost, lates)), middle.in_range)


def pattern_of(name: str) -> str:
    """What a range with this name does, if pauses often come from it; empty unknown."""
    return next((pattern for pattern, words in PATTERNS if re.search(words, name, re.IGNORECASE)), "")


def _rhythm(steps: Sequence[int]) -> str:
    """``every 50 steps`` where pauses are evenly spaced."""
    gaps = {b - a for a, b in zip(steps, steps[1:])}
    return f", every {gaps.pop()} steps" if len(steps) > 2 and len(gaps) == 1 else ""


def _pauses_finding(lates: Sequence[Late], ranks: int) -> Finding:
    """Stalls of many ranks, each when it likes: whoever stalls holds up all."""
    names = [late.in_range for late in lates]
    name = statistics.mode(names)
    name = name if names.count(name) >= SAME_RANGE * len(names) else ""
    pattern = f" ({pattern_of(name)})" if pattern_of(name) else ""
    where = f" in range '{name}'{pattern}" if name else ""
    steps = sorted({step for late in lates for step in late.steps})
    count = sum(late.hit for late in lates)
    mean = sum(late.excess_ns * late.hit for late in lates) / count
    who = "all ranks" if len(lates) == ranks else f"{len(lates)} of {ranks} ranks"
    waited = sum(late.waited_ns for late in lates)
    cost = f"; the others wait {ms(waited)} in all" if waited else ""
    sentence = f"on {who}: {count} pauses of {ms(mean)} each in {len(steps)} of {lates[0].total} steps{_rhythm(steps)}: {lates[0].cause}{where}{cost}"
    return Finding("pauses", sentence, tuple(sorted(late.rank for late in lates)), (), lates[0].cause, max(waited, mean * count / ranks), name)


def _stage_finding(number: int, late: Late, pipelines: _pipeline.Pipelines) -> Finding:
    ranks = pipelines.stages()[number]
    sentence = (
        f"the others wait for stage {number} of the pipeline ({_groups.ranks_text(ranks)}): "
        f"{_why(late, 'on most ranks')}{_pipeline.waits_text(pipelines, ranks, late.total)}"
    )
    return Finding("stage", sentence, ranks, (), late.cause, _cost(late), late.in_range)


def find_faults(late: Lateness, hosts: Dict[int, str], pipelines: _pipeline.Pipelines) -> List[Finding]:
    """`hosts`: the host of each rank."""
    findings = [_stage_finding(number, middle, pipelines) for number, middle in late.stages]
    stalls: Dict[str, List[Late]] = {}
    for one in late.ranks:
        if one.steps:
            stalls.setdefault(one.cause, []).append(one)
    told: Set[int] = set()
    for lates in stalls.values():
        named = {pattern_of(one.in_range) for one in lates}
        many = 2 if len(named) == 1 and "" not in named else max(MANY, ALL_RANKS * len(hosts))
        if len(lates) >= many and len({one.steps for one in lates}) > 1:
            findings.append(_pauses_finding(lates, len(hosts)))
            told |= set(map(id, lates))
    groups: Dict[Tuple[str, str, Tuple[int, ...]], List[Late]] = {}
    for one in late.ranks:
        if id(one) not in told:
            groups.setdefault((one.cause, one.in_range, one.steps), []).append(one)
    for lates in groups.values():
        for host, of_host in _of_hosts(lates, hosts):
            findings.append(_host_finding(host, of_host))
            told |= set(map(id, of_host))
    return findings + [_rank_finding(one, hosts, pipelines) for one in late.ranks if id(one) not in told]
