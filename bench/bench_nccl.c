/* bench_nccl.c - cost of what NCCL tells a profiler plugin of a collective, compared with prof_range_push() and
 * prof_range_pop().
 *
 * The program is linked with libprof and plays NCCL's part: interface 6, without NVTX.
 */
#include "bench.h"

#include "../collect/nccl/nccl_abi.h"

#include <prof/prof.h>

#include <unistd.h>

#define COLLECTIVES 20000u
#define GROUPED 8u

extern const struct nccl_plugin ncclProfiler_v6;

static int mask;

static void loop_prof_h(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        const char *text = "forward pass, layer 012";
        __asm__ volatile("" : "+r"(text));
        prof_range_push(text);
        prof_range_pop();
    }
}

static void *start(void *context, uint64_t type, void *parent, struct nccl_descriptor descriptor)
{
    void *event = NULL;
    descriptor.head.type = type;
    descriptor.head.parent = parent;
    ncclProfiler_v6.start(context, &event, &descriptor);
    return event;
}

static void stop(void *event)
{
    if (event)
        ncclProfiler_v6.stop(event);
}

static void *begin_group(void *context, int depth)
{
    return start(context, NCCL_EVENT_GROUP_API, NULL,
                 (struct nccl_descriptor){.group_api = {.depth = depth}});
}

static void *call(void *context, void *group)
{
    void *event =
        start(context, NCCL_EVENT_COLL_API, group,
              (struct nccl_descriptor){
                  .coll_api = {.function = "AllReduce", .count = 1u << 20, .type = "ncclFloat32"}});
    stop(event);
    return event;
}

static void *task(void *context, void *of)
{
    return start(context, NCCL_EVENT_COLL, of,
                 (struct nccl_descriptor){.coll_v4 = {.function = "AllReduce",
                                                      .count = 1u << 20,
                                                      .type = "ncclFloat32",
                                                      .channels = 8,
                                                      .algorithm = "RING",
                                                      .protocol = "SIMPLE"}});
}

static void launch(void *context, void *group, void *const *calls, uint64_t count)
{
    void *tasks[GROUPED];
    stop(start(context, NCCL_EVENT_KERNEL_LAUNCH, group, (struct nccl_descriptor){0}));
    void *plan = start(context, NCCL_EVENT_GROUP, NULL, (struct nccl_descriptor){0});
    for (uint64_t i = 0; i < count; i++)
        tasks[i] = task(context, calls[i]);
    for (uint64_t i = 0; i < count; i++)
        stop(tasks[i]);
    stop(plan);
}

static void loop_single(void *context, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++) {
        void *group = begin_group(context, 1), *called = call(context, group);
        launch(context, group, &called, 1);
        stop(group);
    }
}

static void loop_grouped(void *context, uint64_t iterations)
{
    void *calls[GROUPED];
    for (uint64_t i = 0; i < iterations; i += GROUPED) {
        void *group = begin_group(context, 2);
        for (uint64_t j = 0; j < GROUPED; j++)
            calls[j] = call(context, group);
        launch(context, group, calls, GROUPED);
        stop(group);
    }
}

/* With PROF_NCCL=steps. */
static void loop_step(void *context, uint64_t iterations)
{
    struct nccl_state_arguments sent = {.transfer_bytes = 1u << 19};
    for (uint64_t i = 0; i < iterations; i++) {
        void *step = start(context, NCCL_EVENT_PROXY_STEP, NULL, (struct nccl_descriptor){0});
        ncclProfiler_v6.state(step, NCCL_STATE_SENDING, &sent);
        stop(step);
    }
}

static void measure(const char *what, bench_loop loop, void *context)
{
    bench_print(what, bench_against(loop_prof_h, loop, context, COLLECTIVES));
}

int main(void)
{
    struct prof_options options;
    void *context = NULL;
    prof_options_default(&options);
    options.output = "bench_nccl-%p.prof";
    prof_configure(&options);
    ncclProfiler_v6.init.v5(&context, 7, &mask, "bench", 1, 8, 0, NULL);
    if (!mask) {
        fprintf(stderr, "libprof takes no events of NCCL (PROF_NCCL=0?)\n");
        return 1;
    }
    bench_print_header("prof.h's pair");
    measure("off: a collective, prof.h off as well", loop_single, context);
    prof_start();
    measure("on: a collective", loop_single, context);
    measure("on: a collective of a group of eight", loop_grouped, context);
    measure("on: a proxy's step", loop_step, context);
    prof_stop();
    struct prof_loss_counts loss = {.size_bytes = sizeof loss};
    prof_loss(&loss);
    printf("events lost while measuring: %llu\n", (unsigned long long)loss.total);
    unlink(prof_output_path());
    return 0;
}
