/* bench_push.c - cost of a push and pop, compared with the least that any recorder needs.
 *
 * The floor is bench_floor.h's. Rows with "2 threads" run floor and candidate on two threads at once.
 * The program is linked with libprof, so every call goes through the .so as a preloaded program's
 * does.
 */
#include "bench.h"
#include "bench_floor.h"

#include <prof/block.h>
#include <prof/prof.h>

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define PAIRS 50000u

static void loop_literal(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        PROF_RANGE("forward pass of layer 12");
        __asm__ volatile("" : : : "memory");
    }
}

/* 23 characters, the same address each time, as most programs have it. */
static void loop_content(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        const char *name = "forward pass, layer 012";
        __asm__ volatile("" : "+r"(name));
        prof_range_push(name);
        prof_range_pop();
    }
}

/* One buffer, reused for sixteen names. */
static void loop_reused_buffer(void *user, uint64_t iterations)
{
    (void)user;
    char name[] = "forward pass, layer 000";
    for (uint64_t i = 0; i < iterations; i++) {
        name[sizeof name - 2] = (char)('a' + i % 16);
        prof_range_push(name);
        prof_range_pop();
    }
}

static void loop_sized(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        prof_range_push_n("forward pass, layer 012", 23);
        prof_range_pop();
    }
}

static void loop_mark(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        prof_mark("tick");
}

static void loop_floor_one(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        floor_store(1, 3);
}

static void loop_counter(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        prof_counter("queue depth", (double)i);
}

static void loop_alloc(void *user, uint64_t iterations)
{
    const uint32_t *allocator = user;
    for (uint64_t i = 0; i < iterations; i++) {
        prof_alloc(*allocator, allocator, 4096);
        prof_free(*allocator, allocator);
    }
}

static void loop_event(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        PROF_END(PROF_BEGIN("native_call_add.out"));
}

static void loop_instruction(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        PROF_INSTRUCTION_SCOPE(0, (uint32_t)i);
        PROF_END(PROF_BEGIN("native_call_add.out"));
    }
}

/* ---- the same on two threads ---- */

struct two {
    bench_loop loop;
    uint64_t iterations;
};

static void *two_main(void *argument)
{
    const struct two *two = argument;
    two->loop(NULL, two->iterations);
    return NULL;
}

static void two_run(bench_loop loop, uint64_t iterations)
{
    struct two two = {loop, iterations};
    pthread_t other;
    if (pthread_create(&other, NULL, two_main, &two) != 0)
        abort();
    loop(NULL, iterations);
    pthread_join(other, NULL);
}

static void loop_floor_two(void *user, uint64_t iterations)
{
    (void)user;
    two_run(floor_pairs, iterations);
}

static void loop_literal_two(void *user, uint64_t iterations)
{
    (void)user;
    two_run(loop_literal, iterations);
}

static void loop_content_two(void *user, uint64_t iterations)
{
    (void)user;
    two_run(loop_content, iterations);
}

static void bench_bytes_per_range(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", prof_output_path());
    struct prof_loss_counts loss = {.size_bytes = sizeof loss};
    prof_loss(&loss);
    printf("events lost while measuring: %llu\n", (unsigned long long)loss.total);
}

int main(void)
{
    struct prof_options options;
    prof_options_default(&options);
    options.output = "bench_push-%p.prof";
    prof_configure(&options);
    bench_print_header("floor");
    bench_print("off: literal", bench_against(floor_pairs, loop_literal, NULL, PAIRS));
    bench_print("off: name by content", bench_against(floor_pairs, loop_content, NULL, PAIRS));
    bench_print("off: event in an instruction scope",
                bench_against(floor_pairs, loop_instruction, NULL, PAIRS));
    prof_start();
    bench_print("on: PROF_RANGE literal", bench_against(floor_pairs, loop_literal, NULL, PAIRS));
    bench_print("on: name by content", bench_against(floor_pairs, loop_content, NULL, PAIRS));
    bench_print("on: 16 names in one buffer",
                bench_against(floor_pairs, loop_reused_buffer, NULL, PAIRS));
    bench_print("on: name with length", bench_against(floor_pairs, loop_sized, NULL, PAIRS));
    bench_print("on: mark (floor: one store)",
                bench_against(loop_floor_one, loop_mark, NULL, PAIRS));
    bench_print("on: counter (floor: one store)",
                bench_against(loop_floor_one, loop_counter, NULL, PAIRS));
    uint32_t allocator = prof_alloc_track("arena");
    bench_print("on: prof_alloc and prof_free",
                bench_against(floor_pairs, loop_alloc, &allocator, PAIRS));
    bench_print("on: begin+end of a block's event",
                bench_against(floor_pairs, loop_event, NULL, PAIRS));
    bench_print("on: the same in an instruction scope",
                bench_against(floor_pairs, loop_instruction, NULL, PAIRS));
    bench_print("on: PROF_RANGE literal, 2 threads",
                bench_against(loop_floor_two, loop_literal_two, NULL, 10 * PAIRS));
    bench_print("on: name by content, 2 threads",
                bench_against(loop_floor_two, loop_content_two, NULL, 10 * PAIRS));
    prof_stop();
    bench_print("after a stop: literal", bench_against(floor_pairs, loop_literal, NULL, PAIRS));
    bench_print("after a stop: name by content",
                bench_against(floor_pairs, loop_content, NULL, PAIRS));
    bench_bytes_per_range();
    unlink(prof_output_path());
    return 0;
}
