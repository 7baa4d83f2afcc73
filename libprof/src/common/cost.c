#include "cost.h"

#include "arch.h"
#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "meta.h"
#include "own_thread.h"
#include "process.h"
#include "thread.h"

#include <string.h>
#include <sys/mman.h>

/* A timed occurrence that took longer was interrupted or unusual: it is not scaled up. A callback
 * takes 0.1 to 0.5 us; one of 40 us, scaled up by 64, would be a quarter of a run of 10 ms. */
#define COST_UNUSUAL_NS 20000u

#define COST_STATE_SHARE 16u
#define COST_STATE_MIN_NS 100000000u

/* Words that a recorded CUDA call writes into its thread's log: API_ENTER and API_EXIT. They are in
 * the cost of its callbacks. */
#define COST_CALL_WORDS 7u

__extension__ typedef unsigned __int128 cost_wide;

struct cost_sum {
    uint64_t count, ticks, ns; /* any thread adds */
};

static struct {
    struct cost_sum parts[PROF_COST_COUNT];
    uint64_t launches, words;           /* any thread adds */
    uint64_t on_since_ns, cpu_since_ns; /* 0: off; stored by the thread that switches */
    uint64_t on_ns, cpu_ns;             /* until then */
    uint64_t event_ps, record_ps;       /* the writer stores once */
    uint64_t writer_ns;                 /* the writer stores */
    uint64_t adopted_ns;                /* of DECODE: on CUPTI's threads; any thread adds */
    uint64_t stated_at_ns;              /* of recorded time; owned by the thread that emits */
    uint32_t generation;                /* process_generation() that all of this belongs to */
} cost GUEST_DATA __attribute__((aligned(64)));

__thread uint64_t cost_charged;

/* ---- adding ---- */

static void cost_add_ticks(enum prof_cost_part part, uint64_t count, uint64_t ticks)
{
    fetch_add_relaxed(&cost.parts[part].count, count);
    fetch_add_relaxed(&cost.parts[part].ticks, ticks);
}

void cost_add_ns(enum prof_cost_part part, uint64_t count, uint64_t ns)
{
    fetch_add_relaxed(&cost.parts[part].count, count);
    fetch_add_relaxed(&cost.parts[part].ns, ns);
    if (part == PROF_COST_DECODE && !own_thread_has_entered())
        fetch_add_relaxed(&cost.adopted_ns, ns);
}

void cost_add_launches(uint64_t count)
{
    fetch_add_relaxed(&cost.launches, count);
}

void cost_count_words(uint64_t words)
{
    fetch_add_relaxed(&cost.words, words);
}

/* 4 ticks to the ns at most: nobody has a faster counter. */
static bool cost_is_unusual(uint64_t ticks)
{
    return ticks > COST_UNUSUAL_NS * (clock_kind == PROF_CLOCK_TSC ? 4u : 1u);
}

/* Calls come in patterns, and the counter of some processors moves in large steps: so the gaps are
 * scattered by a multiplicative hash, not taken from the time's low bits. */
static uint32_t cost_next_gap(const struct cost_sampler *sampler, uint64_t now)
{
    uint32_t mixed = (sampler->seen * 2654435761u) ^ ((uint32_t)now * 2246822519u);
    return COST_GAP_MIN + ((mixed ^ mixed >> 15) * 2654435761u >> 16) % COST_GAP_VARIES;
}

static uint64_t cost_elapsed(uint64_t began)
{
    uint64_t ticks = cost_clock() - began;
    cost_charged += ticks;
    return ticks;
}

void cost_charge(enum prof_cost_part part, uint64_t began)
{
    cost_add_ticks(part, 1, cost_elapsed(began));
}

void cost_charge_sampled(enum prof_cost_part part, uint32_t stood_for, uint64_t began)
{
    uint64_t ticks = cost_elapsed(began);
    cost_add_ticks(part, stood_for, cost_is_unusual(ticks) ? ticks : ticks * stood_for);
}

void cost_end(struct cost_sampler *sampler, enum prof_cost_part part, uint64_t began)
{
    cost_charge_sampled(part, cost_stands_for(sampler), began);
    bool first = ++sampler->seen < COST_TIMED_FIRST;
    sampler->gap = first ? 1 : cost_next_gap(sampler, clock_now());
    sampler->left = sampler->gap;
}

/* ---- how long ---- */

static uint64_t cost_process_ns(void)
{
    return clock_gettime_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void cost_recording(bool on)
{
    uint64_t now = clock_monotonic_ns(), cpu = cost_process_ns();
    uint64_t since = exchange_acquire(&cost.on_since_ns, on ? now : 0u);
    if (since) {
        fetch_add_relaxed(&cost.on_ns, now - since);
        fetch_add_relaxed(&cost.cpu_ns, cpu - load_relaxed(&cost.cpu_since_ns));
    }
    store_release(&cost.cpu_since_ns, cpu);
}

GUEST_PATH void cost_recording_from_start(void)
{
    store_release(&cost.on_since_ns, clock_monotonic_ns());
    store_release(&cost.cpu_since_ns, (uint64_t)0);
}

static uint64_t cost_recorded_ns(void)
{
    uint64_t since = load_acquire(&cost.on_since_ns);
    return load_relaxed(&cost.on_ns) + (since ? clock_monotonic_ns() - since : 0);
}

static uint64_t cost_own_ns(void)
{
    return own_thread_cpu_ns() + load_relaxed(&cost.adopted_ns);
}

/* Of threads that charge no part of their own. Until those that do charge their latest time, that
 * is in it, too. */
static uint64_t cost_others_ns(void)
{
    uint64_t own = cost_own_ns(), known = load_relaxed(&cost.writer_ns) +
                                          load_relaxed(&cost.parts[PROF_COST_DECODE].ns) +
                                          load_relaxed(&cost.parts[PROF_COST_FLUSH].ns) +
                                          load_relaxed(&cost.parts[PROF_COST_SAMPLER].ns);
    return own > known ? own - known : 0;
}

static uint64_t cost_program_ns(void)
{
    uint64_t since = load_acquire(&cost.on_since_ns), own = cost_own_ns();
    uint64_t all = load_relaxed(&cost.cpu_ns) +
                   (since ? cost_process_ns() - load_relaxed(&cost.cpu_since_ns) : 0);
    return all > own ? all - own : 0;
}

/* ---- what an event takes ---- */

#define COST_ROUNDS 8
#define COST_ROUND_EVENTS 100u

/* What push does, in a log of no thread. */
__attribute__((noinline)) static void cost_try_event(struct thread_log *log, uint32_t name)
{
    if (load_relaxed(&thread_gate) != THREAD_NO_EPOCH)
        thread_put(log, PROF_KIND_PUSH, name, clock_read());
}

/* What a counter does. */
__attribute__((noinline)) static void cost_try_record(struct thread_log *log, uint32_t name)
{
    uint64_t now = clock_read();
    uint64_t *cursor = load_relaxed(&log->cursor);
    if (!thread_fits(cursor, 3) || !arch_local_cas(&log->cursor, cursor, cursor + 3))
        return;
    store_release(cursor, PROF_WORD_EXT(PROF_KIND_HOLE, PROF_REC_COUNTER, 3, 0));
    cursor[1] = name;
    cursor[2] = now;
    thread_commit(cursor, PROF_REC_COUNTER, 3, now - thread_chunk_of(cursor)->base_ticks);
}

/* The minimum of several rounds: the others were interrupted. Picoseconds. */
static uint64_t cost_try(void *chunk, void (*one)(struct thread_log *, uint32_t))
{
    uint64_t least = UINT64_MAX, rate = clock_ticks_per_second();
    for (int round = 0; round < COST_ROUNDS; round++) {
        struct thread_log log = {.cursor = (uint64_t *)chunk + PROF_CHUNK_HEADER_BYTES / 8};
        uint64_t began = clock_read();
        for (uint32_t i = 0; i < COST_ROUND_EVENTS; i++)
            one(&log, 1);
        uint64_t took = clock_read() - began;
        least = took < least ? took : least;
    }
    return rate ? (uint64_t)((cost_wide)least * 1000000000000u / rate / COST_ROUND_EVENTS) : 0;
}

/* Takes some 15 us of the writer's time, for which the end of a short program waits. */
static void cost_calibrate(void)
{
    void *memory = mmap(NULL, 2 * (size_t)PROF_CHUNK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    uintptr_t aligned =
        ((uintptr_t)memory + PROF_CHUNK_BYTES - 1) & ~(uintptr_t)(PROF_CHUNK_BYTES - 1);
    struct prof_chunk_header *chunk = (struct prof_chunk_header *)aligned;
    chunk->base_ticks = clock_read();
    store_relaxed(&cost.event_ps, cost_try(chunk, cost_try_event));
    store_relaxed(&cost.record_ps, cost_try(chunk, cost_try_record));
    munmap(memory, 2 * (size_t)PROF_CHUNK_BYTES);
}

void cost_writer(void)
{
    static __thread uint64_t counted_ns; /* a new thread may replace the writer's */
    if (!load_relaxed(&cost.event_ps))
        cost_calibrate();
    uint64_t now_ns = cost_thread_ns();
    store_relaxed(&cost.writer_ns, load_relaxed(&cost.writer_ns) + now_ns - counted_ns);
    counted_ns = now_ns;
}

/* ---- sums ---- */

/* Without floating point, which may raise SIGFPE in the program's threads. */
static uint64_t cost_part_ns(enum prof_cost_part part, uint64_t ticks_per_second)
{
    if (part == PROF_COST_WRITER)
        return load_relaxed(&cost.writer_ns);
    if (part == PROF_COST_OTHERS)
        return cost_others_ns();
    cost_wide ns = (cost_wide)load_relaxed(&cost.parts[part].ticks) * 1000000000u;
    return load_relaxed(&cost.parts[part].ns) +
           (ticks_per_second ? (uint64_t)(ns / ticks_per_second) : 0);
}

static uint64_t cost_each_ps(enum prof_cost_part part)
{
    if (part == PROF_COST_EVENTS)
        return load_relaxed(&cost.event_ps);
    return part == PROF_COST_RECORDS ? load_relaxed(&cost.record_ps) : 0;
}

/* Whether the part costs the program time while it records. Recording less would not save one-time
 * costs. */
static bool cost_is_program_time(enum prof_cost_part part)
{
    enum { THREADS, BEGIN, OWN, END };
#define COST_WHOSE(symbol, name, whose, sentence) whose,
    static const uint8_t whose[] = {PROF_COST_PARTS(COST_WHOSE)};
#undef COST_WHOSE
    return whose[part] == THREADS;
}

void cost_sum(struct cost_sums *sums)
{
    uint64_t rate = clock_ticks_per_second();
    uint64_t calls = load_relaxed(&cost.parts[PROF_COST_LAUNCHES].count) / 2 +
                     load_relaxed(&cost.parts[PROF_COST_CALLS].count) / 2;
    uint64_t words = load_relaxed(&cost.words), of_calls = calls * COST_CALL_WORDS;
    uint64_t events = words > of_calls ? words - of_calls : 0;
    *sums = (struct cost_sums){.recorded_ns = cost_recorded_ns(),
                               .cpu_ns = cost_program_ns(),
                               .taken_ns = events * load_relaxed(&cost.event_ps) / 1000,
                               .own_ns = cost_own_ns(),
                               .activity = events + calls +
                                           load_relaxed(&cost.parts[PROF_COST_SAMPLES].count)};
    for (int part = 0; part < PROF_COST_COUNT; part++)
        if (cost_is_program_time((enum prof_cost_part)part))
            sums->taken_ns += cost_part_ns((enum prof_cost_part)part, rate);
}

/* ---- stating ---- */

static bool cost_is_due(uint64_t recorded_ns)
{
    uint64_t age_ns = recorded_ns - load_relaxed(&cost.stated_at_ns);
    return age_ns >= COST_STATE_MIN_NS && age_ns >= recorded_ns / COST_STATE_SHARE;
}

void cost_emit(bool now)
{
    struct {
        struct prof_rec_cost head;
        struct prof_cost_item items[PROF_COST_COUNT];
    } record = {.head = {.ticks = clock_read(),
                         .recorded_ns = cost_recorded_ns(),
                         .cpu_ns = cost_program_ns(),
                         .launches = load_relaxed(&cost.launches),
                         .items = PROF_COST_COUNT,
                         .budget_ppm = (uint32_t)config_get()->budget_ppm}};
    if (!meta_has_file() || !(now || cost_is_due(record.head.recorded_ns)))
        return;
    uint64_t rate = clock_ticks_per_second();
    for (int i = 0; i < PROF_COST_COUNT; i++) {
        enum prof_cost_part part = (enum prof_cost_part)i;
        record.items[i] = (struct prof_cost_item){.part = (uint32_t)i,
                                                  .each_ps = (uint32_t)cost_each_ps(part),
                                                  .count = load_relaxed(&cost.parts[i].count),
                                                  .ns = cost_part_ns(part, rate)};
    }
    store_relaxed(&cost.stated_at_ns, record.head.recorded_ns);
    meta_append(PROF_REC_COST, &record, sizeof record, NULL, 0);
}

GUEST_PATH void cost_claim(void)
{
    if (cost.generation == process_generation())
        return;
    uint64_t event_ps = cost.event_ps, record_ps = cost.record_ps;
    bool on = cost.on_since_ns != 0;
    memset(&cost, 0, sizeof cost);
    cost.event_ps = event_ps;
    cost.record_ps = record_ps;
    cost.generation = process_generation();
    if (on)
        cost_recording_from_start();
}
