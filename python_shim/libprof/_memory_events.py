"""Allocations and frees of PyTorch's allocators outside all ranges: torch.profiler's "[memory]" events."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ._recording import Recording
from .averages import FunctionEventAvg
from .errors import ProfdumpError
from .events import FunctionEvent

NAME, KIND = "[memory]", "memory"
_SQL = """
    WITH parts AS (SELECT start AS time, bytes, device, thread FROM allocations WHERE slice IS NULL AND name LIKE 'PyTorch %'
                   UNION ALL SELECT "end", -bytes, device, thread FROM allocations
                   WHERE end_slice IS NULL AND "end" IS NOT NULL AND name LIKE 'PyTorch %')
    SELECT time, time + (SELECT value FROM meta WHERE name = 'base_utc_ns') AS utc_ns, bytes, device, threads.tid AS tid,
           threads.pid AS pid FROM parts LEFT JOIN threads ON threads.id = thread ORDER BY time
"""


def _changes(recording: Recording) -> List[Dict[str, Any]]:
    """In the order of time."""
    if not recording.with_memory or recording.is_empty:
        return []
    rows: List[Dict[str, Any]] = recording.once(KIND, lambda: _queried(recording))
    return rows


def _queried(recording: Recording) -> List[Dict[str, Any]]:
    """None where profdump was built without SQLite: results lack these rows alone."""
    try:
        return recording.query(_SQL)
    except ProfdumpError as error:
        if "built without libsqlite3" not in str(error):
            raise
        return []


def memory_events(recording: Recording, base_ns: int, first_id: int) -> List[FunctionEvent]:
    """Events without duration, numbered from `first_id` on; microseconds since `base_ns`."""
    events = []
    for number, change in enumerate(_changes(recording), first_id):
        at_us = (change["utc_ns"] - base_ns) / 1000
        event = FunctionEvent(number, NAME, change["tid"] or 0, at_us, at_us, kind=KIND)
        event.start_ns, event.pid, event.trace_name = change["utc_ns"], change["pid"] or 0, None
        on_device = change["device"] is not None
        event.cpu_memory_usage = _known(0 if on_device else change["bytes"], "cpu", recording)
        event.device_memory_usage = _known(change["bytes"] if on_device else 0, "device", recording)
        events.append(event)
    return events


def _known(size: int, side: str, recording: Recording) -> Optional[int]:
    return size if side in recording.known_memory else None


def memory_average(recording: Recording) -> Optional[FunctionEventAvg]:
    """The sum of all; None if there are none."""
    changes = _changes(recording)
    if not changes:
        return None
    average = FunctionEventAvg()
    for event in memory_events(recording, 0, 0):
        average.add(event)
    average.first_ns = changes[0]["time"]
    return average
