/* own_fd.h - a file descriptor of ours that stays open: in a table of ours (own_files.h), or in the
 * program's, which may close it or put a file of its own in its place.
 *
 * There it has a number between those that programs choose and the 64 that every table has room
 * for: a larger table is waited for, for as long as 20 ms where the process has threads. Before
 * each use its file is compared with the one it was: what the program has put in its place is never
 * touched. Every function is safe in signal handlers.
 */
#ifndef PROF_OWN_FD_H
#define PROF_OWN_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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

#endif
