#include "own_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_FD_MIN 512 /* out of the way of programs that close or dup2 low numbers */

struct own_fd own_fd_take(int fd)
{
    struct own_fd own = {.fd = fd};
    struct stat status;
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, OWN_FD_MIN);
    if (high >= 0) {
        close(fd);
        own.fd = high;
    }
    if (own.fd >= 0 && fstat(own.fd, &status) == 0) {
        own.device = status.st_dev;
        own.inode = status.st_ino;
    }
    return own;
}

bool own_fd_is_ours(const struct own_fd *own)
{
    struct stat status;
    return own->fd >= 0 && fstat(own->fd, &status) == 0 && status.st_dev == own->device &&
           status.st_ino == own->inode;
}

void own_fd_close(struct own_fd *own)
{
    if (own_fd_is_ours(own))
        close(own->fd);
    own->fd = -1;
}
