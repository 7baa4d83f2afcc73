/* thread_space.h - where a log goes on when there is no room for the next record: in a part of a
 * shared chunk (parts.h), or in a chunk of its own. Every chunk and part begins by saying whose the
 * log is, as what was before may be recycled.
 */
#ifndef PROF_THREAD_SPACE_H
#define PROF_THREAD_SPACE_H

#include "thread.h"

/* Moves the log of an attached thread on. False: there is nowhere to go, and the event is counted
 * as lost. */
bool thread_space_next(struct thread_log *self);

/* Whether the word is in a part. Not so for NULL. */
bool thread_space_is_part(const uint64_t *word);

/* Chooses whether events take the hot path in the thread's epoch: only in chunks of the log's
 * own. */
void thread_space_choose_path(struct thread_log *self);

/* The record that says whose the log is: its size, and itself at `record`. */
size_t thread_space_owner_bytes(const struct thread_slot *slot);
void thread_space_fill_owner(const struct thread_slot *slot, uint64_t *record, size_t bytes,
                             uint64_t ticks);

/* Checks that the cursor (NULL: none yet) is in a chunk of the slot's log. */
void thread_space_check(const struct thread_slot *slot, const uint64_t *cursor);

#endif
