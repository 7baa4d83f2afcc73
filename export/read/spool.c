#define _GNU_SOURCE
#include "spool.h"

#include "array.h"
#include "progress.h"
#include "trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES (1u << 18)

struct spool {
    dev_t device;
    ino_t inode;
    int copy;
};

static TL_ARRAY(struct spool) spools; /* for the rest of the process: as long as its pipes */

static const struct spool *find(const struct stat *status)
{
    for (uint32_t i = 0; i < spools.count; i++)
        if (spools.at[i].device == status->st_dev && spools.at[i].inode == status->st_ino)
            return &spools.at[i];
    return NULL;
}

static bool is_once(const struct stat *status)
{
    return S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode);
}

/* /dev/stdin, /dev/fd/N: a socket cannot be opened by such a name. -1: the path is another. */
static int descriptor_of(const char *path)
{
    static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        size_t size = strlen(directories[i]);
        char *end;
        if (strncmp(path, directories[i], size) != 0 || path[size] < '0' || path[size] > '9')
            continue;
        unsigned long number = strtoul(path + size, &end, 10);
        if (*end == '\0' && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

/* Standard output, standard error, or the shell's >(command). */
static bool is_output(const char *path, const struct stat *status)
{
    struct stat output;
    int own = descriptor_of(path);
    if (own >= 0 && (fcntl(own, F_GETFL) & O_ACCMODE) == O_WRONLY)
        return true;
    for (int descriptor = STDOUT_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fstat(descriptor, &output) == 0 && output.st_dev == status->st_dev &&
            output.st_ino == status->st_ino)
            return true;
    return false;
}

static const char *directory(void)
{
    const char *wanted = getenv("TMPDIR");
    return wanted && *wanted ? wanted : "/tmp";
}

int spool_create(void)
{
    char path[PATH_MAX];
    int descriptor = open(directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0)
        return descriptor;
    snprintf(path, sizeof path, "%s/profdump.XXXXXX", directory());
    descriptor = mkostemp(path, O_CLOEXEC); /* some file systems have no O_TMPFILE */
    if (descriptor >= 0)
        unlink(path);
    return descriptor;
}

/* Waits for the writer of a named pipe. */
static int open_once(const char *path)
{
    int own = descriptor_of(path);
    return own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
}

/* False: errno says why; `*reading`: that it could not be read. */
static bool copy(int from, int to, char *bytes, bool *reading)
{
    for (;;) {
        ssize_t got = read(from, bytes, COPY_BYTES);
        *reading = got < 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        progress_add((uint64_t)got);
        for (ssize_t done = 0; done < got;) {
            ssize_t put = write(to, bytes + done, (size_t)(got - done));
            if (put < 0 && errno != EINTR)
                return false;
            done += put < 0 ? 0 : put;
        }
    }
}

static bool fill(const char *path, int to, struct read_error *error)
{
    bool reading = true;
    char *bytes = malloc(COPY_BYTES);
    int from = bytes ? open_once(path) : -1;
    progress_begin("reading", path, 0);
    bool copied = from >= 0 && copy(from, to, bytes, &reading);
    progress_end();
    if (!copied && reading)
        trace_error(error, path, "%s", bytes ? strerror(errno) : strerror(ENOMEM));
    else if (!copied)
        trace_error(error, path,
                    "a pipe is copied to a file before it is read, but %s has no room for it "
                    "(%s); set TMPDIR to another directory",
                    directory(), strerror(errno));
    if (from >= 0)
        close(from);
    free(bytes);
    return copied;
}

bool spool_input(const char *path, struct read_error *error)
{
    struct stat status;
    if (stat(path, &status) != 0 || !is_once(&status) || is_output(path, &status) || find(&status))
        return true;
    int descriptor = spool_create();
    if (descriptor < 0) {
        trace_error(error, path,
                    "a pipe is copied to a file before it is read, but no copy can be made in %s "
                    "(%s); set TMPDIR to another directory",
                    directory(), strerror(errno));
        return false;
    }
    struct spool *added = fill(path, descriptor, error) ? ARRAY_ADD(&spools) : NULL;
    if (added)
        *added = (struct spool){status.st_dev, status.st_ino, descriptor};
    else
        close(descriptor);
    return added != NULL;
}

char *spool_inherit(const char *path)
{
    struct stat status;
    char *name = NULL;
    const struct spool *spool = spools.count && stat(path, &status) == 0 ? find(&status) : NULL;
    if (!spool || fcntl(spool->copy, F_SETFD, 0) != 0 ||
        asprintf(&name, "/proc/%d/fd/%d", (int)getpid(), spool->copy) < 0)
        return NULL;
    return name;
}

int spool_open(const char *path, bool *spooled)
{
    struct stat status;
    char name[32];
    const struct spool *spool = spools.count && stat(path, &status) == 0 ? find(&status) : NULL;
    if (spooled)
        *spooled = spool != NULL;
    if (!spool) /* not blocking: a named pipe without a writer would hang here */
        return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    snprintf(name, sizeof name, "/proc/self/fd/%d", spool->copy);
    return open(name, O_RDONLY | O_CLOEXEC); /* with an offset of its own */
}
