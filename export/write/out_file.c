/* out_file.c - temporary file, rename, and the targets that cannot be renamed over. */
#include "out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The temporary file in progress: written by the thread that exports, read by a signal handler. */
static _Atomic(char *) current_temporary;

static bool fail(struct write_error *error, const char *path, const char *what, int code)
{
    error->code = code;
    snprintf(error->message, sizeof error->message, "%s: %s: %s", path, what, strerror(code));
    return false;
}

void out_file_remove_temporary(void)
{
    char *path = atomic_exchange_explicit(&current_temporary, NULL, memory_order_acq_rel);
    if (path)
        unlink(path);
}

/* The descriptor that a path names in this process, -1 when it names none. */
static int own_descriptor(const char *path)
{
    char *end;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0)
        return STDERR_FILENO;
    const char *number = strncmp(path, "/dev/fd/", 8) == 0          ? path + 8
                         : strncmp(path, "/proc/self/fd/", 14) == 0 ? path + 14
                                                                    : "";
    long fd = strtol(number, &end, 10);
    return *number && !*end && fd >= 0 && fd <= INT_MAX ? (int)fd : -1;
}

static bool open_directly(struct out_file *file, int own_fd, struct write_error *error)
{
    if (own_fd >= 0)
        file->fd = fcntl(own_fd, F_DUPFD_CLOEXEC, 3);
    else
        file->fd = open(file->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return file->fd >= 0 || fail(error, file->path, "cannot write", errno);
}

/* ".prof-<pid>-<number>.tmp" in the directory of `path`: a name of its own length would be too long
 * for targets with long names. */
static char *temporary_name(const char *path, unsigned number)
{
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path + 1) : 0;
    char *name;
    if (asprintf(&name, "%.*s.prof-%ld-%u.tmp", directory, path, (long)getpid(), number) < 0)
        return NULL;
    return name;
}

static bool open_temporary(struct out_file *file, struct write_error *error)
{
    static _Atomic(unsigned) next;
    for (int attempt = 0; attempt < 100; attempt++) {
        file->temporary = temporary_name(file->path, atomic_fetch_add(&next, 1));
        if (!file->temporary)
            return fail(error, file->path, "cannot write", ENOMEM);
        file->fd =
            open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file->fd >= 0) {
            atomic_store_explicit(&current_temporary, file->temporary, memory_order_release);
            return true;
        }
        int code = errno;
        free(file->temporary);
        file->temporary = NULL;
        if (code != EEXIST)
            return fail(error, file->path, "cannot write", code);
    }
    return fail(error, file->path, "cannot write", EEXIST);
}

static void out_file_fini(struct out_file *file)
{
    free(file->temporary);
    free(file->path);
    *file = (struct out_file){.fd = -1};
}

bool out_file_open(struct out_file *file, const char *path, struct write_error *error)
{
    struct stat status;
    int own_fd = own_descriptor(path);
    bool opened;
    *file = (struct out_file){.fd = -1, .path = strdup(path)};
    if (!file->path)
        return fail(error, path, "cannot write", ENOMEM);
    if (own_fd >= 0 ||
        (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        opened = open_directly(file, own_fd, error);
    else if (*path == '\0' || path[strlen(path) - 1] == '/' ||
             (stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
        opened = fail(error, path, "cannot write", *path ? EISDIR : ENOENT);
    else
        opened = open_temporary(file, error);
    if (!opened)
        out_file_fini(file);
    return opened;
}

bool out_file_commit(struct out_file *file, int failure, struct write_error *error)
{
    if (close(file->fd) != 0 && !failure)
        failure = errno;
    if (file->temporary && !failure && rename(file->temporary, file->path) != 0)
        failure = errno;
    if (file->temporary && failure)
        unlink(file->temporary);
    atomic_store_explicit(&current_temporary, NULL, memory_order_release);
    if (failure)
        fail(error, file->path, "cannot write", failure);
    out_file_fini(file);
    return failure == 0;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
    return 0;
}

int out_file_write(int fd, FILE *stream, const char *bytes, size_t size)
{
    if (size == 0)
        return 0;
    if (!stream)
        return write_all(fd, bytes, size);
    errno = 0;
    if (fwrite(bytes, 1, size, stream) == size)
        return 0;
    return errno ? errno : EIO;
}
