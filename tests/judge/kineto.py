"""Chrome traces, above all Kineto's: https://github.com/pytorch/kineto and the Trace Event Format.

Times are microseconds with decimals; they become nanoseconds exactly. Categories are those of Kineto since 2022 (cpu_op,
cuda_runtime, gpu_memcpy ...) and of 2021 (Operator, Runtime, Memcpy ...). Everything else that has a length is a range.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from decimal import Decimal
from typing import Any, Dict, List, Optional, Tuple

from timeline import Allocation, Operation, Slice, Trace

Event = Dict[str, Any]

CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}
OPERATIONS = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "memcpy", "Memcpy": "memcpy",
              "gpu_memset": "memset", "Memset": "memset"}
# Spans of the profiler, annotations that are derived from others, frames: they are not part of a process's time either.
LEFT_OUT = {"Trace", "gpu_user_annotation", "python_function"}
NO_ROWS = {"cuda_sync", "overhead"}  # their time is the process's
SPAN_MARKS = ("Iteration Start: ", "Record Window End")


def nanoseconds(microseconds: Any) -> int:
    return round(Decimal(microseconds) * 1000)


def read(path: str) -> Trace:
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    document = json.loads(data, parse_float=Decimal)
    return _Reader().read(document if isinstance(document, list) else document["traceEvents"])


class _Reader:
    def __init__(self) -> None:
        self.trace = Trace()
        self.open: Dict[Tuple[Any, Any], List[Event]] = defaultdict(list)
        self.apart: Dict[Tuple[Any, Any], Event] = {}

    def read(self, events: List[Event]) -> Trace:
        for event in events:
            reader = getattr(self, "read_" + str(event.get("ph")), None)
            if reader is not None and event.get("cat") not in LEFT_OUT:
                reader(event)
        return self.trace.finish()

    def read_X(self, event: Event) -> None:
        start = nanoseconds(event["ts"])
        end = start + nanoseconds(event.get("dur", 0))
        if event.get("cat") in NO_ROWS:
            self.trace.instants += [(event.get("pid", 0), start), (event.get("pid", 0), end)]
        elif event.get("cat") in OPERATIONS:
            self.trace.operations.append(_operation(event, start, end))
        else:
            self.trace.slices.append(_slice(event, start, end))

    def read_B(self, event: Event) -> None:
        self.open[event.get("pid"), event.get("tid")].append(event)

    def read_E(self, event: Event) -> None:
        stack = self.open[event.get("pid"), event.get("tid")]
        if stack:
            begin = stack.pop()
            self.trace.slices.append(_slice(begin, nanoseconds(begin["ts"]), nanoseconds(event["ts"])))

    def read_b(self, event: Event) -> None:
        self.apart[event.get("cat"), event.get("id", str(event.get("id2")))] = event

    def read_e(self, event: Event) -> None:
        begin = self.apart.pop((event.get("cat"), event.get("id", str(event.get("id2")))), None)
        if begin is not None:
            found = _slice(begin, nanoseconds(begin["ts"]), nanoseconds(event["ts"]))
            found.apart = True
            self.trace.slices.append(found)

    def read_i(self, event: Event) -> None:
        if event["name"].startswith(SPAN_MARKS):
            return
        if event["name"] == "[memory]":
            self.trace.memory.append(_allocation(event))
            self.trace.instants.append((event.get("pid", 0), nanoseconds(event["ts"])))
        else:
            self.trace.marks.append((_name(event), event.get("pid", 0), nanoseconds(event["ts"])))

    read_I = read_i

    def read_C(self, event: Event) -> None:
        self.trace.instants.append((event.get("pid", 0), nanoseconds(event["ts"])))


def _number(event: Event, *names: str) -> Optional[int]:
    arguments = event.get("args", {})
    for name in names:
        if name in arguments:
            return int(arguments[name])
    return None


def _thread(event: Event) -> Any:
    """Of Kineto in 2021 numbers in strings are threads, too."""
    thread = event.get("tid", 0)
    return int(thread) if isinstance(thread, str) and thread.isdigit() else thread


def _name(event: Event) -> str:
    """With its domain of NVTX, where it is not the default one."""
    domain = event.get("args", {}).get("domain")
    return f"{domain}:{event['name']}" if domain else str(event["name"])


def _slice(event: Event, start: int, end: int) -> Slice:
    return Slice("cuda_api" if event.get("cat") in CALLS else "range", _name(event), event.get("pid", 0),
                 _thread(event), start, end, _number(event, "correlation"),
                 _number(event, "External id", "external id"))


def _operation(event: Event, start: int, end: int) -> Operation:
    return Operation(OPERATIONS[event["cat"]], event["name"], None, _number(event, "device") or 0, start, end,
                     _number(event, "bytes"), _number(event, "correlation"), _number(event, "External id", "external id"),
                     row=event["pid"])


def _allocation(event: Event) -> Allocation:
    on_device = _number(event, "Device Type") != 0
    return Allocation(event["pid"], _thread(event), _number(event, "Device Id") or 0 if on_device else -1,
                      _number(event, "Addr") or 0, _number(event, "Bytes") or 0, nanoseconds(event["ts"]),
                      _number(event, "Total Allocated"))
