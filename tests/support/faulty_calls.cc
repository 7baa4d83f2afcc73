#include "faulty_calls.h"

#include <cerrno>
#include <sys/mman.h>
#include <sys/types.h>

FaultyCalls faulty_calls;

extern "C" {
void *__real_mmap(void *place, size_t bytes, int protection, int flags, int fd, off_t offset);
ssize_t __real_pwrite(int fd, const void *from, size_t bytes, off_t offset);

void *__wrap_mmap(void *place, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (faulty_calls.no_shared_mappings && fd >= 0 && (flags & MAP_SHARED)) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    // As the kernel does when a file system refuses, or a limit is found to be reached late.
    if (faulty_calls.no_mappings && (fd >= 0 || (flags & MAP_FIXED))) {
        if (flags & MAP_FIXED)
            munmap(place, bytes);
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return __real_mmap(place, bytes, protection, flags, fd, offset);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    if (faulty_calls.no_space) {
        errno = ENOSPC;
        return -1;
    }
    ssize_t written = __real_pwrite(fd, from, bytes, offset);
    if (written > 0)
        faulty_calls.bytes_written += (uint64_t)written;
    return written;
}
}
