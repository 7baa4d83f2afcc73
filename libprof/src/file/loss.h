/* loss.h - counting what was not recorded; see recorder.h for loss_add() and loss_get(). */
#ifndef PROF_LOSS_H
#define PROF_LOSS_H

#include "recorder.h"

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
