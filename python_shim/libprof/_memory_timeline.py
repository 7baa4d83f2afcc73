"""torch.profiler's files of memory over time: bytes in use, or each allocation.

Which tensors are parameters, gradients or activations is PyTorch's own knowledge: all memory is in the column of what has
no category.
"""

from __future__ import annotations

import gzip
import json
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


def _changes(table: Dict[str, List[Any]], device: Optional[str]) -> List[_Change]:
    """Of one device ("cpu", "cuda", "cuda:N"); by default device 0 if anything was allocated there, else the host."""
    memory = [row for row, kind in enumerate(table.get("kind", [])) if kind == "memory"]
    on_device = [row for row in memory if table["name"][row] == "device"]
    device = device or ("cuda:0" if on_device else "cpu")
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


def write(recording: Recording, path: str, device: Optional[str]) -> None:
    """Bytes in use; each allocation as .raw.json.gz. Compressed if `path` ends in .gz."""
    changes = _changes(recording.table(ArrowTable.COUNTERS), device)
    text = json.dumps(_each(changes) if path.endswith(".raw.json.gz") else _in_use(changes)).encode()
    with replacing(path, recording.paths) as file:
        file.write(gzip.compress(text) if path.endswith(".gz") else text)
