// Futex waits without a timeout, which may be interrupted.
#include "recorder_support.h"

extern "C" {
#include "futex_wait.h"
}

namespace
{

bool is_endless(long call, uint64_t operation, uint64_t fourth, uint64_t fifth = 0)
{
    const uint64_t arguments[6] = {0x1000, operation, 0, fourth, fifth, 0};
    return futex_wait_is_endless(call, arguments);
}

TEST(FutexWait, IsEndlessWithoutATimeout)
{
    for (uint64_t operation :
         {FUTEX_WAIT, FUTEX_WAIT_PRIVATE, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, FUTEX_LOCK_PI,
          FUTEX_LOCK_PI_PRIVATE, 13}) {
        EXPECT_TRUE(is_endless(SYS_futex, operation, 0)) << operation;
        EXPECT_TRUE(is_endless(SYS_futex, operation | 0xabcd00000000, 0)) << operation;
        EXPECT_FALSE(is_endless(SYS_futex, operation, 0x2000)) << operation;
    }
    EXPECT_TRUE(is_endless(449, 1, 0));
    EXPECT_FALSE(is_endless(449, 1, 0x2000));
    EXPECT_TRUE(is_endless(455, 1, 2, 0));
    EXPECT_FALSE(is_endless(455, 1, 2, 0x2000));
}

TEST(FutexWait, IsNoOtherOperation)
{
    for (uint64_t operation :
         {FUTEX_WAKE, FUTEX_WAIT_REQUEUE_PI, FUTEX_TRYLOCK_PI, FUTEX_CMP_REQUEUE})
        EXPECT_FALSE(is_endless(SYS_futex, operation, 0)) << operation;
}

TEST(FutexWait, IsNoOtherCall)
{
    for (long call : {long{SYS_read}, long{SYS_write}, long{SYS_clock_nanosleep}, -1L, -2L})
        EXPECT_FALSE(is_endless(call, FUTEX_WAIT, 0)) << call;
}

} // namespace
