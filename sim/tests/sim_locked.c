/* sim_locked.c - violations of the real library's locking rules visibly stop or delay a program. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim_test.h"

static void wait_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* How a child that does this ends: its wait status. Before CUPTI is used here. */
static int status_of(void (*act)(void))
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        act();
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    return status;
}

static bool is_stopped(void (*act)(void))
{
    const int status = status_of(act);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* ---- stops_calls_from_buffers ---- */

static int (*call)(void);
static bool in_request;

static int query_dropped(void)
{
    size_t dropped;
    return cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped);
}

static int enable_memset(void)
{
    return cuptiActivityEnable(2);
}

static int flush(void)
{
    return cuptiActivityFlushAll(0);
}

static int read_clock(void)
{
    uint64_t time_ns;
    return cuptiGetTimestamp(&time_ns);
}

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    if (in_request)
        call();
    *size = 8192;
    *buffer = calloc(1, *size);
    *max_records = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    uint8_t *record = NULL;
    (void)context, (void)stream, (void)size;
    CHECK(cuptiActivityGetNextRecord(buffer, valid, &record));
    call();
    free(buffer);
}

static void record_one(void)
{
    CHECK(cuptiActivityRegisterCallbacks(request, complete));
    CHECK(cuptiActivityEnable(10));
    CHECK(launch(NULL));
    CHECK(cudaDeviceSynchronize());
    CHECK(cuptiActivityFlushAll(0));
}

static void stops_calls_from_buffers(void)
{
    static int (*const refused[])(void) = {query_dropped, enable_memset, flush};
    for (size_t i = 0; i < 2 * sizeof refused / sizeof *refused; i++) {
        call = refused[i / 2];
        in_request = i % 2;
        EXPECT(is_stopped(record_one));
    }
    call = read_clock;
    EXPECT(!is_stopped(record_one));
}

static void lets_calls_from_buffers(void)
{
    call = query_dropped;
    EXPECT(status_of(record_one) == 0);
}

/* ---- stops_flush_beside_disable ---- */

static atomic_bool completing, disabled;

static void complete_slowly(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                            size_t valid)
{
    (void)context, (void)stream, (void)size, (void)valid;
    atomic_store(&completing, true);
    for (int i = 0; i < 500 && !atomic_load(&disabled); i++)
        wait_ms(10);
    free(buffer);
}

static void *disable_meanwhile(void *unused)
{
    while (!atomic_load(&completing))
        wait_ms(1);
    CHECK(cuptiActivityDisable(10));
    atomic_store(&disabled, true);
    return unused;
}

static void disable_beside_flush(void)
{
    pthread_t thread;
    call = read_clock;
    CHECK(cuptiActivityRegisterCallbacks(request, complete_slowly));
    CHECK(cuptiActivityEnable(10));
    CHECK(launch(NULL));
    CHECK(cudaDeviceSynchronize());
    EXPECT(pthread_create(&thread, NULL, disable_meanwhile, NULL) == 0);
    CHECK(cuptiActivityFlushAll(0));
    pthread_join(thread, NULL);
}

static void stops_flush_beside_disable(void)
{
    EXPECT(is_stopped(disable_beside_flush));
}

static void lets_flush_beside_disable(void)
{
    EXPECT(status_of(disable_beside_flush) == 0);
}

/* ---- holds_a_lock_across_callbacks ---- */

static atomic_bool entered, came_back;
static bool other_came_back;

static void *enter_cupti(void *unused)
{
    while (!atomic_load(&entered))
        wait_ms(1);
    CHECK(cuptiActivityFlushAll(0));
    atomic_store(&came_back, true);
    return unused;
}

static void wait_for_other(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
    (void)user, (void)domain, (void)cbid;
    if (((const struct callback_data *)data)->site != 0)
        return;
    CHECK(cuptiActivityFlushAll(0)); /* its own call takes the lock once more */
    atomic_store(&entered, true);
    for (int i = 0; i < 50 && !other_came_back; i++) {
        wait_ms(10);
        other_came_back = atomic_load(&came_back);
    }
}

static void wait_in_callback(void)
{
    void *subscriber = NULL;
    pthread_t thread;
    collect();
    CHECK(cudaFree(NULL));
    CHECK(cuptiSubscribe(&subscriber, wait_for_other, NULL));
    CHECK(cuptiEnableCallback(1, subscriber, 2, 211)); /* cudaLaunchKernel */
    EXPECT(pthread_create(&thread, NULL, enter_cupti, NULL) == 0);
    CHECK(launch(NULL));
    pthread_join(thread, NULL);
    EXPECT(atomic_load(&came_back));
}

static void holds_a_lock_across_callbacks(void)
{
    wait_in_callback();
    EXPECT(!other_came_back);
}

static void holds_no_lock_across_callbacks(void)
{
    wait_in_callback();
    EXPECT(other_came_back);
}

static const struct sim_test commands[] = {
    {"stops_calls_from_buffers", stops_calls_from_buffers},
    {"lets_calls_from_buffers", lets_calls_from_buffers},
    {"stops_flush_beside_disable", stops_flush_beside_disable},
    {"lets_flush_beside_disable", lets_flush_beside_disable},
    {"holds_a_lock_across_callbacks", holds_a_lock_across_callbacks},
    {"holds_no_lock_across_callbacks", holds_no_lock_across_callbacks},
};

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, commands, sizeof commands / sizeof commands[0]);
}
