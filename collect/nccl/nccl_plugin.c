#include "nccl_plugin.h"

#include "atomic.h"
#include "config.h"
#include "labels.h"
#include "memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool (*nccl_plugin_takes)(void) GUEST_DATA;

/* ---- communicators: a context is the number of one ---- */

/* The fields are written before `state` says used, and read after. A communicator that is finalized
 * while another thread is in a call of it is an error of the program; what is read then is wrong,
 * but valid. */
enum { NCCL_COMM_FREE, NCCL_COMM_TAKEN, NCCL_COMM_USED };
struct nccl_comm_slot {
    uint32_t state; /* release -> acquire */
    uint32_t epoch; /* of the recording that states it; any thread */
    uint64_t id;
    const char *name;
    int32_t nodes, ranks, rank;
};

static struct nccl_comm_slot *nccl_comms; /* memory_once() */

static void nccl_comm_fill(struct nccl_comm_slot *slot, const struct nccl_comm *comm)
{
    const struct interned_text *name =
        comm->name ? texts_intern(0, comm->name, strlen(comm->name)) : NULL;
    store_relaxed(&slot->id, comm->id);
    store_relaxed(&slot->name, name ? name->text : NULL);
    store_relaxed(&slot->nodes, comm->nodes);
    store_relaxed(&slot->ranks, comm->ranks);
    store_relaxed(&slot->rank, comm->rank);
    store_relaxed(&slot->epoch, 0u);
    store_release(&slot->state, (uint32_t)NCCL_COMM_USED);
}

/* 0: there are too many, or there is no memory. Its events are recorded without a communicator
 * then. */
static uintptr_t nccl_comm_add(const struct nccl_comm *comm)
{
    if (!MEMORY_ONCE(&nccl_comms, NCCL_COMMS))
        return 0;
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
    if (number == 0 || number > NCCL_COMMS || !load_acquire(&nccl_comms) ||
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

/* ---- events: a handle is all that is known of one ---- */

/* NCCL uses the handle of a call after the call was stopped, and stops some events twice. So there
 * is nothing to look up, nor to run out of: the bits say what the event is, and its number. */
enum nccl_event_kind {
    NCCL_HANDLE_GROUP = 1, /* of calls */
    NCCL_HANDLE_CALL,
    NCCL_HANDLE_LAUNCH,
    NCCL_HANDLE_PLAN,  /* a kernel's tasks */
    NCCL_HANDLE_TASK,  /* its number is its call's, 0 unknown */
    NCCL_HANDLE_RANGE, /* of a proxy: its number is the range's id */
};
#define NCCL_HANDLE_KIND 7u
#define NCCL_HANDLE_SINGLE 8u    /* a group of one call, and that call */
#define NCCL_HANDLE_CAPTURED 16u /* into a CUDA graph */
#define NCCL_HANDLE_BITS 5

static uint64_t nccl_event_count;

static uint64_t nccl_next(void)
{
    return fetch_add_relaxed(&nccl_event_count, 1u) + 1;
}

static uint64_t nccl_handle(enum nccl_event_kind kind, uint64_t flags, uint64_t number)
{
    return (uint64_t)kind | flags | number << NCCL_HANDLE_BITS;
}

/* The bits of a handle of that kind; 0: it is not one. */
static uint64_t nccl_handle_of(const void *handle, enum nccl_event_kind kind)
{
    uint64_t bits = (uint64_t)(uintptr_t)handle;
    return (bits & NCCL_HANDLE_KIND) == (uint64_t)kind ? bits : 0;
}

static uint64_t nccl_number(uint64_t bits)
{
    return bits >> NCCL_HANDLE_BITS;
}

/* ---- open ranges of the thread ---- */

/* Only the thread that opened a range closes it, in the recording in which it was opened. A call's
 * range ends with the call; that of a single call encloses the launch, and ends with its group. A
 * group's launch encloses its tasks. */
struct nccl_open {
    uint64_t handle;
    uint32_t epoch; /* of the recording, 0: none is open */
};
static __thread struct nccl_open nccl_open_call __attribute__((tls_model("initial-exec")));
static __thread struct nccl_open nccl_open_launch __attribute__((tls_model("initial-exec")));
/* Number of the single call that this thread is in, whichever range shows it. */
static __thread uint64_t nccl_inside __attribute__((tls_model("initial-exec")));

static void nccl_opened(struct nccl_open *open, uint64_t handle, bool pushed)
{
    *open = (struct nccl_open){handle, pushed ? nccl_record_epoch() : 0};
}

static void nccl_close(struct nccl_open *open)
{
    uint32_t epoch = open->epoch;
    *open = (struct nccl_open){0};
    if (epoch && epoch == nccl_record_epoch())
        nccl_record_pop();
}

static void nccl_close_all(void)
{
    nccl_close(&nccl_open_launch);
    nccl_close(&nccl_open_call);
    nccl_inside = 0;
}

/* ---- starting ---- */

static uint64_t nccl_start_group(const struct nccl_group_api *group)
{
    nccl_close_all(); /* a group that never ended */
    return nccl_handle(NCCL_HANDLE_GROUP,
                       (group->depth == 1 ? NCCL_HANDLE_SINGLE : 0) |
                           (group->captured ? NCCL_HANDLE_CAPTURED : 0),
                       nccl_next());
}

static uint64_t nccl_start_call(const struct nccl_comm *comm, struct nccl_work *work,
                                const void *parent)
{
    uint64_t group = nccl_handle_of(parent, NCCL_HANDLE_GROUP), single = group & NCCL_HANDLE_SINGLE;
    nccl_close(&nccl_open_call);
    work->call = nccl_next();
    work->group = single ? 0 : nccl_number(group);
    bool pushed = nccl_record_call(comm, work);
    uint64_t handle = nccl_handle(NCCL_HANDLE_CALL,
                                  single | (work->captured ? NCCL_HANDLE_CAPTURED : 0), work->call);
    nccl_opened(&nccl_open_call, handle, pushed);
    if (single)
        nccl_inside = work->call;
    return handle;
}

static uint64_t nccl_start_launch(const void *parent)
{
    uint64_t group = nccl_handle_of(parent, NCCL_HANDLE_GROUP);
    uint64_t handle =
        nccl_handle(NCCL_HANDLE_LAUNCH, group & NCCL_HANDLE_CAPTURED, nccl_number(group));
    nccl_close(&nccl_open_launch);
    if (!nccl_inside)
        nccl_opened(&nccl_open_launch, handle, nccl_record_launch(nccl_number(group)));
    return handle;
}

/* A captured call's tasks come with each replay of its graph, from a thread of CUDA's. NCCL does
 * not count them: the sequence number that they have is the next counted call's. */
static uint64_t nccl_start_task(const struct nccl_comm *comm, struct nccl_work *work,
                                const void *parent)
{
    uint64_t call = nccl_handle_of(parent, NCCL_HANDLE_CALL);
    work->call = nccl_number(call);
    work->captured = call & NCCL_HANDLE_CAPTURED;
    if (work->captured)
        work->sequence = NCCL_UNKNOWN;
    if (work->call && work->call == nccl_inside)
        nccl_record_task_attributes(work);
    else
        nccl_record_task(comm, work);
    return nccl_handle(NCCL_HANDLE_TASK, 0, work->call);
}

/* ---- proxies: threads of NCCL's that talk to the network, on request ---- */

static uint64_t nccl_start_proxy_op(const struct nccl_proxy_op *op, const void *parent)
{
    uint64_t task = op->pid == getpid() ? nccl_handle_of(parent, NCCL_HANDLE_TASK) : 0;
    return nccl_record_proxy_op(&(const struct nccl_transfer){.sends = op->sends,
                                                              .peer = op->peer,
                                                              .channel = op->channel,
                                                              .steps = op->steps,
                                                              .chunk_bytes = op->chunk_bytes,
                                                              .call = nccl_number(task)});
}

static uint64_t nccl_start_proxy(uint64_t type, const struct nccl_descriptor *from)
{
    uint64_t operation = nccl_handle_of(from->head.parent, NCCL_HANDLE_RANGE);
    uint64_t range = type == NCCL_EVENT_PROXY_OP
                         ? nccl_start_proxy_op(&from->proxy_op, from->head.parent)
                         : nccl_record_proxy_step(nccl_number(operation), from->proxy_step.step);
    return range ? nccl_handle(NCCL_HANDLE_RANGE, 0, range) : 0;
}

/* ---- all events ---- */

static uint64_t nccl_start_work(int version, const void *context,
                                const struct nccl_descriptor *from)
{
    struct nccl_comm comm = nccl_comm_get(context);
    struct nccl_work work = {0};
    switch (nccl_read(version, from, &work, &comm)) {
    case NCCL_KIND_CALL:
        return nccl_start_call(&comm, &work, from->head.parent);
    case NCCL_KIND_TASK:
        return nccl_start_task(&comm, &work, from->head.parent);
    default:
        return 0;
    }
}

static uint64_t nccl_start_any(int version, const void *context, const struct nccl_descriptor *from)
{
    uint64_t type = nccl_type(version, from);
    if (type == NCCL_EVENT_PROXY_OP || type == NCCL_EVENT_PROXY_STEP)
        return nccl_start_proxy(type, from);
    if (type == NCCL_EVENT_GROUP)
        return nccl_handle(NCCL_HANDLE_PLAN, 0, nccl_next());
    if (version >= 5 && type == NCCL_EVENT_GROUP_API)
        return nccl_start_group(&from->group_api);
    if (version >= 5 && type == NCCL_EVENT_KERNEL_LAUNCH)
        return nccl_start_launch(from->head.parent);
    return nccl_start_work(version, context, from);
}

static int nccl_start(int version, const void *context, void **event,
                      const struct nccl_descriptor *from)
{
    if (event)
        *event = NULL;
    if (event && from && nccl_record_epoch())
        *event = (void *)(uintptr_t)nccl_start_any(version, context, from);
    return NCCL_OK;
}

static int nccl_stop(void *event)
{
    uint64_t handle = (uint64_t)(uintptr_t)event;
    switch (handle & NCCL_HANDLE_KIND) {
    case NCCL_HANDLE_GROUP:
        nccl_close_all();
        break;
    case NCCL_HANDLE_CALL:
        if (!(handle & NCCL_HANDLE_SINGLE) && nccl_open_call.handle == handle)
            nccl_close(&nccl_open_call);
        break;
    case NCCL_HANDLE_LAUNCH:
        if (handle & NCCL_HANDLE_CAPTURED) /* its tasks come later */
            nccl_close(&nccl_open_launch);
        break;
    case NCCL_HANDLE_PLAN:
        nccl_close(&nccl_open_launch);
        break;
    case NCCL_HANDLE_RANGE:
        nccl_record_proxy_end(nccl_number(handle));
        break;
    default: /* a task's range has no length */
        break;
    }
    return NCCL_OK;
}

static int nccl_state_none(void *event, int state, const struct nccl_state_arguments *arguments)
{
    (void)event, (void)state, (void)arguments;
    return NCCL_OK;
}

static int nccl_state(void *event, int state, const struct nccl_state_arguments *arguments)
{
    uint64_t range = nccl_handle_of(event, NCCL_HANDLE_RANGE);
    if (range && arguments && (state == NCCL_STATE_SENDING || state == NCCL_STATE_RECEIVED))
        nccl_record_proxy_bytes(nccl_number(range), arguments->transfer_bytes);
    return NCCL_OK;
}

/* ---- communicators ---- */

/* Events of kernel channels are not requested: NCCL starts proxies for collectives that need none
 * then. */
static int nccl_mask(int version)
{
    int mask = NCCL_EVENT_COLL | NCCL_EVENT_P2P;
    if (version >= 5)
        mask |= NCCL_EVENT_GROUP_API | NCCL_EVENT_COLL_API | NCCL_EVENT_P2P_API |
                NCCL_EVENT_KERNEL_LAUNCH;
    if (version >= 6)
        mask |= NCCL_EVENT_CE_COLL;
    if (config_get()->nccl >= CONFIG_NCCL_PROXY)
        mask |= NCCL_EVENT_PROXY_OP;
    if (config_get()->nccl >= CONFIG_NCCL_STEPS)
        mask |= NCCL_EVENT_PROXY_STEP;
    return mask;
}

/* The mask is one for all communicators of the process. */
static int nccl_init(int version, void **context, int *mask, const struct nccl_comm *comm)
{
    int saved_errno = errno;
    bool takes = nccl_plugin_takes && nccl_plugin_takes();
    if (context)
        *context = takes ? (void *)nccl_comm_add(comm) : NULL;
    if (mask)
        store_relaxed(mask, takes ? nccl_mask(version) : 0);
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
    nccl_open_call = nccl_open_launch = (struct nccl_open){0};
    nccl_inside = 0;
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

#define NCCL_TABLE(version, member, states)                              \
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
        .state = states,                                                 \
        .finalize = nccl_finalize,                                       \
    };
NCCL_TABLE(1, v1, nccl_state_none)
NCCL_TABLE(2, v1, nccl_state_none)
NCCL_TABLE(3, v1, nccl_state_none)
NCCL_TABLE(4, v4, nccl_state)
NCCL_TABLE(5, v5, nccl_state)
NCCL_TABLE(6, v5, nccl_state)
