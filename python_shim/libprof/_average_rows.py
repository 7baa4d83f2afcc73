"""Averages of a recording, from the rows of profdump's JSON. They are columns; a row's object is made when something reads it."""

from __future__ import annotations

import array
import copy
import functools
import json
import re
from typing import Any, Callable, Collection, Dict, Iterable, Optional, Sequence, Tuple, cast

from ._lazy_list import Maker
from ._recorded import Fields, seen_at
from ._recording import ALL_MEMORY, Rows
from ._source_paths import Shortened
from .averages import DEFAULTS, DEVICE_KINDS, MEMORY, FunctionEventAvg, kind_of

_TIMES = ("cpu_total_ns", "self_cpu_total_ns", "cuda_total_ns", "self_cuda_total_ns")
_MEMORY_COLUMNS = ("cpu_memory_bytes", "self_cpu_memory_bytes", "cuda_memory_bytes", "self_cuda_memory_bytes")  # as MEMORY
_NUMBERS = ("count", *_TIMES, "first_ns")
_COLUMNS = {
    "self_cpu": "self_cpu_total_ns", "cpu_total": "cpu_total_ns", "self_cuda": "self_cuda_total_ns", "cuda_total": "cuda_total_ns",
}  # fmt: skip

_TEXT = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_ROW = re.compile(
    rf'{{"name":{_TEXT},"kind":"(\w+)","count":(\d+),(?:"outer_count":(\d+),)?'
    + "".join(rf'"{name}":(-?\d+),' for name in _TIMES)
    + r'"first_ns":(-?\d+)'
)
"""Matches the beginning of a row, with keys in profdump's order. Parsing whole rows takes longer."""


def _in_order(row: Dict[str, Any]) -> Tuple[Any, ...]:
    """The values that _ROW captures, of a row with any order of keys."""
    name = json.dumps(row["name"])[1:-1]
    return (name, row["kind"], row["count"], row.get("outer_count"), *(row[number] for number in _NUMBERS[1:]))


class AverageRows(Maker):
    """Averages in the order of their first calls. `outside`: an additional row. `more`: fields that all rows get.
    `known_memory`: as in Recording; memory of the other sides is None.
    """

    def __init__(
        self,
        rows: Rows,
        more: Optional[Fields] = None,
        known_memory: Collection[str] = ALL_MEMORY,
        outside: Optional[FunctionEventAvg] = None,
    ) -> None:
        self._rows, self._shortened, self._more = rows, Shortened(), more or {}
        self._known_memory = known_memory
        self._shapes: Dict[Optional[str], Any] = {None: [], "": []}
        self._columns: Dict[str, Any] = {"key": [], "kind": [], **{name: array.array("q") for name in (*_NUMBERS, "outer_count")}}
        for text, count in rows.chunks():
            found = _ROW.findall(text)
            self._append(zip(*(found if len(found) == count else map(_in_order, json.loads(f"[{text}]")))))
        if outside is not None:
            for name, column in self._columns.items():
                column.append(getattr(outside, name))
        self._sort()
        super().__init__([None] * len(self._order))
        if outside is not None:
            self._made[self._order.index(len(rows))] = outside
        self.has_device = not set(DEVICE_KINDS).isdisjoint(self._columns["kind"])
        self._parsed = functools.lru_cache(maxsize=64)(lambda place: json.loads(rows.text(self._order[place])))
        self._fields = self._make_fields()

    def _append(self, values: Iterable[Sequence[Any]]) -> None:
        columns, (names, kinds, counts, outer, *times) = self._columns, values
        numbers = list(map(int, counts))
        columns["count"].extend(numbers)
        columns["outer_count"].extend([int(one or all) for one, all in zip(outer, numbers)] if any(outer) else numbers)
        for name, texts in zip(_NUMBERS[1:], times):
            columns[name].extend(map(int, texts))
        first, known = len(columns["key"]), {kind: kind_of(kind) for kind in set(kinds)}
        columns["key"] += [json.loads(f'"{name}"') if "\\" in name else name for name in names]
        columns["kind"] += map(known.__getitem__, kinds)
        if "python" in kinds:  # as in torch.profiler, device operations belong to ranges and calls
            for row in (row for row, kind in enumerate(kinds, first) if kind == "python"):
                columns["key"][row], columns["self_cuda_total_ns"][row] = self._shortened(columns["key"][row]), 0

    def _sort(self) -> None:
        firsts, totals = self._columns["first_ns"], self._columns["cpu_total_ns"]
        order = sorted(range(len(firsts)), key=firsts.__getitem__)
        if len(set(firsts)) < len(firsts):
            order = sorted(range(len(firsts)), key=totals.__getitem__, reverse=True)
            order.sort(key=firsts.__getitem__)
        self._order = array.array("I", order)
        for name, column in self._columns.items():
            values = map(column.__getitem__, order)
            self._columns[name] = list(values) if isinstance(column, list) else array.array("q", values)

    def _make_fields(self) -> Fields:
        fields: Fields = {
            **DEFAULTS,
            **{name: column.__getitem__ for name, column in self._columns.items()},
            "_json": lambda place: self._rows.text(self._order[place]),
            "input_shapes": lambda one: [],
            **self._more,
        }
        if self._rows.have("shape"):
            fields["shape_text"] = self._detail("shape", None)
            fields["input_shapes"] = lambda one: self._shapes_of(one.shape_text)
        if self._rows.have("stack"):
            fields["stack"] = lambda one: self._shortened.stack(self._parsed(one._row).get("stack"), ";")
        if self._rows.have("overload"):
            fields["overload_name"] = self._detail("overload", "")
        if self._rows.has("flops"):
            fields["flops"] = lambda place: int(self._parsed(place).get("flops", 0))
        for name, column in zip(MEMORY, _MEMORY_COLUMNS):
            if ("device" if "device" in name else "cpu") not in self._known_memory:
                fields[name] = lambda place: None
            elif self._rows.have(column):
                fields[name] = self._detail(column, 0)
        return fields

    def _detail(self, name: str, default: Any) -> Callable[[int], Any]:
        return lambda place: self._parsed(place).get(name) or default

    def make(self, place: int) -> FunctionEventAvg:
        """See Maker."""
        return seen_at(FunctionEventAvg, self._fields, place)

    def column(self, name: str) -> Optional[Sequence[Any]]:
        """See Maker."""
        columns, field = self._columns, _COLUMNS.get(name, name)
        if field in columns:
            return cast(Sequence[Any], columns[field])
        if name == "is_on_cpu":
            return [kind not in DEVICE_KINDS for kind in columns["kind"]]
        if name in ("cpu_avg", "cuda_avg"):
            totals = columns[name.replace("avg", "total_ns")]
            return [total / count if count else 0.0 for total, count in zip(totals, columns["outer_count"])]
        return [""] * len(self) if name == "overload_name" and not self._rows.have("overload") else None

    def _shapes_of(self, text: Optional[str]) -> Any:
        """Parses each distinct text once."""
        if text not in self._shapes:
            try:
                self._shapes[text] = json.loads(text or "[]")
            except ValueError:
                self._shapes[text] = text
        return copy.copy(self._shapes[text])
