/* nccl_record.c - what NCCL does, as ranges: see nccl_plugin.h. */
#include "annotate.h"
#include "atomic.h"
#include "labels.h"
#include "nccl_plugin.h"
#include "registry.h"

#include <errno.h>
#include <string.h>

#define NCCL_NAME_BYTES 64u /* with a prefix of at most 16 */
#define NCCL_FUNCTION_BYTES 48u

static const struct domain *nccl_domain; /* released by the first thread; all find the same */
/* NCCL's own NVTX ranges are recorded; stored by the thread that finds out first. */
static bool nccl_annotated;

/* NCCL makes the domain in its first call, before it loads a profiler. */
static uint32_t nccl_domain_number(void)
{
    const struct domain *domain = load_acquire(&nccl_domain);
    if (!domain) {
        bool others;
        domain = registry_domain_claim("NCCL", strlen("NCCL"), &others);
        if (others)
            store_relaxed(&nccl_annotated, true);
        store_release(&nccl_domain, domain);
    }
    return registry_number(domain);
}

/* Whether the thread is in one of NCCL's NVTX ranges. They are of the same domain; what is pushed
 * here is not counted in the depth. */
static bool nccl_in_nvtx(void)
{
    uint32_t domain = nccl_domain_number();
    const struct label_thread *thread = label_thread_self;
    bool inside = thread && thread->depth[domain] > 0;
    if (inside && !load_relaxed(&nccl_annotated))
        store_relaxed(&nccl_annotated, true);
    return inside;
}

uint32_t nccl_record_epoch(void)
{
    return thread_gate_epoch(load_relaxed(&thread_gate));
}

/* ---- attributes ---- */

static void nccl_number_of(uint64_t target, const char *key, uint64_t value)
{
    attrs_write(target, key, &(struct attr_value){.type = PROF_ATTR_UINT, .bits = value});
}

static void nccl_number(const char *key, uint64_t value)
{
    nccl_number_of(ATTRS_OF_RANGE, key, value);
}

static void nccl_text(const char *key, const char *text)
{
    if (text && *text)
        attrs_write(
            ATTRS_OF_RANGE, key,
            &(struct attr_value){.type = PROF_ATTR_STRING, .text = text, .bytes = strlen(text)});
}

static uint64_t nccl_type_bytes(const char *type)
{
    static const struct {
        const char *name;
        uint8_t bytes;
    } types[] = {
        /* the most used first */
        {"ncclFloat32", 4},    {"ncclBfloat16", 2}, {"ncclFloat16", 2}, {"ncclFloat8e4m3", 1},
        {"ncclFloat8e5m2", 1}, {"ncclFloat64", 8},  {"ncclInt8", 1},    {"ncclUint8", 1},
        {"ncclInt32", 4},      {"ncclUint32", 4},   {"ncclInt64", 8},   {"ncclUint64", 8},
    };
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0)
            return types[i].bytes;
    return 0;
}

/* As NCCL's NVTX ranges do. */
static void nccl_size(const struct nccl_comm *comm, const struct nccl_work *work)
{
    uint64_t unit = nccl_type_bytes(work->type), bytes;
    if (comm->id)
        nccl_number("NCCL communicator ID", comm->id);
    if (unit && !__builtin_mul_overflow(work->count, unit, &bytes))
        nccl_number("Message size [bytes]", bytes);
}

static void nccl_details(const struct nccl_work *work)
{
    nccl_text("Data type", work->type);
    if (work->captured)
        nccl_number("Graph captured", 1);
    if (work->call)
        nccl_number("NCCL call", work->call);
    if (work->group)
        nccl_number("NCCL group", work->group);
}

static void nccl_task_details(const struct nccl_work *work)
{
    if (work->sequence != NCCL_UNKNOWN)
        nccl_number("NCCL sequence number", work->sequence);
    nccl_text("Algorithm", work->algorithm);
    nccl_text("Protocol", work->protocol);
    if (work->channels != NCCL_UNKNOWN)
        nccl_number("Channels", work->channels);
    if (work->peer != NCCL_UNKNOWN)
        nccl_number("Peer rank", work->peer);
}

/* ---- ranges ---- */

/* False: nothing is recorded. */
static bool nccl_begin(enum labelled_kind kind, const char *prefix, const char *name,
                       uint64_t *begun)
{
    char text[NCCL_NAME_BYTES];
    struct labelled_name named = {0};
    *begun = 0;
    if (!thread_ready(&thread_self))
        return false;
    size_t bytes = strlen(prefix), more = name ? strnlen(name, NCCL_FUNCTION_BYTES) : 0;
    memcpy(text, prefix, bytes); /* snprintf() took a fifth of a collective's time */
    if (more)
        memcpy(text + bytes, name, more);
    labelled_read_n(&named, text, bytes + more);
    const struct label *label =
        labelled_label(&(struct label){.name = named.name, .domain = nccl_domain_number()});
    if (!label)
        return false;
    labelled_record(kind, (uint32_t)label->id, begun);
    return true;
}

static bool nccl_push(const char *prefix, const char *name)
{
    uint64_t begun;
    return nccl_begin(LABELLED_PUSH, prefix, name, &begun);
}

void nccl_record_pop(void)
{
    int saved_errno = errno;
    if (thread_ready(&thread_self))
        thread_event(&thread_self, PROF_KIND_NVTX_POP, nccl_domain_number());
    errno = saved_errno;
}

void nccl_record_comm(const struct nccl_comm *comm)
{
    int saved_errno = errno;
    if (comm->ranks && nccl_push("nccl", "CommInit")) {
        nccl_number("NCCL communicator ID", comm->id);
        nccl_number("No. of ranks", (uint64_t)comm->ranks);
        nccl_number("Rank", (uint64_t)comm->rank);
        nccl_number("No. of nodes", (uint64_t)comm->nodes);
        nccl_text("Communicator name", comm->name);
        nccl_record_pop();
    }
    errno = saved_errno;
}

bool nccl_record_call(const struct nccl_comm *comm, const struct nccl_work *work)
{
    int saved_errno = errno;
    bool annotated = nccl_in_nvtx();
    bool pushed = !annotated && nccl_push("nccl", work->function);
    if (pushed)
        nccl_size(comm, work);
    if (pushed || (annotated && thread_ready(&thread_self)))
        nccl_details(work);
    errno = saved_errno;
    return pushed;
}

void nccl_record_task_attributes(const struct nccl_work *work)
{
    int saved_errno = errno;
    if (thread_ready(&thread_self))
        nccl_task_details(work);
    errno = saved_errno;
}

void nccl_record_task(const struct nccl_comm *comm, const struct nccl_work *work)
{
    int saved_errno = errno;
    /* A range with a communicator is a collective. Its call has one where calls are reported, and
     * NVTX's range has. */
    bool alone = !work->call && !nccl_in_nvtx() && !load_relaxed(&nccl_annotated);
    if (nccl_push(alone ? "nccl" : "NCCL task ", work->function)) {
        if (alone)
            nccl_size(comm, work);
        nccl_details(work);
        nccl_task_details(work);
        nccl_record_pop();
    }
    errno = saved_errno;
}

bool nccl_record_launch(uint64_t group)
{
    int saved_errno = errno;
    bool pushed = nccl_push("NCCL ", "launch");
    if (pushed && group)
        nccl_number("NCCL group", group);
    errno = saved_errno;
    return pushed;
}

/* ---- proxies ---- */

uint64_t nccl_record_proxy_op(const struct nccl_transfer *transfer)
{
    int saved_errno = errno;
    uint64_t range;
    if (nccl_begin(LABELLED_BEGIN, "NCCL proxy ", transfer->sends ? "send" : "receive", &range) &&
        range) {
        nccl_number_of(range, "Peer", (uint64_t)transfer->peer);
        nccl_number_of(range, "Channel", (uint64_t)transfer->channel);
        nccl_number_of(range, "Steps", (uint64_t)transfer->steps);
        nccl_number_of(range, "Chunk size [bytes]", (uint64_t)transfer->chunk_bytes);
        if (transfer->call)
            nccl_number_of(range, "NCCL call", transfer->call);
    }
    errno = saved_errno;
    return range;
}

uint64_t nccl_record_proxy_step(uint64_t operation, int32_t step)
{
    int saved_errno = errno;
    uint64_t range;
    if (nccl_begin(LABELLED_BEGIN, "NCCL proxy ", "step", &range) && range) {
        nccl_number_of(range, "Step", (uint64_t)step);
        if (operation)
            nccl_number_of(range, "NCCL proxy operation", operation);
    }
    errno = saved_errno;
    return range;
}

void nccl_record_proxy_bytes(uint64_t range, uint64_t bytes)
{
    int saved_errno = errno;
    if (thread_ready(&thread_self))
        nccl_number_of(range, "Bytes", bytes);
    errno = saved_errno;
}

void nccl_record_proxy_end(uint64_t range)
{
    int saved_errno = errno;
    if (thread_ready(&thread_self))
        labelled_end(range);
    errno = saved_errno;
}
