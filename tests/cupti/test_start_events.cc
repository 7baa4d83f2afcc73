// One bracketed operation per device, and nothing that could disturb or hold up the program.
#include "fake_recorder.h"
#include "record_maker.h"

#include <gtest/gtest.h>

#include <chrono>

extern "C" {
#include "abi.h"
#include "activity.h"
#include "callbacks.h"
#include "facts.h"
#include "graphs.h"
#include "loader.h"
}

namespace
{

struct Driver {
    int device = 0, records = 0, sets = 0, query_result = 0;
    bool tells_cupti = true; // CUPTI reports calls made inside a callback
    std::vector<int> modes;
    void *current = reinterpret_cast<void *>(0x1000);
} * device_under_test;

void report(uint32_t cbid, uint32_t correlation)
{
    uint64_t parameters[4] = {0, 0, 1, 0};
    abi_call_data data = {};
    data.parameters = parameters;
    data.correlation = correlation;
    callbacks_receive(nullptr, ABI_DOMAIN_DRIVER, cbid, &data);
    data.site = ABI_SITE_EXIT;
    callbacks_receive(nullptr, ABI_DOMAIN_DRIVER, cbid, &data);
}

driver_library make_functions()
{
    driver_library functions = {};
    functions.cuCtxGetCurrent = [](void **context) {
        *context = device_under_test->current;
        return 0;
    };
    functions.cuCtxGetDevice = [](int *device) {
        *device = device_under_test->device;
        return 0;
    };
    functions.cuThreadExchangeStreamCaptureMode = [](int *mode) {
        device_under_test->modes.push_back(*mode);
        *mode = 0;
        return 0;
    };
    functions.cuStreamCreate = [](void **, unsigned flags) { return flags == 1 ? 0 : 1; };
    functions.cuEventCreate = [](void **, unsigned) { return 0; };
    functions.cuEventRecord = [](void *, void *) {
        device_under_test->records++;
        return 0;
    };
    functions.cuEventQuery = [](void *) { return device_under_test->query_result; };
    functions.cuMemAlloc_v2 = [](uint64_t *address, size_t) {
        *address = 0x5000;
        return 0;
    };
    functions.cuMemsetD32Async = [](uint64_t, unsigned value, size_t, void *) {
        device_under_test->sets += value == START_EVENTS_VALUE;
        if (device_under_test->tells_cupti)
            report(220, 4242);
        return 0;
    };
    return functions;
}

class StartEvents : public testing::Test
{
protected:
    void SetUp() override
    {
        fake_reset();
        device_under_test = &driver;
        loader_use_driver(&functions);
    }
    void TearDown() override { loader_use_driver(nullptr); }

    // A device no other test uses: each is looked at once per process.
    bool check(int device)
    {
        driver.device = device;
        return start_events_check(driver.current);
    }

    Driver driver;
    driver_library functions = make_functions();
};

TEST_F(StartEvents, BracketAMemsetAfterFiveWarmUpRounds)
{
    EXPECT_TRUE(check(0));
    EXPECT_EQ(driver.records, 5 + 2);
    EXPECT_EQ(driver.sets, 1);
    auto records = fake_records(PROF_REC_START_EVENT);
    ASSERT_EQ(records.size(), 1u);
    auto event = records[0].as<prof_rec_start_event>();
    EXPECT_EQ(event.device, 0u);
    EXPECT_EQ(event.correlation, 4242u);
    EXPECT_LT(event.before_ticks, event.after_ticks);
}

TEST_F(StartEvents, HappenOncePerDevice)
{
    EXPECT_TRUE(check(1));
    EXPECT_TRUE(check(1));
    EXPECT_EQ(driver.sets, 1);
    EXPECT_TRUE(check(2));
    EXPECT_EQ(driver.sets, 2);
}

TEST_F(StartEvents, RelaxTheCaptureModeAndPutItBack)
{
    check(3);
    EXPECT_EQ(driver.modes, (std::vector<int>{ABI_CUDA_CAPTURE_MODE_RELAXED, 0}));
}

TEST_F(StartEvents, WaitForTheEndOfACapture)
{
    graphs_capture_began();
    EXPECT_FALSE(check(4));
    EXPECT_EQ(driver.sets, 0);
    graphs_capture_ended();
    EXPECT_TRUE(check(4));
    EXPECT_EQ(driver.sets, 1);
}

TEST_F(StartEvents, StayOffAContextThatIsBeingDestroyedOrIsNotCurrent)
{
    start_events_context(driver.current, false);
    EXPECT_FALSE(check(5));
    start_events_context(driver.current, true);
    EXPECT_FALSE(start_events_check(reinterpret_cast<void *>(0x2000)));
    EXPECT_EQ(driver.sets, 0);
    EXPECT_TRUE(check(5));
}

TEST_F(StartEvents, GiveUpOnABusyDevice)
{
    driver.query_result = ABI_CUDA_NOT_READY;
    auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(check(6));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
    EXPECT_TRUE(fake_records(PROF_REC_START_EVENT).empty());
}

TEST_F(StartEvents, AreLeftOutWhenNotWantedOrImpossible)
{
    fake_config().start_events = 0;
    EXPECT_TRUE(check(7));
    fake_config().start_events = 1;
    functions.cuEventQuery = nullptr;
    EXPECT_TRUE(check(7));
    loader_use_driver(nullptr);
    EXPECT_TRUE(check(7));
    EXPECT_EQ(driver.sets, 0);
}

TEST_F(StartEvents, LearnTheMemsetsIdFromItsRecordWhenCuptiKeepsQuiet)
{
    driver.tells_cupti = false;
    EXPECT_TRUE(check(8));
    EXPECT_TRUE(fake_records(PROF_REC_START_EVENT).empty());
    for (int times = 0; times < 2; times++) {
        RecordMaker maker(CUDA_12_4);
        maker.add(ABI_KIND_MEMSET)
            .SET(MEMSET_START, 10)
            .SET(MEMSET_END, 20)
            .SET(MEMSET_BYTES, START_EVENTS_BYTES)
            .SET(MEMSET_VALUE, START_EVENTS_VALUE)
            .SET(MEMSET_DEVICE, 8)
            .SET(MEMSET_CORRELATION, 31);
        decode_buffer(&maker.sizes, nullptr, maker.data(), maker.size());
    }
    auto records = fake_records(PROF_REC_START_EVENT);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].as<prof_rec_start_event>().correlation, 31u);
    EXPECT_EQ(records[0].as<prof_rec_start_event>().device, 8u);
}

} // namespace
