// The two steps on which the log rests: a header word is stored after what it announces, and a signal's handler never takes the
// words that the code it interrupts takes. Emulators and x86-64 order memory more strictly than aarch64 does, so there
// tests/e2e/test_aarch64_code.sh looks at the instructions; this test means most on a real aarch64 machine.
#include "recorder_support.h"

extern "C" {
#include "arch.h"
#include "atomic.h"
}

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace
{

const size_t words = 1 << 14, rounds = 60;

// What a record with this header has in its other words.
uint64_t payload_of(uint64_t header)
{
    return header * UINT64_C(0x9e3779b97f4a7c15);
}

void write_records(uint64_t *log, uint64_t round)
{
    uint64_t *cursor = log;
    for (size_t i = 0; i < words / 4; i++) {
        uint64_t *record = arch_local_advance(&cursor, 4), header = round << 32 | (i + 1);
        for (int part = 1; part < 4; part++)
            store_relaxed(&record[part], payload_of(header) + static_cast<uint64_t>(part));
        store_release(record, header);
    }
}

// Returns how many records had another payload. Reads each word once, forwards, as readers of the log do.
unsigned read_records(const uint64_t *log, uint64_t round)
{
    unsigned torn = 0;
    for (size_t i = 0; i < words / 4; i++) {
        const uint64_t *record = log + 4 * i;
        uint64_t header;
        while (!(header = load_acquire(record)))
            sched_yield();
        torn += header != (round << 32 | (i + 1));
        for (int part = 1; part < 4; part++)
            torn += load_relaxed(&record[part]) != payload_of(header) + static_cast<uint64_t>(part);
    }
    return torn;
}

TEST(CommitOrder, APayloadIsThereWithItsHeader)
{
    unsigned torn = 0;
    std::vector<uint64_t> log(words);
    for (uint64_t round = 1; round <= rounds; round++) {
        std::fill(log.begin(), log.end(), 0);
        std::thread writer(write_records, log.data(), round);
        torn += read_records(log.data(), round);
        writer.join();
    }
    EXPECT_EQ(torn, 0u);
}

// ---- the cursor ----

const size_t slots = 1 << 22;
uint64_t *cursor;
volatile uint64_t by_handler;
std::atomic<bool> is_over;

void take_one(int)
{
    *arch_local_advance(&cursor, 1) += 1;
    by_handler = by_handler + 1;
}

void send_signals(pthread_t target)
{
    for (int i = 0; i < 4000; i++) {
        pthread_kill(target, SIGUSR1);
        sched_yield();
    }
    is_over = true;
}

TEST(CommitOrder, AHandlerTakesOtherWords)
{
    std::vector<uint64_t> log(slots + 8192);
    struct sigaction action = {}, old;
    action.sa_handler = take_one;
    sigaction(SIGUSR1, &action, &old);
    cursor = log.data();
    by_handler = 0;
    is_over = false;
    uint64_t taken = 0;
    std::thread sender(send_signals, pthread_self());
    while (!is_over && taken < slots) {
        *arch_local_advance(&cursor, 1) += 1;
        taken++;
        uint64_t *now = load_relaxed(&cursor);
        if (taken < slots && arch_local_cas(&cursor, now, now + 1)) {
            *now += 1;
            taken++;
        }
    }
    sender.join();
    sigaction(SIGUSR1, &old, nullptr);
    EXPECT_GT(by_handler, 0u);
    ASSERT_EQ(static_cast<uint64_t>(cursor - log.data()), taken + by_handler);
    for (const uint64_t *slot = log.data(); slot < cursor; slot++)
        ASSERT_EQ(*slot, 1u) << slot - log.data();
}

TEST(CommitOrder, ACursorThatHasMovedIsNotSet)
{
    uint64_t log[4] = {};
    uint64_t *place = log;
    EXPECT_FALSE(arch_local_cas(&place, log + 1, log + 2));
    EXPECT_EQ(place, log);
    EXPECT_TRUE(arch_local_cas(&place, log, log + 2));
    EXPECT_EQ(place, log + 2);
    EXPECT_EQ(arch_local_advance(&place, 2), log + 2);
    EXPECT_EQ(place, log + 4);
}

} // namespace
