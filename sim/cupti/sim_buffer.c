#include "sim_buffer.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim_activity.h"
#include "sim_clock.h"
#include "sim_config.h"
#include "sim_counts.h"
#include "sim_cupti.h"
#include "sim_fault.h"
#include "sim_layout.h"
#include "sim_locks.h"
#include "sim_subscriber.h"

/* Below this a wake-up of the worker costs more than it moves. */
static const size_t wake_bytes = 32768;

/* The client never asks for records: keep no more than this. */
static const size_t limit_bytes = 256u << 20;

struct pending {
    struct pending *next;
    uint64_t end_ns;
    uint32_t size;
    uint32_t times;
    int tid;
    uint32_t client;
    unsigned char bytes[]; /* 8-byte aligned: the members above are 32 bytes */
};

/* A record that has its place in a buffer and whose work goes on. */
struct unfinished {
    uint64_t end_ns;
    uint32_t offset, times;
};

struct open_buffer {
    struct open_buffer *next;
    int tid; /* of the producing thread; 0: all */
    uint32_t client;
    uint8_t *bytes;
    size_t size, valid, records, max_records;
    struct unfinished *unfinished;
    size_t unfinished_count, unfinished_room;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; over the next block */
static pthread_cond_t work_there = PTHREAD_COND_INITIALIZER;
static pthread_cond_t flush_done = PTHREAD_COND_INITIALIZER;
static struct pending *first, **last = &first;
static size_t pending_bytes, wake_at = 32768;
static uint64_t flushes_wanted, flushes_done;
static uint64_t places_wanted, places_done; /* as flushes: records have their places in buffers */
static bool force_wanted, started;
static bool
    first_came; /* a client without a buffer has a record: the worker asks it for one at once */

/* Its functions are of one form or of the other. Set with the lock held. */
struct client {
    sim_buffer_request request;
    sim_buffer_complete complete;
    sim_buffer_request_v2 request_v2;
    sim_buffer_complete_v2 complete_v2;
    bool is_closed;
    bool has_buffer; /* or will have one: the worker is notified */
    atomic_ullong dropped;
    atomic_ullong device_records; /* counted for SIM_DROP_EVERY and SIM_ZERO_EVERY */
    atomic_bool zeroed, per_thread;
};

static struct client clients[SIM_CLIENTS];

/* The worker's own. */
static struct open_buffer *open_buffers;
static struct open_buffer *pinned, **last_pinned = &pinned; /* full, some of their work goes on */
static struct open_buffer *held; /* SIM_REORDER: full, waiting for a later one to go first */
static _Thread_local bool is_worker;

static int this_tid(void)
{
    return (int)syscall(SYS_gettid);
}

/* ---- the queue ---- */

static bool is_device_work(uint32_t kind)
{
    return kind == SIM_KIND_MEMCPY || kind == SIM_KIND_MEMSET || kind == SIM_KIND_KERNEL ||
           kind == SIM_KIND_CONCURRENT_KERNEL || kind == SIM_KIND_MEMCPY2 ||
           kind == SIM_KIND_GRAPH_TRACE;
}

static bool is_nth(uint64_t number, int64_t every)
{
    return every && number % (uint64_t)every == 0;
}

static void blank_times(unsigned char *record, size_t times)
{
    uint64_t start;
    if (!times)
        return;
    memcpy(&start, record + times, sizeof start);
    memset(record + times, 0, 16);
    if (start)
        sim_counts_record(record, SIM_COUNT_ZEROED);
}

static void count_dropped(const struct pending *pending)
{
    atomic_fetch_add(&clients[pending->client].dropped, 1);
    sim_counts_record(pending->bytes, SIM_COUNT_DROPPED);
}

/* A record that nobody has enabled: of a function, which names a kernel without having run. */
static void add_unknown(void)
{
    const struct {
        uint32_t kind, words[7];
    } record = {.kind = SIM_KIND_FUNCTION};
    sim_buffer_add(&record, 0, 0);
}

/* The faults on records of device work. Returns  false when the record is lost. */
static bool apply_faults(struct pending *pending, uint32_t kind)
{
    if (!is_device_work(kind))
        return true;
    struct client *client = &clients[pending->client];
    const uint64_t number = atomic_fetch_add(&client->device_records, 1) + 1;
    sim_counts_record(pending->bytes, SIM_COUNT_ADDED);
    if (is_nth(number, sim_config()->unknown_every))
        add_unknown();
    if (is_nth(number, sim_config()->drop_every)) {
        count_dropped(pending);
        return false;
    }
    if (is_nth(number, sim_config()->zero_every))
        blank_times(pending->bytes, pending->times);
    return true;
}

static struct pending *make(uint32_t client, const void *record, uint64_t end_ns, size_t times)
{
    uint32_t kind;
    memcpy(&kind, record, sizeof kind);
    const size_t size = sim_layout_size(kind);
    struct pending *pending = size ? calloc(1, sizeof *pending + size) : NULL;
    if (!pending)
        return NULL;
    pending->end_ns = end_ns;
    pending->size = (uint32_t)size;
    pending->times = (uint32_t)times;
    pending->client = client;
    pending->tid = atomic_load(&clients[client].per_thread) ? this_tid() : 0;
    memcpy(pending->bytes, record, size);
    if (apply_faults(pending, kind))
        return pending;
    free(pending);
    return NULL;
}

static void start_worker_locked(void);

static void append_locked(struct pending *pending)
{
    *last = pending;
    last = &pending->next;
    pending_bytes += pending->size;
}

static void add_for(uint32_t client, const void *record, uint64_t end_ns, size_t times)
{
    struct pending *pending = make(client, record, end_ns, times);
    if (!pending)
        return;
    pthread_mutex_lock(&lock);
    if (pending_bytes > limit_bytes) {
        count_dropped(pending);
        free(pending);
    } else {
        append_locked(pending);
    }
    start_worker_locked();
    first_came |= !clients[client].has_buffer;
    clients[client].has_buffer = true;
    if (first_came || pending_bytes >= wake_at)
        pthread_cond_signal(&work_there);
    pthread_mutex_unlock(&lock);
}

/* Functions that were asked for one by one have no kind that is on: those are the v1 API's. */
void sim_buffer_add(const void *record, uint64_t end_ns, size_t times)
{
    uint32_t kind;
    memcpy(&kind, record, sizeof kind);
    const uint32_t wanted = sim_activity_clients(kind);
    for (uint32_t client = 0; client < SIM_CLIENTS; client++)
        if ((wanted ? wanted : 1u) & 1u << client)
            add_for(client, record, end_ns, times);
}

/* ---- the client's buffers ---- */

/* Declining a buffer crashed the real library before 12.9. */
static bool may_decline(void)
{
    return sim_config()->layout >= SIM_LAYOUT_13_0;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

static bool check_buffer(uint32_t client, const uint8_t *bytes, size_t size)
{
    if (!bytes) {
        if (!may_decline())
            sim_fault_violation("bufferRequested returned NULL");
        return false;
    }
    if ((uintptr_t)bytes % 8)
        sim_fault_violation("bufferRequested returned %p, not aligned to 8 bytes",
                            (const void *)bytes);
    if (size < 1024)
        sim_fault_violation("bufferRequested returned only %zu bytes", size);
    if (atomic_load(&clients[client].zeroed) && !is_zero(bytes, size))
        sim_fault_violation("bufferRequested returned a buffer that is not zeroed");
    return (uintptr_t)bytes % 8 == 0;
}

/* Further arguments of the v2 API's callbacks: nothing is selected, so there are no layouts. */
struct request_info {
    size_t struct_size;
    uint64_t thread;
};
struct complete_info {
    size_t struct_size;
    uint64_t thread;
    const void *const *layouts;
    size_t layout_count;
};
static const struct request_info request_info = {sizeof request_info, 0};

static bool obtain(struct open_buffer *buffer)
{
    uint8_t *bytes = NULL;
    size_t size = 0, max_records = 0;
    const struct client *client = &clients[buffer->client];
    sim_locks_buffer_begin();
    if (client->request_v2)
        client->request_v2(&bytes, &size, &max_records, &request_info);
    else
        client->request(&bytes, &size, &max_records);
    sim_locks_buffer_end();
    if (!check_buffer(buffer->client, bytes, size))
        return false;
    if (!atomic_load(&client->zeroed))
        memset(bytes, 0, size);
    buffer->bytes = bytes;
    buffer->size = size;
    buffer->max_records = max_records;
    buffer->valid = buffer->records = buffer->unfinished_count = 0;
    return true;
}

/* What lies behind the valid bytes is the library's own. */
static void scribble(const struct open_buffer *buffer)
{
    enum { BYTES = 8 };
    if (buffer->size - buffer->valid >= BYTES)
        memset(buffer->bytes + buffer->size - BYTES, 0xa5, BYTES);
}

static void deliver(const struct open_buffer *buffer)
{
    const uint64_t start_ns = sim_clock_now();
    scribble(buffer);
    const struct client *client = &clients[buffer->client];
    const struct complete_info info = {sizeof info, (uint64_t)buffer->tid, NULL, 0};
    sim_locks_buffer_begin();
    if (client->complete_v2)
        client->complete_v2(buffer->bytes, buffer->size, buffer->valid, &info);
    else if (client->complete)
        client->complete(NULL, 0, buffer->bytes, buffer->size, buffer->valid);
    sim_locks_buffer_end();
    sim_activity_overhead(start_ns, sim_clock_now());
}

static void deliver_held(void)
{
    struct open_buffer *buffer = held;
    held = NULL;
    if (buffer)
        deliver(buffer);
    free(buffer);
}

/* In order; with SIM_REORDER every other buffer waits for the one after it. */
static void hand_back(struct open_buffer *buffer)
{
    struct open_buffer *copy = NULL;
    if (sim_config()->reorder && !held && (copy = malloc(sizeof *copy)) != NULL) {
        *copy = *buffer;
        copy->unfinished = NULL;
        held = copy;
    } else {
        deliver(buffer);
        deliver_held();
    }
    buffer->bytes = NULL;
}

/* Forgets records whose work has ended by now; with force all of them, without their times. */
static void settle(struct open_buffer *buffer, uint64_t now_ns, bool force)
{
    size_t kept = 0;
    for (size_t i = 0; i < buffer->unfinished_count; i++) {
        const struct unfinished *record = &buffer->unfinished[i];
        if (record->end_ns <= now_ns)
            continue;
        if (force)
            blank_times(buffer->bytes + record->offset, record->times);
        else
            buffer->unfinished[kept++] = *record;
    }
    buffer->unfinished_count = kept;
}

static void hand_back_pinned(bool force)
{
    const uint64_t now_ns = sim_clock_now();
    for (struct open_buffer **place = &pinned, *buffer; (buffer = *place) != NULL;) {
        settle(buffer, now_ns, force);
        if (buffer->unfinished_count) {
            place = &buffer->next;
            continue;
        }
        *place = buffer->next;
        if (last_pinned == &buffer->next)
            last_pinned = place;
        hand_back(buffer);
        free(buffer->unfinished);
        free(buffer);
    }
}

/* A full buffer: one record whose work goes on keeps all of them from the client. */
static void put_away(struct open_buffer *buffer)
{
    struct open_buffer *copy = NULL;
    settle(buffer, sim_clock_now(), false);
    if (buffer->unfinished_count && (copy = malloc(sizeof *copy)) != NULL) {
        *copy = *buffer;
        copy->next = NULL;
        *last_pinned = copy;
        last_pinned = &copy->next;
        buffer->bytes = NULL;
        buffer->unfinished = NULL;
        buffer->unfinished_count = buffer->unfinished_room = 0;
    } else {
        hand_back_pinned(false); /* older ones first */
        hand_back(buffer);
    }
}

static struct open_buffer *buffer_of(uint32_t client, int tid)
{
    struct open_buffer *buffer = open_buffers;
    while (buffer && (buffer->tid != tid || buffer->client != client))
        buffer = buffer->next;
    if (buffer || (buffer = calloc(1, sizeof *buffer)) == NULL)
        return buffer;
    buffer->tid = tid;
    buffer->client = client;
    buffer->next = open_buffers;
    open_buffers = buffer;
    return buffer;
}

static bool fits(const struct open_buffer *buffer, size_t size)
{
    return buffer->size - buffer->valid >= size &&
           (!buffer->max_records || buffer->records < buffer->max_records);
}

static bool note_unfinished(struct open_buffer *buffer, const struct pending *pending)
{
    if (buffer->unfinished_count == buffer->unfinished_room) {
        const size_t room = buffer->unfinished_room ? 2 * buffer->unfinished_room : 64;
        struct unfinished *more = realloc(buffer->unfinished, room * sizeof *more);
        if (!more)
            return false;
        buffer->unfinished = more;
        buffer->unfinished_room = room;
    }
    buffer->unfinished[buffer->unfinished_count++] =
        (struct unfinished){pending->end_ns, (uint32_t)buffer->valid, pending->times};
    return true;
}

static bool store(const struct pending *pending, bool finished)
{
    struct open_buffer *buffer = buffer_of(pending->client, pending->tid);
    if (!buffer)
        return false;
    if (buffer->bytes && !fits(buffer, pending->size))
        put_away(buffer);
    if (!buffer->bytes && !obtain(buffer))
        return false;
    if (!fits(buffer, pending->size))
        return false;
    if (!finished && !note_unfinished(buffer, pending))
        return false;
    memcpy(buffer->bytes + buffer->valid, pending->bytes, pending->size);
    buffer->valid += pending->size;
    buffer->records++;
    return true;
}

/* ---- the worker ---- */

static struct pending *detach_all_locked(void)
{
    struct pending *all = first;
    first = NULL;
    last = &first;
    pending_bytes = 0;
    return all;
}

/* Puts what was not ready back before what has come since. */
static void put_back(struct pending *rest, struct pending **rest_end, size_t bytes)
{
    pthread_mutex_lock(&lock);
    *rest_end = first;
    if (rest) {
        if (!first)
            last = rest_end;
        first = rest;
    }
    pending_bytes += bytes;
    /* Twice what stays: a long queue is not walked again for every few new records. */
    wake_at = 2 * bytes > wake_bytes ? 2 * bytes : wake_bytes;
    pthread_mutex_unlock(&lock);
}

static bool has_functions(uint32_t client)
{
    return clients[client].request || clients[client].request_v2;
}

static bool is_complete(const struct pending *pending, uint64_t now_ns)
{
    return pending->end_ns <= now_ns;
}

/* CUPTI_CBID_STATE_WARNING with CUPTI_ERROR_OUT_OF_MEMORY, once. */
static void warn_of_loss(void)
{
    static bool warned;
    if (!warned)
        sim_subscriber_state(3, 8, "records are dropped: the client gave no buffer");
    warned = true;
}

static void move(struct pending *pending, bool finished)
{
    if (!store(pending, finished)) {
        count_dropped(pending);
        warn_of_loss();
    }
    free(pending);
}

static void drain(struct pending *all, bool force)
{
    const uint64_t now_ns = sim_clock_now();
    struct pending *rest = NULL, **rest_end = &rest, *next;
    size_t rest_bytes = 0;
    for (struct pending *pending = all; pending; pending = next) {
        next = pending->next;
        pending->next = NULL;
        const bool can = has_functions(pending->client);
        const bool finished = is_complete(pending, now_ns);
        if (clients[pending->client].is_closed) {
            free(pending);
        } else if (can && (finished || sim_config()->flush_whole)) {
            move(pending, finished);
        } else if (can && force) {
            blank_times(pending->bytes, pending->times);
            move(pending, true);
        } else {
            *rest_end = pending;
            rest_end = &pending->next;
            rest_bytes += pending->size;
        }
    }
    put_back(rest, rest_end, rest_bytes);
}

static void hand_back_open(bool force)
{
    const uint64_t now_ns = sim_clock_now();
    for (struct open_buffer *buffer = open_buffers; buffer; buffer = buffer->next) {
        if (!buffer->bytes || !buffer->valid)
            continue;
        settle(buffer, now_ns, force);
        if (!buffer->unfinished_count)
            hand_back(buffer);
    }
    deliver_held();
}

/* A client without a buffer is asked for one at its next record. */
static void note_buffers_locked(void)
{
    for (uint32_t client = 0; client < SIM_CLIENTS; client++)
        clients[client].has_buffer = false;
    for (const struct open_buffer *buffer = open_buffers; buffer; buffer = buffer->next)
        clients[buffer->client].has_buffer |= buffer->bytes != NULL;
}

static bool anybody_asked(void)
{
    for (uint32_t client = 0; client < SIM_CLIENTS; client++)
        if (has_functions(client))
            return true;
    return false;
}

static void serve_locked(void)
{
    const uint64_t wanted = flushes_wanted, places = places_wanted;
    const bool flush = wanted != flushes_done, force = force_wanted;
    const bool can = anybody_asked();
    struct pending *all = can ? detach_all_locked() : NULL;
    force_wanted = first_came = false;
    pthread_mutex_unlock(&lock);
    if (can)
        drain(all, force);
    if (can)
        hand_back_pinned(flush && force);
    if (can && flush)
        hand_back_open(force);
    pthread_mutex_lock(&lock);
    if (can)
        note_buffers_locked();
    flushes_done = wanted;
    places_done = places;
    pthread_cond_broadcast(&flush_done);
}

static bool has_work_locked(void)
{
    return flushes_wanted != flushes_done || places_wanted != places_done ||
           (anybody_asked() && (first_came || pending_bytes >= wake_at));
}

static void *work(void *unused)
{
    (void)unused;
    is_worker = true;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!has_work_locked())
            pthread_cond_wait(&work_there, &lock);
        serve_locked();
    }
    return NULL;
}

static void start_worker_locked(void)
{
    sigset_t all, before;
    pthread_t thread;
    if (started)
        return;
    started = true;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- for the exported functions ---- */

void sim_buffer_register(sim_buffer_request new_request, sim_buffer_complete new_complete)
{
    pthread_mutex_lock(&lock);
    clients[0].request = new_request;
    clients[0].complete = new_complete;
    pthread_mutex_unlock(&lock);
}

void sim_buffer_register_v2(uint32_t client, sim_buffer_request_v2 new_request,
                            sim_buffer_complete_v2 new_complete)
{
    pthread_mutex_lock(&lock);
    clients[client].request_v2 = new_request;
    clients[client].complete_v2 = new_complete;
    clients[client].is_closed = false;
    pthread_mutex_unlock(&lock);
}

void sim_buffer_close(uint32_t client)
{
    pthread_mutex_lock(&lock);
    clients[client].request_v2 = NULL;
    clients[client].complete_v2 = NULL;
    clients[client].is_closed = true;
    pthread_mutex_unlock(&lock);
}

void sim_buffer_place(void)
{
    if (is_worker)
        return;
    pthread_mutex_lock(&lock);
    if (started) {
        const uint64_t ticket = ++places_wanted;
        pthread_cond_signal(&work_there);
        while (places_done < ticket)
            pthread_cond_wait(&flush_done, &lock);
    }
    pthread_mutex_unlock(&lock);
}

int sim_buffer_flush(bool force)
{
    if (is_worker) {
        sim_fault_violation("cuptiActivityFlushAll called from a buffer callback");
        return SIM_CUPTI_UNKNOWN;
    }
    sim_activity_hardware_flushed();
    pthread_mutex_lock(&lock);
    start_worker_locked();
    const uint64_t ticket = ++flushes_wanted;
    force_wanted |= force;
    pthread_cond_signal(&work_there);
    while (flushes_done < ticket)
        pthread_cond_wait(&flush_done, &lock);
    pthread_mutex_unlock(&lock);
    return SIM_CUPTI_OK;
}

void sim_buffer_drop(uint32_t kind)
{
    const uint32_t wanted = sim_activity_clients(kind);
    for (uint32_t client = 0; client < SIM_CLIENTS; client++)
        if (wanted & 1u << client)
            atomic_fetch_add(&clients[client].dropped, 1);
}

uint64_t sim_buffer_fetch_dropped(uint32_t client)
{
    return atomic_exchange(&clients[client].dropped, 0);
}

void sim_buffer_set_zeroed(uint32_t client, bool client_zeroes)
{
    atomic_store(&clients[client].zeroed, client_zeroes);
}

void sim_buffer_set_per_thread(uint32_t client, bool wanted)
{
    atomic_store(&clients[client].per_thread, wanted);
}
