#include "own_fd.h"

#include "own_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A program that chooses a number itself replaces what is there; the higher, the fewer do. From 64
 * on the kernel enlarges the table, for which a process with threads waits 10 to 20 ms. Remote
 * control needs three. */
#define OWN_FD_MIN 61

static struct own_fd own_fd_of(int fd)
{
    struct own_fd own = {.fd = fd, .table = own_files_table()};
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
    if (fd < 0 || fd >= OWN_FD_MIN || low.table)
        return low;
    struct own_fd high = own_fd_of(fcntl(fd, F_DUPFD_CLOEXEC, OWN_FD_MIN));
    if (high.fd < 0)
        return low;
    own_fd_close(&low);
    return high;
}

bool own_fd_is_same_file(const struct own_fd *own, const struct own_fd *other)
{
    return own->device == other->device && own->inode == other->inode;
}

bool own_fd_is_ours(const struct own_fd *own)
{
    if (own->fd < 0 || own->table != own_files_table())
        return false;
    struct own_fd now = own_fd_of(own->fd);
    return own_fd_is_same_file(own, &now);
}

void own_fd_close(struct own_fd *own)
{
    if (own_fd_is_ours(own))
        syscall(SYS_close, own->fd); /* before close(), code of the program's may stand */
    own->fd = -1;
}
