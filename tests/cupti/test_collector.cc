// The collector from its first call to its last, against a libcupti whose answers are chosen.
// Each test runs in a process of its own: most of what it does can be done once.
#include "fake_recorder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <unistd.h>

extern "C" {
#include "cupti.h"
}

namespace
{

int counter(const char *name)
{
    void *library = dlopen(FAKE_LIBCUPTI, RTLD_NOW | RTLD_NOLOAD);
    void *found = library ? dlsym(library, name) : nullptr;
    return found ? __atomic_load_n(static_cast<int *>(found), __ATOMIC_SEQ_CST) : -1;
}

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition)) {                                \
            fprintf(stderr, "not true: %s\n", #condition); \
            _exit(1);                                      \
        }                                                  \
    } while (0)

// Runs the body in a child process; _exit, since exit handlers are not what is tested.
#define IN_CHILD(body) EXPECT_EXIT(body(); _exit(0), testing::ExitedWithCode(0), "")

void begin()
{
    fake_reset();
    fake_config().cupti_path = FAKE_LIBCUPTI;
    cupti_collector.cuda_init();
}

bool says(const char *part)
{
    return fake_gpu_reason().find(part) != std::string::npos;
}

void check_refused(const char *part)
{
    CHECK(fake_gpu_mode() == PROF_GPU_UNAVAILABLE);
    if (!says(part)) {
        fprintf(stderr, "reason: %s\n", fake_gpu_reason().c_str());
        _exit(1);
    }
    CHECK(fake_log().size() == 1);
    CHECK(counter("fake_subscribers") <= 0);
    cupti_collector.tick();
    cupti_collector.flush(100);
    cupti_collector.finish();
    CHECK(counter("fake_flushes") <= 0);
}

TEST(Collector, RecordsWhatCuptiDelivers)
{
    IN_CHILD([] {
        setenv("FAKE_KERNELS", "3", 1);
        begin();
        CHECK(fake_gpu_mode() == PROF_GPU_CUPTI);
        CHECK(counter("fake_enabled_kinds") == 9); // it has no record sizes of memory
        CHECK(counter("fake_callbacks") > 200);
        cupti_collector.flush(2000);
        CHECK(fake_records(PROF_REC_KERNEL).size() == 3);
        CHECK(fake_gpu_records() == 3);
        CHECK(fake_info(PROF_INFO_CUPTI).find("CUPTI 13.0.0") != std::string::npos);
        cupti_collector.finish();
        CHECK(counter("fake_disabled_kinds") == 9);
        size_t before = fake_records().size();
        cupti_collector.flush(100);
        CHECK(fake_records().size() == before);
    });
}

TEST(Collector, AsksCuptiForNoMoreThanItWasTold)
{
    const struct {
        config_gpu_detail detail;
        int kinds, callbacks_low, callbacks_high;
    } levels[] = {{CONFIG_DETAIL_MINIMAL, 6, 150, 250},
                  {CONFIG_DETAIL_STANDARD, 8, 250, 400},
                  {CONFIG_DETAIL_FULL, 9, 250, 2000}};
    for (const auto &level : levels)
        IN_CHILD([&] {
            fake_reset();
            fake_config().gpu_detail = level.detail;
            fake_config().cupti_path = FAKE_LIBCUPTI;
            cupti_collector.cuda_init();
            CHECK(counter("fake_enabled_kinds") == level.kinds);
            CHECK(counter("fake_callbacks") > level.callbacks_low);
            CHECK(counter("fake_callbacks") < level.callbacks_high);
            cupti_collector.finish();
            CHECK(counter("fake_disabled_kinds") == level.kinds);
        });
}

// A buffer's end is known here, whatever CUPTI says: behind it lies somebody else's memory, or none.
TEST(Collector, ReadsNothingBehindABuffersEnd)
{
    IN_CHILD([] {
        setenv("FAKE_KERNELS", "37", 1); // as many as fit into 8 KiB
        setenv("FAKE_BYTES", "1000000000", 1);
        fake_config().gpu_buffer_kib = 64;
        begin();
        cupti_collector.flush(10000);
        CHECK(fake_records(PROF_REC_KERNEL).size() == 37);
        cupti_collector.flush(10000); // the buffer is in use again
        CHECK(fake_records(PROF_REC_KERNEL).size() == 74);
    });
}

TEST(Collector, TouchesNothingBeforeCudaIsUsed)
{
    IN_CHILD([] {
        fake_reset();
        fake_config().cupti_path = FAKE_LIBCUPTI;
        cupti_collector.start();
        cupti_collector.tick();
        cupti_collector.flush(100);
        cupti_collector.stop();
        cupti_collector.finish();
        CHECK(counter("fake_flushes") == -1);
    });
}

TEST(Collector, BeginsOnce)
{
    IN_CHILD([] {
        begin();
        cupti_collector.cuda_init();
        CHECK(counter("fake_subscribers") == 1);
    });
}

TEST(Collector, LeavesCudaAloneWhenTold)
{
    IN_CHILD([] {
        fake_reset();
        fake_config().cupti_path = FAKE_LIBCUPTI;
        fake_config().cuda = 0;
        cupti_collector.cuda_init();
        CHECK(counter("fake_subscribers") == -1);
    });
}

TEST(Collector, NamesTheToolThatHoldsCupti)
{
    IN_CHILD([] {
        setenv("FAKE_SUBSCRIBE", "39", 1);
        setenv("FAKE_HOLDER", "Nsight Systems", 1);
        begin();
        check_refused("another tool holds CUPTI: Nsight Systems");
    });
}

TEST(Collector, SaysThatThereIsNoDriver)
{
    IN_CHILD([] {
        setenv("FAKE_SUBSCRIBE", "15", 1);
        begin();
        check_refused("no usable CUDA driver");
    });
    IN_CHILD([] {
        setenv("FAKE_SUBSCRIBE", "999", 1);
        begin();
        check_refused("no usable CUDA driver");
    });
}

TEST(Collector, SaysThatPermissionIsMissing)
{
    IN_CHILD([] {
        setenv("FAKE_ENABLE", "35", 1);
        begin();
        check_refused("administrators");
    });
}

TEST(Collector, SaysThatCuptiIsTooOld)
{
    IN_CHILD([] {
        setenv("FAKE_VERSION", "12", 1);
        begin();
        check_refused("older than CUDA 11.0");
    });
}

TEST(Collector, SaysThatTheNamedLibraryIsNoCupti)
{
    IN_CHILD([] {
        fake_reset();
        fake_config().cupti_path = "/nowhere/libcupti.so.13";
        cupti_collector.cuda_init();
        check_refused("cannot load PROF_CUPTI=/nowhere/libcupti.so.13");
    });
}

TEST(Collector, DoesNotWaitForAFlushThatHangs)
{
    IN_CHILD([] {
        setenv("FAKE_FLUSH", "hang", 1);
        begin();
        fake_config().exit_ms = 400;
        auto start = std::chrono::steady_clock::now();
        cupti_collector.tick();
        cupti_collector.flush(200);
        cupti_collector.finish();
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1500));
    });
}

TEST(Collector, IsDeafInAForkedChild)
{
    IN_CHILD([] {
        setenv("FAKE_FLUSH", "hang", 1);
        begin();
        cupti_collector.fork_child();
        cupti_collector.tick();
        cupti_collector.flush(5000);
        cupti_collector.start();
        cupti_collector.finish();
        CHECK(counter("fake_flushes") == 0);
    });
}

TEST(Collector, CollectsNothingUntilRecordingIsOn)
{
    IN_CHILD([] {
        fake_reset();
        fake_set_on(false);
        fake_config().cupti_path = FAKE_LIBCUPTI;
        cupti_collector.cuda_init();
        CHECK(counter("fake_enabled_kinds") == 0);
        fake_set_on(true);
        cupti_collector.start();
        CHECK(counter("fake_enabled_kinds") == 9);
        cupti_collector.stop();
        cupti_collector.start();
        CHECK(counter("fake_enabled_kinds") == 9);
        CHECK(counter("fake_disabled_kinds") == 0);
    });
}

TEST(Collector, FlushesNothingWhereNothingWasRecorded)
{
    IN_CHILD([] {
        fake_reset();
        fake_set_on(false);
        fake_config().cupti_path = FAKE_LIBCUPTI;
        cupti_collector.cuda_init();
        cupti_collector.flush(5000);
        cupti_collector.finish();
        CHECK(counter("fake_flushes") == 0);
    });
}

TEST(Collector, SwitchesTheKindsOffSomeTimeAfterAStop)
{
    IN_CHILD([] {
        begin();
        cupti_collector.file_created();
        fake_set_on(false);
        cupti_collector.stop();
        for (int i = 0; i < 500 && counter("fake_disabled_kinds") == 0; i++) {
            cupti_collector.tick();
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        CHECK(counter("fake_disabled_kinds") == 9);
        CHECK(counter("fake_flushes") >= 20);
        CHECK(counter("fake_callbacks") < 60); // launches are not looked at any more
        fake_set_on(true);
        cupti_collector.start();
        CHECK(counter("fake_enabled_kinds") == 18);
        CHECK(counter("fake_callbacks") > 200);
    });
}

TEST(Collector, LooksAtNoLaunchBeforeRecordingIsOn)
{
    IN_CHILD([] {
        fake_reset();
        fake_set_on(false);
        fake_config().cupti_path = FAKE_LIBCUPTI;
        cupti_collector.cuda_init();
        CHECK(counter("fake_callbacks") < 60);
        fake_set_on(true);
        cupti_collector.start();
        CHECK(counter("fake_callbacks") > 200);
    });
}

TEST(Collector, HasItsKindsOnInAWarmUpAndOffAfterOneForNothing)
{
    for (bool early : {true, false}) // before CUDA is used, and after
        for (bool comes : {true, false})
            IN_CHILD([&] {
                fake_reset();
                fake_set_on(false);
                fake_config().cupti_path = FAKE_LIBCUPTI;
                if (early)
                    cupti_collector.warm(true);
                cupti_collector.cuda_init();
                if (!early)
                    cupti_collector.warm(true);
                CHECK(counter("fake_enabled_kinds") == 9);
                fake_set_on(comes);
                if (comes)
                    cupti_collector.start();
                else
                    cupti_collector.warm(false);
                for (int i = 0; i < 100 && !counter("fake_disabled_kinds"); i++)
                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                CHECK(counter("fake_enabled_kinds") == 9);
                CHECK(counter("fake_disabled_kinds") == (comes ? 0 : 9));
            });
}

// A forced flush loses what is still running: wanted at the very end, and only there.
TEST(Collector, ForcesRecordsOutOnlyWhenTheProcessEnds)
{
    IN_CHILD([] {
        begin();
        cupti_collector.start();
        cupti_collector.flush(2000);
        CHECK(counter("fake_last_flags") == 0);
        cupti_collector.stop();
        cupti_collector.flush(2000);
        CHECK(counter("fake_last_flags") == 0);
        fake_set_ending();
        cupti_collector.flush(2000);
        CHECK(counter("fake_last_flags") == 1);
        cupti_collector.finish();
        CHECK(counter("fake_last_flags") == 1);
    });
}

TEST(Collector, StatesItsFactsAgainWhenTheFileIsMade)
{
    IN_CHILD([] {
        fake_reset();
        fake_set_file(false);
        fake_config().cupti_path = FAKE_LIBCUPTI;
        cupti_collector.cuda_init();
        CHECK(fake_info(PROF_INFO_CUPTI).empty());
        fake_set_file(true);
        cupti_collector.file_created();
        CHECK(!fake_info(PROF_INFO_CUPTI).empty());
    });
}

} // namespace
