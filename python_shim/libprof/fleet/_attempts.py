"""Attempts of a job: a restarted job has recordings of the same ranks twice, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from ..errors import ProfError

ALL = "all"
RESTARTS = "restart "
"""A value of `job` that contains this identifies an attempt. Without it, as for two programs in one Slurm job, times decide."""
COLUMNS = "recording, rank, rank_known, host, pid, start, duration_ns, job"
"""Columns of the table ranks that distinguish attempts."""


@dataclass(frozen=True)
class Attempts:
    """`of`: the attempt of each recording, from 1. `shown`: the one that reports cover; 0: all. `count`: how many there are."""

    of: Dict[int, int]
    count: int = 1
    shown: int = 0

    def hidden(self) -> List[int]:
        """Recordings that reports leave out."""
        return sorted(one for one, attempt in self.of.items() if self.shown and attempt != self.shown)


@dataclass
class _Open:
    """The attempt that recordings are added to, in the order in which they start."""

    number: int
    job: str
    ends: Dict[Tuple[bool, int], Tuple[int, Any]]


def _begins_another(current: _Open, key: Tuple[bool, int], process: Any, start_ns: int, job: str) -> bool:
    """A rank does not record twice in one attempt, unless both recordings are of one process, or run at the same time. Times are of
    different hosts, but a restart takes longer than their clocks differ."""
    if job and current.job and job != current.job:
        return True
    if key in current.ends:
        end_ns, other = current.ends[key]
        return start_ns >= end_ns and process != other
    return False


def find_attempts(rows: Sequence[Tuple[Any, ...]]) -> Attempts:
    """`rows`: COLUMNS of all recordings. Recordings with the same id and count of restarts of a launcher are one attempt."""
    of: Dict[int, int] = {}
    current: Optional[_Open] = None
    by_job: Dict[str, int] = {}
    for recording, rank, known, host, pid, start_ns, duration_ns, job in sorted(rows, key=lambda row: (row[5] or 0, row[1], row[0] or 0)):
        if recording is None:  # an older libprof packed it
            continue
        key, process, start_ns, job = (bool(known), rank), (host, pid), int(start_ns or 0), job or ""
        if job in by_job:
            of[recording] = by_job[job]
            continue
        if current is None or (known and _begins_another(current, key, process, start_ns, job)):
            current = _Open((current.number if current else 0) + 1, job, {})
        if RESTARTS in job:
            by_job[job] = current.number
        of[recording] = current.number
        end_ns = start_ns + int(duration_ns or 0)
        current.ends[key] = max((end_ns, process), current.ends.get(key, (0, process)), key=lambda end: end[0])
    return Attempts(of, len(set(of.values())) or 1)


def choose(attempts: Attempts, wanted: str) -> Attempts:
    """`wanted`: a number, "all", or "" for the last attempt. :class:`ProfError` if there is no such attempt."""
    if attempts.count == 1 and wanted in ("", ALL, "1"):
        return attempts
    if wanted == ALL:
        return attempts
    if not wanted:
        return Attempts(attempts.of, attempts.count, attempts.count)
    if not wanted.isdecimal() or not 1 <= int(wanted) <= attempts.count:
        raise ProfError(f"--attempt {wanted}: the dataset has {attempts.count} attempt{'s' if attempts.count > 1 else ''}")
    return Attempts(attempts.of, attempts.count, int(wanted))


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
