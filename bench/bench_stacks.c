/* bench_stacks.c - cost of a call stack: unwinding and looking it up.
 *
 * The floor is the least that anybody could pay: following as many frame pointers unchecked and
 * keeping the addresses. libunwind's rows are left out where it is not installed. Goal: 700 ns at a
 * depth of 20 for a stack that is known.
 */
#include "bench.h"

#include "config.h"
#include "session.h"
#include "stacks.h"
#include "thread.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ITERATIONS 2000u
#define DEPTH_MAX 64u

static unsigned depth_wanted;
static uint64_t kept[DEPTH_MAX];

/* As deep as the stack that is taken. */
__attribute__((noinline)) static void floor_walk(void)
{
    const uintptr_t *frame = __builtin_frame_address(0);
    for (unsigned i = 0; i < depth_wanted; i++) {
        kept[i] = frame[1];
        frame = (const uintptr_t *)frame[0];
    }
    __asm__ volatile("" : : "r"(kept) : "memory");
}

static void loop_floor(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        floor_walk();
}

__attribute__((noinline)) static uint32_t take(void)
{
    return stacks_capture(stacks_origin_here());
}

static void loop_take(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        __asm__ volatile("" : : "r"(take()));
}

/* Frames made by hand, with an address that was never seen. */
static void loop_new(void *user, uint64_t iterations)
{
    static uint64_t unique = 1u << 20;
    struct {
        const void *next;
        uint64_t address;
    } frames[DEPTH_MAX];
    struct stacks_origin origin = {(uintptr_t)frames, (uintptr_t)loop_take};
    (void)user;
    for (unsigned i = 0; i < depth_wanted; i++) {
        frames[i].next = i + 1 < depth_wanted ? &frames[i + 1] : NULL;
        frames[i].address = (uint64_t)(uintptr_t)loop_take;
    }
    for (uint64_t i = 0; i < iterations; i++) {
        frames[depth_wanted / 2].address = unique += 16;
        __asm__ volatile("" : : "r"(stacks_capture(origin)) : "memory");
    }
}

static void measure(const char *method)
{
    char name[64];
    snprintf(name, sizeof name, "%s, depth %u, known stack", method, depth_wanted);
    bench_print(name, bench_against(loop_floor, loop_take, NULL, ITERATIONS));
    if (strcmp(method, "frames") != 0)
        return;
    snprintf(name, sizeof name, "%s, depth %u, new stack", method, depth_wanted);
    bench_print(name, bench_against(loop_floor, loop_new, NULL, ITERATIONS));
}

__attribute__((noinline)) static void descend(unsigned depth, const char *method)
{
    if (depth > 1)
        descend(depth - 1, method);
    else
        measure(method);
    __asm__ volatile("" : : : "memory");
}

static void record(const char *method)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/bench_stacks-%d.prof", (int)getpid());
    setenv("PROF_OUTPUT", path, 1);
    setenv("PROF_STACKS", "launch", 1);
    setenv("PROF_STACK_METHOD", method, 1);
    setenv("PROF_STACK_DEPTH", "64", 1);
    config_load();
    stacks_init();
    session_init(NULL, true);
    thread_ready(&thread_self);
    depth_wanted = 1;
    if (take() != 0) {
        static const unsigned depths[] = {10, 20, 40};
        for (unsigned i = 0; i < sizeof depths / sizeof depths[0]; i++) {
            depth_wanted = depths[i];
            descend(depth_wanted, method);
        }
    } else {
        printf("%s: no stacks can be taken here\n", method);
    }
    session_finish();
    unlink(path);
}

/* The method is chosen once in a process. */
int main(void)
{
    static const char *const methods[] = {"tables", "frames"};
    bench_print_header("bare walk");
    for (unsigned i = 0; i < 2; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            record(methods[i]);
            exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
