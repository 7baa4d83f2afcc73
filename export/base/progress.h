/* progress.h - one line on a terminal that shows how far long work has come.
 *
 *     reading run.json  412 MB of 881 MB, 103 MB/s, 5 s left
 *     writing out.json  1.20 GB, 96.0 MB/s, 12 s left
 *
 * The line appears on standard error after one second, only if that is a terminal and the program
 * has called progress_enable(). It is erased when the work ends. Without progress_enable() every
 * call is one comparison, so libraries may call them freely. Threads: progress_add() and
 * progress_share() from any; the others from one.
 */
#ifndef PROF_PROGRESS_H
#define PROF_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `width` gives the terminal's width in characters each time that a line is printed. */
void progress_enable(unsigned (*width)(int descriptor));

/* Begins work on `name`, which is borrowed until progress_end(): `verb` is "reading", say. The work
 * has `total_bytes`, 0 if unknown; once all are done, the line says that they are being sorted.
 * Work that begins within other work is part of that and not shown. */
void progress_begin(const char *verb, const char *name, uint64_t total_bytes);

/* Begins writing a file; the size of the file behind `descriptor` shows how much is written. */
void progress_begin_writing(const char *name, int descriptor);

/* So many more bytes are to be done: a file is read again. Threads: any. */
void progress_extend(uint64_t bytes);

/* So many more bytes are done. */
void progress_add(uint64_t bytes);

/* `done` of `total` items are done: for work whose bytes are not known before. */
void progress_share(uint64_t done, uint64_t total);

/* Ends the work and erases the line. */
void progress_end(void);

/* Erases the line, so that something else can be printed. It comes back. */
void progress_hide(void);

#ifdef __cplusplus
}
#endif
#endif
