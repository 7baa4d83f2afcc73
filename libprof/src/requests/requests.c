#include "requests.h"

#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "log.h"
#include "own_files.h"
#include "process.h"
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REQUESTS_DEFAULT_FILE "/etc/libkineto.conf"
#define REQUESTS_FIRST_NS 1000000000u /* most programs end sooner */
#define REQUESTS_INTERVAL_S 5u        /* Kineto's, too */
#define REQUESTS_INTERVAL_MAX_S 3600u
#define REQUESTS_SETTLE_NS 250000000u /* so long unchanged, a file is complete */
#define REQUESTS_TORCH "/libtorch_cpu.so"

/* By which a change of the file is seen. All zero: there is none. */
struct requests_version {
    uint64_t device, inode, bytes, changed_ns;
};

static char requests_file[4096]; /* KINETO_CONFIG, "" not set; set by init */
GUEST_DATA static uint32_t
    requests_on;                  /* set by init; the control thread resets it, others read it */
static uint64_t requests_next_ns; /* the control thread's own, like what follows */
static uint64_t requests_interval_ns;
static bool requests_have_begun;
static struct requests_version requests_read, requests_seen;

/* A job: own_files_run_long(). */
struct requests_job {
    const char *path;
    char text[KINETO_CONFIG_BYTES_MAX + 1];
    size_t size;
    bool found;
};

/* ---- Kineto's file ---- */

static struct requests_version requests_look(void)
{
    struct stat status;
    if (!*requests_file || stat(requests_file, &status) != 0)
        return (struct requests_version){0};
    return (struct requests_version){
        .device = status.st_dev,
        .inode = status.st_ino,
        .bytes = (uint64_t)status.st_size,
        .changed_ns =
            (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec,
    };
}

static bool requests_is_same(const struct requests_version *a, const struct requests_version *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
           a->changed_ns == b->changed_ns;
}

/* Files that others can write to are not trusted. */
static int requests_may_read(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return errno;
    if (!S_ISREG(status.st_mode))
        return EINVAL;
    bool trusted = (status.st_uid == geteuid() || status.st_uid == 0) && !(status.st_mode & 022);
    return !trusted ? EPERM : status.st_size > (off_t)KINETO_CONFIG_BYTES_MAX ? EFBIG : 0;
}

static int requests_read_file(void *argument)
{
    struct requests_job *job = argument;
    int fd = open(job->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int error = requests_may_read(fd);
    ssize_t size = error ? 0 : read(fd, job->text, sizeof job->text);
    if (size < 0)
        error = errno;
    job->size = size > 0 ? (size_t)size : 0;
    close(fd);
    return error;
}

static const char *requests_reason(int error)
{
    return error == EPERM    ? "it does not belong to this user or root, or others may write to it"
           : error == EINVAL ? "it is not a regular file"
                             : strerror(error);
}

/* Where the program may be asked at all, the file's defaults are Kineto's. */
static void requests_read_interval(void)
{
    static struct requests_job job;
    static struct kineto_config config;
    char reason[200];
    job.path = *requests_file ? requests_file : REQUESTS_DEFAULT_FILE;
    requests_interval_ns = REQUESTS_INTERVAL_S * 1000000000ull;
    if (own_files_run_long(requests_read_file, &job) != 0)
        return;
    kineto_config_parse(job.text, job.size, &config, reason, sizeof reason);
    if (config.poll_s && config.poll_s <= REQUESTS_INTERVAL_MAX_S)
        requests_interval_ns = config.poll_s * 1000000000ull;
}

static void requests_obey_file(void)
{
    static struct requests_job job;
    static struct kineto_config config;
    char reason[200];
    job.path = requests_file;
    int error = own_files_run_long(requests_read_file, &job);
    if (error)
        trace_request_refuse(requests_file, requests_reason(error));
    else if (!kineto_config_parse(job.text, job.size, &config, reason, sizeof reason))
        trace_request_refuse(requests_file, reason);
    else if (config.wants_trace)
        trace_request_accept(&config, requests_file);
}

/* The writer of the file may not be done yet when its change is first seen. */
static void requests_check_file(void)
{
    struct requests_version now = requests_look();
    bool settled = requests_is_same(&now, &requests_seen);
    requests_seen = now;
    if (requests_is_same(&now, &requests_read))
        return;
    if (!settled) {
        requests_next_ns = clock_monotonic_ns() + REQUESTS_SETTLE_NS;
        return;
    }
    requests_read = now;
    if (now.inode)
        requests_obey_file();
}

/* ---- PyTorch ---- */

/* In /proc/self/maps and not by dl_iterate_phdr(): a fork in that moment would leave its lock
 * locked in the child. */
static int requests_find_torch(void *argument)
{
    struct requests_job *job = argument;
    size_t kept = 0;
    ssize_t size;
    int fd = own_files_open("/proc/self/maps", O_RDONLY);
    if (fd < 0)
        return errno;
    while (!job->found && (size = read(fd, job->text + kept, KINETO_CONFIG_BYTES_MAX - kept)) > 0) {
        kept += (size_t)size;
        job->found = memmem(job->text, kept, REQUESTS_TORCH, sizeof REQUESTS_TORCH - 1) != NULL;
        size_t overlap = kept < sizeof REQUESTS_TORCH ? kept : sizeof REQUESTS_TORCH;
        memmove(job->text, job->text + kept - overlap, overlap);
        kept = overlap;
    }
    close(fd);
    return 0;
}

static bool requests_are_torchs(void)
{
    static struct requests_job job;
    if (config_get()->daemon != CONFIG_DAEMON_AUTO)
        return false;
    job.found = false;
    own_files_run(requests_find_torch, &job);
    return job.found;
}

/* ---- the control thread ---- */

GUEST_PATH void requests_init(void)
{
    const char *daemon = secure_getenv("KINETO_USE_DAEMON"), *file = secure_getenv("KINETO_CONFIG");
    bool used = daemon && *daemon && strcmp(daemon, "0") != 0;
    if (config_get()->daemon == CONFIG_DAEMON_NEVER ||
        (config_get()->daemon == CONFIG_DAEMON_AUTO && !used))
        return;
    store_release(&requests_on, 1u);
    if (file && *file && !process_absolute_path(file, requests_file, sizeof requests_file))
        *requests_file = '\0';
    dynolog_init();
    requests_read = requests_seen = requests_look();
    trace_request_listen(true);
}

GUEST_PATH bool requests_wanted(void)
{
    return load_acquire(&requests_on) != 0;
}

void requests_begin(void)
{
    requests_next_ns = clock_monotonic_ns() + REQUESTS_FIRST_NS;
    requests_have_begun = false;
}

static void requests_leave_to_torch(void)
{
    log_line(LOG_PROCESS, "PyTorch's Kineto answers Dynolog's daemon in this process, and libprof "
                          "does not (PROF_DAEMON=always: both do)");
    store_release(&requests_on, 0u);
    trace_request_listen(false);
    dynolog_close();
}

void requests_tick(void)
{
    if (!requests_wanted())
        return;
    trace_request_tick();
    uint64_t now = clock_monotonic_ns();
    if (now < requests_next_ns)
        return;
    if (!requests_have_begun) {
        requests_have_begun = true;
        requests_read_interval();
        dynolog_begin();
    }
    requests_next_ns = now + requests_interval_ns;
    if (!trace_request_is_busy() && requests_are_torchs()) {
        requests_leave_to_torch();
        return;
    }
    requests_check_file();
    dynolog_poll(requests_interval_ns);
}

void requests_finish(void)
{
    dynolog_close();
}

uint64_t requests_due_ns(void)
{
    if (!requests_wanted())
        return UINT64_MAX;
    uint64_t due_ns = trace_request_due_ns();
    return due_ns < requests_next_ns ? due_ns : requests_next_ns;
}

GUEST_PATH void requests_fork_child(void)
{
    if (requests_wanted())
        dynolog_fork_child();
}
