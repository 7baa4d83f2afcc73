/* bench_live.c - cost of what watches a running program:
 *
 *     PROF_HANG           a push and pop beside the watching thread, that thread while nothing happens, and writing down what 64
 *                         threads are doing
 *     profdump top        a push and pop while it reads the recording, and its own CPU time
 *     KINETO_USE_DAEMON   libprof's threads while they ask Dynolog's daemon, which is played here
 *
 * bench_live [SECONDS]: how long sleeping threads are measured. As a worker: bench_live push, which reads counts and answers
 * nanoseconds of each pair; bench_live sleep SECONDS, with 64 threads and a range that stays open, which answers with the CPU time
 * of libprof's threads; bench_live pace, which records 10,000 ranges a second.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "bench_worker.h"

#include <prof/prof.h>

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define PAIRS 50000u
#define TOP_PAIRS 10000000u /* two refreshes of top */
#define TOP_ROUNDS 15
#define REFRESHES 20
#define THREADS 64
#define TRACE "/bench_live.prof"

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

static int sleep_on(unsigned seconds, const char *threads)
{
    pthread_t thread;
    prof_start();
    prof_range_push("step");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREADS; i++)
        bench_check(pthread_create(&thread, NULL, wait_for_lock, (void *)20) == 0, "thread");
    sleep(1);
    double before = bench_threads_cpu_ns(threads);
    sleep(seconds);
    printf("%.0f\n", bench_threads_cpu_ns(threads) - before);
    fflush(stdout);
    _exit(0); /* the threads never end */
}

static _Noreturn void pace(void)
{
    prof_start();
    for (;;) {
        prof_step();
        for (int i = 0; i < 100; i++) {
            PROF_RANGE("forward pass of layer 12");
            __asm__ volatile("" : : : "memory");
        }
        usleep(10000);
    }
}

/* ---- the measurements ---- */

static void set_or_unset(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static struct bench_worker start(char *self, const char *hang, const char *trace, char *how,
                                 char *argument, char *threads)
{
    setenv("PROF_OUTPUT", trace, 1);
    setenv("PROF_TABLE", "0", 1);
    setenv("PROF_LOG", "0", 1);
    set_or_unset("PROF_HANG", hang);
    return bench_worker_start((char *[]){self, how, argument, threads, NULL}, environ);
}

static double ask_push(const struct bench_worker *worker, unsigned pairs)
{
    fprintf(worker->to, "%u\n", pairs);
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
        workers[i] = start(self, i ? "1s" : NULL, path[i], "push", NULL, NULL);
        ask_push(&workers[i], PAIRS);
    }
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double without_ns = ask_push(&workers[0], PAIRS);
        bench_turn(&turns, without_ns, ask_push(&workers[1], PAIRS));
    }
    for (int i = 0; i < 2; i++) {
        bench_worker_end(&workers[i]);
        unlink(path[i]);
    }
    bench_print_header("without");
    bench_print("push+pop beside PROF_HANG=1s", bench_turns_end(&turns));
}

static double run_sleep(char *self, const char *hang, const char *trace, char *seconds,
                        char *threads)
{
    unlink(trace);
    struct bench_worker worker = start(self, hang, trace, "sleep", seconds, threads);
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

static void measure_hang(char *self, const char *directory, const char *trace, char *seconds)
{
    char text[600];
    snprintf(text, sizeof text, "%s.hang.txt", trace);
    measure_push(self, directory);
    double ns = run_sleep(self, "600s", trace, seconds, "prof-hang");
    printf("%-44s %8.2f s of CPU an hour, beside %d threads that wait\n", "the watching thread",
           ns / atof(seconds) * 3600 / 1e9, THREADS);
    unlink(text);
    run_sleep(self, "1s", trace, "4", "prof-hang");
    printf("%-44s %8.2f ms for %d threads of 23 frames\n", "writing a hang", dump_ns(text) / 1e6,
           THREADS);
    unlink(text);
}

/* ---- profdump top ---- */

/* The program beside this one, or in ../bin. */
static void find_profdump(const char *self, char path[600])
{
    snprintf(path, 600, "%.*s/../bin/profdump", (int)(strrchr(self, '/') - self), self);
    bench_check(access(path, X_OK) == 0, path);
}

static struct bench_worker start_top(const char *self, pid_t pid, char *interval)
{
    static char profdump[600], number[16];
    find_profdump(self, profdump);
    snprintf(number, sizeof number, "%d", (int)pid);
    return bench_worker_start((char *[]){profdump, "top", "--interval", interval, number, NULL},
                              environ);
}

static void await_screens(const struct bench_worker *top, int count)
{
    char line[1024];
    while (count > 0) {
        bench_check(fgets(line, sizeof line, top->from) != NULL, "a screen of profdump top");
        count -= strstr(line, ", pid ") != NULL;
    }
}

static void *drain(void *stream)
{
    char bytes[4096];
    while (fread(bytes, 1, sizeof bytes, stream) > 0)
        ;
    return NULL;
}

/* Two workers record into rings; top reads that of the second ten times a second. */
static void measure_watched(char *self, const char *directory)
{
    char path[2][512];
    struct bench_worker workers[2];
    struct bench_turns turns = {.rounds = 0};
    pthread_t reader;
    setenv("PROF_FULL", "ring", 1);
    setenv("PROF_MAX_MB", "64", 1);
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "%s" TRACE ".%d", directory, i);
        workers[i] = start(self, NULL, path[i], "push", NULL, NULL);
        ask_push(&workers[i], TOP_PAIRS);
    }
    struct bench_worker top = start_top(self, workers[1].pid, "100ms");
    await_screens(&top, 1);
    bench_check(pthread_create(&reader, NULL, drain, top.from) == 0, "thread");
    for (int round = 0; round < TOP_ROUNDS; round++) {
        double without_ns = ask_push(&workers[0], TOP_PAIRS);
        bench_turn(&turns, without_ns, ask_push(&workers[1], TOP_PAIRS));
    }
    kill(top.pid, SIGKILL);
    pthread_join(reader, NULL);
    bench_worker_end(&top);
    for (int i = 0; i < 2; i++) {
        bench_worker_end(&workers[i]);
        unlink(path[i]);
    }
    unsetenv("PROF_FULL");
    unsetenv("PROF_MAX_MB");
    bench_print("push+pop while profdump top reads it", bench_turns_end(&turns));
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Two runs of different lengths: the difference is without the start. */
static double top_cpu_s(char *self, pid_t pid, int screens)
{
    struct rusage usage;
    struct bench_worker top = start_top(self, pid, "100ms");
    await_screens(&top, screens);
    kill(top.pid, SIGKILL);
    bench_check(wait4(top.pid, NULL, 0, &usage) == top.pid, "wait4");
    fclose(top.to);
    fclose(top.from);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

static void measure_top(char *self, const char *trace)
{
    unlink(trace);
    struct bench_worker worker = start(self, NULL, trace, "pace", NULL, NULL);
    sleep(6); /* top shows five seconds */
    double few_s = top_cpu_s(self, worker.pid, 1);
    double many_s = top_cpu_s(self, worker.pid, 1 + REFRESHES);
    kill(worker.pid, SIGKILL);
    bench_worker_end(&worker);
    unlink(trace);
    printf("%-44s %8.2f ms of CPU, the first %.2f ms; of 10,000 ranges a second\n",
           "a screen of profdump top", (many_s - few_s) * 1e3 / REFRESHES, few_s * 1e3);
}

/* ---- Dynolog's daemon ---- */

struct dynolog_head {
    uint64_t size;
    char type[32];
};

/* Answers a registration with a count and every question with "nothing to do", until the socket is shut down. */
static void *play_daemon(void *socket_fd)
{
    int fd = (int)(intptr_t)socket_fd;
    char message[4096];
    struct sockaddr_un from;
    socklen_t from_bytes = sizeof from;
    while (recvfrom(fd, message, sizeof message, 0, (struct sockaddr *)&from, &from_bytes) > 0) {
        struct dynolog_head head;
        char answer[sizeof head + sizeof(int32_t)] = {0};
        memcpy(&head, message, sizeof head);
        head.size = strcmp(head.type, "ctxt") == 0 ? sizeof(int32_t) : 0;
        memcpy(answer, &head, sizeof head);
        sendto(fd, answer, sizeof head + head.size, 0, (struct sockaddr *)&from, from_bytes);
        from_bytes = sizeof from;
    }
    return NULL;
}

static void write_interval(const char *path)
{
    FILE *file = fopen(path, "w");
    bench_check(file && fputs("ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n", file) >= 0 &&
                    fchmod(fileno(file), 0600) == 0 && fclose(file) == 0,
                path);
}

/* It asks once a second here, so that there are enough questions; else every five seconds. */
static void measure_daemon(char *self, const char *trace, char *seconds)
{
    char directory[] = "/tmp/bench_live.XXXXXX", config[64];
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    pthread_t daemon;
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    bench_check(fd >= 0 && mkdtemp(directory), "socket");
    snprintf(name.sun_path, sizeof name.sun_path, "%s/dynolog", directory);
    snprintf(config, sizeof config, "%s/interval.conf", directory);
    write_interval(config);
    bench_check(bind(fd, (struct sockaddr *)&name, sizeof name) == 0, name.sun_path);
    bench_check(pthread_create(&daemon, NULL, play_daemon, (void *)(intptr_t)fd) == 0, "thread");
    double without_ns = run_sleep(self, NULL, trace, seconds, "prof-");
    setenv("KINETO_USE_DAEMON", "1", 1);
    setenv("KINETO_IPC_SOCKET_DIR", directory, 1);
    setenv("KINETO_CONFIG", config, 1);
    double with_ns = run_sleep(self, NULL, trace, seconds, "prof-");
    shutdown(fd, SHUT_RDWR);
    pthread_join(daemon, NULL);
    close(fd);
    unlink(name.sun_path);
    unlink(config);
    rmdir(directory);
    double each_ns = (with_ns - without_ns) / atof(seconds);
    printf(
        "%-44s %8.2f us of CPU: %.3f s an hour at one every 5 s; libprof's other threads: %.2f s\n",
        "a question to Dynolog's daemon", each_ns / 1e3, each_ns * 720 / 1e9,
        without_ns / atof(seconds) * 3600 / 1e9);
}

int main(int argc, char **argv)
{
    static char self[512], trace[512];
    if (argc > 1 && strcmp(argv[1], "push") == 0)
        return push();
    if (argc > 1 && strcmp(argv[1], "pace") == 0)
        pace();
    if (argc > 3 && strcmp(argv[1], "sleep") == 0)
        return sleep_on((unsigned)atoi(argv[2]), argv[3]);
    const char *directory = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char *seconds = argc > 1 ? argv[1] : "20";
    bench_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc/self/exe");
    snprintf(trace, sizeof trace, "%s" TRACE, directory);
    measure_hang(self, directory, trace, seconds);
    measure_watched(self, directory);
    measure_top(self, trace);
    measure_daemon(self, trace, seconds);
    return 0;
}
