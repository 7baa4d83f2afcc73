#include "ctl_socket.h"

#include "prof/control.h"
#include "profdump.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define DIRECTORIES 3u
#define ANSWER_SECONDS 5

/* Where a process of this user may have its entry. */
struct directories {
    char at[DIRECTORIES][PATH_MAX];
    uid_t owner;
};

static struct directories directories_of(uid_t owner)
{
    struct directories all = {.owner = owner};
    char run[64];
    snprintf(run, sizeof run, "/run/user/%u", (unsigned)owner);
    const char *runtime = owner == geteuid() ? getenv("XDG_RUNTIME_DIR") : NULL;
    if (runtime && strcmp(runtime, run) != 0)
        prof_control_directory(runtime, owner, all.at[0], PATH_MAX);
    prof_control_directory(run, owner, all.at[1], PATH_MAX);
    prof_control_directory(NULL, owner, all.at[2], PATH_MAX);
    return all;
}

/* -1 where it is not the owner's alone: nobody else's entries are believed. */
static int open_directory(const char *path, uid_t owner)
{
    struct stat status;
    int directory = *path ? open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC) : -1;
    if (directory < 0)
        return -1;
    if (fstat(directory, &status) == 0 && status.st_uid == owner && !(status.st_mode & 077))
        return directory;
    close(directory);
    return -1;
}

/* A process of the directory's owner, and the one that was meant. */
static bool is_trusted(int connection, uid_t owner, unsigned pid)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == owner && peer.pid == (pid_t)pid;
}

static int connect_in(int directory, uid_t owner, unsigned pid)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[32];
    snprintf(name, sizeof name, "%u" PROF_CONTROL_SUFFIX, pid);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory, name);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return -1;
    if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0 &&
        is_trusted(connection, owner, pid))
        return connection;
    if (errno == ECONNREFUSED && kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        unlinkat(directory, name, 0);
    close(connection);
    return -1;
}

static int connect_to(unsigned pid, uid_t owner)
{
    struct directories all = directories_of(owner);
    int connection = -1;
    for (unsigned i = 0; i < DIRECTORIES && connection < 0; i++) {
        int directory = open_directory(all.at[i], owner);
        if (directory < 0)
            continue;
        connection = connect_in(directory, owner, pid);
        close(directory);
    }
    return connection;
}

/* A dump may take long; whoever takes long for anything else is stopped or hangs. */
static void limit_patience(int connection, const char *command)
{
    struct timeval limit = {.tv_sec = ANSWER_SECONDS};
    if (strncmp(command, "dump ", 5) != 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

static bool converse(int connection, const char *command, char *answer, size_t answer_bytes)
{
    char line[PROF_CONTROL_COMMAND_BYTES + 1];
    size_t size = 0;
    limit_patience(connection, command);
    int length = snprintf(line, sizeof line, "%s\n", command);
    if (send(connection, line, (size_t)length, MSG_NOSIGNAL) != length)
        return false;
    for (ssize_t got = 1; got > 0 && size + 1 < answer_bytes; size += (size_t)(got > 0 ? got : 0))
        got = recv(connection, answer + size, answer_bytes - 1 - size, 0);
    answer[size] = '\0';
    return size > 0;
}

bool ctl_socket_try(unsigned pid, const char *command, char *answer, size_t answer_bytes)
{
    int connection = connect_to(pid, geteuid());
    bool answered = connection >= 0 && converse(connection, command, answer, answer_bytes);
    if (connection >= 0)
        close(connection);
    return answered;
}

/* ---- why not ---- */

static bool has_libprof(unsigned pid)
{
    char path[64], line[PATH_MAX + 128];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%u/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps && !found && fgets(line, sizeof line, maps))
        found = strstr(line, "/libprof.so") != NULL;
    if (maps)
        fclose(maps);
    return found;
}

/* A directory that somebody else has made in the user's name. */
static bool complain_of_directories(uid_t owner)
{
    struct directories all = directories_of(owner);
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        struct stat status;
        int directory = open_directory(all.at[i], owner);
        if (directory >= 0) {
            close(directory);
        } else if (*all.at[i] && lstat(all.at[i], &status) == 0) {
            complain("%s is not a directory of yours alone: it is not used", all.at[i]);
            return true;
        }
    }
    return false;
}

static void complain_of(unsigned pid, uid_t owner)
{
    if (!has_libprof(pid))
        complain("process %u runs without libprof: start it with profrun or LD_PRELOAD", pid);
    else if (!complain_of_directories(owner))
        complain("process %u has libprof, but was not started with PROF_CONTROL=1", pid);
}

bool ctl_socket_ask(unsigned pid, const char *command, char *answer, size_t answer_bytes)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%u", pid);
    if (stat(path, &status) != 0) {
        ctl_socket_try(pid, command, answer, answer_bytes); /* removes what it left */
        complain("there is no process %u", pid);
        return false;
    }
    if (status.st_uid != geteuid() && geteuid() != 0) {
        complain("process %u is not yours: it belongs to user %u", pid, (unsigned)status.st_uid);
        return false;
    }
    int connection = connect_to(pid, status.st_uid);
    if (connection < 0) {
        complain_of(pid, status.st_uid);
        return false;
    }
    bool answered = converse(connection, command, answer, answer_bytes);
    close(connection);
    if (!answered)
        complain("process %u does not answer: it is stopped, or ends", pid);
    return answered;
}

/* ---- all of them ---- */

static unsigned entry_pid(const char *name)
{
    char *end;
    unsigned long pid = strtoul(name, &end, 10);
    bool named = *name >= '1' && *name <= '9' && strcmp(end, PROF_CONTROL_SUFFIX) == 0;
    return named && pid <= INT_MAX ? (unsigned)pid : 0;
}

static void each_entry(int directory, void (*each)(unsigned pid, void *user), void *user)
{
    DIR *entries = fdopendir(directory);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        if (entry_pid(entry->d_name))
            each(entry_pid(entry->d_name), user);
    if (entries)
        closedir(entries);
    else
        close(directory);
}

void ctl_socket_each(void (*each)(unsigned pid, void *user), void *user)
{
    struct directories all = directories_of(geteuid());
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        int directory = open_directory(all.at[i], all.owner);
        if (directory >= 0)
            each_entry(directory, each, user);
    }
}
