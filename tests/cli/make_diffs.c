/* make_diffs.c - see make_diffs.h. */
#include "make_diffs.h"

#include "trace_builder.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

enum { LAUNCH = 211, COPY = 41, SYNCHRONIZE = 165, STEP_NS = 1000000 };
#define MS INT64_C(1000000)

struct version {
    const char *file, *device, *driver, *product, *extra; /* `extra` NULL: none */
    int64_t product_ns, spread_ns;
    int64_t step_ns;
    uint32_t steps;
};

struct making {
    struct trace_builder *trace;
    const struct version *version;
    uint32_t correlation;
};

static void call(struct making *making, int64_t start_ns, uint16_t cbid)
{
    struct prof_rec_api_enter enter = {.correlation = ++making->correlation,
                                       .cbid = cbid,
                                       .domain = PROF_API_RUNTIME,
                                       .flags = PROF_API_LAUNCHES,
                                       .operations = 1};
    trace_builder_enter(making->trace, start_ns, enter);
    trace_builder_exit(making->trace, start_ns + 5000, making->correlation, 0);
}

static void push(struct making *making, int64_t start_ns, const char *name)
{
    trace_builder_push(making->trace, start_ns, trace_builder_name(making->trace, name));
}

/* In one step: forward has two calls, backward one. */
static void record_step(struct making *making, uint32_t step)
{
    int64_t start_ns = 10000 + making->version->step_ns * step + step * 7 % 10 * 1000;
    trace_builder_step(making->trace, start_ns, step + 1);
    push(making, start_ns + 1000, "forward");
    call(making, start_ns + 2000, COPY);
    call(making, start_ns + 10000, LAUNCH);
    trace_builder_pop(making->trace, start_ns + 20000 + step % 3);
    push(making, start_ns + 30000, "backward");
    call(making, start_ns + 31000, LAUNCH);
    if (making->version->extra)
        call(making, start_ns + 40000, LAUNCH);
    trace_builder_pop(making->trace, start_ns + 50000 + step % 4);
}

static void kernel(struct making *making, const char *name, int64_t start_ns, int64_t duration_ns)
{
    struct prof_rec_kernel detail = {.name = trace_builder_name(making->trace, name),
                                     .context = 1,
                                     .stream = 7,
                                     .grid_x = 64,
                                     .grid_y = 1,
                                     .grid_z = 1,
                                     .block_x = 128,
                                     .block_y = 1,
                                     .block_z = 1};
    trace_builder_kernel(making->trace, start_ns, start_ns + duration_ns, ++making->correlation,
                         detail, false);
}

static void copy(struct making *making, int64_t start_ns)
{
    struct prof_rec_memcpy detail = {.context = 1, .stream = 7, .bytes = 4096, .copy_kind = 1};
    uint32_t correlation = ++making->correlation;
    trace_builder_memcpy(making->trace, start_ns, start_ns + 20001 + correlation % 5, correlation,
                         detail);
}

/* The device's part, with the correlation ids of the calls. */
static void record_work(struct making *making, uint32_t step)
{
    const struct version *version = making->version;
    int64_t start_ns = 60000 + version->step_ns * step, jitter_ns = step * 37 % 11;
    copy(making, start_ns);
    kernel(making, version->product, start_ns + 30000, version->product_ns + jitter_ns * 101);
    kernel(making, "_Z5scaleIfEvPT_f", start_ns + 400000,
           50000 + jitter_ns % 7 * (version->spread_ns + 11));
    if (version->extra)
        kernel(making, version->extra, start_ns + 700000, 30000 + jitter_ns);
}

static void begin(struct making *making)
{
    struct trace_builder *trace = making->trace;
    trace_builder_info(trace, PROF_INFO_PROGRAM, "train");
    trace_builder_info(trace, PROF_INFO_HOST, "node7");
    trace_builder_info(trace, PROF_INFO_DRIVER, making->version->driver);
    trace_builder_thread(trace, 1, 4242, "main", 0);
    trace_builder_thread(trace, 2, 4243, "libprof", 1);
    trace_builder_device(trace, 0, making->version->device);
    trace_builder_context(trace, 1, 0);
    trace_builder_stream(trace, 1, 7, 0);
    trace_builder_api_name(trace, PROF_API_RUNTIME, LAUNCH, "cudaLaunchKernel");
    trace_builder_api_name(trace, PROF_API_RUNTIME, COPY, "cudaMemcpyAsync");
}

static bool make(const char *directory, const struct version *version)
{
    char path[4096];
    struct making making = {trace_builder_create(), version, 0};
    begin(&making);
    trace_builder_log(making.trace, 0, 1, 0);
    for (uint32_t step = 0; step < version->steps; step++)
        record_step(&making, step);
    trace_builder_thread_end(making.trace, 10000 + version->step_ns * version->steps);
    making.correlation = 0;
    trace_builder_log(making.trace, 1, 2, 0);
    for (uint32_t step = 0; step < version->steps; step++)
        record_work(&making, step);
    snprintf(path, sizeof path, "%s/diff/%s", directory, version->file);
    bool written = trace_builder_write(making.trace, path);
    trace_builder_destroy(making.trace);
    if (!written)
        perror(path);
    return written;
}

/* ---- a program without steps ---- */

/* Ten kernels in a range "work", then `waits` waits of 240 ms; `wall_ms` in all. */
struct plain {
    const char *file;
    int64_t wall_ms, kernel_ms;
    uint32_t waits;
    int64_t start_s; /* after the first one */
};

static bool make_plain(const char *directory, const struct plain *plain)
{
    char path[4096];
    struct version version = {.device = "Simulated GPU A", .driver = "12.4"};
    struct making making = {trace_builder_create(), &version, 0};
    struct trace_builder *trace = making.trace;
    trace_builder_header(trace)->start_realtime_ns += (uint64_t)(plain->start_s * 1000 * MS);
    begin(&making);
    trace_builder_api_name(trace, PROF_API_RUNTIME, SYNCHRONIZE, "cudaDeviceSynchronize");
    trace_builder_log(trace, 0, 1, 0);
    push(&making, 0, "work");
    for (uint32_t i = 0; i < 10; i++)
        call(&making, (1 + i) * MS, LAUNCH);
    for (uint32_t i = 0; i < plain->waits; i++) {
        struct prof_rec_api_enter enter = {
            .correlation = ++making.correlation, .cbid = SYNCHRONIZE, .domain = PROF_API_RUNTIME};
        trace_builder_enter(trace, (20 + 250 * i) * MS, enter);
        trace_builder_exit(trace, (260 + 250 * i) * MS, making.correlation, 0);
    }
    trace_builder_pop(trace, plain->wall_ms * MS);
    trace_builder_thread_end(trace, plain->wall_ms * MS);
    making.correlation = 0;
    trace_builder_log(trace, 1, 2, 0);
    for (uint32_t i = 0; i < 10; i++)
        kernel(&making, "_Z5scaleIfEvPT_f", (20 + 10 * i) * MS, plain->kernel_ms * MS + i);
    snprintf(path, sizeof path, "%s/diff/%s", directory, plain->file);
    bool written = trace_builder_write(trace, path);
    trace_builder_destroy(trace);
    if (!written)
        perror(path);
    return written;
}

static bool make_plains(const char *directory)
{
    static const struct plain plains[] = {
        {"plain.prof", 1100, 4, 4, 0},
        {"plain_twice.prof", 2200, 4, 4, 0},  /* wall time alone */
        {"plain_device.prof", 1100, 8, 4, 0}, /* device time alone */
        {"plain_nowait.prof", 140, 4, 0, 0},
    };
    char name[64];
    for (size_t i = 0; i < sizeof plains / sizeof *plains; i++)
        if (!make_plain(directory, &plains[i]))
            return false;
    for (unsigned i = 0; i < 12; i++) { /* six runs of the first, then six of the second */
        snprintf(name, sizeof name, "%s%u.prof", i < 6 ? "run" : "twice_run", i % 6);
        int64_t wall_ms = i < 6 ? 1100 : 2200;
        struct plain plain = {name, wall_ms + i * 7 % 6, 4, 4, 10 * i};
        if (!make_plain(directory, &plain))
            return false;
    }
    return true;
}

bool make_diffs(const char *directory)
{
    char path[4096];
    static const struct version versions[] = {
        {"base.prof", "Simulated GPU A", "12.4", "ampere_sgemm_128x64_nn", NULL, 200000, 0, STEP_NS,
         10},
        {"slow.prof", "Simulated GPU B", "13.0", "ampere_sgemm_64x32_nn", "fused_bias", 240000, 0,
         STEP_NS + 70000, 20},
        {"noisy.prof", "Simulated GPU A", "12.4", "ampere_sgemm_128x64_nn", NULL, 200000, 20000,
         STEP_NS, 10},
    };
    snprintf(path, sizeof path, "%s/diff", directory);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        perror(path);
        return false;
    }
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!make(directory, &versions[i]))
            return false;
    return make_plains(directory);
}
