/* collectives.c - what NCCL does around its kernels: ranges of the NVTX domain "NCCL" with payloads of its schemas, of
 * version 2.27 (communicator and size) and, for one call, of 2.18 (size alone); a group, whose kernel is launched when its
 * calls have returned; and a kernel of NCCL that no call is around. */
#include "cuda_test.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define COMMUNICATOR UINT64_C(0xfedcba9876543210)

/* As NCCL numbers its schemas. */
enum {
    INIT_RANK,
    ALL_GATHER = 4,
    ALL_REDUCE,
    BROADCAST,
    REDUCE_SCATTER,
    SEND = 9,
    OLD_ALL_REDUCE,
    REDUCTION
};

struct init_rank {
    uint64_t communicator;
    int ranks, rank, device;
};

struct message {
    uint64_t communicator;
    size_t bytes;
    int other; /* the reduction, the root or the peer */
};

static char kernel_reduce, kernel_gather, kernel_send, kernel_integers;
static nvtxDomainHandle_t domain;

__attribute__((constructor)) static void register_nccl(void)
{
#define ARGS "24ncclDevKernelArgsStorageILm4096EE"
    cuda_register_kernel(&kernel_reduce, "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL" ARGS);
    cuda_register_kernel(&kernel_gather, "_Z31ncclDevKernel_AllGather_RING_LL" ARGS);
    cuda_register_kernel(&kernel_send, "_Z22ncclDevKernel_SendRecv" ARGS);
    cuda_register_kernel(&kernel_integers, "_Z43ncclDevKernel_ReduceScatter_Sum_u32_RING_LL" ARGS);
}

static uint64_t id_of(int schema)
{
    return NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + (uint64_t)schema;
}

static void describe(int schema, const nvtxPayloadSchemaEntry_t *entries, size_t count, size_t size)
{
    const nvtxPayloadSchemaAttr_t attributes = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID,
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .entries = entries,
        .numEntries = count,
        .payloadStaticSize = size,
        .schemaId = id_of(schema)};
    nvtxPayloadSchemaRegister(domain, &attributes);
}

static void describe_all(void)
{
    static const nvtxPayloadEnum_t reductions[] = {{"Sum", 0, 0}, {"Product", 1, 0}};
    const nvtxPayloadEnumAttr_t reduction = {.fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                                                          NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES |
                                                          NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE |
                                                          NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID,
                                             .entries = reductions,
                                             .numEntries = COUNT(reductions),
                                             .sizeOfEnum = sizeof(int),
                                             .schemaId = id_of(REDUCTION)};
    nvtxPayloadEnumRegister(domain, &reduction);
#define FIELD(kind, name, type, field)                       \
    {                                                        \
        0, kind, name, NULL, 0, offsetof(struct type, field) \
    }
#define U64 NVTX_PAYLOAD_ENTRY_TYPE_UINT64
#define INT NVTX_PAYLOAD_ENTRY_TYPE_INT
#define SIZE NVTX_PAYLOAD_ENTRY_TYPE_SIZE
#define BYTES FIELD(SIZE, "Message size [bytes]", message, bytes)
#define COMM FIELD(U64, "NCCL communicator ID", message, communicator)
    const nvtxPayloadSchemaEntry_t init[] = {
        FIELD(U64, "NCCL communicator ID", init_rank, communicator),
        FIELD(INT, "No. of ranks", init_rank, ranks), FIELD(INT, "Rank", init_rank, rank),
        FIELD(INT, "CUDA device", init_rank, device)};
    const nvtxPayloadSchemaEntry_t plain[] = {COMM, BYTES};
    const nvtxPayloadSchemaEntry_t reduce[] = {
        COMM, BYTES, FIELD(id_of(REDUCTION), "Reduction operation", message, other)};
    const nvtxPayloadSchemaEntry_t root[] = {COMM, BYTES, FIELD(INT, "Root", message, other)};
    const nvtxPayloadSchemaEntry_t peer[] = {COMM, BYTES, FIELD(INT, "Peer rank", message, other)};
    const nvtxPayloadSchemaEntry_t old[] = {BYTES};
    describe(INIT_RANK, init, COUNT(init), sizeof(struct init_rank));
    describe(ALL_GATHER, plain, COUNT(plain), sizeof(struct message));
    describe(ALL_REDUCE, reduce, COUNT(reduce), sizeof(struct message));
    describe(BROADCAST, root, COUNT(root), sizeof(struct message));
    describe(REDUCE_SCATTER, reduce, COUNT(reduce), sizeof(struct message));
    describe(SEND, peer, COUNT(peer), sizeof(struct message));
    describe(OLD_ALL_REDUCE, old, COUNT(old), sizeof(struct message));
}

static void push(const char *name, const nvtxPayloadData_t *data)
{
    nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .messageType = NVTX_MESSAGE_TYPE_REGISTERED,
                                        .message.registered =
                                            nvtxDomainRegisterStringA(domain, name)};
    if (data) {
        attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
        attributes.reserved0 = 1;
        attributes.payload.ullValue = (uint64_t)(uintptr_t)data;
    }
    nvtxDomainRangePushEx(domain, &attributes);
}

static void launch(const void *kernel)
{
    cuda_check(launch_shaped(kernel, 8, 256, 0, NULL), "a kernel of NCCL");
}

static void call(const char *name, int schema, size_t bytes, int other, const void *kernel)
{
    struct message message = {COMMUNICATOR, bytes, other};
    nvtxPayloadData_t data = {id_of(schema), sizeof message, &message};
    push(name, &data);
    if (kernel)
        launch(kernel);
    nvtxDomainRangePop(domain);
}

int main(void)
{
    struct init_rank made = {COMMUNICATOR, 8, 3, 0};
    nvtxPayloadData_t data = {id_of(INIT_RANK), sizeof made, &made};
    domain = nvtxDomainCreateA("NCCL");
    describe_all();
    push("ncclCommInitRank", NULL); /* what it made is known when it ends */
    nvtxRangePopPayload(domain, &data, 1);

    call("ncclAllReduce", ALL_REDUCE, 4096, 0, &kernel_reduce);
    call("ncclAllGather", ALL_GATHER, 1000, 0, &kernel_gather);
    call("ncclBroadcast", BROADCAST, 512, 2, &kernel_gather);
    call("ncclReduceScatter", REDUCE_SCATTER, 256, 0, &kernel_integers);
    call("ncclSend", SEND, 64, 5, &kernel_send);
    call("ncclRecv", SEND, 32, 6, &kernel_send);
    call("ncclAllReduce", OLD_ALL_REDUCE, 128, 0, &kernel_reduce);
    call("ncclAllReduce", ALL_REDUCE, 4096, 0,
         &kernel_work); /* a copy of its own, not a collective */

    push("ncclGroupStart", NULL);
    nvtxDomainRangePop(domain);
    call("ncclSend", SEND, 64, 5, NULL);
    call("ncclRecv", SEND, 64, 5, NULL);
    push("ncclGroupEnd", NULL);
    launch(&kernel_send);
    nvtxDomainRangePop(domain);
    launch(&kernel_gather);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    puts("OK");
    return 0;
}
