/* bench_hang.c - cost of PROF_HANG: of a push and pop beside the watching thread, of that thread while nothing happens, and of
 * writing down what 64 threads are doing.
 *
 * bench_hang [SECONDS]: how long the sleeping thread is measured. As a worker: bench_hang push, which reads counts and answers
 * nanoseconds of each pair; bench_hang sleep SECONDS, with 64 threads and a range that stays open.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <prof/prof.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS 50000u
#define THREADS 64
#define TRACE "/bench_hang.prof"

static void check(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

/* ---- the workers ---- */

static int push(void)
{
    unsigned count;
    prof_start();
    while (scanf("%u", &count) == 1) {
        double start = bench_now_ns();
        for (unsigned i = 0; i < count; i++) {
            PROF_RANGE("forward pass of layer 12");
            __asm__ volatile("" : : : "memory");
        }
        printf("%.3f\n", (bench_now_ns() - start) / count);
        fflush(stdout);
    }
    return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void *wait_for_lock(void *depth)
{
    if (depth)
        wait_for_lock((char *)depth - 1);
    else
        pthread_mutex_lock(&lock);
    __asm__ volatile("" : : : "memory");
    return NULL;
}

/* CPU time of the watching thread so far; 0: there is none. */
static double watch_cpu_ns(void)
{
    double ns = 0;
    char path[300], name[32];
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE *file = fopen(path, "r");
        bool ours = file && fgets(name, sizeof name, file) && strcmp(name, "prof-hang\n") == 0;
        if (file)
            fclose(file);
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", task->d_name);
        file = ours ? fopen(path, "r") : NULL;
        if (file && fscanf(file, "%lf", &ns) != 1)
            ns = 0;
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return ns;
}

static int sleep_on(unsigned seconds)
{
    pthread_t thread;
    prof_start();
    prof_range_push("step");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&thread, NULL, wait_for_lock, (void *)20) == 0, "thread");
    sleep(1);
    double before = watch_cpu_ns();
    sleep(seconds);
    printf("%.0f\n", watch_cpu_ns() - before);
    fflush(stdout);
    _exit(0); /* the threads never end */
}

/* ---- the measurements ---- */

struct worker {
    FILE *to, *from;
    pid_t pid;
};

static struct worker start(const char *self, const char *hang, const char *trace, const char *how,
                           const char *argument)
{
    int to[2], from[2];
    check(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0, "pipe");
    struct worker worker = {.pid = fork()};
    check(worker.pid >= 0, "fork");
    if (worker.pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        setenv("PROF_OUTPUT", trace, 1);
        setenv("PROF_TABLE", "0", 1);
        setenv("PROF_LOG", "0", 1);
        if (hang)
            setenv("PROF_HANG", hang, 1);
        execl(self, self, how, argument, (char *)NULL);
        _exit(1);
    }
    close(to[0]);
    close(from[1]);
    worker.to = fdopen(to[1], "w");
    worker.from = fdopen(from[0], "r");
    return worker;
}

static double ask(struct worker *worker, unsigned count)
{
    double answer = 0;
    if (count) {
        fprintf(worker->to, "%u\n", count);
        fflush(worker->to);
    }
    check(fscanf(worker->from, "%lf", &answer) == 1, "the worker's answer");
    return answer;
}

static void end(struct worker *worker)
{
    fclose(worker->to);
    fclose(worker->from);
    waitpid(worker->pid, NULL, 0);
}

static void measure_push(const char *self, const char *directory)
{
    char path[2][512];
    struct worker workers[2];
    struct bench_result result = {1e30, 1e30, 0};
    double ratios[BENCH_ROUNDS];
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s" TRACE ".%d", directory, i);
        unlink(path[i]);
        workers[i] = start(self, i ? "1s" : NULL, path[i], "push", NULL);
        ask(&workers[i], PAIRS);
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double without = ask(&workers[0], PAIRS), with = ask(&workers[1], PAIRS);
        ratios[round] = with / without;
        result.floor_ns = without < result.floor_ns ? without : result.floor_ns;
        result.candidate_ns = with < result.candidate_ns ? with : result.candidate_ns;
    }
    qsort(ratios, BENCH_ROUNDS, sizeof *ratios, bench_compare);
    result.ratio = ratios[BENCH_ROUNDS / 2];
    for (int i = 0; i < 2; i++) {
        end(&workers[i]);
        unlink(path[i]);
    }
    bench_print_header("without");
    bench_print("push+pop beside PROF_HANG=1s", result);
}

static double run_sleep(const char *self, const char *hang, const char *trace, const char *seconds)
{
    unlink(trace);
    struct worker worker = start(self, hang, trace, "sleep", seconds);
    double ns = ask(&worker, 0);
    end(&worker);
    unlink(trace);
    return ns;
}

/* From the head of the text, which says when it was begun, to the file's last change. */
static double dump_ns(const char *text)
{
    struct stat status;
    double begun = 0;
    char line[512];
    FILE *file = fopen(text, "r");
    const char *at = file && fgets(line, sizeof line, file) ? strstr(line, "realtime_ns=") : NULL;
    check(at && fstat(fileno(file), &status) == 0, text);
    begun = strtod(at + strlen("realtime_ns="), NULL);
    fclose(file);
    return (double)status.st_mtim.tv_sec * 1e9 + (double)status.st_mtim.tv_nsec - begun;
}

int main(int argc, char **argv)
{
    static char self[512], trace[512], text[600];
    if (argc > 1 && strcmp(argv[1], "push") == 0)
        return push();
    if (argc > 2 && strcmp(argv[1], "sleep") == 0)
        return sleep_on((unsigned)atoi(argv[2]));
    const char *directory = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    const char *seconds = argc > 1 ? argv[1] : "20";
    check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc/self/exe");
    snprintf(trace, sizeof trace, "%s" TRACE, directory);
    snprintf(text, sizeof text, "%s.hang.txt", trace);
    measure_push(self, directory);
    double ns = run_sleep(self, "600s", trace, seconds);
    printf("%-44s %8.2f s of CPU an hour, beside %d threads that wait\n", "the watching thread",
           ns / atof(seconds) * 3600 / 1e9, THREADS);
    unlink(text);
    run_sleep(self, "1s", trace, "4");
    printf("%-44s %8.2f ms for %d threads of 23 frames\n", "writing a hang", dump_ns(text) / 1e6,
           THREADS);
    unlink(text);
    return 0;
}
