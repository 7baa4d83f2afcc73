/* nccl_read.c - descriptors of calls and tasks, of six interfaces. */
#include "nccl_plugin.h"

#define NCCL_P2P(from)                                                           \
    (struct nccl_work)                                                           \
    {                                                                            \
        .function = (from).function, .type = (from).type, .count = (from).count, \
        .sequence = NCCL_UNKNOWN, .channels = NCCL_UNKNOWN, .peer = NCCL_UNKNOWN \
    }

#define NCCL_COLL(from)                                                                  \
    (struct nccl_work)                                                                   \
    {                                                                                    \
        .function = (from).function, .type = (from).type, .algorithm = (from).algorithm, \
        .protocol = (from).protocol, .count = (from).count, .sequence = (from).sequence, \
        .channels = (from).channels, .peer = NCCL_UNKNOWN                                \
    }

/* ---- interface 1 has numbers where the others have texts ---- */

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

static struct nccl_work nccl_coll_v1(const struct nccl_coll_v1 *coll)
{
    return (struct nccl_work){.function = NCCL_V1_TEXT(nccl_v1_functions, coll->function),
                              .type = NCCL_V1_TEXT(nccl_v1_types, coll->type),
                              .algorithm = NCCL_V1_TEXT(nccl_v1_algorithms, coll->algorithm),
                              .protocol = NCCL_V1_TEXT(nccl_v1_protocols, coll->protocol),
                              .count = coll->count,
                              .sequence = coll->sequence,
                              .channels = coll->channels,
                              .peer = NCCL_UNKNOWN};
}

static uint64_t nccl_peer(int32_t peer)
{
    return peer < 0 ? NCCL_UNKNOWN : (uint64_t)peer;
}

static struct nccl_work nccl_p2p_v1(const struct nccl_p2p_v1 *p2p)
{
    return (struct nccl_work){.function = NCCL_V1_TEXT(nccl_v1_functions, p2p->function),
                              .type = NCCL_V1_TEXT(nccl_v1_types, p2p->type),
                              .count = p2p->count,
                              .sequence = NCCL_UNKNOWN,
                              .channels = NCCL_UNKNOWN,
                              .peer = nccl_peer(p2p->peer)};
}

/* ---- tasks ---- */

/* Up to interface 3, a descriptor has its communicator, in the same place in all three. NCCL 2.27
 * and later leave it empty there. */
static void nccl_comm_of(uint64_t id, struct nccl_comm *comm)
{
    if (id)
        *comm = (struct nccl_comm){.id = id};
}

static struct nccl_work nccl_coll(int version, const struct nccl_descriptor *from,
                                  struct nccl_comm *comm)
{
    if (version >= 4)
        return NCCL_COLL(from->coll_v4);
    nccl_comm_of(from->coll_v1.comm, comm);
    if (version == 3)
        return NCCL_COLL(from->coll_v3);
    return version == 2 ? NCCL_COLL(from->coll_v2) : nccl_coll_v1(&from->coll_v1);
}

static struct nccl_work nccl_p2p(int version, const struct nccl_descriptor *from,
                                 struct nccl_comm *comm)
{
    if (version >= 4) {
        struct nccl_work work = NCCL_P2P(from->p2p_v4);
        work.channels = from->p2p_v4.channels;
        work.peer = nccl_peer(from->p2p_v4.peer);
        return work;
    }
    nccl_comm_of(from->p2p_v1.comm, comm);
    if (version == 1)
        return nccl_p2p_v1(&from->p2p_v1);
    struct nccl_work work = NCCL_P2P(from->p2p_v2);
    work.peer = nccl_peer(from->p2p_v2.peer);
    return work;
}

static struct nccl_work nccl_ce(const struct nccl_ce_coll *coll)
{
    struct nccl_work work = NCCL_P2P(*coll);
    work.sequence = coll->sequence;
    work.algorithm = "CE";
    work.protocol = coll->sync;
    return work;
}

/* ---- any ---- */

static enum nccl_kind nccl_read_call(uint64_t type, const struct nccl_descriptor *from,
                                     struct nccl_work *work)
{
    if (type == NCCL_EVENT_COLL_API) {
        *work = NCCL_P2P(from->coll_api);
        work->captured = from->coll_api.captured;
    } else {
        *work = NCCL_P2P(from->p2p_api);
        work->captured = from->p2p_api.captured;
    }
    return NCCL_KIND_CALL;
}

enum nccl_kind nccl_read(int version, const struct nccl_descriptor *from, struct nccl_work *work,
                         struct nccl_comm *comm)
{
    uint64_t type = nccl_type(version, from);
    if (version >= 5 && (type == NCCL_EVENT_COLL_API || type == NCCL_EVENT_P2P_API))
        return nccl_read_call(type, from, work);
    if (type == NCCL_EVENT_COLL)
        *work = nccl_coll(version, from, comm);
    else if (type == NCCL_EVENT_P2P)
        *work = nccl_p2p(version, from, comm);
    else if (version >= 6 && type == NCCL_EVENT_CE_COLL)
        *work = nccl_ce(&from->ce_coll);
    else
        return NCCL_KIND_OTHER;
    return NCCL_KIND_TASK;
}
