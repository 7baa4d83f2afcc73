/* doctor_system.c - checks of the kernel, the file system and resource limits. */
#include "doctor.h"

#include "clock.h"
#include "config.h"
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Newer than some C libraries. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { MIB = 1 << 20, PROBE_BYTES = 65536 };

void doctor_check_clock(struct doctor *doctor, struct doctor_finding *finding)
{
    const char *why = clock_choose();
    (void)doctor;
    if (clock_kind == PROF_CLOCK_MONOTONIC) {
        doctor_find(finding, DOCTOR_WARN, "%s: ranges cost more than necessary", why);
        return;
    }
    /* aarch64's counter runs at 25 MHz to 1 GHz: 40 ns to 1 ns. */
    const uint64_t per_second = clock_ticks_per_second();
    doctor_find(finding, DOCTOR_OK, "%s; at %.0f MHz, ranges have a resolution of %.*f ns", why,
                (double)per_second / 1e6, per_second < 500000000 ? 0 : 1, 1e9 / (double)per_second);
}

void doctor_check_disk(struct doctor *doctor, struct doctor_finding *finding)
{
    struct statvfs system;
    if (access(doctor->directory, W_OK | X_OK) != 0 || statvfs(doctor->directory, &system) != 0) {
        doctor_find(finding, DOCTOR_FAIL,
                    "cannot write to %.300s: %s; choose another directory with -o",
                    doctor->directory, strerror(errno));
        return;
    }
    const uint64_t free_mib = (uint64_t)system.f_bavail * system.f_frsize / MIB;
    const uint64_t wanted_mib = config_get()->max_mib;
    if (free_mib < 64) {
        doctor_find(finding, DOCTOR_FAIL,
                    "only %llu MiB are free in %.300s: free some space, or choose another "
                    "directory with -o",
                    (unsigned long long)free_mib, doctor->directory);
    } else if (free_mib < wanted_mib) {
        doctor_find(
            finding, DOCTOR_WARN,
            "%llu MiB are free in %.300s, less than PROF_MAX_MB=%llu: a trace may end early",
            (unsigned long long)free_mib, doctor->directory, (unsigned long long)wanted_mib);
    } else {
        doctor_find(finding, DOCTOR_OK, "%llu MiB are free in %.300s", (unsigned long long)free_mib,
                    doctor->directory);
    }
}

/* Opens a temporary file that has no name any more. Returns -1 with errno set on failure. */
static int open_probe(const char *directory)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/.profrun-doctor-XXXXXX", directory);
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    return fd;
}

/* Does what the recorder does with a chunk: reserves space, maps it shared, writes to it. Returns
 * what the file system does not support, or NULL. */
static const char *try_mapping(int fd)
{
    if (!space_keep(fd)) {
        return "copies blocks to write them, which a full disk would turn into SIGBUS";
    }
    if (posix_fallocate(fd, 0, PROBE_BYTES) != 0) {
        return "cannot reserve space";
    }
    void *memory = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) {
        return "does not support shared mappings";
    }
    memset(memory, 1, PROBE_BYTES);
    munmap(memory, PROBE_BYTES);
    return NULL;
}

void doctor_check_mapping(struct doctor *doctor, struct doctor_finding *finding)
{
    const int fd = open_probe(doctor->directory);
    if (fd < 0) {
        doctor_find(finding, DOCTOR_FAIL, "cannot create a file in %.300s: %s", doctor->directory,
                    strerror(errno));
        return;
    }
    const char *trouble = try_mapping(fd);
    close(fd);
    if (trouble) {
        doctor_find(finding, DOCTOR_WARN,
                    "the file system of %.300s %s: the trace is written every 100 ms, and kill -9 "
                    "loses the last 100 ms; record to a local disk to avoid that",
                    doctor->directory, trouble);
    } else {
        doctor_find(finding, DOCTOR_OK,
                    "%.300s supports shared mappings: CPU events survive kill -9",
                    doctor->directory);
    }
}

/* The soft limit in the result of getrlimit(). */
static uint64_t soft_limit(int result, const struct rlimit *limit)
{
    return result == 0 ? (uint64_t)limit->rlim_cur : (uint64_t)RLIM_INFINITY;
}

void doctor_check_limits(struct doctor *doctor, struct doctor_finding *finding)
{
    struct rlimit limit;
    const uint64_t file = soft_limit(getrlimit(RLIMIT_FSIZE, &limit), &limit);
    const uint64_t space = soft_limit(getrlimit(RLIMIT_AS, &limit), &limit);
    (void)doctor;
    if (file != (uint64_t)RLIM_INFINITY) {
        doctor_find(finding, DOCTOR_WARN,
                    "file size is limited to %llu MiB (ulimit -f): a trace cannot exceed it",
                    (unsigned long long)(file / MIB));
    } else if (space != (uint64_t)RLIM_INFINITY) {
        doctor_find(finding, DOCTOR_WARN,
                    "address space is limited to %llu MiB (ulimit -v): CUDA alone may need more",
                    (unsigned long long)(space / MIB));
    } else {
        doctor_find(finding, DOCTOR_OK, "file size and address space are unlimited");
    }
}

/* CUDA itself needs these: locked memory for pinned host memory, /dev/shm for several processes. */
void doctor_check_memory(struct doctor *doctor, struct doctor_finding *finding)
{
    struct rlimit limit;
    const uint64_t locked = soft_limit(getrlimit(RLIMIT_MEMLOCK, &limit), &limit);
    struct statvfs shm;
    char text[64] = "unlimited";
    (void)doctor;
    if (locked != (uint64_t)RLIM_INFINITY) {
        snprintf(text, sizeof text, "%llu KiB", (unsigned long long)(locked / 1024));
    }
    if (statvfs("/dev/shm", &shm) != 0) {
        doctor_find(finding, DOCTOR_WARN,
                    "there is no /dev/shm, which programs with several processes need; locked "
                    "memory: %s",
                    text);
        return;
    }
    const uint64_t free_mib = (uint64_t)shm.f_bavail * shm.f_frsize / MIB;
    doctor_find(finding, free_mib < 16 ? DOCTOR_WARN : DOCTOR_OK,
                "/dev/shm has %llu MiB free; locked memory: %s", (unsigned long long)free_mib,
                text);
}

void doctor_check_kernel(struct doctor *doctor, struct doctor_finding *finding)
{
    struct utsname name;
    (void)doctor;
    uname(&name);
    void *page =
        mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        doctor_find(finding, DOCTOR_FAIL, "Linux %.60s has no memory left", name.release);
        return;
    }
    const bool populates = madvise(page, PROBE_BYTES, MADV_POPULATE_WRITE) == 0;
    const bool wipes = madvise(page, PROBE_BYTES, MADV_WIPEONFORK) == 0;
    munmap(page, PROBE_BYTES);
    doctor_find(finding, populates && wipes ? DOCTOR_OK : DOCTOR_WARN, "Linux %.60s%s%s",
                name.release,
                populates ? "" : "; before Linux 5.14, ranges cause occasional page faults",
                wipes ? "" : "; before Linux 4.14, children created without libc must not record");
}

void doctor_check_secure(struct doctor *doctor, struct doctor_finding *finding)
{
    if (getauxval(AT_SECURE)) {
        doctor_find(finding, DOCTOR_FAIL,
                    "profrun has more privileges than its user, so the loader ignores LD_PRELOAD: "
                    "remove its set-user-ID bit or capabilities");
    } else {
        doctor_find(finding, DOCTOR_OK, "libprof is %.300s", doctor->preload->library);
    }
}
