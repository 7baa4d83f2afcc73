/* bench_itt.c - cost of an ITT task, compared with prof_range_push() and prof_range_pop().
 *
 * The program is linked with libprof and plays the static part of ITT itself.
 */
#include "bench.h"

#include <prof/prof.h>

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#define PAIRS 50000u

/* ---- ITT's part ---- */

struct id {
    uint64_t d1, d2, d3;
};

struct domain {
    int flags;
    const char *name;
};

static void *(*domain_create)(const char *), *(*string_create)(const char *);
static void (*task_begin)(const struct domain *, struct id, struct id, void *);
static void (*task_end)(const struct domain *);
static void (*metadata_add)(const struct domain *, struct id, void *, int, size_t, const void *);
static void (*begin_overlapped)(const struct domain *, struct id, struct id, void *);
static void (*end_overlapped)(const struct domain *, struct id);
static void *counter, *(*counter_create)(const char *, const char *);
static void (*counter_inc)(void *);

struct api {
    const char *name;
    void **pointer;
    void *stub, *absent;
    int group;
};

static struct api apis[] = {
    {"__itt_domain_create", (void **)&domain_create, NULL, NULL, -1},
    {"__itt_string_handle_create", (void **)&string_create, NULL, NULL, -1},
    {"__itt_task_begin", (void **)&task_begin, NULL, NULL, -1},
    {"__itt_task_end", (void **)&task_end, NULL, NULL, -1},
    {"__itt_metadata_add", (void **)&metadata_add, NULL, NULL, -1},
    {"__itt_task_begin_overlapped", (void **)&begin_overlapped, NULL, NULL, -1},
    {"__itt_task_end_overlapped", (void **)&end_overlapped, NULL, NULL, -1},
    {"__itt_counter_create", (void **)&counter_create, NULL, NULL, -1},
    {"__itt_counter_inc", (void **)&counter_inc, NULL, NULL, -1},
    {NULL, NULL, NULL, NULL, 0},
};

static struct {
    uint8_t magic[8];
    unsigned long version[3];
    long states[3];
    pthread_mutex_t mutex;
    void *library, *error_handler, *path;
    struct api *apis;
} global = {{0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30},
            {3, 0, 0},
            {0},
            PTHREAD_MUTEX_INITIALIZER,
            NULL,
            NULL,
            NULL,
            apis};

void __itt_api_init(void *global, int groups);

/* ---- candidates ---- */

static struct domain *domain;
static void *name, *key;
static const struct id none, some = {1, 2, 3};

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

static void loop_task(void *user, uint64_t iterations)
{
    const struct id *id = user;
    for (uint64_t i = 0; i < iterations; i++) {
        task_begin(domain, *id, none, name);
        task_end(domain);
    }
}

/* As PyTorch does it: it asks for the string each time. */
static void loop_string(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        task_begin(domain, none, none, string_create("forward pass, layer 012"));
        task_end(domain);
    }
}

static void loop_metadata(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        task_begin(domain, none, none, name);
        metadata_add(domain, none, key, 1, 1, &i);
        task_end(domain);
    }
}

static void loop_overlapped(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        begin_overlapped(domain, some, none, name);
        end_overlapped(domain, some);
    }
}

static void loop_counter(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        counter_inc(counter);
}

static void measure(const char *what, bench_loop loop, const void *user)
{
    bench_print(what, bench_against(loop_prof_h, loop, (void *)(uintptr_t)user, PAIRS));
}

int main(void)
{
    struct prof_options options;
    prof_options_default(&options);
    options.output = "bench_itt-%p.prof";
    prof_configure(&options);
    __itt_api_init(&global, -1);
    if (!task_begin) {
        fprintf(stderr, "libprof did not attach to ITT (PROF_ITT=0?)\n");
        return 1;
    }
    domain = domain_create("bench");
    name = string_create("forward pass, layer 012");
    key = string_create("key");
    counter = counter_create("count", "bench");
    bench_print_header("prof.h's pair");
    measure("off: task, prof.h off as well", loop_task, &none);
    prof_start();
    measure("on: task", loop_task, &none);
    measure("on: task with an id", loop_task, &some);
    measure("on: task, its string asked for each time", loop_string, NULL);
    measure("on: task with a number", loop_metadata, NULL);
    measure("on: overlapped task", loop_overlapped, NULL);
    measure("on: a counter's increment", loop_counter, NULL);
    prof_stop();
    struct prof_loss_counts loss = {.size_bytes = sizeof loss};
    prof_loss(&loss);
    printf("events lost while measuring: %llu\n", (unsigned long long)loss.total);
    unlink(prof_output_path());
    return 0;
}
