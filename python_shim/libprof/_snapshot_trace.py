"""The history of a memory snapshot as a Chrome trace, which profdump reads and writes in every format.

Each allocation is a "[memory]" instant, as in torch.profiler's traces, inside of slices for the functions of its stack: so
reports of memory say which function owns it. Segments are memory of the device, blocks memory of PyTorch's allocator.
The slices last nanoseconds. Where several actions have the same microsecond, or no time, they follow each other.
"""

from __future__ import annotations

import json
import os
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

from ._output import replacing
from ._profdump import run_profdump
from ._snapshot import MAPPING, UNMAPPING, Action, Device, MemorySnapshot, Stack
from ._snapshot_text import device_name, memory_name, own_frames, short_frame
from .errors import ProfError

_PROCESS = 1
_NS_PER_US = 1000
_RESERVED, _HANDED_OUT = False, True
_DEVICE_TYPES = {"cuda": 1, "xpu": 12}  # c10::DeviceType
_OTHER_DEVICE = 20
Change = Tuple[bool, int, int]
"""Memory that is handed out or only reserved, its address, and bytes: negative if it is given back."""


class _Writer:
    """Events of one device, which is a thread of the trace."""

    def __init__(self, device: Device) -> None:
        self._device, self._row = device, {"pid": _PROCESS, "tid": device.index + 1}
        self._mapped = device.begin[1].copy()
        self._free_ns = 0  # from when on nothing is written yet

    def _changes(self, action: Action) -> List[Change]:
        """A part of a segment that is unmapped leaves the rest of it, as another allocation."""
        begin, end = action.address, action.address + action.size
        if action.action == "alloc":
            return [(_HANDED_OUT, begin, action.size)]
        if action.action == "free_requested":
            return [(_HANDED_OUT, begin, -action.size)]
        if action.action in MAPPING:
            self._mapped.add(begin, end)
            return [(_RESERVED, begin, action.size)]
        if action.action not in UNMAPPING:
            return []
        touched, rest = self._mapped.remove(begin, end)
        return [(_RESERVED, low, low - high) for low, high in touched] + [(_RESERVED, low, high - low) for low, high in rest]

    def _slices(self, stack: Stack, start_ns: int) -> Iterator[Dict[str, Any]]:
        """Nested ones, the outermost first, a nanosecond shorter on each side than the one around it."""
        for depth, frame in enumerate(reversed(stack)):
            times = {"ts": (start_ns + depth) / _NS_PER_US, "dur": 2 * (len(stack) - depth) / _NS_PER_US}
            yield {"ph": "X", "cat": "user_annotation", "name": short_frame(frame), **self._row, **times}

    def _instant(self, name: str, category: str, time_ns: int) -> Dict[str, Any]:
        return {"ph": "i", "s": "t", "cat": category, "name": name, **self._row, "ts": time_ns / _NS_PER_US}

    def _write(self, time_ns: int, stack: Stack, changes: Sequence[Change]) -> Iterator[Dict[str, Any]]:
        own = tuple(own_frames(stack))
        start_ns = max(time_ns, self._free_ns)
        self._free_ns = start_ns + 2 * len(own) + 1
        if changes:
            yield from self._slices(own, start_ns)
        for is_handed_out, address, size in changes:
            device_type = _DEVICE_TYPES.get(self._device.type, _OTHER_DEVICE)
            arguments = {"Device Type": device_type, "Device Id": self._device.index, "Addr": address, "Bytes": size}
            name = {"allocator": memory_name(self._device)} if is_handed_out else {}
            event = self._instant("[memory]", "cpu_instant_event", start_ns + len(own))
            yield {**event, "args": {**arguments, **name}}

    def _at_begin(self) -> Iterator[Dict[str, Any]]:
        alive, mapped = self._device.begin
        for begin, end in mapped:
            yield from self._write(0, (), [(_RESERVED, begin, end - begin)])
        for one in alive.values():
            yield from self._write(0, one.stack, [(_HANDED_OUT, one.address, one.size)])

    def events(self, base_us: int) -> Iterator[Dict[str, Any]]:
        """All of them, in order."""
        yield {"ph": "M", "name": "thread_name", **self._row, "args": {"name": memory_name(self._device)}}
        yield from self._at_begin()
        for action in self._device.history:
            time_ns = self._free_ns if action.time_us is None else _NS_PER_US * (action.time_us - base_us)
            if action.action == "oom":
                name = f"out of memory on {device_name(self._device)}: {action.size} bytes wanted, {action.address} free on the device"
                yield self._instant(name, "user_annotation", max(time_ns, self._free_ns))
            yield from self._write(time_ns, action.stack, self._changes(action))


def _lines(snapshot: MemorySnapshot) -> Iterator[str]:
    """The trace's lines. All events at once would take more memory than the snapshot, and a stack makes many."""
    histories = [device.history for device in snapshot.devices if device.history]
    if not histories:
        raise ProfError(f"{snapshot.name or 'the snapshot'} has no history to write: it has only segments")
    times = (action.time_us for history in histories for action in history[:1] if action.time_us is not None)
    base_us = min(times, default=0)
    name = "PyTorch's allocator" if snapshot.has_times else "PyTorch's allocator (order of its actions, without times)"
    process = {"ph": "M", "name": "process_name", "pid": _PROCESS, "args": {"name": name}}
    yield f'{{"schemaVersion":1,"baseTimeNanoseconds":{1000 * base_us},"displayTimeUnit":"ms","traceEvents":[\n'
    yield json.dumps(process)
    for device in snapshot.devices:
        for event in _Writer(device).events(base_us):
            yield ",\n" + json.dumps(event)
    yield "\n]}\n"


def export(snapshot: MemorySnapshot, path: str, format: Optional[str]) -> None:
    """See :meth:`libprof.MemorySnapshot.export`."""
    with tempfile.TemporaryDirectory(prefix="libprof-") as directory:
        trace = os.path.join(directory, "snapshot.json")
        with replacing(trace) as file:
            file.writelines(line.encode() for line in _lines(snapshot))
        run_profdump(["-o", path, *(["--to", format] if format else []), trace])
