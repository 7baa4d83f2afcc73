#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

#define SPACE_XFS 0x58465342u

/* These never write a block in its old place, or not if a snapshot has it. ZFS loses the page
 * without a signal. */
static const uint32_t space_copying[] = {BTRFS_SUPER_MAGIC,         F2FS_SUPER_MAGIC,
                                         NILFS_SUPER_MAGIC,         0x2fc12fc1 /* zfs */,
                                         0xca451a4e /* bcachefs */, 0x7461636f /* ocfs2 */};

/* Whether a file can be copied without copying its blocks: to clone an empty file does nothing, and
 * no file system refuses it that can clone others. Overlay file systems ask the one below, whose
 * type they hide. Others may ask a server. */
static bool space_can_clone(int fd)
{
    struct file_clone_range nothing = {.src_fd = fd};
    return ioctl(fd, FICLONERANGE, &nothing) == 0;
}

static bool space_is_copied(int fd, uint32_t type)
{
    for (size_t i = 0; i < sizeof space_copying / sizeof *space_copying; i++)
        if (type == space_copying[i])
            return true;
    return (type == OVERLAYFS_SUPER_MAGIC || type == SPACE_XFS) && space_can_clone(fd);
}

/* Of the ones above only Btrfs can do that, also below an overlay. The file has no checksums
 * then. */
static void space_write_in_place(int fd)
{
    int flags;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
        return;
    flags |= FS_NOCOW_FL;
    (void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

bool space_keep(int fd)
{
    struct statfs status;
    if (fstatfs(fd, &status) != 0 || !space_is_copied(fd, (uint32_t)status.f_type))
        return true;
    space_write_in_place(fd);
    return false;
}

int space_reserve_if_possible(int fd, uint64_t offset, uint64_t bytes)
{
    int error;
    do
        error = fallocate(fd, 0, (off_t)offset, (off_t)bytes) == 0 ? 0 : errno;
    while (error == EINTR);
    return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL || error == EPERM ? 0 : error;
}
