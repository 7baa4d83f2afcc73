"""Which ranks share a communicator. A group is a set of ranks; what it is used for (tensor or data parallelism) is not
recorded, so a group is named by its members alone. Pipelines show themselves by their sends and receives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence, Set, Tuple

from . import _pipeline, _unknown
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
    kind: str = "group"

    def name(self) -> str:
        """``group of 4: 0-3``, ``pipeline of 2: 0,4``"""
        return f"{self.kind} of {len(self.ranks)}: {rank_text(self.ranks)}"


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


def ranks_text(ranks: Sequence[int]) -> str:
    """``rank 5`` or ``ranks 0-3``"""
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {rank_text(ranks)}"


def _places(engine: Any) -> Dict[int, Tuple[str, Any]]:
    """Host and local rank of each rank."""
    rows = engine.run("SELECT rank, min(host), min(local_rank) FROM ranks GROUP BY rank")[1]
    return {rank: (host or "", local) for rank, host, local in rows}


def find_groups(engine: Any, pipelines: _pipeline.Pipelines) -> List[Group]:
    """The groups of a job, the largest first. Communicators of a pipeline's neighbours that only send count as the pipeline's."""
    members: Dict[int, List[int]] = {}
    sums: Dict[int, Tuple[int, int, int]] = {}
    _, rows = engine.run(
        "SELECT communicator, rank, count(*) AS n, count(sequence) AS ordered, "
        "sum(CASE WHEN coalesce(group_place, 0) = 0 THEN duration_ns END) AS ns FROM collectives "
        "WHERE communicator IS NOT NULL GROUP BY communicator, rank ORDER BY communicator, rank"
    )
    for communicator, rank, count, ordered, ns in rows:
        members.setdefault(communicator, []).append(rank)
        most, some, total = sums.get(communicator, (0, 0, 0))
        sums[communicator] = (max(most, int(count)), some + int(ordered), total + int(ns or 0))
    places = _places(engine)
    line_of = {rank: line for line in pipelines.pipelines for rank in line}
    groups: Dict[Tuple[str, Tuple[int, ...]], Group] = {}
    for communicator, ranks in members.items():
        line = line_of.get(ranks[0], ())
        kind = "pipeline" if sums[communicator][1] == 0 and set(ranks) <= set(line) else "group"
        key = (kind, line if kind == "pipeline" else tuple(ranks))
        group = groups.setdefault(key, Group(key[1], len({places.get(rank, ("", None))[0] for rank in key[1]}), set(), kind=kind))
        group.communicators.add(communicator)
        group.collectives += sums[communicator][0]
        group.time_ns += sums[communicator][2]
    return sorted(groups.values(), key=lambda group: (-len(group.ranks), group.ranks, group.kind))


def group_rows(engine: Any) -> Rows:
    """A row for each group."""
    columns = ["group", "ranks", "hosts", "scope", "communicators", "collectives", "time_ns"]
    rows: List[Tuple[Any, ...]] = []
    for g in find_groups(engine, _pipeline.find_pipelines(engine)):
        scope = "across hosts" if g.hosts > 1 else "inside a host"
        rows.append((g.name(), len(g.ranks), g.hosts, scope, len(g.communicators), g.collectives, g.time_ns))
    return columns, _unknown.named_rows(engine, columns, rows)


def label(engine: Any, report: str, columns: List[str], rows: Sequence[Tuple[Any, ...]]) -> Rows:
    """Adds host, GPU, stage and groups to the rows of reports by rank, and the group to those by communicator; names unknown ranks."""
    columns, labelled = _label(engine, report, columns, rows)
    return columns, _unknown.named_rows(engine, columns, labelled) if report else labelled


def _label(engine: Any, report: str, columns: List[str], rows: Sequence[Tuple[Any, ...]]) -> Rows:
    if report not in (*LABELLED, "collectives"):
        return columns, list(rows)
    pipelines = _pipeline.find_pipelines(engine)
    groups = find_groups(engine, pipelines)
    if report == "collectives":
        names = {communicator: group.name() for group in groups for communicator in group.communicators}
        at = columns.index("communicator")
        return [*columns, "group"], [(*row, names.get(row[at])) for row in rows]
    places = _places(engine)
    of_rank: Dict[int, List[str]] = {}
    for group in groups:
        for rank in group.ranks:
            of_rank.setdefault(rank, []).append(group.name())
    has_host, stages = "host" in columns, pipelines.stage_of()
    has_waits = report == "stragglers" and bool(pipelines.links)
    of_links: Dict[int, List[_pipeline.Link]] = {}
    for link in pipelines.links:
        of_links.setdefault(link.sender, []).append(link)
        of_links.setdefault(link.receiver, []).append(link)
    added: List[Tuple[Any, ...]] = []
    for row in rows:
        rank = row[columns.index("rank")]
        host, gpu = places.get(rank, ("", None))
        waits = (sum(_pipeline.waited_for(of_links.get(rank, ()), [rank]).values()),) if has_waits else ()
        where = (*waits, *(() if has_host else (host,)), gpu, *((stages.get(rank),) if stages else ()))
        added.append((*row, *where, "; ".join(of_rank.get(rank, ())) or None))
    waits_column = ("caused_in_sends_ns",) if has_waits else ()
    return [*columns, *waits_column, *(() if has_host else ("host",)), "gpu", *(("stage",) if stages else ()), "groups"], added
