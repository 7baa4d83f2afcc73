/* measured.c - measured WAY: the functions of bench.h, used as they should be and wrongly. Prints "OK" and what the result says,
 * a line "member value" each, or "STATUS: reason". */
#include "cuda_test.h"

#include <prof/bench.h>

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

static struct prof_bench_options options;
static struct prof_bench_result result = {.size_bytes = sizeof result};
static unsigned passes, prepared;

static void call(unsigned blocks)
{
    cuda_check(launch_shaped(&kernel_work, blocks, 64, 32, NULL), "work");
    cuda_check(launch_shaped(&kernel_other, 4, 128, 0, NULL), "other");
}

static void print_time(const char *name, const struct prof_bench_time *time)
{
    printf("%s %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", name, time->median_ns,
           time->mean_ns, time->p10_ns, time->p90_ns, time->min_ns, time->max_ns, time->low_ns,
           time->high_ns, 100 * time->relative_error);
}

static void print_result(void)
{
    printf("calls %" PRIu64 "\nkernels %" PRIu64 "\ncopies %" PRIu64 "\nsequences %" PRIu64
           "\nsequence_calls %" PRIu64 "\ncache %s\nlaunch %s\ndevice_name %s\nsimulated %" PRIu64
           "\n",
           result.calls, result.kernels, result.copies, result.sequences, result.sequence_calls,
           result.cache, result.launch, result.device_name, result.simulated);
    print_time("device_time", &result.device);
    print_time("span", &result.span);
    print_time("gaps", &result.gaps);
    print_time("host_time", &result.host);
    printf("flop %.17g %.17g\n", result.flop, result.bytes);
    for (uint64_t i = 0; i < result.operations; i++) {
        const struct prof_bench_operation *of = &result.operation[i];
        printf("operation %s|%.17g|%.17g|%.17g|%ux%ux%u|%ux%ux%u|%u|%" PRIu64 "|%d|%" PRIu64 "\n",
               of->name, of->time_ns, 100 * of->share, of->gap_ns, of->grid[0], of->grid[1],
               of->grid[2], of->block[0], of->block[1], of->block[2], of->registers,
               of->shared_bytes, of->occupancy_percent, of->copied_bytes);
    }
}

static int end(void)
{
    prof_status status = prof_bench_end(&result);
    if (status == PROF_OK) {
        puts("OK");
        print_result();
    } else {
        printf("%s: %s\n", prof_status_text(status), result.reason);
    }
    return 0;
}

static void begin(void)
{
    prof_status status = prof_bench_begin(&options);
    if (status == PROF_OK)
        return;
    printf("begin: %s\n", prof_status_text(status));
    exit(1);
}

static int is(const char *way, const char *name)
{
    return strcmp(way, name) == 0;
}

static void prepare(void *user)
{
    ++*(unsigned *)user;
    call(1);
}

/* Each wrong use says so and leaves the next one right. */
static int wrongly(void)
{
    struct prof_bench_options wrong = options;
    printf("next %d, end %s\n", prof_bench_next(), prof_status_text(prof_bench_end(&result)));
    wrong.warmup = 0;
    printf("warmup: %s\n", prof_status_text(prof_bench_begin(&wrong)));
    wrong = options, wrong.name = "";
    printf("name: %s\n", prof_status_text(prof_bench_begin(&wrong)));
    wrong = options, wrong.max_relative_error = 0;
    printf("error: %s\n", prof_status_text(prof_bench_begin(&wrong)));
    wrong = options, wrong.size_bytes = 8;
    printf("size: %s\n", prof_status_text(prof_bench_begin(&wrong)));
    printf("no options: %s\n", prof_status_text(prof_bench_begin(NULL)));
    begin();
    printf("twice: %s\n", prof_status_text(prof_bench_begin(&options)));
    while (prof_bench_next())
        call(8);
    struct prof_bench_result small = {.size_bytes = 8};
    printf("small result: %s\n", prof_status_text(prof_bench_end(&small)));
    begin();
    printf("recorded only: %s\n", prof_status_text(prof_bench_end(NULL)));
    return 0;
}

static void fork_once(void)
{
    pid_t child = passes == 4 ? fork() : -1;
    int status;
    if (child == 0) {
        bool more = prof_bench_next();
        printf("child: next %d, end %s\n", more, prof_status_text(prof_bench_end(&result)));
        fflush(stdout);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, &status, 0);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "plainly";
    prof_bench_options_default(&options);
    options.name = "call";
    options.repeats = 8;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (is(way, "wrongly"))
        return wrongly();
    options.cold_l2 = !is(way, "warm");
    if (is(way, "prepared")) {
        options.before_each = prepare;
        options.user = &prepared;
    }
    options.allow_varying = is(way, "grouped");
    options.flops = is(way, "rated") ? 5e6 : 0;
    begin();
    while (prof_bench_next()) {
        passes++;
        if (is(way, "forks") || is(way, "elsewhere"))
            fork_once();
        if ((is(way, "nothing") && passes == 7) || is(way, "elsewhere"))
            continue;
        call((is(way, "varies") || is(way, "grouped")) && passes > 9 ? 16 : 8);
        if (is(way, "early") && passes == 10)
            break;
    }
    if (is(way, "prepared"))
        printf("prepared %u of %u\n", prepared, passes);
    return end();
}
