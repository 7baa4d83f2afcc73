"""Which ranks share a communicator. A group is a set of ranks; what it is used for (tensor, pipeline or data parallelism)
is not recorded, so a group is named by its members alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence, Set, Tuple

from ._engine import Rows

LABELLED = ("stragglers", "breakdown")
"""Reports that get the place of each rank."""


@dataclass
class Group:
    """Ranks that share communicators. `ranks`: those that called a collective on one of them."""

    ranks: Tuple[int, ...]
    hosts: int
    communicators: Set[int]
    collectives: int = 0
    time_ns: int = 0

    def name(self) -> str:
        """``group of 4: 0-3``"""
        return f"group of {len(self.ranks)}: {rank_text(self.ranks)}"


def rank_text(ranks: Sequence[int]) -> str:
    """Sorted ranks, shortened: ``0-3``, ``0-12 step 4``, ``0,1,5``."""
    if len(ranks) > 2:
        stride = ranks[1] - ranks[0]
        if stride > 0 and all(b - a == stride for a, b in zip(ranks, ranks[1:])):
            return f"{ranks[0]}-{ranks[-1]}" + (f" step {stride}" if stride > 1 else "")
    runs: List[List[int]] = []
    for rank in ranks:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs)


def _places(engine: Any) -> Dict[int, Tuple[str, Any]]:
    """Host and local rank of each rank."""
    rows = engine.run("SELECT rank, min(host), min(local_rank) FROM ranks GROUP BY rank")[1]
    return {rank: (host or "", local) for rank, host, local in rows}


def find_groups(engine: Any) -> List[Group]:
    """The groups of a job, the largest first."""
    members: Dict[int, List[int]] = {}
    sums: Dict[int, Tuple[int, int]] = {}
    _, rows = engine.run(
        "SELECT communicator, rank, count(*) AS n, sum(duration_ns) AS ns FROM collectives "
        "WHERE communicator IS NOT NULL GROUP BY communicator, rank ORDER BY communicator, rank"
    )
    for communicator, rank, count, ns in rows:
        members.setdefault(communicator, []).append(rank)
        most, total = sums.get(communicator, (0, 0))
        sums[communicator] = (max(most, int(count)), total + int(ns or 0))
    places = _places(engine)
    groups: Dict[Tuple[int, ...], Group] = {}
    for communicator, ranks in members.items():
        group = groups.setdefault(tuple(ranks), Group(tuple(ranks), len({places.get(rank, ("", None))[0] for rank in ranks}), set()))
        group.communicators.add(communicator)
        group.collectives += sums[communicator][0]
        group.time_ns += sums[communicator][1]
    return sorted(groups.values(), key=lambda group: (-len(group.ranks), group.ranks))


def group_rows(engine: Any) -> Rows:
    """A row for each group."""
    columns = ["group", "ranks", "hosts", "scope", "communicators", "collectives", "time_ns"]
    rows: List[Tuple[Any, ...]] = []
    for g in find_groups(engine):
        scope = "across hosts" if g.hosts > 1 else "inside a host"
        rows.append((g.name(), len(g.ranks), g.hosts, scope, len(g.communicators), g.collectives, g.time_ns))
    return columns, rows


def label(engine: Any, report: str, columns: List[str], rows: Sequence[Tuple[Any, ...]]) -> Rows:
    """Adds host, GPU and groups to the rows of reports by rank, and the group to those by communicator."""
    groups = find_groups(engine) if report in (*LABELLED, "collectives") else []
    if report == "collectives":
        names = {communicator: group.name() for group in groups for communicator in group.communicators}
        at = columns.index("communicator")
        return [*columns, "group"], [(*row, names.get(row[at])) for row in rows]
    if report not in LABELLED:
        return columns, list(rows)
    places = _places(engine)
    of_rank: Dict[int, List[str]] = {}
    for group in groups:
        for rank in group.ranks:
            of_rank.setdefault(rank, []).append(group.name())
    has_host = "host" in columns
    added: List[Tuple[Any, ...]] = []
    for row in rows:
        rank = row[columns.index("rank")]
        host, gpu = places.get(rank, ("", None))
        added.append((*row, *(() if has_host else (host,)), gpu, "; ".join(of_rank.get(rank, ())) or None))
    return [*columns, *(() if has_host else ("host",)), "gpu", "groups"], added
