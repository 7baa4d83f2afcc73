"""HTML for notebooks. Names come from traces: they are text, never markup, and nothing here runs a script."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, List, Optional, Sequence, Tuple

ROWS_MAX = 30

_TIMES: Tuple[Tuple[str, str], ...] = (
    ("Self CPU", "self_cpu_total_ns"),
    ("CPU total", "cpu_total_ns"),
    ("Self CUDA", "self_cuda_total_ns"),
    ("CUDA total", "cuda_total_ns"),
)


def format_time(time_ns: float) -> str:
    """Nanoseconds as profdump's tables show them."""
    if time_ns >= 1_000_000_000:
        return f"{time_ns / 1e9:.3f}s"
    if time_ns >= 1_000_000:
        return f"{time_ns / 1e6:.3f}ms"
    return f"{time_ns / 1e3:.3f}us"


def preformatted(text: str) -> str:
    """A text whose columns stand below each other."""
    return f'<pre style="line-height:1.25;overflow-x:auto;white-space:pre">{escape(text)}</pre>'


def table_html(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table; the first `left` columns hold texts, the others numbers."""

    def cell(tag: str, place: int, text: str) -> str:
        side = "left" if place < left else "right"
        return f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>'

    def line(tag: str, cells: Sequence[str]) -> str:
        return f"<tr>{''.join(cell(tag, place, text) for place, text in enumerate(cells))}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', heads)}</thead><tbody>{body}</tbody></table>"


def averages_html(averages: Sequence[Dict[str, Any]]) -> str:
    """Key averages as profdump's JSON has them, the first :data:`ROWS_MAX`; devices only where one did something."""
    times = [(head, key) for head, key in _TIMES if "cpu" in key or any(row[key] for row in averages)]
    rows: List[List[str]] = []
    for row in averages[:ROWS_MAX]:
        rows.append([row["name"], *(format_time(row[key]) for _, key in times), str(row["count"])])
    more = len(averages) - len(rows)
    rest = f"<p>{more} more rows</p>" if more > 0 else ""
    return table_html(["Name", *(head for head, _ in times), "Calls"], rows) + rest


def trace_html(facts: Dict[str, Any], picture: Optional[str]) -> str:
    """A trace in short: what was recorded, the timeline, the key averages."""
    programs = ", ".join(f"{process['program']} (pid {process['pid']})" for process in facts["processes"])
    devices = ", ".join(device["name"] for device in facts["devices"]) or "no device"
    head = f"{programs}: {format_time(facts['duration_ns'])}; {devices}; GPU mode {facts['mode']}"
    image = f'<img alt="timeline" style="max-width:100%" src="{escape(picture)}">' if picture else ""
    return f"<div><p>{escape(head)}</p>{image}{averages_html(facts['key_averages'])}</div>"
