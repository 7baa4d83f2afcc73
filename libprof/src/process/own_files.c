#include "own_files.h"

#include "atomic.h"
#include "clock.h"
#include "own_thread.h"
#include "process.h"
#include "recorder.h"
#include "signals.h"
#include "test_point.h"
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#define OWN_FILES_STACK_BYTES (256u << 10)
#define OWN_FILES_BEGIN_MS 1000u /* for a thread that does not get to run, or hangs on its way */
#define OWN_FILES_LOOK_MS \
    200u /* for others' jobs: a thread that waits for one may have been asked for its stack */
#define OWN_FILES_ALONE_NS 1000000000u /* after such a wait in vain there is none */
#define OWN_FILES_LINGER_NS 1000000000u
#define OWN_FILES_STAY_NS 3600000000000u
#define OWN_FILES_COPIED 64u    /* descriptors that the kernel copies, whatever it is told */
#define OWN_FILES_SCANNED 4096u /* before Linux 5.9 it copies all: more are not looked at */
#define OWN_FILES_STANDARD 3u   /* that libraries print to */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define OWN_FILES_UNSHARE 2u /* CLOSE_RANGE_UNSHARE */

/* Of the calling thread: 0 is the program's. */
static __thread uint32_t own_files_own_table __attribute__((tls_model("initial-exec")));

/* Of such a table: numbers below this are taken, so that nothing is printed into a file. */
static uint32_t own_files_standard;

uint32_t own_files_table(void)
{
    return own_files_own_table;
}

/* ---- what closing does ---- */

/* File systems that do nothing when one of a file's descriptors is closed. Network file systems and
 * FUSE write back dirty data then, and report a failure to the first thread that closes. */
static bool own_files_is_quiet_file_system(int fd)
{
    static const uint32_t quiet[] = {EXT4_SUPER_MAGIC,
                                     0x58465342 /* xfs */,
                                     BTRFS_SUPER_MAGIC,
                                     TMPFS_MAGIC,
                                     OVERLAYFS_SUPER_MAGIC,
                                     0x2fc12fc1 /* zfs */,
                                     F2FS_SUPER_MAGIC,
                                     RAMFS_MAGIC,
                                     HUGETLBFS_MAGIC,
                                     PROC_SUPER_MAGIC,
                                     SYSFS_MAGIC,
                                     CGROUP_SUPER_MAGIC,
                                     CGROUP2_SUPER_MAGIC,
                                     DEBUGFS_MAGIC,
                                     TRACEFS_MAGIC,
                                     SECURITYFS_MAGIC,
                                     NSFS_MAGIC,
                                     ANON_INODE_FS_MAGIC,
                                     0x50494446 /* pidfs */,
                                     0x444d4142 /* dma-buf */,
                                     SQUASHFS_MAGIC,
                                     0xe0f5e1e2 /* erofs */,
                                     ISOFS_SUPER_MAGIC,
                                     MSDOS_SUPER_MAGIC,
                                     0x2011bab0 /* exfat */};
    struct statfs status;
    if (fstatfs(fd, &status) != 0)
        return errno == EBADF;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if ((uint32_t)status.f_type == quiet[i])
            return true;
    return false;
}

/* Memory devices, terminals, InfiniBand's verbs, NVIDIA's. Closing others can undo what a process
 * has set up. */
static bool own_files_is_quiet_device(int fd, const struct statx *status)
{
    static const char *const quiet[] = {"/dev/nvidia", "/dev/gdrdrv", "/dev/fuse"};
    char link[64], path[64] = "";
    uint32_t major = status->stx_rdev_major;
    if (major == 1 || major == 4 || major == 5 || (major >= 136 && major <= 143) || major == 195 ||
        major == 231)
        return true;
    snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
    if (readlink(link, path, sizeof path) < 0)
        return errno == ENOENT && access("/proc/thread-self/fd", F_OK) == 0;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (strncmp(path, quiet[i], strlen(quiet[i])) == 0)
            return true;
    return false;
}

/* Asks a server for no more than what kind of file system it is. By system call: musl had no
 * statx() for long. Another thread may close the descriptor meanwhile: then closing it does not
 * matter. */
static bool own_files_is_quiet(int fd)
{
    struct statx status;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_PATH))
        return true;
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) != 0)
        return errno == EBADF;
    if (S_ISCHR(status.stx_mode))
        return own_files_is_quiet_device(fd, &status);
    return (status.stx_mode & S_IFMT) == 0 || !S_ISREG(status.stx_mode) ||
           own_files_is_quiet_file_system(fd);
}

bool own_files_closing_matters(unsigned last)
{
    for (unsigned fd = 0; fd <= last; fd++)
        if (!own_files_is_quiet((int)fd))
            return true;
    return false;
}

/* ---- a table of its own ---- */

static bool own_files_leave_all(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > OWN_FILES_SCANNED ||
        own_files_closing_matters((unsigned)limit.rlim_cur) ||
        syscall(SYS_unshare, CLONE_FILES) != 0)
        return false;
    for (rlim_t fd = 0; fd < limit.rlim_cur; fd++)
        syscall(SYS_close, (int)fd);
    return true;
}

/* If it can be done without harm. Copying 10,000 descriptors takes 1 ms; close_range() copies no
 * more than it must. */
static void own_files_leave_table(void)
{
    static uint32_t tables;
    if (own_files_closing_matters(OWN_FILES_COPIED - 1) ||
        (syscall(SYS_close_range, 0u, ~0u, OWN_FILES_UNSHARE) != 0 && !own_files_leave_all()))
        return;
    own_files_own_table = fetch_add_relaxed(&tables, 1u) + 1;
    uint32_t standard = 0;
    while (standard < OWN_FILES_STANDARD && syscall(SYS_epoll_create1, O_CLOEXEC) >= 0)
        standard++;
    store_relaxed(&own_files_standard, standard);
}

/* The process may have few descriptors. */
static bool own_files_give_up_one(void)
{
    uint32_t standard = own_files_own_table ? load_relaxed(&own_files_standard) : 0;
    while (standard && !cas_acq_rel(&own_files_standard, &standard, standard - 1))
        ;
    return standard && close((int)standard - 1) == 0;
}

/* ---- the thread ---- */

enum own_files_state { OWN_FILES_ASKED, OWN_FILES_ENDED, OWN_FILES_ABANDONED };

static struct {
    /* Taken and released by the thread that requests a job; by our thread if the former gives
     * up. */
    uint32_t turn;
    /* enum own_files_state: the second thread to exchange it sees what the first one did. */
    uint32_t state;
    bool refused; /* there is no table; the following belongs to the thread that has the turn */
    int result;
    int (*job)(void *argument);
    void *argument;
    uint8_t copy[OWN_FILES_ARGUMENT_BYTES] __attribute__((aligned(16)));
    uint32_t alone;             /* each thread does its own jobs */
    struct own_fd *kept;        /* read by every thread; NULL: nothing is */
    uint64_t idle_since_ns;     /* the thread */
    uint32_t tid;               /* of the thread */
    struct process_owner owner; /* of the thread */
} own_files GUEST_DATA;

static uint32_t own_files_has_begun GUEST_DATA;

static void own_files_move(bool away);

/* Before the first job: if a file system hangs meanwhile, the thread that requested the job takes
 * it back. */
static void own_files_begin(void)
{
    store_relaxed(&own_files.tid, (uint32_t)syscall(SYS_gettid));
    thread_mark_silent();
    own_files_leave_table();
    own_files.idle_since_ns = clock_monotonic_ns();
}

static void own_files_do(void)
{
    own_files.refused = !own_files_own_table;
    if (!own_files.refused)
        own_files.result = own_files.job(own_files.argument);
    own_files.idle_since_ns = clock_monotonic_ns();
    if (exchange_seq_cst(&own_files.state, (uint32_t)OWN_FILES_ENDED) == OWN_FILES_ABANDONED)
        store_release(&own_files.turn, 0u);
}

/* Stays while something is kept open, else until there was no job for a while: a process that does
 * not record has no thread of ours for long. */
static uint64_t own_files_duties(void)
{
    uint64_t idle_ns = clock_monotonic_ns() - own_files.idle_since_ns;
    if (load_acquire(&own_files.kept))
        return OWN_FILES_STAY_NS;
    return idle_ns < OWN_FILES_LINGER_NS ? OWN_FILES_LINGER_NS - idle_ns : WORKER_DONE;
}

static struct worker own_files_worker =
    WORKER_INIT(.name = "prof-files", .stack_bytes = OWN_FILES_STACK_BYTES, .parks = true,
                .serves = true, .begins = own_files_begin, .duties = own_files_duties,
                .moves = own_files_move);

/* A child that was made without libc's fork() has no thread of ours, and must begin none. */
static bool own_files_are_ours(void)
{
    if (!exchange_seq_cst(&own_files_has_begun, 1u))
        process_owner_set(&own_files.owner);
    return process_owner_is_us(&own_files.owner);
}

/* Where something is kept open, the thread runs, or has ended for a while: it does not begin here,
 * which may be a signal handler. */
static bool own_files_have_thread(void)
{
    if (own_files_own_table || load_acquire(&own_files.alone) || !own_files_are_ours())
        return false;
    bool begins = !worker_runs(&own_files_worker) && !load_acquire(&own_files.kept) &&
                  !load_acquire(&own_files_worker.parked);
    if (begins && worker_begin(&own_files_worker) != 0)
        store_release(&own_files.alone, 1u);
    return worker_runs(&own_files_worker);
}

/* ---- asking it ---- */

/* Signals are blocked, so a handler cannot wait for the thread that it interrupted. */
static bool own_files_take_turn(unsigned deadline_ms)
{
    uint64_t end_ns = clock_monotonic_ns() + deadline_ms * 1000000ull;
    for (int attempt = 0; exchange_acquire(&own_files.turn, 1u); attempt++) {
        if (load_acquire(&own_files.state) == OWN_FILES_ABANDONED || clock_monotonic_ns() >= end_ns)
            return false;
        clock_wait(attempt);
    }
    return true;
}

/* The thread has no table, or does not get to run: from here on, each thread does its own jobs. */
static void own_files_do_without(void)
{
    store_release(&own_files.alone, 1u);
    worker_end(&own_files_worker, 0, true);
}

/* With the turn, which it gives back. False: the caller is to do the job himself. */
static bool own_files_ask(int (*job)(void *argument), void *argument, unsigned deadline_ms,
                          int *result)
{
    own_files.job = job;
    own_files.argument = argument;
    own_files.refused = false;
    own_files.result = EAGAIN;
    store_release(&own_files.state, (uint32_t)OWN_FILES_ASKED);
    unsigned begin_ms = deadline_ms < OWN_FILES_BEGIN_MS ? deadline_ms : OWN_FILES_BEGIN_MS;
    enum worker_result answer;
    TEST_POINT("own_files_ask: there is a thread");
    do /* an idle thread may have ended since it was looked for */
        answer = worker_run_soon(&own_files_worker, own_files_do, begin_ms, deadline_ms);
    while (answer == WORKER_NONE && own_files_have_thread());
    if (answer == WORKER_TIMED_OUT &&
        exchange_seq_cst(&own_files.state, (uint32_t)OWN_FILES_ABANDONED) != OWN_FILES_ENDED) {
        *result = ETIMEDOUT;
        return true;
    }
    bool refused = own_files.refused;
    bool done = (answer == WORKER_FINISHED || answer == WORKER_TIMED_OUT) && !refused;
    bool starves = answer == WORKER_NOT_BEGUN, hurries = deadline_ms < OWN_FILES_BEGIN_MS;
    *result = done ? own_files.result : ETIMEDOUT;
    store_release(&own_files.state, (uint32_t)OWN_FILES_ENDED);
    store_release(&own_files.turn, 0u);
    if (refused || (starves && !hurries))
        own_files_do_without();
    return done || (starves && hurries);
}

struct own_files_looking {
    void (*look)(void *argument);
    void *argument;
};

static int own_files_look_job(void *argument)
{
    const struct own_files_looking *looking = argument;
    looking->look(looking->argument);
    return 0;
}

int own_files_run(int (*job)(void *argument), void *argument)
{
    int result;
    if (!own_files_have_thread())
        return job(argument);
    if (!own_files_take_turn(UINT_MAX))
        return ETIMEDOUT;
    return own_files_ask(job, argument, UINT_MAX, &result) ? result : job(argument);
}

/* A report has hundreds of files to read, and should not wait for each while a file system
 * hangs. */
static bool own_files_take_turn_to_look(void)
{
    static uint64_t alone_until_ns;
    bool soon = clock_monotonic_ns() < load_relaxed(&alone_until_ns);
    if (own_files_take_turn(soon ? 0 : OWN_FILES_LOOK_MS))
        return true;
    if (!soon)
        store_relaxed(&alone_until_ns, clock_monotonic_ns() + OWN_FILES_ALONE_NS);
    return false;
}

void own_files_look(void (*look)(void *argument), void *argument)
{
    struct own_files_looking looking = {look, argument};
    struct signals_saved saved;
    int result;
    signals_block(&saved);
    if (!own_files_have_thread() || !own_files_take_turn_to_look() ||
        !own_files_ask(own_files_look_job, &looking, UINT_MAX, &result))
        look(argument);
    signals_restore(&saved);
}

int own_files_run_within(unsigned deadline_ms, int (*job)(void *argument), const void *argument,
                         size_t bytes)
{
    int result;
    void *own = (void *)(uintptr_t)argument;
    if (!own_files_have_thread())
        return job(own);
    if (!own_files_take_turn(deadline_ms))
        return ETIMEDOUT;
    if (bytes)
        memcpy(own_files.copy, argument, bytes);
    return own_files_ask(job, own_files.copy, deadline_ms, &result) ? result : job(own);
}

bool own_files_are_read_by(uint32_t tid)
{
    return tid == load_relaxed(&own_files.tid);
}

/* ---- long jobs ---- */

struct own_files_long {
    int (*job)(void *argument);
    void *argument;
    int result;
    uint32_t table;
    bool done;
    pthread_mutex_t lock;
    pthread_cond_t ended;
};

static void *own_files_long_main(void *argument)
{
    struct own_files_long *call = argument;
    own_thread_enter("prof-files");
    thread_mark_silent();
    own_files_own_table = call->table;
    call->result = call->job(call->argument);
    pthread_mutex_lock(&call->lock);
    call->done = true;
    pthread_cond_signal(&call->ended);
    pthread_mutex_unlock(&call->lock);
    own_thread_leave();
    return NULL;
}

/* A thread that this one makes has its table. */
static int own_files_begin_long(void *argument)
{
    struct own_files_long *call = argument;
    call->table = own_files_own_table;
    if (!call->table || own_thread_create(OWN_FILES_STACK_BYTES, own_files_long_main, call) != 0) {
        call->result = call->job(call->argument);
        call->done = true;
    }
    return 0;
}

int own_files_run_long(int (*job)(void *argument), void *argument)
{
    struct own_files_long call = {.job = job,
                                  .argument = argument,
                                  .lock = PTHREAD_MUTEX_INITIALIZER,
                                  .ended = PTHREAD_COND_INITIALIZER};
    int error = own_files_run(own_files_begin_long, &call);
    if (error)
        return error;
    pthread_mutex_lock(&call.lock);
    while (!call.done)
        pthread_cond_wait(&call.ended, &call.lock);
    pthread_mutex_unlock(&call.lock);
    return call.result;
}

/* ---- reading ---- */

struct own_files_reading {
    const char *path;
    char *to;
    size_t size, have;
};

static void own_files_read_now(void *argument)
{
    struct own_files_reading *reading = argument;
    reading->have = process_read_file(reading->path, reading->to, reading->size);
}

static int own_files_read_job(void *argument)
{
    own_files_read_now(argument);
    return 0;
}

size_t own_files_read(const char *path, char *to, size_t size)
{
    struct own_files_reading reading = {path, to, size, 0};
    struct signals_saved saved;
    signals_block(&saved);
    own_files_run(own_files_read_job, &reading);
    signals_restore(&saved);
    return reading.have;
}

size_t own_files_look_into(const char *path, char *to, size_t size)
{
    struct own_files_reading reading = {path, to, size, 0};
    own_files_look(own_files_read_now, &reading);
    return reading.have;
}

/* ---- moving a descriptor ---- */

/* From the table of one thread to that of another one, which has a socket with an address that the
 * kernel chooses. */
struct own_files_parcel {
    struct own_fd fd; /* sent */
    struct own_fd got;
    int socket;
    struct sockaddr_un address;
    socklen_t address_bytes;
};

union own_files_control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static int own_files_expect(void *argument)
{
    struct own_files_parcel *parcel = argument;
    parcel->address = (struct sockaddr_un){.sun_family = AF_UNIX};
    parcel->address_bytes = sizeof parcel->address;
    parcel->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (parcel->socket < 0 ||
        bind(parcel->socket, (struct sockaddr *)&parcel->address, sizeof(sa_family_t)) != 0 ||
        getsockname(parcel->socket, (struct sockaddr *)&parcel->address, &parcel->address_bytes) !=
            0)
        return errno;
    return 0;
}

static int own_files_send(void *argument)
{
    struct own_files_parcel *parcel = argument;
    union own_files_control control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
                                                .cmsg_level = SOL_SOCKET,
                                                .cmsg_type = SCM_RIGHTS}};
    struct msghdr message = {.msg_name = &parcel->address,
                             .msg_namelen = parcel->address_bytes,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.head), &parcel->fd.fd, sizeof(int));
    int from = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = from >= 0 && sendmsg(from, &message, MSG_NOSIGNAL) >= 0 ? 0 : errno;
    if (from >= 0)
        close(from);
    return error;
}

/* Anybody could send one: it is the same file, or it is closed. */
static int own_files_receive(void *argument)
{
    struct own_files_parcel *parcel = argument;
    union own_files_control control = {.bytes = {0}};
    struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
    parcel->got = (struct own_fd)OWN_FD_NONE;
    if (parcel->socket >= 0 && recvmsg(parcel->socket, &message, MSG_CMSG_CLOEXEC) >= 0 &&
        message.msg_controllen >= CMSG_LEN(sizeof(int)) &&
        control.head.cmsg_len == CMSG_LEN(sizeof(int)) && control.head.cmsg_type == SCM_RIGHTS) {
        int fd;
        memcpy(&fd, CMSG_DATA(&control.head), sizeof fd);
        parcel->got = own_fd_adopt(fd);
    }
    if (parcel->socket >= 0)
        close(parcel->socket);
    if (!own_fd_is_same_file(&parcel->got, &parcel->fd))
        own_fd_close(&parcel->got);
    return 0;
}

/* No other thread of the program's is there, so nobody sees what is opened meanwhile. */
static void own_files_move(bool away)
{
    struct own_fd *kept = load_acquire(&own_files.kept);
    struct own_files_parcel parcel = {.socket = -1};
    struct signals_saved saved;
    if (!kept || kept->fd < 0 || (kept->table == 0) == away)
        return;
    parcel.fd = *kept;
    signals_block(&saved);
    if (away) {
        if (own_files_expect(&parcel) == 0)
            own_files_run(own_files_send, &parcel);
        own_files_receive(&parcel);
    } else {
        if (own_files_run(own_files_expect, &parcel) == 0)
            own_files_send(&parcel);
        own_files_run(own_files_receive, &parcel);
    }
    signals_restore(&saved);
    if (parcel.got.fd < 0)
        return;
    if (!away)
        own_fd_close(kept);
    *kept = parcel.got;
}

void own_files_keep(struct own_fd *own)
{
    store_release(&own_files.kept, own);
}

/* ---- opening ---- */

/* Not libc's open(), before which code of the program's may stand: it would run on our thread. */
static int own_files_open_as(const char *path, int flags, unsigned mode)
{
    int fd;
    do {
        fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EMFILE && own_files_give_up_one());
    return fd;
}

int own_files_open(const char *path, int flags)
{
    return own_files_open_as(path, flags, 0600);
}

int own_files_create(const char *path, int flags, unsigned mode)
{
    return own_files_open_as(path, flags | O_CREAT, mode);
}

/* ---- the end ---- */

void own_files_end(unsigned deadline_ms)
{
    worker_end(&own_files_worker, deadline_ms, true);
}

GUEST_PATH void own_files_fork_child(void)
{
    if (!load_relaxed(&own_files_has_begun))
        return;
    memset(&own_files, 0, sizeof own_files);
    worker_fork_child(&own_files_worker);
    own_thread_fork_child();
    own_files_own_table = 0;
    store_relaxed(&own_files_has_begun, 0u);
}

/* ---- a descriptor that stays open ---- */

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
