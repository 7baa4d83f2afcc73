/* The counters live in the file's header as soon as there is a file, so that they survive whatever
 * kills the process. */
#include "loss.h"

#include "atomic.h"
#include "chunks.h"

static uint64_t
    loss_before_file[PROF_LOSS_SLOTS]; /* any thread adds; moved by loss_move_to_file() */

#define LOSS_LINES 64u

/* Where there is no room any more every event comes here: 64 threads on one counter cost 1 us each. */
static struct {
    uint64_t count; /* any thread adds; loss_settle() takes */
    uint8_t rest[56];
} loss_shut[LOSS_LINES] __attribute__((aligned(64)));

static uint32_t loss_shut_cause; /* whoever shuts the gate writes, before */

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

void loss_add_shut(const void *thread)
{
    uint64_t mixed = ((uintptr_t)thread >> 6) * 0x9e3779b97f4a7c15u;
    fetch_add_relaxed(&loss_shut[mixed >> 58 & (LOSS_LINES - 1)].count, 1u);
}

void loss_shut_by(enum prof_loss_cause cause)
{
    loss_settle(); /* those so far were lost to the one before */
    store_relaxed(&loss_shut_cause, (uint32_t)cause);
}

enum prof_loss_cause loss_shut_is_by(void)
{
    return (enum prof_loss_cause)load_relaxed(&loss_shut_cause);
}

void loss_settle(void)
{
    enum prof_loss_cause cause = loss_shut_is_by();
    for (unsigned line = 0; line < LOSS_LINES; line++)
        if (load_relaxed(&loss_shut[line].count))
            loss_add(cause, exchange_acquire(&loss_shut[line].count, 0u));
}

void loss_fork_child(void)
{
    for (unsigned line = 0; line < LOSS_LINES; line++)
        if (load_relaxed(&loss_shut[line].count))
            store_relaxed(&loss_shut[line].count, 0u);
}

uint64_t loss_get(enum prof_loss_cause cause)
{
    loss_settle();
    return load_relaxed(loss_counter(cause));
}

void loss_move_to_file(struct prof_file_header *header)
{
    for (int cause = 0; cause < PROF_LOSS_COUNT; cause++)
        fetch_add_relaxed(&header->loss[cause], exchange_acquire(&loss_before_file[cause], 0u));
}
