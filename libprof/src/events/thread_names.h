/* thread_names.h - names of threads: given by the program, or by the kernel. A log states the name
 * of its thread (thread.h); what another thread says, and a name longer than that, is in META. */
#ifndef PROF_THREAD_NAMES_H
#define PROF_THREAD_NAMES_H

#include "thread.h"

/* Emits the current names of all threads; called when the recording ends. */
void thread_emit_names(void);

/* Names the calling thread. The first THREAD_NAME_BYTES - 1 bytes are kept for a thread without
 * events, and for the files of forked children. */
void thread_name_self(const char *name);

/* Names the live thread `tid` of this process, if it has a log. `name` must remain valid; passing
 * the same address again emits nothing. Returns false if the thread has no log (yet). */
bool thread_name_tid(uint32_t tid, const char *name);

/* Sets the function that returns the name of a thread that was named before it had a log, or NULL.
 * Its result must remain valid. Call it before recording begins. */
void thread_set_namer(const char *(*namer)(uint32_t tid));

/* Puts the calling thread's name into its slot: the namer's, or else the kernel's. Whether it is
 * another one than before. */
bool thread_read_own_name(struct thread_log *self);

/* The same for a thread that was just attached: one given earlier, or else its own. */
void thread_read_first_name(struct thread_log *self);

#endif
