/* hang_ranks.h - what each process of a job was doing when its recording ended, and which of them
 * the others wait for. */
#ifndef PROF_HANG_RANKS_H
#define PROF_HANG_RANKS_H

#include "array.h"
#include "hang_locks.h"
#include "timeline.h"

/* A collective that a process entered: a range of NCCL's NVTX domain. */
struct hang_collective {
    uint64_t communicator;
    uint64_t bytes;
    uint32_t number; /* of its communicator in its process, from 1 */
    uint32_t name;
    bool open; /* the range, or what it launched, has not ended */
};

enum hang_process_state {
    HANG_ENDED,   /* the recorder finished */
    HANG_UNKNOWN, /* of another host */
    HANG_GONE,    /* there is no such process: it was killed */
    HANG_PAUSED,  /* by SIGSTOP or a debugger */
    HANG_RUNNING,
};

struct hang_rank {
    const struct tl_process *process;
    uint32_t index;  /* of the process */
    int32_t rank;    /* -1 unknown */
    int64_t last_ns; /* when something last began or ended */
    enum hang_process_state state;
    uint32_t open_slice; /* innermost open range or call of the thread with the most, TL_NONE */
    TL_ARRAY(struct hang_collective) collectives; /* in the order in which they were entered */
    uint32_t *in_order;  /* of the collectives, by communicator and number */
    uint32_t stuck_call; /* the earliest call whose operations have not been delivered, TL_NONE */
    uint32_t stuck_stream;
    uint64_t device_bytes;   /* of recorded allocations that were not freed */
    bool has_events;         /* of its own threads */
    bool is_at_start;        /* as PROF_HANG wrote. The caller's, before hang_ranks_judge() */
    uint64_t resident_bytes; /* of the process when it hung; 0 unknown. The caller's */
    char *text; /* PROF_HANG's report; NULL: no hang, or none that persists. Set by the caller,
                              * freed by hang_ranks_fini() */
    struct hang_locks locks; /* of the text. Set by the caller */
    uint32_t group;          /* index of the first rank that does the same */
};

/* The collective that it entered last; NULL: none. */
static inline const struct hang_collective *hang_rank_last(const struct hang_rank *rank)
{
    return rank->collectives.count ? &rank->collectives.at[rank->collectives.count - 1] : NULL;
}

static inline bool hang_rank_is_deadlocked(const struct hang_rank *rank)
{
    return rank->locks.deadlocks && rank->state != HANG_ENDED;
}

enum hang_kind {
    HANG_MISSING,  /* has not entered a collective that others wait in */
    HANG_OTHER,    /* entered another one */
    HANG_LOST,     /* no file of this rank, or its process is gone */
    HANG_STOPPED,  /* its process is stopped */
    HANG_DEADLOCK, /* its threads wait for each other's mutexes */
    HANG_DEVICE,   /* an operation of a device does not end */
    HANG_OPEN,     /* is in a range; cause unknown */
    HANG_START,    /* has recorded nothing since it began, and PROF_HANG found it standing still */
};

struct hang_verdict {
    enum hang_kind kind;
    int32_t rank;
    uint32_t at;                                      /* into ranks; TL_NONE: there is no file */
    const struct hang_collective *entered, *expected; /* NULL */
};

struct hang_ranks {
    const struct timeline *timeline;
    struct hang_rank *at;
    uint32_t count;
    struct hang_verdict *verdicts;
    uint32_t verdict_count;
    uint32_t first; /* the rank whose last event is the earliest */
    int32_t world;  /* -1 unknown */
};

/* False: no memory; fini is needed then, too. */
bool hang_ranks_init(struct hang_ranks *ranks, const struct timeline *timeline);

/* Finds the verdicts. */
void hang_ranks_judge(struct hang_ranks *ranks);
void hang_ranks_fini(struct hang_ranks *ranks);

/* A sentence if the files are not of one job; NULL: they can be. */
const char *hang_ranks_mixed(const struct hang_ranks *ranks);

/* Marks ranks that do the same: the same state, open ranges and `stacks`. */
void hang_ranks_group(struct hang_ranks *ranks, char *const *stacks);

#endif
