// Memory: CUPTI's records of all four layouts, and what the calls tell where it has none.
#include "fake_recorder.h"
#include "record_maker.h"

#include <gtest/gtest.h>

extern "C" {
#include "activity.h"
#include "callbacks.h"
#include "facts.h"
#include "graphs.h"
#include "loader.h"
}

namespace
{

decode_result decode(RecordMaker &maker)
{
    return decode_buffer(&maker.sizes, nullptr, maker.data(), maker.size());
}

class DecodeMemory : public testing::TestWithParam<Layout>
{
protected:
    void SetUp() override { fake_reset(); }
    bool has_used_bytes() const { return GetParam() > CUDA_11_2; }
    RecordMaker maker{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Layouts, DecodeMemory,
                         testing::Values(CUDA_11_2, CUDA_11_8, CUDA_12_4, CUDA_13_0),
                         [](const auto &one) {
                             std::string name = layout_name(one.param);
                             name[2] = '_';
                             return "Cuda" + name;
                         });

RecordMaker &add_memory(RecordMaker &maker, uint32_t operation, uint64_t time_ns,
                        uint32_t correlation = 5)
{
    return maker.add(ABI_KIND_MEMORY)
        .SET(MEMORY_OPERATION, operation)
        .SET(MEMORY_KIND, 3)
        .SET(MEMORY_CORRELATION, correlation)
        .SET(MEMORY_ADDRESS, 0x7f0000001000)
        .SET(MEMORY_BYTES, 1u << 20)
        .SET(MEMORY_TIME, time_ns)
        .SET(MEMORY_DEVICE, 1)
        .SET(MEMORY_CONTEXT, 2)
        .SET(MEMORY_STREAM, 0xffffffff);
}

TEST_P(DecodeMemory, KeepsEveryFieldOfAnAllocationIn48Bytes)
{
    add_memory(maker, 1, 1000);
    EXPECT_EQ(decode(maker).device_records, 0u) << "it is no operation of the ledger";
    auto records = fake_records(PROF_REC_MEMORY);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].words.size() * 8, PROF_REC_MEMORY_SHORT_BYTES);
    EXPECT_EQ(records[0].info, 5u);
    EXPECT_TRUE(records[0].late);
    auto memory = records[0].as<prof_rec_memory>();
    EXPECT_EQ(memory.time_ns, 1000u);
    EXPECT_EQ(memory.address, 0x7f0000001000u);
    EXPECT_EQ(memory.bytes, 1u << 20);
    EXPECT_EQ(memory.operation, PROF_MEMORY_ALLOCATE);
    EXPECT_EQ(memory.kind, 3u);
    EXPECT_EQ(memory.device, 1u);
    EXPECT_EQ(memory.context, 2u);
    EXPECT_EQ(memory.stream, 0u) << "CUPTI's 'no stream' is unknown in the file";
    EXPECT_EQ(memory.flags, 0u);
    EXPECT_EQ(fake_gpu_records(), 0u);
}

TEST_P(DecodeMemory, KeepsThePoolAsFarAsTheVersionHasIt)
{
    add_memory(maker, 2, 2000)
        .SET(MEMORY_IS_ASYNC, 1)
        .SET(MEMORY_STREAM, 7)
        .SET(MEMORY_POOL_TYPE, 1)
        .SET(MEMORY_POOL, 0xabc000)
        .SET(MEMORY_POOL_THRESHOLD, 64)
        .SET(MEMORY_POOL_BYTES, 4096)
        .SET(MEMORY_POOL_USED, 1024);
    add_memory(maker, 1, 2100).SET(MEMORY_POOL_TYPE, 2).SET(MEMORY_POOL_BYTES, 4711);
    decode(maker);
    auto records = fake_records(PROF_REC_MEMORY);
    ASSERT_EQ(records.size(), 2u);
    auto memory = records[0].as<prof_rec_memory>();
    EXPECT_EQ(records[0].words.size() * 8, sizeof(prof_rec_memory));
    EXPECT_EQ(memory.operation, PROF_MEMORY_RELEASE);
    EXPECT_EQ(memory.flags, PROF_MEMORY_ASYNC);
    EXPECT_EQ(memory.stream, 7u);
    EXPECT_EQ(memory.pool, 0xabc000u);
    EXPECT_EQ(memory.pool_release_threshold, 64u);
    EXPECT_EQ(memory.pool_bytes, 4096u);
    EXPECT_EQ(memory.pool_used_bytes, has_used_bytes() ? 1024u : 0u);
    EXPECT_EQ(records[1].as<prof_rec_memory>().pool_bytes, 0u)
        << "an imported pool's size is its process's number";
}

TEST_P(DecodeMemory, KeepsEveryFieldOfAPool)
{
    maker.add(ABI_KIND_MEMORY_POOL)
        .SET(POOL_OPERATION, 3)
        .SET(POOL_TYPE, 1)
        .SET(POOL_CORRELATION, 9)
        .SET(POOL_PROCESS, 4242)
        .SET(POOL_DEVICE, 2)
        .SET(POOL_KEEP_BYTES, 100)
        .SET(POOL_ADDRESS, 0xdef000)
        .SET(POOL_BYTES, 2048)
        .SET(POOL_THRESHOLD, 77)
        .SET(POOL_TIME, 3000)
        .SET(POOL_USED, 1000);
    decode(maker);
    auto records = fake_records(PROF_REC_MEMORY_POOL);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].info, 9u);
    auto pool = records[0].as<prof_rec_memory_pool>();
    EXPECT_EQ(pool.time_ns, 3000u);
    EXPECT_EQ(pool.pool, 0xdef000u);
    EXPECT_EQ(pool.bytes, 2048u);
    EXPECT_EQ(pool.used_bytes, has_used_bytes() ? 1000u : 0u);
    EXPECT_EQ(pool.release_threshold, 77u);
    EXPECT_EQ(pool.keep_bytes, 100u);
    EXPECT_EQ(pool.device, 2u);
    EXPECT_EQ(pool.operation, 3u);
    EXPECT_EQ(pool.pool_type, 1u);
    EXPECT_EQ(pool.process, 4242u);
}

RecordMaker &add_unified(RecordMaker &maker, uint32_t kind, uint64_t value, uint64_t start_ns,
                         uint64_t end_ns)
{
    return maker.add(ABI_KIND_UNIFIED_MEMORY)
        .SET(UNIFIED_KIND, kind)
        .SET(UNIFIED_VALUE, value)
        .SET(UNIFIED_START, start_ns)
        .SET(UNIFIED_END, end_ns)
        .SET(UNIFIED_ADDRESS, 0x1000)
        .SET(UNIFIED_SOURCE, 0xffffffff)
        .SET(UNIFIED_TARGET, 1)
        .SET(UNIFIED_STREAM, 3)
        .SET(UNIFIED_PROCESS, 4242)
        .SET(UNIFIED_FLAGS, 2);
}

TEST_P(DecodeMemory, KeepsEveryFieldOfAMigration)
{
    add_unified(maker, 1, 65536, 100, 250);
    decode(maker);
    auto records = fake_records(PROF_REC_UNIFIED_MEMORY);
    ASSERT_EQ(records.size(), 1u);
    auto unified = records[0].as<prof_rec_unified_memory>();
    EXPECT_EQ(unified.start_ns, 100u);
    EXPECT_EQ(unified.end_ns, 250u);
    EXPECT_EQ(unified.address, 0x1000u);
    EXPECT_EQ(unified.value, 65536u);
    EXPECT_EQ(unified.kind, 1u);
    EXPECT_EQ(unified.flags, 2u);
    EXPECT_EQ(unified.source, 0xffffffffu);
    EXPECT_EQ(unified.target, 1u);
    EXPECT_EQ(unified.stream, 3u);
    EXPECT_EQ(unified.process, 4242u);
}

TEST_P(DecodeMemory, CountsACpuFaultAsOneWhateverItsValueAndEnd)
{
    add_unified(maker, 3, 0x401234 /* a program counter */, 100, 0);
    add_unified(maker, 5, 4096, 100, 0); // thrashing: an instant, too
    decode(maker);
    auto records = fake_records(PROF_REC_UNIFIED_MEMORY);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].as<prof_rec_unified_memory>().value, 1u);
    EXPECT_EQ(records[0].as<prof_rec_unified_memory>().end_ns, 100u);
    EXPECT_EQ(records[1].as<prof_rec_unified_memory>().value, 4096u);
    EXPECT_EQ(loss_get(PROF_LOSS_ZERO_TIME), 0u);
}

TEST_P(DecodeMemory, CountsWhatHasNoTimeOrMeaning)
{
    add_memory(maker, 1, 0);
    add_memory(maker, 0, 1000); // neither allocated nor released
    add_memory(maker, 3, 1000);
    maker.add(ABI_KIND_MEMORY_POOL).SET(POOL_OPERATION, 1);
    add_unified(maker, 1, 1, 0, 10);
    add_unified(maker, 1, 1, 20, 10);
    decode(maker);
    EXPECT_EQ(fake_records().size(), 0u);
    EXPECT_EQ(loss_get(PROF_LOSS_ZERO_TIME), 4u);
    EXPECT_EQ(loss_get(PROF_LOSS_UNKNOWN_RECORD), 2u);
}

TEST_P(DecodeMemory, CountsRecordsThatMustNotBeReadFurther)
{
    add_memory(maker, 1, 1000);
    add_unified(maker, 1, 1, 1, 2);
    add_kernel(maker, "k", 1, 1, 2);
    EXPECT_EQ(decode_count_only(&maker.sizes, maker.data(), maker.size()), 3u);
}

// ---- from the calls ----

enum : uint32_t {
    RT_MALLOC = 20,
    RT_MALLOC_PITCH = 21,
    RT_FREE = 22,
    RT_HOST_ALLOC = 27,
    RT_MALLOC_3D = 140,
    RT_MANAGED = 206,
    RT_MALLOC_ASYNC = 373,
    RT_FREE_ASYNC = 375,
    RT_FREE_ARRAY = 24,
    RT_BEGIN_CAPTURE = 315,
    RT_END_CAPTURE = 319,
    DR_ALLOC = 243,
};

int refuse_memory(uint32_t kind)
{
    return kind == ABI_KIND_MEMORY ? ABI_INVALID_KIND : ABI_OK;
}

class MemoryCalls : public testing::Test
{
protected:
    void SetUp() override
    {
        fake_reset();
        fake_config().start_events = 0;
        fake_config().memory = 1;
        driver.cuCtxGetDevice = [](int *device) {
            *device = 3;
            return 0;
        };
        driver.cuStreamIsCapturing = [](void *, int *status) {
            *status = 1;
            return 0;
        };
        cupti.cuptiActivityEnable = refuse_memory;
        loader_use_driver(&driver);
        loader_use_cupti(&cupti);
        enable();
    }

    void TearDown() override
    {
        loader_use_driver(nullptr);
        loader_use_cupti(nullptr);
    }

    void enable()
    {
        oracle sizes = layout_oracle(CUDA_13_0);
        device_memory_enable(&sizes);
    }

    void site(uint32_t where, uint32_t domain, uint32_t cbid, const void *parameters,
              uint32_t result)
    {
        abi_call_data data = {};
        data.site = where;
        data.parameters = parameters;
        data.result = where == ABI_SITE_EXIT ? &result : nullptr;
        data.correlation = correlation;
        data.context_uid = 2;
        callbacks_receive(nullptr, domain, cbid, &data);
    }

    void call(uint32_t domain, uint32_t cbid, const void *parameters, uint32_t result = 0)
    {
        site(ABI_SITE_ENTER, domain, cbid, parameters, result);
        site(ABI_SITE_EXIT, domain, cbid, parameters, result);
    }

    prof_rec_memory only()
    {
        auto records = fake_records(PROF_REC_MEMORY);
        EXPECT_EQ(records.size(), 1u);
        return records.empty() ? prof_rec_memory{} : records[0].as<prof_rec_memory>();
    }

    uint32_t correlation = 17;
    driver_library driver = {};
    cupti_library cupti = {};
};

struct Malloc {
    void **pointer;
    size_t bytes;
    uintptr_t more[2];
};

TEST_F(MemoryCalls, TellOfAnAllocationWhereCuptiDoesNot)
{
    void *made = reinterpret_cast<void *>(0x5000);
    Malloc parameters = {&made, 4096, {}};
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC, &parameters);
    auto memory = only();
    EXPECT_EQ(memory.operation, PROF_MEMORY_ALLOCATE);
    EXPECT_EQ(memory.address, 0x5000u);
    EXPECT_EQ(memory.bytes, 4096u);
    EXPECT_EQ(memory.kind, 3u);
    EXPECT_EQ(memory.device, 3u);
    EXPECT_EQ(memory.context, 2u);
    EXPECT_EQ(memory.flags, PROF_MEMORY_FROM_CALL);
    EXPECT_GT(memory.time_ns, 1000000000000000000u) << "CLOCK_REALTIME";
    EXPECT_EQ(fake_records(PROF_REC_MEMORY)[0].info, 17u);
}

TEST_F(MemoryCalls, TellTheKindAndSizeOfEveryCall)
{
    void *made = reinterpret_cast<void *>(0x6000);
    size_t pitch = 512;
    Malloc plain = {&made, 100, {}};
    call(ABI_DOMAIN_RUNTIME, RT_HOST_ALLOC, &plain);
    call(ABI_DOMAIN_RUNTIME, RT_MANAGED, &plain);
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC_ASYNC, &plain);
    call(ABI_DOMAIN_DRIVER, DR_ALLOC, &plain);
    struct {
        void **pointer;
        size_t *pitch, width, height;
    } rows = {&made, &pitch, 10, 3};
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC_PITCH, &rows);
    struct {
        void *pointer;
        size_t pitch, width, height;
    } box = {made, 256, 10, 3};
    struct {
        void *box;
        size_t width, height, depth;
    } extent = {&box, 10, 3, 2};
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC_3D, &extent);
    const struct {
        uint64_t bytes;
        uint8_t kind, flags;
    } wanted[] = {{100, 2, 0}, {100, 5, 0},  {100, 3, PROF_MEMORY_ASYNC},
                  {100, 3, 0}, {1536, 3, 0}, {1536, 3, 0}};
    auto records = fake_records(PROF_REC_MEMORY);
    ASSERT_EQ(records.size(), 6u);
    for (size_t i = 0; i < 6; i++) {
        auto memory = records[i].as<prof_rec_memory>();
        EXPECT_EQ(memory.address, 0x6000u) << i;
        EXPECT_EQ(memory.bytes, wanted[i].bytes) << i;
        EXPECT_EQ(memory.kind, wanted[i].kind) << i;
        EXPECT_EQ(memory.flags, wanted[i].flags | PROF_MEMORY_FROM_CALL) << i;
    }
}

TEST_F(MemoryCalls, TellOfAReleaseButNotOfNothing)
{
    uintptr_t released[] = {0x7000, 0}, nothing[] = {0, 0};
    call(ABI_DOMAIN_RUNTIME, RT_FREE, released);
    EXPECT_EQ(only().operation, PROF_MEMORY_RELEASE);
    EXPECT_EQ(only().address, 0x7000u);
    EXPECT_EQ(only().kind, 0u) << "a call does not say what it releases";
    call(ABI_DOMAIN_RUNTIME, RT_FREE, nothing);
    call(ABI_DOMAIN_RUNTIME, RT_FREE_ARRAY, released);
    EXPECT_EQ(fake_records(PROF_REC_MEMORY).size(), 1u);
}

TEST_F(MemoryCalls, TellNothingOfCallsThatFailOrAreNested)
{
    void *made = reinterpret_cast<void *>(0x5000);
    Malloc parameters = {&made, 4096, {}};
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC, &parameters, 2);
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC, nullptr);
    EXPECT_EQ(fake_records(PROF_REC_MEMORY).size(), 0u);
    site(ABI_SITE_ENTER, ABI_DOMAIN_RUNTIME, RT_MALLOC, &parameters, 0);
    call(ABI_DOMAIN_DRIVER, DR_ALLOC, &parameters);
    site(ABI_SITE_EXIT, ABI_DOMAIN_RUNTIME, RT_MALLOC, &parameters, 0);
    EXPECT_EQ(fake_records(PROF_REC_MEMORY).size(), 1u) << "one allocation, one record";
}

TEST_F(MemoryCalls, TellNothingOfWhatIsOnlyCaptured)
{
    void *made = reinterpret_cast<void *>(0x5000);
    Malloc parameters = {&made, 4096, {}};
    uintptr_t stream[] = {9, 0};
    call(ABI_DOMAIN_RUNTIME, RT_BEGIN_CAPTURE, stream);
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC_ASYNC, &parameters);
    call(ABI_DOMAIN_RUNTIME, RT_END_CAPTURE, stream);
    EXPECT_EQ(fake_records(PROF_REC_MEMORY).size(), 0u);
}

TEST_F(MemoryCalls, TellNothingWhereCuptiDoesOrNobodyAsks)
{
    void *made = reinterpret_cast<void *>(0x5000);
    Malloc parameters = {&made, 4096, {}};
    cupti.cuptiActivityEnable = [](uint32_t) { return 0; };
    enable();
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC, &parameters);
    EXPECT_EQ(fake_records(PROF_REC_MEMORY).size(), 0u) << "never both";
}

TEST_F(MemoryCalls, MadeWhileRecordingIsOffMarkTheirRecordsAsOutside)
{
    void *made = reinterpret_cast<void *>(0x5000);
    Malloc parameters = {&made, 4096, {}};
    correlation = 0x71000001; // windows are the process's: an id that no other test has
    fake_set_on(false);
    call(ABI_DOMAIN_RUNTIME, RT_MALLOC, &parameters);
    fake_set_on(true);
    lost_window_end();
    RecordMaker maker(CUDA_13_0);
    add_memory(maker, 1, 1000, correlation);
    decode(maker);
    EXPECT_EQ(fake_records(PROF_REC_MEMORY).size(), 0u);
    EXPECT_EQ(loss_get(PROF_LOSS_OUT_OF_WINDOW), 1u);
}

// ---- which kinds ----

std::vector<uint32_t> enabled;
std::vector<uint32_t> counters;

class MemoryKinds : public MemoryCalls
{
protected:
    void SetUp() override
    {
        MemoryCalls::SetUp();
        enabled.clear();
        counters.clear();
        cupti.cuptiActivityEnable = [](uint32_t kind) {
            enabled.push_back(kind);
            return 0;
        };
        cupti.cuptiActivityConfigureUnifiedMemoryCounter = [](abi_unified_config *configs,
                                                              uint32_t count) {
            for (uint32_t i = 0; i < count; i++)
                if (configs[i].enable && configs[i].scope == ABI_UNIFIED_ALL_DEVICES)
                    counters.push_back(configs[i].kind);
            return 0;
        };
    }
};

TEST_F(MemoryKinds, AreOnlyThoseAskedFor)
{
    enable();
    EXPECT_EQ(enabled, (std::vector<uint32_t>{49, 50}));
    enabled.clear();
    fake_config().memory = 0;
    fake_config().unified_memory = 1;
    enable();
    EXPECT_EQ(enabled, (std::vector<uint32_t>{25}));
    EXPECT_EQ(counters, (std::vector<uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(MemoryKinds, ThatTheLibraryLacksAreLeftToTheCalls)
{
    oracle before_11_2 = layout_oracle(CUDA_11_2);
    before_11_2.size[ABI_KIND_MEMORY] = before_11_2.size[ABI_KIND_MEMORY_POOL] = 0;
    device_memory_enable(&before_11_2);
    EXPECT_TRUE(enabled.empty());
    EXPECT_TRUE(device_memory_from_calls());
    enable();
    EXPECT_FALSE(device_memory_from_calls());
}

TEST_F(MemoryKinds, OfManagedMemoryAreRefusedWithOneLine)
{
    fake_config().unified_memory = 1;
    cupti.cuptiActivityConfigureUnifiedMemoryCounter = nullptr;
    enable();
    enable();
    ASSERT_EQ(fake_log().size(), 1u);
    EXPECT_NE(fake_log()[0].find("managed memory: error 27"), std::string::npos) << fake_log()[0];
    EXPECT_EQ(fake_info(PROF_INFO_NOTE), fake_log()[0]);
}

} // namespace
