/* make_job.c - writes the recordings of a simulated training job, and the truth about it.
 *
 *     make_job [OPTION=VALUE]... DIRECTORY
 *
 *     ranks=8 steps=10 layers=4 tp=1 gpus=8 seed=1    gpus: ranks of a host; tp: ranks that share each layer
 *     pp=1 dp=0 microbatches=4                        stages of a pipeline; dp: replicas, which sets ranks to tp * dp * pp
 *     kernels=4                                       kernels of a layer, forward and backward each
 *     groups=0                                        1: the gradients of all layers are reduced by a group of calls
 *     graphs=0                                        1: forward and backward are captured once, and replayed by each step (pp=1)
 *     summary=0                                       1: recordings have summaries, as PROF_SUMMARY writes them
 *     noise=2                                         percent by which kernels differ
 *     host=0                                          us of host code outside of ranges, on all ranks
 *     copies=0                                        1: the input is copied to the device
 *     eval=0                                          every so many steps all ranks take five times as long
 *     warm=0                                          1: the first step takes long, on each rank as long as it likes
 *     start=0                                         delay of the start of the job in seconds
 *     fault=none                                      see fault_names and make_job.h
 *     victim=-1 size=0                                rank, host, stage or hop of the fault, and how much: -1 and 0 choose by seed
 *     clock=good                                      good: within 50 us; bad: one host is 50 ms off and drifts; jump
 *     missing=-1                                      a rank without a recording
 *     ntp=-1                                          bound in us that kernels state for their clocks; 0: not synchronised; -1: unknown
 *
 * Each rank runs the same program: read input, forward, backward, optimizer. Tensor-parallel all-reduces block the
 * compute stream, data-parallel ones overlap with the backward pass. A collective ends on all of its ranks when the
 * last one has entered and the data is across. In a pipeline, each stage has the layers for itself; activations and gradients
 * go between neighbours with ncclSend and ncclRecv on a communicator for each pair, all ranks reduce a norm at the end of a step.
 *
 * The first pass computes those ends for all ranks, the second has a process for each rank that records it with the
 * recorder's own code (rank_recorder.h), so memory does not grow with the recordings.
 *
 * DIRECTORY gets rank-00000.prof ... and truth.json; beside each recording, rank-00000.tsv has the collectives that it shows:
 * those of the dataset's table. All events and times are functions of the options; what the
 * recorder states about itself, such as its cost, is not.
 */
#include "make_job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const fault_names[FAULTS] = {
    "none",        "slow_gpu",   "slow_link",  "slow_input",   "late_rank",  "dead_rank",
    "mismatch",    "slow_stage", "slow_hop",   "slow_host",    "slow_group", "slow_copy",
    "slow_launch", "throttle",   "two_gpus",   "stall",        "pauses",     "checkpoint",
    "hidden",      "early_end",  "wrong_size", "slow_backward"};
static const char *const clock_names[CLOCKS] = {"good", "bad", "jump"};

struct job job = {.ranks = 8,
                  .steps = 10,
                  .layers = 4,
                  .kernels = 4,
                  .tp = 1,
                  .pp = 1,
                  .gpus = 8,
                  .seed = 1,
                  .victim = -1,
                  .missing = -1,
                  .noise = 2,
                  .ntp = -1};

/* ---- recordings ---- */

static void await_rank(void)
{
    int status = -1;
    if (wait(&status) < 0 || status != 0)
        fail("cannot write a recording");
}

/* As many at a time as there are processors. */
static void write_ranks(void)
{
    long running = 0, most = sysconf(_SC_NPROCESSORS_ONLN);
    for (long r = 0; r < job.ranks; r++) {
        if (r == job.missing)
            continue;
        if (running == most) {
            await_rank();
            running--;
        }
        pid_t child = fork();
        if (child == 0)
            record_rank(r);
        if (child < 0)
            fail("cannot begin a process");
        running++;
    }
    while (running-- > 0)
        await_rank();
}

/* ---- the truth ---- */

static void write_truth(void)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/truth.json", job.directory);
    FILE *file = fopen(path, "w");
    if (!file)
        fail("cannot write truth.json");
    fprintf(file,
            "{\"ranks\": %ld, \"steps\": %ld, \"tp\": %ld, \"pp\": %ld, \"gpus_per_host\": %ld, "
            "\"fault\": "
            "\"%s\", \"victim\": %ld, "
            "\"size\": %ld, \"clock\": \"%s\", \"missing\": %ld,\n \"hosts\": [",
            job.ranks, job.steps, job.tp, job.pp, job.gpus, fault_names[job.fault],
            job.fault == NONE ? -1 : job.victim, job.size, clock_names[job.clocks], job.missing);
    for (long host = 0; host < host_count(); host++)
        fprintf(file,
                "%s\n  {\"host\": \"node%ld\", \"offset_ns\": %lld, \"drift_ppm\": %.6f, "
                "\"jump_at_ns\": %lld}",
                host ? "," : "", host, (long long)offset_ns(host), drift_ppm(host),
                jump_at_ns(host) == NEVER ? -1LL : (long long)jump_at_ns(host));
    fprintf(file, "\n ]}\n");
    if (fclose(file) != 0)
        fail("cannot write truth.json");
}

/* ---- options ---- */

static unsigned word_in(const char *const *words, unsigned count, const char *word)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    fail("no such fault or clock");
    return 0;
}

static bool read_number(const char *name, size_t size, const char *text)
{
    static const struct {
        const char *name;
        long *value;
    } numbers[] = {{"ranks", &job.ranks},     {"steps", &job.steps},
                   {"layers", &job.layers},   {"kernels", &job.kernels},
                   {"tp", &job.tp},           {"pp", &job.pp},
                   {"dp", &job.dp},           {"microbatches", &job.microbatches},
                   {"gpus", &job.gpus},       {"seed", &job.seed},
                   {"size", &job.size},       {"victim", &job.victim},
                   {"missing", &job.missing}, {"ntp", &job.ntp},
                   {"groups", &job.groups},   {"graphs", &job.graphs},
                   {"summary", &job.summary}, {"noise", &job.noise},
                   {"host", &job.host},       {"copies", &job.copies},
                   {"eval", &job.eval},       {"warm", &job.warm},
                   {"start", &job.start}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strlen(numbers[i].name) != size || strncmp(numbers[i].name, name, size) != 0)
            continue;
        *numbers[i].value = strtol(text, NULL, 10);
        return true;
    }
    return false;
}

static void read_option(const char *word)
{
    const char *value = strchr(word, '=') + 1;
    size_t size = (size_t)(value - word) - 1;
    if (size == 5 && strncmp(word, "fault", size) == 0)
        job.fault = (enum fault)word_in(fault_names, FAULTS, value);
    else if (size == 5 && strncmp(word, "clock", size) == 0)
        job.clocks = (enum clocks)word_in(clock_names, CLOCKS, value);
    else if (!read_number(word, size, value))
        fail("no such option");
}

static void complete_options(void)
{
    if (!job.directory || job.steps < 1 || job.tp < 1 || job.pp < 1 || job.gpus < 1 || job.dp < 0)
        fail("usage: make_job [OPTION=VALUE]... DIRECTORY");
    if (job.dp)
        job.ranks = job.tp * job.dp * job.pp;
    job.dp = job.ranks / (job.tp * job.pp);
    if (job.dp < 1 || job.ranks % (job.tp * job.pp))
        fail("ranks is a multiple of tp * pp");
    if (job.graphs && (job.pp > 1 || (job.fault == MISMATCH || job.fault == WRONG_SIZE)))
        fail("graphs: all ranks do the same, without a pipeline");
    if (!job.microbatches)
        job.microbatches = job.pp > 1 ? 4 : 1;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strchr(argv[i], '='))
            read_option(argv[i]);
        else
            job.directory = argv[i];
    complete_options();
    if (mkdir(job.directory, 0777) != 0 && errno != EEXIST)
        fail("cannot make the directory");
    choose_victim();
    run_ranks(make_program());
    write_ranks();
    write_truth();
    return 0;
}
