"""Pipelines, as far as sends and receives show them: ranks in a row that send to their neighbours.

The rank numbers along a pipeline ascend with its stages, as in Megatron and DeepSpeed. A ring is a pipeline if neighbours
send in both directions, as stages that hold several pieces of the model do; otherwise it is a ring of context parallelism.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Sequence, Set, Tuple

from .._times import time_text
from ._engine import records, sql_text


@dataclass(frozen=True)
class Link:
    """What one rank sent to another. Times are sums over all sends, `transfer_ns` is the mean."""

    sender: int
    receiver: int
    hosts: Tuple[str, str]
    sends: int
    bytes: int
    transfer_ns: int
    receiver_waited_ns: int
    sender_waited_ns: int


@dataclass(frozen=True)
class Pipelines:
    """`links`: all that is known of sends and receives. `pipelines`: ranks by stage; none if there are none."""

    links: Tuple[Link, ...]
    pipelines: Tuple[Tuple[int, ...], ...]

    def stages(self) -> List[Tuple[int, ...]]:
        """The ranks of each stage."""
        longest = max(map(len, self.pipelines), default=0)
        return [tuple(sorted(line[i] for line in self.pipelines if i < len(line))) for i in range(longest)]

    def stage_of(self) -> Dict[int, int]:
        """The stage of each rank that has one."""
        return {rank: i for line in self.pipelines for i, rank in enumerate(line)}


@functools.lru_cache(maxsize=2)
def find_pipelines(engine: Any) -> Pipelines:
    """Reads sends and receives whose two ranks are known; once for each engine, of which 'diff' has two."""
    links = tuple(
        Link(
            row["sender"], row["receiver"], (row["sender_host"] or "", row["receiver_host"] or ""), int(row["sends"]),
            int(row["bytes"] or 0), int(row["transfer_ns"]), int(row["receiver_waited_ns"]), int(row["sender_waited_ns"]),
        )
        for row in records(engine, sql_text("waits"))
    )  # fmt: skip
    return Pipelines(links, tuple(_lines((link.sender, link.receiver) for link in links)))


def _lines(sends: Iterable[Tuple[int, int]]) -> List[Tuple[int, ...]]:
    arrows = set(sends)
    peers: Dict[int, Set[int]] = {}
    for a, b in arrows:
        peers.setdefault(a, set()).add(b)
        peers.setdefault(b, set()).add(a)
    lines: List[Tuple[int, ...]] = []
    seen: Set[int] = set()
    for rank in sorted(peers):
        if rank in seen:
            continue
        members = _reached(peers, rank)
        seen |= members
        is_line = sum(len(peers[member]) for member in members) == 2 * len(members) - 2
        both_ways = all((b, a) in arrows for a, b in arrows if a in members)
        if all(len(peers[member]) <= 2 for member in members) and (is_line or both_ways):
            lines.append(tuple(sorted(members)))
    return lines


def _reached(peers: Dict[int, Set[int]], rank: int) -> Set[int]:
    reached, waiting = {rank}, [rank]
    while waiting:
        for peer in peers[waiting.pop()] - reached:
            reached.add(peer)
            waiting.append(peer)
    return reached


def waited_for(links: Iterable[Link], ranks: Sequence[int]) -> Dict[int, int]:
    """How long each other rank waited for these ones in sends and receives, in nanoseconds."""
    late = set(ranks)
    waits: Dict[int, int] = {}
    for link in links:
        if link.sender in late and link.receiver not in late:
            waits[link.receiver] = waits.get(link.receiver, 0) + link.receiver_waited_ns
        if link.receiver in late and link.sender not in late:
            waits[link.sender] = waits.get(link.sender, 0) + link.sender_waited_ns
    return waits


def waits_text(pipelines: Pipelines, ranks: Sequence[int], steps: int) -> str:
    """Who waits most for these ranks in sends and receives, as the end of a sentence; empty if nobody does."""
    stage_of = pipelines.stage_of()
    sums: Dict[str, int] = {}
    for rank, ns in waited_for(pipelines.links, ranks).items():
        name = f"stage {stage_of[rank]}" if rank in stage_of else f"rank {rank}"
        sums[name] = sums.get(name, 0) + ns
    name, ns = max(sums.items(), key=lambda item: (item[1], item[0]), default=("", 0))
    each = time_text(ns / max(1, steps * len(ranks)))
    return f"; in sends and receives, bubbles included, {name} waits {each} a step for it" if ns else ""
