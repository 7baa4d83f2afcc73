/* cmd_ctl.c - profdump ctl: talks to a process in which libprof runs, by the words of
 * prof/control.h. */
#include "profdump.h"

#include "ctl_socket.h"
#include "prof/control.h"
#include "run_facts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Counting the events of this much takes about a second. */
#define COUNT_BYTES_MAX (256ll << 20)

static int ctl_usage(void)
{
    complain("ctl wants: list | PID start | PID stop | PID status | PID dump [OUT]");
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
    struct read_health health = {0};
    struct read_sink sink = {0};
    if (stat(path, &status) != 0 || status.st_size > COUNT_BYTES_MAX)
        return false;
    struct trace_file *file = trace_file_open(path, true, &error);
    bool counted = file && trace_file_walk(file, &sink, &health, &error);
    trace_file_close(file);
    *events = health.records;
    return counted;
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
    print_file(answer);
    printf("losses:     %s\n", value_of(answer, "losses", first, sizeof first));
    value_of(answer, "gpu_mode", first, sizeof first);
    value_of(answer, "gpu_reason", second, sizeof second);
    printf("GPU mode:   %s%s%s\n",
           run_facts_mode_name((enum prof_gpu_mode)strtoul(first, NULL, 10)), *second ? ", " : "",
           second);
}

/* The answer without its first word; complains and returns false where that is not "ok". */
static bool ask(unsigned pid, const char *command, char *answer, size_t answer_bytes)
{
    if (!ctl_socket_ask(pid, command, answer, answer_bytes))
        return false;
    if (strncmp(answer, "ok\n", 3) == 0)
        return true;
    complain("process %u: %s", pid, strncmp(answer, "failed ", 7) == 0 ? answer + 7 : "no answer");
    return false;
}

/* A name for a dump that is free: that of the trace, here. */
static bool choose_name(unsigned pid, char *path, size_t path_bytes)
{
    char answer[CTL_ANSWER_BYTES], file[PATH_MAX];
    if (!ask(pid, "status", answer, sizeof answer))
        return false;
    value_of(answer, "file", file, sizeof file);
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : "trace.prof";
    size_t stem = strlen(base);
    if (stem > 5 && strcmp(base + stem - 5, ".prof") == 0)
        stem -= 5;
    for (unsigned number = 1;; number++) {
        snprintf(path, path_bytes, "%.*s-dump%u.prof", (int)stem, base, number);
        if (access(path, F_OK) != 0)
            return true;
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

static int ctl_dump(unsigned pid, const char *out)
{
    char name[PATH_MAX], command[PROF_CONTROL_COMMAND_BYTES - 1], answer[CTL_ANSWER_BYTES];
    if (!out) {
        if (!choose_name(pid, name, sizeof name))
            return EXIT_FAILURE;
        out = name;
    }
    if (!make_absolute(out, command, sizeof command)) {
        complain("%s: this name is too long", out);
        return EXIT_FAILURE;
    }
    if (!ask(pid, command, answer, sizeof answer))
        return EXIT_FAILURE;
    printf("wrote %s\n", out);
    return EXIT_SUCCESS;
}

static int ctl_simple(unsigned pid, const char *command)
{
    char answer[CTL_ANSWER_BYTES];
    if (!ask(pid, command, answer, sizeof answer))
        return EXIT_FAILURE;
    if (strcmp(command, "status") == 0)
        print_status(pid, answer);
    return EXIT_SUCCESS;
}

static void list_one(unsigned pid, void *user)
{
    char answer[CTL_ANSWER_BYTES], program[256], recording[16], file[PATH_MAX];
    if (!ctl_socket_try(pid, "status", answer, sizeof answer) || strncmp(answer, "ok\n", 3) != 0)
        return;
    unsigned *count = user;
    if ((*count)++ == 0)
        puts("    PID  recording  program and file");
    value_of(answer, "file", file, sizeof file);
    printf("%7u  %-9s  %s%s%s\n", pid, value_of(answer, "recording", recording, sizeof recording),
           value_of(answer, "program", program, sizeof program), *file ? " " : "", file);
}

static int ctl_list(void)
{
    unsigned count = 0;
    ctl_socket_each(list_one, &count);
    if (count)
        return EXIT_SUCCESS;
    complain("no process of yours can be controlled: it has to be started with PROF_CONTROL=1 and "
             "libprof (profrun, LD_PRELOAD)");
    return EXIT_FAILURE;
}

int cmd_ctl(int count, char **words)
{
    if (count == 1 && strcmp(words[0], "list") == 0)
        return ctl_list();
    char *end;
    unsigned long pid = count >= 2 ? strtoul(words[0], &end, 10) : 0;
    if (pid == 0 || pid > INT_MAX || *end || words[0][0] < '0' || words[0][0] > '9')
        return ctl_usage();
    if (strcmp(words[1], "dump") == 0 && count <= 3)
        return ctl_dump((unsigned)pid, count == 3 ? words[2] : NULL);
    if (count == 2 && (strcmp(words[1], "start") == 0 || strcmp(words[1], "stop") == 0 ||
                       strcmp(words[1], "status") == 0))
        return ctl_simple((unsigned)pid, words[1]);
    return ctl_usage();
}
