"""Slow links: communicators and pairs of ranks whose transfers take longer than those of others like them."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Dict, FrozenSet, List, Sequence, Set, Tuple

from . import _clocks, _groups, _pipeline
from ._engine import records, sql_text
from ._faults import Finding, listed, ms
from ._limits import Limits


@dataclass(frozen=True)
class _Transfer:
    """A communicator, or a `pair` of ranks. Those of one `like` should be equally fast: they send as much between as many ranks, on as
    many hosts. `ns`: mean of so many."""

    like: Tuple[Any, ...]
    ns: float
    count: int
    hosts: FrozenSet[str]
    ranks: Tuple[int, ...]
    pair: bool = False


def _transfers(engine: Any, pipelines: _pipeline.Pipelines) -> List[_Transfer]:
    ranks: Dict[int, List[int]] = {}
    hosts: Dict[int, Set[str]] = {}
    host_of = dict(engine.run(_clocks.HOST_OF_RANK)[1])
    for communicator, rank in engine.run("SELECT DISTINCT communicator, rank FROM collectives ORDER BY rank")[1]:
        ranks.setdefault(communicator, []).append(rank)
        hosts.setdefault(communicator, set()).add(host_of.get(rank) or "")
    found = []
    for row in records(engine, sql_text("collectives")):
        communicator = row["communicator"]
        if communicator is None or row["ranks"] < 2 or row["transfer_ns"] is None:
            continue
        like = (row["function"], row["ranks"], row["bytes"], len(hosts[communicator]))
        count = int(row["collectives"]) - int(row["not_completed"])
        found.append(_Transfer(like, float(row["transfer_ns"]), count, frozenset(hosts[communicator]), tuple(ranks[communicator])))
    for link in pipelines.links:
        like = ("pair", link.bytes, len(set(link.hosts)))
        found.append(_Transfer(like, float(link.transfer_ns), link.sends, frozenset(link.hosts), (link.sender, link.receiver), True))
    return found


def _usual(transfers: Sequence[_Transfer]) -> float:
    """The median of the faster half."""
    return statistics.median(sorted(transfer.ns for transfer in transfers)[: (len(transfers) + 1) // 2])


def slow_links(engine: Any, pipelines: _pipeline.Pipelines, limits: Limits) -> List[Finding]:
    """Hosts that all slow transfers have in common and no other has; else the ranks that they are between."""
    alike: Dict[Tuple[Any, ...], List[_Transfer]] = {}
    for transfer in _transfers(engine, pipelines):
        alike.setdefault(transfer.like, []).append(transfer)
    slow: List[_Transfer] = []
    fine: List[_Transfer] = []
    ratio = cost = 0.0
    for transfers in alike.values():
        usual = _usual(transfers)
        behind = [transfer for transfer in transfers if transfer.ns > limits.slow_transfer * usual]
        if behind:  # otherwise nothing tells whether all of them are slow or none
            slow += behind
            fine += [transfer for transfer in transfers if transfer not in behind]
            ratio = max(ratio, *(transfer.ns / max(1.0, usual) for transfer in behind))
            cost += max((transfer.ns - usual) * transfer.count for transfer in behind)
    if not slow or cost < limits.least_share * _time_of_steps(engine):
        return []
    where, ranks, hosts = _where(slow, fine, pipelines)
    sentence = f"transfers {where} take up to {ratio:.1f} times as long as others of the same size, {ms(cost)} longer in all"
    return [Finding("link", sentence, ranks, hosts, "", cost)]


def _time_of_steps(engine: Any) -> float:
    """Of one rank, in nanoseconds."""
    ((ns,),) = engine.run("SELECT median(ns) FROM (SELECT rank, sum(duration_ns) AS ns FROM steps GROUP BY rank) AS s")[1]
    return float(ns or 0)


def _where(slow: Sequence[_Transfer], fine: Sequence[_Transfer], pipelines: _pipeline.Pipelines) -> Tuple[str, Tuple[int, ...], Tuple[str, ...]]:
    """Words for the place, its ranks where they are part of hosts, and its hosts where all transfers of these are slow."""
    hosts = tuple(sorted(frozenset.intersection(*(one.hosts for one in slow)) - {host for one in fine for host in one.hosts}))
    ranks = tuple(sorted({rank for one in slow for rank in one.ranks}))
    if all(one.pair for one in slow):
        return _between([one.ranks for one in slow], pipelines.stage_of()), ranks, hosts
    sets = sorted({one.ranks for one in slow})
    if hosts and len(sets) > 1:
        return f"on {listed(hosts)}", (), hosts
    common = set(sets[0]).intersection(*sets) - {rank for one in fine for rank in one.ranks if one.like in {two.like for two in slow}}
    if len(sets) > 1 and common:
        return f"of {_groups.ranks_text(sorted(common))} with others", tuple(sorted(common)), hosts
    of_hosts = sorted({host for one in slow for host in one.hosts})
    place = f"inside {of_hosts[0] or 'a host'}" if len(of_hosts) == 1 else f"across {listed(of_hosts)}"
    return f"between {' and between '.join(map(_groups.ranks_text, sets[:4]))}{' and others' if len(sets) > 4 else ''}, {place},", ranks, hosts


def _between(pairs: Sequence[Tuple[int, ...]], stage_of: Dict[int, int]) -> str:
    hops = sorted({tuple(sorted(stage_of.get(rank, -1) for rank in pair)) for pair in pairs})
    if len(hops) == 1 and min(hops[0]) >= 0:
        return f"between stages {hops[0][0]} and {hops[0][1]} of the pipeline"
    return "between ranks " + listed(sorted({f"{min(pair)} and {max(pair)}" for pair in pairs}))
