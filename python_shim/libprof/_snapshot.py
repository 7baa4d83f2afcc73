"""PyTorch's memory snapshots: what its caching allocator held at one moment, and what it had done until then.

    snapshot = libprof.memory_snapshot("snapshot.pickle")  # of torch.cuda.memory._dump_snapshot("snapshot.pickle")
    print(snapshot)                                        # segments, peak, out of memory, what was alive

Sizes are bytes, times microseconds since the epoch (UTC), None where PyTorch (up to 2.1) recorded none; stacks have the
innermost function first.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _pickles
from ._snapshot_ranges import Ranges
from .errors import ProfError

ALLOCATED, INACTIVE = "active_allocated", "inactive"
MAPPING, UNMAPPING = ("segment_alloc", "segment_map"), ("segment_free", "segment_unmap")
_CHANGES = ("alloc", "free_requested", *MAPPING, *UNMAPPING)
MOMENTS_KEPT = 20  # of the first and of the last times that memory ran out: each lists all that was alive
ROUNDED = 512  # the allocator's blocks begin at multiples of it

Stack = Tuple[str, ...]


class Block(NamedTuple):
    """A part of a segment: handed out, or free for reuse."""

    address: int
    size: int
    requested: int
    state: str  # active_allocated; inactive; another word while other streams may still use it
    stack: Stack


class Segment(NamedTuple):
    """Memory that the allocator got from CUDA. ``pool`` is (0, 0) unless it is a private pool, as of CUDA graphs."""

    device: int
    address: int
    size: int
    allocated: int
    pending: int  # freed, while other streams may still use it
    requested: int  # of what is allocated; the rest is rounding
    free: int
    largest_free: int
    stream: int
    pool: Tuple[int, ...]
    kind: str  # small or large
    is_expandable: bool
    blocks: Tuple[Block, ...]


class Action(NamedTuple):
    """What the allocator did: alloc, free_requested, free_completed, segment_alloc, segment_free, segment_map, segment_unmap,
    oom, snapshot, annotate. ``size`` is what was asked for. ``address`` of oom is what CUDA had left, in bytes.
    """

    time_us: Optional[int]
    action: str
    address: int
    size: int
    stream: int
    stack: Stack


class Allocation(NamedTuple):
    """Memory that is handed out. ``time_us`` is None if that was before the history begins, or is not known."""

    address: int
    size: int
    time_us: Optional[int]
    stack: Stack
    is_older: bool = False  # than the history, or than what it keeps


class Moment(NamedTuple):
    """A device's memory at one moment, in bytes. ``requested`` excludes rounding, as ``requested_bytes.all`` in
    torch.cuda.memory_stats(). ``largest_free`` is the largest free part of a segment.
    """

    time_us: Optional[int]
    requested: int
    reserved: int
    largest_free: int
    alive: List[Allocation]


class OutOfMemory(NamedTuple):
    """The allocator failed. ``device_free`` is what CUDA had left. ``moment`` is None where it happened very often."""

    wanted: int
    device_free: int
    stack: Stack
    moment: Optional[Moment]  # of the first and last 20
    time_us: Optional[int]


class _Stacks:
    """Frames as texts. Snapshots share lists of frames and frames, so that each is written once."""

    def __init__(self) -> None:
        self._texts: Dict[int, str] = {}
        self._stacks: Dict[int, Stack] = {}

    def _text(self, frame: Any) -> str:
        if id(frame) not in self._texts:
            line = f":{frame['line']}" if frame.get("line") else ""
            self._texts[id(frame)] = f"{frame['filename']}{line} {frame['name']}"
        return self._texts[id(frame)]

    def of(self, entry: Dict[str, Any]) -> Stack:
        """The stack of a block, a segment or an action."""
        frames = entry.get("frames")
        if frames is None and entry.get("history"):  # up to PyTorch 2.0
            frames = entry["history"][0].get("frames")
        if not frames:
            return ()
        if id(frames) not in self._stacks:
            self._stacks[id(frames)] = tuple(map(self._text, frames))
        return self._stacks[id(frames)]


def _requested(block: Dict[str, Any]) -> int:
    if block.get("history"):
        return int(block["history"][0]["real_size"])
    return int(block.get("requested_size", block["size"]))


def _blocks(segment: Dict[str, Any], stacks: _Stacks) -> Iterator[Block]:
    address = int(segment["address"])
    for block in segment["blocks"]:
        state = str(block["state"])
        requested = 0 if state == INACTIVE else _requested(block)
        yield Block(address, int(block["size"]), requested, state, stacks.of(block))
        address += int(block["size"])


def _segment(segment: Dict[str, Any], stacks: _Stacks) -> Segment:
    blocks = tuple(_blocks(segment, stacks))

    def total(is_meant: Callable[[Block], bool], size: Callable[[Block], int] = lambda block: block.size) -> int:
        return sum(size(block) for block in blocks if is_meant(block))

    return Segment(
        int(segment.get("device", 0)),
        int(segment["address"]),
        int(segment["total_size"]),
        total(lambda block: block.state == ALLOCATED),
        total(lambda block: block.state not in (ALLOCATED, INACTIVE)),
        total(lambda block: block.state == ALLOCATED, lambda block: block.requested),
        total(lambda block: block.state == INACTIVE),
        max((block.size for block in blocks if block.state == INACTIVE), default=0),
        int(segment["stream"]),
        tuple(segment.get("segment_pool_id", (0, 0))),
        str(segment.get("segment_type", "")),
        bool(segment.get("is_expandable", False)),
        blocks,
    )


def _action(entry: Dict[str, Any], stacks: _Stacks) -> Action:
    address = entry["device_free"] if entry["action"] == "oom" else entry.get("addr", 0)
    size, stream, time_us = entry.get("size", 0), entry.get("stream", 0), int(entry.get("time_us") or 0)
    return Action(time_us or None, str(entry["action"]), int(address), int(size), int(stream), stacks.of(entry))


def _summed(name: str, what: str) -> Any:
    """A number of all segments."""
    return property(lambda self: sum(getattr(segment, name) for segment in self.segments), doc=what)


class Device:
    """One device of a snapshot: its segments, and the history of what its allocator did."""

    def __init__(self, index: int, segments: Sequence[Segment], history: Sequence[Action], device_type: str = "") -> None:
        self.index, self.segments, self.history = index, list(segments), list(history)
        self.type = device_type  #: cuda, npu, xpu ... ; empty if the snapshot does not say it
        self.peak: Optional[Moment] = None  #: when most was handed out, None without a history
        self.out_of_memory: List[OutOfMemory] = []
        self.begin: Tuple[Dict[int, Allocation], Ranges] = {}, Ranges()  #: what there was when the history began
        self.peak_reserved = self.reserved
        self.unexplained = 0  #: allocations about which history and segments do not agree
        if any(action.action in _CHANGES for action in self.history):
            self._replay()

    def __repr__(self) -> str:
        return f"<libprof memory of device {self.index}: {len(self.segments)} segments, {len(self.history)} actions>"

    reserved: int = _summed("size", "What the allocator has from CUDA.")
    allocated: int = _summed("allocated", "Blocks that are handed out.")
    pending: int = _summed("pending", "Blocks that are freed, while other streams may still use them.")
    requested: int = _summed("requested", "What was asked for of what is handed out.")
    free: int = _summed("free", "Blocks that are free for reuse.")

    @property
    def largest_free(self) -> int:
        """The largest free block."""
        return max((segment.largest_free for segment in self.segments), default=0)

    @property
    def alive(self) -> List[Allocation]:
        """What is handed out at the snapshot."""
        return list(self._alive_at_end().values())

    def _alive_at_end(self) -> Dict[int, Allocation]:
        blocks = (block for segment in self.segments for block in segment.blocks if block.state == ALLOCATED)
        return {block.address: Allocation(block.address, block.requested, None, block.stack) for block in blocks}

    # ---- the history: backwards to its beginning, and forwards again ----

    def _replay(self) -> None:
        self.begin = self._at_begin()
        alive, mapped = self._begin_again()
        at, most = -1, sum(one.size for one in alive.values())
        allocated, self.peak_reserved = most, mapped.total
        for number, action in enumerate(self.history):
            allocated += _apply(action, alive, mapped)
            self.peak_reserved = max(self.peak_reserved, mapped.total)
            if allocated > most:
                at, most = number, allocated
        self._look(at)

    def _begin_again(self) -> Tuple[Dict[int, Allocation], Ranges]:
        return dict(self.begin[0]), self.begin[1].copy()

    def _at_begin(self) -> Tuple[Dict[int, Allocation], Ranges]:
        alive = self._alive_at_end()
        mapped = Ranges((segment.address, segment.address + segment.size) for segment in self.segments)
        for action in reversed(self.history):
            begin, end = action.address, action.address + action.size
            if action.action == "alloc":
                self.unexplained += alive.pop(begin, None) is None
            elif action.action == "free_requested":
                self.unexplained += begin in alive
                alive[begin] = Allocation(begin, action.size, None, (), True)
            elif action.action in MAPPING:
                mapped.remove(begin, end)
            elif action.action in UNMAPPING:
                mapped.add(begin, end, join=action.action == "segment_unmap")
        return {address: one._replace(is_older=True) for address, one in alive.items()}, mapped

    def _look(self, peak: int) -> None:
        """Goes forwards once more and keeps what was alive at the peak and where memory ran out."""
        alive, mapped = self._begin_again()
        if peak < 0:
            self.peak = _moment(self.history[0], alive, mapped)
        count = sum(action.action == "oom" for action in self.history)
        for number, action in enumerate(self.history):
            _apply(action, alive, mapped)
            if action.action == "oom":
                is_kept = not MOMENTS_KEPT <= len(self.out_of_memory) < count - MOMENTS_KEPT
                moment = _moment(action, alive, mapped) if is_kept else None
                self.out_of_memory.append(OutOfMemory(action.size, action.address, action.stack, moment, action.time_us))
            if number == peak:
                self.peak = _moment(action, alive, mapped)


def _apply(action: Action, alive: Dict[int, Allocation], mapped: Ranges) -> int:
    """Carries an action out and returns by how much the handed out memory grew."""
    kind, end = action.action, action.address + action.size
    if kind == "alloc":
        before = alive.get(action.address)
        alive[action.address] = Allocation(action.address, action.size, action.time_us, action.stack)
        return action.size - (before.size if before else 0)
    if kind == "free_requested":
        freed = alive.pop(action.address, None)
        return -freed.size if freed else 0
    if kind in MAPPING:
        mapped.add(action.address, end, join=kind == "segment_map")
    elif kind in UNMAPPING:
        mapped.remove(action.address, end)
    return 0


def _moment(action: Action, alive: Dict[int, Allocation], mapped: Ranges) -> Moment:
    allocations = list(alive.values())
    used = sorted((one.address, one.address + -(-one.size // ROUNDED) * ROUNDED) for one in allocations)
    total = sum(one.size for one in allocations)
    return Moment(action.time_us, total, mapped.total, mapped.largest_gap(used), allocations)


class MemorySnapshot:
    """A memory snapshot of PyTorch: ``devices`` that had memory, ``settings`` of the allocator, ``annotations``."""

    def __init__(self, data: Any, name: str = "") -> None:
        self.name = name
        stacks = _Stacks()
        data = {"segments": data} if isinstance(data, list) else data  # of torch.cuda.memory_snapshot()
        try:
            segments = [_segment(one, stacks) for one in data["segments"]]
            histories = [[_action(one, stacks) for one in trace] for trace in data.get("device_traces", [])]
            self.settings: Dict[str, Any] = dict(data.get("allocator_settings", {}))
            self.annotations: List[Dict[str, Any]] = [dict(one) for one in data.get("external_annotations", [])]
            device_type = _device_type(data)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
            where = f"{name}: " if name else ""
            raise ProfError(f"{where}not a memory snapshot of PyTorch: {type(error).__name__}: {error}") from error
        self.devices = _devices(segments, histories, device_type)

    @property
    def has_times(self) -> bool:
        """Whether it says when the allocator did what is in the history."""
        return any(action.time_us is not None for device in self.devices for action in device.history)

    @property
    def segments(self) -> List[Segment]:
        """Of all devices."""
        return [segment for device in self.devices for segment in device.segments]

    def __repr__(self) -> str:
        return f"<libprof.MemorySnapshot {self.name}: {len(self.segments)} segments on {len(self.devices)} devices>"

    def __str__(self) -> str:
        return self.table()

    def table(self, rows: int = 10) -> str:
        """What ``profdump snapshot`` prints, with that many rows of each list (-1: all)."""
        from ._snapshot_text import snapshot_text

        return snapshot_text(self, rows)

    def to_dict(self, rows: int = -1) -> Dict[str, Any]:
        """The members that ``profdump snapshot --format json`` prints, without those of every command."""
        from ._snapshot_text import snapshot_facts

        return snapshot_facts(self, rows)

    def export(self, path: Union[str, "os.PathLike[str]"], format: Optional[str] = None) -> None:
        """Writes the history in any format that profdump writes, by default that of the extension of `path`."""
        from ._snapshot_trace import export

        export(self, os.fspath(path), format)


# Words of names that only one type of device has. PyTorch calls AMD's devices cuda, too.
_TYPES = {"npu": r"(?<![a-z])npu", "xpu": r"(?<![a-z])xpu", "cuda": r"cuda|(?<![a-z])hip"}


def _type_in(text: str) -> str:
    return next((name for name, word in _TYPES.items() if re.search(word, text.lower())), "")


def _native_names(data: Dict[str, Any]) -> Iterator[str]:
    """C++ functions of stacks, and files of the package for NPUs: Python functions are called anything."""
    entries = [*data["segments"], *(one for segment in data["segments"] for one in segment["blocks"])]
    for entry in [*entries, *(one for trace in data.get("device_traces", []) for one in trace)]:
        for frame in entry.get("frames") or ():
            if "::" in frame["name"]:
                yield frame["name"]
            elif re.search(r"[/\\]torch_npu[/\\]", frame["filename"]):
                yield "npu"


def _device_type(data: Dict[str, Any]) -> str:
    """ "cuda", "npu" ...; empty if the snapshot does not say what type of device it is of."""
    stated = next((one["device_type"] for one in data["segments"] if "device_type" in one), data.get("device_type"))
    if stated and isinstance(stated, str):
        return stated
    settings = _type_in(" ".join(map(str, data.get("allocator_settings", {}))))
    return settings or next(filter(None, map(_type_in, _native_names(data))), "")


def _devices(segments: Sequence[Segment], histories: Sequence[Sequence[Action]], device_type: str) -> List[Device]:
    numbers = {segment.device for segment in segments} | {number for number, history in enumerate(histories) if history}
    return [
        Device(
            number,
            [segment for segment in segments if segment.device == number],
            histories[number] if number < len(histories) else [],
            device_type,
        )
        for number in sorted(numbers)
    ]


class Owner(NamedTuple):
    """Allocations of one stack. Those without a stack are apart by whether the history has them (``is_older``)."""

    stack: Stack
    size: int
    count: int
    is_older: bool


def owners(allocations: Iterable[Allocation]) -> List[Owner]:
    """The largest first."""
    sizes: Counter[Tuple[Stack, bool]] = Counter()
    counts: Counter[Tuple[Stack, bool]] = Counter()
    for one in allocations:
        key = one.stack, one.is_older and not one.stack
        sizes[key] += one.size
        counts[key] += 1
    listed = (Owner(stack, size, counts[stack, is_older], is_older) for (stack, is_older), size in sizes.items())
    return sorted(listed, key=lambda one: (-one.size, one.stack, one.is_older))


def memory_snapshot(source: Union[str, "os.PathLike[str]", Dict[str, Any], List[Any]]) -> MemorySnapshot:
    """Reads a memory snapshot of PyTorch: the file that ``torch.cuda.memory._dump_snapshot()`` wrote, the same as JSON, or
    what ``torch.cuda.memory._snapshot()`` returned. Nothing in the file is executed. :class:`ProfError` if it is something else.
    """
    if isinstance(source, (dict, list)):
        return MemorySnapshot(source)
    path = os.fspath(source)
    with open(path, "rb") as file:
        return MemorySnapshot(_pickles.load(file, path, "a memory snapshot of PyTorch"), path)
