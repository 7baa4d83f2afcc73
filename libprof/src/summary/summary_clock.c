/* summary_clock.c - ticks and device times to nanoseconds, as the reader converts them.
 *
 * The reader draws straight lines between the file's clock samples and rounds each time to a
 * nanosecond (export/read/clockmap.c). The same arithmetic on the same samples gives the same
 * durations. It differs where two threads sampled at the same moment, and where CLOCK_REALTIME was
 * set.
 */
#include "atomic.h"
#include "chunks.h"
#include "recorder.h"
#include "summary.h"
#include "summary_inside.h"

#define CLOCK_INBOX 64u     /* samples between two walks: one a second, and one for each flush */
#define CLOCK_SEGMENTS 256u /* minutes that a log may lag behind */
#define CLOCK_STOPS 64u

typedef unsigned __int128 clock_wide;

/* Samples on their way to the walk: any thread puts, the walk takes. */
static uint64_t inbox_next GUEST_DATA; /* any thread */
static struct {
    struct {
        /* Number + 1 of the sample in it: putter releases -> walk acquires; 0 being put */
        uint64_t turn;
        struct prof_rec_clock sample;
    } slots[CLOCK_INBOX];
} inbox;
static uint64_t clock_stops[CLOCK_STOPS] GUEST_DATA; /* ticks, by epoch; any thread */

struct clock_rate {
    uint64_t scale;
    unsigned shift;
};

struct clock_line {
    uint64_t ticks, width;
    int64_t ns;
    struct clock_rate rate;
};

static struct {
    uint64_t taken;              /* from the inbox */
    uint64_t count;              /* of segments ever */
    int64_t offset_ns, error_ns; /* CLOCK_REALTIME minus time, at the latest sample */
} known GUEST_DATA;
static struct clock_line known_lines[CLOCK_SEGMENTS];

void summary_sample(const struct prof_rec_clock *sample)
{
    if (!summary_wanted())
        return;
    uint64_t number = fetch_add_relaxed(&inbox_next, 1u);
    uint64_t *turn = &inbox.slots[number % CLOCK_INBOX].turn;
    store_relaxed(turn, 0u);
    inbox.slots[number % CLOCK_INBOX].sample = *sample;
    store_release(turn, number + 1);
}

void summary_stopped(uint32_t epoch, uint64_t ticks)
{
    store_relaxed(&clock_stops[epoch % CLOCK_STOPS], ticks);
}

bool summary_clock_stop_ns(uint32_t epoch, int64_t *stop_ns)
{
    uint64_t ticks = load_relaxed(&clock_stops[epoch % CLOCK_STOPS]);
    if (ticks)
        *stop_ns = summary_clock_ns(ticks);
    return ticks != 0;
}

static struct clock_rate clock_rate_make(uint64_t ns, uint64_t ticks)
{
    for (unsigned shift = 63; shift > 0; shift--) {
        clock_wide scale = (((clock_wide)ns << shift) + ticks / 2) / ticks;
        if (scale >> 63 == 0)
            return (struct clock_rate){(uint64_t)scale, shift};
    }
    return (struct clock_rate){1, 0};
}

static int64_t clock_length(struct clock_rate rate, uint64_t distance)
{
    clock_wide half = rate.shift ? (clock_wide)1 << (rate.shift - 1) : 0;
    return (int64_t)(((clock_wide)distance * rate.scale + half) >> rate.shift);
}

static struct clock_line *clock_line(uint64_t number)
{
    return &known_lines[number % CLOCK_SEGMENTS];
}

/* Readings of one unchanged offset differ by the time that reading takes: taken as none. */
static void clock_set_offset(const struct clock_line *line, uint64_t realtime_ns)
{
    const struct prof_file_header *header = chunks_header();
    int64_t offset = (int64_t)(realtime_ns - header->start_realtime_ns) - line->ns;
    int64_t error = clock_length(line->rate, line->width) + 100;
    int64_t change = offset > known.offset_ns ? offset - known.offset_ns : known.offset_ns - offset;
    if (known.count == 1 || change > error + known.error_ns)
        known.offset_ns = offset;
    known.error_ns = error;
}

static void clock_add(const struct prof_rec_clock *sample)
{
    const struct prof_file_header *header = chunks_header();
    struct clock_line line = {.ticks = sample->ticks,
                              .width = sample->width_ticks,
                              .ns = (int64_t)(sample->monotonic_ns - header->start_monotonic_ns),
                              .rate = clock_rate_make(1000000000, header->ticks_per_second
                                                                      ? header->ticks_per_second
                                                                      : 1000000000)};
    struct clock_line *last = known.count ? clock_line(known.count - 1) : NULL;
    if (last && (line.ticks <= last->ticks || line.ns <= last->ns))
        return;
    if (last)
        line.rate = last->rate =
            clock_rate_make((uint64_t)(line.ns - last->ns), line.ticks - last->ticks);
    *clock_line(known.count++) = line;
    clock_set_offset(&line, sample->realtime_ns);
}

/* Where the inbox overflowed, its oldest samples are gone: lines then are longer than the
 * reader's. */
uint64_t summary_clock_update(void)
{
    uint64_t end = load_relaxed(&inbox_next);
    if (end - known.taken > CLOCK_INBOX)
        known.taken = end - CLOCK_INBOX;
    for (; known.taken < end; known.taken++) {
        uint64_t slot = known.taken % CLOCK_INBOX;
        if (load_acquire(&inbox.slots[slot].turn) != known.taken + 1)
            break;
        struct prof_rec_clock sample = inbox.slots[slot].sample;
        clock_add(&sample);
    }
    return known.count ? clock_line(known.count - 1)->ticks : 0;
}

int64_t summary_clock_ns(uint64_t ticks)
{
    uint64_t oldest = known.count > CLOCK_SEGMENTS ? known.count - CLOCK_SEGMENTS : 0;
    uint64_t number = known.count - 1;
    while (number > oldest && clock_line(number)->ticks > ticks)
        number--;
    const struct clock_line *line = clock_line(number);
    return ticks >= line->ticks ? line->ns + clock_length(line->rate, ticks - line->ticks)
                                : line->ns - clock_length(line->rate, line->ticks - ticks);
}

int64_t summary_clock_device_ns(uint64_t realtime_ns)
{
    return (int64_t)(realtime_ns - chunks_header()->start_realtime_ns) - known.offset_ns;
}

/* The inbox goes on: its samples are those of the file that is made next. */
GUEST_PATH void summary_clock_forget(void)
{
    known.taken = load_relaxed(&inbox_next);
    known.count = 0;
    for (unsigned i = 0; i < CLOCK_STOPS; i++)
        store_relaxed(&clock_stops[i], 0u);
}
