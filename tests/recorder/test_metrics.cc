// PROF_PROMETHEUS: what is counted, and the file.
#include "recorder_support.h"

#include <prof/prof.h>

extern "C" {
#include "annotate.h"
#include "config.h"
#include "metrics.h"
#include "session.h"
#include "summary.h"
#include "thread.h"
}

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace
{

// ---- busy ----

uint64_t busy_of(const std::vector<std::pair<int64_t, int64_t>> &operations)
{
    EXPECT_TRUE(metrics_begin());
    for (auto [start_ns, end_ns] : operations) {
        metrics_work operation = {};
        operation.start_ns = start_ns;
        operation.end_ns = end_ns;
        operation.device = 3;
        metrics_operation(&operation);
    }
    return metrics_counted()->busy_ns[3];
}

TEST(MetricsBusy, IsTheUnionInWhateverOrderOperationsArrive)
{
    EXPECT_EQ(busy_of({{10, 20}, {20, 30}, {5, 8}}), 23u);
    EXPECT_EQ(busy_of({{10, 20}, {30, 40}, {0, 100}}), 100u);
    EXPECT_EQ(busy_of({{0, 100}, {10, 20}, {99, 101}}), 101u);
    EXPECT_EQ(busy_of({{5, 5}}), 0u);
    std::mt19937 random(1);
    std::vector<std::pair<int64_t, int64_t>> operations;
    std::vector<bool> covered(20000);
    for (int i = 0; i < 3000; i++) {
        int64_t start = random() % 19900, end = start + random() % 30;
        operations.emplace_back(start, end);
        std::fill(covered.begin() + start, covered.begin() + end, true);
    }
    EXPECT_EQ(busy_of(operations), (uint64_t)std::count(covered.begin(), covered.end(), true));
}

// Gaps without end: the list forgets the oldest, and counts on.
TEST(MetricsBusy, GoesOnWhenThereAreMoreGapsThanItKeeps)
{
    std::vector<std::pair<int64_t, int64_t>> operations;
    for (int64_t i = 0; i < 100000; i++)
        operations.emplace_back(10 * i, 10 * i + 4);
    EXPECT_EQ(busy_of(operations), 400000u);
    operations.emplace_back(0, 5000); // too late: what precedes the list counts once
    EXPECT_EQ(busy_of(operations), 400000u);
}

TEST(MetricsBusy, OfADeviceBeyondThoseKeptIsLeftOut)
{
    EXPECT_TRUE(metrics_begin());
    metrics_work operation = {};
    operation.end_ns = 10;
    operation.device = 65535;
    metrics_operation(&operation);
    EXPECT_EQ(metrics_counted()->operations[PROF_METRICS_KERNEL], 1u);
}

// ---- steps ----

TEST(MetricsSteps, AreInTheBucketWhoseLimitTheyDoNotExceed)
{
    prof_metrics_histogram steps = {};
    for (int64_t ns : {INT64_C(0), INT64_C(1000000), INT64_C(1000001), INT64_C(70000000000)})
        prof_metrics_observe(&steps, ns);
    EXPECT_EQ(steps.buckets[0], 2u);
    EXPECT_EQ(steps.buckets[1], 1u);
    EXPECT_EQ(steps.buckets[PROF_METRICS_BUCKETS - 1], 1u);
    EXPECT_EQ(steps.sum_ns, 70002000001u);
}

TEST(MetricsCollectives, AreKnownByTheFunctionsName)
{
    auto known = [](const char *name) { return prof_metrics_function_of(name, strlen(name)); };
    EXPECT_STREQ(prof_metrics_function(known("ncclAllReduce")), "ncclAllReduce");
    EXPECT_EQ(known("ncclGroupStart"), PROF_METRICS_FUNCTIONS);
    EXPECT_EQ(known("ncclAllReduceX"), PROF_METRICS_FUNCTIONS);
    EXPECT_EQ(known("nccl"), PROF_METRICS_FUNCTIONS);
}

// ---- memory ----

void allocate(uint64_t address, uint64_t bytes, int64_t time_ns)
{
    prof_rec_alloc record = {};
    record.header = PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_ALLOC, sizeof record / 8, 0);
    record.address = address;
    record.bytes = bytes;
    record.allocator = 1;
    metrics_memory(reinterpret_cast<const uint64_t *>(&record), time_ns);
}

void release(uint64_t address, int64_t time_ns)
{
    prof_rec_free record = {};
    record.header = PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_FREE, sizeof record / 8, 0);
    record.address = address;
    record.allocator = 1;
    metrics_memory(reinterpret_cast<const uint64_t *>(&record), time_ns);
}

metrics_heap heap_at_the_end()
{
    uint32_t count = 0;
    metrics_memory_until(INT64_MAX);
    const metrics_heap *heaps = metrics_memory_heaps(&count);
    EXPECT_EQ(count, 1u);
    return heaps[0];
}

TEST(MetricsMemory, IsInOrderOfTimeWhateverIsMetFirst)
{
    EXPECT_TRUE(metrics_begin());
    release(0x1000, 20);
    allocate(0x1000, 100, 10);
    allocate(0x2000, 30, 15);
    metrics_heap heap = heap_at_the_end();
    EXPECT_EQ(heap.live_bytes, 30u);
    EXPECT_EQ(heap.peak_bytes, 130u);
}

TEST(MetricsMemory, WaitsForWhatIsTooRecent)
{
    uint32_t count;
    EXPECT_TRUE(metrics_begin());
    allocate(0x1000, 100, 50);
    metrics_memory_until(50);
    EXPECT_EQ(metrics_memory_heaps(&count)->live_bytes, 0u);
    EXPECT_EQ(heap_at_the_end().live_bytes, 100u);
}

TEST(MetricsMemory, TakesAnAddressThatIsHandedOutAgainForFreed)
{
    EXPECT_TRUE(metrics_begin());
    allocate(0x1000, 100, 1);
    allocate(0x1000, 40, 2);
    release(0x3000, 3); // unknown
    EXPECT_EQ(heap_at_the_end().live_bytes, 40u);
}

TEST(MetricsMemory, FindsAllocationsThatCollide)
{
    EXPECT_TRUE(metrics_begin());
    std::mt19937 random(2);
    std::map<uint64_t, uint64_t> live;
    int64_t now = 0;
    for (int i = 0; i < 300000; i++) {
        uint64_t address = 16 * (1 + random() % 100000);
        if (random() % 2) {
            allocate(address, 1 + i % 100, now++);
            live[address] = 1 + i % 100;
        } else {
            release(address, now++);
            live.erase(address);
        }
    }
    uint64_t bytes = 0;
    for (auto &one : live)
        bytes += one.second;
    EXPECT_EQ(heap_at_the_end().live_bytes, bytes);
    EXPECT_TRUE(metrics_memory_known());
}

TEST(MetricsMemory, IsUnknownWhenThereIsTooMuchAtOnce)
{
    EXPECT_TRUE(metrics_begin());
    for (uint64_t i = 0; i < 300000; i++)
        allocate(16 * (i + 1), 1, (int64_t)i);
    metrics_memory_until(INT64_MAX);
    EXPECT_FALSE(metrics_memory_known());
}

// ---- the file ----

// prof_step() is a weak reference: this one has the linker take its file along.
[[gnu::used]] void (*volatile annotations)(uint32_t, double) = annotate_counter;

class MetricsFile : public testing::Test
{
protected:
    void begin(const std::string &prometheus)
    {
        static const collector *const none[] = {nullptr};
        setenv("PROF_PROMETHEUS", prometheus.c_str(), 1);
        setenv("PROF_SUMMARY", "0", 1);
        setenv("RANK", "7", 1);
        config_load();
        EXPECT_TRUE(config_override((directory / "metrics.prof").c_str(), 64, false));
        session_init(none, true);
        EXPECT_TRUE(session_ready());
    }
    static std::string read(const std::string &path)
    {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    // The value of the one series whose line begins so.
    static std::string value(const std::string &text, const std::string &begin)
    {
        size_t at = text.find("\n" + begin + "{");
        EXPECT_NE(at, std::string::npos) << begin << " is not in\n" << text;
        size_t end = text.find('\n', at + 1);
        std::string line = text.substr(at + 1, end - at - 1);
        return line.substr(line.rfind(' ') + 1);
    }
    // A device's record, as CUPTI's buffers give it.
    template <class Record>
    static void append(prof_record_type type, const Record &record)
    {
        const unsigned words = sizeof record / 8;
        uint64_t *space = thread_reserve_late(type, words);
        memcpy(space + 1, reinterpret_cast<const char *>(&record) + 8, sizeof record - 8);
        thread_commit(space, type, words, 1);
    }
    unsigned files() const
    {
        unsigned count = 0;
        for (auto &entry : std::filesystem::directory_iterator(where))
            count += entry.path().string() != "";
        return count;
    }
    TemporaryDirectory directory;
    std::filesystem::path where = directory / "prometheus";
};

TEST_F(MetricsFile, HasWhatWasRecordedAndIsReplaced)
{
    std::filesystem::create_directory(where);
    IN_A_PROCESS_OF_ITS_OWN({
        umask(027);
        begin(where);
        for (int i = 0; i < 4; i++)
            prof_step();
        prof_range_push("ncclAllReduce");
        prof_range_pop();
        EXPECT_EQ(summary_write_metrics(), 0);
        std::string text = read(metrics_path());
        EXPECT_EQ(value(text, "libprof_steps_total"), "3");
        EXPECT_EQ(value(text, "libprof_collectives_total"), "1");
        EXPECT_EQ(value(text, "libprof_running"), "1");
        EXPECT_NE(text.find("rank=\"7\""), std::string::npos);
        prof_step();
        EXPECT_EQ(summary_write_metrics(), 0);
        EXPECT_EQ(value(read(metrics_path()), "libprof_steps_total"), "4");
        EXPECT_EQ(files(), 1u);
        struct stat status;
        EXPECT_EQ(stat(metrics_path(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0640u);
        session_finish();
        EXPECT_EQ(value(read(metrics_path()), "libprof_running"), "0");
        EXPECT_EQ(value(read(metrics_path()), "libprof_steps_total"), "5");
    });
}

// A graph that is recorded as a whole has no kernels that tell of progress.
TEST_F(MetricsFile, CountsTheRunOfAGraphAsProgress)
{
    std::filesystem::create_directory(where);
    IN_A_PROCESS_OF_ITS_OWN({
        begin(where);
        prof_range_push("before");
        prof_range_pop();
        EXPECT_EQ(summary_write_metrics(), 0);
        int64_t before_ns = metrics_counted()->progress_ns;
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        prof_rec_graph_run run = {};
        run.start_ns = (uint64_t)now.tv_sec * 1000000000u;
        run.end_ns = run.start_ns + 3600u * 1000000000ull;
        append(PROF_REC_GRAPH_RUN, run);
        EXPECT_EQ(summary_write_metrics(), 0);
        EXPECT_GT(metrics_counted()->progress_ns, before_ns + 1000 * INT64_C(1000000000));
    });
}

// CUDA's pinned memory, and an allocator of that name: no series is there twice.
TEST_F(MetricsFile, TellsHeapsOfOneNameApart)
{
    std::filesystem::create_directory(where);
    IN_A_PROCESS_OF_ITS_OWN({
        begin(where);
        prof_alloc(prof_alloc_track("pinned"), &where, 100);
        prof_rec_memory pinned = {};
        pinned.time_ns = 1;
        pinned.address = 0x1000;
        pinned.bytes = 200;
        pinned.kind = 2;
        pinned.operation = PROF_MEMORY_ALLOCATE;
        append(PROF_REC_MEMORY, pinned);
        session_finish();
        std::string text = read(metrics_path());
        EXPECT_NE(text.find("memory=\"pinned\"} "), std::string::npos) << text;
        EXPECT_NE(text.find("memory=\"pinned (2)\"} "), std::string::npos) << text;
    });
}

// The new text does not fit any more: the old file stays whole, and the program goes on.
TEST_F(MetricsFile, StaysWholeOnAFullDisk)
{
    std::filesystem::create_directory(where);
    IN_A_PROCESS_OF_ITS_OWN({
        begin(where);
        prof_step();
        prof_step();
        EXPECT_EQ(summary_write_metrics(), 0);
        std::string before = read(metrics_path());
        struct rlimit all;
        getrlimit(RLIMIT_FSIZE, &all);
        struct rlimit few = {100, all.rlim_max};
        signal(SIGXFSZ, SIG_IGN);
        prof_step();
        setrlimit(RLIMIT_FSIZE, &few);
        EXPECT_EQ(summary_write_metrics(), EFBIG);
        EXPECT_EQ(read(metrics_path()), before);
        EXPECT_EQ(files(), 1u);
        setrlimit(RLIMIT_FSIZE, &all);
        EXPECT_EQ(summary_write_metrics(), 0);
        EXPECT_EQ(value(read(metrics_path()), "libprof_steps_total"), "2");
    });
}

TEST_F(MetricsFile, IsNotThereWhenOff)
{
    std::filesystem::create_directory(where);
    IN_A_PROCESS_OF_ITS_OWN({
        begin("");
        prof_step();
        EXPECT_EQ(summary_write_metrics(), ENOENT);
        session_finish();
        EXPECT_EQ(files(), 0u);
    });
}

TEST_F(MetricsFile, OfADirectoryThatIsMissingIsWrittenOnceItIsThere)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin(where);
        prof_step();
        EXPECT_EQ(summary_write_metrics(), ENOENT);
        std::filesystem::create_directory(where);
        EXPECT_EQ(summary_write_metrics(), 0);
        EXPECT_EQ(files(), 1u);
    });
}

// A link of another user's in the place of the temporary file leads nowhere.
TEST_F(MetricsFile, FollowsNoLink)
{
    std::filesystem::create_directory(where);
    IN_A_PROCESS_OF_ITS_OWN({
        begin(where);
        prof_step();
        EXPECT_EQ(summary_write_metrics(), 0);
        std::ofstream(directory / "victim") << "as it was";
        std::string path = metrics_path();
        std::filesystem::create_symlink(directory / "victim", path + ".new");
        unlink(path.c_str());
        std::filesystem::create_symlink(directory / "victim", path);
        EXPECT_EQ(summary_write_metrics(), 0);
        EXPECT_EQ(read(directory / "victim"), "as it was");
        EXPECT_FALSE(std::filesystem::is_symlink(path));
    });
}

void age(const std::filesystem::path &path, int seconds)
{
    std::ofstream(path) << "old\n";
    timespec times[2] = {{time(nullptr) - seconds, 0}, {time(nullptr) - seconds, 0}};
    EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST_F(MetricsFile, OfAProcessThatIsGoneIsRemoved)
{
    std::filesystem::create_directory(where);
    age(where / "libprof-host-1-2.live.prom", 700);
    age(where / "libprof-host-3-4.live.prom", 500);
    age(where / "mine.prom", 7000);
    age(where / "libprof-result.prom", 7000);
    IN_A_PROCESS_OF_ITS_OWN({
        begin(where);
        prof_step();
        EXPECT_EQ(summary_write_metrics(), 0);
        EXPECT_FALSE(std::filesystem::exists(where / "libprof-host-1-2.live.prom"));
        EXPECT_EQ(files(), 4u);
    });
}

TEST_F(MetricsFile, OfAForkedChildIsItsOwn)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP()
        << "AddressSanitizer's allocator may be locked in a child of a program with threads";
#endif
    std::filesystem::create_directory(where);
    IN_A_PROCESS_OF_ITS_OWN({
        begin(where);
        for (int i = 0; i < 5; i++)
            prof_step();
        EXPECT_EQ(summary_write_metrics(), 0);
        IN_A_PROCESS_OF_ITS_OWN({
            session_fork_child();
            config_override((directory / "child.prof").c_str(), 64, false);
            prof_step();
            prof_step();
            EXPECT_EQ(summary_write_metrics(), 0);
            EXPECT_EQ(value(read(metrics_path()), "libprof_steps_total"), "1");
        });
        EXPECT_EQ(value(read(metrics_path()), "libprof_steps_total"), "4");
        EXPECT_EQ(files(), 2u);
    });
}

} // namespace
