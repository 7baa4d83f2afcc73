/* The counters live in the file's header as soon as there is a file, so that they survive whatever
 * kills the process. */
#include "loss.h"

#include "atomic.h"
#include "chunks.h"

static uint64_t
    loss_before_file[PROF_LOSS_SLOTS]; /* any thread adds; moved by loss_move_to_file() */

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

uint64_t loss_get(enum prof_loss_cause cause)
{
    return load_relaxed(loss_counter(cause));
}

void loss_move_to_file(struct prof_file_header *header)
{
    for (int cause = 0; cause < PROF_LOSS_COUNT; cause++)
        fetch_add_relaxed(&header->loss[cause], exchange_acquire(&loss_before_file[cause], 0u));
}
