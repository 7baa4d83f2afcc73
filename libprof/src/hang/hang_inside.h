/* hang_inside.h - what the files of the hang watch share. Only the watching thread uses it.
 *
 * The memory is reserved before anything hangs. From then on nothing here takes a lock or
 * allocates.
 */
#ifndef PROF_HANG_INSIDE_H
#define PROF_HANG_INSIDE_H

#include "log_walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HANG_ATTRS 6u

struct hang_attr {
    uint32_t key, type; /* name id; enum prof_attr_type */
    uint64_t value;
};

/* A range, step or CUDA call that has not ended. */
struct hang_open {
    uint64_t ticks;
    uint32_t name; /* of a step its number; of a call its domain << 16 | cbid */
    uint32_t attr_count;
    enum log_walk_kind kind; /* that began it */
    bool nvtx;
    struct hang_attr attrs[HANG_ATTRS];
};

/* ---- hang_text.c: the text, in PROF_REC_HANG_TEXT records and in a file beside the trace ---- */

/* Reserves the memory, once. False: the system refuses. */
bool hang_text_reserve(void);

/* Begins an empty text. */
void hang_text_clear(void);

/* Appends formatted text; omits what does not fit, and states that at the end. */
void hang_text_add(const char *format, ...) __attribute__((format(printf, 1, 2)));
void hang_text_add_bytes(const char *bytes, size_t size);

/* Appends `text` between quotes, without the characters that would end a line or the quotes. */
void hang_text_add_quoted(const char *text);

/* Writes the text to META as parts of hang `number`, and appends it to the file at `path` ("": no
 * file). Returns 0, or the errno value of why there is no file. */
int hang_text_write(uint32_t number, const char *path);

/* ---- hang_log.c: what the process's own trace says ---- */

/* A new file: reserves the memory if that was not done. False: the system refuses. */
bool hang_log_reserve(void);

/* Whether a step, a range, a CUDA call or an operation of a device ended since the last call. */
bool hang_log_has_progress(void);

/* Appends an "open" line for each range, step and CUDA call that has not ended, as far as the last
 * chunks of the trace tell. Returns how many. Also tells hang_work.c of all launches and
 * operations. */
unsigned hang_log_add_open(void);

/* Seconds since then; 0: unknown. */
double hang_log_seconds(uint64_t ticks);
void hang_log_add_attrs(const struct hang_open *open);

/* Text of a name or event name. */
const char *hang_log_name(uint32_t id);

/* Name of a CUDA function: domain << 16 | cbid. */
const char *hang_log_call(uint32_t number);

/* ---- hang_work.c: operations that devices have not completed, as far as CUPTI has told ---- */

bool hang_work_reserve(void);
void hang_work_begin(void);

/* First all records of operations. `since`: where records of that log were recycled, the ticks of
 * the oldest chunk; else 0. */
void hang_work_take_operation(const uint64_t *record, uint64_t since);

/* Then all launches. `around`: the range whose attributes describe it best, NULL none. */
void hang_work_take_launch(const uint64_t *record, uint64_t ticks, uint32_t tid,
                           const struct hang_open *around);
void hang_work_take_failure(uint32_t correlation);

/* Appends a "stream" line for each stream with outstanding operations. Returns how many of these
 * are beyond doubt: no record can have been lost, and CUPTI had time to deliver it. */
unsigned hang_work_add(void);

/* ---- hang_threads.c ---- */

/* Appends a "thread" line for each thread and a line for each frame of its native stack. */
void hang_threads_add(void);

/* ---- hang_python.c ---- */

/* After hang_threads_add(). Appends a "python" line and the stacks of all Python threads, or a
 * "python-failed" line. Nothing without Python. */
void hang_python_add(void);

/* An RLock of CPython. */
struct hang_python_lock {
    uint64_t address;      /* of the object, as Python prints it */
    uint64_t owner_thread; /* the owner's number in Python: its pthread_t */
    uint32_t owner;        /* its tid */
};

/* Finds the RLock in whose acquire() a thread waits: `futex` is the address that it waits on,
 * `stack` its stack pointer. False: it waits for something else, or nobody owns the lock. Reads
 * memory, through the kernel, and runs no code of the interpreter. */
bool hang_python_find_lock(uint64_t futex, uint64_t stack, struct hang_python_lock *lock);

#endif
