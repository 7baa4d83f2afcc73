/* out_file.c - temporary file, rename, and the targets that cannot be renamed over. */
#include "out_file.h"

#include "prof/format.h"
#include "progress.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as the kernel */

/* With the slash; 0: there is none. */
static int directory_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path + 1) : 0;
}

/* ---- messages ---- */

/* For ENOTSUP, which packed_out.c returns if this build lacks the compression. */
static const char *missing_library(const char *path)
{
    size_t size = strlen(path);
    return size > 4 && strcmp(path + size - 4, ".zst") == 0
               ? "; this build has no libzstd (Debian: libzstd-dev)"
               : "; this build has no zlib (Debian: zlib1g-dev)";
}

static const char *remedy(int code, const char *path)
{
    switch (code) {
    case ENOTSUP:
        return missing_library(path);
    case EACCES:
    case EPERM:
    case EROFS:
        return "; name a file in a folder that you may write to";
    case ENOSPC:
    case EDQUOT:
        return "; make room, or name a file on another disk";
    case EFBIG:
        return "; raise the limit of file sizes (ulimit -f)";
    case EISDIR:
        return "; name a file in it";
    default:
        return "";
    }
}

static bool fail(struct write_error *error, const char *path, int code)
{
    error->code = code;
    snprintf(error->message, sizeof error->message, "%s: cannot write: %s%s", path, strerror(code),
             remedy(code, path));
    return false;
}

static bool miss_folder(struct write_error *error, const char *path, const char *target)
{
    error->code = ENOENT;
    snprintf(error->message, sizeof error->message,
             "%s: cannot write: %s; make the folder first: mkdir -p %.*s", path, strerror(ENOENT),
             directory_size(target) - 1, target);
    return false;
}

static bool refuse_recording(struct write_error *error, const char *path)
{
    error->code = EEXIST;
    snprintf(error->message, sizeof error->message,
             "%s: cannot write: an export does not replace a recording; name another file", path);
    return false;
}

/* ---- resolving the path ---- */

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

/* The path that a link points to; frees `link`. NULL: no memory. */
static char *follow(char *link, const char *leads_to)
{
    char *path;
    int directory = *leads_to == '/' ? 0 : directory_size(link);
    if (asprintf(&path, "%.*s%s", directory, link, leads_to) < 0)
        path = NULL;
    free(link);
    return path;
}

/* Follows all links, but not those of this process's descriptors. The target need not exist. NULL:
 * errno says why. */
static char *find_target(const char *path)
{
    char *target = strdup(path), leads_to[PATH_MAX];
    for (int links = 0; target && own_descriptor(target) < 0; links++) {
        ssize_t size = readlink(target, leads_to, sizeof leads_to - 1);
        if (size < 0)
            return target;
        leads_to[size] = '\0';
        target = follow(target, leads_to);
        if (links == LINKS_MAX) {
            free(target);
            errno = ELOOP;
            return NULL;
        }
    }
    return target;
}

/* ---- the temporary file ---- */

/* The one in progress: written by the thread that exports, read by a signal handler. */
static _Atomic(char *) current_temporary;

static void on_end(int number)
{
    char *path = atomic_exchange_explicit(&current_temporary, NULL, memory_order_acq_rel);
    if (path)
        unlink(path);
    signal(number, SIG_DFL);
    raise(number);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction before, action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(number, &action, NULL);
}

void out_file_remove_on_signals(void)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        handle(ends[i], on_end);
    handle(SIGXFSZ, SIG_IGN);
}

static void forget_temporary(struct out_file *file)
{
    atomic_store_explicit(&current_temporary, NULL, memory_order_release);
    free(file->temporary);
    file->temporary = NULL;
}

/* ".prof-<pid>-<number>.tmp" in the directory of `target`: a name of its own length would be too
 * long for targets with long names. */
static char *temporary_name(const char *target)
{
    static _Atomic(unsigned) next;
    char *name;
    if (asprintf(&name, "%.*s.prof-%ld-%u.tmp", directory_size(target), target, (long)getpid(),
                 atomic_fetch_add(&next, 1)) < 0)
        return NULL;
    return name;
}

/* Copies owner, group and mode of the old file, as far as this process may. If it may not set the
 * group, the group gets no access. */
static void copy_access(int fd, const struct stat *old)
{
    struct stat made;
    bool same_owner =
        fstat(fd, &made) == 0 && made.st_uid == old->st_uid && made.st_gid == old->st_gid;
    bool same_group = same_owner || fchown(fd, old->st_uid, old->st_gid) == 0 ||
                      fchown(fd, (uid_t)-1, old->st_gid) == 0;
    fchmod(fd, old->st_mode & (same_group ? 0777 : 0707));
}

/* `old`: the file to be replaced, NULL if there is none. Returns 0 or an errno. */
static int open_temporary(struct out_file *file, const struct stat *old)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        file->temporary = temporary_name(file->target);
        if (!file->temporary)
            return ENOMEM;
        /* before the file exists: a signal may come at any moment */
        atomic_store_explicit(&current_temporary, file->temporary, memory_order_release);
        file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        old ? 0600 : 0666);
        int code = file->fd < 0 ? errno : 0;
        if (!code && old)
            copy_access(file->fd, old);
        if (!code)
            return 0;
        forget_temporary(file);
        if (code != EEXIST)
            return code;
    }
    return EEXIST;
}

/* ---- opening ---- */

static bool open_directly(struct out_file *file, int own_fd, int flags, struct write_error *error)
{
    if (own_fd >= 0)
        file->fd = fcntl(own_fd, F_DUPFD_CLOEXEC, 3);
    else
        file->fd = open(file->target, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
    return file->fd >= 0 || fail(error, file->path, errno);
}

/* Whether the file is a recording of libprof, even if a text-mode transfer damaged its first
 * byte. */
static bool is_recording(const char *head, size_t size)
{
    return size >= 5 && memcmp(head + 1, &PROF_FILE_MAGIC[1], 4) == 0;
}

/* Checks what rename() does not: write permission, and that the old file is not a recording. */
static bool may_replace(const struct out_file *file, struct write_error *error)
{
    char head[PROF_FILE_MAGIC_BYTES];
    if (faccessat(AT_FDCWD, file->target, W_OK, AT_EACCESS) != 0)
        return fail(error, file->path, errno);
    int fd = open(file->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(error, file->path, errno);
    ssize_t size = read(fd, head, sizeof head);
    close(fd);
    return size <= 0 || !is_recording(head, (size_t)size) || refuse_recording(error, file->path);
}

/* `old`: the existing file, NULL if there is none. */
static bool open_regular(struct out_file *file, const struct stat *old, struct write_error *error)
{
    if (old && !may_replace(file, error))
        return false;
    int code = open_temporary(file, old);
    if (old && (code == EACCES || code == EPERM || code == EROFS))
        return open_directly(file, -1, O_TRUNC, error);
    if (code == ENOENT && directory_size(file->target))
        return miss_folder(error, file->path, file->target);
    return !code || fail(error, file->path, code);
}

static bool open_target(struct out_file *file, struct write_error *error)
{
    struct stat status;
    int own_fd = own_descriptor(file->target);
    bool exists = own_fd < 0 && stat(file->target, &status) == 0;
    size_t size = strlen(file->target);
    file->is_stream =
        own_fd >= 0 || (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
    if (file->is_stream)
        return open_directly(file, own_fd, 0, error);
    if (size == 0)
        return fail(error, file->path, ENOENT);
    if (file->target[size - 1] == '/' || (exists && S_ISDIR(status.st_mode)))
        return fail(error, file->path, EISDIR);
    return open_regular(file, exists ? &status : NULL, error);
}

static void out_file_fini(struct out_file *file)
{
    forget_temporary(file);
    free(file->target);
    free(file->path);
    *file = (struct out_file){.fd = -1};
}

bool out_file_open(struct out_file *file, const char *path, struct write_error *error)
{
    *file = (struct out_file){.fd = -1, .path = strdup(path)};
    file->target = file->path ? find_target(path) : NULL;
    bool opened = file->target ? open_target(file, error) : fail(error, path, errno);
    if (opened)
        progress_begin_writing(file->path, file->fd);
    else
        out_file_fini(file);
    return opened;
}

/* ---- replacing the target ---- */

/* Returns 0 or an errno. */
static int copy_over(const char *from, const char *to)
{
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_TRUNC | O_CLOEXEC);
    ssize_t copied = 1;
    while (out >= 0 && copied > 0)
        copied = sendfile(out, in, NULL, 1u << 30);
    int code = out < 0 || copied < 0 ? errno : 0;
    if (out >= 0 && close(out) != 0 && !code)
        code = errno;
    if (in >= 0)
        close(in);
    return code;
}

/* Copies if rename() is refused: another user's file in a directory like /tmp and a mounted file
 * may be written, but not replaced. Returns 0 or an errno. */
static int put_in_place(const struct out_file *file)
{
    if (rename(file->temporary, file->target) == 0)
        return 0;
    int code = errno;
    return code == EPERM || code == EACCES || code == EBUSY
               ? copy_over(file->temporary, file->target)
               : code;
}

bool out_file_commit(struct out_file *file, int failure, struct write_error *error)
{
    progress_end();
    if (close(file->fd) != 0 && !failure)
        failure = errno;
    if (file->temporary && !failure)
        failure = put_in_place(file);
    if (file->temporary)
        unlink(file->temporary); /* no-op after the rename */
    if (failure)
        fail(error, file->path, failure);
    out_file_fini(file);
    return failure == 0;
}
