/* meta.h - process-wide facts: appending to META chunks, and counting what was not recorded. See
 * recorder.h for meta_append(), loss_add() and loss_get(). */
#ifndef PROF_META_H
#define PROF_META_H

#include "recorder.h"

/* A file was just created: appends go to the rest of chunk 0. */
void meta_begin_file(void);

/* Whether there is a file: names can be interned and facts stated from then on. */
bool meta_has_file(void);

/* There is no file any more (forked child). */
void meta_forget(void);

/* meta_append() for who counts himself what there is no space for. */
const void *meta_try_append(enum prof_record_type type, const void *head, size_t head_bytes,
                            const char *text, size_t text_bytes);

/* Takes a sample of the three clocks, and states it unless the latest one is recent enough; `last`:
 * even then, as the recording ends. */
struct prof_rec_clock meta_clock_sample(bool last);

/* ---- losses ---- */

/* Counts one event of many to FULL or IO. `thread`: any address of the calling thread's own;
 * threads do not share the counter's cache line. */
void loss_add_often(enum prof_loss_cause cause, const void *thread);

/* Moves them to the cause's counter. */
void loss_flush(void);

/* In a forked child: the parent's are not its own. */
void loss_fork_child(void);

/* A file was made: earlier counts belong in its header, which is not published yet. */
void loss_move_to_file(struct prof_file_header *header);

#endif
