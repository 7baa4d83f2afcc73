#include "sim_client_clock.h"

#include <pthread.h>
#include <stdatomic.h>

#include "sim_clock.h"

enum { TRIES = 8, FIRST_NS = 3000000, AGAIN_NS = 20000000 };

struct pair {
    uint64_t host_ns, client;
};

static _Atomic(uint64_t (*)(void)) client_clock;
static _Atomic(uint64_t) align_at_ns; /* of CLOCK_REALTIME: the latest pair is old by then */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; over the next line */
static struct pair first, latest;

/* The tightest of a few: a thread may lose its processor between the readings. */
static struct pair read_pair(uint64_t (*clock)(void))
{
    struct pair best = {0, 0};
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t before = sim_clock_now(), client = clock(), after = sim_clock_now();
        if (after - before >= tightest)
            continue;
        tightest = after - before;
        best = (struct pair){before + tightest / 2, client};
    }
    return best;
}

void sim_client_clock_set(uint64_t (*clock)(void))
{
    if (clock) {
        const struct pair begin = read_pair(clock);
        sim_clock_wait(begin.host_ns + FIRST_NS);
        const struct pair end = read_pair(clock);
        pthread_mutex_lock(&lock);
        first = begin;
        latest = end;
        pthread_mutex_unlock(&lock);
        atomic_store(&align_at_ns, end.host_ns + AGAIN_NS);
    }
    atomic_store(&client_clock, clock);
}

void sim_client_clock_align(void)
{
    uint64_t (*clock)(void) = atomic_load(&client_clock);
    uint64_t due = atomic_load(&align_at_ns);
    const uint64_t now = sim_clock_now();
    if (!clock || now < due || !atomic_compare_exchange_strong(&align_at_ns, &due, now + AGAIN_NS))
        return;
    const struct pair pair = read_pair(clock);
    pthread_mutex_lock(&lock);
    latest = pair;
    pthread_mutex_unlock(&lock);
}

uint64_t sim_client_clock_now(void)
{
    uint64_t (*clock)(void) = atomic_load(&client_clock);
    return clock ? clock() : sim_clock_now();
}

uint64_t sim_client_clock_of(uint64_t realtime_ns)
{
    if (!atomic_load(&client_clock))
        return realtime_ns;
    pthread_mutex_lock(&lock);
    const struct pair begin = first, end = latest;
    pthread_mutex_unlock(&lock);
    const double rate = (double)(end.client - begin.client) / (double)(end.host_ns - begin.host_ns);
    const double ahead = (double)(int64_t)(realtime_ns - end.host_ns) * rate;
    return end.client + (uint64_t)(int64_t)ahead;
}
