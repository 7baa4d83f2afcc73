/* make_traces.c - the trace files that the CLI tests read: make_traces DIRECTORY.
 *
 *     demo.prof      ranges, launches, a copy, kernels, a step: a clean run on the simulated CUDA
 *     cpu.prof       ranges on two threads, no CUDA
 *     lossy.prof     dropped records, a full file, a missing kernel, unbalanced ranges
 *     killed.prof    never closed
 *     rank0.prof, rank1.prof   two processes of one job
 *     nvtx.prof      ranges of two domains that cross, PyTorch's attributes, a named stream
 *     memory.prof    device memory, of which some is never freed; an allocator; a pool; a migration
 *     graphs.prof    a graph captured in two ranges and replayed; one of its kernels never came
 *     blocks.prof    profiling blocks: two iterations of one, an allocator, an event without end
 *     execute.etprof  a prof buffer: two iterations of a block that execute a model, memory
 *     differ_*.etprof   iterations that differ
 *     run.etdp, reference.etdp, run.bin, reference.bin   ETDumps with delegates and logged values,
 *                    and the debug buffers that go with them
 *     diff/          traces of a program before and after changes: see make_diffs.h
 *     hostile.prof   names that attack terminals, tables and parsers
 */
#include "make_diffs.h"
#include "make_executorch.h"
#include "trace_builder.h"

#include <stdio.h>
#include <string.h>

enum { LAUNCH = 211, LAUNCH_GRAPH = 311, COPY = 41, ALLOC = 20, FREE = 22 };

static const char *directory;

static int save(struct trace_builder *trace, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    bool written = trace_builder_write(trace, path);
    trace_builder_destroy(trace);
    if (!written)
        perror(path);
    return !written;
}

static struct trace_builder *begin(const char *program, uint32_t pid)
{
    struct trace_builder *trace = trace_builder_create();
    trace_builder_header(trace)->pid = pid;
    trace_builder_info(trace, PROF_INFO_PROGRAM, program);
    trace_builder_info(trace, PROF_INFO_HOST, "node7");
    trace_builder_thread(trace, 1, pid, "main", 0);
    return trace;
}

static void add_device(struct trace_builder *trace)
{
    trace_builder_info(trace, PROF_INFO_GPU_REASON, "libcupti.so.13 timed the device");
    trace_builder_info(trace, PROF_INFO_DRIVER, "13.0");
    trace_builder_device(trace, 0, "Simulated GPU");
    trace_builder_context(trace, 1, 0);
    trace_builder_stream(trace, 1, 7, 0);
    trace_builder_api_name(trace, PROF_API_RUNTIME, LAUNCH, "cudaLaunchKernel");
    trace_builder_api_name(trace, PROF_API_RUNTIME, COPY, "cudaMemcpyAsync");
    trace_builder_header(trace)->flags |= PROF_FILE_SIMULATED;
}

static void call(struct trace_builder *trace, int64_t start_ns, uint16_t cbid, uint32_t correlation)
{
    struct prof_rec_api_enter enter = {.correlation = correlation,
                                       .cbid = cbid,
                                       .domain = PROF_API_RUNTIME,
                                       .flags = PROF_API_LAUNCHES,
                                       .operations = 1};
    trace_builder_enter(trace, start_ns, enter);
    trace_builder_exit(trace, start_ns + 5000, correlation, 0);
}

static void kernel(struct trace_builder *trace, const char *name, int64_t start_ns, int64_t end_ns,
                   uint32_t correlation)
{
    struct prof_rec_kernel detail = {.context = 1,
                                     .stream = 7,
                                     .grid_x = 1024,
                                     .grid_y = 1,
                                     .grid_z = 1,
                                     .block_x = 256,
                                     .block_y = 1,
                                     .block_z = 1,
                                     .registers = 32};
    detail.name = trace_builder_name(trace, name);
    trace_builder_kernel(trace, start_ns, end_ns, correlation, detail, true);
}

static void copy(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                 uint32_t correlation)
{
    struct prof_rec_memcpy detail = {.bytes = 1 << 20,
                                     .context = 1,
                                     .stream = 7,
                                     .copy_kind = 1,
                                     .src_kind = 1,
                                     .dst_kind = 3,
                                     .flags = 1};
    trace_builder_memcpy(trace, start_ns, end_ns, correlation, detail);
}

static void run_training(struct trace_builder *trace, int64_t kernel_ns)
{
    trace_builder_log(trace, 0, 1, 0);
    trace_builder_step(trace, 10000, 1);
    trace_builder_push(trace, 20000, trace_builder_name(trace, "load"));
    call(trace, 25000, COPY, 1);
    trace_builder_pop(trace, 120000);
    trace_builder_push(trace, 130000, trace_builder_name(trace, "forward"));
    trace_builder_attr(trace, trace_builder_name(trace, "flops"), PROF_ATTR_INT, 2000000);
    call(trace, 140000, LAUNCH, 2);
    trace_builder_push(trace, 150000, trace_builder_name(trace, "norm"));
    call(trace, 160000, LAUNCH, 3);
    trace_builder_pop(trace, 170000);
    trace_builder_pop(trace, 200000);
    trace_builder_mark(trace, 210000, trace_builder_name(trace, "checkpoint"));
    trace_builder_step(trace, 250000, 2);
    trace_builder_thread_end(trace, 300000);
    trace_builder_log(trace, 1, 1, 0);
    copy(trace, 40000, 90000, 1);
    kernel(trace, "gemm", 150000, 150000 + kernel_ns, 2);
    kernel(trace, "layer_norm", 160000 + kernel_ns, 190000 + kernel_ns, 3);
}

static int make_demo(void)
{
    struct trace_builder *trace = begin("train", 4242);
    add_device(trace);
    run_training(trace, 1234567);
    return save(trace, "demo.prof");
}

static int make_rank(int32_t rank, const char *name)
{
    struct trace_builder *trace = begin("train", 500u + (uint32_t)rank);
    add_device(trace);
    trace_builder_header(trace)->rank = trace_builder_header(trace)->local_rank = rank;
    trace_builder_header(trace)->world_size = 2;
    run_training(trace, 1000000);
    return save(trace, name);
}

static int make_cpu(void)
{
    struct trace_builder *trace = begin("solver", 77);
    trace_builder_header(trace)->gpu_mode = PROF_GPU_NONE;
    trace_builder_thread(trace, 2, 78, "worker", 0);
    trace_builder_log(trace, 0, 1, 0);
    trace_builder_push(trace, 0, trace_builder_name(trace, "solve"));
    trace_builder_push(trace, 1000, trace_builder_name(trace, "assemble"));
    trace_builder_pop(trace, 2501000);
    trace_builder_pop(trace, 5000000);
    trace_builder_log(trace, 1, 2, 0);
    trace_builder_push(trace, 100, trace_builder_name(trace, "assemble"));
    trace_builder_pop(trace, 1000100);
    return save(trace, "cpu.prof");
}

static int make_lossy(void)
{
    struct trace_builder *trace = begin("leaky", 99);
    add_device(trace);
    trace_builder_header(trace)->loss[PROF_LOSS_CUPTI_DROPPED] = 1;
    trace_builder_header(trace)->loss[PROF_LOSS_FULL] = 12;
    trace_builder_log(trace, 0, 1, 0);
    trace_builder_pop(trace, 500);
    trace_builder_push(trace, 1000, trace_builder_name(trace, "open"));
    call(trace, 2000, LAUNCH, 1);
    call(trace, 8000, LAUNCH, 2);
    trace_builder_log(trace, 1, 1, 0);
    kernel(trace, "gemm", 10000, 20000, 1);
    return save(trace, "lossy.prof");
}

static int make_killed(void)
{
    struct trace_builder *trace = begin("victim", 31);
    trace_builder_header(trace)->state = PROF_STATE_RECORDING;
    trace_builder_header(trace)->gpu_mode = PROF_GPU_NONE;
    trace_builder_log(trace, 0, 1, 0);
    trace_builder_push(trace, 1000, trace_builder_name(trace, "never closed"));
    trace_builder_push(trace, 2000, trace_builder_name(trace, "closed"));
    trace_builder_pop(trace, 3000);
    return save(trace, "killed.prof");
}

static void pytorch_range(struct trace_builder *trace, int64_t start_ns, const char *name,
                          uint64_t seq, const char *sizes)
{
    trace_builder_nvtx_push(trace, start_ns, trace_builder_name(trace, name));
    trace_builder_attr(trace, trace_builder_name(trace, "seq"), PROF_ATTR_INT, seq);
    if (sizes)
        trace_builder_attr(trace, trace_builder_name(trace, "sizes"), PROF_ATTR_STRING,
                           trace_builder_name(trace, sizes));
}

static uint32_t library_name(struct trace_builder *trace, const char *name)
{
    return trace_builder_event_name(
        trace, (struct prof_rec_event_name){.name = trace_builder_name(trace, name),
                                            .domain = 1,
                                            .category = 2,
                                            .color = 0xff76b900,
                                            .flags = PROF_EVENT_NAME_COLORED});
}

static void launch_on(struct trace_builder *trace, int64_t start_ns, uint32_t correlation,
                      uint64_t stream)
{
    struct prof_rec_api_enter enter = {.correlation = correlation,
                                       .cbid = LAUNCH,
                                       .domain = PROF_API_RUNTIME,
                                       .flags = PROF_API_LAUNCHES,
                                       .stream = stream,
                                       .operations = 1};
    trace_builder_enter(trace, start_ns, enter);
    trace_builder_exit(trace, start_ns + 5000, correlation, 0);
}

/* The library's range outlives the operation in which it began. */
static void run_forward(struct trace_builder *trace)
{
    const uint64_t request = (uint64_t)1 << 32 | 1;
    uint32_t payload = trace_builder_name(trace, "payload");
    trace_builder_log(trace, 0, 1, 0);
    trace_builder_push(trace, 10000, trace_builder_name(trace, "step"));
    trace_builder_begin(trace, 12000, library_name(trace, "request"), request);
    trace_builder_attr_of(trace, payload, PROF_ATTR_UINT, UINT64_MAX, request);
    pytorch_range(trace, 20000, "aten::linear", 7, "[[64, 256], [512, 256], []]");
    trace_builder_nvtx_push(trace, 30000, library_name(trace, "gemm"));
    launch_on(trace, 40000, 1, 0x5000);
    trace_builder_nvtx_pop(trace, 60000, 0);
    launch_on(trace, 70000, 2, 0x5000);
    trace_builder_nvtx_pop(trace, 80000, 1);
    trace_builder_end(trace, 90000, request);
    trace_builder_mark(trace, 95000, library_name(trace, "checkpoint"));
    trace_builder_attr_of(trace, payload, PROF_ATTR_HEX, 0x7f00, PROF_ATTR_OF_MARK);
    trace_builder_pop(trace, 100000);
    trace_builder_thread_end(trace, 300000);
}

static void run_backward(struct trace_builder *trace)
{
    trace_builder_log(trace, 1, 2, 0);
    pytorch_range(trace, 200000, "autograd::engine::evaluate_function: AddmmBackward0", 7, NULL);
    pytorch_range(trace, 210000, "AddmmBackward0", 7, NULL);
    launch_on(trace, 220000, 3, 0x5000);
    trace_builder_nvtx_pop(trace, 240000, 0);
    trace_builder_nvtx_pop(trace, 250000, 0);
    trace_builder_thread_end(trace, 300000);
}

static int make_nvtx(void)
{
    struct trace_builder *trace = begin("torch", 4300);
    add_device(trace);
    trace_builder_thread(trace, 2, 4301, "pt_autograd_0", 0);
    trace_builder_domain(trace, 1, "cuBLAS");
    trace_builder_category(trace, 1, 2, "matmul");
    trace_builder_resource(trace, PROF_RESOURCE_STREAM, 0x5000, "compute");
    trace_builder_resource(trace, PROF_RESOURCE_DEVICE, 0, "trainer's GPU");
    run_forward(trace);
    run_backward(trace);
    trace_builder_log(trace, 2, 1, 0);
    kernel(trace, "gemm", 100000, 150000, 1);
    kernel(trace, "bias", 150000, 160000, 2);
    kernel(trace, "gemm", 230000, 290000, 3);
    return save(trace, "nvtx.prof");
}

static int make_hostile(void)
{
    static const char *const names[] = {
        "\x1b[31mred\x1b]0;title\x07",
        ("\xc2\x9b"
         "1mC1"),
        "quote\"back\\slash",
        "</script>",
        "=cmd|' /C calc'!A0",
        "\xff\xfe not UTF-8",
        "\xe2\x80\xaegnp.exe",
        "two\nlines\ttab",
        "\xf0\x9f\x98\x80 caf\xc3\xa9",
    };
    struct trace_builder *trace = begin("\x1b[2Jprogram", 13);
    trace_builder_header(trace)->gpu_mode = PROF_GPU_NONE;
    trace_builder_log(trace, 0, 1, 0);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        trace_builder_push(trace, 10000 * (i + 1), trace_builder_name(trace, names[i]));
        trace_builder_pop(trace, 10000 * (i + 1) + 9000 - 100 * i);
    }
    return save(trace, "hostile.prof");
}

static void allocate(struct trace_builder *trace, int64_t time_ns, uint32_t correlation,
                     uint64_t address, uint64_t bytes, enum prof_memory_operation operation)
{
    bool frees = operation == PROF_MEMORY_RELEASE;
    struct prof_rec_api_enter enter = {
        .correlation = correlation, .cbid = frees ? FREE : ALLOC, .domain = PROF_API_RUNTIME};
    struct prof_rec_memory record = {.address = address,
                                     .bytes = bytes,
                                     .context = 1,
                                     .operation = (uint8_t)operation,
                                     .kind = 3};
    trace_builder_enter(trace, time_ns, enter);
    trace_builder_memory(trace, time_ns + 500, correlation, record);
    trace_builder_exit(trace, time_ns + 1000, correlation, 0);
}

static void add_managed(struct trace_builder *trace)
{
    trace_builder_memory_pool(
        trace, 40000, 0,
        (struct prof_rec_memory_pool){.pool = 0x9000, .bytes = 2 << 20, .operation = 1});
    trace_builder_unified_memory(
        trace, 31000, 32000,
        (struct prof_rec_unified_memory){.value = 4 << 20, .kind = 1, .source = UINT32_MAX});
    trace_builder_unified_memory(trace, 30500, 32000,
                                 (struct prof_rec_unified_memory){.value = 2, .kind = 4});
}

static int make_memory(void)
{
    struct trace_builder *trace = begin("hoarder", 77);
    add_device(trace);
    trace_builder_api_name(trace, PROF_API_RUNTIME, ALLOC, "cudaMalloc");
    trace_builder_api_name(trace, PROF_API_RUNTIME, FREE, "cudaFree");
    trace_builder_allocator(trace, 1, "arena");
    trace_builder_log(trace, 0, 1, 0);
    trace_builder_push(trace, 1000, trace_builder_name(trace, "train"));
    for (uint32_t i = 0; i < 3; i++) {
        trace_builder_push(trace, 2000 + 5000 * i, trace_builder_name(trace, "forward"));
        allocate(trace, 3000 + 5000 * i, 1 + i, 0x100000 * (1 + i), 1 << 20, PROF_MEMORY_ALLOCATE);
        trace_builder_alloc(trace, 4500 + 5000 * i, 1, 0x10 + i, 100);
        trace_builder_pop(trace, 5000 + 5000 * i);
    }
    allocate(trace, 20000, 8, 0x100000, 0, PROF_MEMORY_RELEASE);
    allocate(trace, 22000, 9, 0xbad, 0, PROF_MEMORY_RELEASE); /* of what was never allocated */
    trace_builder_free(trace, 24000, 1, 0x10);
    call(trace, 25000, LAUNCH, 20);
    trace_builder_pop(trace, 35000);
    kernel(trace, "_Z5saxpyif", 30000, 33000, 20);
    add_managed(trace);
    return save(trace, "memory.prof");
}

/* A node that was captured, or cloned from `original`. */
static void node(struct trace_builder *trace, int64_t time_ns, uint64_t id, uint64_t original,
                 uint32_t graph)
{
    const uint64_t words[] = {id, original, graph};
    trace_builder_ext(trace, PROF_REC_GRAPH_NODE, (uint64_t)time_ns, words, 3);
}

static void graph_launch(struct trace_builder *trace, int64_t start_ns, uint32_t correlation)
{
    struct prof_rec_api_enter enter = {.correlation = correlation,
                                       .cbid = LAUNCH_GRAPH,
                                       .domain = PROF_API_RUNTIME,
                                       .flags = PROF_API_GRAPH,
                                       .name = 2,
                                       .operations = 2};
    trace_builder_push(trace, start_ns, trace_builder_name(trace, "step"));
    trace_builder_enter(trace, start_ns + 1000, enter);
    trace_builder_exit(trace, start_ns + 5000, correlation, 0);
    trace_builder_pop(trace, start_ns + 6000);
}

static void node_kernel(struct trace_builder *trace, int64_t start_ns, uint32_t correlation,
                        uint64_t graph_node)
{
    struct prof_rec_kernel detail = {
        .context = 1, .stream = 7, .graph_node = graph_node, .graph = 2};
    detail.name = trace_builder_name(trace, "_Z5saxpyif");
    trace_builder_kernel(trace, start_ns, start_ns + 3000, correlation, detail, true);
}

/* A graph of two kernels, captured in two ranges and replayed three times; the last launch lacks one. */
static int make_graphs(void)
{
    struct trace_builder *trace = begin("replayer", 88);
    const struct prof_rec_graph graph = {
        .header = PROF_WORD_EXT((uint64_t)PROF_KIND_EXT, PROF_REC_GRAPH, sizeof graph / 8, 0),
        .ticks = TRACE_BUILDER_START_TICKS + 9000,
        .graph = 2,
        .source = 1,
        .kernels = 2};
    add_device(trace);
    trace_builder_api_name(trace, PROF_API_RUNTIME, LAUNCH_GRAPH, "cudaGraphLaunch");
    trace_builder_meta(trace, &graph, sizeof graph);
    trace_builder_log(trace, 0, 1, 0);
    for (uint32_t i = 0; i < 2; i++) {
        trace_builder_push(trace, 1000 + 3000 * i,
                           trace_builder_name(trace, i ? "attention" : "embedding"));
        node(trace, 2000 + 3000 * i, 0x100000001u + i, 0, 1);
        trace_builder_pop(trace, 3000 + 3000 * i);
    }
    node(trace, 8000, 0x200000001u, 0x100000001u, 2);
    node(trace, 8500, 0x200000002u, 0x100000002u, 2);
    for (uint32_t i = 0; i < 3; i++)
        graph_launch(trace, 10000 + 20000 * i, 5 + i);
    for (uint32_t i = 0; i < 3; i++) {
        node_kernel(trace, 18000 + 20000 * i, 5 + i, 0x200000001u);
        if (i < 2)
            node_kernel(trace, 22000 + 20000 * i, 5 + i, 0x200000002u);
    }
    return save(trace, "graphs.prof");
}

/* An event of a profiling block; without end when `end_ns` is 0. */
static void event(struct trace_builder *trace, const char *name, uint32_t instruction,
                  int64_t start_ns, int64_t end_ns)
{
    uint64_t id = (uint64_t)1 << 32 | (uint64_t)start_ns;
    uint64_t begin[] = {trace_builder_name(trace, name), id, (uint64_t)instruction << 32};
    trace_builder_ext(trace, PROF_REC_RANGE_BEGIN, (uint64_t)start_ns, begin, 3);
    if (end_ns)
        trace_builder_end(trace, end_ns, id);
}

static void run_inference(struct trace_builder *trace, int64_t start_ns)
{
    uint64_t block = trace_builder_name(trace, "inference");
    trace_builder_ext(trace, PROF_REC_BLOCK, (uint64_t)start_ns, &block, 1);
    event(trace, "native_call_add.out", 0, start_ns + 1000, start_ns + 3500);
    trace_builder_alloc(trace, start_ns + 4000, 1, 0, 4096);
    event(trace, "native_call_max_pool2d_with_indices.out", 1, start_ns + 5000, start_ns + 9000);
}

static int make_blocks(void)
{
    struct trace_builder *trace = begin("runner", 55);
    trace_builder_header(trace)->gpu_mode = PROF_GPU_NONE;
    trace_builder_allocator(trace, 1, "planned memory");
    trace_builder_log(trace, 0, 1, 0);
    event(trace, "Program::load_method", 0, 100, 900);
    run_inference(trace, 10000);
    run_inference(trace, 30000);
    event(trace, "never ends", 2, 40000, 0);
    return save(trace, "blocks.prof");
}

static void fail_call(struct trace_builder *trace, int64_t time_ns, uint32_t cbid,
                      uint32_t correlation, uint8_t flags, int32_t result)
{
    trace_builder_enter(trace, time_ns,
                        (struct prof_rec_api_enter){.cbid = (uint16_t)cbid,
                                                    .domain = PROF_API_RUNTIME,
                                                    .correlation = correlation,
                                                    .flags = flags});
    trace_builder_exit(trace, time_ns + (flags ? 0 : 1000), correlation, result);
}

/* Calls that fail, one of which is recorded only where it does; a stream that lost records. */
static int make_failing(void)
{
    enum { STREAM_CREATE = 129, EVENT_QUERY = 136, UNKNOWN_CODE = 12345 };
    struct trace_builder *trace = begin("failing", 66);
    add_device(trace);
    trace_builder_api_name(trace, PROF_API_RUNTIME, ALLOC, "cudaMalloc");
    trace_builder_api_name(trace, PROF_API_RUNTIME, STREAM_CREATE, "cudaStreamCreate");
    trace_builder_api_name(trace, PROF_API_RUNTIME, EVENT_QUERY, "cudaEventQuery");
    trace_builder_log(trace, 0, 1, 0);
    fail_call(trace, 500, ALLOC, 50, 0, UNKNOWN_CODE);
    trace_builder_push(trace, 2000, trace_builder_name(trace, "train"));
    trace_builder_push(trace, 3000, trace_builder_name(trace, "step\t1"));
    for (uint32_t i = 0; i < 3; i++)
        fail_call(trace, 4000 + 2000 * i, ALLOC, 1 + i, 0, 2);
    fail_call(trace, 12000, STREAM_CREATE, 9, PROF_API_FAILED_ONLY, 400);
    fail_call(trace, 13000, EVENT_QUERY, 10, 0, 600);
    call(trace, 20000, LAUNCH, 20);
    call(trace, 30000, LAUNCH, 21);
    call(trace, 40000, LAUNCH, 22);
    trace_builder_pop(trace, 50000);
    trace_builder_pop(trace, 51000);
    kernel(trace, "_Z5saxpyif", 60000, 63000, 20);
    uint64_t lost[] = {(uint64_t)7 << 32 | 1, (uint64_t)PROF_LOSS_ZERO_TIME << 48};
    trace_builder_ext(trace, PROF_REC_LOST, 21, lost, 2);
    trace_builder_header(trace)->loss[PROF_LOSS_ZERO_TIME] = 1;
    trace_builder_header(trace)->loss[PROF_LOSS_CUPTI_DROPPED] = 4;
    return save(trace, "failing.prof");
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    directory = argv[1];
    return make_demo() || make_cpu() || make_lossy() || make_killed() ||
           make_rank(0, "rank0.prof") || make_rank(1, "rank1.prof") || make_nvtx() ||
           make_hostile() || make_memory() || make_graphs() || make_blocks() || make_failing() ||
           !make_executorch(directory) || !make_diffs(directory);
}
