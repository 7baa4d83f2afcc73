/* recording.h - one recording: what its names are, which processes are of which rank, and which
 * step a moment is in. */
#ifndef PROF_RECORDING_H
#define PROF_RECORDING_H

#include "fleet_rows.h"
#include "rows.h"
#include "slice_sums.h"

/* By name, and one more: of what has no name. */
struct name_facts {
    int64_t id;        /* 63 bits of the MD5 */
    bool used;         /* it has a row in `names` */
    bool communicates; /* it begins as kernels of NCCL, RCCL ... do */
};

struct step {
    int64_t start_ns, end_ns;
    int32_t number;
    uint64_t tid;
    uint32_t sums; /* place among the unit's distinct numbers */
};

/* Processes of one rank. */
struct unit {
    int32_t rank;
    bool known;
    TL_ARRAY(struct step) steps; /* by start */
    TL_ARRAY(int32_t) numbers;   /* distinct ones of the steps, ascending */
    uint32_t hint;               /* the step that was found last */
    struct step_parts *parts;    /* step_parts.h; NULL: not found yet */
};

/* Attributes of NCCL's ranges, from its NVTX payloads and from its profiler plugin. */
enum nccl_key {
    NCCL_COMMUNICATOR,
    NCCL_BYTES,
    NCCL_CALL,
    NCCL_COUNTED,
    NCCL_ALGORITHM,
    NCCL_PROTOCOL,
    NCCL_CHANNELS,
    NCCL_TYPE,
    NCCL_GROUP,
    NCCL_CAPTURED,
    NCCL_PEER,
    NCCL_RANK,
    TORCH_FUNCTION, /* from here on: attributes of PyTorch's record_param_comms */
    TORCH_GROUP,
    TORCH_GROUP_RANKS,
    TORCH_SEQUENCE,
    TORCH_TYPE,
    TORCH_IN,
    TORCH_OUT,
    NCCL_KEYS
};

struct recording {
    const struct timeline *timeline;
    struct fleet_source source;
    char *file, *identity;
    int64_t id;         /* hash of the identity */
    int32_t named_rank; /* from the file's name; -1: it has none, or the recording states one */
    struct name_facts *names; /* one more than the timeline has */
    /* Names of attributes: NCCL's, and a call stack as text. TL_NONE: nothing has them. */
    uint32_t nccl_keys[NCCL_KEYS], stack_key;
    TL_ARRAY(struct unit) units;
    uint32_t *unit_of; /* by process */
    int64_t *ends;     /* by slice: of a call that was cut, its last segment's */
};

/* False: no memory; fini is needed all the same. */
bool recording_init(struct recording *recording, const struct fleet_source *source);
void recording_fini(struct recording *recording);

/* Two processes that ran at the same time, whose files' names give them the same rank: the number
 * is not a rank. Their ranks become unknown. False: it is no such pair. */
bool recordings_share_name_rank(struct recording *one, struct recording *other);

/* ---- names ---- */

/* A place in recording.names. */
static inline uint32_t name_place(const struct recording *recording, uint32_t name)
{
    uint32_t count = recording->timeline->names.count;
    return name < count ? name : count;
}

static inline int64_t name_id(const struct recording *recording, uint32_t name)
{
    return recording->names[name_place(recording, name)].id;
}

/* Of a place, as it is in the timeline. */
struct text name_text(const struct recording *recording, uint32_t place);

/* The id of a text, mended if it is not UTF-8. 0: no memory. */
int64_t content_id(struct text text);

static inline uint32_t slice_name(const struct timeline *timeline, const struct tl_slice *slice)
{
    return tl_shown_name(timeline, slice->name, tl_slice_label(slice));
}

/* ---- whose, and when ---- */

static inline struct unit *unit_of_process(const struct recording *recording, uint32_t process)
{
    return &recording->units.at[recording->unit_of[process]];
}

static inline struct unit *unit_of_thread(const struct recording *recording, uint32_t thread)
{
    return unit_of_process(recording, recording->timeline->threads.at[thread].process);
}

/* The last step that began by then, if it has not ended; NULL: none. */
const struct step *step_search(struct unit *unit, int64_t ns);

static inline const struct step *step_at(struct unit *unit, int64_t ns)
{
    uint32_t hint = unit->hint, count = unit->steps.count;
    const struct step *step = &unit->steps.at[hint];
    if (hint < count && step->start_ns <= ns && (hint + 1 == count || step[1].start_ns > ns))
        return ns < step->end_ns ? step : NULL;
    return step_search(unit, ns);
}

static inline int64_t since_epoch(const struct recording *recording, int64_t ns)
{
    return (int64_t)recording->timeline->base_realtime_ns + ns;
}

/* ---- operations ---- */

static inline bool is_copy(const struct tl_gpu *gpu)
{
    return gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET;
}

static inline enum work_class class_of(const struct recording *recording, const struct tl_gpu *gpu)
{
    if (is_copy(gpu))
        return WORK_MEMORY;
    return recording->names[name_place(recording, gpu->name)].communicates ? WORK_COMMUNICATION
                                                                           : WORK_COMPUTE;
}

/* Whether the slice is a row of its own: shown, and not a later segment of a call that was cut. */
static inline bool recording_counts(const struct recording *recording, const struct tl_slice *slice)
{
    return !(slice->flags & TL_CONTINUED) && slice_is_shown(recording->timeline, slice);
}

/* The slice, or the innermost one around it, that outputs show; TL_NONE: none. */
static inline uint32_t shown_around(const struct timeline *timeline, uint32_t slice)
{
    unsigned calls = 0;
    while (slice != TL_NONE && !slice_is_shown(timeline, &timeline->slices.at[slice]))
        slice = calls++ < TL_CALLS_AROUND_MAX ? timeline->slices.at[slice].parent : TL_NONE;
    return slice;
}

/* What launched it; NULL: unknown. */
static inline const struct tl_slice *launch_of(const struct timeline *timeline,
                                               const struct tl_gpu *gpu)
{
    uint32_t slice = shown_around(timeline, gpu->slice);
    return slice == TL_NONE ? NULL : &timeline->slices.at[slice];
}

/* The step in which it was launched. */
static inline const struct step *step_of_operation(const struct recording *recording,
                                                   const struct tl_gpu *gpu)
{
    const struct tl_slice *launch = launch_of(recording->timeline, gpu);
    return step_at(unit_of_process(recording, gpu->process),
                   launch ? launch->start_ns : gpu->start_ns);
}

#endif
