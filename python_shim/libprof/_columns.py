"""The columns of a trace's tables, which ``prof/arrow.h`` specifies: name, type and meaning, for help() and messages."""

from __future__ import annotations

from typing import Dict, NamedTuple


class Column(NamedTuple):
    """`type` is Arrow's; "text" is dictionary<uint32, large_string>, "time" timestamp[ns, UTC]."""

    type: str
    text: str


EVENTS = {
    "pid": Column("uint64", "process id"),
    "tid": Column("uint64", "thread id of the operating system"),
    "kind": Column("text", "range, step, call (of CUDA), async (begin/end range) or mark"),
    "name": Column("text", "name"),
    "start": Column("time", "begin"),
    "duration_ns": Column("int64", "nanoseconds, 0 of a mark"),
    "depth": Column("uint16", "0 outermost; 0 of begin/end ranges, which need not nest"),
    "correlation": Column("uint32", "CUPTI's correlation id, null unless a call"),
    "result": Column("int32", "status that a call returned"),
    "parent": Column("int64", "row of the enclosing event, counted from 0 over the whole table; null at top level"),
    "continues": Column("int64", "row of the preceding segment of the same range, if it was cut"),
    "thread_name": Column("text", "null if unknown"),
    "domain": Column("text", "NVTX domain, null for the default one"),
    "category": Column("text", "NVTX category, or its number"),
    "self_ns": Column("int64", "nanoseconds without the ranges and calls directly inside"),
    "device_ns": Column("int64", "nanoseconds of the operations launched inside, at any depth"),
    "self_device_ns": Column("int64", "nanoseconds of the operations whose innermost range it is"),
    "host_bytes": Column("int64", "bytes of host memory allocated minus freed inside; null if not recorded"),
    "device_bytes": Column("int64", "bytes of device memory allocated minus freed inside; null if not recorded"),
    "shapes": Column("text", "a list of sizes for each input of an operator, JSON"),
    "sequence": Column("int64", "autograd's sequence number"),
    "forward_tid": Column("uint64", "for a backward pass, the thread of its forward range"),
    "stack": Column("text", "functions, innermost first, separated by ';'"),
    "flops": Column("float64", "floating-point operations"),
    "attributes": Column("large_string", "all other attributes, a JSON object"),
}

LAUNCHES = {
    "pid": Column("uint64", "process id"),
    "tid": Column("uint64", "thread id of the operating system"),
    "name": Column("text", "the call"),
    "range": Column("text", "innermost range around it"),
    "start": Column("time", "begin of the call"),
    "duration_ns": Column("int64", "nanoseconds of the call"),
    "correlation": Column("uint32", "CUPTI's correlation id"),
    "operations": Column("uint32", "number of recorded operations"),
    "device_ns": Column("int64", "nanoseconds of these operations"),
    "event": Column("int64", "its row in events()"),
}

KERNELS = {
    "pid": Column("uint64", "process id"),
    "kind": Column("text", "kernel, memcpy, memset, or graph (recorded as one operation)"),
    "name": Column("text", "name"),
    "range": Column("text", "innermost range around its launch"),
    "device": Column("uint32", "number of the device"),
    "context": Column("uint32", "CUPTI's id of the context"),
    "stream": Column("uint32", "CUPTI's id of the stream"),
    "start": Column("time", "begin"),
    "duration_ns": Column("int64", "nanoseconds"),
    "correlation": Column("uint32", "CUPTI's correlation id: that of its launch"),
    "bytes": Column("uint64", "bytes copied or set, null for kernels and graphs"),
    "grid_x": Column("uint32", "blocks; this and the next seven are null unless a kernel"),
    "grid_y": Column("uint32", "blocks"),
    "grid_z": Column("uint32", "blocks"),
    "block_x": Column("uint32", "threads"),
    "block_y": Column("uint32", "threads"),
    "block_z": Column("uint32", "threads"),
    "registers": Column("uint32", "of a thread"),
    "shared_bytes": Column("uint32", "static plus dynamic shared memory, bytes"),
    "event": Column("int64", "row in events() of the call that launched it"),
    "tid": Column("uint64", "thread of that call"),
    "queue_ns": Column("int64", "nanoseconds from the end of that call to the start, 0 if it started earlier"),
    "graph": Column("uint32", "CUPTI's id of the graph that launched it"),
    "node": Column("uint64", "CUPTI's id of the graph's node"),
}

COUNTERS = {
    "pid": Column("uint64", "process id"),
    "tid": Column("uint64", "thread id, null if unknown"),
    "kind": Column("text", "counter, or memory (in use)"),
    "name": Column("text", "name of the counter, or kind of memory: device, pinned, an allocator"),
    "time": Column("time", "when"),
    "value": Column("float64", "the counter's value, or bytes in use after the change"),
    "device": Column("uint32", "device of memory"),
    "bytes": Column("int64", "bytes allocated, negative if freed; null for counters"),
    "address": Column("uint64", "address of memory"),
    "event": Column("int64", "row in events() of the innermost event around the change"),
}

FUNCTIONS = {
    "pid": Column("uint64", "process id"),
    "tid": Column("uint64", "thread id"),
    "name": Column("text", "file.py(LINE): function, or nn.Module: Linear_0"),
    "start": Column("time", "when it began"),
    "duration_ns": Column("int64", "nanoseconds"),
    "call": Column("int64", "row of the call's first segment: another one where a range crosses the call"),
    "parent": Column("int64", "row of the call around it"),
    "module": Column("uint32", "number of the PyTorch module"),
}


def documented(columns: Dict[str, Column]) -> str:
    """A line for each column, for a docstring."""
    return "\n".join(f"    {name:16}{column.type:14}{column.text}" for name, column in columns.items())
