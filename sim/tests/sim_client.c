/* sim_client.c - a CUPTI client under each layout: sizes, contents, strictness. One promise per
 * sub-command.
 */
#include <string.h>
#include <unistd.h>

#include <time.h>

#include "sim_test.h"

struct layout {
    const char *name;
    uint32_t version;
    uint16_t kernel, memcpy, memset, device, context, overhead, peer, event, sync, memory, graph;
};

static const struct layout layouts[] = {
    {"11.0", 13, 160, 72, 72, 144, 16, 40, 80, 24, 40, 0, 0},
    {"11.2", 14, 168, 80, 80, 144, 16, 40, 88, 24, 40, 112, 0},
    {"11.8", 18, 200, 88, 88, 176, 16, 40, 96, 24, 40, 120, 48},
    {"12.4", 22, 208, 88, 88, 184, 24, 56, 96, 24, 40, 120, 56},
    {"13.0", 130001, 216, 96, 88, 184, 32, 56, 96, 56, 56, 128, 56},
    {"13.3", 130300, 232, 96, 88, 192, 40, 56, 96, 56, 56, 128, 56},
};

static const struct layout *current(void)
{
    const char *wanted = getenv("SIM_CUPTI_LAYOUT");
    for (size_t i = 0; wanted && i < sizeof layouts / sizeof layouts[0]; i++)
        if (strcmp(layouts[i].name, wanted) == 0)
            return &layouts[i];
    return &layouts[4];
}

/* ---- AnswersTheSizesOfItsVersion ---- */

static size_t stride(uint64_t kind)
{
    static uint64_t buffer[8192];
    uint8_t *first = NULL, *second = NULL;
    for (size_t i = 0; i < 8192; i++)
        buffer[i] = kind;
    if (cuptiActivityGetNextRecord((uint8_t *)buffer, sizeof buffer, &first))
        return 0;
    second = first;
    CHECK(cuptiActivityGetNextRecord((uint8_t *)buffer, sizeof buffer, &second));
    return (size_t)(second - first);
}

static void answers_sizes(void)
{
    const struct layout *layout = current();
    uint32_t version = 0;
    CHECK(cuptiGetVersion(&version));
    EXPECT(version == layout->version);
    EXPECT(stride(3) == layout->kernel && stride(10) == layout->kernel);
    EXPECT(stride(1) == layout->memcpy && stride(2) == layout->memset);
    EXPECT(stride(4) == 40 && stride(5) == 40 && stride(39) == 24 && stride(37) == 24);
    EXPECT(stride(8) == layout->device && stride(9) == layout->context);
    EXPECT(stride(17) == layout->overhead && stride(22) == layout->peer);
    EXPECT(stride(36) == layout->event && stride(38) == layout->sync);
    EXPECT(stride(49) == layout->memory && stride(51) == layout->graph);
    EXPECT(stride(0) == 0 && stride(63) == 0);
}

/* ---- TellsEveryKindItWasAskedFor ---- */

static const uint32_t all_kinds[] = {1, 2, 4, 5, 8, 9, 10, 17, 37, 38, 39, 49};

static void enable_all(void)
{
    for (size_t i = 0; i < sizeof all_kinds / sizeof all_kinds[0]; i++)
        CHECK(cuptiActivityEnable(all_kinds[i]));
    EXPECT(flush_and_count(1, 8) == 0); /* the device was there before */
    CHECK(cuptiActivityEnableAndDump(8));
}

static uint64_t work(void)
{
    void *stream = NULL, *device = NULL, *host = NULL;
    uint64_t before = 0;
    CHECK(cuptiGetTimestamp(&before));
    CHECK(cudaStreamCreateWithFlags(&stream, 1));
    CHECK(cudaMalloc(&device, 1 << 20));
    CHECK(cudaMallocHost(&host, 1 << 20));
    CHECK(cuptiActivityPushExternalCorrelationId(3, 4711));
    CHECK(cudaMemcpyAsync(device, host, 1 << 20, 1, stream));
    CHECK(launch(stream));
    CHECK(cudaMemsetAsync(device, 7, 4096, stream));
    CHECK(cuptiActivityPopExternalCorrelationId(3, NULL));
    EXPECT(cuptiActivityPopExternalCorrelationId(3, NULL) == 18);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(device));
    return before;
}

static const struct collected *runtime_of(uint32_t correlation)
{
    const struct collected *record;
    for (size_t n = 0; (record = nth(5, n)) != NULL; n++)
        if (get32(record, 32) == correlation)
            return record;
    return NULL;
}

static const struct collected *driver_of(uint32_t correlation)
{
    const struct collected *record;
    for (size_t n = 0; (record = nth(4, n)) != NULL; n++)
        if (get32(record, 32) == correlation)
            return record;
    return NULL;
}

static void check_kernel(uint64_t before)
{
    const struct collected *kernel = nth(10, 0);
    EXPECT(kernel && kernel->size == current()->kernel);
    const struct collected *api = runtime_of(get32(kernel, 92)),
                           *driver = driver_of(get32(kernel, 92));
    EXPECT(api && driver && get32(api, 4) == 211 && get32(driver, 4) == 307);
    EXPECT(get64(api, 8) <= get64(driver, 8) && get64(driver, 16) <= get64(api, 16));
    EXPECT(get64(kernel, 16) >= get64(api, 8) && get64(kernel, 16) >= before);
    EXPECT(get64(kernel, 24) > get64(kernel, 16));
    EXPECT(get32(kernel, 52) == 8 && get32(kernel, 56) == 2 && get32(kernel, 64) == 128);
    EXPECT(get32(kernel, 80) == 64 && get32(kernel, 40) == 0 && get32(kernel, 48) == 13);
    EXPECT(get64(kernel, 120) == 0 && get64(kernel, 144) == 0);
    EXPECT(strcmp((const char *)(uintptr_t)get64(kernel, 104), "_Z5saxpyIfEvT_PKS0_PS0_i") == 0);
}

static void check_transfers(void)
{
    const struct collected *copy = nth(1, 0), *set = nth(2, 0), *kernel = nth(10, 0);
    EXPECT(copy && copy->size == current()->memcpy && set && set->size == current()->memset);
    EXPECT(copy->bytes[4] == 1 && copy->bytes[5] == 2 && copy->bytes[6] == 3 &&
           copy->bytes[7] == 1);
    EXPECT(get64(copy, 8) == 1 << 20 && get32(copy, 40) == 13);
    EXPECT(get64(kernel, 16) >= get64(copy, 24)); /* one stream, one after the other */
    EXPECT(get32(set, 4) == 7 && get64(set, 8) == 4096 && get64(set, 16) >= get64(kernel, 24));
}

static void check_rest(void)
{
    const struct collected *sync = nth(38, 0), *external = nth(39, 1), *memory = nth(49, 0);
    const struct collected *device = nth(8, 0), *context = nth(9, 0), *stream = nth(37, 0);
    EXPECT(sync && get32(sync, 4) == 3 && get32(sync, 32) == 13 &&
           get64(sync, 16) >= get64(sync, 8));
    EXPECT(external && get32(external, 4) == 3 && get64(external, 8) == 4711);
    EXPECT(get32(external, 16) == get32(nth(10, 0), 92));
    EXPECT(memory && get32(memory, 4) == 1 && get32(memory, 8) == 3 &&
           get64(memory, 24) == 1 << 20);
    EXPECT(device && strstr((const char *)(uintptr_t)get64(device, 136), "Simulated GPU"));
    EXPECT(context && get32(context, 4) == 1 && context->size == current()->context);
    EXPECT(stream && get32(stream, 8) == 13 && get32(stream, 16) == 2);
    EXPECT(nth(39, 3) == NULL);
}

static void reports_every_kind(void)
{
    CHECK(cuInit(0));
    collect();
    enable_all();
    const uint64_t before = work();
    EXPECT(flush_and_count(0, 10) == 1);
    check_kernel(before);
    check_transfers();
    check_rest();
}

/* ---- TellsNothingElse ---- */

static void reports_nothing_else(void)
{
    CHECK(cuInit(0));
    collect();
    CHECK(cuptiActivityEnable(1));
    work();
    CHECK(cuptiActivityDisable(1));
    work();
    EXPECT(flush_and_count(1, 1) == 1 && record_count == 1);
    EXPECT(cuptiActivityEnable(0) == 21 && cuptiActivityEnable(63) == 21);
    CHECK(cuptiActivityEnable(10));
    EXPECT(cuptiActivityEnable(3) == 14);
}

/* ---- FlushesWhatIsComplete ---- */

/* SIM_KERNEL_NS makes the kernel outlast the first flush. */
static void flushes_complete(void)
{
    CHECK(cuInit(0));
    collect();
    CHECK(cuptiActivityEnable(10));
    CHECK(launch(NULL));
    EXPECT(flush_and_count(0, 10) == 0);
    EXPECT(flush_and_count(1, 10) == 1);
    EXPECT(get64(nth(10, 0), 16) == 0 && get64(nth(10, 0), 24) == 0);
    CHECK(launch(NULL));
    CHECK(cudaDeviceSynchronize());
    EXPECT(flush_and_count(0, 10) == 2 && get64(nth(10, 1), 16) != 0);
}

/* ---- KeepsWhatIsBesideUnfinishedWork ---- */

/* SIM_KERNEL_NS makes the kernel outlast the set beside it. */
static void keeps_beside_unfinished(void)
{
    void *slow = NULL, *quick = NULL, *device = NULL;
    CHECK(cuInit(0));
    collect();
    CHECK(cudaStreamCreateWithFlags(&slow, 1));
    CHECK(cudaStreamCreateWithFlags(&quick, 1));
    CHECK(cudaMalloc(&device, 4096));
    CHECK(cuptiActivityEnable(2));
    CHECK(cuptiActivityEnable(10));
    CHECK(launch(slow));
    CHECK(cudaMemsetAsync(device, 7, 4096, quick));
    CHECK(cudaStreamSynchronize(quick));
    EXPECT(flush_and_count(0, 2) == (getenv("SIM_FLUSH_WHOLE") ? 1 : 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(flush_and_count(0, 2) == 1 && record_count == 2);
}

/* ---- FillsManyBuffers ---- */

static void fills_many_buffers(void)
{
    CHECK(cuInit(0));
    collect();
    CHECK(cuptiActivityEnable(10));
    for (int i = 0; i < 3000; i++)
        CHECK(launch(NULL));
    CHECK(cudaDeviceSynchronize());
    EXPECT(flush_and_count(0, 10) == 3000 && buffers_completed > 10);
    int steps_back = 0;
    for (size_t i = 1; i < record_count; i++)
        steps_back += get64(&records[i], 16) < get64(&records[i - 1], 16);
    EXPECT(getenv("SIM_REORDER") ? steps_back > 2 : steps_back == 0);
}

/* ---- LosesWhatItIsToldToLose ---- */

static void loses(void)
{
    size_t dropped = 0, zero = 0;
    CHECK(cuInit(0));
    collect();
    CHECK(cuptiActivityEnable(10));
    for (int i = 0; i < 70; i++)
        CHECK(launch(NULL));
    CHECK(cudaDeviceSynchronize());
    EXPECT(flush_and_count(0, 10) == 63); /* SIM_DROP_EVERY=10 */
    CHECK(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
    EXPECT(dropped == 7);
    for (size_t i = 0; i < record_count; i++)
        zero += get64(&records[i], 16) == 0;
    EXPECT(zero == 9); /* SIM_ZERO_EVERY=7: 10 of 70, one of them dropped */
}

/* ---- FailsAsTold ---- */

/* SIM_FAIL=cudaMalloc@2=2,cuptiActivityEnable(10)=11,cuptiSubscribe=39,cuMemFree_v2=700 */
static void fails_as_configured(void)
{
    void *first = NULL, *second = NULL, *subscriber = NULL;
    EXPECT(cuptiSubscribe(&subscriber, NULL, NULL) == 39);
    CHECK(cuptiActivityEnable(1));
    EXPECT(cuptiActivityEnable(10) == 11);
    CHECK(cudaMalloc(&first, 100));
    EXPECT(cudaMalloc(&second, 100) == 2 && cudaPeekAtLastError() == 2);
    EXPECT(cudaGetLastError() == 2);
    EXPECT(cudaGetLastError() == 0);
    CHECK(cudaMalloc(&second, 100));
    EXPECT(cudaFree(first) == 700);
    EXPECT(cudaMalloc(&second, 100) == 700 && cudaGetLastError() == 700 &&
           cudaGetLastError() == 700);
    CHECK(cudaDeviceReset());
    CHECK(cudaMalloc(&second, 100));
}

/* ---- HasAttributes ---- */

static void has_attributes(void)
{
    size_t size = 8;
    uint64_t value = 0;
    uint8_t byte = 1;
    CHECK(cuptiActivityGetAttribute(2, &size, &value));
    EXPECT(value == 250);
    value = 300;
    CHECK(cuptiActivitySetAttribute(2, &size, &value));
    size = 4;
    EXPECT(cuptiActivitySetAttribute(2, &size, &value) == 10);
    size = 1;
    CHECK(cuptiActivitySetAttribute(5, &size, &byte));
    EXPECT((cuptiActivitySetAttribute(9, &size, &byte) == 0) == (current()->version >= 22));
    EXPECT(cuptiActivitySetAttribute(77, &size, &byte) == 1);
}

/* ---- SaysThereIsNoDriver ---- */

static void reports_no_driver(void)
{
    void *subscriber = NULL;
    uint32_t version = 0;
    const int none = current()->version >= 130000 ? 999 : 15;
    EXPECT(cuInit(0) == 100);
    EXPECT(cudaGetDeviceCount(&(int){0}) == 35 &&
           strcmp(cudaGetErrorName(35), "cudaErrorInsufficientDriver") == 0);
    EXPECT(cuptiSubscribe(&subscriber, NULL, NULL) == none && cuptiActivityEnable(10) == none);
    CHECK(cuptiGetVersion(&version));
}

/* ---- ConvertsToTheClientsClock ---- */

/* A tick of 0.2 ns, and another origin. */
static uint64_t fast_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) * 5;
}

/* Kernels take 50 ms here. */
static void converts_to_clients_clock(void)
{
    collect();
    CHECK(cudaFree(NULL));
    CHECK(cuptiActivityRegisterTimestampCallback(fast_clock));
    CHECK(cuptiActivityEnable(10));
    const uint64_t before = fast_clock();
    for (int i = 0; i < 3; i++)
        CHECK(launch(NULL));
    CHECK(cudaDeviceSynchronize());
    const uint64_t after = fast_clock();
    EXPECT(flush_and_count(0, 10) == 3);
    for (size_t i = 0; i < 3; i++) {
        const uint64_t start = get64(nth(10, i), 16), end = get64(nth(10, i), 24);
        EXPECT(end - start > 240000000 && end - start < 260000000);
        EXPECT(start + 5000000 > before && end < after + 5000000); /* 1 ms */
    }
}

static const struct sim_test commands[] = {
    {"converts_to_clients_clock", converts_to_clients_clock},
    {"answers_sizes", answers_sizes},
    {"reports_every_kind", reports_every_kind},
    {"reports_nothing_else", reports_nothing_else},
    {"flushes_complete", flushes_complete},
    {"keeps_beside_unfinished", keeps_beside_unfinished},
    {"fills_many_buffers", fills_many_buffers},
    {"loses", loses},
    {"fails_as_configured", fails_as_configured},
    {"has_attributes", has_attributes},
    {"reports_no_driver", reports_no_driver},
};

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, commands, sizeof commands / sizeof commands[0]);
}
