/* bench_diff.c - how much longer two traces take to compare than one takes to average.
 *
 *     bench_diff [EVENTS]
 *
 * profdump itself is run, beside this program in ../bin: the table of one file, then the diff of it and
 * another one of the same size, by path and by kernel. Fastest of a few runs. The goal: at most twice
 * as long, with 10 million events in each.
 */
#include "bench.h"
#include "load_file.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_DEFAULT 10000000u
#define ROUNDS 5

struct spent {
    double seconds, cpu_seconds;
};

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

/* Standard output is thrown away. */
static struct spent run(char *const *words)
{
    struct rusage used;
    int status = 0;
    fflush(stdout);
    double start = bench_now_ns();
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout))
            execv(words[0], words);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) {
        fprintf(stderr, "bench_diff: %s failed\n", words[0]);
        exit(1);
    }
    return (struct spent){(bench_now_ns() - start) / 1e9,
                          seconds_of(used.ru_utime) + seconds_of(used.ru_stime)};
}

static void keep_faster(struct spent *best, struct spent now)
{
    best->seconds = now.seconds < best->seconds ? now.seconds : best->seconds;
    best->cpu_seconds = now.cpu_seconds < best->cpu_seconds ? now.cpu_seconds : best->cpu_seconds;
}

static void measure(char *profdump, char *const paths[2], uint32_t events)
{
    static char diff[] = "diff";
    char *const one[] = {profdump, paths[0], NULL};
    char *const two[] = {profdump, diff, paths[0], paths[1], NULL};
    if (!load_file_make(paths[0], events, 0) || !load_file_make(paths[1], events, 100))
        exit(1);
    struct spent table = {1e30, 1e30}, both = table;
    for (int round = 0; round < ROUNDS; round++) { /* in turns: the machine's speed may drift */
        keep_faster(&table, run(one));
        keep_faster(&both, run(two));
    }
    printf(
        "%9u events  %7.3f s the table (%.3f of CPU), %7.3f s the diff of two (%.3f): %.2f times\n",
        events, table.seconds, table.cpu_seconds, both.seconds, both.cpu_seconds,
        both.seconds / table.seconds);
    unlink(paths[0]);
    unlink(paths[1]);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char first[4096], second[4096], profdump[4096], self[2048] = "";
    char *const paths[2] = {first, second};
    uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS_DEFAULT;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !strrchr(self, '/'))
        return 1;
    *strrchr(self, '/') = '\0';
    snprintf(profdump, sizeof profdump, "%s/../bin/profdump", self);
    snprintf(first, sizeof first, "%s/bench_diff-%d-a.prof", folder ? folder : "/tmp",
             (int)getpid());
    snprintf(second, sizeof second, "%s/bench_diff-%d-b.prof", folder ? folder : "/tmp",
             (int)getpid());
    for (uint32_t events = 100000; events < most; events *= 10)
        measure(profdump, paths, events);
    measure(profdump, paths, most);
    return 0;
}
