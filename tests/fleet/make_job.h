/* make_job.h - the parts of make_job: the job and what every rank does in it (job_program.c), and a rank that does it
 * (job_rank.c). Times are nanoseconds of true time since the beginning of the job; NEVER: it does not happen.
 */
#ifndef MAKE_JOB_H
#define MAKE_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEVER INT64_MAX
#define MS INT64_C(1000000)
#define US INT64_C(1000)

enum fault {
    NONE,
    SLOW_GPU,
    SLOW_LINK,
    SLOW_INPUT,
    LATE_RANK,
    DEAD_RANK,
    MISMATCH,
    SLOW_STAGE,
    SLOW_HOP,
    SLOW_HOST,  /* all GPUs of a host */
    SLOW_GROUP, /* the links of one tensor-parallel group */
    SLOW_COPY,
    SLOW_LAUNCH, /* host code outside of ranges */
    THROTTLE,    /* a slow GPU in the last half */
    TWO_GPUS,
    STALL,      /* once */
    PAUSES,     /* all ranks, each when it likes */
    CHECKPOINT, /* one rank, every ten steps */
    HIDDEN,     /* work that nobody waits for */
    EARLY_END,
    WRONG_SIZE,
    SLOW_BACKWARD, /* host code in a range of the backward pass */
    FAULTS
};
enum clocks { CLOCK_GOOD, CLOCK_BAD, CLOCK_JUMP, CLOCKS };

struct job {
    long ranks, steps, layers, kernels, tp, pp, dp, microbatches, gpus, seed, victim, size, missing,
        ntp, groups, graphs, summary, noise, host, copies, eval, warm, start;
    enum fault fault;
    enum clocks clocks;
    const char *directory;
};
extern struct job job;

/* What ranks do, in order. Pipeline stage s has the ranks from s * tp * dp on. */
enum op_kind {
    OP_STEP,
    OP_PUSH,
    OP_POP,
    OP_INPUT,
    OP_KERNEL,
    OP_TP,
    OP_DP,
    OP_HOP,
    OP_NORM,
    OP_JOIN,
    OP_SYNC,
    OP_CAPTURE,     /* what follows is captured into a CUDA graph ... */
    OP_INSTANTIATE, /* ... until here */
    OP_LAUNCH_GRAPH,
    OP_COPY,
    OP_HOST, /* host code that launches nothing */
    OP_EXTRA /* a kernel of the victim's alone */
};
enum phase { RUNS, CAPTURED, REPLAYED };
struct op {
    enum op_kind kind;
    uint32_t step;
    uint32_t which; /* kernel or range: its name; collective: its number */
    int16_t stage;  /* whose ranks do it; -1: all. A hop: the sender's */
    int16_t to;     /* of a hop: the receiver's stage */
    uint16_t calls; /* of NCCL's, that share a kernel: more than one are a group */
    enum phase phase;
    uint32_t node; /* its number in the graph, from 1; 0: it is in none */
};
extern struct op *ops;
extern size_t op_count;

enum { FORWARD_GEMM, BACKWARD_GEMM, ELEMENTWISE, ADAM, KERNEL_NAMES };
enum {
    INPUT_RANGE,
    FORWARD_RANGE,
    BACKWARD_RANGE,
    OPTIMIZER_RANGE,
    GC_RANGE,
    CHECKPOINT_RANGE,
    SCALE_RANGE,
    NO_RANGE
};

/* ---- job_program.c ---- */

void fail(const char *what);
void *allocate(size_t count, size_t bytes);

/* From 0 up to 1: chance, the same for everyone who asks the same. */
double chance(uint64_t what, uint64_t a, uint64_t b);

/* Fills `ops`; returns how many collectives there are. */
uint32_t make_program(void);

/* Chooses the victim and the size where the options left that open. */
void choose_victim(void);

long host_of(long rank);
long host_count(void);
bool takes_part(const struct op *op, long rank);
bool is_nccl(const struct op *op);
/* One that runs when the program comes there: it is not being captured. Of collectives and of sends and receives (hops) alike: */
bool is_collective(const struct op *op);
/* The first rank of the group that does it together; it names the group. */
long leader_of(const struct op *op, long rank);
uint64_t communicator_of(const struct op *op, long rank);
uint64_t bytes_of(const struct op *op); /* of each call */
uint32_t graph_nodes(void);             /* that a graph has */
/* From the last rank's entering to the end. */
int64_t transfer_ns(const struct op *op, long rank);

int64_t input_ns(long rank, uint32_t step);
int64_t kernel_ns(long rank, size_t index);
int64_t copy_ns(long rank, uint32_t step);
/* Of host code in that range. */
int64_t host_ns(long rank, const struct op *op);
bool has_extra(long rank);
/* Whether the rank does not do this any more. */
bool is_dead(const struct op *op, long rank);
/* Whether its program has ended, as it should not have. */
bool has_ended(const struct op *op, long rank);
/* Whether it calls something else here. */
bool is_mismatched(const struct op *op, long rank);

/* What the clock of a rank's host shows, 0 at the beginning of the job; and what it is made of. */
int64_t clock_of(long rank, int64_t true_ns);
double drift_ppm(long host);
int64_t offset_ns(long host);
int64_t jump_at_ns(long host);

/* ---- job_rank.c ---- */

/* The first pass: computes when each of so many collectives ends. */
void run_ranks(uint32_t collectives);

/* The second pass: records one rank, and ends the process. */
void record_rank(long number);

#endif
