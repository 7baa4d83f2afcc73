/* control_socket.c - the socket of prof/control.h, the process's side. */
#include "clock.h"
#include "control_thread.h"
#include "log.h"
#include "process.h"

#include "prof/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char control_socket_directory[4096]; /* that the socket is in; "" none */
static char control_socket_name[64];

/* The directory, opened, when it is ours alone; -1 and errno otherwise. */
static int control_socket_open_directory(const char *path)
{
    struct stat status;
    int directory = open(path, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_RDONLY);
    if (directory < 0)
        return -1;
    if (fstat(directory, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & 077))
        return directory;
    close(directory);
    errno = EPERM;
    return -1;
}

/* Through the opened directory, so that nobody can put another one in its place meanwhile; and a
 * path of any length fits. */
static struct sockaddr_un control_socket_address(int directory)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory,
             control_socket_name);
    return address;
}

static bool control_socket_bind(int listener, int directory)
{
    struct sockaddr_un address = control_socket_address(directory);
    return bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
           fchmodat(directory, control_socket_name, 0600, 0) == 0 && listen(listener, 16) == 0;
}

/* Whether a process answers there. It is of another PID namespace, and has the same number in
 * it. */
static bool control_socket_is_taken(int directory)
{
    struct sockaddr_un address = control_socket_address(directory);
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool taken = probe >= 0 && (connect(probe, (struct sockaddr *)&address, sizeof address) == 0 ||
                                errno == EAGAIN);
    if (probe >= 0)
        close(probe);
    return taken;
}

/* One at a time: another one could be removed as stale before it listens. The holder of the lock
 * may have been stopped. */
static void control_socket_lock(int directory)
{
    for (int tries = 0; tries < 100 && flock(directory, LOCK_EX | LOCK_NB) != 0; tries++)
        clock_pause(1000);
}

/* A socket without an answer belongs to an earlier program with this number. */
static int control_socket_listen(int directory)
{
    control_socket_lock(directory);
    unsigned pid = (unsigned)getpid();
    snprintf(control_socket_name, sizeof control_socket_name, "%u" PROF_CONTROL_SUFFIX, pid);
    if (control_socket_is_taken(directory))
        snprintf(control_socket_name, sizeof control_socket_name, "%u-%llu" PROF_CONTROL_SUFFIX,
                 pid, (unsigned long long)process_pid_space());
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlinkat(directory, control_socket_name, 0);
    if (listener >= 0 && control_socket_bind(listener, directory))
        return listener;
    if (listener >= 0)
        close(listener);
    return -1;
}

static int control_socket_try(const char *runtime)
{
    char *path = control_socket_directory;
    int listener = -1;
    if (!prof_control_directory(runtime, geteuid(), path, sizeof control_socket_directory))
        return -1;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return -1;
    int directory = control_socket_open_directory(path);
    if (directory >= 0) {
        listener = control_socket_listen(directory);
        close(directory);
    }
    if (listener < 0)
        log_line(LOG_PROCESS, "profdump ctl cannot reach this process through %s: %s", path,
                 strerror(errno));
    return listener;
}

int control_socket_open(void)
{
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    int listener = runtime && *runtime == '/' ? control_socket_try(runtime) : -1;
    if (listener < 0)
        listener = control_socket_try(NULL);
    if (listener < 0)
        *control_socket_directory = '\0';
    return listener;
}

void control_socket_remove(void)
{
    int saved_errno = errno;
    int directory =
        *control_socket_directory ? control_socket_open_directory(control_socket_directory) : -1;
    if (directory >= 0) {
        unlinkat(directory, control_socket_name, 0);
        close(directory);
    }
    errno = saved_errno;
}

static bool control_socket_may_command(int connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == geteuid() || peer.uid == 0);
}

/* One line without its newline; false when none comes. */
static bool control_socket_read_line(int connection, char *line, size_t line_bytes)
{
    size_t size = 0;
    while (size + 1 < line_bytes) {
        ssize_t got = recv(connection, line + size, line_bytes - 1 - size, 0);
        if (got <= 0)
            return false;
        size += (size_t)got;
        line[size] = '\0';
        char *end = strchr(line, '\n');
        if (end) {
            *end = '\0';
            return true;
        }
    }
    return false;
}

static void control_socket_answer(int connection)
{
    char command[PROF_CONTROL_COMMAND_BYTES], answer[8192];
    if (!control_socket_may_command(connection) ||
        !control_socket_read_line(connection, command, sizeof command))
        return;
    size_t size = control_commands_run(command, answer, sizeof answer);
    for (size_t sent = 0; sent < size;) {
        ssize_t more = send(connection, answer + sent, size - sent, MSG_NOSIGNAL);
        if (more <= 0)
            return;
        sent += (size_t)more;
    }
}

void control_socket_serve(int listener)
{
    struct timeval second = {.tv_sec = 1};
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0)
        return;
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
    control_socket_answer(connection);
    close(connection);
}
