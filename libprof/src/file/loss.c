/* loss.c - the counters live in the file's header as soon as there is a file, so that they survive
 * whatever kills the process.
 */
#include "loss.h"

#include "atomic.h"
#include "chunks.h"

static uint64_t
    loss_before_file[PROF_LOSS_SLOTS]; /* any thread adds; moved by loss_move_to_file() */

#define LOSS_LINES 64u

/* Where there is no room any more every event comes here: 64 threads on one counter cost 1 us
 * each. */
static struct loss_line {
    uint64_t full, io; /* any thread adds; loss_flush() takes */
    uint8_t rest[48];
} loss_lines[LOSS_LINES] __attribute__((aligned(64)));

static uint64_t *loss_counter(enum prof_loss_cause cause)
{
    struct prof_file_header *header = chunks_header();
    return header ? &header->loss[cause] : &loss_before_file[cause];
}

void loss_add(enum prof_loss_cause cause, uint64_t count)
{
    if (count)
        fetch_add_relaxed(loss_counter(cause), count);
}

void loss_add_often(enum prof_loss_cause cause, const void *thread)
{
    uint64_t mixed = ((uintptr_t)thread >> 6) * 0x9e3779b97f4a7c15u;
    struct loss_line *line = &loss_lines[mixed >> 58 & (LOSS_LINES - 1)];
    fetch_add_relaxed(cause == PROF_LOSS_FULL ? &line->full : &line->io, 1u);
}

static uint64_t loss_fetch(uint64_t *count)
{
    return load_relaxed(count) ? exchange_acquire(count, 0u) : 0;
}

void loss_flush(void)
{
    for (unsigned line = 0; line < LOSS_LINES; line++) {
        loss_add(PROF_LOSS_FULL, loss_fetch(&loss_lines[line].full));
        loss_add(PROF_LOSS_IO, loss_fetch(&loss_lines[line].io));
    }
}

void loss_fork_child(void)
{
    for (unsigned line = 0; line < LOSS_LINES; line++) {
        loss_fetch(&loss_lines[line].full);
        loss_fetch(&loss_lines[line].io);
    }
}

uint64_t loss_get(enum prof_loss_cause cause)
{
    loss_flush();
    return load_relaxed(loss_counter(cause));
}

void loss_move_to_file(struct prof_file_header *header)
{
    for (int cause = 0; cause < PROF_LOSS_COUNT; cause++)
        fetch_add_relaxed(&header->loss[cause], exchange_acquire(&loss_before_file[cause], 0u));
}
