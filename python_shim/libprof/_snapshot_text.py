"""A memory snapshot as text and as JSON, in the words of ``profdump memory``."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Optional, Sequence

from ._snapshot import Action, Allocation, Device, MemorySnapshot, Moment, OutOfMemory, Owner, Segment, Stack, owners
from ._times import bytes_text, printable, us_text

FRAMES_SHOWN = 4
_NO_STACK = "(no stack recorded)"
_EARLIER = "(allocated before the history begins)"
_OF_TORCH = re.compile(r"-packages[/\\]torch(_npu)?[/\\]")
_OF_WINDOWS = re.compile(r"[A-Za-z]:[/\\]|\\\\|[^/]*$")  # how a path begins whose parts '\' separates, too


def device_name(device: Device) -> str:
    """ "cuda:0"; "device 0" if the snapshot does not say what type of device it is."""
    return f"{device.type}:{device.index}" if device.type else f"device {device.index}"


def memory_name(device: Device) -> str:
    """As the live recording calls what PyTorch hands out."""
    return f"PyTorch {device_name(device)}"


def _is_python(frame: str) -> bool:
    return ".py:" in frame or frame.startswith("<")


def own_frames(stack: Stack) -> List[str]:
    """Functions of the program; of PyTorch or of C++ only where there are no others."""
    python = [frame for frame in stack if _is_python(frame)] or list(stack)
    return [frame for frame in python if not _OF_TORCH.search(frame)] or python


def short_frame(frame: str) -> str:
    """Without the directories."""
    place, _, name = frame.rpartition(" ")
    file = re.split(r"[/\\]" if _OF_WINDOWS.match(place) else "/", place)[-1]
    return f"{file} {name}" if place else name


def _stack_text(stack: Stack, if_empty: str) -> str:
    frames = [short_frame(frame) for frame in own_frames(stack)]
    more = " < ..." if len(frames) > FRAMES_SHOWN else ""
    return " < ".join(frames[:FRAMES_SHOWN]) + more if frames else if_empty


def _columns(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> List[str]:
    widths = [max(map(len, column)) for column in zip(titles, *rows)]
    return ["   ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in [titles, *rows]]


def _shown(count: int, rows: int) -> int:
    return count if rows < 0 else min(rows, count)


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _owner_text(owner: Owner) -> str:
    return _stack_text(owner.stack, _EARLIER if owner.is_older else _NO_STACK)


def _owner_lines(allocations: Iterable[Allocation], rows: int) -> List[str]:
    listed = owners(allocations)
    shown = _shown(len(listed), rows)
    lines = [f"  {bytes_text(one.size):>12}  {one.count:>8}  {_owner_text(one)}" for one in listed[:shown]]
    if shown < len(listed):
        rest = sum(one.size for one in listed[shown:])
        lines.append(f"  {bytes_text(rest):>12}            in {_plural(len(listed) - shown, 'more stack')}")
    return lines


def _after(device: Device, time_us: Optional[int]) -> str:
    """Since the history begins; nothing where PyTorch (up to 2.1) recorded no times."""
    begin_us = device.history[0].time_us
    return f" after {us_text(time_us - begin_us)}" if time_us is not None and begin_us is not None else ""


def _device_row(device: Device) -> List[str]:
    sizes = (device.reserved, device.allocated, device.requested, device.pending, device.free, device.largest_free)
    return [memory_name(device), str(len(device.segments)), *map(bytes_text, sizes)]


def _segment_row(segment: Segment) -> List[str]:
    sizes = (segment.size, segment.allocated, segment.pending, segment.free, segment.largest_free)
    pool = "" if segment.pool == (0, 0) else ",".join(map(str, segment.pool))
    kind = f"{segment.kind}, expandable" if segment.is_expandable else segment.kind
    return [f"{segment.address:#x}", *map(bytes_text, sizes), str(len(segment.blocks)), str(segment.stream), pool, kind]


_DEVICE_TITLES = ("Memory", "Segments", "Reserved", "Allocated", "Requested", "Pending", "Free", "Largest free")
_SEGMENT_TITLES = ("Segment", "Size", "Allocated", "Pending", "Free", "Largest free", "Blocks", "Stream", "Pool", "Kind")


def _segment_lines(device: Device, rows: int) -> List[str]:
    segments = sorted(device.segments, key=lambda segment: (-segment.size, segment.address))
    shown = _shown(len(segments), rows)
    titles, table = list(_SEGMENT_TITLES), [_segment_row(segment) for segment in segments[:shown]]
    if all(segment.pool == (0, 0) for segment in segments):
        at = titles.index("Pool")
        titles, table = titles[:at] + titles[at + 1 :], [row[:at] + row[at + 1 :] for row in table]
    lines = ["", f"Segments of {memory_name(device)}:", *_columns(titles, table)]
    return lines + ([f"{shown} of {len(segments)} segments, the largest first"] if shown < len(segments) else [])


def _peak_lines(device: Device, moment: Moment, rows: int) -> List[str]:
    title = f"Peak of {memory_name(device)}{_after(device, moment.time_us)}: {bytes_text(moment.requested)} requested"
    return ["", f"{title}, {bytes_text(moment.reserved)} reserved. Owners:", *_owner_lines(moment.alive, rows)]


def _out_of_memory_lines(device: Device, event: OutOfMemory, moment: Moment, rows: int) -> List[str]:
    return [
        "",
        f"Out of memory on {memory_name(device)}{_after(device, event.time_us)}: {bytes_text(event.wanted)} requested by "
        f"{_stack_text(event.stack, _NO_STACK)}",
        f"  Device memory free: {bytes_text(event.device_free)}. Reserved: {bytes_text(moment.reserved)}, of which "
        f"{bytes_text(moment.requested)} requested; largest free block {bytes_text(moment.largest_free)}. Live allocations:",
        *_owner_lines(moment.alive, rows),
    ]


def _all_out_of_memory_lines(device: Device, rows: int) -> List[str]:
    lines: List[str] = []
    left_out = sum(event.moment is None for event in device.out_of_memory)
    for event in device.out_of_memory:
        if event.moment:
            lines += _out_of_memory_lines(device, event, event.moment, rows)
        elif left_out:
            lines += ["", f"Out of memory {left_out:,} more times on {memory_name(device)}, without what was alive then"]
            left_out = 0
    return lines


def _device_lines(device: Device, rows: int) -> List[str]:
    lines = _segment_lines(device, rows) if device.segments else []
    if device.peak:
        lines += _peak_lines(device, device.peak, rows)
    lines += _all_out_of_memory_lines(device, rows)
    alive = device.alive
    if alive:
        title = f"Alive at the snapshot: {_plural(len(alive), 'allocation')}, {bytes_text(device.requested)} requested"
        lines += ["", title, *_owner_lines(alive, rows)]
    if device.unexplained:
        lines += ["", f"The history is incomplete: it does not match the segments for {_plural(device.unexplained, 'allocation')}"]
    return lines


def _span(history: Sequence[Action]) -> str:
    begin_us, end_us = history[0].time_us, history[-1].time_us
    if begin_us is None or end_us is None:
        return ", which have no times"
    return f" in {us_text(end_us - begin_us)}"


def _history_text(snapshot: MemorySnapshot) -> str:
    actions = sum(len(device.history) for device in snapshot.devices)
    if not actions:
        return "without a history: torch.cuda.memory._record_memory_history() records one"
    longest = max((device.history for device in snapshot.devices), key=len)
    return f"{_plural(actions, 'action')} of the allocator{_span(longest)}"


def snapshot_text(snapshot: MemorySnapshot, rows: int) -> str:
    """All of it; `rows` of each list (-1: all)."""
    lines = [f"Memory snapshot: {snapshot.name or 'of this process'}, {_history_text(snapshot)}"]
    configured = snapshot.settings.get("PYTORCH_CUDA_ALLOC_CONF")
    lines += [f"Allocator settings: {configured}"] if configured else []
    if not snapshot.devices:
        return "\n".join([*map(printable, lines), "No device had memory", ""])
    lines += ["", *_columns(_DEVICE_TITLES, [_device_row(device) for device in snapshot.devices])]
    for device in snapshot.devices:
        lines += _device_lines(device, rows)
    return "\n".join([*map(printable, lines), ""])


# ---- JSON ----


def _owner_facts(allocations: Iterable[Allocation], rows: int) -> List[Dict[str, Any]]:
    listed = owners(allocations)
    return [
        {"bytes": one.size, "count": one.count, "stack": list(one.stack), "before_history": one.is_older}
        for one in listed[: _shown(len(listed), rows)]
    ]


def _moment_facts(moment: Optional[Moment], rows: int) -> Optional[Dict[str, Any]]:
    if moment is None:
        return None
    return {
        "time_us": moment.time_us,
        "requested_bytes": moment.requested,
        "reserved_bytes": moment.reserved,
        "largest_free_bytes": moment.largest_free,
        "owners": _owner_facts(moment.alive, rows),
    }


def _segment_facts(segment: Segment) -> Dict[str, Any]:
    return {
        "address": segment.address,
        "size_bytes": segment.size,
        "allocated_bytes": segment.allocated,
        "pending_bytes": segment.pending,
        "requested_bytes": segment.requested,
        "free_bytes": segment.free,
        "largest_free_bytes": segment.largest_free,
        "blocks": len(segment.blocks),
        "stream": segment.stream,
        "pool": list(segment.pool),
        "kind": segment.kind,
        "expandable": segment.is_expandable,
    }


def _device_facts(device: Device, rows: int) -> Dict[str, Any]:
    return {
        "device": device.index,
        "type": device.type or None,
        "reserved_bytes": device.reserved,
        "allocated_bytes": device.allocated,
        "requested_bytes": device.requested,
        "pending_bytes": device.pending,
        "free_bytes": device.free,
        "largest_free_bytes": device.largest_free,
        "peak_reserved_bytes": device.peak_reserved,
        "actions": len(device.history),
        "contradictions": device.unexplained,
        "segments": list(map(_segment_facts, device.segments)),
        "peak": _moment_facts(device.peak, rows),
        "out_of_memory": [
            {
                "wanted_bytes": event.wanted,
                "device_free_bytes": event.device_free,
                "stack": list(event.stack),
                "time_us": event.time_us,
                **(_moment_facts(event.moment, rows) or {}),
            }
            for event in device.out_of_memory
        ],
        "alive": _owner_facts(device.alive, rows),
    }


def snapshot_facts(snapshot: MemorySnapshot, rows: int) -> Dict[str, Any]:
    """All of it; `rows` of each list of owners (-1: all)."""
    return {"settings": snapshot.settings, "devices": [_device_facts(device, rows) for device in snapshot.devices]}
