/* bench_work.c - cost of computing an operator's work: one operator from its texts, and a whole
 * timeline compared with loading it.
 *
 *     bench_work [EVENTS]
 *
 * Of the events a third are operators with sizes, types and values as PyTorch has them, a third their
 * launches, a third the kernels. The goal: a small part of the loading.
 */
#include "bench.h"
#include "kernel_work.h"
#include "read.h"
#include "trace_builder.h"

#include <string.h>
#include <unistd.h>

#define EVENTS_DEFAULT 1000000u
#define ROUNDS 3
#define SHAPES 200u
#define KERNEL_NAMES 40u

static const struct {
    const char *name, *dims, *types, *values;
} operators[] = {
    {"aten::mm", "[[%u, 1024], [1024, 4096]]", "[\"float\", \"float\"]", "[\"\", \"\"]"},
    {"aten::addmm", "[[4096], [%u, 1024], [1024, 4096], [], []]",
     "[\"c10::Half\", \"c10::Half\", \"c10::Half\", \"Scalar\", \"Scalar\"]",
     "[\"\", \"\", \"\", \"1\", \"1\"]"},
    {"aten::convolution", "[[%u, 64, 56, 56], [64, 64, 3, 3], [], [], [], [], [], [], []]",
     "[\"float\", \"float\", \"\", \"ScalarList\", \"ScalarList\", \"ScalarList\", \"Scalar\", "
     "\"ScalarList\", \"Scalar\"]",
     "[\"\", \"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"False\", \"[0, 0]\", \"1\"]"},
    {"aten::add_", "[[%u, 4096], [%u, 4096], []]", "[\"float\", \"float\", \"Scalar\"]",
     "[\"\", \"\", \"1\"]"},
    {"aten::view", "[[%u, 4096], []]", "[\"float\", \"ScalarList\"]", "[\"\", \"[-1]\"]"},
};

#define OPERATORS (sizeof operators / sizeof *operators)

static struct text text_of(const char *bytes)
{
    return (struct text){bytes, strlen(bytes)};
}

/* The same texts over and over: what a shape that is met first costs. */
static void time_operators(void)
{
    const uint32_t times = 200000;
    static struct op_inputs inputs;
    struct op_work work;
    double sum = 0;
    for (size_t i = 0; i < OPERATORS; i++) {
        char dims[256];
        double best = 1e30;
        snprintf(dims, sizeof dims, operators[i].dims, 32u, 32u);
        for (int round = 0; round < ROUNDS; round++) {
            double start = bench_now_ns();
            for (uint32_t n = 0; n < times; n++) {
                op_inputs_parse(&inputs, text_of(dims), text_of(operators[i].types),
                                text_of(operators[i].values));
                op_work_of(text_of(operators[i].name), &inputs, &work);
                sum += work.bytes > 0;
            }
            double taken = (bench_now_ns() - start) / times;
            best = taken < best ? taken : best;
        }
        printf("%-44s %8.1f ns\n", operators[i].name, best);
    }
    if (sum < 0)
        printf("%f\n", sum);
}

struct ids {
    uint32_t name[OPERATORS], types[OPERATORS], values[OPERATORS], dims[OPERATORS][SHAPES];
    uint32_t kernel[KERNEL_NAMES];
    uint32_t dims_key, types_key, values_key;
};

static void name_all(struct trace_builder *trace, struct ids *ids)
{
    char text[256];
    ids->dims_key = trace_builder_name(trace, "Input Dims");
    ids->types_key = trace_builder_name(trace, "Input type");
    ids->values_key = trace_builder_name(trace, "Concrete Inputs");
    for (size_t i = 0; i < OPERATORS; i++) {
        ids->name[i] = trace_builder_name(trace, operators[i].name);
        ids->types[i] = trace_builder_name(trace, operators[i].types);
        ids->values[i] = trace_builder_name(trace, operators[i].values);
        for (uint32_t shape = 0; shape < SHAPES; shape++) {
            snprintf(text, sizeof text, operators[i].dims, shape + 1, shape + 1);
            ids->dims[i][shape] = trace_builder_name(trace, text);
        }
    }
    for (uint32_t i = 0; i < KERNEL_NAMES; i++) {
        snprintf(text, sizeof text, i % 2 ? "ampere_sgemm_%ux64" : "elementwise_kernel_%u", i);
        ids->kernel[i] = trace_builder_name(trace, text);
    }
    trace_builder_api_name(trace, PROF_API_RUNTIME, 211, "cudaLaunchKernel");
}

static void record_operator(struct trace_builder *trace, const struct ids *ids, uint32_t number)
{
    int64_t now = 1000 + (int64_t)number * 10000;
    size_t which = number % OPERATORS;
    trace_builder_push(trace, now, ids->name[which]);
    trace_builder_attr(trace, ids->dims_key, PROF_ATTR_STRING, ids->dims[which][number % SHAPES]);
    trace_builder_attr(trace, ids->types_key, PROF_ATTR_STRING, ids->types[which]);
    trace_builder_attr(trace, ids->values_key, PROF_ATTR_STRING, ids->values[which]);
    trace_builder_enter(trace, now + 100,
                        (struct prof_rec_api_enter){.correlation = number + 1,
                                                    .cbid = 211,
                                                    .domain = PROF_API_RUNTIME,
                                                    .flags = PROF_API_LAUNCHES,
                                                    .operations = 1});
    trace_builder_exit(trace, now + 3000, number + 1, 0);
    trace_builder_pop(trace, now + 4000);
}

static void record_kernel(struct trace_builder *trace, const struct ids *ids, uint32_t number)
{
    int64_t start = 5000 + (int64_t)number * 10000;
    struct prof_rec_kernel kernel = {.name = ids->kernel[number % KERNEL_NAMES],
                                     .context = 1,
                                     .stream = 7,
                                     .grid_x = 132,
                                     .grid_y = 1,
                                     .grid_z = 1,
                                     .block_x = 256,
                                     .block_y = 1,
                                     .block_z = 1};
    trace_builder_kernel(trace, start, start + 8000, number + 1, kernel, false);
}

static bool make_file(const char *path, uint32_t events)
{
    static struct ids ids;
    struct trace_builder *trace = trace_builder_create();
    name_all(trace, &ids);
    trace_builder_device(trace, 0, "bench");
    trace_builder_context(trace, 1, 0);
    trace_builder_thread(trace, 1, 100, "worker", 0);
    trace_builder_log(trace, 0, 1, 0);
    for (uint32_t i = 0; i < events / 3; i++)
        record_operator(trace, &ids, i);
    trace_builder_thread(trace, 2, 200, "libprof", 1);
    trace_builder_log(trace, 1, 2, 0);
    for (uint32_t i = 0; i < events / 3; i++)
        record_kernel(trace, &ids, i);
    bool written = trace_builder_write(trace, path);
    trace_builder_destroy(trace);
    return written;
}

static uint32_t count_known(const struct kernel_works *works)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < works->count; i++)
        known += works->at[i].flop_known == OP_KNOWN;
    return known;
}

static void time_timeline(const char *path, uint32_t events)
{
    double load = 1e30, work = 1e30;
    uint32_t known = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct read_error error;
        struct kernel_works works;
        double start = bench_now_ns();
        struct timeline *timeline = timeline_load(&path, 1, false, &error);
        double loaded = bench_now_ns();
        if (!timeline || !kernel_works_init(&works, timeline)) {
            fprintf(stderr, "bench_work: %s\n", timeline ? "out of memory" : error.message);
            exit(1);
        }
        double done = bench_now_ns();
        load = loaded - start < load ? loaded - start : load;
        work = done - loaded < work ? done - loaded : work;
        known = count_known(&works);
        kernel_works_fini(&works);
        timeline_destroy(timeline);
    }
    printf(
        "%9u events  loaded in %.3f s, their work in %.3f s: %.1f%%, %.1f ns per event, %u kernels "
        "with FLOPs\n",
        events, load / 1e9, work / 1e9, 100 * work / load, work / events, known);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    uint32_t events = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS_DEFAULT;
    snprintf(path, sizeof path, "%s/bench_work-%d.prof", folder ? folder : "/tmp", (int)getpid());
    time_operators();
    if (!make_file(path, events)) {
        fprintf(stderr, "bench_work: %s cannot be written\n", path);
        return 1;
    }
    time_timeline(path, events);
    unlink(path);
    return 0;
}
