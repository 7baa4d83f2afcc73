// The sampler in a recording of its own process: what samples weigh, and threads that it has no place for.
#include "recorder_support.h"

#include <atomic>
#include <ctime>
#include <pthread.h>
#include <vector>

extern "C" {
#include "clock.h"
#include "config.h"
#include "hang.h"
#include "meta.h"
#include "own_thread.h"
#include "sample.h"
#include "sample_inside.h"
#include "session.h"
#include "thread.h"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // a function has the name of a struct
#include "log_walk.h"
#pragma GCC diagnostic pop
}

namespace
{

#ifdef __SANITIZE_THREAD__
#define SKIP_WITHOUT_THREADS() GTEST_SKIP() << "beside ThreadSanitizer libprof has no threads"
#else
#define SKIP_WITHOUT_THREADS() (void)0
#endif

void begin_sampling(const std::string &path, const char *rate)
{
    setenv("PROF_OUTPUT", path.c_str(), 1);
    setenv("PROF_SAMPLE", rate, 1);
    config_load();
    static const collector *const collectors[] = {&sample_collector, nullptr};
    session_init(collectors, true);
    ASSERT_TRUE(thread_ready(&thread_self));
    ASSERT_TRUE(sample_runs());
}

bool keep_sample(void *state, const uint64_t *record, unsigned)
{
    prof_rec_sample sample;
    if (PROF_WORD_KIND(*record) == PROF_KIND_EXT && PROF_WORD_TYPE(*record) == PROF_REC_SAMPLE) {
        memcpy(&sample, record, sizeof sample);
        static_cast<std::vector<prof_rec_sample> *>(state)->push_back(sample);
    }
    return true;
}

// Of a thread that ran, in the order of time.
std::vector<prof_rec_sample> samples_of(const std::string &path, uint32_t tid)
{
    std::vector<prof_rec_sample> all, found;
    std::ifstream file(path, std::ios::binary);
    std::vector<uint64_t> words(LOG_WALK_WORDS);
    while (file.read(reinterpret_cast<char *>(words.data()), PROF_CHUNK_BYTES)) {
        const auto *header = reinterpret_cast<const prof_chunk_header *>(words.data());
        if (header->kind == PROF_CHUNK_LOG)
            log_walk_records(words.data(), LOG_WALK_HEADER_WORDS, LOG_WALK_WORDS, keep_sample,
                             &all);
    }
    for (const prof_rec_sample &sample : all)
        if (sample.tid == tid && sample.state == PROF_SAMPLE_RUNS)
            found.push_back(sample);
    return found;
}

uint64_t cpu_ns()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// The thread's CPU time before and after a moment.
struct moment {
    uint64_t before_ns, ticks, after_ns;
};

std::vector<moment> use_cpu(uint64_t ns)
{
    std::vector<moment> moments;
    volatile uint64_t sink = 0;
    for (uint64_t end_ns = cpu_ns() + ns; moments.empty() || moments.back().after_ns < end_ns;) {
        uint64_t before_ns = cpu_ns(), ticks = clock_now();
        moments.push_back({before_ns, ticks, cpu_ns()});
        for (int i = 0; i < 20000; i++)
            sink = sink + static_cast<uint64_t>(i);
    }
    return moments;
}

// The least and the most CPU time that the thread can have used by then.
uint64_t least_ns(const std::vector<moment> &moments, uint64_t ticks)
{
    uint64_t ns = 0;
    for (const moment &each : moments)
        ns = each.ticks <= ticks ? each.before_ns : ns;
    return ns;
}

uint64_t most_ns(const std::vector<moment> &moments, uint64_t ticks)
{
    for (const moment &each : moments)
        if (each.ticks >= ticks)
            return each.after_ns;
    return cpu_ns();
}

// Whether the sampler was late and samples are missing, or not.
TEST(Sample, WeightsAddUpToTheThreadsCpuTime)
{
    SKIP_WITHOUT_THREADS();
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        std::string path = directory / "a.prof";
        begin_sampling(path, "500");
        std::vector<moment> moments = use_cpu(600000000);
        session_finish();
        auto samples = samples_of(path, static_cast<uint32_t>(getpid()));
        while (!samples.empty() && samples[0].ticks < moments[0].ticks)
            samples.erase(samples.begin());
        ASSERT_GE(samples.size(), 10u);
        uint64_t first = samples.front().ticks;
        uint64_t last = samples.back().ticks;
        uint64_t sum_ns = 0;
        for (size_t i = 1; i < samples.size(); i++) {
            EXPECT_GT(samples[i].ticks, samples[i - 1].ticks);
            EXPECT_NE(samples[i].stack, 0u);
            sum_ns += samples[i].weight_ns;
        }
        EXPECT_GE(sum_ns, least_ns(moments, last) - most_ns(moments, first));
        EXPECT_LE(sum_ns, most_ns(moments, last) - least_ns(moments, first));
        EXPECT_EQ(loss_get(PROF_LOSS_UNSAMPLED), 0u);
    });
}

// ---- more threads than places ----

std::atomic<bool> may_end;

void *wait_for_end(void *)
{
    while (!may_end)
        usleep(10000);
    return nullptr;
}

const unsigned without_place = 5, cannot = 77;

void begin_threads(std::vector<pthread_t> &threads)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    for (pthread_t &thread : threads)
        if (pthread_create(&thread, &attributes, wait_for_end, nullptr) != 0)
            _exit(cannot);
}

// A thread of ours counts as the program's until it has said what it is.
void await_own_threads()
{
    uint32_t tids[16];
    for (int i = 0; i < 3000; i++) {
        unsigned others = 0;
        unsigned count = hang_list_threads(tids, 16);
        for (unsigned at = 0; at < count; at++)
            others += !own_thread_is(tids[at]);
        if (others == 1)
            return;
        usleep(10000);
    }
    ADD_FAILURE() << "threads of unknown origin";
}

void await_losses(uint64_t count)
{
    for (int i = 0; i < 3000 && loss_get(PROF_LOSS_UNSAMPLED) < count; i++)
        usleep(10000);
}

TEST(Sample, ThreadsWithoutAPlaceAreCountedAndSaid)
{
    SKIP_WITHOUT_THREADS();
    TemporaryDirectory directory;
    int status = status_of_a_process([&] {
        std::vector<pthread_t> threads(SAMPLE_THREADS_MAX + without_place - 1); // and this one
        std::string said = stderr_of([&] {
            begin_sampling(directory / "a.prof", "99");
            await_own_threads();
            begin_threads(threads);
            await_losses(without_place);
        });
        EXPECT_NE(said.find("more than 1024 threads"), std::string::npos) << said;
        may_end = true;
        for (pthread_t thread : threads)
            pthread_join(thread, nullptr);
        EXPECT_EQ(loss_get(PROF_LOSS_UNSAMPLED), without_place);
        session_finish();
    });
    if (WIFEXITED(status) && WEXITSTATUS(status) == cannot)
        GTEST_SKIP() << "the system allows too few threads";
    EXPECT_EQ(status, 0);
}

// Those that come in the place of others without a place are counted as well, and nobody twice.
TEST(Sample, EachThreadWithoutAPlaceIsCountedOnce)
{
    SKIP_WITHOUT_THREADS();
    TemporaryDirectory directory;
    int status = status_of_a_process([&] {
        std::vector<pthread_t> placed(SAMPLE_THREADS_MAX - 1); // and this one
        begin_sampling(directory / "a.prof", "99");
        await_own_threads();
        begin_threads(placed);
        const uint32_t *last = &sample_thread_at(SAMPLE_THREADS_MAX - 1)->tid;
        for (int i = 0; i < 3000 && !__atomic_load_n(last, __ATOMIC_ACQUIRE); i++)
            usleep(10000);
        for (uint64_t turn = 1; turn <= 3; turn++) {
            std::vector<pthread_t> others(without_place);
            std::atomic<bool> others_may_end{false};
            for (pthread_t &thread : others)
                if (pthread_create(
                        &thread, nullptr,
                        [](void *end) -> void * {
                            while (!*static_cast<std::atomic<bool> *>(end))
                                usleep(10000);
                            return nullptr;
                        },
                        &others_may_end) != 0)
                    _exit(cannot);
            await_losses(turn * without_place);
            usleep(300000); // looked at again
            others_may_end = true;
            for (pthread_t thread : others)
                pthread_join(thread, nullptr);
            EXPECT_EQ(loss_get(PROF_LOSS_UNSAMPLED), turn * without_place);
        }
        may_end = true;
        for (pthread_t thread : placed)
            pthread_join(thread, nullptr);
        session_finish();
    });
    if (WIFEXITED(status) && WEXITSTATUS(status) == cannot)
        GTEST_SKIP() << "the system allows too few threads";
    EXPECT_EQ(status, 0);
}

} // namespace
