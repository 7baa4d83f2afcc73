/* large_trace.c - see large_trace.h. */
#include "large_trace.h"

#include "trace_builder.h"

#include <stdio.h>

#define RANGE_NAMES 300u
#define KERNEL_NAMES 500u
#define SHAPES 64u
#define DEPTH 8u
#define THREADS 2u

static uint32_t range_names[RANGE_NAMES], kernel_names[KERNEL_NAMES];
static uint32_t shape_key, shape_names[SHAPES];
static bool with_shapes;

static void name_all(struct trace_builder *trace)
{
    char text[64];
    for (uint32_t i = 0; i < RANGE_NAMES; i++) {
        snprintf(text, sizeof text, "range %u", i);
        if (i % 13 == 0)
            snprintf(text, sizeof text, "aten::mm");
        range_names[i] = trace_builder_name(trace, text);
    }
    for (uint32_t i = 0; i < KERNEL_NAMES; i++) {
        snprintf(text, sizeof text, "_Z6kernelILi%uEEvPf", i);
        kernel_names[i] = trace_builder_name(trace, text);
    }
    shape_key = trace_builder_name(trace, "Input Dims");
    for (uint32_t i = 0; i < SHAPES; i++) {
        snprintf(text, sizeof text, "[[%u, 64], [64, 128]]", i + 1);
        shape_names[i] = trace_builder_name(trace, text);
    }
    trace_builder_api_name(trace, PROF_API_RUNTIME, 211, "cudaLaunchKernel");
}

static void launch(struct trace_builder *trace, int64_t time_ns, uint32_t correlation)
{
    trace_builder_enter(trace, time_ns,
                        (struct prof_rec_api_enter){.correlation = correlation,
                                                    .cbid = 211,
                                                    .domain = PROF_API_RUNTIME,
                                                    .flags = PROF_API_LAUNCHES,
                                                    .operations = 1});
    trace_builder_exit(trace, time_ns + 3000, correlation, 0);
}

/* Two ranges with a launch in the second, eight ranges deep: `pairs` times. */
static void record_thread(struct trace_builder *trace, uint32_t thread, uint32_t pairs)
{
    int64_t now = 1000;
    for (uint32_t i = 0; i < pairs; i++, now += 10000) {
        trace_builder_push(trace, now, range_names[i * 7 % RANGE_NAMES]);
        trace_builder_push(trace, now + 100, range_names[i * 13 % RANGE_NAMES]);
        if (with_shapes)
            trace_builder_attr(trace, shape_key, PROF_ATTR_STRING, shape_names[i % SHAPES]);
        launch(trace, now + 200, i * THREADS + thread + 1);
        trace_builder_pop(trace, now + 4000);
        if (i % (DEPTH / 2) == DEPTH / 2 - 1 || i + 1 == pairs)
            for (uint32_t level = 0; level <= i % (DEPTH / 2); level++)
                trace_builder_pop(trace, now + 5000 + level);
    }
}

static void record_kernels(struct trace_builder *trace, uint32_t thread, uint32_t pairs)
{
    for (uint32_t i = 0; i < pairs; i++) {
        int64_t start = 5000 + (int64_t)i * 10000;
        struct prof_rec_kernel kernel = {.name = kernel_names[i % KERNEL_NAMES],
                                         .context = 1,
                                         .stream = 7 + thread,
                                         .grid_x = 132 + i % 4,
                                         .grid_y = 1,
                                         .grid_z = 1,
                                         .block_x = 256,
                                         .block_y = 1,
                                         .block_z = 1};
        trace_builder_kernel(trace, start, start + 8000 + i % 1000, i * THREADS + thread + 1,
                             kernel, false);
    }
}

bool large_trace_write(const char *path, uint32_t events, bool shapes)
{
    with_shapes = shapes;
    struct trace_builder *trace = trace_builder_create();
    uint32_t pairs = events / 4 / THREADS;
    name_all(trace);
    trace_builder_device(trace, 0, "bench");
    trace_builder_context(trace, 1, 0);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        trace_builder_thread(trace, thread + 1, 100 + thread, "worker", 0);
        trace_builder_log(trace, thread, thread + 1, 0);
        record_thread(trace, thread, pairs);
    }
    trace_builder_thread(trace, THREADS + 1, 200, "libprof", 1);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        trace_builder_log(trace, THREADS + thread, THREADS + 1, 0);
        record_kernels(trace, thread, pairs);
    }
    bool written = trace_builder_write(trace, path);
    trace_builder_destroy(trace);
    return written;
}
