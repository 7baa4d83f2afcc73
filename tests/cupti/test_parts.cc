// The small parts: buffers, kernels' names, facts, windows, the flusher.
#include "fake_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

extern "C" {
#include "buffers.h"
#include "facts.h"
#include "flusher.h"
#include "kernel_names.h"
#include "windows.h"
}

namespace
{

bool is_zero(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

TEST(Buffers, AreZeroWhenTheyComeBackAround)
{
    size_t bytes = 0;
    uint8_t *first = buffers_take(&bytes);
    ASSERT_TRUE(first);
    ASSERT_GE(bytes, 8192u);
    EXPECT_TRUE(is_zero(first, bytes));
    memset(first, 0xee, 1000);
    buffers_give_back(first, 1000);
    size_t again_bytes = 0;
    uint8_t *again = buffers_take(&again_bytes);
    EXPECT_EQ(again, first) << "recycled";
    EXPECT_TRUE(is_zero(again, again_bytes));
    buffers_give_back(again, 0);
}

TEST(Buffers, AreEightByteAlignedAndDistinct)
{
    size_t bytes;
    uint8_t *a = buffers_take(&bytes), *b = buffers_take(&bytes);
    EXPECT_NE(a, b);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 8, 0u);
    buffers_give_back(a, 0);
    buffers_give_back(b, 0);
}

TEST(Buffers, AreNeverRefused)
{
    std::vector<uint8_t *> held;
    size_t bytes = 0;
    for (int i = 0; i < 1100; i++) {
        held.push_back(buffers_take(&bytes));
        ASSERT_TRUE(held.back());
    }
    EXPECT_TRUE(buffers_is_last_resort(held.back()));
    EXPECT_GT(bytes, 0u);
    for (uint8_t *buffer : held)
        buffers_give_back(buffer, 0);
    uint8_t *fresh = buffers_take(&bytes);
    EXPECT_FALSE(buffers_is_last_resort(fresh));
    buffers_give_back(fresh, 0);
}

// CUPTI is promised zeroes in all of a buffer, and what it wrote behind the valid bytes is its own.
TEST(Buffers, AreZeroFromEndToEndWhenGivenAgain)
{
    for (bool prepared : {false, true}) {
        size_t bytes;
        if (prepared)
            buffers_prepare(1);
        uint8_t *buffer = buffers_take(&bytes);
        memset(buffer, 0xa5, bytes);
        for (int round = 0; round < 2; round++) {
            buffers_give_back(buffer, round ? 0 : bytes / 2);
            uint8_t *again = buffers_take(&bytes);
            ASSERT_EQ(again, buffer);
            EXPECT_EQ(std::count(again, again + bytes, 0), static_cast<ptrdiff_t>(bytes));
            again[bytes - 1] = 1;
        }
        buffers_give_back(buffer, bytes);
    }
}

TEST(Buffers, AreAsLargeAsTheRateWantsThem)
{
    size_t bytes;
    const struct {
        size_t wanted, given;
    } sizes[] = {{0, 8192}, {8193, 12288}, {30000, 32768}, {1 << 16, 1 << 16}, {1 << 30, 1 << 16}};
    for (auto &size : sizes) {
        buffers_fit(size.wanted);
        buffers_prepare(3);
        uint8_t *buffer = buffers_take(&bytes);
        EXPECT_EQ(bytes, size.given);
        EXPECT_EQ(buffers_bytes(buffer), size.given);
        buffers_give_back(buffer, bytes);
        EXPECT_EQ(buffers_bytes(buffer), 0u);
    }
    // A burst gets larger ones by itself.
    std::vector<uint8_t *> held;
    buffers_fit(0);
    do
        held.push_back(buffers_take(&bytes));
    while (bytes < 1 << 16 && held.size() < 1000);
    EXPECT_LT(held.size(), 200u);
    for (uint8_t *buffer : held)
        buffers_give_back(buffer, 0);
    buffers_fit(0);
}

TEST(Buffers, IgnoreWhatTheyNeverGave)
{
    uint8_t stranger[64] = {1};
    buffers_give_back(stranger, sizeof stranger);
    EXPECT_EQ(stranger[0], 1);
}

TEST(Buffers, ServeManyThreadsAtOnce)
{
    std::vector<std::thread> threads;
    std::atomic<int> clashes{0};
    for (int t = 0; t < 4; t++)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 2000; i++) {
                size_t bytes;
                uint8_t *buffer = buffers_take(&bytes);
                clashes += buffer[0] != 0;
                buffer[0] = static_cast<uint8_t>(t + 1);
                clashes += buffer[0] != t + 1;
                buffers_give_back(buffer, 1);
            }
        });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(clashes, 0);
}

TEST(KernelNames, AreInternedOncePerAddress)
{
    fake_reset();
    static const char name[] = "_Z3fooi";
    uint32_t id = kernel_names_id(name);
    EXPECT_EQ(fake_name(id), name);
    for (int i = 0; i < 100; i++)
        EXPECT_EQ(kernel_names_id(name), id);
    EXPECT_EQ(fake_interned(), 1u);
}

TEST(KernelNames, NoticeAnotherNameAtTheSameAddress)
{
    fake_reset();
    char name[32] = "_Z3barv";
    EXPECT_EQ(fake_name(kernel_names_id(name)), "_Z3barv");
    strcpy(name, "_Z3barvLonger");
    EXPECT_EQ(fake_name(kernel_names_id(name)), "_Z3barvLonger");
    strcpy(name, "_Z3");
    EXPECT_EQ(fake_name(kernel_names_id(name)), "_Z3");
}

TEST(KernelNames, KnowNoNameForNull)
{
    EXPECT_EQ(kernel_names_id(nullptr), 0u);
}

TEST(Facts, AreStatedAgainWhenTheFileIsMade)
{
    fake_reset();
    fake_set_file(false);
    prof_rec_context context = {};
    context.context = 900;
    facts_state(PROF_REC_CONTEXT, &context, sizeof context);
    facts_info(PROF_INFO_DRIVER, "13.0");
    EXPECT_TRUE(fake_metas(PROF_REC_CONTEXT).empty());
    fake_set_file(true);
    facts_restate();
    bool found = false;
    for (auto &meta : fake_metas(PROF_REC_CONTEXT))
        found |= meta.bytes == std::string(reinterpret_cast<char *>(&context), sizeof context);
    EXPECT_TRUE(found);
    EXPECT_EQ(fake_info(PROF_INFO_DRIVER), "13.0");
}

TEST(Facts, AreNotStatedTwice)
{
    fake_reset();
    prof_rec_context context = {};
    context.context = 901;
    facts_state(PROF_REC_CONTEXT, &context, sizeof context);
    facts_state(PROF_REC_CONTEXT, &context, sizeof context);
    EXPECT_EQ(fake_metas(PROF_REC_CONTEXT).size(), 1u);
}

TEST(Windows, HoldExactlyWhatWasLaunchedWhileOff)
{
    windows_note_off(7002);
    windows_note_off(7000);
    EXPECT_TRUE(windows_is_open());
    windows_end();
    EXPECT_FALSE(windows_is_open());
    windows_note_off(7010);
    windows_end();
    EXPECT_FALSE(windows_was_off(6999));
    EXPECT_TRUE(windows_was_off(7000));
    EXPECT_TRUE(windows_was_off(7001));
    EXPECT_FALSE(windows_was_off(7005)) << "recording was on in between";
    EXPECT_TRUE(windows_was_off(7010));
}

TEST(Windows, SurviveAThousandSwitches)
{
    for (uint32_t i = 0; i < 1000; i++) {
        windows_note_off(100000 + 10 * i);
        windows_end();
        windows_end();
    }
    EXPECT_TRUE(windows_was_off(100000 + 10 * 999));
    EXPECT_FALSE(windows_was_off(100000 + 10 * 999 + 1));
}

std::atomic<int> jobs{0};
std::atomic<bool> release_job{false};
void quick_job()
{
    jobs++;
}
void stuck_job()
{
    while (!release_job)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
void marked_job()
{
    jobs += fake_thread_is_internal() ? 100 : 0;
}

TEST(Flusher, RunsJobsOneAfterAnother)
{
    jobs = 0;
    for (int i = 0; i < 100; i++)
        EXPECT_TRUE(flusher_run(quick_job, 5000));
    EXPECT_EQ(jobs, 100);
}

TEST(Flusher, IsTheProfilersOwnThread)
{
    jobs = 0;
    EXPECT_TRUE(flusher_run(marked_job, 5000));
    EXPECT_EQ(jobs, 100);
}

TEST(Flusher, NeverWaitsLongerThanTheDeadline)
{
    release_job = false;
    auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(flusher_run(stuck_job, 50));
    EXPECT_FALSE(flusher_run(quick_job, 600000)) << "nobody waits for the same job twice";
    EXPECT_FALSE(flusher_post(quick_job));
    auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took, std::chrono::milliseconds(1500));
    release_job = true;
    bool done = false;
    for (int tries = 0; tries < 5000 && !done; tries++) {
        done = flusher_run(quick_job, 5000);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(done) << "comes back when the job does";
}

} // namespace
