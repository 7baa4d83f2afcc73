"""The table of averages and events. A test checks that the layout equals that of export/write/reports/averages_table.c.

Rows are in torch.profiler's order. The table has the columns that torch.profiler's has.
"""

from __future__ import annotations

import operator
import unicodedata
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _times
from ._lazy_list import LazyList, Rearranged
from ._source_paths import is_place

_WIDTH = 12
UNLIMITED = 4096
"""The width of a column without a limit: names have no more bytes."""

_SORTS: Dict[str, Tuple[str, ...]] = {
    "name": ("key",),
    "self_cpu": ("self_cpu_total", "self_cpu_time_total", "self_cpu_total_ns", "self_cpu_percent"),
    "cpu_total": ("cpu_time_total", "cpu_total_ns", "cpu_total_percent"),
    "cpu_avg": ("cpu_time", "cpu_time_avg"),
    "self_cuda": (
        "self_cuda_total", "self_cuda_time_total", "self_cuda_total_ns", "self_cuda_percent",
        "self_device_time_total", "self_device", "self_xpu_time_total", "self_privateuse1_time_total",
    ),
    "cuda_total": (
        "cuda_time_total", "cuda_total_ns", "device_time_total", "device_total", "xpu_time_total",
        "privateuse1_time_total",
    ),
    "cuda_avg": (
        "cuda_time", "cuda_time_avg", "device_time", "device_time_avg", "xpu_time", "privateuse1_time",
    ),
    "count": ("calls",),
    "cpu_memory": ("cpu_memory_usage",),
    "self_cpu_memory": ("self_cpu_memory_usage",),
    "cuda_memory": ("cuda_memory_usage", "device_memory_usage", "xpu_memory_usage"),
    "self_cuda_memory": ("self_cuda_memory_usage", "self_device_memory_usage", "self_xpu_memory_usage"),
    "flops": ("total_flops",),
}  # fmt: skip


def _ns(event: Any, exact: str, rounded: str) -> float:
    """Averages know nanoseconds; events have microseconds."""
    known: Optional[float] = getattr(event, exact, None)
    return known if known is not None else 1000 * float(getattr(event, rounded))


def _per_call(total_ns: float, event: Any) -> float:
    return total_ns / event.outer_count if event.outer_count else 0.0


_VALUES: Dict[str, Callable[[Any], Any]] = {
    "self_cpu": lambda e: _ns(e, "self_cpu_total_ns", "self_cpu_time_total"),
    "cpu_total": lambda e: _ns(e, "cpu_total_ns", "cpu_time_total"),
    "cpu_avg": lambda e: _per_call(_VALUES["cpu_total"](e), e),
    "self_cuda": lambda e: _ns(e, "self_cuda_total_ns", "self_device_time_total"),
    "cuda_total": lambda e: _ns(e, "cuda_total_ns", "device_time_total"),
    "cuda_avg": lambda e: _per_call(_VALUES["cuda_total"](e), e),
    "count": lambda e: e.count,
    "cpu_memory": lambda e: e.cpu_memory_usage,
    "self_cpu_memory": lambda e: e.self_cpu_memory_usage,
    "cuda_memory": lambda e: e.device_memory_usage,
    "self_cuda_memory": lambda e: e.self_device_memory_usage,
    "flops": lambda e: e.flops or 0,
}


class Layout(NamedTuple):
    """What is shown, and how."""

    device: bool = False
    memory: bool = False
    flops: bool = False
    shapes: bool = False
    stack: bool = False
    header: Optional[str] = None
    top_level_events_only: bool = False
    time_unit: Optional[str] = None
    name_width: int = 55
    shapes_width: int = 80
    stack_width: int = 75


def canonical_sort(sort_by: str) -> str:
    """profdump's name of a column; ValueError that names them where there is none."""
    for name, others in _SORTS.items():
        if sort_by == name or sort_by in others:
            return name
    known = ", ".join(
        [*_SORTS, *(other for others in _SORTS.values() for other in others if "time" in other)]
    )
    raise ValueError(f"sort_by: unknown column {sort_by!r}; known: {known}")


def _reader(column: str) -> Callable[[Any], Any]:
    return _VALUES.get(column) or operator.attrgetter(column)


def values_of(events: Sequence[Any], column: str) -> Sequence[Any]:
    """A column, or an attribute, of all events. Makes no elements of a list that knows the column without them."""
    maker = events.maker if isinstance(events, LazyList) else None
    found = maker.values(column, _reader(column)) if maker is not None else None
    return found if found is not None else list(map(_reader(column), events))


def sort_events(events: Sequence[Any], column: str) -> List[Any]:
    """Sorts descending (names ascending). Ties keep their order."""
    maker, field = events.maker if isinstance(events, LazyList) else None, "key" if column == "name" else column
    values = maker.values(field, _reader(field)) if maker is not None else None
    if maker is not None and values is not None:
        order = sorted(range(len(values)), key=values.__getitem__, reverse=column != "name")
        return LazyList[Any].of(Rearranged(maker, order))
    if column == "name":
        return sorted(events, key=lambda event: str(event.key))
    return sorted(events, key=lambda event: _VALUES[column](event) or 0, reverse=True)


def _piece(character: str) -> str:
    """A character, or what is shown for one that would begin a line, command a terminal or turn the text
    around.
    """
    if character in "\n\t":
        return "\\n" if character == "\n" else "\\t"
    code = ord(character)
    if code < 0x20 or 0x7F <= code < 0xA0 or unicodedata.bidirectional(character) in _TURNING:
        return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"
    return character


_TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


def _cut(text: str, columns: int) -> Tuple[str, bool]:
    """What of it fits, and whether anything did not. A character is a column, an escape is kept or left
    whole.
    """
    if text.isascii() and text.isprintable():
        return text[:columns], len(text) > columns
    kept = ""
    for character in text:
        piece = _piece(character)
        if len(kept) + len(piece) > columns:
            return kept, True
        kept += piece
    return kept, False


def _name_text(name: str, limit: int) -> str:
    """Cut as torch.profiler does: a name that would come within three characters of the limit. Of a path, the end stays."""
    if "(" in name and is_place(name):
        return _frame_text(name, limit)
    kept, rest = _cut(name, limit - 3)
    return kept + "..." if rest or len(kept) == limit - 3 else kept


def _group_text(text: str, limit: int) -> str:
    kept, rest = _cut(text, limit)
    return _cut(text, limit - 3)[0] + "..." if rest else kept


def _frame_text(text: str, limit: int) -> str:
    """Cut as torch.profiler does: of a path, the end stays."""
    kept = _cut(text, 2 * UNLIMITED)[0]
    return kept if len(kept) <= limit else "..." + kept[len(kept) - max(limit - 3, 0) :]


class _Texts(Dict[Any, str]):
    """Texts of values, right-aligned in a column. Values recur, but few are kept: a table may have a million."""

    def __init__(self, text: Callable[[Any], str]) -> None:
        super().__init__()
        self._text = text

    def __missing__(self, value: Any) -> str:
        if len(self) >= _TEXTS_KEPT:
            self.clear()
        text = self[value] = self._text(value).rjust(_WIDTH)
        return text


_TEXTS_KEPT = 65536


class _Rows:
    def __init__(self, events: Sequence[Any], all_events: Sequence[Any], layout: Layout) -> None:
        self.events, self.all_events, self.layout = events, all_events, layout
        self.cpu_ns = sum(values_of(all_events, "self_cpu"))
        self.cuda_ns = device_total_ns(all_events) if layout.device else 0.0
        self.flops_title, self.flops_scale = _times.flops_unit(
            min((e.flops for e in all_events if e.flops), default=0) if layout.flops else 0
        )
        times, counts = _Texts(lambda ns: _times.ns_text(ns, layout.time_unit)), _Texts(str)
        cpu_shares = _Texts(lambda ns: _times.share_text(ns, self.cpu_ns))
        cuda_shares = _Texts(lambda ns: _times.share_text(ns, self.cuda_ns))
        self.columns = [
            ("Self CPU %", "self_cpu", cpu_shares), ("Self CPU", "self_cpu", times), ("CPU total %", "cpu_total", cpu_shares),
            ("CPU total", "cpu_total", times), ("CPU time avg", "cpu_avg", times),
        ]  # fmt: skip
        if layout.device:
            self.columns += [
                ("Self CUDA", "self_cuda", times), ("Self CUDA %", "self_cuda", cuda_shares), ("CUDA total", "cuda_total", times),
                ("CUDA time avg", "cuda_avg", times),
            ]  # fmt: skip
        if layout.memory:
            on_device = any(event.device_memory_usage != 0 for event in all_events)
            sizes = _Texts(lambda size: "--" if size is None else _times.bytes_text(size))
            self.columns += [(title, column, sizes) for title, column in (_MEMORY if on_device else _MEMORY[:2])]
        self.columns.append(("# of Calls", "count", counts))
        self.keys = values_of(events, "key")
        longest = max([4, *(len(_cut(key, layout.name_width)[0]) for key in self.keys)])
        self.name_width = min(longest + 4, layout.name_width)
        has_overloads = any(values_of(events, "overload_name"))
        self.overloads = self._group(has_overloads, "Overload Name", lambda e: e.overload_name, layout.name_width)
        has_shapes = layout.shapes and any(_shapes_text(event) != "[]" for event in all_events)
        self.shapes = self._group(has_shapes, "Input Shapes", _shapes_text, layout.shapes_width)
        has_flops = layout.flops and any(event.flops for event in all_events)
        self.flops = [self._flops_text(event) for event in events] if has_flops else []
        self.flops_width = max(_WIDTH, len(self.flops_title)) if has_flops else 0
        has_stacks = layout.stack and any(event.stack for event in all_events)
        self.stacks = [[_frame_text(one, layout.stack_width) for one in event.stack] for event in events] if has_stacks else []
        longest_frame = max((len(one) for stack in self.stacks for one in stack), default=0)
        self.stack_width = max(_WIDTH, len(_STACK_TITLE), longest_frame) if has_stacks else 0

    def _flops_text(self, event: Any) -> str:
        return f"{event.flops / self.flops_scale:.3f}" if event.flops else "--"

    def _group(
        self, wanted: bool, title: str, text: Callable[[Any], str], limit: int
    ) -> Tuple[str, List[str], int]:
        texts = [_group_text(text(event), limit) for event in self.events] if wanted else []
        longest = max(map(len, texts), default=0) + 4
        return title, texts, max(_WIDTH, len(title), min(longest, limit)) if wanted else 0

    def _rule(self) -> str:
        widths = [self.name_width, *([self.overloads[2]] if self.overloads[2] else []), *[_WIDTH] * len(self.columns)]
        last = (self.shapes[2], self.flops_width, self.stack_width)
        return "  ".join("-" * width for width in [*widths, *filter(None, last)])

    def _cells(self, name: str, overload: str, cells: Sequence[str], shapes: str, flops: str, stack: str) -> List[str]:
        """A line's texts. Those in `cells` are aligned already."""
        line = [name.rjust(self.name_width), *([overload.rjust(self.overloads[2])] if self.overloads[2] else []), *cells]
        if self.shapes[2]:
            line.append(shapes.rjust(self.shapes[2]))
        if self.flops_width:
            line.append(flops.rjust(self.flops_width))
        if self.stack_width:
            line.append(stack)
        return line

    def lines(self) -> List[str]:
        rule = self._rule()
        titles = self._cells(
            "Name", self.overloads[0], [title.rjust(_WIDTH) for title, *_ in self.columns], self.shapes[0], self.flops_title, _STACK_TITLE
        )
        lines = ["=" * len(rule), _cut(self.layout.header, 400)[0]] if self.layout.header else []
        lines += [rule, "  ".join(titles).rstrip(), rule]
        columns = [map(texts.__getitem__, values_of(self.events, column)) for _, column, texts in self.columns]
        width, limit = self.name_width, self.layout.name_width
        if not (self.overloads[2] or self.shapes[2] or self.flops_width or self.stack_width):  # a table of many rows
            names = (_name_text(key, limit).rjust(width) for key in self.keys)
            return [*lines, *map("  ".join, zip(names, *columns)), rule]
        for at, (key, *cells) in enumerate(zip(self.keys, *columns)):
            shapes = self.shapes[1][at] if self.shapes[2] else ""
            first, *frames = (self.stacks[at] if self.stacks else None) or [""]
            overload = self.overloads[1][at] if self.overloads[2] else ""
            name, flops = _name_text(key, limit), self.flops[at] if self.flops else ""
            lines.append("  ".join(self._cells(name, overload, cells, shapes, flops, first)).rstrip())
            if self.stack_width:
                indent = " " * (len(rule) - self.stack_width)
                lines += [*(indent + frame for frame in frames), ""]
        return [*lines, rule]


_STACK_TITLE = "Source Location"
_MEMORY = (
    ("CPU Mem", "cpu_memory"), ("Self CPU Mem", "self_cpu_memory"),
    ("CUDA Mem", "cuda_memory"), ("Self CUDA Mem", "self_cuda_memory"),
)  # fmt: skip


def _shapes_text(event: Any) -> str:
    return getattr(event, "shape_text", None) or str(event.input_shapes or [])


def device_total_ns(events: Sequence[Any]) -> float:
    """Self time of device operations: each of them is in it once."""
    return float(sum(ns for ns, is_on_cpu in zip(values_of(events, "self_cuda"), values_of(events, "is_on_cpu")) if not is_on_cpu))


_NESTED_SHOWN = 4


def _nested_lines(shown: Sequence[Any]) -> List[str]:
    """Which names have calls in calls of the same name."""
    columns = (values_of(shown, column) for column in ("key", "outer_count", "count"))
    nested = [row for row in zip(*columns) if row[1] != row[2]]
    if not nested:
        return []
    texts = [f"{_group_text(str(key), 40)} {outer} of {count}" for key, outer, count in nested[:_NESTED_SHOWN]]
    more = f" and {len(nested) - _NESTED_SHOWN} more" if len(nested) > _NESTED_SHOWN else ""
    return [f"Totals and averages of outermost calls only: {', '.join(texts)}{more}"]


def table_text(events: Sequence[Any], row_limit: int, layout: Layout, of: Optional[Sequence[Any]] = None) -> str:
    """The table of the first `row_limit` events (-1: all), with the totals of all events in `of`."""
    shown = events if row_limit < 0 else events[:row_limit]
    rows = _Rows(shown, events if of is None else of, layout)
    lines = rows.lines()
    if len(shown) < len(events):
        lines.append(f"{len(shown)} of {len(events)} rows")
    if layout.top_level_events_only:
        lines.append("Top-level events only; the totals include all events")
    lines += _nested_lines(shown)
    lines.append(f"Self CPU time total: {_times.ns_text(rows.cpu_ns, layout.time_unit)}")
    if layout.device:
        lines.append(f"Self CUDA time total: {_times.ns_text(rows.cuda_ns, layout.time_unit)}")
    return "\n".join(lines) + "\n"


_NO_NOTES = ("Ledger: nothing lost", "GPU mode: none", "libprof cost ")


def notes_of(text: str) -> str:
    """profdump's notes below the totals of a table, such as lost records. Omits notes that report no problem."""
    lines = text.splitlines()
    totals = max(at for at, line in enumerate(lines) if " time total: " in line)
    return "".join(f"{line}\n" for line in lines[totals + 1 :] if not line.startswith(_NO_NOTES))
