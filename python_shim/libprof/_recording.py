"""A recording that a profile asks again and again: the part of a trace between two moments, and what was
answered.
"""

from __future__ import annotations

import array
import json
import os
import re
import struct
import warnings
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from . import recorder
from ._arrow import ArrowTable, Column, read_tables
from ._output import replacing
from ._profdump import output_of_profdump
from .errors import ProfdumpError
from .trace import Trace, export, query_rows, window_words

ALL_MEMORY = frozenset({"cpu", "device"})
_MAGIC = b"\x89PROF\r\n\x1a"
_JSON = ("--format", "json")
_ROWS, _ROWS_END = b'\n"key_averages":[', b'],\n"kernels":['  # texts within JSON contain no line break
_ROWS_AT_ONCE = 1024
_KIND = re.compile(rb'"kind":"(\w+)"')  # quotes within texts are escaped
_empty_path: Optional[str] = None


class Window(NamedTuple):
    """From one moment to another, nanoseconds since the epoch (UTC)."""

    start_ns: int
    end_ns: int


def _empty_trace() -> str:
    """Path of an empty trace, which is removed when this process exits."""
    global _empty_path
    if _empty_path is None or not os.path.exists(_empty_path):  # it may be a parent's, which has exited
        _empty_path = os.path.join(recorder.private_directory(), "empty.json")
        with replacing(_empty_path) as file:
            file.write(b'{"traceEvents":[]}\n')
    return _empty_path


_HEADER = struct.Struct("=8s16xII32xQ")
"""The beginning of ``struct prof_file_header`` of format.h: magic, pid, parent_pid, start_realtime_ns."""


class _Process(NamedTuple):
    """The process that wrote a trace file."""

    pid: int
    parent_pid: int
    start_ns: int


def _process_of(path: str) -> Optional[_Process]:
    """None if the file is not one of libprof's, or cannot be read."""
    try:
        with open(path, "rb") as file:
            magic, *fields = _HEADER.unpack(file.read(_HEADER.size))
    except (OSError, struct.error):
        return None
    return _Process(*fields) if magic == _MAGIC else None


def children_of(path: str) -> List[str]:
    """Trace files beside `path` of processes that its process forked, and of those that these did."""
    own, ending = _process_of(path), os.path.splitext(path)[1]
    if own is None:
        return []
    with os.scandir(os.path.dirname(path) or ".") as entries:
        beside = {entry.path: _process_of(entry.path) for entry in entries if entry.name.endswith(ending)}
    others = {name: one for name, one in sorted(beside.items()) if one and one.start_ns > own.start_ns}
    family, parents = {own.pid}, [own.pid]
    while parents:
        parent = parents.pop()
        born = {one.pid for one in others.values() if one.parent_pid == parent} - family
        family |= born
        parents += born
    return [name for name, one in others.items() if one.pid in family - {own.pid}]


class Rows:
    """The rows of averages in profdump's JSON, as text: a million dictionaries would be too large. `facts` is the rest of the JSON."""

    def __init__(self, text: bytes) -> None:
        start = text.index(_ROWS) + len(_ROWS)
        end = text.index(_ROWS_END, start)
        self.facts: Dict[str, Any] = json.loads(text[:start] + text[end:])
        self._text, self._starts, self._end = text, array.array("q"), end
        at = start
        while 0 <= at < end:
            self._starts.append(at + 1)  # after the line break
            at = text.find(b",\n", at + 1, end) + 1 or end

    def __len__(self) -> int:
        return len(self._starts)

    def text(self, row: int) -> str:
        """One row, JSON."""
        return self._text[self._starts[row] : self._ends(row)].decode(errors="replace")

    def _ends(self, row: int) -> int:
        return self._starts[row + 1] - 2 if row + 1 < len(self._starts) else self._end

    def kinds(self) -> Set[str]:
        """Kinds of rows. In each row, the kind follows the name."""
        found = _KIND.finditer(self._text, self._starts[0], self._end) if self._starts else iter(())
        return {kind.decode() for kind in {one[1] for one in found}}

    def has(self, key: str) -> bool:
        """Whether any row has this key. Quotes within texts are escaped."""
        return bool(self._starts) and self._text.find(f'"{key}":'.encode(), self._starts[0], self._end) >= 0

    def have(self, key: str) -> bool:
        """Whether all rows have this key, for keys that either all rows have or none."""
        return bool(self._starts) and f'"{key}":' in self.text(0)

    def chunks(self) -> Iterator[Tuple[str, int]]:
        """All rows, some at a time: their text, separated by commas, and how many they are."""
        for first in range(0, len(self), _ROWS_AT_ONCE):
            end = min(first + _ROWS_AT_ONCE, len(self))
            yield self._text[self._starts[first] : self._ends(end - 1)].decode(errors="replace"), end - first


class Recording:
    """Files of one timeline, none where nothing was recorded; ``window`` None is all of it.

    Runs profdump once for each question. If nothing was recorded, the answers are those about an empty trace, and a
    warning says ``why_empty``, once. ``known_memory``: "cpu" and "device" where all allocators were seen, so that 0 is 0.
    ``off``: activity types that results omit during an interval, in nanoseconds since the epoch.
    ``tasks``: which of asyncio's tasks ran when, from _tasks.py.
    ``use_device``: the kind of device that was profiled, if any. Operations on CUDA devices are included in any case.
    ``seen``: creates _tensors.py's record of tensors and allocations.
    """

    def __init__(
        self,
        paths: Sequence[str],
        window: Optional[Window] = None,
        why_empty: str = "there was no range, call, mark or counter value during this profile",
        known_memory: FrozenSet[str] = ALL_MEMORY,
        off: Sequence[Tuple[FrozenSet[str], int, int]] = (),
        with_flops: bool = True,
        with_memory: bool = False,
        use_device: Optional[str] = "cuda",
        tasks: Sequence[Any] = (),
        seen: Optional[Callable[[], Any]] = None,
    ) -> None:
        self.paths = list(paths)
        self.known_memory, self.off, self.seen = known_memory, off, seen
        self.with_flops, self.with_memory, self.use_device = with_flops, with_memory, use_device
        self.tasks = list(tasks)
        self.window = window if paths else None
        self._why_empty: Optional[str] = why_empty
        self._answers: Dict[Tuple[str, ...], bytes] = {}
        self._made: Dict[str, Any] = {}

    def __getstate__(self) -> Dict[str, Any]:
        """For pickle and copy: omits cached results, and what only this process has recorded about tensors."""
        return {**self.__dict__, "_made": {}, "seen": None}

    def _run(self, *words: str) -> bytes:
        """Runs profdump on the recording. If the file has no time in the window, the recording is empty from then on."""
        if self.paths:
            try:
                return output_of_profdump([*words, *window_words(self.window), "--", *self.paths])
            except ProfdumpError as error:
                if "there is no time between" not in str(error):
                    raise
                self.paths, self.window = [], None
        return output_of_profdump([*words, "--", _empty_trace()])

    @property
    def trace(self) -> Trace:
        """The recording for everything else that profdump can do, with what forked children recorded."""
        self._answer(*_JSON)
        children = children_of(self.paths[0]) if self.paths and self.window else []
        return Trace(*(self.paths or [_empty_trace()]), *children, window=self.window)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was recorded, or nothing in the window."""
        return bool(self.once("empty", self._holds_nothing))

    def _holds_nothing(self) -> bool:
        return not len(self.rows()) and not any(any(self.table(one).values()) for one in (ArrowTable.COUNTERS, ArrowTable.FUNCTIONS))

    def warn_if_empty(self, stacklevel: int) -> None:
        """A RuntimeWarning, the first time, if nothing was recorded."""
        if self._why_empty and self.is_empty:
            why, self._why_empty = self._why_empty, None
            warnings.warn(f"nothing was recorded: {why}", RuntimeWarning, stacklevel=stacklevel)

    def _answer(self, *arguments: str) -> bytes:
        if arguments not in self._answers:
            self._answers[arguments] = self._run(*arguments)
        return self._answers[arguments]

    def ask(self, *arguments: str) -> str:
        """What profdump prints with these arguments about this recording."""
        return self._answer(*arguments).decode(errors="replace")

    def facts(self, *arguments: str) -> Dict[str, Any]:
        """profdump's JSON."""
        facts: Dict[str, Any] = json.loads(self.ask(*_JSON, *arguments))
        return facts

    def rows(self, *arguments: str) -> Rows:
        """The rows of averages in the same JSON, and the rest of it."""
        rows: Rows = self.once(" ".join(("rows", *arguments)), lambda: Rows(self._answer(*_JSON, *arguments)))
        return rows

    def query(self, sql: str) -> List[Dict[str, Any]]:
        """The rows that an SQL statement about the recording returns."""
        return query_rows(sql, self.window, self.paths)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What `make` makes, the first time."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def columns(self, *tables: ArrowTable) -> List[Dict[str, Column]]:
        """Tables of prof/arrow.h; empty ones where nothing was recorded."""
        self._answer(*_JSON)  # which finds out whether the window is empty
        return read_tables(self.paths, tables, self.window) if self.paths else [{} for _ in tables]

    def table(self, table: ArrowTable) -> Dict[str, List[Any]]:
        """One table, as lists of Python values."""
        (columns,) = self.columns(table)
        return {name: column.list() for name, column in columns.items()}

    def export(self, path: str, kind: Optional[str], *words: str) -> None:
        """Writes the recording in one of profdump's formats (None: by the ending of `path`). Also keeps the facts, so that the
        file is read only once. `words` are more options for profdump.
        """
        self._answers[_JSON] = export(lambda *all_words: self._run(*all_words).decode(errors="replace"), path, kind, *_JSON, *words).encode()

    def export_text(self, path: str, *arguments: str) -> None:
        """Writes what profdump prints with these arguments."""
        text = self.ask(*arguments)
        with replacing(path, self.paths) as file:
            file.write(text.encode())


def table_of(text: str) -> str:
    """A table as profdump prints it, without the summary of the run above it, except the recorder's notes."""
    summary, _, table = text.partition("\n\n")
    if not table:
        return text
    return table + "".join(f"{line}\n" for line in summary.splitlines() if line.startswith("Note:"))
