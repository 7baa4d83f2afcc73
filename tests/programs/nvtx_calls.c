/* Every kind of NVTX call that libprof records, with what it returns checked here and what it recorded
 * in test_nvtx_calls.sh. Built with NVIDIA's headers. */
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

static nvtxEventAttributes_t named(const char *name)
{
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = name;
    return attributes;
}

static void plain(void)
{
    for (int i = 0; i < 3; i++) {
        CHECK(nvtxRangePushA("outer") == 0);
        CHECK(nvtxRangePushA("inner") == 1);
        CHECK(nvtxRangePushW(L"w\u00efde \U0001F600") == 2);
        CHECK(nvtxRangePop() == 2);
        CHECK(nvtxRangePop() == 1);
        CHECK(nvtxRangePop() == 0);
    }
    CHECK(nvtxRangePop() < 0);
    CHECK(nvtxRangePushA("after an error") == 0);
    CHECK(nvtxRangePop() == 0);
    nvtxMarkA("ascii mark");
    nvtxMarkW(L"wide mark");
}

/* Two domains and the default one interleave: each pop ends a range of its own domain. */
static void domains(void)
{
    nvtxDomainHandle_t one = nvtxDomainCreateA("one"), two = nvtxDomainCreateW(L"two");
    CHECK(one && two && one != two);
    CHECK(nvtxDomainCreateA("one") == one);
    nvtxDomainNameCategoryA(one, 7, "seven");
    nvtxNameCategoryW(7, L"default seven");
    nvtxStringHandle_t string = nvtxDomainRegisterStringA(one, "registered");
    CHECK(string && nvtxDomainRegisterStringW(one, L"registered") == string);
    nvtxEventAttributes_t attributes = named("plain in two"), registered = named(NULL);
    registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    registered.message.registered = string;
    registered.category = 7;
    registered.colorType = NVTX_COLOR_ARGB;
    registered.color = 0xff00ff00;
    for (int i = 0; i < 4; i++) {
        CHECK(nvtxDomainRangePushEx(one, &registered) == 0);
        CHECK(nvtxDomainRangePushEx(two, &attributes) == 0);
        CHECK(nvtxRangePushA("default") == 0);
        CHECK(nvtxDomainRangePushEx(one, &registered) == 1);
        CHECK(nvtxDomainRangePop(two) == 0);
        CHECK(nvtxDomainRangePop(one) == 1);
        CHECK(nvtxDomainRangePop(one) == 0);
        CHECK(nvtxDomainRangePop(NULL) == 0);
    }
    nvtxDomainDestroy(two);
    CHECK(nvtxDomainRangePushEx(two, &attributes) == 0);
    CHECK(nvtxDomainRangePop(two) == 0);
    nvtxEventAttributes_t category = named("in default seven");
    category.category = 7;
    nvtxDomainMarkEx(NULL, &category);
}

static void payload(const char *name, int32_t type, uint64_t bits)
{
    nvtxEventAttributes_t attributes = named(name);
    attributes.payloadType = type;
    attributes.payload.ullValue = bits;
    nvtxRangePushEx(&attributes);
    nvtxRangePop();
    attributes.message.ascii = "mark with payload";
    nvtxMarkEx(&attributes);
}

static void payloads(void)
{
    union {
        double real;
        uint64_t bits;
    } real = {.real = -2.5};
    union {
        float real;
        uint32_t bits;
    } single = {.real = 0.5f};
    payload("u64", NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, UINT64_MAX);
    payload("i64", NVTX_PAYLOAD_TYPE_INT64, (uint64_t)-5);
    payload("double", NVTX_PAYLOAD_TYPE_DOUBLE, real.bits);
    payload("u32", NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, 0xffffffff80000000u);
    payload("i32", NVTX_PAYLOAD_TYPE_INT32, 0xffffffffu);
    payload("float", NVTX_PAYLOAD_TYPE_FLOAT, single.bits);
}

static nvtxRangeId_t shared;

static void *end_it(void *unused)
{
    (void)unused;
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "ender");
    nvtxRangeEnd(shared);
    return NULL;
}

static void start_and_end(void)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("one");
    nvtxEventAttributes_t attributes = named("in one, elsewhere");
    attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
    attributes.payload.iValue = 11;
    nvtxRangeId_t first = nvtxRangeStartA("first"), second = nvtxRangeStartW(L"second");
    shared = nvtxDomainRangeStartEx(domain, &attributes);
    CHECK(first && second && shared && first != second);
    nvtxRangeEnd(first);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, end_it, NULL) == 0);
    pthread_join(thread, NULL);
    nvtxDomainRangeEnd(NULL, second);
    nvtxRangeEnd(0x1234567800000001);
}

static void torch(void)
{
    char name[128];
    for (int i = 0; i < 100; i++) {
        snprintf(
            name, sizeof name,
            "aten::mm, seq = %d, op_id = %d, sizes = [[2, 3], [3, 4]], input_op_ids = [(%d,0)]", i,
            2 * i, i - 1);
        nvtxRangePushA(name);
        nvtxRangePop();
        nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the main thread");
    }
    nvtxRangePushA("MmBackward, stashed seq=5");
    nvtxRangePop();
    nvtxRangePushA("looks, seq = like it");
    nvtxRangePop();
}

struct part {
    float scale;
    int32_t mode;
};

struct whole {
    uint64_t bytes;
    int16_t small;
    struct part part;
    int32_t dims[3];
    const char *text;
};

static void extended(void)
{
    static const nvtxPayloadEnum_t modes[] = {{"SLOW", 0, 0}, {"FAST", 1, 0}};
    static const nvtxPayloadEnumAttr_t mode_attributes = {
        .fieldMask = NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES | NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE,
        .entries = modes,
        .numEntries = 2,
        .sizeOfEnum = 4};
    nvtxDomainHandle_t domain = nvtxDomainCreateA("extended");
    CHECK(nvtxDomainIsEnabled(domain) == 1);
    uint64_t mode = nvtxPayloadEnumRegister(domain, &mode_attributes);
    CHECK(mode);
    nvtxPayloadSchemaEntry_t part_entries[] = {{0, NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "scale"},
                                               {0, mode, "mode"}};
    nvtxPayloadSchemaAttr_t schema = {.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                                                   NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE,
                                      .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
                                      .entries = part_entries,
                                      .numEntries = 2,
                                      .payloadStaticSize = sizeof(struct part)};
    uint64_t part = nvtxPayloadSchemaRegister(domain, &schema);
    CHECK(part && part != mode);
    nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "bytes"},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_INT16, "small"},
        {0, part, "part"},
        {NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "dims", NULL, 3},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "text"},
        {NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "message", NULL, 0,
         offsetof(struct whole, text)},
    };
    schema.fieldMask |= NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID;
    schema.entries = entries;
    schema.numEntries = 6;
    schema.payloadStaticSize = sizeof(struct whole);
    schema.schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5;
    CHECK(nvtxPayloadSchemaRegister(domain, &schema) == NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5);
    struct whole whole = {1u << 20, -3, {1.5f, 1}, {4, 5, 6}, "from the payload"};
    uint32_t single = 77;
    nvtxPayloadData_t data[2] = {{schema.schemaId, sizeof whole, &whole},
                                 {NVTX_PAYLOAD_ENTRY_TYPE_UINT32, sizeof single, &single}};
    nvtxEventAttributes_t attributes = named("with blobs");
    attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    attributes.reserved0 = 2;
    attributes.payload.ullValue = (uint64_t)(uintptr_t)data;
    CHECK(nvtxDomainRangePushEx(domain, &attributes) == 0);
    CHECK(nvtxRangePushPayload(domain, data, 1) == 1);
    single = 78;
    CHECK(nvtxRangePopPayload(domain, &data[1], 1) == 1);
    CHECK(nvtxDomainRangePop(domain) == 0);
    nvtxMarkPayload(domain, data, 1);
    nvtxRangeId_t id = nvtxRangeStartPayload(domain, data, 1);
    CHECK(id);
    nvtxRangeEndPayload(domain, id, &data[1], 1);
}

static void names_of_things(void)
{
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "the main thread");
    nvtxResourceAttributes_t resource = {0};
    resource.version = NVTX_VERSION;
    resource.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
    resource.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
    resource.identifier.ullValue = 0xabc0;
    resource.messageType = NVTX_MESSAGE_TYPE_ASCII;
    resource.message.ascii = "a pool";
    nvtxDomainHandle_t domain = nvtxDomainCreateA("one");
    nvtxResourceHandle_t handle = nvtxDomainResourceCreate(domain, &resource);
    CHECK(handle);
    nvtxDomainResourceDestroy(handle);
    resource.identifierType = 0x50001; /* a stream of the runtime API */
    resource.identifier.ullValue = 0xabc1;
    resource.message.ascii = "copy stream";
    CHECK(nvtxDomainResourceCreate(NULL, &resource));
    nvtxSyncUserAttributes_t user = {.version = NVTX_VERSION,
                                     .size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE};
    nvtxSyncUser_t sync = nvtxDomainSyncUserCreate(domain, &user);
    CHECK(sync);
    nvtxDomainSyncUserAcquireStart(sync);
    nvtxDomainSyncUserAcquireSuccess(sync);
    nvtxDomainSyncUserReleasing(sync);
    nvtxDomainSyncUserDestroy(sync);
}

int main(void)
{
    nvtxInitialize(NULL);
    names_of_things();
    plain();
    domains();
    payloads();
    start_and_end();
    torch();
    extended();
    return 0;
}
