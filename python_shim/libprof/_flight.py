"""Dumps of PyTorch's flight recorder: which rank missed which collective, whose sizes or types differ, and where each waits.

``TORCH_NCCL_DUMP_ON_TIMEOUT`` and ``torch._C._distributed_c10d._dump_fr_trace()`` write dumps, one file for each rank.
A dump is a pickle or JSON with the latest collectives of every process group. Its fields are those of PyTorch's
``torch/csrc/distributed/c10d/FlightRecorder.hpp``, versions 1.0 to 2.10. Nothing in a dump is executed.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from . import _pickles
from ._times import ranks_text

WHAT = "a dump of PyTorch's flight recorder"
_MEMBERS = (b"pg_config", b"collective_seq_id")  # one of them is in the first bytes of every dump
_HEAD_BYTES = 4096
# Calls whose sizes may differ between ranks: each rank passes its own.
_OWN_INPUTS = ("alltoall", "scatter")
_OWN_OUTPUTS = ("alltoall", "gather")
_P2P = re.compile(r"(send|recv) (\d+)(?:->|<-)(\d+)")

Group = Tuple[str, str]  # name and description


class Call(NamedTuple):
    """A collective, a send or a receive that a rank called."""

    rank: int
    group: Group
    number: int  # sequence number in its process group, separate for collectives and point-to-point calls
    name: str  # such as "all_reduce", "send 0->1"
    inputs: Tuple[Any, ...]  # sizes and types
    outputs: Tuple[Any, ...]
    state: str  # scheduled, started or completed
    is_done: bool
    is_p2p: bool
    created_ns: int
    stack: Tuple[str, ...]  # innermost first

    def form(self) -> Tuple[Any, ...]:
        """The part of a call that must be equal on all ranks."""
        kind = self.name.replace("_", "").lower()
        inputs = () if kind.startswith(_OWN_INPUTS) else self.inputs
        return self.name, inputs, () if kind.startswith(_OWN_OUTPUTS) else self.outputs


class Dump(NamedTuple):
    """A file."""

    path: str
    rank: int
    version: str
    members: Dict[Group, Set[int]]  # of the groups whose ranks it lists
    calls: List[Call]


KINDS = ("missing", "other", "lost", "stopped", "deadlock", "device", "open", "start", "different", "unmatched", "unfinished")
"""Of verdicts on recordings, then those that only dumps have, as of profdump hang --fail-on."""
RECORDED_KINDS = ("other", "stopped", "deadlock", "device", "open", "start")
"""Those that dumps cannot show."""


class Verdict(NamedTuple):
    """What is wrong: ``missing``, ``different``, ``unmatched``, ``unfinished`` or ``lost``."""

    kind: str
    ranks: List[int]  # that cause the hang
    group: Group
    number: int  # of the call; 0: none
    call: str
    waiting: List[int]  # ranks that wait in it
    at: Tuple[str, ...]  # where they called it
    last: Optional[Call]  # the last call of the first of `ranks`
    blocked: Optional[Call]  # in which the first of `ranks` waits itself
    detail: str


# ---- reading ----


def is_dump(path: Path) -> bool:
    """Whether a file looks like a dump, by its first bytes."""
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError:
        return False
    return head[:1] in (b"\x80", b"{") and any(member in head for member in _MEMBERS)


def _rank_of(path: Path, content: Dict[str, Any]) -> int:
    """The rank in the dump, else the last number in its file name: nccl_trace_rank_3, job_dump_3, rank3.json."""
    if isinstance(content.get("rank"), int):
        return int(content["rank"])
    numbers = re.findall(r"\d+", path.name.partition(".")[0])
    if not numbers:
        raise ValueError("its file name contains no rank")
    return int(numbers[-1])


def _group_of(value: Any) -> Group:
    name, description = (*value, "")[:2] if isinstance(value, (list, tuple)) else (value, "")
    return str(name), str(description)


def _call(rank: int, entry: Dict[str, Any]) -> Call:
    name = str(entry["profiling_name"]).partition(":")[2] or str(entry["profiling_name"])
    is_p2p = bool(entry.get("is_p2p"))
    number = entry["p2p_seq_id"] if is_p2p else entry.get("collective_seq_id", entry.get("seq_id", 0))
    state = str(entry.get("state", "scheduled"))
    frames = (f"{frame['filename']}:{frame['line']} {frame['name']}" for frame in entry.get("frames") or ())
    inputs, outputs = ((str(entry.get(f"{side}_sizes")), str(entry.get(f"{side}_dtypes"))) for side in ("input", "output"))
    return Call(
        rank, _group_of(entry.get("process_group", (entry.get("pg_id", 0), ""))), int(number), name, inputs, outputs, state,
        state == "completed" or bool(entry.get("retired")), is_p2p, int(entry.get("time_created_ns") or 0), tuple(frames),
    )  # fmt: skip


def _members(config: Any) -> Iterator[Tuple[Group, Set[int]]]:
    """The ranks of each process group: a list, or a list as text. Some backends do not state them."""
    for group in config.values() if isinstance(config, dict) else ():
        ranks = group.get("ranks", [])
        ranks = json.loads(ranks) if isinstance(ranks, str) and ranks else ranks
        if ranks:
            yield (str(group["name"]), str(group["desc"])), {int(rank) for rank in ranks}


def read(path: Path) -> Dump:
    """Reads a dump. ProfError if the file is damaged or not a dump."""
    with open(path, "rb") as file:
        content = _pickles.load(file, str(path), WHAT)
    try:
        rank = _rank_of(path, content)
        calls = [_call(rank, entry) for entry in content["entries"]]
        return Dump(str(path), rank, str(content.get("version", "")), dict(_members(content.get("pg_config"))), calls)
    except _pickles.DAMAGE as error:
        raise _pickles.damaged(str(path), WHAT, error) from error


# ---- judging ----

_Calls = Dict[int, Dict[int, Call]]  # by rank and number


class _Job:
    """The dumps of one job."""

    def __init__(self, dumps: Sequence[Dump]) -> None:
        self.ranks = {dump.rank for dump in dumps}
        self.members: Dict[Group, Set[int]] = defaultdict(set)
        self.collectives: Dict[Group, _Calls] = defaultdict(lambda: defaultdict(dict))
        self.p2p: Dict[Group, List[Call]] = defaultdict(list)
        for dump in dumps:
            for group, ranks in dump.members.items():
                self.members[group] |= ranks
            for call in dump.calls:
                if call.is_p2p:
                    self.p2p[call.group].append(call)
                else:
                    self.collectives[call.group][call.rank][call.number] = call
        for group, calls in self.collectives.items():
            # a default group without a list of ranks contains all ranks
            self.members[group] |= calls.keys() if self.members[group] or "default" not in group[1] else self.ranks
        self.calls = {dump.rank: dump.calls for dump in dumps}

    def blocked(self, rank: int, group: Group) -> Optional[Call]:
        """The oldest call of another group that the rank waits in."""
        waiting = [call for call in self.calls[rank] if not call.is_done and call.group != group]
        return min(waiting, key=lambda call: call.created_ns, default=None)

    def last(self, rank: int) -> Optional[Call]:
        return max(self.calls[rank], key=lambda call: call.created_ns, default=None)

    def verdict(self, kind: str, ranks: Sequence[int], call: Call, waiting: Sequence[int], detail: str = "") -> Verdict:
        first = min(ranks)
        known = first in self.ranks
        return Verdict(
            kind, sorted(ranks), call.group, call.number, call.name, sorted(waiting), call.stack,
            self.last(first) if known else None, self.blocked(first, call.group) if known else None, detail,
        )  # fmt: skip


def _missing(job: _Job, group: Group) -> Iterator[Verdict]:
    """Ranks that have not called a collective that others wait in, grouped by that call."""
    by_rank = job.collectives[group]
    waited = sorted(number for calls in by_rank.values() for number, call in calls.items() if not call.is_done)
    behind: Dict[int, List[int]] = defaultdict(list)
    for rank in job.members[group] & job.ranks if waited else ():
        # if a rank has called nothing, the others' dumps may no longer contain their first calls
        behind[max(by_rank[rank]) + 1 if rank in by_rank else waited[0]].append(rank)
    for number, ranks in sorted(behind.items()):
        waiting = [calls[number] for calls in by_rank.values() if number in calls and not calls[number].is_done]
        if waiting:
            yield job.verdict("missing", ranks, waiting[0], [call.rank for call in waiting])


def _different(job: _Job, group: Group) -> Iterator[Verdict]:
    """The first call of a group that differs between ranks. Later differences follow from it."""
    by_rank = job.collectives[group]
    for number in sorted({number for calls in by_rank.values() for number in calls}):
        calls = [calls[number] for calls in by_rank.values() if number in calls]
        forms = Counter(call.form() for call in calls)
        if len(forms) < 2:
            continue
        usual, most = forms.most_common(1)[0]
        odd = [call for call in calls if call.form() != usual] if most > 1 else calls
        expected = next(call for call in calls if call.form() == usual)
        waiting = [call.rank for call in calls if not call.is_done and call not in odd]
        texts = sorted({_shape(call) for call in odd if call is not expected})
        yield job.verdict("different", [call.rank for call in odd], expected, waiting, " and ".join(texts))
        return


def _shape(call: Call) -> str:
    sizes, types = call.inputs
    return f"{call.name} of {sizes} {types}"


def _unfinished(job: _Job, group: Group) -> Iterator[Verdict]:
    """The first call that all members entered alike, and that has not ended on all of them."""
    by_rank = job.collectives[group]
    members = job.members[group]
    for number in sorted({number for calls in by_rank.values() for number in calls}):
        calls = [calls[number] for calls in by_rank.values() if number in calls]
        open_ranks = [call.rank for call in calls if not call.is_done]
        if open_ranks and {call.rank for call in calls} == members and len({call.form() for call in calls}) == 1:
            done = sorted(members - set(open_ranks))
            yield job.verdict("unfinished", open_ranks, calls[0], open_ranks, f"{ranks_text(done)} completed it" if done else "")
            return


def _unmatched(job: _Job, group: Group) -> Iterator[Verdict]:
    """Sends without a receive, and receives without a send. Calls name ranks within the group."""
    members = sorted(job.members[group]) or sorted(job.ranks)
    pairs: Dict[Tuple[int, int], Dict[str, List[Call]]] = defaultdict(lambda: {"send": [], "recv": []})
    for call in job.p2p[group]:
        match = _P2P.match(call.name)
        if match:
            one, other = int(match[2]), int(match[3])
            pairs[(one, other) if match[1] == "send" else (other, one)][match[1]].append(call)
    for (source, target), sides in sorted(pairs.items()):
        for side, other, peer in (("send", "recv", target), ("recv", "send", source)):
            waiting = [call for call in sides[side] if not call.is_done]
            rank = members[peer] if peer < len(members) else peer
            if waiting and len(sides[other]) < len(sides[side]) and rank in job.ranks:
                call = waiting[-1]
                yield job.verdict("unmatched", [rank], call, [call.rank], other)


def judge(dumps: Sequence[Dump]) -> List[Verdict]:
    """All verdicts of a job. Ranks that do not wait in another group come first."""
    job = _Job(dumps)
    lost = sorted(set().union(*job.members.values()) - job.ranks) if job.members else []
    found: List[Verdict] = []
    for group in sorted({*job.collectives, *job.p2p}):
        here = [*_different(job, group), *_missing(job, group)]
        found += here or _unfinished(job, group)
        found += _unmatched(job, group)
    found.sort(key=lambda one: (one.blocked is not None, one.kind == "unfinished"))
    if lost:
        found.append(Verdict("lost", lost, ("", ""), 0, "", [], (), None, None, ""))
    return found


# ---- sentences ----


def _group_text(group: Group) -> str:
    return f"process group {group[1] or group[0]}" + (f" ({group[0]})" if group[1] and group[0] else "")


def call_text(call: Call) -> str:
    """A call as "all_reduce #3 of process group default_pg (0)"."""
    return f"{call.name} #{call.number} of {_group_text(call.group)}"


def sentence(verdict: Verdict) -> str:
    """The verdict as a sentence, without the place in the program."""
    who, several = ranks_text(verdict.ranks), len(verdict.ranks) > 1
    what = f"{verdict.call} #{verdict.number} of {_group_text(verdict.group)}"
    waiting = f", in which {ranks_text(verdict.waiting)} wait{'' if len(verdict.waiting) > 1 else 's'}" if verdict.waiting else ""
    has = "have" if several else "has"
    if verdict.kind == "lost":
        return f"{who}: no dump"
    if verdict.kind == "different":
        return f"{who} called {verdict.detail} as #{verdict.number} of {_group_text(verdict.group)}, others {verdict.call}{waiting}"
    if verdict.kind == "unmatched":
        return f"{who} {has} not called the {verdict.detail} of {what}{waiting}"
    if verdict.kind == "unfinished":
        return f"{what} has not ended on {who}" + (f": {verdict.detail}" if verdict.detail else ": all ranks called it")
    text = f"{who} {has} not called {what}{waiting}"
    return text + (f"; {'they wait' if several else 'it waits'} in {call_text(verdict.blocked)}" if verdict.blocked else "")
