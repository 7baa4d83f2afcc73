/* own_fd.h - a file descriptor of ours in a program that may close or reuse any number.
 *
 * It is kept out of the way, with a high number, and before each use its file is compared with the
 * one it was: what the program has put in its place is never touched. Every function is safe in
 * signal handlers.
 */
#ifndef PROF_OWN_FD_H
#define PROF_OWN_FD_H

#include <stdbool.h>
#include <sys/types.h>

struct own_fd {
    int fd; /* -1: none */
    dev_t device;
    ino_t inode;
};
#define OWN_FD_NONE \
    {               \
        .fd = -1    \
    }

/* `fd` as it is (negative: none). */
struct own_fd own_fd_of(int fd);

/* Takes over `fd` (negative: none). */
struct own_fd own_fd_adopt(int fd);

/* Whether it is still open and still the same file. */
bool own_fd_is_ours(const struct own_fd *own);

void own_fd_close(struct own_fd *own);

#endif
