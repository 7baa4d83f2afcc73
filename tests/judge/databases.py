"""Databases of nsys (exported with --type sqlite) and nvprof (-o): NVIDIA's documentation of both schemas.

nsys: https://docs.nvidia.com/nsight-systems (Exporter, SQLite schema); a globalTid holds a process in its bits from 24 on.
nvprof: the tables are CUPTI's activity records; https://docs.nvidia.com/cupti lists kinds, copy kinds and marker flags.
"""

from __future__ import annotations

import ctypes
import gzip
import os
import re
import sqlite3
import struct
import tempfile
import zipfile
from typing import Any, Dict, Iterator, Optional

from timeline import Allocation, Operation, Slice, Trace

COPIES = {1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD", 7: "DtoA", 8: "DtoD", 9: "HtoH", 10: "PtoP"}
NSYS_MEMORY = {0: "Pageable", 1: "Pinned", 2: "Device", 3: "Array", 4: "Managed", 5: "Device", 6: "Managed"}
CUPTI_MEMORY = {1: "Pageable", 2: "Pinned", 3: "Device", 4: "Array", 5: "Managed", 6: "Device", 7: "Managed"}
PUSH_POP, START_END, MARK, DOMAIN = 59, 60, 34, 75  # nsys's event types
INSTANT, START, END = 1, 2, 4  # CUPTI's flags of markers

Row = Dict[str, Any]


def read(path: str) -> Trace:
    """A database, also one that gzip or zip packed."""
    with tempfile.TemporaryDirectory() as directory:
        connection = sqlite3.connect(unpack(path, directory))
        connection.row_factory = sqlite3.Row
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        reader = _Nsys(connection, tables) if "StringIds" in tables else _Nvprof(connection, tables)
        reader.read()
        connection.close()
    return reader.trace.finish()


def unpack(path: str, directory: str) -> str:
    """The path of the database itself."""
    unpacked_path = os.path.join(directory, "unpacked")
    with open(unpacked_path, "wb") as file:
        file.write(unpacked(path))
    return unpacked_path


def unpacked(path: str) -> bytes:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return archive.read(archive.namelist()[0])
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def demangled(name: str) -> str:
    """As the C++ runtime does it."""
    if not name.startswith("_Z"):
        return name
    demangle = ctypes.CDLL("libstdc++.so.6").__cxa_demangle
    demangle.restype = ctypes.c_void_p
    found = demangle(name.encode(), None, None, ctypes.byref(ctypes.c_int()))
    return ctypes.string_at(found).decode() if found else name


def plain(name: str) -> str:
    """What PyTorch's emit_nvtx composes is the operator's name and its attributes."""
    return re.split(", (?:seq|op_id|sizes|stashed_seq|input_op_ids) = ", name)[0]


class _Database:
    memory: Dict[int, str] = {}
    kernels = ""
    strings = ""

    def __init__(self, connection: sqlite3.Connection, tables: Any) -> None:
        self.trace = Trace()
        self.connection = connection
        self.tables = tables
        self.names: Dict[int, str] = dict(connection.execute(f"SELECT * FROM {self.strings}").fetchall())

    def rows(self, table: str) -> Iterator[Row]:
        if table in self.tables:
            for row in self.connection.execute(f"SELECT rowid AS row, * FROM {table} ORDER BY rowid"):
                yield dict(row)

    def process(self, row: Row) -> Optional[int]:
        """Of an operation's row."""
        return None

    def kernel_name(self, row: Row) -> str:
        raise NotImplementedError

    def read_operations(self) -> None:
        for row in self.rows(self.kernels):
            self.operation("kernel", self.kernel_name(row), row)
        for row in self.rows("CUPTI_ACTIVITY_KIND_MEMCPY"):
            source, target = (self.memory.get(row.get(key), "Unknown") for key in ("srcKind", "dstKind"))
            direction = COPIES.get(row["copyKind"], "Unknown")
            self.operation("memcpy", f"Memcpy {direction} ({source} -> {target})", row)
        for row in self.rows("CUPTI_ACTIVITY_KIND_MEMSET"):
            kind = self.memory.get(row.get("memKind", row.get("memoryKind")), "Unknown")
            self.operation("memset", f"Memset ({kind})", row)

    def operation(self, kind: str, name: str, row: Row) -> None:
        self.trace.operations.append(Operation(kind, name, self.process(row), row["deviceId"], row["start"], row["end"],
                                               row.get("bytes"), row["correlationId"], row=row["deviceId"]))

    def read_waits(self) -> None:
        for row in self.rows("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"):
            self.trace.instants += [(self.process(row), row["start"]), (self.process(row), row["end"])]


class _Nsys(_Database):
    memory = NSYS_MEMORY
    kernels = "CUPTI_ACTIVITY_KIND_KERNEL"
    strings = "StringIds"

    def process(self, row: Row) -> Optional[int]:
        value = row.get("globalPid")
        return None if value is None else value >> 24 & 0xFFFFFF

    def kernel_name(self, row: Row) -> str:
        return self.names[row["demangledName"]]

    def read(self) -> None:
        self.domains = {(row["globalTid"] >> 24, row["domainId"]): self.text(row) for row in self.rows("NVTX_EVENTS")
                        if row["eventType"] == DOMAIN}
        for row in self.rows("NVTX_EVENTS"):
            self.annotation(row)
        for row in self.rows("CUPTI_ACTIVITY_KIND_RUNTIME"):
            self.slice("cuda_api", re.sub(r"_v\d{4,}$", "", self.names[row["nameId"]]), row, row["correlationId"])
        self.read_operations()
        for row in self.rows("CUPTI_ACTIVITY_KIND_GRAPH_TRACE"):
            self.operation("graph", "CUDA graph", row)
        self.read_waits()
        for row in self.rows("CUDA_GPU_MEMORY_USAGE_EVENTS"):
            self.allocation(row)
        for row in self.rows("PROF_COUNTERS"):
            self.trace.instants.append((row["globalTid"] >> 24 & 0xFFFFFF, row["start"]))

    def text(self, row: Row) -> str:
        return row["text"] if row.get("text") is not None else self.names.get(row.get("textId"), "")

    def annotation(self, row: Row) -> None:
        domain = self.domains.get((row["globalTid"] >> 24, row["domainId"]))
        name = plain(self.text(row)) if not domain else f"{domain}:{plain(self.text(row))}"
        if row["eventType"] in (PUSH_POP, START_END) and row["end"] is not None:
            self.slice("range", name, row)
            self.trace.slices[-1].apart = row["eventType"] == START_END
        elif row["eventType"] == MARK:
            self.trace.marks.append((name, row["globalTid"] >> 24 & 0xFFFFFF, row["start"]))

    def slice(self, kind: str, name: str, row: Row, correlation: Optional[int] = None) -> None:
        thread = row["globalTid"]
        self.trace.slices.append(Slice(kind, name, thread >> 24 & 0xFFFFFF, thread, row["start"], row["end"], correlation))

    def allocation(self, row: Row) -> None:
        device = -1 if row["deviceId"] is None else row["deviceId"]
        size = row["bytes"] if row["memoryOperationType"] == 0 else -row["bytes"]
        self.trace.memory.append(Allocation(self.process(row) or 0, None, device, row["address"] or 0, size, row["start"]))


NUMBERED = "number "
# cupti_runtime_cbid.h and cupti_driver_cbid.h
CALLS = {NUMBERED + "RUNTIME 41": "cudaMemcpyAsync", NUMBERED + "RUNTIME 165": "cudaDeviceSynchronize",
         NUMBERED + "RUNTIME 211": "cudaLaunchKernel", NUMBERED + "DRIVER 307": "cuLaunchKernel"}


class _Nvprof(_Database):
    memory = CUPTI_MEMORY
    kernels = "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"
    strings = "StringTable"

    def kernel_name(self, row: Row) -> str:
        return demangled(self.names[row["name"]])

    def read(self) -> None:
        self.markers()
        for table in ("RUNTIME", "DRIVER"):
            for row in self.rows("CUPTI_ACTIVITY_KIND_" + table):
                name = f"{NUMBERED}{table} {row['cbid']}"
                self.trace.slices.append(Slice("cuda_api", CALLS.get(name, name), row["processId"], row["threadId"],
                                               row["start"], row["end"], row["correlationId"]))
        self.read_operations()
        self.read_waits()

    def markers(self) -> None:
        """A range is two rows with an id; its name is in the first. One that ends on its own thread nests."""
        begun: Dict[Any, Row] = {}
        for row in self.rows("CUPTI_ACTIVITY_KIND_MARKER"):
            process, thread = struct.unpack_from("<II", row["objectId"])
            row["process"], row["thread"] = process, thread
            name = self.named(row)
            if row["flags"] & INSTANT:
                self.trace.marks.append((name, process, row["timestamp"]))
            elif row["flags"] & START:
                begun[row["id"]] = row
            elif row["flags"] & END and row["id"] in begun:
                begin = begun.pop(row["id"])
                self.trace.slices.append(Slice("range", self.named(begin), process, begin["thread"], begin["timestamp"],
                                               row["timestamp"], apart=thread != begin["thread"]))

    def named(self, row: Row) -> str:
        domain = self.names.get(row["domain"], "") if row["domain"] else ""
        return (f"{domain}:" if domain else "") + plain(self.names.get(row["name"], ""))
