/* bench_commands.c - profdump's commands that go through all of a trace, against the plain table.
 *
 *     bench_commands [EVENTS]
 *
 * The events are those of large_trace.h, with shapes. Every command is a process of its own and reads the
 * file as a user's does; the fastest of some rounds counts, of all in turn. The goal: twice the
 * table's time, of diff too, which reads two such files.
 */
#include "bench.h"
#include "large_trace.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_DEFAULT 10000000u
#define ROUNDS 3
#define WORDS_MAX 4

struct candidate {
    const char *words[WORDS_MAX]; /* after "profdump"; the files come last */
    int files;
    double best_s;
};

static struct candidate candidates[] = {
    {.words = {"--rows", "10"}, .files = 1}, /* the table: first */
    {.words = {"roofline"}, .files = 1},
    {.words = {"explain"}, .files = 1},
    {.words = {"breakdown"}, .files = 1},
    {.words = {"diff"}, .files = 2},
    {.words = {"-o", "/dev/null", "--to", "html"}, .files = 1},
};
#define CANDIDATES (sizeof candidates / sizeof candidates[0])

static char program[4096], paths[2][4096];

/* The profdump of this build: bench/ lies beside bin/. */
static void find_program(void)
{
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 64);
    program[size > 0 ? size : 0] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');
        if (slash)
            *slash = '\0';
    }
    strcat(program, "/bin/profdump");
}

static void become(const struct candidate *candidate)
{
    char *words[WORDS_MAX + 4] = {program};
    int count = 1;
    for (int i = 0; i < WORDS_MAX && candidate->words[i]; i++)
        words[count++] = (char *)candidate->words[i];
    for (int i = 0; i < candidate->files; i++)
        words[count++] = paths[i];
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    execv(program, words);
    _exit(127);
}

static double run(const struct candidate *candidate)
{
    int status;
    double start = bench_now_ns();
    pid_t child = fork();
    if (child == 0)
        become(candidate);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "bench_commands: profdump %s failed\n", candidate->words[0]);
        exit(1);
    }
    return (bench_now_ns() - start) / 1e9;
}

static void measure(void)
{
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < CANDIDATES; i++) {
            double seconds = run(&candidates[i]);
            if (round == 0 || seconds < candidates[i].best_s)
                candidates[i].best_s = seconds;
        }
}

/* In a process of its own, so that its memory is gone when the measuring begins. */
static void make(const char *path, uint32_t events, uint32_t longer_ns)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(large_trace_write(path, events, true, longer_ns) ? 0 : 1);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "bench_commands: %s cannot be written\n", path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    uint32_t events = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS_DEFAULT;
    find_program();
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/bench_commands-%d-%d.prof",
                 folder ? folder : "/tmp", (int)getpid(), i);
        make(paths[i], events, (uint32_t)i * 100);
    }
    measure();
    for (size_t i = 0; i < CANDIDATES; i++)
        printf("%9u events  %-10s %7.3f s  %5.2f of the table\n", events,
               i ? candidates[i].words[0] : "table", candidates[i].best_s,
               candidates[i].best_s / candidates[0].best_s);
    unlink(paths[0]);
    unlink(paths[1]);
    return 0;
}
