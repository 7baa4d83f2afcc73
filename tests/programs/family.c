/* family HOW...: makes a child in each of the ways named, prints "HOW PID" for each and waits for it.
 * The child records a range "child HOW". "early" comes before the parent's first event. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *self;

static void record_child(const char *how)
{
    char name[64];
    snprintf(name, sizeof name, "child %s", how);
    prof_range_push(name);
    prof_range_pop();
}

static pid_t make_fork(const char *how)
{
    pid_t child = fork();
    if (child == 0) {
        record_child(how);
        _exit(3);
    }
    return child;
}

static pid_t make_fork_exec(const char *how)
{
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, "child", how, (char *)NULL);
        _exit(127);
    }
    return child;
}

/* A shell looks for the program in one directory after the other. */
static pid_t make_vfork_exec(const char *how)
{
    pid_t child = vfork();
    if (child == 0) {
        execl("/nonexistent/program", self, "child", how, (char *)NULL);
        execl(self, self, "child", how, (char *)NULL);
        _exit(127);
    }
    return child;
}

static pid_t make_spawn(const char *how)
{
    char *argv[] = {self, (char *)(uintptr_t) "child", (char *)(uintptr_t)how, NULL};
    pid_t child = -1;
    errno = posix_spawn(&child, self, NULL, NULL, argv, environ);
    return child;
}

/* posix_spawnp need not say which process it made. */
static pid_t make_spawnp(const char *how)
{
    char *argv[] = {self, (char *)(uintptr_t) "child", (char *)(uintptr_t)how, NULL};
    return posix_spawnp(NULL, self, NULL, NULL, argv, environ) == 0 ? 0 : -1;
}

/* A program that is not there is no child. */
static pid_t make_nothing(const char *how)
{
    char *argv[] = {(char *)(uintptr_t)how, NULL};
    pid_t child = 4711;
    int error = posix_spawn(&child, "/nonexistent/program", NULL, NULL, argv, environ);
    return error == ENOENT && child == 4711 ? 0 : -1;
}

static const struct way {
    const char *name;
    pid_t (*make)(const char *how);
    int status;
} ways[] = {
    {"early", make_fork, 3},          {"fork", make_fork, 3},
    {"fork_exec", make_fork_exec, 4}, {"vfork_exec", make_vfork_exec, 4},
    {"spawn", make_spawn, 4},         {"spawnp", make_spawnp, 4},
    {"nothing", make_nothing, -1},
};

static int go(const struct way *way)
{
    int status;
    errno = 4321;
    pid_t child = way->make(way->name);
    if (child < 0 || (way->make == make_fork && errno != 4321))
        return 1;
    if (way->status < 0)
        return 0;
    pid_t reaped = wait(&status);
    printf("%s %d\n", way->name, (int)reaped);
    return WEXITSTATUS(status) != way->status || (child && child != reaped);
}

int main(int argc, char **argv)
{
    int bad = 0;
    self = argv[0];
    if (argc == 3 && strcmp(argv[1], "child") == 0) {
        record_child(argv[2]);
        return 4;
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "early") != 0) {
            prof_range_push("parent");
            prof_range_pop();
        }
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
            if (strcmp(ways[way].name, argv[i]) == 0)
                bad += go(&ways[way]);
    }
    return bad;
}
