#include "nccl_plugin.h"

#include "atomic.h"
#include "nccl_record.h"
#include "texts.h"

#include <errno.h>
#include <string.h>

bool (*nccl_plugin_takes)(void);

/* ---- communicators: a context is the number of one ---- */

/* The fields are written before `state` says used, and read after. A communicator that is finalized while another
 * thread is in a call of it is an error of the program; what is read then is wrong, but valid. */
enum { NCCL_COMM_FREE, NCCL_COMM_TAKEN, NCCL_COMM_USED };
static struct nccl_comm_slot {
    uint32_t state; /* release -> acquire */
    uint32_t epoch; /* of the recording that states it; any thread */
    uint64_t id;
    const char *name;
    int32_t nodes, ranks, rank;
} nccl_comms[NCCL_COMMS];

static void nccl_comm_fill(struct nccl_comm_slot *slot, const struct nccl_comm *comm)
{
    const struct interned_text *name =
        comm->name ? texts_intern(0, comm->name, texts_length(comm->name)) : NULL;
    store_relaxed(&slot->id, comm->id);
    store_relaxed(&slot->name, name ? name->text : NULL);
    store_relaxed(&slot->nodes, comm->nodes);
    store_relaxed(&slot->ranks, comm->ranks);
    store_relaxed(&slot->rank, comm->rank);
    store_relaxed(&slot->epoch, 0u);
    store_release(&slot->state, (uint32_t)NCCL_COMM_USED);
}

/* 0: there are too many. Its events are recorded without a communicator then. */
static uintptr_t nccl_comm_add(const struct nccl_comm *comm)
{
    for (uintptr_t i = 0; i < NCCL_COMMS; i++) {
        uint32_t expected = NCCL_COMM_FREE;
        if (__atomic_compare_exchange_n(&nccl_comms[i].state, &expected, NCCL_COMM_TAKEN, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            nccl_comm_fill(&nccl_comms[i], comm);
            return i + 1;
        }
    }
    return 0;
}

static struct nccl_comm_slot *nccl_comm_slot(const void *context)
{
    uintptr_t number = (uintptr_t)context;
    if (number == 0 || number > NCCL_COMMS ||
        load_acquire(&nccl_comms[number - 1].state) != NCCL_COMM_USED)
        return NULL;
    return &nccl_comms[number - 1];
}

/* The communicator, stated once in each recording. */
static struct nccl_comm nccl_comm_get(const void *context)
{
    struct nccl_comm_slot *slot = nccl_comm_slot(context);
    if (!slot)
        return (struct nccl_comm){0};
    struct nccl_comm comm = {load_relaxed(&slot->id), load_relaxed(&slot->name),
                             load_relaxed(&slot->nodes), load_relaxed(&slot->ranks),
                             load_relaxed(&slot->rank)};
    uint32_t epoch = nccl_record_epoch();
    if (epoch && load_relaxed(&slot->epoch) != epoch) {
        store_relaxed(&slot->epoch, epoch);
        nccl_record_comm(&comm);
    }
    return comm;
}

/* ---- events: a handle is a number ---- */

/* A call's handle is the parent of its tasks after it was stopped, and NCCL stops some events twice. */
static struct nccl_event {
    uint64_t number; /* that is known here, 0 none */
    uint32_t type;
    uint32_t depth;  /* of groups, where it or its parent is a group's event */
    uint32_t pushed; /* the recording in which it opened a range that is still open, 0 none */
    uint32_t captured;
    uint64_t owner; /* the thread that began it: nccl_self() */
} nccl_events[NCCL_EVENTS];

static uint64_t nccl_event_count;

static struct nccl_event *nccl_event_at(const void *handle)
{
    uint64_t number = (uint64_t)(uintptr_t)handle;
    struct nccl_event *event = &nccl_events[number % NCCL_EVENTS];
    return number && load_acquire(&event->number) == number ? event : NULL;
}

/* Counts how often this process was forked: a child has its parent's events, but not its open ranges. */
static uint64_t nccl_forks;

/* No two live threads have the same number, nor do a thread and its copy in a child. */
static uint64_t nccl_self(void)
{
    static __thread char here __attribute__((tls_model("initial-exec")));
    return (uint64_t)(uintptr_t)&here ^ load_relaxed(&nccl_forks) << 48;
}

static uint64_t nccl_event_next(void)
{
    return fetch_add_relaxed(&nccl_event_count, 1u) + 1;
}

static void *nccl_event_add(uint64_t number, uint32_t type, uint32_t depth, bool pushed,
                            bool captured)
{
    struct nccl_event *event = &nccl_events[number % NCCL_EVENTS];
    store_release(&event->number, 0u);
    store_relaxed(&event->type, type);
    store_relaxed(&event->depth, depth);
    store_relaxed(&event->pushed, pushed ? nccl_record_epoch() : 0);
    store_relaxed(&event->owner, nccl_self());
    store_relaxed(&event->captured, (uint32_t)captured);
    store_release(&event->number, number);
    return (void *)(uintptr_t)number;
}

/* ---- ranges that last longer than the event that opened them ---- */

/* Of each thread: one of a call outside of a group, which encloses the launch, and one of a group's launch, which
 * encloses its tasks. 0: none; else the recording in which it was opened. */
static __thread uint32_t nccl_open_call __attribute__((tls_model("initial-exec")));
static __thread uint32_t nccl_open_launch __attribute__((tls_model("initial-exec")));
/* Number of the call outside of a group that this thread is in, whoever's range it is. */
static __thread uint64_t nccl_inside __attribute__((tls_model("initial-exec")));

static void nccl_close(uint32_t *open)
{
    uint32_t epoch = *open;
    *open = 0;
    if (epoch && epoch == nccl_record_epoch())
        nccl_record_pop();
}

static void nccl_close_all(void)
{
    nccl_close(&nccl_open_launch);
    nccl_close(&nccl_open_call);
    nccl_inside = 0;
}

/* ---- descriptors ---- */

static const char *nccl_v1_text(const char *const *texts, size_t count, uint8_t value)
{
    return value < count ? texts[value] : NULL;
}
#define NCCL_V1_TEXT(texts, value) nccl_v1_text(texts, sizeof(texts) / sizeof *(texts), value)

static const char *const nccl_v1_functions[] = {
    "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce", "SendRecv", "Send", "Recv"};
static const char *const nccl_v1_types[] = {"ncclInt8",     "ncclUint8",      "ncclInt32",
                                            "ncclUint32",   "ncclInt64",      "ncclUint64",
                                            "ncclFloat16",  "ncclFloat32",    "ncclFloat64",
                                            "ncclBfloat16", "ncclFloat8e4m3", "ncclFloat8e5m2"};
static const char *const nccl_v1_algorithms[] = {
    "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT"};
static const char *const nccl_v1_protocols[] = {"LL", "LL128", "SIMPLE"};

#define NCCL_COLL(from)                                                                  \
    (struct nccl_work)                                                                   \
    {                                                                                    \
        .function = (from).function, .type = (from).type, .algorithm = (from).algorithm, \
        .protocol = (from).protocol, .count = (from).count, .sequence = (from).sequence, \
        .channels = (from).channels                                                      \
    }

static struct nccl_work nccl_coll_v1(const struct nccl_coll_v1 *coll)
{
    return (struct nccl_work){.function = NCCL_V1_TEXT(nccl_v1_functions, coll->function),
                              .type = NCCL_V1_TEXT(nccl_v1_types, coll->type),
                              .algorithm = NCCL_V1_TEXT(nccl_v1_algorithms, coll->algorithm),
                              .protocol = NCCL_V1_TEXT(nccl_v1_protocols, coll->protocol),
                              .count = coll->count,
                              .sequence = coll->sequence,
                              .channels = coll->channels};
}

static struct nccl_work nccl_coll(int version, const struct nccl_descriptor *from,
                                  struct nccl_comm *comm)
{
    if (version >= 4)
        return NCCL_COLL(from->coll_v4);
    if (from->coll_v1.comm) /* the same place in all three; NCCL from 2.26 on leaves it empty */
        *comm = (struct nccl_comm){.id = from->coll_v1.comm};
    if (version == 3)
        return NCCL_COLL(from->coll_v3);
    return version == 2 ? NCCL_COLL(from->coll_v2) : nccl_coll_v1(&from->coll_v1);
}

#define NCCL_P2P(from)                                                           \
    (struct nccl_work)                                                           \
    {                                                                            \
        .function = (from).function, .type = (from).type, .count = (from).count, \
        .sequence = NCCL_UNKNOWN, .channels = NCCL_UNKNOWN                       \
    }

static struct nccl_work nccl_p2p(int version, const struct nccl_descriptor *from,
                                 struct nccl_comm *comm)
{
    struct nccl_work work;
    if (version >= 4) {
        work = NCCL_P2P(from->p2p_v4);
        work.channels = from->p2p_v4.channels;
        return work;
    }
    if (from->p2p_v1.comm)
        *comm = (struct nccl_comm){.id = from->p2p_v1.comm};
    if (version > 1)
        return NCCL_P2P(from->p2p_v2);
    return (struct nccl_work){.function = NCCL_V1_TEXT(nccl_v1_functions, from->p2p_v1.function),
                              .type = NCCL_V1_TEXT(nccl_v1_types, from->p2p_v1.type),
                              .count = from->p2p_v1.count,
                              .sequence = NCCL_UNKNOWN,
                              .channels = NCCL_UNKNOWN};
}

static struct nccl_work nccl_ce(const struct nccl_ce_coll *coll)
{
    struct nccl_work work = NCCL_P2P(*coll);
    work.sequence = coll->sequence;
    work.algorithm = "CE";
    work.protocol = coll->sync;
    return work;
}

/* ---- starting ---- */

static void *nccl_start_group(const struct nccl_group_api *group)
{
    nccl_close_all(); /* a group that never ended */
    return nccl_event_add(nccl_event_next(), NCCL_EVENT_GROUP_API, (uint32_t)group->depth, false,
                          group->captured);
}

static void *nccl_start_call(uint32_t type, const struct nccl_comm *comm, struct nccl_work *work,
                             const void *parent)
{
    const struct nccl_event *group = nccl_event_at(parent);
    uint32_t depth = group ? load_relaxed(&group->depth) : 0;
    work->sequence = work->channels = NCCL_UNKNOWN;
    work->call = nccl_event_next();
    bool pushed = nccl_record_call(comm, work);
    if (depth == 1) {
        nccl_inside = work->call;
        nccl_open_call = pushed ? nccl_record_epoch() : 0;
    }
    return nccl_event_add(work->call, type, depth, pushed && depth != 1, work->captured);
}

static void *nccl_start_launch(const void *parent)
{
    const struct nccl_event *group = nccl_event_at(parent);
    nccl_close(&nccl_open_launch);
    if (!nccl_inside && nccl_record_launch())
        nccl_open_launch = nccl_record_epoch();
    return nccl_event_add(nccl_event_next(), NCCL_EVENT_KERNEL_LAUNCH, 0, false,
                          group && load_relaxed(&group->captured));
}

static void *nccl_start_task(uint32_t type, const struct nccl_comm *comm, struct nccl_work *work,
                             const void *parent)
{
    const struct nccl_event *call = nccl_event_at(parent);
    uint32_t parent_type = call ? load_relaxed(&call->type) : 0;
    bool pushed = false;
    if (parent_type == NCCL_EVENT_COLL_API || parent_type == NCCL_EVENT_P2P_API)
        work->call = (uint64_t)(uintptr_t)parent;
    if (work->call && work->call == nccl_inside)
        nccl_record_task_attributes(work);
    else
        pushed = nccl_record_task(comm, work);
    return nccl_event_add(nccl_event_next(), type, 0, pushed, false);
}

static void *nccl_start_any(int version, const void *context, const struct nccl_descriptor *from)
{
    uint64_t type = version < 5 ? from->head.type & 0xff : from->head.type;
    const void *parent = from->head.parent;
    if (type == NCCL_EVENT_GROUP) /* a kernel's tasks */
        return nccl_event_add(nccl_event_next(), NCCL_EVENT_GROUP, 0, false, false);
    if (version >= 5 && type == NCCL_EVENT_GROUP_API)
        return nccl_start_group(&from->group_api);
    if (version >= 5 && type == NCCL_EVENT_KERNEL_LAUNCH)
        return nccl_start_launch(parent);
    struct nccl_comm comm = nccl_comm_get(context);
    struct nccl_work work;
    if (version >= 5 && type == NCCL_EVENT_COLL_API) {
        work = NCCL_P2P(from->coll_api);
        work.captured = from->coll_api.captured;
        return nccl_start_call((uint32_t)type, &comm, &work, parent);
    }
    if (version >= 5 && type == NCCL_EVENT_P2P_API) {
        work = NCCL_P2P(from->p2p_api);
        work.captured = from->p2p_api.captured;
        return nccl_start_call((uint32_t)type, &comm, &work, parent);
    }
    if (type == NCCL_EVENT_COLL)
        work = nccl_coll(version, from, &comm);
    else if (type == NCCL_EVENT_P2P)
        work = nccl_p2p(version, from, &comm);
    else if (version >= 6 && type == NCCL_EVENT_CE_COLL)
        work = nccl_ce(&from->ce_coll);
    else
        return NULL;
    return nccl_start_task((uint32_t)type, &comm, &work, parent);
}

static int nccl_start(int version, const void *context, void **event,
                      const struct nccl_descriptor *from)
{
    if (event)
        *event = NULL;
    if (event && from && nccl_record_epoch())
        *event = nccl_start_any(version, context, from);
    return NCCL_OK;
}

/* ---- stopping ---- */

/* A range is closed by the thread that opened it, in the recording in which it was opened. */
static void nccl_stop_range(struct nccl_event *event)
{
    if (load_relaxed(&event->owner) != nccl_self())
        return;
    uint32_t epoch = exchange_acquire(&event->pushed, 0u);
    if (epoch && epoch == nccl_record_epoch())
        nccl_record_pop();
}

static void nccl_stop_known(struct nccl_event *event, uint64_t number)
{
    switch (load_relaxed(&event->type)) {
    case NCCL_EVENT_GROUP_API:
        nccl_close_all();
        break;
    case NCCL_EVENT_GROUP:
        nccl_close(&nccl_open_launch);
        break;
    case NCCL_EVENT_KERNEL_LAUNCH: /* a graph's tasks come with each replay, from CUDA's thread */
        if (load_relaxed(&event->captured))
            nccl_close(&nccl_open_launch);
        break;
    default:
        nccl_stop_range(event);
        return; /* a call stays known: it is its tasks' parent */
    }
    if (load_relaxed(&event->number) == number)
        store_release(&event->number, 0u);
}

static int nccl_stop(void *handle)
{
    struct nccl_event *event = nccl_event_at(handle);
    if (event)
        nccl_stop_known(event, (uint64_t)(uintptr_t)handle);
    return NCCL_OK;
}

/* Only events that are not asked for have states that matter. */
static int nccl_state(void *handle, int state, const void *arguments)
{
    (void)handle, (void)state, (void)arguments;
    return NCCL_OK;
}

/* ---- communicators ---- */

#define NCCL_MASK_V1 (NCCL_EVENT_COLL | NCCL_EVENT_P2P)
#define NCCL_MASK_V5                                                                  \
    (NCCL_MASK_V1 | NCCL_EVENT_GROUP_API | NCCL_EVENT_COLL_API | NCCL_EVENT_P2P_API | \
     NCCL_EVENT_KERNEL_LAUNCH)

/* The mask is one for all communicators of the process. */
static int nccl_init(int version, void **context, int *mask, const struct nccl_comm *comm)
{
    int saved_errno = errno;
    bool takes = nccl_plugin_takes && nccl_plugin_takes();
    int wanted = version < 5 ? NCCL_MASK_V1 : NCCL_MASK_V5;
    if (version >= 6)
        wanted |= NCCL_EVENT_CE_COLL;
    if (context)
        *context = takes ? (void *)nccl_comm_add(comm) : NULL;
    if (mask)
        store_relaxed(mask, takes ? wanted : 0);
    if (context && *context)
        nccl_comm_get(*context);
    errno = saved_errno;
    return NCCL_OK;
}

static int nccl_finalize(void *context)
{
    struct nccl_comm_slot *slot = nccl_comm_slot(context);
    uint32_t used = NCCL_COMM_USED; /* of two threads that finalize it, one frees it */
    if (slot)
        __atomic_compare_exchange_n(&slot->state, &used, NCCL_COMM_FREE, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
    return NCCL_OK;
}

GUEST_PATH static void nccl_fork_child(void)
{
    nccl_open_call = nccl_open_launch = 0;
    nccl_inside = 0;
    store_relaxed(&nccl_forks, load_relaxed(&nccl_forks) + 1);
}

const struct collector nccl_collector = {.name = "nccl", .fork_child = nccl_fork_child};

/* ---- the tables ---- */

#define NCCL_INIT_OLD(version)                                                  \
    static int nccl_init_v##version(void **context, int *mask)                  \
    {                                                                           \
        return nccl_init(version, context, mask, &(const struct nccl_comm){0}); \
    }
NCCL_INIT_OLD(1)
NCCL_INIT_OLD(2)
NCCL_INIT_OLD(3)

static int nccl_init_v4(void **context, int *mask, const char *name, uint64_t id, int nodes,
                        int ranks, int rank, void *log)
{
    (void)log;
    return nccl_init(4, context, mask, &(const struct nccl_comm){id, name, nodes, ranks, rank});
}

#define NCCL_INIT_NEW(version)                                                                \
    static int nccl_init_v##version(void **context, uint64_t id, int *mask, const char *name, \
                                    int nodes, int ranks, int rank, void *log)                \
    {                                                                                         \
        (void)log;                                                                            \
        return nccl_init(version, context, mask,                                              \
                         &(const struct nccl_comm){id, name, nodes, ranks, rank});            \
    }
NCCL_INIT_NEW(5)
NCCL_INIT_NEW(6)

#define NCCL_TABLE(version, member)                                      \
    static int nccl_start_v##version(void *context, void **event,        \
                                     const struct nccl_descriptor *from) \
    {                                                                    \
        return nccl_start(version, context, event, from);                \
    }                                                                    \
    const struct nccl_plugin ncclProfiler_v##version = {                 \
        .name = "libprof",                                               \
        .init.member = nccl_init_v##version,                             \
        .start = nccl_start_v##version,                                  \
        .stop = nccl_stop,                                               \
        .state = nccl_state,                                             \
        .finalize = nccl_finalize,                                       \
    };
NCCL_TABLE(1, v1)
NCCL_TABLE(2, v1)
NCCL_TABLE(3, v1)
NCCL_TABLE(4, v4)
NCCL_TABLE(5, v5)
NCCL_TABLE(6, v5)
