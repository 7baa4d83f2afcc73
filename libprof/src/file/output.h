/* output.h - what the trace file is called, its disk space, and copies of it. */
#ifndef PROF_OUTPUT_H
#define PROF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the pattern's escapes stand for. */
struct output_facts {
    const char *program; /* %e */
    const char *host;    /* %h */
    uint32_t pid;        /* %p */
    int32_t rank;        /* %r; negative: 0. %R: "-rank" and the number; negative: nothing */
    uint32_t number;     /* %n: the caller counts up from 1 until the name is free */
};

/* Expands %p %h %r %R %e %n %q{VARIABLE} %% in `pattern` into `path` (NUL-terminated). Slashes in
 * what an escape stands for become '_', so that it cannot leave the directory. An unknown escape is
 * kept as it stands. Returns false when the result does not fit `path_bytes`. */
bool output_expand(const char *pattern, const struct output_facts *facts, char *path,
                   size_t path_bytes);

/* Whether the pattern's result changes with the number. */
bool output_has_number(const char *pattern);

/* For a name that exists already: the `attempt`-th other name of process `pid` beside it, from 1
 * on: run.prof -> run-4711.prof, run-4711-2.prof ... Returns false when it does not fit. */
bool output_beside(const char *path, uint32_t pid, unsigned attempt, char *other,
                   size_t other_bytes);

/* Whether a recording may replace the file at `path`: true for another recording and for an empty
 * file. */
bool output_may_replace(const char *path);

/* ---- disk space ---- */

/* Whether a block of the file that has been reserved or written can always be written again. Not
 * where a snapshot or another file may come to need it, too: a store into a shared mapping then
 * raises SIGBUS on a full disk. The file is empty, and open for reading and writing; where blocks
 * can be kept in their places as long as nobody else needs them, they are. */
bool space_keep(int fd);

/* Reserves space. Returns 0, too, where the file system cannot do that, or an errno value. */
int space_reserve_if_possible(int fd, uint64_t offset, uint64_t bytes);

/* ---- dump.c: a copy of the file as it is now ---- */

/* The copy is a trace by itself: what it refers to is in it. Of a log it holds what was committed
 * when its chunks were read. It says that its writer did not finish, as a killed process's file
 * does. */

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
