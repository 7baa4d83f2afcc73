/* hangs.c - stands still in the way that its argument names, within a range:
 *
 *     mutex        locks what it holds already; another thread waits for the same
 *     spin         computes for ever
 *     blocked      as mutex, with every signal blocked
 *     deep         as mutex, after it has opened and ended 400 ranges inside of the range
 *     naps         as mutex, beside threads that sleep for a moment again and again
 *     idle         sleeps without a range
 *     slow N       works, each range N ms long, for 20 ranges
 *     resume FILE  stands still until a line "end" is in FILE, then works until a line "resumed" is
 *     cross        three threads lock three mutexes crosswise
 *     collective DIRECTORY [ODD]
 *                  rank RANK of WORLD_SIZE: enters all-reduces of NCCL's NVTX domain, each of which waits until all ranks
 *                  have entered it: two of 512 B, then of 1 MiB. ODD: "skip" this rank does other work instead of the third; "other" it enters another
 *                  collective there; "sleep" it stops before it; "exit" it ends before it
 */
#include <prof/prof.h>

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* Whether a line of the file begins so. */
static bool has_line(const char *path, const char *begin)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, begin, strlen(begin)) == 0;
    if (file)
        fclose(file);
    return found;
}

__attribute__((noinline)) static void *take_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

__attribute__((noinline)) static void compute_forever(void)
{
    for (volatile unsigned i = 0;; i++)
        ;
}

static void deadlock(void)
{
    pthread_t other;
    pthread_mutex_lock(&lock);
    pthread_create(&other, NULL, take_lock, NULL);
    take_lock(NULL);
}

static pthread_barrier_t all_hold_one;

/* Three threads; each waits for the lock of the next one. The main thread does not wait for any of them. */
__attribute__((noinline)) static void *take_two(void *number)
{
    static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};
    prctl(PR_SET_NAME, (char[]){'t', (char)('0' + (long)number), 0});
    pthread_mutex_lock(&locks[(long)number]);
    pthread_barrier_wait(&all_hold_one);
    pthread_mutex_lock(&locks[((long)number + 1) % 3]);
    return NULL;
}

__attribute__((noinline)) static void *nap_forever(void *ns)
{
    for (;;)
        nanosleep(&(struct timespec){0, (long)ns}, NULL);
    return NULL;
}

static void cross_locks(void)
{
    pthread_t thread;
    pthread_barrier_init(&all_hold_one, NULL, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&thread, NULL, take_two, (void *)i);
    for (;;)
        pause();
}

static void begin_naps(void)
{
    pthread_t thread;
    for (long i = 0; i < 16; i++)
        pthread_create(&thread, NULL, nap_forever, (void *)(20000L << i % 8));
}

static void work(int count, long ms)
{
    for (int i = 0; i < count; i++) {
        prof_range_push("work");
        pause_ms(ms);
        prof_range_pop();
    }
}

/* ---- collectives ---- */

struct message {
    uint64_t communicator;
    size_t bytes;
};

static nvtxDomainHandle_t domain;

static void describe(void)
{
    static const nvtxPayloadSchemaEntry_t entries[] = {
        {0, NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "NCCL communicator ID", NULL, 0, 0},
        {0, NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "Message size [bytes]", NULL, 0, 8}};
    const nvtxPayloadSchemaAttr_t attributes = {
        .fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID,
        .type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC,
        .entries = entries,
        .numEntries = 2,
        .payloadStaticSize = sizeof(struct message),
        .schemaId = NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5};
    domain = nvtxDomainCreateA("NCCL");
    nvtxPayloadSchemaRegister(domain, &attributes);
}

static void enter_file(const char *directory, int number, const char *rank)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%d.%s", directory, number, rank);
    close(open(path, O_CREAT | O_WRONLY, 0600));
}

static int has_entered(const char *directory, int number, int rank)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%d.%d", directory, number, rank);
    return access(path, F_OK) == 0;
}

__attribute__((noinline)) static void collective(const char *directory, int number,
                                                 const char *name, size_t bytes, int joins)
{
    const struct message message = {0xabcdef, bytes};
    const nvtxPayloadData_t data = {NVTX_PAYLOAD_SCHEMA_ID_STATIC_START + 5, sizeof message,
                                    &message};
    const nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                              .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                              .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                              .message.ascii = name,
                                              .payloadType = NVTX_PAYLOAD_TYPE_EXT,
                                              .reserved0 = 1,
                                              .payload.ullValue = (uint64_t)(uintptr_t)&data};
    int world = atoi(getenv("WORLD_SIZE"));
    nvtxDomainRangePushEx(domain, &attributes);
    if (joins)
        enter_file(directory, number, getenv("RANK"));
    for (int rank = 0; rank < world; rank++)
        while (!has_entered(directory, number, rank))
            pause_ms(5);
    nvtxDomainRangePop(domain);
}

__attribute__((noinline)) static void load_batch(void)
{
    prof_range_push("load batch");
    for (;;)
        pause_ms(1000);
}

static int train(const char *directory, const char *odd)
{
    describe();
    prof_range_push("train");
    for (int i = 0; i < 4; i++) {
        if (i == 2 && strcmp(odd, "sleep") == 0)
            load_batch();
        if (i == 2 && strcmp(odd, "exit") == 0)
            _exit(3);
        if (i == 2 && strcmp(odd, "lock") == 0)
            deadlock();
        if (i == 2 && strcmp(odd, "spin") == 0)
            compute_forever();
        if (i == 2 && strcmp(odd, "stop") == 0)
            raise(SIGSTOP);
        if (i == 2 && strcmp(odd, "other") == 0)
            collective(directory, i, "ncclBroadcast", 64, 0);
        if (i == 2 && strcmp(odd, "size") == 0)
            collective(directory, i, "ncclAllReduce", 4096, 0);
        collective(directory, i, "ncclAllReduce", i < 2 ? 512 : 1 << 20, 1);
    }
    prof_range_pop();
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    long ms = argc > 2 ? atol(argv[2]) : 0;
    if (strcmp(how, "collective") == 0)
        return train(argv[2], argc > 3 ? argv[3] : "");
    work(3, 1);
    if (strcmp(how, "slow") == 0)
        work(20, ms);
    if (strcmp(how, "idle") == 0)
        pause_ms(ms);
    if (strcmp(how, "slow") == 0 || strcmp(how, "idle") == 0)
        return 0;
    if (strcmp(how, "blocked") == 0) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    }
    if (strcmp(how, "naps") == 0)
        begin_naps();
    prof_range_push("train step");
    if (strcmp(how, "spin") == 0)
        compute_forever();
    for (int i = 0; i < 400 && strcmp(how, "deep") == 0; i++)
        prof_range_push("inside");
    for (int i = 0; i < 400 && strcmp(how, "deep") == 0; i++)
        prof_range_pop();
    if (strcmp(how, "resume") == 0) {
        alarm(120);
        while (!has_line(argv[2], "end"))
            pause_ms(10);
        prof_range_pop();
        while (!has_line(argv[2], "resumed"))
            work(1, 10);
        return 0;
    }
    if (strcmp(how, "cross") == 0)
        cross_locks();
    deadlock();
    return 1;
}
