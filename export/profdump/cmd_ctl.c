/* cmd_ctl.c - profdump ctl: sends commands to a process in which libprof runs, see
 * prof/control.h. */
#include "commands.h"
#include "options.h"
#include "process_look.h"
#include "prof/control.h"
#include "profdump.h"
#include "read.h"
#include "run_facts.h"
#include "window_options.h"

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

#define CTL_ANSWER_BYTES 16384
#define DIRECTORIES 3u
#define ANSWER_SECONDS 5

/* Directories in which processes of this user may have a control socket. */
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

/* -1 unless the owner alone has access: entries of other users are not trusted. */
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

/* The process behind the connection, 0 unless it is the directory's owner's, and can be seen from
 * here. */
static unsigned peer_of(int connection, uid_t owner)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    bool trusted = getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
                   peer.uid == owner && peer.pid > 0;
    return trusted ? (unsigned)peer.pid : 0;
}

/* "PID.sock", or "PID-NAMESPACE.sock" of another PID namespace: `ours` is then false. 0: no such
 * name. */
static unsigned entry_pid(const char *name, bool *ours)
{
    char *end;
    unsigned long pid = strtoul(name, &end, 10);
    *ours = *end != '-';
    if (!*ours)
        strtoull(end + 1, &end, 10);
    bool named = *name >= '1' && *name <= '9' && strcmp(end, PROF_CONTROL_SUFFIX) == 0;
    return named && pid <= INT_MAX ? (unsigned)pid : 0;
}

/* -1: nobody listens. Removes what a process that is gone has left. */
static int connect_entry(int directory, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    bool ours;
    pid_t pid = (pid_t)entry_pid(name, &ours);
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory, name);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) == 0)
        return connection;
    if (errno == ECONNREFUSED && ours && kill(pid, 0) != 0 && errno == ESRCH)
        unlinkat(directory, name, 0);
    close(connection);
    return -1;
}

/* Calls `take` with each connection, which closes it, until it returns true. */
static bool each_entry(int directory, bool (*take)(int connection, uid_t owner, void *user),
                       uid_t owner, void *user)
{
    DIR *entries = fdopendir(directory);
    bool ours, taken = false;
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry && !taken;
         entry = readdir(entries)) {
        int connection =
            entry_pid(entry->d_name, &ours) ? connect_entry(dirfd(entries), entry->d_name) : -1;
        taken = connection >= 0 && take(connection, owner, user);
    }
    if (entries)
        closedir(entries);
    else
        close(directory);
    return taken;
}

static void socket_each(uid_t owner, bool (*take)(int connection, uid_t owner, void *user),
                        void *user)
{
    struct directories all = directories_of(owner);
    bool taken = false;
    for (unsigned i = 0; i < DIRECTORIES && !taken; i++) {
        int directory = open_directory(all.at[i], owner);
        taken = directory >= 0 && each_entry(directory, take, owner, user);
    }
}

struct search {
    unsigned pid;
    int connection; /* -1: not found yet */
};

static bool find_process(int connection, uid_t owner, void *user)
{
    struct search *search = user;
    bool found = peer_of(connection, owner) == search->pid;
    if (found)
        search->connection = connection;
    else
        close(connection);
    return found;
}

/* By its name, as there may be many, and so as to notice another process behind it: `impostor`,
 * else 0. */
static int connect_named(unsigned pid, uid_t owner, unsigned *impostor)
{
    struct directories all = directories_of(owner);
    char name[32];
    snprintf(name, sizeof name, "%u" PROF_CONTROL_SUFFIX, pid);
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        int directory = open_directory(all.at[i], owner);
        int connection = directory >= 0 ? connect_entry(directory, name) : -1;
        if (directory >= 0)
            close(directory);
        unsigned peer = connection >= 0 ? peer_of(connection, owner) : 0;
        if (peer == pid)
            return connection;
        if (connection >= 0)
            close(connection);
        if (peer)
            *impostor = peer;
    }
    return -1;
}

/* In another PID namespace than ours the process has another number, and its socket that in its
 * name. */
static int connect_to(unsigned pid, uid_t owner, unsigned *impostor)
{
    struct search search = {.pid = pid, .connection = -1};
    *impostor = 0;
    int connection = connect_named(pid, owner, impostor);
    if (connection >= 0)
        return connection;
    socket_each(owner, find_process, &search);
    return search.connection;
}

/* A dump may take long; a process that takes long for anything else is stopped or hangs. */
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
    for (size_t i = 0; i < size; i++) /* it is shown on a terminal */
        if (((unsigned char)answer[i] < ' ' && answer[i] != '\n') || answer[i] == 0x7f)
            answer[i] = '?';
    return size > 0;
}

/* ---- why not ---- */

/* Warns of a directory that another user created in this user's name. */
static bool complain_of_directories(uid_t owner)
{
    struct directories all = directories_of(owner);
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        struct stat status;
        int directory = open_directory(all.at[i], owner);
        if (directory >= 0) {
            close(directory);
        } else if (*all.at[i] && lstat(all.at[i], &status) == 0) {
            complain("%s is not used: others own it or can access it", all.at[i]);
            return true;
        }
    }
    return false;
}

static void complain_of(unsigned pid, uid_t owner)
{
    if (!process_maps(pid, "/libprof.so"))
        complain("process %u runs without libprof: start it with profrun or LD_PRELOAD", pid);
    else if (!complain_of_directories(owner))
        complain("process %u has libprof, but was not started with PROF_CONTROL=1", pid);
}

static bool socket_ask(unsigned pid, const char *command, char *answer, size_t answer_bytes)
{
    uid_t owner;
    unsigned impostor;
    if (!process_owner(pid, &owner)) {
        int left = connect_named(pid, geteuid(), &impostor); /* removes what it left */
        if (left >= 0)
            close(left);
        complain("there is no process %u", pid);
        return false;
    }
    if (owner != geteuid() && geteuid() != 0) {
        complain("process %u is not yours: it belongs to user %u", pid, (unsigned)owner);
        return false;
    }
    int connection = connect_to(pid, owner, &impostor);
    if (connection < 0 && impostor)
        complain("did not ask process %u: its socket belongs to process %u", pid, impostor);
    else if (connection < 0)
        complain_of(pid, owner);
    if (connection < 0)
        return false;
    bool answered = converse(connection, command, answer, answer_bytes);
    close(connection);
    if (!answered)
        complain("process %u does not answer: it is stopped or exiting", pid);
    return answered;
}

/* ---- the command ---- */

/* Counting the events of this much takes about a second. */
#define COUNT_BYTES_MAX (256ll << 20)

static int ctl_usage(void)
{
    complain("ctl: usage: list | PID start [--for TIME] [--detail LEVEL] | PID stop [SESSION] | "
             "PID status | PID metrics | PID dump [OUT]");
    return EXIT_USAGE;
}

/* The value of a line of the answer; "" when there is none. Cuts the line. */
static const char *value_of(const char *answer, const char *key, char *value, size_t value_bytes)
{
    size_t size = strlen(key);
    *value = '\0';
    for (const char *line = answer; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) == 0 && line[size] == ' ') {
            snprintf(value, value_bytes, "%.*s", (int)strcspn(line + size + 1, "\n"),
                     line + size + 1);
            break;
        }
    }
    return value;
}

static bool count_events(const char *path, uint64_t *events)
{
    struct stat status;
    struct read_error error;
    if (stat(path, &status) != 0 || status.st_size > COUNT_BYTES_MAX)
        return false;
    struct trace_file *file = trace_file_open(path, true, &error);
    if (!file)
        return false;
    *events = trace_file_count_records(file);
    trace_file_close(file);
    return true;
}

static void print_file(const char *answer)
{
    char path[PATH_MAX], bytes[32], limit[32], full[32];
    uint64_t events;
    value_of(answer, "file", path, sizeof path);
    if (!*path) {
        puts("file:       none yet: nothing was recorded");
        return;
    }
    value_of(answer, "bytes", bytes, sizeof bytes);
    value_of(answer, "limit_mib", limit, sizeof limit);
    value_of(answer, "at_limit", full, sizeof full);
    printf("file:       %s, %.1f MiB of at most %s (%s)\n", path, strtod(bytes, NULL) / 1048576,
           limit, full);
    if (count_events(path, &events))
        printf("records:    %llu\n", (unsigned long long)events);
}

/* "1 for=12300 detail=full". */
static void print_session(const char *line)
{
    size_t size = strcspn(line, "\n"), number = strcspn(line, " \n");
    printf("session:    %.*s", (int)number, line);
    for (const char *at = line + number; at < line + size; at += strcspn(at, " \n")) {
        at++;
        int word = (int)strcspn(at, " \n");
        if (strncmp(at, "for=", 4) == 0)
            printf(", ends in %.1f s", strtod(at + 4, NULL) / 1000);
        else if (strncmp(at, "detail=", 7) == 0)
            printf(", detail %.*s", word - 7, at + 7);
    }
    putchar('\n');
}

static void print_sessions(const char *answer)
{
    for (const char *line = answer; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "session ", 8) == 0)
            print_session(line + 8);
    }
}

static void print_status(unsigned pid, const char *answer)
{
    char first[256], second[256];
    printf("process:    %u, %s\n", pid, value_of(answer, "program", first, sizeof first));
    value_of(answer, "windows", second, sizeof second);
    printf("recording:  %s", value_of(answer, "recording", first, sizeof first));
    if (strcmp(second, "0") != 0) {
        printf(", by %s", value_of(answer, "reason", first, sizeof first));
        printf("; was on %s time%s so far", second, strcmp(second, "1") == 0 ? "" : "s");
    }
    putchar('\n');
    print_sessions(answer);
    print_file(answer);
    printf("losses:     %s\n", value_of(answer, "losses", first, sizeof first));
    value_of(answer, "gpu_mode", first, sizeof first);
    value_of(answer, "gpu_reason", second, sizeof second);
    printf("GPU mode:   %s%s%s\n",
           run_facts_mode_name((enum prof_gpu_mode)strtoul(first, NULL, 10)), *second ? ", " : "",
           second);
}

/* False after having complained of any answer but "ok". */
static bool ask(unsigned pid, const char *command, char *answer, size_t answer_bytes)
{
    if (!socket_ask(pid, command, answer, answer_bytes))
        return false;
    if (strncmp(answer, "ok\n", 3) == 0)
        return true;
    answer[strcspn(answer, "\n")] = '\0';
    complain("process %u: %s", pid,
             strncmp(answer, "failed ", 7) == 0 ? answer + 7 : "its answer is not libprof's");
    return false;
}

/* A free name for a dump: that of the trace, in the current directory. */
static void choose_name(const char *answer, char *path, size_t path_bytes)
{
    char file[PATH_MAX];
    value_of(answer, "file", file, sizeof file);
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : "trace.prof";
    size_t stem = strlen(base);
    if (stem > 5 && strcmp(base + stem - 5, ".prof") == 0)
        stem -= 5;
    for (unsigned number = 1;; number++) {
        snprintf(path, path_bytes, "%.*s-dump%u.prof", (int)stem, base, number);
        if (access(path, F_OK) != 0)
            return;
    }
}

static bool make_absolute(const char *path, char *absolute, size_t absolute_bytes)
{
    char here[PATH_MAX] = "";
    if (*path != '/' && !getcwd(here, sizeof here))
        return false;
    int size = snprintf(absolute, absolute_bytes, "dump %s%s%s", here, *here ? "/" : "", path);
    return size > 0 && (size_t)size < absolute_bytes && !strchr(absolute, '\n');
}

/* A process that does not answer is found by asking for its state: a dump may take as long as it
 * likes. */
static int ctl_dump(unsigned pid, const char *out)
{
    char name[PATH_MAX], command[PROF_CONTROL_COMMAND_BYTES - 1], answer[CTL_ANSWER_BYTES];
    if (!ask(pid, "status", answer, sizeof answer))
        return EXIT_FAILURE;
    if (!out) {
        choose_name(answer, name, sizeof name);
        out = name;
    }
    if (!make_absolute(out, command, sizeof command)) {
        complain("%s: file name too long", out);
        return EXIT_FAILURE;
    }
    if (!ask(pid, command, answer, sizeof answer))
        return EXIT_FAILURE;
    printf("wrote %s\n", out);
    return EXIT_SUCCESS;
}

static int ctl_simple(unsigned pid, const char *command)
{
    char answer[CTL_ANSWER_BYTES], file[PATH_MAX + 512];
    if (!ask(pid, command, answer, sizeof answer))
        return EXIT_FAILURE;
    if (strcmp(command, "status") == 0)
        print_status(pid, answer);
    if (strcmp(command, "metrics") == 0)
        printf("wrote %s\n", value_of(answer, "file", file, sizeof file));
    return EXIT_SUCCESS;
}

/* A libprof before sessions refuses the options, and states no session otherwise. */
static int ctl_start(unsigned pid, const struct profdump_options *options)
{
    char command[128] = "start", for_text[48] = "", answer[CTL_ANSWER_BYTES], number[32];
    if (options->for_ms)
        snprintf(for_text, sizeof for_text, " for=%llu", (unsigned long long)options->for_ms);
    snprintf(command, sizeof command, "start%s%s%s", for_text, options->detail ? " detail=" : "",
             options->detail ? options->detail : "");
    if (!ask(pid, command, answer, sizeof answer))
        return EXIT_FAILURE;
    if (options->for_ms || options->detail)
        printf("session %s\n", value_of(answer, "session", number, sizeof number));
    return EXIT_SUCCESS;
}

static int ctl_stop(unsigned pid, const char *session)
{
    char command[32], answer[CTL_ANSWER_BYTES];
    unsigned long number;
    if (session && !options_number(session, 1, UINT32_MAX, &number))
        return ctl_usage();
    snprintf(command, sizeof command, "stop%s%s", session ? " " : "", session ? session : "");
    return ask(pid, command, answer, sizeof answer) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool list_one(int connection, uid_t owner, void *user)
{
    char answer[CTL_ANSWER_BYTES], program[256], recording[16], file[PATH_MAX];
    unsigned *count = user, pid = peer_of(connection, owner);
    bool answered = pid && converse(connection, "status", answer, sizeof answer) &&
                    strncmp(answer, "ok\n", 3) == 0;
    close(connection);
    if (!answered)
        return false;
    if ((*count)++ == 0)
        puts("    PID  recording  program and file");
    value_of(answer, "file", file, sizeof file);
    printf("%7u  %-9s  %s%s%s\n", pid, value_of(answer, "recording", recording, sizeof recording),
           value_of(answer, "program", program, sizeof program), *file ? " " : "", file);
    return false;
}

static int ctl_list(void)
{
    unsigned count = 0;
    socket_each(geteuid(), list_one, &count);
    if (count)
        return EXIT_SUCCESS;
    complain("no process of yours can be controlled: it has to be started with PROF_CONTROL=1 and "
             "libprof (profrun, LD_PRELOAD)");
    return EXIT_FAILURE;
}

static int run(const struct profdump_options *options)
{
    int count = options->input_count;
    char **words = options->inputs;
    bool has_options = options->for_ms || options->detail;
    if (count == 1 && strcmp(words[0], "list") == 0 && !has_options)
        return ctl_list();
    char *end;
    unsigned long pid = count >= 2 ? strtoul(words[0], &end, 10) : 0;
    if (pid == 0 || pid > INT_MAX || *end || words[0][0] < '0' || words[0][0] > '9')
        return ctl_usage();
    if (strcmp(words[1], "start") == 0 && count == 2)
        return ctl_start((unsigned)pid, options);
    if (has_options)
        return ctl_usage();
    if (strcmp(words[1], "dump") == 0 && count <= 3)
        return ctl_dump((unsigned)pid, count == 3 ? words[2] : NULL);
    if (strcmp(words[1], "stop") == 0 && count <= 3)
        return ctl_stop((unsigned)pid, count == 3 ? words[2] : NULL);
    if (count == 2 && (strcmp(words[1], "status") == 0 || strcmp(words[1], "metrics") == 0))
        return ctl_simple((unsigned)pid, words[1]);
    return ctl_usage();
}

#define FOR_MOST_NS INT64_C(86400000000000)

static bool set_for(struct profdump_options *options, const char *text)
{
    int64_t ns;
    bool good = window_options_duration(text, &ns) && ns >= 1000000 && ns <= FOR_MOST_NS;
    if (good)
        options->for_ms = (uint64_t)ns / 1000000;
    else
        complain("--for: '%s' is not a time from 1ms to 86400s, as in 30s", text);
    return good;
}

#define DETAIL_LEVELS "minimal standard full"

static bool set_detail(struct profdump_options *options, const char *text)
{
    size_t size = strlen(text);
    for (const char *level = DETAIL_LEVELS; *level; level += *level == ' ') {
        size_t length = strcspn(level, " ");
        if (length == size && memcmp(level, text, size) == 0) {
            options->detail = text;
            return true;
        }
        level += length;
    }
    return false;
}

static const struct option_entry session_options[] = {
    {CALL("for", "TIME", set_for, "start: record for TIME, such as 30s")},
    {CALL("detail", "LEVEL", set_detail, "start: as PROF_GPU_DETAIL, until this session ends"),
     .values = DETAIL_LEVELS},
    {0},
};

static const struct option_entry *const options_of_ctl[] = {session_options, help_options, NULL};

const struct command command_ctl = {
    .word = "ctl",
    .summary = "control a running process (PROF_CONTROL=1)",
    .usage = "list\nPID start [--for TIME] [--detail LEVEL]\nPID stop [SESSION]\n"
             "PID status|metrics\nPID dump [OUT]",
    .about = "Controls processes that record with libprof and PROF_CONTROL=1: lists them, "
             "starts and stops recording, now or for a time, shows the state, writes metrics "
             "(PROF_PROMETHEUS) now, "
             "or dumps what was recorded so far.",
    .examples = "ctl list\nctl 4711 start --for 30s --detail full\nctl 4711 dump now.prof",
    .question = QUESTION_OTHER,
    .options = options_of_ctl,
    .run_words = run,
};
