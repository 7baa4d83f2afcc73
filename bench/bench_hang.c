/* bench_hang.c - cost of PROF_HANG: of a push and pop beside the watching thread, of that thread while nothing happens, and of
 * writing down what 64 threads are doing.
 *
 * bench_hang [SECONDS]: how long the sleeping thread is measured. As a worker: bench_hang push, which reads counts and answers
 * nanoseconds of each pair; bench_hang sleep SECONDS, with 64 threads and a range that stays open.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "bench_worker.h"

#include <prof/prof.h>

#include <dirent.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAIRS 50000u
#define THREADS 64
#define TRACE "/bench_hang.prof"

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
        bench_check(pthread_create(&thread, NULL, wait_for_lock, (void *)20) == 0, "thread");
    sleep(1);
    double before = watch_cpu_ns();
    sleep(seconds);
    printf("%.0f\n", watch_cpu_ns() - before);
    fflush(stdout);
    _exit(0); /* the threads never end */
}

/* ---- the measurements ---- */

static struct bench_worker start(char *self, const char *hang, const char *trace, char *how,
                                 char *argument)
{
    setenv("PROF_OUTPUT", trace, 1);
    setenv("PROF_TABLE", "0", 1);
    setenv("PROF_LOG", "0", 1);
    if (hang)
        setenv("PROF_HANG", hang, 1);
    else
        unsetenv("PROF_HANG");
    return bench_worker_start((char *[]){self, how, argument, NULL}, environ);
}

static double ask_push(const struct bench_worker *worker)
{
    fprintf(worker->to, "%u\n", PAIRS);
    return bench_worker_answer(worker);
}

static void measure_push(char *self, const char *directory)
{
    char path[2][512];
    struct bench_worker workers[2];
    struct bench_turns turns = {.rounds = 0};
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s" TRACE ".%d", directory, i);
        unlink(path[i]);
        workers[i] = start(self, i ? "1s" : NULL, path[i], "push", NULL);
        ask_push(&workers[i]);
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double without_ns = ask_push(&workers[0]);
        bench_turn(&turns, without_ns, ask_push(&workers[1]));
    }
    for (int i = 0; i < 2; i++) {
        bench_worker_end(&workers[i]);
        unlink(path[i]);
    }
    bench_print_header("without");
    bench_print("push+pop beside PROF_HANG=1s", bench_turns_end(&turns));
}

static double run_sleep(char *self, const char *hang, const char *trace, char *seconds)
{
    unlink(trace);
    struct bench_worker worker = start(self, hang, trace, "sleep", seconds);
    double ns = bench_worker_answer(&worker);
    bench_worker_end(&worker);
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
    bench_check(at && fstat(fileno(file), &status) == 0, text);
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
    char *seconds = argc > 1 ? argv[1] : "20";
    bench_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc/self/exe");
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
