"""What profdump says of a trace: its JSON, and the same numbers out of it by the judge's names."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Dict, Iterator, List, Tuple

from numbers_of import UNKNOWN, Key, Numbers

COMMANDS = {
    "table": ["--json", "--rows", "-1", "--columns", "all"],
    "paths": ["--json", "--rows", "-1", "--group-by", "name,path"],
    "breakdown": ["breakdown", "--json"],
    "memory": ["memory", "--json", "--rows", "-1"],
}

ROW = {"count": "calls", "cpu_total_ns": "cpu total", "self_cpu_total_ns": "cpu self", "cuda_total_ns": "device total",
       "self_cuda_total_ns": "device self", "min_ns": "least", "max_ns": "most", "mean_ns": "mean",
       "stddev_ns": "deviation", "p10_ns": "p10", "p50_ns": "p50", "p90_ns": "p90", "p99_ns": "p99",
       "cold_calls": "cold calls", "cold_avg_ns": "cold mean", "warm_avg_ns": "warm mean",
       "projected_calls": "projected calls", "projected_ns": "projected", "bytes": "bytes"}
TOTALS = {"self_cpu_total_ns": "cpu self", "self_cuda_total_ns": "device self",
          "cuda_outside_ranges_ns": "device time outside ranges"}
DEVICE = {"operations": "operations", "sum_ns": "device time", "busy_ns": "busy", "overlap_ns": "overlap",
          "idle_ns": "idle", "window_ns": "window"}
TEMPORAL = {"before_ns": "before", "after_ns": "after", "span_ns": "span", "idle_ns": "idle in span",
            "compute_ns": "computing", "communication_ns": "communicating", "memory_ns": "moving memory"}
KERNEL = {"count": "operations", "sum_ns": "device time", "min_ns": "shortest", "max_ns": "longest", "mean_ns": "mean",
          "stddev_ns": "deviation", "launched": "operations with a call", "mean_call_ns": "mean call",
          "mean_delay_ns": "mean delay"}
COPY = {"count": "copies", "bytes": "copied", "time_ns": "copying"}
HEAP = {"allocations": "allocations", "frees": "frees", "allocated_bytes": "allocated", "freed_bytes": "freed",
        "live": "live", "live_bytes": "live bytes", "peak_bytes": "peak"}
PATH = {"count": "launched within", "self_cuda_total_ns": "device time launched within"}
OF_RANGE = {"allocations": "allocations", "frees": "frees", "allocated_bytes": "allocated", "freed_bytes": "freed",
            "net_bytes": "net", "self_net_bytes": "self net", "peak_bytes": "peak"}
OPERATIONS = ("kernel", "memcpy", "memset", "graph")

Answers = Dict[str, Dict[str, Any]]


class CannotRead(Exception):
    """This profdump was built without what the file needs."""


def run(profdump: str, command: List[str], trace: str) -> str:
    done = subprocess.run([profdump, *command, trace], capture_output=True, text=True)
    if "built without" in done.stderr:
        raise CannotRead(done.stderr.strip())
    if done.returncode != 0:
        raise SystemExit(f"{trace}: profdump {' '.join(command)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def ask(profdump: str, trace: str) -> Answers:
    """All that is judged of a trace."""
    return {name: json.loads(run(profdump, command, trace)) for name, command in COMMANDS.items()}


def numbers_in(answers: Answers) -> Numbers:
    found: Numbers = {}
    for subject, row, fields in _rows(answers):
        for field, number in fields.items():
            if row.get(field) is not None:
                found[Key(number, subject)] = row[field]
    _add_counts(answers["table"], found)
    _add_heaps(answers["memory"]["heaps"], found)
    for row in answers["paths"]["key_averages"]:
        for field, number in PATH.items() if row["kind"] in OPERATIONS else ():
            key = Key(number, " > ".join(row["path"]))
            found[key] = found.get(key, 0) + row[field]
    return found


def _rows(answers: Answers) -> Iterator[Tuple[str, Dict[str, Any], Dict[str, str]]]:
    """Everything that has numbers: what it is, its JSON, and which members are judged by which name."""
    table, breakdown = answers["table"], answers["breakdown"]
    yield "all", table, TOTALS
    for row in table["key_averages"]:
        yield _row_subject(row), row, ROW if row["kind"] != "mark" else {"count": "calls"}
    for row in table["processes"]:
        yield f"process {row['pid']}", row, {"duration_ns": "window"}
    for row in table["device_time"]:
        yield f"device {row['device']} of {row['pid']}", row, DEVICE
    for row in breakdown["temporal"]:
        yield f"device {row['device']} of {row['pid']}", row, TEMPORAL
    for row in breakdown["kernels"]:
        yield f"{row['name']} on device {row['device']} of {row['pid']}", row, KERNEL
    for row in breakdown["copies"]:
        yield f"{row['name']} on device {row['device']} of {row['pid']}", row, COPY
    for row in answers["memory"]["ranges"]:
        for side in ("cpu", "cuda"):
            if row[side]["allocations"] or row[side]["frees"]:
                yield f"{side} memory of range {row['name']}", row[side], OF_RANGE


def _row_subject(row: Dict[str, Any]) -> str:
    return f"{row['kind']} {row['name']}"


def _add_counts(table: Dict[str, Any], found: Numbers) -> None:
    rows: List[Dict[str, Any]] = table["key_averages"]
    for row in rows:
        found[Key("events", row["kind"])] = found.get(Key("events", row["kind"]), 0) + row["count"]
        if row["kind"] != "mark":
            found[Key("outer calls", _row_subject(row))] = row.get("outer_count", row["count"])


def _add_heaps(heaps: List[Dict[str, Any]], found: Numbers) -> None:
    """Of a device, or of the host, together, as they are in Kineto's events. Peaks of several do not add up."""
    used = [heap for heap in heaps if heap["allocations"] or heap["frees"]]
    for heap in used:
        subject = f"memory of device {heap['device']} of {heap['pid']}"
        for field, number in HEAP.items():
            key = Key(number, subject)
            found[key] = UNKNOWN if number == "peak" and key in found else found.get(key, 0) + heap[field]
