/* dump.h - a copy of the trace file as it is now, while recording goes on.
 *
 * The copy is a trace by itself: what it refers to is in it. Of a log it holds what was committed
 * when its chunks were read. It says that its writer did not finish, as a killed process's file
 * does.
 */
#ifndef PROF_DUMP_H
#define PROF_DUMP_H

#include <stdint.h>

/* Flushes and writes; with PROF_RING_SECONDS, without chunks that are older than that. Replaces
 * `path` at once when complete; an existing file must be a recording or empty, and not the one
 * being recorded to. Returns 0 or an errno value; then nothing is left behind. Not for signal
 * handlers. */
int dump_write(const char *path);

/* Likewise, without chunks that end before `oldest_ticks`. EEXIST where there is anything at
 * `path`, a symbolic link included. */
int dump_write_since(const char *path, uint64_t oldest_ticks);

/* The message for an error of dump_write(). */
const char *dump_reason(int error);

#endif
