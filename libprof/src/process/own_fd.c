#include "own_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_FD_MIN 512 /* out of the way of programs that close or dup2 low numbers */

struct own_fd own_fd_of(int fd)
{
    struct own_fd own = {.fd = fd};
    struct stat status;
    if (fd >= 0 && fstat(fd, &status) == 0) {
        own.device = status.st_dev;
        own.inode = status.st_ino;
    }
    return own;
}

struct own_fd own_fd_adopt(int fd)
{
    struct own_fd low = own_fd_of(fd);
    struct own_fd high = own_fd_of(fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, OWN_FD_MIN));
    if (high.fd < 0)
        return low;
    own_fd_close(&low);
    return high;
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
