/* dynolog.c - the client of Dynolog's daemon, by which `dyno gputrace` reaches a process.
 *
 * The daemon has the datagram socket "dynolog", in the abstract namespace or in
 * KINETO_IPC_SOCKET_DIR. A message is a size, a type and that many bytes:
 *
 *     uint64 size | char type[32] | payload
 *     "ctxt"  to it: int32 device, int32 pid, int64 job       back: int32 processes of that device
 *     "req"   to it: int32 type, int32 n, int64 job, int32 pids[n]   back: text, "" mostly
 *
 * The type of "req" is 2 for a trace, and 0 while one is in progress: the daemon then keeps a
 * request, and reports us as busy. The text is that of requests.h. The socket is connected, so the
 * kernel takes messages from the daemon's socket alone; its user must be ours or root. All
 * functions are the control thread's, but for those that say otherwise.
 */
#include "atomic.h"
#include "clock.h"
#include "environment.h"
#include "log.h"
#include "number.h"
#include "own_files.h"
#include "requests.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define DYNOLOG_NAME "dynolog"
#define DYNOLOG_SOURCE "Dynolog's daemon"
#define DYNOLOG_PIDS_MAX 11u /* the process and ten ancestors, as Kineto */
#define DYNOLOG_TYPE_NONE 0
#define DYNOLOG_TYPE_ACTIVITIES 2
#define DYNOLOG_MESSAGES_MAX 16u /* answers read at once: a peer that floods us has to wait */
#define DYNOLOG_DELAY_MAX_NS 30000000000ull
#define DYNOLOG_UNANSWERED_MAX 3u

struct dynolog_head {
    size_t size;
    char type[32];
};

struct dynolog_context {
    int32_t device, pid;
    int64_t job;
};

struct dynolog_request {
    int32_t type, count;
    int64_t job;
    int32_t pids[DYNOLOG_PIDS_MAX + 1];
};

struct dynolog_address {
    struct sockaddr_un name;
    socklen_t bytes;
};

/* What was printed about an unreachable daemon. */
enum dynolog_said { DYNOLOG_SAID_NOTHING, DYNOLOG_SAID_QUIETLY, DYNOLOG_SAID };

/* Set by init, then read-only. */
static char
    dynolog_directory[sizeof((struct sockaddr_un *)0)->sun_path]; /* "" abstract namespace */
static int64_t dynolog_job;
static int32_t dynolog_device;

static struct {
    struct own_fd socket;
    struct dynolog_address daemon;
    struct dynolog_request request; /* all but its type */
    uint64_t next_ns;               /* CLOCK_MONOTONIC */
    unsigned failures;              /* polls in a row that failed or were not answered */
    unsigned unanswered;            /* requests sent since the last answer */
    unsigned expected;              /* answers to requests so far, at most */
    bool registered;
    bool refused, nonsense; /* said */
    enum dynolog_said said;
    char path[sizeof((struct sockaddr_un *)0)->sun_path]; /* of our socket's file */
    uint32_t has_path; /* the file exists; the thread that takes this removes it */
    uint32_t ended;    /* dynolog_end() was called: the second of the two removes the file */
} dynolog = {.socket = OWN_FD_NONE};

/* ---- addresses ---- */

/* Dynolog counts the terminating NUL to an abstract name. False: the directory's path is too long.
 * */
static bool dynolog_set_address(struct dynolog_address *address, const char *name)
{
    char *path = address->name.sun_path;
    size_t room = sizeof address->name.sun_path;
    *address = (struct dynolog_address){.name.sun_family = AF_UNIX};
    int size = *dynolog_directory ? snprintf(path, room, "%s/%s", dynolog_directory, name)
                                  : 1 + snprintf(path + 1, room - 1, "%s", name);
    address->bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)size + 1);
    return (size_t)size < room;
}

void dynolog_init(void)
{
    const char *directory = secure_getenv("KINETO_IPC_SOCKET_DIR");
    const char *job = secure_getenv("SLURM_JOB_ID");
    uint64_t number = 0;
    struct rank rank;
    rank_read(&rank);
    dynolog_device = rank.local_rank > 0 ? rank.local_rank : 0;
    if (directory)
        snprintf(dynolog_directory, sizeof dynolog_directory, "%s", directory);
    if (job)
        number_parse(job, &number);
    dynolog_job = (int64_t)number;
}

static void dynolog_remove(void)
{
    if (exchange_seq_cst(&dynolog.has_path, 0u))
        unlink(dynolog.path);
}

/* Connected, so that the kernel lets nobody but the daemon send to us. */
static bool dynolog_connect(int fd)
{
    static uint32_t last;
    struct dynolog_address own;
    char name[64];
    int one = 1;
    snprintf(name, sizeof name, "dynoconfigclient-libprof-%u-%llx-%u", (unsigned)getpid(),
             (unsigned long long)clock_gettime_ns(CLOCK_REALTIME), ++last);
    if (!dynolog_set_address(&own, name) || !dynolog_set_address(&dynolog.daemon, DYNOLOG_NAME)) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof one) != 0 ||
        bind(fd, (struct sockaddr *)&own.name, own.bytes) != 0)
        return false;
    memcpy(dynolog.path, own.name.sun_path, sizeof dynolog.path);
    store_seq_cst(&dynolog.has_path, (uint32_t)(*dynolog_directory != 0));
    if (load_seq_cst(&dynolog.ended))
        dynolog_remove();
    return connect(fd, (struct sockaddr *)&dynolog.daemon.name, dynolog.daemon.bytes) == 0;
}

void dynolog_close(void)
{
    own_fd_close(&dynolog.socket);
    dynolog_remove();
    dynolog.expected = dynolog.unanswered = 0;
}

static int dynolog_open(void)
{
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = fd >= 0 && dynolog_connect(fd) ? 0 : errno;
    dynolog.socket = own_fd_adopt(fd);
    if (error)
        dynolog_close();
    return error;
}

void dynolog_end(void)
{
    int saved_errno = errno;
    store_seq_cst(&dynolog.ended, 1u);
    dynolog_remove();
    errno = saved_errno;
}

int dynolog_fd(void)
{
    return own_fd_is_ours(&dynolog.socket) ? dynolog.socket.fd : -1;
}

/* ---- who we are ---- */

/* 0: unknown. "4711 (a name (of any kind)) S 4710 ..." */
static int32_t dynolog_parent_of(int32_t pid)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = own_files_open(path, O_RDONLY);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = '\0';
    const char *end = strrchr(text, ')');
    uint64_t parent = 0;
    if (end && strlen(end) > 4)
        number_parse(end + 4, &parent);
    return parent <= INT32_MAX ? (int32_t)parent : 0;
}

/* A job: own_files_run(). */
static int dynolog_find_ancestors(void *unused)
{
    struct dynolog_request *request = &dynolog.request;
    (void)unused;
    for (int32_t pid = request->pids[0]; (unsigned)request->count < DYNOLOG_PIDS_MAX;) {
        pid = dynolog_parent_of(pid);
        if (pid <= 1)
            break;
        request->pids[request->count++] = pid;
    }
    return 0;
}

/* The daemon keeps one request for each set of numbers, and forgets it once it was fetched. Our
 * thread's number distinguishes us from PyTorch's Kineto in this process, which sends the
 * others. */
void dynolog_begin(void)
{
    struct dynolog_request *request = &dynolog.request;
    dynolog.next_ns = dynolog.failures = dynolog.unanswered = dynolog.expected = 0;
    dynolog.registered = false;
    dynolog.said = DYNOLOG_SAID_NOTHING;
    store_seq_cst(&dynolog.ended, 0u);
    *request = (struct dynolog_request){.count = 1, .job = dynolog_job, .pids = {getpid()}};
    own_files_run(dynolog_find_ancestors, NULL);
    request->pids[request->count++] = (int32_t)syscall(SYS_gettid);
}

/* ---- asking ---- */

static int dynolog_send(const char *type, const void *payload, size_t size)
{
    struct dynolog_head head = {.size = size};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)(uintptr_t)payload, size}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    snprintf(head.type, sizeof head.type, "%s", type);
    return sendmsg(dynolog.socket.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

/* The device is only counted. Kineto names that of the first context; a job's launcher gives each
 * process its device by the same number. */
static int dynolog_send_context(void)
{
    struct dynolog_context context = {
        .device = dynolog_device, .pid = getpid(), .job = dynolog_job};
    int error = dynolog_send("ctxt", &context, sizeof context);
    dynolog.registered = !error;
    return error;
}

static int dynolog_send_request(void)
{
    struct dynolog_request *request = &dynolog.request;
    request->type = trace_request_is_busy() ? DYNOLOG_TYPE_NONE : DYNOLOG_TYPE_ACTIVITIES;
    int error = dynolog_send("req", request,
                             offsetof(struct dynolog_request, pids) +
                                 (size_t)request->count * sizeof *request->pids);
    dynolog.unanswered += !error;
    dynolog.expected += !error;
    return error;
}

/* A process that records nothing prints nothing. */
static void dynolog_say_absent(const char *why)
{
    bool loud = !session_is_idle();
    if (dynolog.said == DYNOLOG_SAID || (dynolog.said == DYNOLOG_SAID_QUIETLY && !loud))
        return;
    dynolog.said = loud ? DYNOLOG_SAID : DYNOLOG_SAID_QUIETLY;
    log_line(loud ? LOG_ERROR : LOG_PROCESS,
             "no trace requests: Dynolog's daemon at %s%s%s: %s; libprof keeps trying",
             *dynolog_directory ? dynolog_directory : "the abstract socket ",
             *dynolog_directory ? "/" : "", DYNOLOG_NAME, why);
}

static void dynolog_failed(uint64_t interval_ns, int error)
{
    uint64_t most_ns = interval_ns > DYNOLOG_DELAY_MAX_NS ? interval_ns : DYNOLOG_DELAY_MAX_NS;
    uint64_t delay_ns = interval_ns << (dynolog.failures < 5 ? dynolog.failures : 5);
    dynolog.failures++;
    dynolog.next_ns = clock_monotonic_ns() + (delay_ns < most_ns ? delay_ns : most_ns);
    if (error && error != EAGAIN)
        dynolog_say_absent(strerror(error));
    else if (dynolog.unanswered > DYNOLOG_UNANSWERED_MAX)
        dynolog_say_absent("it does not answer");
}

static int dynolog_ask_once(void)
{
    int error = 0;
    if (dynolog_fd() < 0) {
        dynolog_close(); /* the program closed it */
        error = dynolog_open();
    }
    if (!error && !dynolog.registered)
        error = dynolog_send_context();
    return error ? error : dynolog_send_request();
}

/* The file is gone: no answer can come. A daemon that is only slow still answers to the old socket,
 * and has forgotten the request then: that is kept open as long as it can be. */
static bool dynolog_is_lost(void)
{
    return load_relaxed(&dynolog.has_path) && access(dynolog.path, F_OK) != 0;
}

/* Another daemon may have the address by now, which has to be connected to, and does not know us.
 * */
static int dynolog_ask(void)
{
    if (dynolog.unanswered && dynolog_is_lost())
        dynolog_close();
    int error = dynolog_ask_once();
    if (!error || error == EAGAIN)
        return error;
    bool open = dynolog_fd() >= 0;
    dynolog_close();
    dynolog.registered = false;
    return open ? dynolog_ask_once() : error;
}

void dynolog_poll(uint64_t interval_ns)
{
    uint64_t now = clock_monotonic_ns();
    if (now < dynolog.next_ns)
        return;
    dynolog.next_ns = now + interval_ns;
    bool waited = dynolog.unanswered > 0;
    int error = dynolog_ask();
    if (error || waited)
        dynolog_failed(interval_ns, error);
}

/* ---- answers ---- */

struct dynolog_answer {
    struct dynolog_head head;
    char text[KINETO_CONFIG_BYTES_MAX + 1];
};

static void dynolog_answered(void)
{
    if (dynolog.said)
        log_line(LOG_PROCESS, "Dynolog's daemon answers");
    dynolog.said = DYNOLOG_SAID_NOTHING;
    dynolog.failures = dynolog.unanswered = 0;
    dynolog.expected--;
}

static void dynolog_obey(const char *text, size_t size)
{
    static struct kineto_config config;
    char reason[200];
    if (size == 0)
        return;
    if (!kineto_config_parse(text, size, &config, reason, sizeof reason))
        trace_request_refuse(DYNOLOG_SOURCE, reason);
    else if (config.wants_trace)
        trace_request_accept(&config, DYNOLOG_SOURCE);
    else
        trace_request_refuse(DYNOLOG_SOURCE, "it asks for no trace");
}

/* NULL: it was an answer. */
static const char *dynolog_take(const struct dynolog_answer *answer, size_t size, int flags)
{
    if (size < sizeof answer->head)
        return "it is shorter than a message's head";
    if (!memchr(answer->head.type, '\0', sizeof answer->head.type))
        return "its type does not end";
    if (flags & MSG_TRUNC || answer->head.size > KINETO_CONFIG_BYTES_MAX)
        return "it is longer than 8 KiB";
    if (answer->head.size != size - sizeof answer->head)
        return "its size differs from its header";
    if (strcmp(answer->head.type, "ctxt") == 0)
        return NULL;
    if (strcmp(answer->head.type, "req") != 0)
        return "its type is unknown";
    if (!dynolog.expected)
        return "libprof did not ask for it";
    dynolog_answered();
    dynolog_obey(answer->text, answer->head.size);
    return NULL;
}

static bool dynolog_may_command(struct msghdr *message)
{
    struct ucred peer;
    struct cmsghdr *control = CMSG_FIRSTHDR(message);
    if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_CREDENTIALS ||
        control->cmsg_len != CMSG_LEN(sizeof peer))
        return false;
    memcpy(&peer, CMSG_DATA(control), sizeof peer);
    if (peer.uid == geteuid() || peer.uid == 0)
        return true;
    dynolog_close(); /* until the next poll: it may send more than we care to read */
    if (!dynolog.refused)
        log_line(LOG_ERROR,
                 "trace requests of user %u are refused: only this process's user and root may ask",
                 (unsigned)peer.uid);
    dynolog.refused = true;
    return false;
}

/* One message; false: there is none. There is no room for descriptors, so the kernel closes any. */
static bool dynolog_receive_one(void)
{
    static struct dynolog_answer answer;
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec whole = {&answer, sizeof answer};
    struct msghdr message = {.msg_iov = &whole,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t size = recvmsg(dynolog.socket.fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0) {
        if (errno != EAGAIN && errno != EINTR)
            dynolog_close();
        return false;
    }
    if (!dynolog_may_command(&message))
        return true;
    const char *wrong = dynolog_take(&answer, (size_t)size, message.msg_flags);
    if (wrong && !dynolog.nonsense)
        log_line(LOG_ERROR, "an answer of Dynolog's daemon is ignored: %s", wrong);
    dynolog.nonsense |= wrong != NULL;
    return true;
}

void dynolog_receive(void)
{
    for (unsigned i = 0; i < DYNOLOG_MESSAGES_MAX && dynolog_fd() >= 0; i++)
        if (!dynolog_receive_one())
            return;
}

void dynolog_fork_child(void)
{
    own_fd_close(&dynolog.socket);
    store_relaxed(&dynolog.has_path, 0u);
}
