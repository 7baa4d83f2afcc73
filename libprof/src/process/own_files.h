/* own_files.h - work on files with descriptors that the program cannot reach.
 *
 * The program may close any descriptor or put a file of its own in its place, at any moment. What
 * changes a file is therefore done where nobody else has the descriptors: in a process for a moment
 * that shares our memory, with a copy of the program's descriptors (as vfork() makes one, which is
 * how posix_spawn() begins).
 */
#ifndef PROF_OWN_FILES_H
#define PROF_OWN_FILES_H

#include <stdbool.h>

/* Runs `job` in such a process; the calling thread waits. Mappings that it makes and memory that it
 * writes are the caller's. Returns what it returns: 0 or an errno value. Where there is no such process
 * (below emulators it has memory of its own), the caller runs the job if the program has no thread
 * beside it, else a thread with descriptors of its own. EAGAIN: none of that can be had. A job closes
 * what it opens.
 * Before: signals are blocked (signals_block). Threads: any. */
int own_files_run(int (*job)(void *argument), void *argument);

/* In a job: a descriptor of the file, as open(). All descriptors may be taken by the program: those
 * of the copy are ours. */
int own_files_open(const char *path, int flags);

/* The same of a file that may be made, with that mode less the umask. */
int own_files_create(const char *path, int flags, unsigned mode);

#endif
