/* rude_tool STEPS WHAT [LIBRARY]: a program with a CUPTI tool of its own that does as PyTorch's profiler does. It registers
 * its buffer callbacks although it may not subscribe, enables kinds at the beginning of each step and disables them
 * at its end, and if WHAT is `finalize` calls cuptiFinalize() then; if it is `clock`, gives CUPTI a clock at each beginning. Each step has 5 work(); 3 other() come after it.
 * LIBRARY is loaded late, and records each step and what comes after it separately.
 *
 * Prints how many kernels the tool was told of, and how many buffers it was given that it had not handed out.
 */
#include "cuda_test.h"

#include <prof/prof.h>

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

int cuptiSubscribe(void **subscriber, void *callback, void *user);
int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityDisable(uint32_t kind);
int cuptiActivityRegisterCallbacks(void *request, void *complete);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiFinalize(void);

static const uint32_t kinds[] = {1, 2, 10, 39, 5, 4, 17};
enum { KINDS = sizeof kinds / sizeof *kinds, BUFFERS = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *handed_out[BUFFERS];
static int kernels, foreign, untimely;
static bool has_clock;
static uint64_t step_began;

/* As a processor's counter: of another rate, and from long ago. */
static uint64_t count(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return 3 * ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}

/* A kernel's time by the clock that the tool has given. */
static void check_time(const uint8_t *kernel)
{
    const uint64_t slack = 3000000; /* 1 ms */
    uint64_t start;
    memcpy(&start, kernel + 16, sizeof start);
    untimely += has_clock && (start + slack < step_began || start > count() + slack);
}

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *size = 1 << 16;
    *buffer = malloc(*size);
    *max_records = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUFFERS; i++)
        if (!handed_out[i]) {
            handed_out[i] = *buffer;
            break;
        }
    pthread_mutex_unlock(&lock);
}

static bool take_back(const uint8_t *buffer)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUFFERS; i++)
        if (handed_out[i] == buffer) {
            handed_out[i] = NULL;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    uint8_t *record = NULL;
    (void)context, (void)stream, (void)size;
    if (!take_back(buffer)) {
        foreign++;
        return;
    }
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
        uint32_t kind;
        memcpy(&kind, record, sizeof kind);
        kernels += kind == 10;
        if (kind == 10)
            check_time(record);
    }
    free(buffer);
}

static void begin_step(void)
{
    void *subscriber = NULL;
    cuptiSubscribe(&subscriber, NULL, NULL);
    step_began = count();
    if (has_clock)
        cuptiActivityRegisterTimestampCallback(count);
    cuptiActivityRegisterCallbacks((void *)request, (void *)complete);
    for (int i = 0; i < KINDS; i++)
        cuptiActivityEnable(kinds[i]);
}

static void end_step(bool finalize)
{
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    for (int i = 0; i < KINDS; i++)
        cuptiActivityDisable(kinds[i]);
    cuptiActivityFlushAll(1);
    if (finalize)
        cuptiFinalize();
}

static void *library;

static void record(const char *what)
{
    int (*function)(void) = library ? (int (*)(void))dlsym(library, what) : NULL;
    if (function)
        function();
}

static void launch_others(void)
{
    record("prof_start");
    prof_range_push("between");
    for (int i = 0; i < 3; i++)
        cuda_check(launch_shaped(&kernel_other, 1, 32, 0, NULL), "other");
    prof_range_pop();
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    record("prof_flush"); /* nobody would before the other takes what there is */
    record("prof_stop");
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 3;
    const bool finalizes = argc > 2 && strcmp(argv[2], "finalize") == 0;
    has_clock = argc > 2 && strcmp(argv[2], "clock") == 0;
    library = argc > 3 ? dlopen(argv[3], RTLD_NOW) : NULL;
    launch_others();
    for (int i = 0; i < steps; i++) {
        record("prof_start");
        begin_step();
        launch_work(5, NULL);
        end_step(finalizes);
        record("prof_stop");
        launch_others();
    }
    printf("kernels %d foreign %d untimely %d\n", kernels, foreign, untimely);
    return 0;
}
