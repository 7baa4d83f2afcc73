#include "nccl_record.h"

#include "atomic.h"
#include "attrs.h"
#include "labelled.h"
#include "registry.h"
#include "texts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NCCL_NAME_BYTES 64u

static const struct domain *nccl_domain; /* whoever comes first releases; all find the same */

static uint32_t nccl_domain_number(void)
{
    const struct domain *domain = load_acquire(&nccl_domain);
    if (!domain) {
        domain = registry_domain("NCCL", strlen("NCCL"));
        store_release(&nccl_domain, domain);
    }
    return registry_number(domain);
}

/* NCCL's own NVTX ranges are of the same domain; what is pushed here is not counted in the depth. */
bool nccl_record_in_nvtx(void)
{
    const struct label_thread *thread = label_thread_self;
    return thread && thread->depth[nccl_domain_number()] > 0;
}

uint32_t nccl_record_epoch(void)
{
    return thread_gate_epoch(load_relaxed(&thread_gate));
}

/* ---- attributes of the innermost range ---- */

static void nccl_number(const char *key, uint64_t value)
{
    attrs_write(ATTRS_OF_RANGE, key, &(struct attr_value){.type = PROF_ATTR_UINT, .bits = value});
}

static void nccl_text(const char *key, const char *text)
{
    if (text && *text)
        attrs_write(ATTRS_OF_RANGE, key,
                    &(struct attr_value){
                        .type = PROF_ATTR_STRING, .text = text, .bytes = texts_length(text)});
}

static uint64_t nccl_type_bytes(const char *type)
{
    static const struct {
        const char *name;
        uint8_t bytes;
    } types[] = {
        {"ncclInt8", 1},    {"ncclUint8", 1},    {"ncclFloat8e4m3", 1}, {"ncclFloat8e5m2", 1},
        {"ncclFloat16", 2}, {"ncclBfloat16", 2}, {"ncclInt32", 4},      {"ncclUint32", 4},
        {"ncclFloat32", 4}, {"ncclInt64", 8},    {"ncclUint64", 8},     {"ncclFloat64", 8},
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
}

static void nccl_task_details(const struct nccl_work *work)
{
    if (work->sequence != NCCL_UNKNOWN)
        nccl_number("NCCL sequence number", work->sequence);
    nccl_text("Algorithm", work->algorithm);
    nccl_text("Protocol", work->protocol);
    if (work->channels != NCCL_UNKNOWN)
        nccl_number("Channels", work->channels);
}

/* ---- ranges ---- */

/* False: nothing is recorded. */
static bool nccl_push(const char *prefix, const char *name)
{
    char text[NCCL_NAME_BYTES];
    struct labelled_name named = {0};
    uint64_t begun;
    if (!thread_ready(&thread_self))
        return false;
    int bytes = snprintf(text, sizeof text, "%s%.48s", prefix, name ? name : "");
    labelled_read_n(&named, text, (size_t)bytes);
    const struct label *label =
        labelled_label(&(struct label){.name = named.name, .domain = nccl_domain_number()});
    if (!label)
        return false;
    labelled_record(LABELLED_PUSH, label->id, &begun);
    return true;
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
    bool annotated = nccl_record_in_nvtx();
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

bool nccl_record_task(const struct nccl_comm *comm, const struct nccl_work *work)
{
    int saved_errno = errno;
    /* A range with a communicator is a collective: its call has one, ours or NVTX's. */
    bool alone = !work->call && !nccl_record_in_nvtx();
    bool pushed = nccl_push(alone ? "nccl" : "NCCL task ", work->function);
    if (pushed) {
        if (alone)
            nccl_size(comm, work);
        nccl_details(work);
        nccl_task_details(work);
    }
    errno = saved_errno;
    return pushed;
}

bool nccl_record_launch(void)
{
    int saved_errno = errno;
    bool pushed = nccl_push("NCCL ", "launch");
    errno = saved_errno;
    return pushed;
}
