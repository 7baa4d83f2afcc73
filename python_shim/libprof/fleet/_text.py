"""Rows for people."""

from __future__ import annotations

from typing import Any, Sequence, Tuple

from .._times import time_text


def cell_text(column: str, value: Any) -> str:
    """A value; columns whose name ends in ``_ns`` are times. A dash stands for what is unknown."""
    if value is None:
        return "-"
    if column.endswith("_ns"):
        return time_text(float(value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table_text(columns: Sequence[str], rows: Sequence[Tuple[Any, ...]]) -> str:
    """Aligned columns, numbers to the right."""
    heads = [column[:-3] if column.endswith("_ns") else column for column in columns]
    cells = [[cell_text(column, value) for column, value in zip(columns, row)] for row in rows]
    widths = [max(map(len, column)) for column in zip(heads, *cells)]
    left = [any(isinstance(row[i], str) for row in rows) for i in range(len(columns))]

    def line(values: Sequence[str]) -> str:
        return "  ".join(v.ljust(w) if is_left else v.rjust(w) for v, w, is_left in zip(values, widths, left)).rstrip()

    return "\n".join([line(heads), line(["-" * width for width in widths]), *map(line, cells)])
