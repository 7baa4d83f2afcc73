/* sim_tool.c - a CUPTI client with callbacks. One promise per sub-command. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim_test.h"

enum { DRIVER = 1, RUNTIME = 2, RESOURCE = 3, SYNCHRONIZE = 4 };

struct seen {
    uint32_t domain, cbid, site, correlation;
    uint64_t correlation_data;
    char name[40], symbol[64];
    int result;
    uint32_t context_id;
};

static struct seen seen[4096];
static size_t seen_count;
static void *own_event; /* recorded from within callbacks when set */

static void note_api(uint32_t domain, uint32_t cbid, const struct callback_data *data)
{
    struct seen *s = &seen[seen_count++];
    *s = (struct seen){.domain = domain,
                       .cbid = cbid,
                       .site = data->site,
                       .correlation = data->correlation,
                       .context_id = data->context_id};
    snprintf(s->name, sizeof s->name, "%s", data->name);
    snprintf(s->symbol, sizeof s->symbol, "%s", data->symbol ? data->symbol : "");
    if (!data->site)
        *data->correlation_data = 1000 + seen_count;
    s->correlation_data = *data->correlation_data;
    EXPECT(!data->site == !data->result);
    s->result = data->result ? *data->result : -1;
    if (own_event && data->site)
        CHECK(cuEventRecord(own_event, NULL));
}

static void on_callback(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
    EXPECT(user == seen);
    if (domain == DRIVER || domain == RUNTIME)
        note_api(domain, cbid, data);
    else
        seen[seen_count++] = (struct seen){.domain = domain, .cbid = cbid};
}

static void *subscribe(void)
{
    void *subscriber = NULL;
    CHECK(cuptiSubscribe(&subscriber, on_callback, seen));
    return subscriber;
}

static size_t count(uint32_t domain, uint32_t cbid)
{
    size_t found = 0;
    for (size_t i = 0; i < seen_count; i++)
        found += seen[i].domain == domain && seen[i].cbid == cbid;
    return found;
}

/* ---- NestsDriverCallsInRuntimeCalls ---- */

static void nests(void)
{
    void *subscriber = subscribe();
    CHECK(cuptiEnableCallback(1, subscriber, RUNTIME, 211));
    CHECK(cuptiEnableCallback(1, subscriber, DRIVER, 307));
    CHECK(launch(NULL));
    CHECK(cudaDeviceSynchronize());
    EXPECT(seen_count == 4);
    EXPECT(seen[0].domain == RUNTIME && seen[0].site == 0 && seen[1].domain == DRIVER);
    EXPECT(seen[2].domain == DRIVER && seen[2].site == 1 && seen[3].domain == RUNTIME);
    EXPECT(seen[0].correlation && seen[0].correlation == seen[1].correlation);
    EXPECT(seen[3].correlation_data == seen[0].correlation_data && seen[3].result == 0);
    EXPECT(strcmp(seen[0].name, "cudaLaunchKernel") == 0 &&
           strcmp(seen[1].name, "cuLaunchKernel") == 0);
    EXPECT(strcmp(seen[0].symbol, "_Z5saxpyIfEvT_PKS0_PS0_i") == 0);
    EXPECT(strcmp(seen[1].symbol, seen[0].symbol) == 0 && seen[3].context_id == 1);
    CHECK(cuptiUnsubscribe(subscriber));
    CHECK(launch(NULL));
    EXPECT(seen_count == 4);
}

/* ---- HandsOutParameters ---- */

struct copy_params {
    void *dst;
    const void *src;
    size_t count;
    int kind;
    void *stream;
};

struct launch_params {
    const void *function;
    struct dim3 grid, block;
    void **arguments;
    size_t dynamic_shared;
    void *stream;
};

static size_t parameters_seen;
static void *expected_stream;

static void check_parameters(void *user, uint32_t domain, uint32_t cbid, const void *pointer)
{
    const struct callback_data *data = pointer;
    (void)user, (void)domain;
    if (cbid == 41) {
        const struct copy_params *copy = data->params;
        EXPECT(copy->count == 64 && copy->kind == 1 && copy->stream == expected_stream);
    } else {
        const struct launch_params *params = data->params;
        EXPECT(params->function == test_kernel && params->grid.y == 2 && params->block.x == 128);
        EXPECT(params->dynamic_shared == 64 && params->stream == expected_stream);
    }
    parameters_seen++;
}

static void hands_out_parameters(void)
{
    void *subscriber = NULL, *stream = NULL, *device = NULL;
    static char host[64];
    CHECK(cuptiSubscribe(&subscriber, check_parameters, NULL));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&device, 64));
    expected_stream = stream;
    CHECK(cuptiEnableCallback(1, subscriber, RUNTIME, 41));
    CHECK(cuptiEnableCallback(1, subscriber, RUNTIME, 211));
    CHECK(cudaMemcpyAsync(device, host, 64, 1, stream));
    CHECK(launch(stream));
    EXPECT(parameters_seen == 4);
}

/* ---- LetsCallbacksCallCuda ---- */

static void lets_callbacks_call(void)
{
    void *event = NULL, *subscriber = subscribe();
    CHECK(cudaFree(NULL));
    CHECK(cuEventCreate(&event, 0));
    CHECK(cuptiEnableCallback(1, subscriber, RUNTIME, 211));
    own_event = event;
    CHECK(launch(NULL));
    CHECK(launch(NULL));
    own_event = NULL;
    CHECK(cudaEventSynchronize(event));
    EXPECT(seen_count == 4 && seen[2].correlation > seen[0].correlation + 1);
}

/* ---- TellsOfResources ---- */

static void reports_resources(void)
{
    void *subscriber = subscribe(), *stream = NULL;
    CHECK(cuptiEnableDomain(1, subscriber, RESOURCE));
    CHECK(cuptiEnableDomain(1, subscriber, SYNCHRONIZE));
    CHECK(cuInit(0));
    EXPECT(count(RESOURCE, 5) == 1 && seen_count == 1);
    CHECK(cudaStreamCreate(&stream));
    EXPECT(count(RESOURCE, 1) == 1 && count(RESOURCE, 3) == 1);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaDeviceSynchronize());
    EXPECT(count(SYNCHRONIZE, 1) == 1 && count(SYNCHRONIZE, 2) == 1);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaDeviceReset());
    EXPECT(count(RESOURCE, 4) == 1 && count(RESOURCE, 2) == 1);
}

/* ---- AllowsOneSubscriber ---- */

struct v2_params {
    size_t size;
    const char *name;
    char *old_name;
    size_t old_size;
};

static void allows_one_subscriber(void)
{
    char other[64] = "";
    void *subscriber = NULL, *second = NULL;
    struct v2_params params = {sizeof params, "second", other, sizeof other};
    const char *holder = getenv("SIM_OTHER_SUBSCRIBER");
    if (holder) {
        EXPECT(cuptiSubscribe(&subscriber, on_callback, seen) == 39);
        EXPECT(cuptiSubscribe_v2(&subscriber, on_callback, seen, &params) == 39);
        EXPECT(strcmp(other, holder) == 0);
        return;
    }
    CHECK(cuptiSubscribe(&subscriber, on_callback, seen));
    EXPECT(cuptiSubscribe(&second, on_callback, seen) == 39);
    CHECK(cuptiUnsubscribe(subscriber));
    CHECK(cuptiSubscribe_v2(&subscriber, on_callback, seen, &params));
    EXPECT(cuptiEnableDomain(1, NULL, RUNTIME) == 1 && cuptiUnsubscribe(NULL) == 1);
}

/* ---- FollowsGraphs ---- */

static uint64_t clones[16][2];
static size_t clone_count;

static void on_graph(void *user, uint32_t domain, uint32_t cbid, const void *pointer)
{
    const struct resource_data *data = pointer;
    const struct graph_data *graph = data->descriptor;
    (void)user, (void)domain;
    if (cbid != 20)
        return;
    CHECK(cuptiGetGraphNodeId(graph->original_node, &clones[clone_count][0]));
    CHECK(cuptiGetGraphNodeId(graph->node, &clones[clone_count][1]));
    clone_count++;
}

static void *captured(void *stream, void *device)
{
    void *graph = NULL;
    CHECK(cudaStreamBeginCapture(stream, 0));
    CHECK(launch(stream));
    CHECK(cudaMemsetAsync(device, 1, 64, stream));
    CHECK(launch(stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static void follows_graphs(void)
{
    void *subscriber = NULL, *stream = NULL, *device = NULL, *exec = NULL;
    const int whole = getenv("TEST_WHOLE_GRAPHS") != NULL;
    CHECK(cuptiSubscribe(&subscriber, on_graph, NULL));
    CHECK(cuptiEnableDomain(1, subscriber, RESOURCE));
    CHECK(cuInit(0));
    collect();
    CHECK(cuptiActivityEnable(10));
    CHECK(cuptiActivityEnable(2));
    if (whole)
        CHECK(cuptiActivityEnable(51));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&device, 64));
    void *graph = captured(stream, device);
    EXPECT(flush_and_count(1, 10) == 0 && clone_count == 0);
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT(clone_count == 3);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(launch(stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(flush_and_count(0, 10) == (whole ? 1 : 5) && flush_and_count(0, 51) == (whole ? 2 : 0));
    if (!whole) {
        EXPECT(get64(nth(10, 0), 144) == clones[0][1] && get64(nth(10, 1), 144) == clones[2][1]);
        EXPECT(get64(nth(2, 0), 64) == clones[1][1] &&
               get32(nth(10, 0), 92) == get32(nth(2, 0), 44));
        EXPECT(get32(nth(10, 2), 92) != get32(nth(10, 0), 92));
        EXPECT(get32(nth(10, 0), 156) != 0 && get64(nth(10, 4), 144) == 0);
    }
    CHECK(cudaGraphExecUpdate(exec, graph, NULL));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

/* ---- RefusesForkedChildren ---- */

static int lines_in(const char *path)
{
    FILE *file = fopen(path, "r");
    int lines = 0, c;
    while (file && (c = getc(file)) != EOF)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

static void refuses_children(void)
{
    const char *log = getenv("SIM_VIOLATIONS");
    int status = -1;
    if (log)
        unlink(log);
    collect();
    CHECK(cuptiActivityEnable(10));
    CHECK(launch(NULL));
    const pid_t child = fork();
    if (child == 0) {
        EXPECT(cuptiActivityFlushAll(1) == 999);
        EXPECT(cudaDeviceSynchronize() == 3);
        _exit(0);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    CHECK(cudaDeviceSynchronize());
    EXPECT(flush_and_count(0, 10) == 1 && lines_in(log) == 1);
}

/* ---- WatchesBuffers ---- */

static int mistake;

static void bad_request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    static _Alignas(8) uint8_t bytes[16384];
    *buffer = mistake == 0 ? NULL : bytes + (mistake == 1 ? 4 : 0);
    *size = 8192;
    *max_records = 0;
    bytes[100] = 1;
}

static void flush_in_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                              size_t valid)
{
    (void)context, (void)stream, (void)buffer, (void)size, (void)valid;
    EXPECT(cuptiActivityFlushAll(0) == 999);
}

static void watches_buffers(void)
{
    const char *log = getenv("SIM_VIOLATIONS");
    size_t size = 1;
    uint8_t on = 1;
    if (log)
        unlink(log);
    CHECK(cuptiActivitySetAttribute(5, &size, &on));
    CHECK(cuptiActivityRegisterCallbacks(bad_request, flush_in_complete));
    CHECK(cuptiActivityEnable(10));
    for (mistake = 0; mistake < 3; mistake++) {
        CHECK(launch(NULL));
        CHECK(cudaDeviceSynchronize());
        CHECK(cuptiActivityFlushAll(0));
    }
    EXPECT(lines_in(log) == 5); /* NULL, unaligned and not zeroed, not zeroed, flush inside */
}

/* ---- CountsThreads ---- */

static void *launches(void *stream)
{
    for (int i = 0; i < 500; i++)
        CHECK(launch(stream));
    return NULL;
}

static void on_any(void *user, uint32_t domain, uint32_t cbid, const void *data)
{
    (void)user, (void)domain, (void)cbid, (void)data;
}

static void counts_threads(void)
{
    pthread_t threads[4];
    void *streams[4], *subscriber = NULL;
    CHECK(cuptiSubscribe(&subscriber, on_any, NULL));
    collect();
    CHECK(cuptiActivityEnable(10));
    CHECK(cuptiEnableDomain(1, subscriber, RUNTIME));
    for (int i = 0; i < 4; i++) {
        CHECK(cudaStreamCreate(&streams[i]));
        EXPECT(pthread_create(&threads[i], NULL, launches, streams[i]) == 0);
    }
    for (int i = 0; i < 20; i++)
        CHECK(cuptiActivityFlushAll(0));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK(cudaDeviceSynchronize());
    EXPECT(flush_and_count(0, 10) == 2000);
}

/* ---- SpeaksDriver ---- */

/* Compilers of kernels at run time load what they wrote to a file, and ask what it needs. */
static void loads_files(void)
{
    static const char ptx[] = "//\n.version 7.0\n.visible .entry add_one(\n)\n{ ret; }\n";
    char path[] = "/tmp/sim_module_XXXXXX";
    const int file = mkstemp(path);
    void *context = NULL, *module = NULL, *function = NULL, *library = NULL, *kernel = NULL;
    int threads = 0, shared = 0;
    EXPECT(file >= 0 && write(file, ptx, sizeof ptx - 1) == (ssize_t)sizeof ptx - 1);
    close(file);
    CHECK(cuInit(0));
    CHECK(cuCtxCreate_v2(&context, 0, 0));
    EXPECT(cuModuleLoad(&module, "/nonexistent") == 301);
    CHECK(cuModuleLoad(&module, path));
    CHECK(cuModuleGetFunction(&function, module, "add_one"));
    EXPECT(cuModuleGetFunction(&function, module, "absent") == 500);
    CHECK(cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, NULL, NULL, 0));
    CHECK(cuLibraryGetKernel(&kernel, library, "add_one"));
    CHECK(cuKernelGetAttribute(&threads, 0, kernel, 0)); /* MAX_THREADS_PER_BLOCK */
    CHECK(cuKernelSetAttribute(8, 65536, kernel, 0));    /* MAX_DYNAMIC_SHARED_SIZE_BYTES */
    CHECK(cuKernelGetAttribute(&shared, 8, kernel, 0));
    EXPECT(threads >= 32 && shared == 65536 &&
           cuKernelGetAttribute(&threads, 0, context, 0) == 400);
    unlink(path);
}

static void speaks_driver(void)
{
    static const char ptx[] = "//\n.version 7.0\n.visible .entry add_one(\n)\n{ ret; }\n";
    void *context = NULL, *module = NULL, *function = NULL, *entry = NULL;
    unsigned long long address = 0;
    unsigned back[4] = {0};
    char name[64];
    EXPECT(cuDeviceGetCount(&(int){0}) == 3);
    CHECK(cuInit(0));
    CHECK(cuDeviceGetName(name, sizeof name, 0));
    EXPECT(strcmp(name, "Simulated GPU 0 (sm_90)") == 0);
    CHECK(cuCtxCreate_v2(&context, 0, 0));
    CHECK(cuModuleLoadData(&module, ptx));
    EXPECT(cuModuleGetFunction(&function, module, "absent") == 500);
    CHECK(cuModuleGetFunction(&function, module, "add_one"));
    CHECK(cuMemAlloc_v2(&address, 16));
    CHECK(cuMemsetD32_v2(address, 0xabcd, 4));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    CHECK(cuMemcpyDtoH_v2(back, address, 16));
    EXPECT(back[3] == 0xabcd);
    CHECK(cuCtxSynchronize());
    CHECK(cuGetProcAddress_v2("cuMemAlloc", &entry, 13000, 0, NULL));
    EXPECT(entry == (void *)cuMemAlloc_v2);
    CHECK(cuMemFree_v2(address));
    CHECK(cuModuleUnload(module));
    CHECK(cuCtxDestroy_v2(context));
}

/* ---- TimesByTheModel ---- */

/* SIM_KERNEL_NS=50000000 SIM_DEVICES=2 SIM_CLOCK_SKEW_NS=-5000000000 */
static void times_by_the_model(void)
{
    void *first = NULL, *second = NULL, *start = NULL, *end = NULL, *a = NULL, *b = NULL;
    uint64_t now = 0;
    float ms = 0;
    collect();
    CHECK(cuptiActivityEnable(10));
    CHECK(cuptiActivityEnable(1));
    CHECK(cudaStreamCreateWithFlags(&first, 1));
    CHECK(cudaStreamCreateWithFlags(&second, 1));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start, first));
    CHECK(launch(first));
    CHECK(launch(second));
    CHECK(launch(first));
    CHECK(cudaEventRecord(end, first));
    CHECK(cuptiGetTimestamp(&now));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    EXPECT(ms >= 99.9f && ms < 1000.0f);
    CHECK(cudaDeviceSynchronize());
    EXPECT(flush_and_count(0, 10) == 3);
    EXPECT(get64(nth(10, 0), 24) - get64(nth(10, 0), 16) == 50000000);
    EXPECT(get64(nth(10, 1), 16) < get64(nth(10, 0), 24));  /* streams overlap */
    EXPECT(get64(nth(10, 2), 16) == get64(nth(10, 0), 24)); /* a stream does not */
    EXPECT(get64(nth(10, 0), 16) < now - 4000000000);       /* the skewed clock */
    CHECK(cudaMalloc(&a, 1 << 20));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&b, 1 << 20));
    CHECK(cudaMemcpyPeer(b, 1, a, 0, 1 << 20));
    EXPECT(flush_and_count(0, 22) == 1 && flush_and_count(0, 1) == 0);
    EXPECT(get32(nth(22, 0), 44) == 0 && get32(nth(22, 0), 52) == 1 && nth(22, 0)->bytes[4] == 10);
}

static const struct sim_test commands[] = {
    {"nests", nests},
    {"hands_out_parameters", hands_out_parameters},
    {"lets_callbacks_call", lets_callbacks_call},
    {"reports_resources", reports_resources},
    {"allows_one_subscriber", allows_one_subscriber},
    {"follows_graphs", follows_graphs},
    {"refuses_children", refuses_children},
    {"watches_buffers", watches_buffers},
    {"counts_threads", counts_threads},
    {"speaks_driver", speaks_driver},
    {"loads_files", loads_files},
    {"times_by_the_model", times_by_the_model},
};

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, commands, sizeof commands / sizeof commands[0]);
}
