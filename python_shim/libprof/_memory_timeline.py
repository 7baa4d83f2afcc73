"""torch.profiler's files of memory over time: bytes in use, or each allocation.

PyTorch's own code finds out which tensors are parameters, gradients or activations. _kineto.py supplies its input. If the
profile did not record this input, all memory is uncategorized.
"""

from __future__ import annotations

import gzip
import importlib
import json
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ._arrow import ArrowTable
from ._output import replacing
from ._recording import Recording

_CATEGORIES = 8  # torch.profiler's; the last one is none of the others
_NO_CATEGORY = 7
_CREATED, _DESTROYED = 2, 4
_HOST = "PyTorch CPU"


class _Change(NamedTuple):
    time_ns: int
    bytes: int


def _changes(table: Dict[str, List[Any]], device: str) -> List[_Change]:
    """Allocations and frees of one device ("cpu", "cuda", "cuda:N")."""
    memory = [row for row, kind in enumerate(table.get("kind", [])) if kind == "memory"]
    on_device = [row for row in memory if table["name"][row] == "device"]
    if device == "cpu":
        chosen = [row for row in memory if table["name"][row] == _HOST]
    else:
        number = int(device.partition(":")[2] or 0)
        chosen = [row for row in on_device if table["device"][row] == number]
    return [_Change(table["time"][row], table["bytes"][row]) for row in chosen]


def _in_use(changes: List[_Change]) -> Tuple[List[int], List[List[int]]]:
    """Microseconds, and for each of them bytes by category, after a column of zeros as torch.profiler writes it."""
    times: List[int] = []
    sizes: List[List[int]] = []
    total = 0
    for change in changes:
        total += change.bytes
        time_us = change.time_ns // 1000
        if not times or times[-1] != time_us:
            times.append(time_us)
            sizes.append([0] * (_CATEGORIES + 1))
        sizes[-1][_NO_CATEGORY + 1] = total
    return times, sizes


def _each(changes: List[_Change]) -> List[Tuple[int, int, int, int]]:
    """Nanoseconds, action, bytes and category."""
    return [
        (change.time_ns, _CREATED if change.bytes >= 0 else _DESTROYED, abs(change.bytes), _NO_CATEGORY) for change in changes
    ]


def _default_device(changes: Dict[str, List[Any]]) -> str:
    """Device 0 if anything was allocated there, else the host."""
    memory = zip(changes.get("kind", []), changes.get("name", []))
    return "cuda:0" if any(kind == "memory" and name == "device" for kind, name in memory) else "cpu"


def _categorized(profile: Any, device: str, raw: bool) -> bytes:
    """The file that PyTorch writes from its ``MemoryProfile``."""
    timeline = importlib.import_module(type(profile).__module__).MemoryProfileTimeline(profile)
    if not raw:
        return json.dumps(timeline._coalesce_timeline(device)).encode()
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        timeline.export_memory_timeline_raw(file.name, device)
        return file.read()


def write(recording: Recording, path: str, device: Optional[str], profile: Any = None) -> None:
    """Writes bytes in use, or each allocation to .raw.json.gz. Compresses .gz files. `profile`: PyTorch's analysis, if any."""
    table, raw = recording.table(ArrowTable.COUNTERS), path.endswith(".raw.json.gz")
    device = device or _default_device(table)
    if profile is not None:
        text = _categorized(profile, device, raw)
    else:
        changes = _changes(table, device)
        text = json.dumps(_each(changes) if raw else _in_use(changes)).encode()
    with replacing(path, recording.paths) as file:
        file.write(gzip.compress(text) if path.endswith(".gz") else text)
