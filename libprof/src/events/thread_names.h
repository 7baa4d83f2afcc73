/* thread_names.h - names of threads: given by the program, or by the kernel. */
#ifndef PROF_THREAD_NAMES_H
#define PROF_THREAD_NAMES_H

#include "thread.h"

/* Emits the current names of all threads; called when the recording ends. */
void thread_emit_names(void);
/* Names the calling thread. The first THREAD_EARLY_NAME_BYTES - 1 bytes are kept for a thread without
 * events, and for the files of forked children. */
#define THREAD_EARLY_NAME_BYTES 64u
void thread_name_self(const char *name);

/* Names the live thread `tid` of this process, if it has a log. `name` must remain valid; passing the same
 * address again emits nothing. Returns false if the thread has no log (yet). */
bool thread_name_tid(uint32_t tid, const char *name);

/* Sets the function that returns the name of a thread that was named before it had a log, or NULL. Its
 * result must remain valid. Call it before recording begins. */
void thread_set_namer(const char *(*namer)(uint32_t tid));

/* Emits a name for the thread of that index. */
void thread_emit_name(uint32_t thread, uint32_t tid, const char *name, bool internal);

/* Emits the calling thread's name: the namer's, or else the kernel's. Its log is attached. */
void thread_emit_own_name(const struct thread_log *self);

/* Emits the name of a thread that was just attached: one given earlier, or else its own. */
void thread_emit_first_name(struct thread_slot *slot, bool internal);

#endif
