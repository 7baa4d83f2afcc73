// What CUPTI's callbacks leave in the log of the calling thread.
#include "fake_recorder.h"

#include <gtest/gtest.h>

#include <thread>

extern "C" {
#include "abi.h"
#include "api_calls.h"
#include "callbacks.h"
#include "facts.h"
#include "graphs.h"
#include "loader.h"
}

namespace
{

enum : uint32_t {
    RT_LAUNCH = 211,
    RT_LAUNCH_CONFIG = 430,
    RT_GRAPH_LAUNCH = 311,
    RT_MEMCPY_ASYNC = 41,
    RT_SYNC = 165,
    RT_BEGIN_CAPTURE = 315,
    RT_END_CAPTURE = 319,
    RT_GET_DEVICE = 17, // not followed
    DR_LAUNCH = 307,
    DR_MEMSET_D32_ASYNC = 220,
    DR_CTX_DESTROY = 322,
};

struct LaunchParameters { // cudaLaunchKernel
    const void *function;
    uint32_t grid[3], block[3];
    void **arguments;
    size_t shared;
    uintptr_t stream;
};

struct CopyParameters { // cudaMemcpyAsync
    void *to;
    const void *from;
    size_t count;
    int kind;
    uintptr_t stream;
};

int capturing_status;
int is_capturing(void *, int *status)
{
    *status = capturing_status;
    return 0;
}

int callback_name(uint32_t domain, uint32_t cbid, const char **name)
{
    static const char *const unknown = "cuSomething_v2";
    *name = domain == ABI_DOMAIN_RUNTIME && cbid == RT_LAUNCH ? "cudaLaunchKernel_v7000" : unknown;
    return 0;
}

class Callbacks : public testing::Test
{
protected:
    void SetUp() override
    {
        fake_reset();
        fake_config().start_events = 0;
        driver.cuStreamIsCapturing = is_capturing;
        cupti.cuptiGetCallbackName = callback_name;
        cupti.cuptiActivityFlushAll = [](uint32_t) { return 0; };
        cupti.cuptiActivityGetNumDroppedRecords = [](void *, uint32_t, size_t *dropped) {
            *dropped = 0;
            return 0;
        };
        loader_use_driver(&driver);
        loader_use_cupti(&cupti);
    }

    void TearDown() override
    {
        loader_use_driver(nullptr);
        loader_use_cupti(nullptr);
    }

    void call(uint32_t domain, uint32_t cbid, uint32_t site, uint32_t correlation,
              const void *parameters = nullptr, const char *symbol = nullptr, uint32_t result = 0)
    {
        abi_call_data data = {};
        data.site = site;
        data.parameters = parameters;
        data.result = &result;
        data.symbol = symbol;
        data.correlation = correlation;
        callbacks_receive(nullptr, domain, cbid, &data);
    }

    void both(uint32_t domain, uint32_t cbid, uint32_t correlation,
              const void *parameters = nullptr, const char *symbol = nullptr, uint32_t result = 0)
    {
        call(domain, cbid, ABI_SITE_ENTER, correlation, parameters, symbol, result);
        call(domain, cbid, ABI_SITE_EXIT, correlation, parameters, symbol, result);
    }

    prof_rec_api_enter only_enter()
    {
        auto enters = fake_records(PROF_REC_API_ENTER);
        EXPECT_EQ(enters.size(), 1u);
        return enters.empty() ? prof_rec_api_enter{} : enters[0].as<prof_rec_api_enter>();
    }

    driver_library driver = {};
    cupti_library cupti = {};
};

enum : uint32_t { RT_STREAM_CREATE = 129, RT_EVENT_RECORD = 135, DR_STREAM_CREATE = 124 };

const char *name_of_cbid(uint32_t domain, uint32_t cbid)
{
    if (domain == ABI_DOMAIN_DRIVER)
        return cbid == DR_STREAM_CREATE ? "cuStreamCreate" : nullptr;
    switch (cbid) {
    case RT_STREAM_CREATE:
        return "cudaStreamCreate_v3020";
    case RT_EVENT_RECORD:
        return "cudaEventRecord_v3020";
    case RT_GET_DEVICE:
        return "cudaGetDevice_v3020";
    default:
        return nullptr;
    }
}

class Failures : public Callbacks
{
protected:
    void SetUp() override
    {
        Callbacks::SetUp();
        cupti.cuptiGetCallbackName = [](uint32_t domain, uint32_t cbid, const char **name) {
            *name = name_of_cbid(domain, cbid);
            return *name ? 0 : 1;
        };
        api_calls_watch();
    }
    void TearDown() override
    {
        cupti.cuptiGetCallbackName = nullptr;
        api_calls_watch();
        Callbacks::TearDown();
    }
};

TEST_F(Failures, OfACallThatIsNotFollowedAreRecorded)
{
    both(ABI_DOMAIN_RUNTIME, RT_STREAM_CREATE, 5, nullptr, nullptr, 2);
    auto enter = only_enter();
    EXPECT_EQ(enter.correlation, 5u);
    EXPECT_EQ(enter.cbid, RT_STREAM_CREATE);
    EXPECT_EQ(enter.flags, PROF_API_FAILED_ONLY);
    auto exits = fake_records(PROF_REC_API_EXIT);
    ASSERT_EQ(exits.size(), 1u);
    EXPECT_EQ(exits[0].words[1], 5ull << 32 | 2);
    auto names = fake_metas(PROF_REC_API_NAME);
    ASSERT_GE(names.size(), 1u);
}

TEST_F(Failures, SuccessAndAnswersLeaveNothing)
{
    both(ABI_DOMAIN_RUNTIME, RT_STREAM_CREATE, 5);
    both(ABI_DOMAIN_RUNTIME, RT_EVENT_RECORD, 6, nullptr, nullptr, 600);
    both(ABI_DOMAIN_RUNTIME, RT_GET_DEVICE, 7, nullptr, nullptr, 1);
    EXPECT_TRUE(fake_records().empty());
}

TEST_F(Failures, InsideOfAnotherCallAreThatCalls)
{
    call(ABI_DOMAIN_RUNTIME, RT_STREAM_CREATE, ABI_SITE_ENTER, 5);
    both(ABI_DOMAIN_DRIVER, DR_STREAM_CREATE, 5, nullptr, nullptr, 2);
    call(ABI_DOMAIN_RUNTIME, RT_STREAM_CREATE, ABI_SITE_EXIT, 5, nullptr, nullptr, 2);
    EXPECT_EQ(only_enter().cbid, RT_STREAM_CREATE);
    fake_reset();
    both(ABI_DOMAIN_DRIVER, DR_STREAM_CREATE, 6, nullptr, nullptr, 2);
    EXPECT_EQ(only_enter().cbid, DR_STREAM_CREATE) << "the program's own call of the driver";
}

TEST_F(Failures, OfLibprofsOwnCallsAndWhileRecordingIsOffAreNobodys)
{
    callbacks_own_begin();
    both(ABI_DOMAIN_RUNTIME, RT_STREAM_CREATE, 5, nullptr, nullptr, 2);
    callbacks_own_end();
    fake_set_on(false);
    both(ABI_DOMAIN_RUNTIME, RT_STREAM_CREATE, 6, nullptr, nullptr, 2);
    fake_set_on(true);
    EXPECT_TRUE(fake_records().empty());
}

TEST_F(Failures, WithoutNamesNothingIsWatched)
{
    cupti.cuptiGetCallbackName = nullptr;
    api_calls_watch();
    EXPECT_FALSE(api_calls_is_watched(ABI_DOMAIN_RUNTIME, RT_STREAM_CREATE));
    both(ABI_DOMAIN_RUNTIME, RT_STREAM_CREATE, 5, nullptr, nullptr, 2);
    EXPECT_TRUE(fake_records().empty());
}

TEST_F(Failures, QuestionsAreLeftOut)
{
    for (const char *name : {"cudaGetLastError_v3020", "cudaPeekAtLastError_v3020",
                             "cuCtxGetDevice", "cudaProfilerStart_v4000", "cuGetProcAddress_v2"})
        EXPECT_TRUE(api_calls_leaves_out(name)) << name;
    for (const char *name : {"cudaStreamCreate_v3020", "cudaEventRecord_v3020", "cuModuleLoadData",
                             "cudaHostRegister_v4000", "cuStreamWaitEvent"})
        EXPECT_FALSE(api_calls_leaves_out(name)) << name;
}

/* What a driver can be imagined to hand over when it is in trouble: nothing happens. */
TEST_F(Callbacks, DoNothingWithWhatTheyDoNotKnow)
{
    callbacks_receive(nullptr, ABI_DOMAIN_RUNTIME, RT_LAUNCH, nullptr);
    callbacks_receive(nullptr, 77, 1, this);
    call(ABI_DOMAIN_RUNTIME, 0xffffffff, ABI_SITE_ENTER, 1);
    call(ABI_DOMAIN_DRIVER, 1023, ABI_SITE_EXIT, 1);
    call(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 7, 1);
    call(ABI_DOMAIN_RUNTIME, RT_LAUNCH, ABI_SITE_EXIT, 1);
    abi_resource_data nowhere = {};
    callbacks_receive(nullptr, ABI_DOMAIN_RESOURCE, ABI_RESOURCE_CONTEXT_CREATED, &nowhere);
    callbacks_receive(nullptr, ABI_DOMAIN_RESOURCE, ABI_RESOURCE_CONTEXT_DESTROY_STARTING,
                      &nowhere);
    nowhere.context = reinterpret_cast<void *>(0x10); /* never announced */
    callbacks_receive(nullptr, ABI_DOMAIN_RESOURCE, ABI_RESOURCE_CONTEXT_DESTROY_STARTING,
                      &nowhere);
    EXPECT_TRUE(fake_records().empty());
}

TEST_F(Callbacks, RecordACallThatNobodyCanName)
{
    cupti.cuptiGetCallbackName = [](uint32_t, uint32_t, const char **name) {
        *name = nullptr;
        return 0;
    };
    both(ABI_DOMAIN_RUNTIME, RT_SYNC, 5);
    EXPECT_EQ(only_enter().correlation, 5u) << "by number";
}

TEST_F(Callbacks, WriteALaunchWithItsStreamAndKernel)
{
    LaunchParameters launch = {nullptr, {1, 1, 1}, {1, 1, 1}, nullptr, 0, 0xabcd};
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 5, &launch, "_Z1kv");
    auto enter = only_enter();
    EXPECT_EQ(enter.correlation, 5u);
    EXPECT_EQ(enter.cbid, RT_LAUNCH);
    EXPECT_EQ(enter.domain, PROF_API_RUNTIME);
    EXPECT_EQ(enter.flags, PROF_API_LAUNCHES);
    EXPECT_EQ(enter.operations, 1u);
    EXPECT_EQ(enter.stream, 0xabcdu);
    EXPECT_EQ(fake_name(enter.name), "_Z1kv");
    auto exits = fake_records(PROF_REC_API_EXIT);
    ASSERT_EQ(exits.size(), 1u);
    EXPECT_EQ(exits[0].words[1], 5ull << 32);
}

// A thread of its own: how often callbacks are timed begins anew on each.
TEST_F(Callbacks, AreMeasuredEachStandingForThoseBeforeIt)
{
    uint64_t launches = fake_cost(PROF_COST_LAUNCHES), calls = fake_cost(PROF_COST_CALLS);
    std::thread([this] {
        for (uint32_t i = 1; i <= 1000; i++) {
            both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 2 * i);
            both(ABI_DOMAIN_RUNTIME, RT_SYNC, 2 * i + 1);
        }
    }).join();
    launches = fake_cost(PROF_COST_LAUNCHES) - launches;
    calls = fake_cost(PROF_COST_CALLS) - calls;
    EXPECT_LE(launches + calls, 4000u);
    EXPECT_GT(launches + calls, 4000u - COST_GAP_MIN);
}

// The share covers the time during which recording is on; probing a device belongs to start-up.
TEST_F(Callbacks, AreNotMeasuredWhileRecordingIsOffNorForLibprofsOwnCalls)
{
    auto measured = [] { return fake_cost(PROF_COST_LAUNCHES) + fake_cost(PROF_COST_CALLS); };
    std::thread([&] {
        uint64_t before = measured();
        fake_set_on(false);
        both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 1);
        fake_set_on(true);
        callbacks_own_begin();
        both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 2);
        callbacks_own_end();
        EXPECT_EQ(measured(), before);
        both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 3);
        EXPECT_EQ(measured(), before + 2);
    }).join();
}

TEST_F(Callbacks, LeaveOutCallsThatLaunchNothingWhenTheyAreToBeShed)
{
    callbacks_set_calls(false);
    both(ABI_DOMAIN_RUNTIME, RT_SYNC, 5);
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 6);
    capturing_status = 0;
    both(ABI_DOMAIN_RUNTIME, RT_BEGIN_CAPTURE, 7);
    EXPECT_TRUE(graphs_capture_may_be_active()) << "captures are followed all the same";
    both(ABI_DOMAIN_RUNTIME, RT_END_CAPTURE, 8);
    auto enters = fake_records(PROF_REC_API_ENTER);
    ASSERT_EQ(enters.size(), 3u);
    EXPECT_EQ(enters[0].as<prof_rec_api_enter>().correlation, 6u);
    EXPECT_EQ(fake_records(PROF_REC_API_EXIT).size(), 3u);
    callbacks_set_calls(true);
    both(ABI_DOMAIN_RUNTIME, RT_SYNC, 9);
    EXPECT_EQ(fake_records(PROF_REC_API_ENTER).size(), 4u);
}

TEST_F(Callbacks, AreNotAskedForWhileTheirCallsAreShed)
{
    static unsigned on, off;
    cupti.cuptiEnableCallback = [](uint32_t enable, void *, uint32_t, uint32_t cbid) {
        on += enable && cbid == RT_SYNC;
        off += !enable && cbid == RT_SYNC;
        EXPECT_TRUE(enable || cbid != RT_LAUNCH) << "launches are followed all the same";
        return 0;
    };
    callbacks_set_calls(false);
    callbacks_apply();
    EXPECT_EQ(on + off, 0u) << "nothing is followed";
    callbacks_follow(true);
    on = 0;
    callbacks_apply();
    callbacks_apply();
    EXPECT_EQ(off, 1u);
    callbacks_set_calls(true);
    callbacks_apply();
    EXPECT_EQ(on, 1u);
    cupti.cuptiEnableCallback = [](uint32_t, void *, uint32_t, uint32_t) { return 0; };
    callbacks_follow(false);
}

TEST_F(Callbacks, FindTheStreamOfALaunchConfiguration)
{
    struct {
        uint32_t grid[3], block[3];
        size_t shared;
        uintptr_t stream;
    } config = {{1, 1, 1}, {1, 1, 1}, 0, 0x77};
    const void *parameters[] = {&config, nullptr, nullptr};
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH_CONFIG, 5, parameters, "_Z1kv");
    EXPECT_EQ(only_enter().stream, 0x77u);
}

TEST_F(Callbacks, SurviveALaunchWithoutConfigurationParametersOrName)
{
    const void *parameters[] = {nullptr, nullptr, nullptr};
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH_CONFIG, 5, parameters, nullptr);
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 6, nullptr, nullptr);
    callbacks_receive(nullptr, ABI_DOMAIN_RUNTIME, RT_LAUNCH, nullptr);
    EXPECT_EQ(fake_records(PROF_REC_API_ENTER).size(), 2u);
}

TEST_F(Callbacks, CarryTheErrorOfAFailedCall)
{
    both(ABI_DOMAIN_RUNTIME, RT_SYNC, 6, nullptr, nullptr, 700);
    auto exits = fake_records(PROF_REC_API_EXIT);
    ASSERT_EQ(exits.size(), 1u);
    EXPECT_EQ(exits[0].words[1], (6ull << 32) | 700u);
}

TEST_F(Callbacks, PromiseARecordOnlyForCopiesThatReachADevice)
{
    CopyParameters copy = {nullptr, nullptr, 4096, 1, 3};
    both(ABI_DOMAIN_RUNTIME, RT_MEMCPY_ASYNC, 1, &copy);
    copy.kind = 0; // within the host
    both(ABI_DOMAIN_RUNTIME, RT_MEMCPY_ASYNC, 2, &copy);
    copy.kind = 4; // cudaMemcpyDefault
    both(ABI_DOMAIN_RUNTIME, RT_MEMCPY_ASYNC, 3, &copy);
    copy.kind = 2;
    copy.count = 0;
    both(ABI_DOMAIN_RUNTIME, RT_MEMCPY_ASYNC, 4, &copy);
    auto enters = fake_records(PROF_REC_API_ENTER);
    ASSERT_EQ(enters.size(), 4u);
    EXPECT_EQ(enters[0].as<prof_rec_api_enter>().flags, PROF_API_LAUNCHES);
    EXPECT_EQ(enters[0].as<prof_rec_api_enter>().bytes, 4096u);
    EXPECT_EQ(enters[0].as<prof_rec_api_enter>().stream, 3u);
    for (size_t i = 1; i < 4; i++)
        EXPECT_EQ(enters[i].as<prof_rec_api_enter>().flags, 0) << i;
}

TEST_F(Callbacks, CountElementsAsBytes)
{
    struct {
        uint64_t address;
        unsigned value;
        size_t count;
        uintptr_t stream;
    } set = {0, 7, 100, 0};
    both(ABI_DOMAIN_DRIVER, DR_MEMSET_D32_ASYNC, 1, &set);
    EXPECT_EQ(only_enter().bytes, 400u);
    EXPECT_EQ(only_enter().domain, PROF_API_DRIVER);
}

TEST_F(Callbacks, SkipTheDriverCallWithinARuntimeCall)
{
    call(ABI_DOMAIN_RUNTIME, RT_LAUNCH, ABI_SITE_ENTER, 8);
    both(ABI_DOMAIN_DRIVER, DR_LAUNCH, 8);
    call(ABI_DOMAIN_RUNTIME, RT_LAUNCH, ABI_SITE_EXIT, 8);
    EXPECT_EQ(only_enter().domain, PROF_API_RUNTIME);
    EXPECT_EQ(fake_records(PROF_REC_API_EXIT).size(), 1u);
    both(ABI_DOMAIN_DRIVER, DR_LAUNCH, 9);
    EXPECT_EQ(fake_records(PROF_REC_API_ENTER).size(), 2u) << "made by the program itself";
}

TEST_F(Callbacks, FollowOnlyTheCallsOfTheTable)
{
    both(ABI_DOMAIN_RUNTIME, RT_GET_DEVICE, 8);
    both(ABI_DOMAIN_RUNTIME, 1u << 20, 8);
    both(ABI_DOMAIN_DRIVER, 0, 8);
    EXPECT_TRUE(fake_records().empty());
}

TEST_F(Callbacks, RecoverWhenEndsNeverCome)
{
    for (uint32_t i = 0; i < 20; i++)
        call(ABI_DOMAIN_RUNTIME, RT_SYNC, ABI_SITE_ENTER, 100 + i);
    both(ABI_DOMAIN_RUNTIME, RT_SYNC, 200);
    auto exits = fake_records(PROF_REC_API_EXIT);
    ASSERT_EQ(exits.size(), 1u);
    EXPECT_EQ(exits[0].words[1] >> 32, 200u);
    call(ABI_DOMAIN_RUNTIME, RT_SYNC, ABI_SITE_EXIT, 999);
    EXPECT_EQ(fake_records(PROF_REC_API_EXIT).size(), 1u) << "an end without a beginning";
    for (uint32_t i = 20; i-- > 0;)
        call(ABI_DOMAIN_RUNTIME, RT_SYNC, ABI_SITE_EXIT, 100 + i);
}

TEST_F(Callbacks, WriteNeitherEndOfACallThatBeganWhileOff)
{
    fake_set_on(false);
    call(ABI_DOMAIN_RUNTIME, RT_LAUNCH, ABI_SITE_ENTER, 300);
    fake_set_on(true);
    call(ABI_DOMAIN_RUNTIME, RT_LAUNCH, ABI_SITE_EXIT, 300);
    EXPECT_TRUE(fake_records().empty());
    EXPECT_TRUE(lost_was_off(300));
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 301);
    EXPECT_FALSE(lost_was_off(301)) << "seen on again: the window ended";
    EXPECT_EQ(fake_records(PROF_REC_API_ENTER).size(), 1u);
}

TEST_F(Callbacks, NoteALaunchWhoseRecordFindsRecordingSwitchedOff)
{
    fake_set_off_at_reserve();
    call(ABI_DOMAIN_RUNTIME, RT_LAUNCH, ABI_SITE_ENTER, 310);
    call(ABI_DOMAIN_RUNTIME, RT_LAUNCH, ABI_SITE_EXIT, 310);
    EXPECT_TRUE(fake_records().empty());
    EXPECT_TRUE(lost_was_off(310));
}

TEST_F(Callbacks, PromiseNothingForWhatIsCaptured)
{
    LaunchParameters launch = {nullptr, {1, 1, 1}, {1, 1, 1}, nullptr, 0, 0x1};
    both(ABI_DOMAIN_RUNTIME, RT_BEGIN_CAPTURE, 1);
    capturing_status = 1;
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 2, &launch, "k");
    capturing_status = 0;
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 3, &launch, "k"); // on another stream
    both(ABI_DOMAIN_RUNTIME, RT_END_CAPTURE, 4);
    capturing_status = 1; // must not be asked any more
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 5, &launch, "k");
    auto enters = fake_records(PROF_REC_API_ENTER);
    ASSERT_EQ(enters.size(), 5u);
    EXPECT_EQ(enters[1].as<prof_rec_api_enter>().flags, 0);
    EXPECT_EQ(enters[1].as<prof_rec_api_enter>().operations, 0u);
    EXPECT_EQ(enters[2].as<prof_rec_api_enter>().flags, PROF_API_LAUNCHES);
    EXPECT_EQ(enters[4].as<prof_rec_api_enter>().flags, PROF_API_LAUNCHES);
    EXPECT_FALSE(graphs_capture_may_be_active());
}

TEST_F(Callbacks, SayWhenAGraphIsLaunched)
{
    uintptr_t parameters[] = {1, 0x99};
    both(ABI_DOMAIN_RUNTIME, RT_GRAPH_LAUNCH, 2, parameters);
    EXPECT_EQ(only_enter().flags, PROF_API_GRAPH);
    EXPECT_EQ(only_enter().stream, 0x99u);
}

TEST_F(Callbacks, MarkTheProfilersOwnCalls)
{
    uint64_t set[] = {0, 0, 1, 0};
    callbacks_own_begin();
    both(ABI_DOMAIN_DRIVER, DR_MEMSET_D32_ASYNC, 44, set);
    EXPECT_EQ(callbacks_own_end(), 44u);
    EXPECT_EQ(only_enter().flags, PROF_API_INTERNAL | PROF_API_LAUNCHES);
}

TEST_F(Callbacks, NameEachCallOnceWithoutTheRuntimesVersion)
{
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 1);
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 2);
    std::vector<std::string> names;
    for (auto &meta : fake_metas(PROF_REC_API_NAME)) {
        prof_rec_api_name name;
        memcpy(&name, meta.bytes.data(), sizeof name);
        names.push_back(fake_name(name.name));
    }
    EXPECT_LE(names.size(), 1u) << "an earlier test may have stated it";
    for (auto &name : names)
        EXPECT_EQ(name, "cudaLaunchKernel");
}

uint32_t flushed_with = 99;

TEST_F(Callbacks, FlushBeforeAContextIsDestroyed)
{
    cupti.cuptiActivityFlushAll = [](uint32_t flags) {
        flushed_with = flags;
        return 0;
    };
    both(ABI_DOMAIN_DRIVER, DR_CTX_DESTROY, 1);
    EXPECT_EQ(flushed_with, static_cast<uint32_t>(ABI_FLUSH_COMPLETED));
}

TEST_F(Callbacks, KeepErrno)
{
    errno = 4711;
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 1, nullptr, "a name never seen before");
    both(ABI_DOMAIN_DRIVER, DR_CTX_DESTROY, 2);
    EXPECT_EQ(errno, 4711);
}

TEST_F(Callbacks, KnowTheProgramsThreads)
{
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 1);
    EXPECT_TRUE(callbacks_is_program_thread());
    std::thread([] { EXPECT_FALSE(callbacks_is_program_thread()); }).join();
}

TEST_F(Callbacks, IgnoreOtherDomains)
{
    abi_resource_data resource = {};
    callbacks_receive(nullptr, ABI_DOMAIN_RESOURCE, ABI_RESOURCE_CONTEXT_CREATED, &resource);
    callbacks_receive(nullptr, ABI_DOMAIN_STATE, 1, &resource);
    callbacks_receive(nullptr, 77, 1, &resource);
    EXPECT_TRUE(fake_records().empty());
}

TEST_F(Callbacks, CallStacksAreTakenWhereWorkOrMemoryBegins)
{
    stacks_mode = CONFIG_STACKS_LAUNCH;
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 1);
    both(ABI_DOMAIN_RUNTIME, RT_SYNC, 2);
    both(ABI_DOMAIN_RUNTIME, RT_GRAPH_LAUNCH, 3);
    std::vector<FakeRecord> calls = fake_records(PROF_REC_API_ENTER);
    ASSERT_EQ(calls.size(), 3u);
    EXPECT_EQ(calls[0].words.size() * 8, sizeof(prof_rec_api_enter));
    EXPECT_EQ(calls[0].as<prof_rec_api_enter>().stack, 1u);
    EXPECT_EQ(calls[1].words.size() * 8, PROF_REC_API_ENTER_SHORT_BYTES);
    EXPECT_EQ(calls[2].as<prof_rec_api_enter>().stack, 2u);
    callbacks_own_begin();
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 4);
    callbacks_own_end();
    EXPECT_EQ(fake_stacks().size(), 2u) << "none of libprof's own calls";
}

TEST_F(Callbacks, WithoutCallStacksRecordsAreShort)
{
    both(ABI_DOMAIN_RUNTIME, RT_LAUNCH, 1);
    EXPECT_EQ(fake_records(PROF_REC_API_ENTER)[0].words.size() * 8, PROF_REC_API_ENTER_SHORT_BYTES);
    EXPECT_TRUE(fake_stacks().empty());
}

} // namespace
