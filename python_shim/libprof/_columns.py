"""The columns of a trace's tables, which ``prof/arrow.h`` specifies: name, type and meaning, for help() and messages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Dict, NamedTuple


class Column(NamedTuple):
    """`type` is Arrow's; "text" is dictionary<uint32, large_string>, "time" timestamp[ns, UTC]."""

    type: str
    text: str


_TYPES = {
    "U16": "uint16", "U32": "uint32", "U64": "uint64", "I32": "int32", "I64": "int64", "F64": "float64", "TIME": "time",
    "NAME": "text", "TEXT": "large_string",
}  # fmt: skip


def _tables() -> Dict[str, Dict[str, Column]]:
    """What arrow_columns.h lists. The C library's tables are made of the same lines."""
    tables: Dict[str, Dict[str, Column]] = {}
    text = (Path(__file__).parent / "arrow_columns.h").read_text()
    for table, name, kind, meaning in re.findall(r' X\((\w+), (\w+), ([A-Z0-9]+)(?:_NULL)?, "(.*)"\)', text):
        tables.setdefault(table, {})[name] = Column(_TYPES[kind], meaning)
    return tables


EVENTS, LAUNCHES, KERNELS, COUNTERS, FUNCTIONS = map(_tables().__getitem__, ("events", "launches", "kernels", "counters", "functions"))


def documented(columns: Dict[str, Column]) -> str:
    """A line for each column, for a docstring."""
    return "\n".join(f"    {name:16}{column.type:14}{column.text}" for name, column in columns.items())
