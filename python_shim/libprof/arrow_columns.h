/* arrow_columns.h - the columns of Arrow's tables, for export/write/arrow_events.c, arrow_kernels.c and _columns.py.
 *
 * X(table, name, type, meaning): a line for each, in order. Types are those of arrow_view.h; one that ends in _NULL can be null.
 * prof/arrow.h says the same at length.
 */
#ifndef PROF_ARROW_COLUMNS_H
#define PROF_ARROW_COLUMNS_H

/* clang-format off */
#define ARROW_EVENTS_COLUMNS(X) \
    X(events, pid, U64, "process id") \
    X(events, tid, U64, "thread id of the operating system") \
    X(events, kind, NAME, "range, step, call (of CUDA), async (begin/end range) or mark") \
    X(events, name, NAME, "name") \
    X(events, start, TIME, "begin") \
    X(events, duration_ns, I64, "nanoseconds, 0 of a mark") \
    X(events, depth, U16, "0 outermost; 0 of begin/end ranges, which need not nest") \
    X(events, correlation, U32_NULL, "CUPTI's correlation id, null unless a call") \
    X(events, result, I32_NULL, "status that a call returned") \
    X(events, parent, I64_NULL, "row of the enclosing event, counted from 0 over the whole table; null at top level") \
    X(events, continues, I64_NULL, "row of the preceding segment of the same range, if it was cut") \
    X(events, thread_name, NAME_NULL, "null if unknown") \
    X(events, domain, NAME_NULL, "NVTX domain, null for the default one") \
    X(events, category, NAME_NULL, "NVTX category, or its number") \
    X(events, self_ns, I64_NULL, "nanoseconds without the ranges and calls directly inside") \
    X(events, device_ns, I64_NULL, "nanoseconds of the operations launched inside, at any depth") \
    X(events, self_device_ns, I64_NULL, "nanoseconds of the operations whose innermost range it is") \
    X(events, host_bytes, I64_NULL, "bytes of host memory allocated minus freed inside; null if not recorded") \
    X(events, device_bytes, I64_NULL, "bytes of device memory allocated minus freed inside; null if not recorded") \
    X(events, shapes, NAME_NULL, "a list of sizes for each input of an operator, JSON") \
    X(events, sequence, I64_NULL, "autograd's sequence number") \
    X(events, forward_tid, U64_NULL, "for a backward pass, the thread of its forward range") \
    X(events, stack, NAME_NULL, "functions, innermost first, separated by ';'") \
    X(events, flops, F64_NULL, "floating-point operations") \
    X(events, attributes, TEXT_NULL, "all other attributes, a JSON object")

#define ARROW_LAUNCHES_COLUMNS(X) \
    X(launches, pid, U64, "process id") \
    X(launches, tid, U64, "thread id of the operating system") \
    X(launches, name, NAME, "the call") \
    X(launches, range, NAME_NULL, "innermost range around it") \
    X(launches, start, TIME, "begin of the call") \
    X(launches, duration_ns, I64, "nanoseconds of the call") \
    X(launches, correlation, U32, "CUPTI's correlation id") \
    X(launches, operations, U32, "number of recorded operations") \
    X(launches, device_ns, I64, "nanoseconds of these operations") \
    X(launches, event, I64_NULL, "its row in events()")

#define ARROW_KERNELS_COLUMNS(X) \
    X(kernels, pid, U64, "process id") \
    X(kernels, kind, NAME, "kernel, memcpy, memset, or graph (recorded as one operation)") \
    X(kernels, name, NAME, "name") \
    X(kernels, range, NAME_NULL, "innermost range around its launch") \
    X(kernels, device, U32_NULL, "number of the device") \
    X(kernels, context, U32_NULL, "CUPTI's id of the context") \
    X(kernels, stream, U32_NULL, "CUPTI's id of the stream") \
    X(kernels, start, TIME, "begin") \
    X(kernels, duration_ns, I64, "nanoseconds") \
    X(kernels, correlation, U32, "CUPTI's correlation id: that of its launch") \
    X(kernels, bytes, U64_NULL, "bytes copied or set, null for kernels and graphs") \
    X(kernels, grid_x, U32_NULL, "blocks; this and the next seven are null unless a kernel") \
    X(kernels, grid_y, U32_NULL, "blocks") \
    X(kernels, grid_z, U32_NULL, "blocks") \
    X(kernels, block_x, U32_NULL, "threads") \
    X(kernels, block_y, U32_NULL, "threads") \
    X(kernels, block_z, U32_NULL, "threads") \
    X(kernels, registers, U32_NULL, "of a thread") \
    X(kernels, shared_bytes, U32_NULL, "static plus dynamic shared memory, bytes") \
    X(kernels, event, I64_NULL, "row in events() of the call that launched it") \
    X(kernels, tid, U64_NULL, "thread of that call") \
    X(kernels, queue_ns, I64_NULL, "nanoseconds from the end of that call to the start, 0 if it started earlier") \
    X(kernels, graph, U32_NULL, "CUPTI's id of the graph that launched it") \
    X(kernels, node, U64_NULL, "CUPTI's id of the graph's node")

#define ARROW_COUNTERS_COLUMNS(X) \
    X(counters, pid, U64, "process id") \
    X(counters, tid, U64_NULL, "thread id, null if unknown") \
    X(counters, kind, NAME, "counter, or memory (in use)") \
    X(counters, name, NAME, "name of the counter, or kind of memory: device, pinned, an allocator") \
    X(counters, time, TIME, "when") \
    X(counters, value, F64, "the counter's value, or bytes in use after the change") \
    X(counters, device, U32_NULL, "device of memory") \
    X(counters, bytes, I64_NULL, "bytes allocated, negative if freed; null for counters") \
    X(counters, address, U64_NULL, "address of memory") \
    X(counters, event, I64_NULL, "row in events() of the innermost event around the change")

#define ARROW_FUNCTIONS_COLUMNS(X) \
    X(functions, pid, U64, "process id") \
    X(functions, tid, U64, "thread id") \
    X(functions, name, NAME, "file.py(LINE): function, or nn.Module: Linear_0") \
    X(functions, start, TIME, "when it began") \
    X(functions, duration_ns, I64, "nanoseconds") \
    X(functions, call, I64, "row of the call's first segment: another one where a range crosses the call") \
    X(functions, parent, I64_NULL, "row of the call around it") \
    X(functions, module, U32_NULL, "number of the PyTorch module")

/* clang-format on */

#endif
