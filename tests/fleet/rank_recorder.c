#include "rank_recorder.h"

#include "annotate.h"
#include "config.h"
#include "labels.h"
#include "meta.h"
#include "names.h"
#include "process.h"
#include "recorder.h"
#include "registry.h"
#include "session.h"
#include "thread.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define START_MONOTONIC_NS UINT64_C(5000000000000)
#define DOMAIN "NCCL"

static struct rank_recorder_options rank;
static uint64_t now_ns;       /* since the beginning */
static __thread uint32_t tid; /* 0: the process's number */
static uint32_t gpu_records;

/* ---- instead of the system's ---- */

struct worker;
int __real_clock_gettime(clockid_t id, struct timespec *time);
int __wrap_clock_gettime(clockid_t id, struct timespec *time);
pid_t __real_getpid(void);
pid_t __wrap_getpid(void);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __wrap_worker_begin(struct worker *worker);
bool __wrap_system_clock_read(struct prof_rec_system_clock *state);

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
    if (!rank.path || (id != CLOCK_MONOTONIC && id != CLOCK_REALTIME))
        return __real_clock_gettime(id, time);
    uint64_t base = id == CLOCK_MONOTONIC ? START_MONOTONIC_NS : rank.start_realtime_ns;
    *time = (struct timespec){.tv_sec = (time_t)((base + now_ns) / 1000000000u),
                              .tv_nsec = (long)((base + now_ns) % 1000000000u)};
    return 0;
}

pid_t __wrap_getpid(void)
{
    return rank.path ? (pid_t)rank.pid : __real_getpid();
}

long __wrap_syscall(long number, ...)
{
    long words[6];
    va_list list;
    if (number == SYS_gettid && rank.path)
        return tid ? tid : rank.pid;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

int __wrap_worker_begin(struct worker *worker)
{
    (void)worker;
    return 0;
}

bool __wrap_system_clock_read(struct prof_rec_system_clock *state)
{
    bool synchronized = rank.clock_error_ns > 0;
    *state = (struct prof_rec_system_clock){
        .ticks = START_MONOTONIC_NS + now_ns,
        .max_error_ns = synchronized ? (uint64_t)rank.clock_error_ns : UINT64_C(16000000000),
        .estimated_error_ns = synchronized ? (uint64_t)rank.clock_error_ns / 4 : 0,
        .flags = synchronized ? PROF_SYSTEM_CLOCK_SYNCHRONIZED : 0};
    return rank.clock_error_ns >= 0;
}

/* ---- the recording ---- */

static void set_number(const char *variable, int32_t number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", (int)number);
    setenv(variable, text, 1);
}

void rank_recorder_begin(const struct rank_recorder_options *options)
{
    static const struct collector *const collectors[] = {&registry_collector, NULL};
    static const char summarized[] = "PROF_SUMMARY=1";
    set_number("RANK", options->rank);
    set_number("LOCAL_RANK", options->local_rank);
    set_number("WORLD_SIZE", options->world_size);
    rank = *options;
    clock_kind = PROF_CLOCK_MONOTONIC;
    config_use(options->summary ? summarized : "", options->summary ? sizeof summarized : 0);
    config_load();
    if (!config_override(options->path, 0, false))
        exit(2);
    registry_init();
    session_init(collectors, true);
    recorder_set_gpu_mode(PROF_GPU_CUPTI, "generated");
    if (!session_ready())
        exit(2); /* the reason was logged */
    meta_info(PROF_INFO_HOST, options->host);
}

void rank_recorder_at(int64_t time_ns)
{
    now_ns = (uint64_t)time_ns;
}

struct running {
    void (*run)(void *argument);
    void *argument;
    bool internal;
};

static void *run_thread(void *argument)
{
    const struct running *running = argument;
    tid = rank.pid + running->internal;
    if (running->internal)
        thread_mark_internal();
    running->run(running->argument);
    return NULL;
}

void rank_recorder_thread(void (*run)(void *argument), void *argument, bool internal)
{
    struct running running = {run, argument, internal};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_thread, &running) != 0 || pthread_join(thread, NULL) != 0)
        exit(2);
}

/* ---- facts ---- */

static uint32_t name_of(const char *text)
{
    return names_intern(text, strlen(text));
}

void rank_recorder_device(uint32_t device, const char *name, const uint32_t *streams,
                          unsigned stream_count)
{
    struct prof_rec_device head = {.device = device, .name = name_of(name)};
    struct prof_rec_context context = {.context = 1, .device = device};
    meta_append(PROF_REC_DEVICE, &head, sizeof head, NULL, 0);
    meta_append(PROF_REC_CONTEXT, &context, sizeof context, NULL, 0);
    for (unsigned i = 0; i < stream_count; i++) {
        struct prof_rec_stream stream = {.context = 1, .stream = streams[i]};
        meta_append(PROF_REC_STREAM, &stream, sizeof stream, NULL, 0);
    }
}

void rank_recorder_api_name(uint32_t cbid, const char *name)
{
    struct prof_rec_api_name record = {
        .cbid = cbid, .domain = PROF_API_RUNTIME, .name = name_of(name)};
    meta_append(PROF_REC_API_NAME, &record, sizeof record, NULL, 0);
}

/* ---- records ---- */

static void put(enum prof_record_type type, const void *record, size_t bytes, uint64_t correlation)
{
    unsigned words = (unsigned)(bytes / 8);
    uint64_t *place = thread_reserve(type, words);
    if (!place)
        exit(2);
    memcpy(place + 1, (const uint64_t *)record + 1, bytes - 8);
    thread_commit(place, type, words, correlation ? correlation : thread_ticks(place));
}

void rank_recorder_enter(struct prof_rec_api_enter call)
{
    put(PROF_REC_API_ENTER, &call, PROF_REC_API_ENTER_SHORT_BYTES, 0);
}

void rank_recorder_exit(uint32_t correlation)
{
    uint64_t record[2] = {0, (uint64_t)correlation << 32};
    put(PROF_REC_API_EXIT, record, sizeof record, 0);
}

void rank_recorder_graph_node(uint64_t node, uint64_t original, uint32_t graph)
{
    struct prof_rec_graph_node record = {
        .node = node, .original = original, .graph = graph, .type = PROF_GRAPH_KERNEL};
    put(PROF_REC_GRAPH_NODE, &record, PROF_REC_GRAPH_NODE_SHORT_BYTES, 0);
}

void rank_recorder_graph(uint32_t graph, uint32_t source, uint32_t kernels)
{
    struct prof_rec_graph record = {
        .ticks = START_MONOTONIC_NS + now_ns, .graph = graph, .source = source, .kernels = kernels};
    meta_append(PROF_REC_GRAPH, &record, sizeof record, NULL, 0);
}

static void attribute(const char *key, enum prof_attr_type type, uint64_t value)
{
    attrs_write(ATTRS_OF_RANGE, key, &(struct attr_value){.type = type, .bits = value});
}

static void push_in_domain(const char *name)
{
    const struct domain *domain = registry_domain(DOMAIN, sizeof DOMAIN - 1);
    struct label key = {.name = name_of(name), .domain = registry_number(domain)};
    const struct label *label = labelled_label(&key);
    uint64_t begun = 0;
    if (!label || !thread_ready(&thread_self))
        exit(2);
    labelled_record(LABELLED_PUSH, (uint32_t)label->id, &begun);
}

void rank_recorder_nccl_push(const struct rank_recorder_nccl *what)
{
    push_in_domain(what->name);
    attribute("NCCL communicator ID", PROF_ATTR_HEX, what->communicator);
    attribute("Message size [bytes]", PROF_ATTR_UINT, what->bytes);
    if (what->peer >= 0)
        attribute("Peer rank", PROF_ATTR_INT, (uint64_t)what->peer);
    if (what->group)
        attribute("NCCL group", PROF_ATTR_UINT, what->group);
    if (what->captured)
        attribute("Graph captured", PROF_ATTR_UINT, 1);
}

void rank_recorder_nccl_push_launch(uint64_t group)
{
    push_in_domain("NCCL launch");
    attribute("NCCL group", PROF_ATTR_UINT, group);
}

void rank_recorder_nccl_pop(void)
{
    const struct domain *domain = registry_domain(DOMAIN, sizeof DOMAIN - 1);
    thread_event(&thread_self, PROF_KIND_NVTX_POP, registry_number(domain));
}

void rank_recorder_kernel(struct prof_rec_kernel kernel, const char *name, uint32_t correlation,
                          int64_t start_ns, int64_t end_ns)
{
    kernel.name = name_of(name);
    kernel.start_ns = rank.start_realtime_ns + (uint64_t)start_ns;
    kernel.end_ns = rank.start_realtime_ns + (uint64_t)end_ns;
    size_t bytes = kernel.graph_node ? sizeof kernel : PROF_REC_KERNEL_SHORT_BYTES;
    put(PROF_REC_KERNEL, &kernel, bytes, correlation);
    gpu_records++;
}

void rank_recorder_copy(uint16_t device, uint32_t stream, uint32_t correlation, int64_t start_ns,
                        int64_t end_ns)
{
    struct prof_rec_memcpy copy = {.start_ns = rank.start_realtime_ns + (uint64_t)start_ns,
                                   .end_ns = rank.start_realtime_ns + (uint64_t)end_ns,
                                   .bytes = 16 << 20,
                                   .context = 1,
                                   .stream = stream,
                                   .device = device,
                                   .copy_kind = 1,
                                   .src_kind = 2,
                                   .dst_kind = 3,
                                   .flags = 1};
    put(PROF_REC_MEMCPY, &copy, PROF_REC_MEMCPY_SHORT_BYTES, correlation);
    gpu_records++;
}

void rank_recorder_end(bool killed)
{
    recorder_count_gpu_records(gpu_records);
    meta_clock_sample(false);
    if (!killed)
        session_finish();
    _exit(0);
}
