/* make_hostile.c - valid recordings of one extreme shape each: make_hostile SHAPE N OUT.prof.
 *
 * A reader must take time and memory that grow no faster than the number of events, whatever their shape. Without
 * arguments, it prints the names of all shapes.
 */
#include "trace_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCH = 211, RECORD = 135, NAMES = 1000 };

static struct trace_builder *trace;

/* The builder looks names up one by one: too slow for these. Ids from NAMES on are not its own. */
static uint32_t many_name(uint32_t number, const char *what)
{
    char text[64];
    int size = snprintf(text, sizeof text, "%s %u", what, number);
    trace_builder_name_as(trace, NAMES + number, text, (size_t)size);
    return NAMES + number;
}

static uint32_t name(const char *text)
{
    return trace_builder_name(trace, text);
}

static void enter(int64_t time_ns, uint32_t correlation)
{
    struct prof_rec_api_enter call = {.correlation = correlation,
                                      .cbid = LAUNCH,
                                      .domain = PROF_API_RUNTIME,
                                      .flags = PROF_API_LAUNCHES,
                                      .operations = 1};
    trace_builder_enter(trace, time_ns, call);
}

static void launch(int64_t time_ns, uint32_t correlation)
{
    enter(time_ns, correlation);
    trace_builder_exit(trace, time_ns + 1, correlation, 0);
}

static void kernel_of(int64_t start_ns, int64_t end_ns, uint32_t correlation, uint32_t stream,
                      uint32_t kernel_name)
{
    struct prof_rec_kernel detail = {
        .context = 1,
        .stream = stream,
        .name = kernel_name,
        .grid_x = 1,
        .grid_y = 1,
        .grid_z = 1,
        .block_x = 32,
        .block_y = 1,
        .block_z = 1,
    };
    trace_builder_kernel(trace, start_ns, end_ns, correlation, detail, false);
}

static void kernel(int64_t start_ns, int64_t end_ns, uint32_t correlation)
{
    kernel_of(start_ns, end_ns, correlation, 7, name("kernel"));
}

/* ---- threads ---- */

static void deep(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        trace_builder_push(trace, i * 4, name("outer"));
        launch(i * 4 + 1, i + 1);
    }
    for (uint32_t i = 0; i < n; i++)
        trace_builder_pop(trace, n * 4 + i);
    for (uint32_t i = 0; i < n; i++)
        kernel(n * 5 + i * 2, n * 5 + i * 2 + 1, i + 1);
}

/* The ranges of PyTorch's engine in each other, and each is the backward pass of a forward range. */
static void deep_backward(uint32_t n)
{
    uint32_t forward = name("aten::mm"),
             backward = name("autograd::engine::evaluate_function: MmBackward0");
    uint32_t key = name("Sequence number"), thread = name("kernel");
    for (uint32_t i = 0; i < n; i++) {
        trace_builder_push(trace, i * 2, forward);
        trace_builder_attr(trace, key, PROF_ATTR_INT, i);
        trace_builder_pop(trace, i * 2 + 1);
    }
    trace_builder_log(trace, 1, 2, 0);
    for (uint32_t i = 0; i < n; i++) {
        trace_builder_push(trace, n * 2 + i, backward);
        trace_builder_attr(trace, key, PROF_ATTR_INT, i);
    }
    launch(n * 3, 1);
    for (uint32_t i = 0; i < n; i++)
        trace_builder_pop(trace, n * 4 + i);
    kernel_of(n * 5, n * 6, 1, 7, thread);
}

/* The same, but only the innermost backward function has a number. */
static void deep_evaluation(uint32_t n)
{
    uint32_t forward = name("aten::mm"),
             backward = name("autograd::engine::evaluate_function: MmBackward0");
    uint32_t key = name("Sequence number");
    trace_builder_push(trace, 0, forward);
    trace_builder_attr(trace, key, PROF_ATTR_INT, 1);
    trace_builder_pop(trace, 1);
    trace_builder_log(trace, 1, 2, 0);
    for (uint32_t i = 0; i < n; i++)
        trace_builder_push(trace, 2 + i, backward);
    trace_builder_push(trace, n + 3, name("MmBackward0"));
    trace_builder_attr(trace, key, PROF_ATTR_INT, 1);
    launch(n + 4, 1);
    for (uint32_t i = 0; i <= n; i++)
        trace_builder_pop(trace, n + 6 + i);
    kernel(n * 3, n * 4, 1);
}

static void deep_collectives(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        trace_builder_push(trace, i * 4, name("nccl:all_reduce"));
        launch(i * 4 + 1, i + 1);
    }
    for (uint32_t i = 0; i < n; i++)
        trace_builder_pop(trace, n * 4 + i);
    for (uint32_t i = 0; i < n; i++)
        kernel_of(n * 5 + i * 2, n * 5 + i * 2 + 1, i + 1, 7,
                  name("ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
}

static void deep_calls(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        enter(i, i + 1);
    for (uint32_t i = n; i-- > 0;)
        trace_builder_exit(trace, n * 2 - i, i + 1, 0);
    for (uint32_t i = 0; i < n; i++)
        kernel(n * 5 + i * 2, n * 5 + i * 2 + 1, i + 1);
}

/* Calls that never end while ranges come and go: each range cuts all of them. */

/* Each range ends within the next one. */

static void same_time_deep(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        trace_builder_push(trace, 100, name("inner"));
    for (uint32_t i = 0; i < n; i++)
        trace_builder_pop(trace, 100);
}

/* Two threads have steps at once: each cuts the other's. */

/* Of one key, of which the last counts. */

/* ---- devices ---- */

/* All have one id, as if it had wrapped. */

/* All wait for one event, which is recorded all the time. */
static void waits_one_event(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct prof_rec_api_enter call = {
            .correlation = i + 1, .cbid = RECORD, .domain = PROF_API_RUNTIME};
        trace_builder_enter(trace, i * 8, call);
        trace_builder_exit(trace, i * 8 + 1, i + 1, 0);
        uint64_t event[2] = {UINT64_C(7) << 32 | 1, 5};
        trace_builder_ext(trace, PROF_REC_CUDA_EVENT, i + 1, event, 2);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct prof_rec_sync sync = {.type = 3, .context = 1, .stream = 7, .event = 5};
        trace_builder_sync(trace, n * 8 + i, n * 9 + 3, n + i + 1, sync);
    }
}

static void migrations(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct prof_rec_unified_memory detail = {
            .address = i * UINT64_C(4096), .value = 4096, .kind = 1 + i % 8, .source = UINT32_MAX};
        trace_builder_unified_memory(trace, i, n + i, detail);
    }
}

/* Each node is a clone of the one before. */

/* As many modules as stacks; each has its own. */

/* All were mapped at the same address, one after the other. */

/* ---- facts ---- */

static void windows(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        trace_builder_control(trace, i * 8, i + 1, true);
        trace_builder_epoch(trace, i * 8 + 1, i + 1);
        launch(i * 8 + 2, i + 1);
        kernel(i * 8 + 4, i * 8 + 5, i + 1);
        trace_builder_control(trace, i * 8 + 6, i + 1, false);
    }
}

static void notes(uint32_t n)
{
    char text[64];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "note %u", i);
        trace_builder_info(trace, PROF_INFO_NOTE, text);
    }
}

static void blocks(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t block = many_name(i, "block");
        trace_builder_event(trace, PROF_REC_BLOCK, i * 8, &block, 1);
        uint64_t id = UINT64_C(1) << 32 | (i + 1);
        uint64_t words[3] = {name("event"), id, UINT64_C(0) << 32 | UINT32_MAX};
        trace_builder_event(trace, PROF_REC_RANGE_BEGIN, i * 8 + 1, words, 3);
        trace_builder_end(trace, i * 8 + 2, id);
        trace_builder_alloc(trace, i * 8 + 3, 1, 0, 64);
    }
    trace_builder_allocator(trace, 1, "allocator");
}

/* Ranges timed by CUDA events, in each other; their times do not nest. */
static void timings(uint32_t n)
{
    trace_builder_header(trace)->gpu_mode = PROF_GPU_EVENTS;
    for (uint32_t i = 0; i < n; i++) {
        trace_builder_push(trace, i * 2, name("timed"));
        trace_builder_timed(trace, i * 2 + 1, i + 1);
    }
    for (uint32_t i = 0; i < n; i++)
        trace_builder_pop(trace, n * 2 + i);
    for (uint32_t i = 0; i < n; i++)
        trace_builder_range_time(trace, n * 4 - i, n * 5 - i, i + 1, 0);
}

static void overheads(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct prof_rec_overhead detail = {
            .kind = i, .object_kind = 2, .object = {4242, 1001 + i, 0}};
        trace_builder_overhead(trace, i, n + i, 0, detail);
    }
}

/* ---- main ---- */

static const struct {
    const char *name;
    void (*make)(uint32_t n);
} shapes[] = {
    {"blocks", blocks},
    {"deep", deep},
    {"deep_backward", deep_backward},
    {"deep_calls", deep_calls},
    {"deep_collectives", deep_collectives},
    {"deep_evaluation", deep_evaluation},
    {"migrations", migrations},
    {"notes", notes},
    {"overheads", overheads},
    {"same_time_deep", same_time_deep},
    {"timings", timings},
    {"waits_one_event", waits_one_event},
    {"windows", windows},
};

static void begin(void)
{
    trace = trace_builder_create();
    trace_builder_info(trace, PROF_INFO_PROGRAM, "hostile");
    trace_builder_thread(trace, 1, 1001, "main", 0);
    trace_builder_thread(trace, 2, 1002, "second", 0);
    trace_builder_device(trace, 0, "Simulated GPU");
    trace_builder_context(trace, 1, 0);
    trace_builder_stream(trace, 1, 7, 0);
    trace_builder_api_name(trace, PROF_API_RUNTIME, LAUNCH, "cudaLaunchKernel");
    trace_builder_api_name(trace, PROF_API_RUNTIME, RECORD, "cudaEventRecord");
    trace_builder_log(trace, 0, 1, 0);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 1 && i < sizeof shapes / sizeof *shapes; i++)
        puts(shapes[i].name);
    if (argc != 4)
        return argc == 1 ? 0 : 2;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(shapes[i].name, argv[1]) != 0)
            continue;
        begin();
        shapes[i].make((uint32_t)strtoul(argv[2], NULL, 10));
        bool written = trace_builder_write(trace, argv[3]);
        trace_builder_destroy(trace);
        return written ? 0 : 1;
    }
    fprintf(stderr, "no such shape: %s\n", argv[1]);
    return 2;
}
