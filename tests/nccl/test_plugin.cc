// The plugin's tables, called as NCCL calls them, and as it should not. What ends up in a trace: e2e/test_cuda_nccl.
#include "../recorder/recorder_support.h"

#include "log_words.h"

#include <cerrno>
#include <map>
#include <set>
#include <thread>
#include <vector>

extern "C" {
#include "config.h"
#include "nccl_plugin.h"
#include "registry.h"
#include "session.h"
}

namespace
{

// Runs the function in a process that records into a file, then gives what is in it.
template <typename Function>
std::map<unsigned, unsigned> recorded(Function &&function, bool start = true,
                                      const char *nccl = "1")
{
    TemporaryDirectory directory;
    std::string path = directory / "nccl.prof";
    IN_A_PROCESS_OF_ITS_OWN({
        static const collector *const collectors[] = {&registry_collector, &nccl_collector,
                                                      nullptr};
        setenv("PROF_OUTPUT", path.c_str(), 1);
        setenv("PROF_NCCL", nccl, 1);
        nccl_plugin_takes = [] { return true; };
        config_load();
        registry_init();
        session_init(collectors, start);
        function();
        session_finish();
    });
    return log_words(path);
}

const nccl_plugin *const tables[] = {&ncclProfiler_v1, &ncclProfiler_v2, &ncclProfiler_v3,
                                     &ncclProfiler_v4, &ncclProfiler_v5, &ncclProfiler_v6};

void *begin(int version, uint64_t id = 7, int *mask = nullptr)
{
    void *context = nullptr;
    const nccl_plugin &table = *tables[version - 1];
    int status = 0;
    if (version >= 5)
        status = table.init.v5(&context, id, mask, "name", 1, 2, 0, nullptr);
    else if (version == 4)
        status = table.init.v4(&context, mask, "name", id, 1, 2, 0, nullptr);
    else
        status = table.init.v1(&context, mask);
    EXPECT_EQ(status, NCCL_OK);
    return context;
}

void *start(int version, void *context, uint64_t type, void *parent = nullptr,
            nccl_descriptor descriptor = {})
{
    void *event = &event; // NCCL does not clear it
    descriptor.head.type = type;
    descriptor.head.parent = parent;
    EXPECT_EQ(tables[version - 1]->start(context, &event, &descriptor), NCCL_OK);
    return event;
}

void stop(void *event)
{
    EXPECT_EQ(ncclProfiler_v6.stop(event), NCCL_OK);
}

nccl_descriptor group_of(int depth, bool captured = false)
{
    nccl_descriptor descriptor = {};
    descriptor.group_api = {captured, depth};
    return descriptor;
}

nccl_descriptor call_of(const char *function)
{
    nccl_descriptor descriptor = {};
    descriptor.coll_api.function = function;
    descriptor.coll_api.type = "ncclFloat32";
    descriptor.coll_api.count = 10;
    return descriptor;
}

nccl_descriptor task_of(const char *function)
{
    nccl_descriptor descriptor = {};
    descriptor.coll_v4.function = function;
    descriptor.coll_v4.type = "ncclFloat32";
    descriptor.coll_v4.algorithm = "RING";
    return descriptor;
}

// A call of its own: the call's range is open until the group ends.
void single(void *context)
{
    void *group = start(6, context, NCCL_EVENT_GROUP_API, nullptr, group_of(1));
    void *call = start(6, context, NCCL_EVENT_COLL_API, group, call_of("AllReduce"));
    stop(call);
    void *launch = start(6, context, NCCL_EVENT_KERNEL_LAUNCH, group);
    stop(launch);
    void *plan = start(6, context, NCCL_EVENT_GROUP);
    void *task = start(6, context, NCCL_EVENT_COLL, call, task_of("AllReduce"));
    stop(task);
    stop(plan);
    stop(group);
    stop(call); // as NCCL does at the next call
}

void grouped(void *context)
{
    void *group = start(6, context, NCCL_EVENT_GROUP_API, nullptr, group_of(2));
    void *first = start(6, context, NCCL_EVENT_COLL_API, group, call_of("AllReduce"));
    stop(first);
    void *second = start(6, context, NCCL_EVENT_COLL_API, group, call_of("Broadcast"));
    stop(second);
    stop(start(6, context, NCCL_EVENT_KERNEL_LAUNCH, group));
    void *plan = start(6, context, NCCL_EVENT_GROUP);
    void *tasks[] = {start(6, context, NCCL_EVENT_COLL, first, task_of("AllReduce")),
                     start(6, context, NCCL_EVENT_COLL, second, task_of("Broadcast"))};
    stop(tasks[0]);
    stop(tasks[1]);
    stop(plan);
    stop(group);
}

unsigned pushes(std::map<unsigned, unsigned> &words)
{
    return words[PROF_KIND_NVTX_PUSH];
}

unsigned pops(std::map<unsigned, unsigned> &words)
{
    return words[PROF_KIND_NVTX_POP];
}

// ---- layouts ----

// Of a 64-bit system, as the compilers of NCCL lay its structs out.
TEST(NcclLayout, IsNcclsOfEveryInterface)
{
    EXPECT_EQ(offsetof(nccl_descriptor, head.parent), 8u);
    EXPECT_EQ(offsetof(nccl_descriptor, head.rank), 16u);
    EXPECT_EQ(offsetof(nccl_descriptor, coll_v1), 24u);
    EXPECT_EQ(offsetof(nccl_coll_v1, count), 48u);
    EXPECT_EQ(offsetof(nccl_coll_v1, type), 60u);
    EXPECT_EQ(offsetof(nccl_coll_v1, traffic_bytes), 72u);
    EXPECT_EQ(offsetof(nccl_coll_v1, algorithm), 82u);
    EXPECT_EQ(offsetof(nccl_coll_v2, type), 64u);
    EXPECT_EQ(offsetof(nccl_coll_v2, algorithm), 88u);
    EXPECT_EQ(offsetof(nccl_coll_v3, algorithm), 80u);
    EXPECT_EQ(offsetof(nccl_coll_v4, channels), 56u);
    EXPECT_EQ(offsetof(nccl_coll_v4, protocol), 72u);
    EXPECT_EQ(offsetof(nccl_p2p_v1, count), 40u);
    EXPECT_EQ(offsetof(nccl_p2p_v2, peer), 48u);
    EXPECT_EQ(offsetof(nccl_p2p_v4, channels), 36u);
    EXPECT_EQ(offsetof(nccl_group_api, depth), 4u);
    EXPECT_EQ(offsetof(nccl_coll_api, captured), 40u);
    EXPECT_EQ(offsetof(nccl_p2p_api, captured), 32u);
    EXPECT_EQ(offsetof(nccl_proxy_op, peer), 8u);
    EXPECT_EQ(offsetof(nccl_proxy_op, sends), 20u);
    EXPECT_EQ(offsetof(nccl_ce_coll, sync), 56u);
}

TEST(NcclLayout, HasOneByteOfTypeUpToInterfaceFour)
{
    nccl_descriptor descriptor = {};
    descriptor.head.type = UINT64_C(0xa5a5a5a5a5a5a500) | NCCL_EVENT_COLL;
    nccl_work work = {};
    nccl_comm comm = {};
    for (int version = 1; version <= 6; version++)
        EXPECT_EQ(nccl_read(version, &descriptor, &work, &comm),
                  version < 5 ? NCCL_KIND_TASK : NCCL_KIND_OTHER);
}

TEST(NcclLayout, ReadsNumbersOfInterfaceOneWithinBounds)
{
    nccl_descriptor descriptor = {};
    descriptor.head.type = NCCL_EVENT_COLL;
    nccl_work work = {};
    nccl_comm comm = {};
    descriptor.coll_v1.comm = 99;
    descriptor.coll_v1.function = 4;
    descriptor.coll_v1.type = 9;
    descriptor.coll_v1.algorithm = 6;
    descriptor.coll_v1.protocol = 255;
    nccl_read(1, &descriptor, &work, &comm);
    EXPECT_STREQ(work.function, "AllReduce");
    EXPECT_STREQ(work.type, "ncclBfloat16");
    EXPECT_STREQ(work.algorithm, "PAT");
    EXPECT_EQ(work.protocol, nullptr);
    EXPECT_EQ(comm.id, 99u);
}

// ---- what is asked for ----

TEST(NcclPlugin, AsksOnlyForWhatIsRecorded)
{
    std::pair<const char *, int> wanted[] = {{"1", 0x1f06}, {"proxy", 0x1f0e}, {"steps", 0x1f1e}};
    for (auto [setting, events] : wanted)
        recorded(
            [events = events] {
                int mask = -1;
                begin(6, 7, &mask);
                EXPECT_EQ(mask, events);
                nccl_plugin_takes = [] { return false; };
                EXPECT_EQ(begin(6, 7, &mask), nullptr);
                EXPECT_EQ(mask, 0);
            },
            true, setting);
}

TEST(NcclPlugin, RecordsNothingWhileRecordingIsOff)
{
    auto words = recorded(
        [] {
            void *context = begin(6);
            EXPECT_EQ(start(6, context, NCCL_EVENT_GROUP_API, nullptr, group_of(1)), nullptr);
            EXPECT_EQ(start(6, context, NCCL_EVENT_COLL_API, nullptr, call_of("AllReduce")),
                      nullptr);
        },
        false);
    EXPECT_TRUE(words.empty());
}

// ---- ranges ----

TEST(NcclRanges, AreOpenedAndClosed)
{
    auto words = recorded([] {
        void *context = begin(6);
        single(context);
        grouped(context);
    });
    EXPECT_EQ(pushes(words), 1u + 1u + 2u + 1u + 2u); // communicator, call, calls, launch, tasks
    EXPECT_EQ(pops(words), pushes(words));
}

TEST(NcclRanges, AreClosedByNobodyElse)
{
    auto words = recorded([] {
        void *context = begin(6);
        void *group = start(6, context, NCCL_EVENT_GROUP_API, nullptr, group_of(1));
        void *call = start(6, context, NCCL_EVENT_COLL_API, group, call_of("AllReduce"));
        std::thread([&] { stop(call), stop(group); }).join();
    });
    EXPECT_EQ(pushes(words), 2u);
    EXPECT_EQ(pops(words), 1u) << "the call's range is still open";
}

TEST(NcclRanges, EndWithTheRecordingThatTheyBeganIn)
{
    auto words = recorded([] {
        void *context = begin(6);
        void *group = start(6, context, NCCL_EVENT_GROUP_API, nullptr, group_of(1));
        start(6, context, NCCL_EVENT_COLL_API, group, call_of("AllReduce"));
        session_switch(false, PROF_CONTROL_STARTUP);
        session_switch(true, PROF_CONTROL_STARTUP);
        stop(group);
    });
    EXPECT_EQ(pops(words), 1u) << "that of the communicator";
}

TEST(NcclRanges, AreNotClosedInAForkedChild)
{
    recorded([] {
        void *context = begin(6);
        void *group = start(6, context, NCCL_EVENT_GROUP_API, nullptr, group_of(1));
        start(6, context, NCCL_EVENT_COLL_API, group, call_of("AllReduce"));
        nccl_collector.fork_child();
        stop(group);
    });
}

// ---- handles ----

TEST(NcclHandles, StayKnownHoweverManyThereAre)
{
    recorded([] {
        void *context = begin(6);
        std::set<void *> calls, tasks;
        std::vector<void *> order;
        void *group = start(6, context, NCCL_EVENT_GROUP_API, nullptr, group_of(2));
        for (int i = 0; i < 20000; i++) {
            order.push_back(start(6, context, NCCL_EVENT_COLL_API, group, call_of("AllReduce")));
            calls.insert(order.back());
            stop(order.back());
        }
        for (void *call : order)
            tasks.insert(start(6, context, NCCL_EVENT_COLL, call, task_of("AllReduce")));
        EXPECT_EQ(calls.size(), 20000u);
        EXPECT_EQ(tasks.size(), 20000u) << "a task's handle has its call's number";
        EXPECT_EQ(tasks.count(nullptr), 0u);
    });
}

TEST(NcclHandles, ThatWereNeverGivenOutAreIgnored)
{
    auto words = recorded([] {
        void *context = begin(6);
        for (uintptr_t bits = 0; bits < 64; bits++) {
            stop((void *)bits);
            stop((void *)(UINTPTR_MAX - bits));
            ncclProfiler_v6.state((void *)bits, NCCL_STATE_SENDING, nullptr);
            ncclProfiler_v6.state((void *)bits, (int)bits, nullptr);
        }
        void *event = nullptr;
        nccl_descriptor nothing = {};
        EXPECT_EQ(ncclProfiler_v6.start(context, nullptr, &nothing), NCCL_OK);
        EXPECT_EQ(ncclProfiler_v6.start(context, &event, nullptr), NCCL_OK);
        for (unsigned bit : {5u, 6u, 7u, 13u, 14u, 15u, 63u}) // proxy control, kernel channels ...
            EXPECT_EQ(start(6, context, UINT64_C(1) << bit), nullptr) << bit;
        EXPECT_EQ(ncclProfiler_v6.finalize(nullptr), NCCL_OK);
        EXPECT_EQ(ncclProfiler_v6.finalize((void *)UINTPTR_MAX), NCCL_OK);
    });
    EXPECT_EQ(pushes(words), 1u);
    EXPECT_EQ(pops(words), 1u);
}

TEST(NcclHandles, OfCommunicatorsRunOutWithoutHarm)
{
    auto words = recorded([] {
        std::set<void *> contexts;
        for (unsigned i = 0; i < NCCL_COMMS; i++)
            contexts.insert(begin(6, i + 1));
        EXPECT_EQ(contexts.size(), NCCL_COMMS);
        EXPECT_EQ(begin(6, 5000), nullptr);
        single(nullptr);
        EXPECT_EQ(ncclProfiler_v6.finalize(*contexts.begin()), NCCL_OK);
        EXPECT_EQ(begin(6, 5000), *contexts.begin());
    });
    EXPECT_EQ(pushes(words), NCCL_COMMS + 1 + 1);
}

// ---- proxies ----

TEST(NcclProxies, AreRangesThatOtherThreadsEnd)
{
    auto words = recorded(
        [] {
            void *context = begin(6);
            nccl_descriptor operation = {}, step = {};
            operation.proxy_op = {getpid(), 1, 2, 3, 4, 1};
            void *ranges[] = {start(6, context, NCCL_EVENT_PROXY_OP, nullptr, operation),
                              start(6, context, NCCL_EVENT_PROXY_OP, nullptr, operation)};
            void *of = start(6, context, NCCL_EVENT_PROXY_STEP, ranges[0], step);
            nccl_state_arguments sent = {4096};
            ncclProfiler_v6.state(of, NCCL_STATE_SENDING, &sent);
            ncclProfiler_v1.state(of, NCCL_STATE_SENDING, &sent); // has no such argument
            std::thread([&] { stop(ranges[0]), stop(of), stop(ranges[1]); }).join();
        },
        true, "steps");
    EXPECT_EQ(words[16 + PROF_REC_RANGE_BEGIN], 3u);
    EXPECT_EQ(words[16 + PROF_REC_RANGE_END], 3u);
    EXPECT_EQ(words[16 + PROF_REC_ATTR],
              5u + 2u * 4u + 2u + 1u); // of the communicator, operations, step
}

// ---- threads ----

TEST(NcclThreads, HaveCommunicatorsOfTheirOwnAndShareOne)
{
    static const unsigned threads = 4, rounds = 300;
    auto words = recorded([] {
        void *shared = begin(6, 1);
        std::vector<std::thread> all;
        for (unsigned i = 0; i < threads; i++)
            all.emplace_back([=] {
                for (unsigned j = 0; j < rounds; j++) {
                    void *own = begin(6, 2 + i);
                    single(own);
                    grouped(shared);
                    errno = 42;
                    ncclProfiler_v6.finalize(own);
                    EXPECT_EQ(errno, 42);
                }
            });
        for (std::thread &thread : all)
            thread.join();
    });
    EXPECT_EQ(pushes(words), 1 + threads * rounds * (1 + 1 + 5));
    EXPECT_EQ(pops(words), pushes(words));
}

TEST(NcclThreads, KeepErrno)
{
    recorded([] {
        void *context = begin(6);
        errno = 4242;
        single(context);
        grouped(context);
        EXPECT_EQ(errno, 4242);
    });
}

// ---- another plugin ----

TEST(NcclOther, IsFoundInConfigurationAndSearchPath)
{
    TemporaryDirectory directory;
    std::string file = directory / "nccl.conf", home = directory / "none";
    auto configured = [&](const std::string &text) {
        std::ofstream(file) << text;
        return nccl_other_plugin();
    };
    IN_A_PROCESS_OF_ITS_OWN({
        setenv("HOME", home.c_str(), 1);
        setenv("LD_LIBRARY_PATH", ":", 1);
        EXPECT_FALSE(nccl_other_plugin());
        setenv("NCCL_CONF_FILE", file.c_str(), 1);
        EXPECT_FALSE(configured("NCCL_DEBUG=INFO\n# NCCL_PROFILER_PLUGIN=x\n"));
        EXPECT_FALSE(configured("XNCCL_PROFILER_PLUGIN=x\nNCCL_PROFILER_PLUGIN\n"));
        EXPECT_TRUE(configured("NCCL_DEBUG=INFO\nNCCL_PROFILER_PLUGIN=x"));
        EXPECT_TRUE(configured(std::string(1020, 'x') + "\nNCCL_PROFILER_PLUGIN=\n"));
        EXPECT_FALSE(configured(""));
        std::ofstream(directory / "libnccl-profiler.so") << "";
        setenv("LD_LIBRARY_PATH", ("/none:" + directory.path).c_str(), 1);
        errno = 7;
        EXPECT_TRUE(nccl_other_plugin());
        EXPECT_EQ(errno, 7);
    });
}

} // namespace
