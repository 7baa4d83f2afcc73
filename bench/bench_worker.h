/* bench_worker.h - measuring in processes that differ in their environment, since libprof reads its variables when it is loaded.
 *
 * A worker is this program again, with arguments of its own: it answers each line on its standard input with a number. Several
 * of them take turns, as the loops of bench.h do. What goes wrong ends the benchmark.
 */
#ifndef PROF_BENCH_WORKER_H
#define PROF_BENCH_WORKER_H

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void bench_check(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

struct bench_worker {
    FILE *to, *from;
    pid_t pid;
};

/* argv[0] is the program's path. */
static inline struct bench_worker bench_worker_start(char *const *argv, char *const *environment)
{
    int to[2], from[2];
    struct bench_worker worker;
    posix_spawn_file_actions_t actions;
    bench_check(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0, "pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    bench_check(posix_spawn(&worker.pid, argv[0], &actions, NULL, argv, environment) == 0, argv[0]);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    worker.to = fdopen(to[1], "w");
    worker.from = fdopen(from[0], "r");
    return worker;
}

/* The answer to what was written to worker->to, and not flushed yet. */
static inline double bench_worker_answer(const struct bench_worker *worker)
{
    double answer = 0;
    fflush(worker->to);
    bench_check(fscanf(worker->from, "%lf", &answer) == 1, "a worker's answer");
    return answer;
}

/* CPU time so far of this process's threads whose names begin with `prefix`. */
static inline double bench_threads_cpu_ns(const char *prefix)
{
    double all_ns = 0, ns;
    char path[300], name[32];
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        bool ours =
            file && fgets(name, sizeof name, file) && strncmp(name, prefix, strlen(prefix)) == 0;
        if (file)
            fclose(file);
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        file = ours ? fopen(path, "r") : NULL;
        all_ns += file && fscanf(file, "%lf", &ns) == 1 ? ns : 0;
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return all_ns;
}

/* Its input ends, and so does the worker. */
static inline void bench_worker_end(const struct bench_worker *worker)
{
    fclose(worker->to);
    fclose(worker->from);
    waitpid(worker->pid, NULL, 0);
}

#endif
