"""Attempts of a job: a restarted job has recordings of the same ranks twice, one after the other."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ..errors import ProfError

ALL = "all"
COLUMNS = "recording, rank, rank_known, host, pid, start, duration_ns, job, process_start"
"""Columns of the table ranks that distinguish attempts."""
RESTARTS = re.compile(r" (?:requeue|restart) \d+(?: restart \d+)?$")
"""The counts in a value of `job`. What comes before them is the id."""


@dataclass(frozen=True)
class Attempts:
    """`of`: the attempt of each recording, from 1. `shown`: the one that reports cover; 0: all. `count`: how many there are.
    `ranks`: how many recorded, by attempt."""

    of: Dict[int, int]
    count: int = 1
    shown: int = 0
    ranks: Mapping[int, int] = field(default_factory=dict)

    def hidden(self) -> List[int]:
        """Recordings that reports leave out."""
        return sorted(one for one, attempt in self.of.items() if self.shown and attempt != self.shown)


@dataclass(frozen=True)
class _Run:
    """A process that recorded for a rank: `rank` is that and whether it is known."""

    rank: Tuple[bool, int]
    process: Tuple[Any, Any]
    process_start_ns: int
    start_ns: int
    end_ns: int
    job: str

    def is_later_than(self, other: _Run) -> bool:
        """A rank does not record twice in one attempt, unless both recordings are of one process, or run at the same time. Containers
        give a process the number of the one before. Times are of different hosts, but a restart takes longer than their clocks differ."""
        is_other = self.process != other.process or self.process_start_ns >= other.end_ns or self.job != other.job
        return is_other and self.start_ns >= other.end_ns


@dataclass
class _Attempt:
    number: int
    id: str
    jobs: Set[str]
    end_ns: int
    last: Dict[Tuple[bool, int], _Run]
    """The run of each rank that ended last."""

    def takes(self, run: _Run) -> bool:
        """Whether the run may be of this attempt."""
        other = self.last.get(run.rank)
        same_job = not self.id or not run.job or self.id == _id(run.job)
        return same_job and not (other and run.rank[0] and run.is_later_than(other))

    def add(self, run: _Run) -> None:
        self.id = self.id or _id(run.job)
        self.jobs.add(run.job)
        self.end_ns = max(self.end_ns, run.end_ns)
        self.last[run.rank] = max(run, self.last.get(run.rank, run), key=lambda one: one.end_ns)


def _id(job: str) -> str:
    return RESTARTS.sub("", job)


def _attempt_of(run: _Run, attempts: List[_Attempt]) -> Optional[_Attempt]:
    """The last attempt with runs of the same counts or at the same time, if it takes the run, else a later one. Hosts of one attempt may
    have different counts: torchrun does not count restarts that another host caused. None: the run begins another attempt."""
    like = [attempt for attempt in attempts if run.job in attempt.jobs or not run.job or run.start_ns < attempt.end_ns]
    if like and like[-1].takes(run):
        return like[-1]
    together = [attempt for attempt in like if run.start_ns < attempt.end_ns and attempt.takes(run)]
    if together:
        return together[-1]
    return attempts[-1] if like and attempts[-1].takes(run) else None


def find_attempts(rows: Sequence[Tuple[Any, ...]]) -> Attempts:
    """`rows`: COLUMNS of all recordings. Another id of the job or count of restarts begins an attempt; within one, times decide."""
    of: Dict[int, int] = {}
    attempts: List[_Attempt] = []
    for recording, rank, known, host, pid, start_ns, duration_ns, job, process_start_ns in sorted(
        rows, key=lambda row: (row[5] or 0, row[1], row[0] or 0)
    ):
        if recording is None:  # an older libprof packed it
            continue
        start_ns = int(start_ns or 0)
        run = _Run((bool(known), rank), (host, pid), int(process_start_ns or 0), start_ns, start_ns + int(duration_ns or 0), job or "")
        attempt = attempts[of[recording] - 1] if recording in of else _attempt_of(run, attempts)
        if attempt is None:
            attempt = _Attempt(len(attempts) + 1, "", set(), 0, {})
            attempts.append(attempt)
        attempt.add(run)
        of[recording] = attempt.number
    return Attempts(of, len(attempts) or 1, ranks={attempt.number: len(attempt.last) for attempt in attempts})


def _last_whole(attempts: Attempts) -> int:
    """The last attempt. A process that a rank left behind, or another program, may record later than the job: what has fewer than half
    of the ranks of the attempt before is not what a report is wanted of."""
    last = attempts.count
    while last > 1 and 2 * attempts.ranks.get(last, 0) < attempts.ranks.get(last - 1, 0):
        last -= 1
    return last


def choose(attempts: Attempts, wanted: str) -> Attempts:
    """`wanted`: a number, "all", or "" for the last attempt that is not much smaller than the one before. :class:`ProfError` if there is
    no such attempt."""
    if wanted == ALL or (attempts.count == 1 and wanted in ("", "1")):
        return attempts
    if not wanted:
        return replace(attempts, shown=_last_whole(attempts))
    if not wanted.isdecimal() or not 1 <= int(wanted) <= attempts.count:
        raise ProfError(f"--attempt {wanted}: the dataset has {attempts.count} attempt{'s' if attempts.count > 1 else ''}")
    return replace(attempts, shown=int(wanted))


def number_sql(attempts: Attempts) -> str:
    """An expression for the attempt of a row of ranks."""
    if attempts.count == 1:
        return "1"
    members: Dict[int, Set[int]] = {}
    for recording, attempt in attempts.of.items():
        members.setdefault(attempt, set()).add(recording)
    cases = (f"WHEN recording IN ({', '.join(map(str, sorted(some)))}) THEN {attempt}" for attempt, some in sorted(members.items()))
    return f"CASE {' '.join(cases)} END"


def condition_sql(attempts: Attempts) -> str:
    """A condition on rows of any table with recordings; empty if all rows count."""
    hidden = attempts.hidden()
    return f"(recording IS NULL OR recording NOT IN ({', '.join(map(str, hidden))}))" if hidden else ""
