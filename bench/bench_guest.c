/* bench_guest.c - cost of preloading libprof: forks, threads, other programs, start and exit, for
 * a program that runs bare, preloaded but idle, and recording. The same program runs bare,
 * preloaded and idle, and preloaded and recording; the three take turns, and the ratios
 * (differences, for start and end) are medians over the rounds.
 *
 * bench_guest [ROUNDS]. As a worker: bench_guest work, which reads "OPERATION COUNT" and answers nanoseconds of each. As a
 * program that starts and ends: bench_guest nothing, range or cuda; or bench_guest first THREADS DESCRIPTORS, which prints the
 * nanoseconds of its first range, beside so many idle threads and open files.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "bench_worker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS_MAX 1000
#define TRACE "/bench_guest.prof"

static const char *self;

enum guest { BARE, IDLE, RECORDING, GUESTS };

/* Only where libprof is preloaded. */
static void record_range(void)
{
    int (*push)(const char *) = (int (*)(const char *))dlsym(RTLD_DEFAULT, "prof_range_push");
    int (*pop)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "prof_range_pop");
    if (push && pop) {
        push("range");
        pop();
    }
}

/* ---- what is measured ---- */

static void await(pid_t child)
{
    int status;
    bench_check(waitpid(child, &status, 0) == child && status == 0, "child");
}

static void do_fork(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    await(child);
}

static void do_exec(void)
{
    pid_t child = fork();
    if (child == 0) {
        execl(self, self, "nothing", (char *)NULL);
        _exit(1);
    }
    await(child);
}

static void *thread_main(void *recording)
{
    if (recording)
        record_range();
    return NULL;
}

static void do_thread(bool recording)
{
    pthread_t thread;
    bench_check(pthread_create(&thread, NULL, thread_main, recording ? &self : NULL) == 0,
                "thread");
    pthread_join(thread, NULL);
}

static const struct operation {
    const char *name, *title;
    int count; /* in one round */
} operations[] = {
    {"fork", "fork, exit and wait", 100},
    {"exec", "fork, exec and wait", 20},
    {"thread", "thread: create, join", 200},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

static double measure(const char *name, int count, bool recording)
{
    double start = bench_now_ns();
    for (int i = 0; i < count; i++) {
        if (!strcmp(name, "fork"))
            do_fork();
        else if (!strcmp(name, "exec"))
            do_exec();
        else
            do_thread(recording);
    }
    return (bench_now_ns() - start) / count;
}

static int work(void)
{
    char name[16];
    int count;
    bool recording = getenv("BENCH_RECORDS") != NULL;
    if (recording)
        record_range();
    while (scanf("%15s %d", name, &count) == 2) {
        printf("%.0f\n", measure(name, count, recording));
        fflush(stdout);
    }
    return 0;
}

static int use_cuda(void)
{
#ifdef BENCH_SIM_CUDART
    void *cuda = dlopen(BENCH_SIM_CUDART, RTLD_NOW);
    int (*synchronize)(void) =
        cuda ? (int (*)(void))dlsym(cuda, "cudaDeviceSynchronize") : (int (*)(void))NULL;
    return synchronize ? synchronize() : 1;
#else
    return 1;
#endif
}

/* ---- the three ---- */

static char *environments[GUESTS][64];

static void prepare(const char *library, const char *trace)
{
    static char preload[4200], output[4200], libraries[4200];
    static char table[] = "PROF_TABLE=0", records[] = "BENCH_RECORDS=1";
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library);
    snprintf(output, sizeof output, "PROF_OUTPUT=%s", trace);
#ifdef BENCH_SIM_CUDART
    snprintf(libraries, sizeof libraries, "LD_LIBRARY_PATH=%.*s",
             (int)(strrchr(BENCH_SIM_CUDART, '/') - BENCH_SIM_CUDART), BENCH_SIM_CUDART);
#endif
    char *const more[] = {libraries, preload, output, table, records};
    for (enum guest guest = BARE; guest < GUESTS; guest++) {
        int size = guest == BARE ? 1 : guest == IDLE ? 4 : 5;
        memcpy(environments[guest], more, (size_t)size * sizeof *more);
    }
}

/* A program that uses CUDA is idle where recording has not begun. */
static void wait_for_start(void)
{
    static char start[] = "PROF_START=api";
    for (char **variable = environments[IDLE];; variable++)
        if (!*variable) {
            *variable = start;
            return;
        }
}

static struct bench_worker begin_worker(enum guest guest)
{
    return bench_worker_start((char *[]){(char *)(uintptr_t)self, "work", NULL},
                              environments[guest]);
}

static double ask(const struct bench_worker *worker, const struct operation *operation)
{
    fprintf(worker->to, "%s %d\n", operation->name, operation->count);
    return bench_worker_answer(worker);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, bench_compare);
    return values[count / 2];
}

static void bench_operation(const struct bench_worker *workers, const struct operation *operation,
                            int rounds)
{
    static double bare[ROUNDS_MAX], ratios[GUESTS][ROUNDS_MAX];
    for (int round = -1; round < rounds; round++) {
        double ns[GUESTS];
        for (enum guest guest = BARE; guest < GUESTS; guest++)
            ns[guest] = ask(&workers[guest], operation);
        for (enum guest guest = BARE; guest < GUESTS && round >= 0; guest++)
            ratios[guest][round] = ns[guest] / ns[BARE];
        if (round >= 0)
            bare[round] = ns[BARE];
    }
    printf("%-24s bare %8.1f us   idle %5.2fx   recording %5.2fx\n", operation->title,
           median(bare, rounds) / 1e3, median(ratios[IDLE], rounds),
           median(ratios[RECORDING], rounds));
}

/* ---- start and end ---- */

static double run(const char *what, enum guest guest, const char *trace, long *rss_kib)
{
    pid_t pid;
    int status;
    struct rusage usage;
    char *argv[] = {(char *)(uintptr_t)self, (char *)(uintptr_t)what, NULL};
    unlink(trace);
    double start = bench_now_ns();
    bench_check(posix_spawn(&pid, self, NULL, NULL, argv, environments[guest]) == 0, "spawn");
    bench_check(wait4(pid, &status, 0, &usage) == pid && status == 0, what);
    *rss_kib = usage.ru_maxrss;
    return bench_now_ns() - start;
}

static void bench_process(const char *title, const char *const what[GUESTS], const char *trace,
                          int rounds)
{
    static double bare[ROUNDS_MAX], more[GUESTS][ROUNDS_MAX], rss[GUESTS][ROUNDS_MAX];
    for (int round = -1; round < rounds; round++) {
        double ns[GUESTS];
        long rss_kib[GUESTS];
        for (enum guest guest = BARE; guest < GUESTS; guest++)
            ns[guest] = run(what[guest], guest, trace, &rss_kib[guest]);
        for (enum guest guest = BARE; guest < GUESTS && round >= 0; guest++) {
            more[guest][round] = (ns[guest] - ns[BARE]) / 1e6;
            rss[guest][round] = (double)(rss_kib[guest] - rss_kib[BARE]) / 1024;
        }
        if (round >= 0)
            bare[round] = ns[BARE];
    }
    printf("%-24s bare %8.2f ms   idle +%.2f ms, %+.2f MB   recording +%.2f ms, %+.2f MB\n", title,
           median(bare, rounds) / 1e6, median(more[IDLE], rounds), median(rss[IDLE], rounds),
           median(more[RECORDING], rounds), median(rss[RECORDING], rounds));
}

/* ---- the first event ---- */

static void *wait_for_ever(void *unused)
{
    pause();
    return unused;
}

static int record_first(int threads, int descriptors)
{
    struct rlimit limit;
    pthread_t thread;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    bench_check(setrlimit(RLIMIT_NOFILE, &limit) == 0, "RLIMIT_NOFILE");
    for (int i = 0; i < descriptors; i++)
        bench_check(open("/dev/null", O_RDONLY) >= 0, "/dev/null");
    for (int i = 0; i < threads; i++)
        bench_check(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0, "thread");
    usleep(1000); /* they have begun */
    double start = bench_now_ns();
    record_range();
    printf("%.0f\n", bench_now_ns() - start);
    fflush(stdout);
    _exit(0);
}

static void bench_first(int threads, int descriptors, const char *trace, int rounds)
{
    static double ns[ROUNDS_MAX];
    char thread_count[16], descriptor_count[16];
    char *argv[] = {(char *)(uintptr_t)self, (char *)(uintptr_t) "first", thread_count,
                    descriptor_count, NULL};
    snprintf(thread_count, sizeof thread_count, "%d", threads);
    snprintf(descriptor_count, sizeof descriptor_count, "%d", descriptors);
    for (int round = 0; round < rounds; round++) {
        unlink(trace);
        struct bench_worker worker = bench_worker_start(argv, environments[RECORDING]);
        ns[round] = bench_worker_answer(&worker);
        bench_worker_end(&worker);
    }
    double middle = median(ns, rounds);
    printf("first event, %2d threads, %5d files   %.2f ms, at most %.2f ms\n", threads, descriptors,
           middle / 1e6, ns[rounds - 1] / 1e6);
}

int main(int argc, char **argv)
{
    static char path[4096], library[4096], trace[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    bench_check(size > 0, "/proc/self/exe");
    self = path;
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "work"))
        return work();
    if (!strcmp(what, "nothing"))
        return 0;
    if (!strcmp(what, "cuda"))
        return use_cuda();
    if (!strcmp(what, "range")) {
        record_range();
        return 0;
    }
    if (!strcmp(what, "first"))
        return argc > 3 ? record_first(atoi(argv[2]), atoi(argv[3])) : 1;
    int rounds = atoi(what);
    rounds = rounds > 0 && rounds <= ROUNDS_MAX ? rounds : BENCH_ROUNDS;
    const char *temporary = getenv("TMPDIR");
    snprintf(library, sizeof library, "%.*s/../lib/libprof.so", (int)(strrchr(path, '/') - path),
             path);
    snprintf(trace, sizeof trace, "%s" TRACE, temporary ? temporary : "/tmp");
    bench_check(access(library, R_OK) == 0, library);
    prepare(library, trace);
    struct bench_worker workers[GUESTS];
    unlink(trace);
    for (enum guest guest = BARE; guest < GUESTS; guest++)
        workers[guest] = begin_worker(guest);
    for (size_t i = 0; i < OPERATIONS; i++)
        bench_operation(workers, &operations[i], rounds);
    for (enum guest guest = BARE; guest < GUESTS; guest++)
        bench_worker_end(&workers[guest]);
    for (int threads = 0; threads <= 16; threads += threads ? 12 : 4)
        bench_first(threads, 0, trace, rounds);
    bench_first(4, 10000, trace, rounds);
    bench_process("a process, start to end", (const char *const[]){"nothing", "nothing", "range"},
                  trace, rounds);
#ifdef BENCH_SIM_CUDART
    wait_for_start();
    bench_process("the same with CUDA", (const char *const[]){"cuda", "cuda", "cuda"}, trace,
                  rounds);
#endif
    unlink(trace);
    return 0;
}
