/* metrics_memory.c - how much is allocated: of CUDA's memory, and by the program's own allocators.
 *
 * A free names an address, not a size. So allocations are kept in a table until they are freed. A
 * free may be met before its allocation, which is in another log or was delivered late: events wait
 * for a while and are sorted by time.
 */
#include "metrics.h"
#include "process.h"
#include "sort.h"
#include "summary_inside.h"

#include <string.h>

#define MEMORY_SLOTS (1u << 19)
#define MEMORY_LIVE_MAX (MEMORY_SLOTS / 2)
#define MEMORY_WAITING (1u << 16)

struct memory_event {
    int64_t time_ns;
    uint64_t address, bytes;
    uint32_t heap;        /* into heaps[] */
    uint32_t correlation; /* of the CUDA call; 0: none, or unknown */
    bool is_end;
};

struct memory_live {
    uint64_t address, bytes;
    uint32_t heap; /* + 1; 0: the slot is free */
};

static struct {
    uint32_t heap_count, live_count, waiting_count;
    bool overflowed;
    struct metrics_heap heaps[METRICS_HEAPS];
    struct memory_event waiting[MEMORY_WAITING];
    struct memory_live live[MEMORY_SLOTS];
} * memory;

bool metrics_memory_begin(void)
{
    void *made = memory;
    bool begun = process_memory(&made, sizeof *memory);
    memory = made;
    return begun;
}

bool metrics_memory_known(void)
{
    return !memory->overflowed;
}

const struct metrics_heap *metrics_memory_heaps(uint32_t *count)
{
    *count = memory->heap_count;
    return memory->heaps;
}

/* ---- what is allocated ---- */

/* METRICS_HEAPS: there are too many. */
static uint32_t memory_heap(struct metrics_heap heap)
{
    uint32_t i = 0;
    while (i < memory->heap_count &&
           (memory->heaps[i].allocator != heap.allocator ||
            memory->heaps[i].device != heap.device || memory->heaps[i].kind != heap.kind))
        i++;
    if (i == memory->heap_count && i < METRICS_HEAPS)
        memory->heaps[memory->heap_count++] = heap;
    return i;
}

static uint32_t memory_slot(uint64_t address, uint32_t allocator)
{
    return (uint32_t)((address ^ (uint64_t)allocator << 48) * 0x9e3779b97f4a7c15u >> 40) %
           MEMORY_SLOTS;
}

/* The slot of the allocation, or the free one that ends the search. */
static uint32_t memory_find(uint64_t address, uint32_t allocator)
{
    uint32_t at = memory_slot(address, allocator);
    while (memory->live[at].heap &&
           (memory->live[at].address != address ||
            memory->heaps[memory->live[at].heap - 1].allocator != allocator))
        at = (at + 1) % MEMORY_SLOTS;
    return at;
}

/* Those after it move up, so that a search does not end at the gap. */
static void memory_remove(uint32_t at)
{
    struct memory_live *live = memory->live;
    memory->heaps[live[at].heap - 1].live_bytes -= live[at].bytes;
    memory->live_count--;
    for (uint32_t next = (at + 1) % MEMORY_SLOTS; live[next].heap;
         next = (next + 1) % MEMORY_SLOTS) {
        uint32_t home =
            memory_slot(live[next].address, memory->heaps[live[next].heap - 1].allocator);
        if ((next - home) % MEMORY_SLOTS < (next - at) % MEMORY_SLOTS)
            continue;
        live[at] = live[next];
        at = next;
    }
    live[at].heap = 0;
}

static void memory_apply(const struct memory_event *event)
{
    struct metrics_heap *heap = &memory->heaps[event->heap];
    uint32_t at = memory_find(event->address, heap->allocator);
    if (memory->live[at].heap)
        memory_remove(at); /* freed; or its end was not recorded, and the address was used again */
    if (event->is_end || summary_is_internal(event->correlation))
        return;
    if (memory->live_count == MEMORY_LIVE_MAX) {
        memory->overflowed = true;
        return;
    }
    at = memory_find(event->address, heap->allocator);
    memory->live[at] = (struct memory_live){event->address, event->bytes, event->heap + 1};
    memory->live_count++;
    heap->live_bytes += event->bytes;
    if (heap->live_bytes > heap->peak_bytes)
        heap->peak_bytes = heap->live_bytes;
}

/* ---- in order of time ---- */

static bool memory_before(const void *left, const void *right)
{
    const struct memory_event *a = left, *b = right;
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->is_end && !b->is_end;
}

void metrics_memory_until(int64_t time_ns)
{
    uint32_t done = 0;
    sort_heap(memory->waiting, memory->waiting_count, sizeof *memory->waiting, memory_before);
    for (; done < memory->waiting_count && memory->waiting[done].time_ns < time_ns; done++)
        memory_apply(&memory->waiting[done]);
    memory->waiting_count -= done;
    memmove(memory->waiting, memory->waiting + done,
            memory->waiting_count * sizeof *memory->waiting);
}

static void memory_wait(struct memory_event event)
{
    if (event.heap >= METRICS_HEAPS || !event.address)
        return;
    if (memory->waiting_count == MEMORY_WAITING)
        metrics_memory_until(memory->waiting[MEMORY_WAITING / 2].time_ns);
    if (memory->waiting_count == MEMORY_WAITING)
        metrics_memory_until(SUMMARY_NEVER);
    memory->waiting[memory->waiting_count++] = event;
}

static void memory_cuda(const uint64_t *record)
{
    struct prof_rec_memory from = {0};
    memcpy(&from, record, PROF_REC_MEMORY_SHORT_BYTES);
    uint16_t device = prof_metrics_memory_is_host(from.kind) ? 0 : from.device;
    bool is_end = from.operation == PROF_MEMORY_RELEASE;
    uint32_t heap = memory_heap((struct metrics_heap){.device = device, .kind = from.kind});
    memory_wait((struct memory_event){.time_ns = summary_clock_device_ns(from.time_ns),
                                      .address = from.address,
                                      .bytes = from.bytes,
                                      .heap = heap,
                                      .correlation = (uint32_t)PROF_WORD_INFO(*record),
                                      .is_end = is_end});
}

void metrics_memory(const uint64_t *record, int64_t time_ns)
{
    struct prof_rec_alloc alloc;
    struct prof_rec_free release;
    switch (PROF_WORD_TYPE(*record)) {
    case PROF_REC_MEMORY:
        memory_cuda(record);
        break;
    case PROF_REC_ALLOC:
        memcpy(&alloc, record, sizeof alloc);
        memory_wait((struct memory_event){
            .time_ns = time_ns,
            .address = alloc.address,
            .bytes = alloc.bytes,
            .heap = memory_heap((struct metrics_heap){.allocator = alloc.allocator})});
        break;
    case PROF_REC_FREE:
        memcpy(&release, record, sizeof release);
        memory_wait((struct memory_event){
            .time_ns = time_ns,
            .address = release.address,
            .heap = memory_heap((struct metrics_heap){.allocator = release.allocator}),
            .is_end = true});
        break;
    default:
        break;
    }
}
