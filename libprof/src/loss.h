/* loss.h - counting what was not recorded; see recorder.h for loss_add() and loss_get(). */
#ifndef PROF_LOSS_H
#define PROF_LOSS_H

#include "recorder.h"

/* Counts one event that came while the gate was shut (thread.h). `thread`: any address of the calling
 * thread's own; threads do not share the counter's cache line. */
void loss_add_shut(const void *thread);

/* What they are lost to from here on. */
void loss_shut_by(enum prof_loss_cause cause);
enum prof_loss_cause loss_shut_is_by(void);

/* Moves them to the cause's counter. */
void loss_settle(void);

/* In a forked child: the parent's are not its own. */
void loss_fork_child(void);

/* A file was made: what was counted before belongs into its header, which is not published yet. */
void loss_move_to_file(struct prof_file_header *header);

#endif
