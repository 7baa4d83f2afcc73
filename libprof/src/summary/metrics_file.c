/* metrics_file.c - the file of metrics. A reader finds the old one or the new one, never a part.
 *
 * The text goes into a temporary file beside it, which is renamed. node_exporter reads names that
 * end in .prom alone.
 *
 * At exit the last values stay: the collector has seen up to 30 s less of the run, and a total that
 * disappears says neither how the job ended nor how far it came. The file of a process that has
 * ended is removed by the next process that begins to write into the directory, METRICS_STALE_S
 * after it was written: no process that lives lets it get that old, unless it is stopped, and then
 * it writes it again.
 */
#include "chunks.h"
#include "config.h"
#include "metrics.h"
#include "own_files.h"
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define METRICS_STALE_S 600
#define METRICS_FILE_BEGIN "libprof-"
#define METRICS_FILE_END ".live.prom"
#define METRICS_TEMPORARY ".new" /* after the name: no collector reads it */

static struct {
    char directory[PATH_MAX], path[PATH_MAX + 512];
    uint32_t generation; /* process_generation() that the path is of */
    bool removed_others;
} metrics_file;

struct metrics_job {
    const char *text;
    size_t bytes;
    char temporary[sizeof metrics_file.path + sizeof METRICS_TEMPORARY];
};

const char *metrics_path(void)
{
    return metrics_file.path;
}

/* The host's name may hold a slash. */
static void metrics_file_clean(char *name)
{
    for (; *name; name++)
        if (*name == '/')
            *name = '_';
}

/* A process number may come again, and two containers may share it, the host's name and the
 * directory. */
static bool metrics_file_name(void)
{
    const struct prof_file_header *header = chunks_header();
    char host[256];
    if (*metrics_file.path && metrics_file.generation == process_generation())
        return true;
    snprintf(host, sizeof host, "%s", process_host());
    metrics_file_clean(host);
    metrics_file.generation = process_generation();
    if (!process_absolute_path(config_get()->prometheus, metrics_file.directory,
                               sizeof metrics_file.directory))
        return false;
    snprintf(metrics_file.path, sizeof metrics_file.path,
             "%s/" METRICS_FILE_BEGIN "%s-%u-%llu" METRICS_FILE_END, metrics_file.directory, host,
             header->pid, (unsigned long long)(header->start_realtime_ns / 1000000));
    return true;
}

/* ---- files that others left ---- */

static bool metrics_file_is_live(const char *name)
{
    size_t size = strlen(name), end = sizeof METRICS_FILE_END - 1;
    return size > end && strcmp(name + size - end, METRICS_FILE_END) == 0 &&
           strncmp(name, METRICS_FILE_BEGIN, sizeof METRICS_FILE_BEGIN - 1) == 0;
}

static void metrics_file_remove_stale(void *in, const char *name)
{
    int directory = *(int *)in;
    struct stat status;
    if (metrics_file_is_live(name) && fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        time(NULL) - status.st_mtime > METRICS_STALE_S)
        unlinkat(directory, name, 0);
}

static void metrics_file_remove_others(void)
{
    int directory = own_files_open(metrics_file.directory, O_RDONLY | O_DIRECTORY);
    if (directory < 0)
        return;
    process_each_entry(directory, metrics_file_remove_stale, &directory);
    close(directory);
}

/* ---- replacing ---- */

static int metrics_file_fill(int fd, const struct metrics_job *job)
{
    size_t done = 0;
    while (done < job->bytes) {
        ssize_t written = write(fd, job->text + done, job->bytes - done);
        if (written <= 0)
            return written ? errno : EIO;
        done += (size_t)written;
    }
    return 0;
}

/* One that an earlier attempt left is this process's own. The umask decides who may read it. */
static int metrics_file_job(void *argument)
{
    struct metrics_job *job = argument;
    unlink(job->temporary);
    int fd = own_files_create(job->temporary, O_WRONLY | O_EXCL, 0644);
    if (fd < 0)
        return errno;
    int error = metrics_file_fill(fd, job);
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(job->temporary, metrics_file.path) != 0)
        error = errno;
    if (error)
        unlink(job->temporary);
    else if (!metrics_file.removed_others)
        metrics_file_remove_others();
    metrics_file.removed_others |= !error;
    return error;
}

int metrics_file_replace(const char *text, size_t bytes)
{
    static struct metrics_job job;
    if (!metrics_file_name())
        return ENAMETOOLONG;
    job.text = text;
    job.bytes = bytes;
    snprintf(job.temporary, sizeof job.temporary, "%s" METRICS_TEMPORARY, metrics_file.path);
    return own_files_run_long(metrics_file_job, &job);
}
