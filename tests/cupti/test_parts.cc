// The small parts: buffers, facts, windows.
#include "fake_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

extern "C" {
#include "activity.h"
#include "facts.h"
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
    uint8_t *first = buffers_acquire(&bytes);
    ASSERT_TRUE(first);
    ASSERT_GE(bytes, 8192u);
    EXPECT_TRUE(is_zero(first, bytes));
    memset(first, 0xee, 1000);
    buffers_release(first, 1000);
    size_t again_bytes = 0;
    uint8_t *again = buffers_acquire(&again_bytes);
    EXPECT_EQ(again, first) << "recycled";
    EXPECT_TRUE(is_zero(again, again_bytes));
    buffers_release(again, 0);
}

TEST(Buffers, AreEightByteAlignedAndDistinct)
{
    size_t bytes;
    uint8_t *a = buffers_acquire(&bytes), *b = buffers_acquire(&bytes);
    EXPECT_NE(a, b);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 8, 0u);
    buffers_release(a, 0);
    buffers_release(b, 0);
}

TEST(Buffers, AreNeverRefused)
{
    std::vector<uint8_t *> held;
    size_t bytes = 0;
    for (int i = 0; i < 1100; i++) {
        held.push_back(buffers_acquire(&bytes));
        ASSERT_TRUE(held.back());
    }
    EXPECT_TRUE(buffers_is_last_resort(held.back()));
    EXPECT_GT(bytes, 0u);
    for (uint8_t *buffer : held)
        buffers_release(buffer, 0);
    uint8_t *fresh = buffers_acquire(&bytes);
    EXPECT_FALSE(buffers_is_last_resort(fresh));
    buffers_release(fresh, 0);
}

// CUPTI is promised zeroes in all of a buffer, and what it wrote behind the valid bytes is its own.
TEST(Buffers, AreZeroFromEndToEndWhenGivenAgain)
{
    for (bool prepared : {false, true}) {
        size_t bytes;
        if (prepared)
            buffers_prepare(1);
        uint8_t *buffer = buffers_acquire(&bytes);
        memset(buffer, 0xa5, bytes);
        for (int round = 0; round < 2; round++) {
            buffers_release(buffer, round ? 0 : bytes / 2);
            uint8_t *again = buffers_acquire(&bytes);
            ASSERT_EQ(again, buffer);
            EXPECT_EQ(std::count(again, again + bytes, 0), static_cast<ptrdiff_t>(bytes));
            again[bytes - 1] = 1;
        }
        buffers_release(buffer, bytes);
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
        uint8_t *buffer = buffers_acquire(&bytes);
        EXPECT_EQ(bytes, size.given);
        EXPECT_EQ(buffers_bytes(buffer), size.given);
        buffers_release(buffer, bytes);
        EXPECT_EQ(buffers_bytes(buffer), 0u);
    }
    // A burst gets larger ones by itself.
    std::vector<uint8_t *> held;
    buffers_fit(0);
    do
        held.push_back(buffers_acquire(&bytes));
    while (bytes < 1 << 16 && held.size() < 1000);
    EXPECT_LT(held.size(), 200u);
    for (uint8_t *buffer : held)
        buffers_release(buffer, 0);
    buffers_fit(0);
}

TEST(Buffers, IgnoreWhatTheyNeverGave)
{
    uint8_t stranger[64] = {1};
    buffers_release(stranger, sizeof stranger);
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
                uint8_t *buffer = buffers_acquire(&bytes);
                clashes += buffer[0] != 0;
                buffer[0] = static_cast<uint8_t>(t + 1);
                clashes += buffer[0] != t + 1;
                buffers_release(buffer, 1);
            }
        });
    for (auto &thread : threads)
        thread.join();
    EXPECT_EQ(clashes, 0);
}

TEST(Facts, AreStatedAgainWhenTheFileIsMade)
{
    fake_reset();
    fake_set_file(false);
    prof_rec_context context = {};
    context.context = 900;
    facts_emit(PROF_REC_CONTEXT, &context, sizeof context);
    facts_set_info(PROF_INFO_DRIVER, "13.0");
    EXPECT_TRUE(fake_metas(PROF_REC_CONTEXT).empty());
    fake_set_file(true);
    facts_emit_all();
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
    facts_emit(PROF_REC_CONTEXT, &context, sizeof context);
    facts_emit(PROF_REC_CONTEXT, &context, sizeof context);
    EXPECT_EQ(fake_metas(PROF_REC_CONTEXT).size(), 1u);
}

TEST(Windows, HoldExactlyWhatWasLaunchedWhileOff)
{
    lost_window_note(7002);
    lost_window_note(7000);
    EXPECT_TRUE(lost_window_is_open());
    lost_window_end();
    EXPECT_FALSE(lost_window_is_open());
    lost_window_note(7010);
    lost_window_end();
    EXPECT_FALSE(lost_was_off(6999));
    EXPECT_TRUE(lost_was_off(7000));
    EXPECT_TRUE(lost_was_off(7001));
    EXPECT_FALSE(lost_was_off(7005)) << "recording was on in between";
    EXPECT_TRUE(lost_was_off(7010));
}

TEST(Windows, SurviveAThousandSwitches)
{
    for (uint32_t i = 0; i < 1000; i++) {
        lost_window_note(100000 + 10 * i);
        lost_window_end();
        lost_window_end();
    }
    EXPECT_TRUE(lost_was_off(100000 + 10 * 999));
    EXPECT_FALSE(lost_was_off(100000 + 10 * 999 + 1));
}

} // namespace
