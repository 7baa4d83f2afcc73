/* own_files.h - work on files with descriptors that the program cannot reach.
 *
 * The program may close any descriptor, put a file of its own in its place, or expect to be given
 * the lowest number that is free, at any moment. So descriptors of ours are in a table of their
 * own: that of a thread which does such work for the others, begins with the first job and stays.
 * The table begins as a copy of the program's lowest 64 descriptors, which the thread closes at
 * once.
 *
 * Closing a copy is not always harmless: a file of a network or FUSE file system is written back,
 * or its server asked to. Where the program has such a file, or there can be no thread, there is no
 * such table: each thread does its own jobs, with the program's table (own_fd_*).
 */
#ifndef PROF_OWN_FILES_H
#define PROF_OWN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Has `job` done; the calling thread waits. Mappings that it makes and memory that it writes are
 * the caller's. Returns what it returns: 0 or an errno value. A job closes what it opens, prints
 * nothing, and is short: others wait for it. Before: signals are blocked (signals_block). Threads:
 * any. */
int own_files_run(int (*job)(void *argument), void *argument);

/* The same for a job that may take long: on a thread of its own, with the same table. */
int own_files_run_long(int (*job)(void *argument), void *argument);

/* The same for a short job that must not hold the program up where the file system hangs: ETIMEDOUT
 * after `deadline_ms`, and at once while such a job is not over. It has a copy of the argument, at
 * most OWN_FILES_ARGUMENT_BYTES. */
#define OWN_FILES_ARGUMENT_BYTES 64u
int own_files_run_within(unsigned deadline_ms, int (*job)(void *argument), const void *argument,
                         size_t bytes);

/* process_read_file() as a job, for threads of the program's: it does not see the descriptor.
 * Blocks signals itself. */
size_t own_files_read(const char *path, char *to, size_t size);

/* own_files_run() for a job that looks at /proc or writes a report, and must be done also while a
 * file system hangs in another's: with the program's table then, after 0.2 s. Blocks signals
 * itself. */
void own_files_look(void (*look)(void *argument), void *argument);

/* Whether that is the thread that does so: to itself it always seems to run. */
bool own_files_are_read_by(uint32_t tid);

/* process_read_file() as such a job. */
size_t own_files_look_into(const char *path, char *to, size_t size);

/* In a job: a descriptor of the file, as open(). */
int own_files_open(const char *path, int flags);

/* The same of a file that may be made, with that mode less the umask. */
int own_files_create(const char *path, int flags, unsigned mode);

/* Which table the calling thread has: 0 the program's. None is ever the same again. */
uint32_t own_files_table(void);

/* Whether closing copies of the calling thread's descriptors 0 to `last` could do anything to their
 * files. */
bool own_files_closing_matters(unsigned last);

/* Ends the thread for good. */
void own_files_end(unsigned deadline_ms);

/* In a forked child, which has no such thread. */
void own_files_fork_child(void);

/* ---- a descriptor of ours that stays open ---- */

/* It is in a table of ours, or in the program's, which may close it or put a file of its own in its
 * place.
 *
 * There it has a number between those that programs choose and the 64 that every table has room
 * for: a larger table is waited for, for as long as 20 ms where the process has threads. Before
 * each use its file is compared with the one it was: what the program has put in its place is never
 * touched. Every function is safe in signal handlers.
 */

struct own_fd {
    int fd;         /* -1: none */
    uint32_t table; /* own_files_table() of who may use it */
    dev_t device;
    ino_t inode;
};
#define OWN_FD_NONE \
    {               \
        .fd = -1    \
    }

/* Takes over `fd` (negative: none). */
struct own_fd own_fd_adopt(int fd);

/* Whether it is still open and still the same file. False for a thread that has another table. */
bool own_fd_is_ours(const struct own_fd *own);

/* Whether both are the same file. */
bool own_fd_is_same_file(const struct own_fd *own, const struct own_fd *other);

void own_fd_close(struct own_fd *own);

/* One descriptor that a job leaves open goes to the program's table while the thread has to end for
 * a while (workers_park()), and back: its file may not be found, or not be opened any more. NULL:
 * none. Before: own_fd_adopt(). */
void own_files_keep(struct own_fd *own);

#endif
