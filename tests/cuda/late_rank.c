/* late_rank.c - late_rank COUNT: a rank of a job. It enters COUNT all-reduces in NCCL's NVTX domain, each of which launches a
 * kernel. Then it waits for the device in the range "wait for the loss".
 *
 * SIM_KERNEL_NS is the duration of a kernel.
 */
#include "cuda_test.h"

#include <prof/prof.h>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#define SCHEMA (NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5)

struct message {
    uint64_t communicator, bytes;
};

static nvtxDomainHandle_t describe(void)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", NULL, 0, 0},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "Message size [bytes]", NULL, 0, 8}};
    const nvtxPayloadSchemaAttr_t attributes = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID,
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .entries = entries,
        .numEntries = 2,
        .payloadStaticSize = sizeof(struct message),
        .schemaId = SCHEMA};
    nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
    nvtxPayloadSchemaRegister(domain, &attributes);
    return domain;
}

int main(int argc, char **argv)
{
    const struct message message = {0xabcdef, 4096};
    const nvtxPayloadData_t data = {SCHEMA, sizeof message, &message};
    const nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                              .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                              .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                              .message.ascii = "ncclAllReduce",
                                              .payloadType = NVTX_PAYLOAD_TYPE_EXT,
                                              .reserved0 = 1,
                                              .payload.ullValue = (uint64_t)(uintptr_t)&data};
    nvtxDomainHandle_t domain = describe();
    cudaStream_t stream;
    cuda_check(cudaStreamCreate(&stream), "cudaStreamCreate");
    for (int i = 0; argc > 1 && i < atoi(argv[1]); i++) {
        nvtxDomainRangePushEx(domain, &attributes);
        launch_shaped(&kernel_work, 4, 64, 0, stream);
        nvtxDomainRangePop(domain);
    }
    prof_range_push("wait for the loss");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return 0;
}
