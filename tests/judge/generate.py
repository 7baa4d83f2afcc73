"""Random trace files, the same for the same seed: what a profiler could have written, and the odd cases above all.

Several processes, threads, devices and streams; equal names inside one another, slices that cross or have no length,
operations without a call or with an operator's id only, ids that two processes use, memory from before the trace.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import sqlite3
import struct
import sys
from typing import Any, Dict, List, Optional, Tuple

Event = Dict[str, Any]

NAMES = ["aten::mm", "aten::add_", "Optimizer.step#SGD.step", "ProfilerStep#3", "ProfilerStep#4", "forward \u00fc \"x\""]
KERNELS = ["void gemm<float>(float*)", "sgemm_128x64_nn", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"]
CALLS = [("cuda_runtime", "cudaLaunchKernel", 1), ("cuda_runtime", "cudaMemcpyAsync", 1),
         ("cuda_driver", "cuLaunchKernel", 1), ("cuda_runtime", "cudaGraphLaunch", 4),
         ("cuda_runtime", "cudaDeviceSynchronize", 0)]
COPIES = ["Memcpy HtoD (Pinned -> Device)", "Memcpy DtoH (Device -> Pageable)", "Memcpy DtoD (Device -> Device)"]


class Kineto:
    """Random events of Kineto's kind, in nanoseconds."""

    def __init__(self, seed: int, processes: int = 3) -> None:
        self.processes = processes
        self.random = random.Random(seed)
        self.events: List[Event] = []
        self.external = 0
        self.operator: Optional[Tuple[int, int]] = None  # the latest of the process: its id and begin
        self.correlation = 0
        self.blocks: Dict[Any, int] = {}

        for process in range(self.random.randint(1, processes)):
            self.process(1000 + process, rows=10 * process)
        self.random.shuffle(self.events)

    def process(self, pid: int, rows: int) -> None:
        begin, self.operator = self.random.randrange(10**6), None
        for device in (0, 1):
            begin = self.own_row(pid, rows, device, begin)
        for thread in range(self.random.randint(1, 3)):
            self.slices(pid, pid + thread, rows, begin, begin + self.random.choice([2000, 10**6]), 0)
        for _ in range(self.random.choice([0, 0, 3])):
            self.operation(rows, begin + self.random.randrange(10**6), correlation=self.random.randrange(9 * 10**8, 10**9))
        for _ in range(self.random.choice([0, 3, 30])):
            self.memory(pid, begin + self.random.randrange(10**6))
        self.totals(pid, self.random.choice([None, 0, 1 << 20]))
        for category, row, thread in (("cuda_sync", rows, 7), ("gpu_user_annotation", rows, 7),
                                      ("python_function", pid, pid), ("Trace", pid, pid)):
            self.add(category, "no row", row, thread, begin, self.random.randrange(10**6), {"device": 0, "stream": 7})
        self.events.append({"ph": "i", "s": "t", "cat": "user", "name": "mark", "pid": pid, "tid": pid, "ts": begin,
                            "args": {}})

    def own_row(self, pid: int, rows: int, device: int, time: int) -> int:
        """What tells whose a row is: operations of calls whose ids nobody else has, then one of an id that all have."""
        first = 5 * 10**8 + 100 * (rows + device)
        for correlation in [*range(first, first + 12), 90 + device]:
            self.add("cuda_runtime", "cudaLaunchKernel", pid, pid, time, 3, {"correlation": correlation})
            self.operation(rows, time + 5, correlation=correlation, device=device)
            time += 10
        return time

    def slices(self, pid: int, tid: int, rows: int, start: int, end: int, depth: int, prefix: str = "") -> None:
        """Slices between two times, some across the end, each with others inside. Equal names do not cross: the manual does
        not say what is nested then."""
        time = start
        while time < end and len(self.events) < 400:
            time += self.random.choice([0, 0, 1, self.random.randrange(end - start + 1)])
            length = self.random.choice([0, 1, self.random.randrange(end - start + 1)])
            crosses = depth > 0 and time + length > end and self.random.random() < 0.1
            length = max(0, length if crosses or depth == 0 else min(length, end - time))
            if time >= end or self.random.random() < 0.1:
                return
            if self.random.random() < 0.4:
                self.call(pid, tid, rows, time, length)
            else:
                self.external += 1
                self.operator = self.external, time
                inside = f"{prefix}crossing {depth} " if crosses else prefix
                name = inside + self.random.choice(NAMES)
                self.add("cpu_op", name, pid, tid, time, length, {"External id": self.external})
                if depth < 5 and length > 0:
                    self.slices(pid, tid, rows, time, time + length, depth + 1, inside)
            time += length

    def call(self, pid: int, tid: int, rows: int, start: int, length: int) -> None:
        self.correlation += 1
        category, name, launches = self.random.choice(CALLS)
        self.add(category, name, pid, tid, start, length, {"correlation": 10000 + self.correlation})
        for _ in range(launches):
            self.operation(rows, start + self.random.randrange(2000), correlation=10000 + self.correlation)
        if self.random.random() < 0.1:  # the operation names the operator only
            external, begin = self.operator if self.operator else (None, start)
            self.operation(rows, begin + 10, correlation=self.random.randrange(10**8), external=external)

    def operation(self, rows: int, start: int, correlation: int, external: Any = None, device: Any = None) -> None:
        device = self.random.randrange(2) if device is None else device
        arguments = {"device": device, "context": 1, "stream": self.random.choice([7, 20]), "correlation": correlation}
        if external is not None:
            arguments["External id"] = external
        category = self.random.choice(["kernel", "kernel", "gpu_memcpy", "gpu_memset"])
        if category != "kernel":
            arguments["bytes"] = self.random.choice([0, 4096, self.random.randrange(1 << 40)])
        names = {"kernel": KERNELS, "gpu_memcpy": COPIES, "gpu_memset": ["Memset (Device)"]}[category]
        self.add(category, self.random.choice(names), rows + device, arguments["stream"], start,
                 self.random.choice([0, 1, self.random.randrange(5000)]), arguments)

    def memory(self, pid: int, time: int) -> None:
        """Addresses are allocated once; what is freed may have been allocated before the trace."""
        device, address = self.random.choice([-1, 0, 1]), 4096 * len(self.events)
        known = [block for block in self.blocks if block[:2] == (pid, device)]
        size = self.random.randrange(1, 1 << 34)
        if known and self.random.random() < 0.5:
            block = self.random.choice(known)
            size, address = -self.blocks.pop(block), block[2]
        elif self.random.random() < 0.2:
            size = -size
        else:
            self.blocks[pid, device, address] = size
        self.events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": pid, "tid": pid,
                            "ts": time, "args": {"Addr": address, "Bytes": size, "Device Id": device,
                                                               "Device Type": 0 if device < 0 else 1}})

    def totals(self, pid: int, more: Optional[int]) -> None:
        """What the allocator says is in use after each change: what is known of, and more that is never freed."""
        for device in (-1, 0, 1) if more is not None else ():
            changes = sorted((event for event in self.events if event["name"] == "[memory]" and event["pid"] == pid
                              and event["args"]["Device Id"] == device), key=lambda event: event["ts"])
            known = itertools.accumulate(event["args"]["Bytes"] for event in changes)
            least = min(itertools.accumulate((event["args"]["Bytes"] for event in changes), initial=0))
            for event, total in zip(changes, known):
                event["args"]["Total Allocated"] = total - least + (more or 0)

    def add(self, category: str, name: str, pid: int, tid: int, start: int, length: int, arguments: Event) -> None:
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": length,
                            "args": arguments})


def write_kineto(path: str, seed: int) -> None:
    events = Kineto(seed).events
    for event in events:
        event.update({key: event[key] / 1000 for key in ("ts", "dur") if key in event})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events}, file)


NSYS = """
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, domainId INTEGER,
                         globalTid INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
                                         correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER,
    gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, bytes INTEGER, value INTEGER, memKind INTEGER);
"""

NVPROF = """
CREATE TABLE StringTable(_id_ INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE Version(version INTEGER);
INSERT INTO Version VALUES(14);
CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER(_id_ INTEGER PRIMARY KEY, flags INT, timestamp INT, id INT, objectKind INT,
                                        objectId BLOB, name INT, domain INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, processId INT,
                                         threadId INT, correlationId INT, returnValue INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER(_id_ INTEGER PRIMARY KEY, cbid INT, start INT, end INT, processId INT,
                                        threadId INT, correlationId INT, returnValue INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(_id_ INTEGER PRIMARY KEY, start INT, end INT, deviceId INT,
    contextId INT, streamId INT, correlationId INT, name INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT,
    blockZ INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(_id_ INTEGER PRIMARY KEY, copyKind INT, srcKind INT, dstKind INT, flags INT,
    bytes INT, start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(_id_ INTEGER PRIMARY KEY, value INT, bytes INT, start INT, end INT, deviceId INT,
    contextId INT, streamId INT, correlationId INT, memoryKind INT);
"""
COPY_KINDS = {"HtoD": (1, "Pinned", "Device"), "DtoH": (2, "Device", "Pageable"), "DtoD": (8, "Device", "Device")}
IN_DATABASES = ("cpu_op", "user", "cuda_runtime", "cuda_driver", "kernel", "gpu_memcpy", "gpu_memset")
CBIDS = {"cudaMemcpyAsync": 41, "cudaDeviceSynchronize": 165, "cudaLaunchKernel": 211, "cuLaunchKernel": 307}


class Database:
    """The same random events as rows."""

    def __init__(self, path: str, schema: str, seed: int, processes: int) -> None:
        self.connection = sqlite3.connect(path)
        self.connection.executescript(schema)
        self.strings: Dict[str, int] = {}
        for number, event in enumerate(Kineto(seed, processes).events):
            if event["cat"] in IN_DATABASES:
                self.add(number + 1, event)
        table = "StringIds" if schema is NSYS else "StringTable"
        self.connection.executemany(f"INSERT INTO {table} VALUES(?, ?)", [(i, text) for text, i in self.strings.items()])
        self.connection.commit()
        self.connection.close()

    def string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings) + 1)

    def insert(self, table: str, **columns: Any) -> None:
        self.connection.execute(f"INSERT INTO {table}({','.join(columns)}) VALUES({','.join('?' * len(columns))})",
                                list(columns.values()))

    def add(self, number: int, event: Event) -> None:
        raise NotImplementedError

    def operation(self, event: Event, memory: Dict[str, int], kernel: Event, **columns: Any) -> None:
        arguments = event["args"]
        columns.update(start=event["ts"], end=event["ts"] + event["dur"], deviceId=arguments["device"], contextId=1,
                       streamId=arguments["stream"], correlationId=arguments["correlation"])
        if event["cat"] == "kernel":
            self.insert(kernel["table"], **columns, **{name: self.string(event["name"]) for name in kernel["names"]},
                        gridX=1, gridY=1, gridZ=1, blockX=32, blockY=1, blockZ=1)
        elif event["cat"] == "gpu_memcpy":
            kind, source, target = COPY_KINDS[event["name"].split()[1]]
            self.insert("CUPTI_ACTIVITY_KIND_MEMCPY", **columns, bytes=arguments["bytes"], copyKind=kind,
                        srcKind=memory[source], dstKind=memory[target])
        else:
            self.insert("CUPTI_ACTIVITY_KIND_MEMSET", **columns, bytes=arguments["bytes"], value=0,
                        **{memory["column"]: memory["Device"]})


class Nsys(Database):
    """Calls of different processes share ids; names of calls have versions."""

    @staticmethod
    def shared(correlation: int, process: int) -> int:
        return correlation - 1000 * (process - 1000) if 5 * 10**8 <= correlation < 6 * 10**8 else correlation

    def add(self, number: int, event: Event) -> None:
        start, end, thread = event["ts"], event["ts"] + event.get("dur", 0), event["pid"] << 24 | event["tid"]
        if event["cat"] in ("cpu_op", "user"):
            in_table, numbered = number % 2 == 0, number % 5 == 0  # begun and ended by number: nests in nothing
            kind, end = (34, None) if event["cat"] == "user" else (60 if numbered else 59, end)
            if kind == 34:  # one row of the process that names a domain
                self.insert("NVTX_EVENTS", start=start, eventType=75, domainId=1, globalTid=thread, text="io")
            self.insert("NVTX_EVENTS", start=start, end=end, eventType=kind, domainId=int("crossing" in event["name"]),
                        globalTid=thread, text=None if in_table else event["name"],
                        textId=self.string(event["name"]) if in_table else None)
        elif event["cat"].startswith("cuda_"):
            self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, eventClass=0, globalTid=thread,
                        correlationId=self.shared(event["args"]["correlation"], event["pid"]), returnValue=0,
                        nameId=self.string(event["name"] + "_v7000"))
        else:
            process = 1000 + event["pid"] // 10
            event["args"]["correlation"] = self.shared(event["args"]["correlation"], process)
            self.operation(event, {"Pageable": 0, "Pinned": 1, "Device": 2, "column": "memKind"},
                           {"table": "CUPTI_ACTIVITY_KIND_KERNEL", "names": ("demangledName", "shortName")},
                           globalPid=process << 24)


class Nvprof(Database):
    """One process; a range is a row where it begins and one where it ends."""

    def add(self, number: int, event: Event) -> None:
        start, end = event["ts"], event["ts"] + event.get("dur", 0)
        if event["cat"] in ("cpu_op", "user"):
            thread = struct.pack("<III", event["pid"], event["tid"], 0)
            first = 1 if event["cat"] == "user" else 2
            for flags, time, name in ((first, start, self.string(event["name"])), (4, end, 0))[:first]:
                self.insert("CUPTI_ACTIVITY_KIND_MARKER", flags=flags, timestamp=time, id=number, objectKind=2,
                            objectId=thread, name=name, domain=0)
        elif event["cat"].startswith("cuda_"):
            table = "RUNTIME" if event["cat"] == "cuda_runtime" else "DRIVER"
            self.insert("CUPTI_ACTIVITY_KIND_" + table, cbid=CBIDS.get(event["name"], 211), start=start, end=end,
                        processId=event["pid"], threadId=event["tid"], correlationId=event["args"]["correlation"],
                        returnValue=0)
        else:
            self.operation(event, {"Pageable": 1, "Pinned": 2, "Device": 3, "column": "memoryKind"},
                           {"table": "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "names": ("name",)})


def write_nsys(path: str, seed: int) -> None:
    Nsys(path, NSYS, seed, 3)


def write_nvprof(path: str, seed: int) -> None:
    Nvprof(path, NVPROF, seed, 1)


def main() -> None:
    """generate.py DIRECTORY COUNT: so many files, half of them Chrome traces."""
    directory, count = sys.argv[1], int(sys.argv[2])
    writers = [(write_kineto, "json"), (write_nsys, "nsys.sqlite"), (write_kineto, "json"), (write_nvprof, "nvprof.sqlite")]
    for seed in range(count):
        write, suffix = writers[seed % len(writers)]
        write(os.path.join(directory, f"{seed}.{suffix}"), seed)


if __name__ == "__main__":
    main()
