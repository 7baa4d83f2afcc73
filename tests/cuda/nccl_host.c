/* nccl_host.c - plays NCCL's part towards a profiler plugin: loads it as NCCL does, drives one interface version in
 * the order in which NCCL's enqueue makes its events, and launches kernels with NCCL's names.
 *
 *     nccl_host VERSION      1..6: that interface; 0: the newest that the plugin has
 *     nccl_host VERSION elsewhere    only a task that another thread and a forked child stop, too
 */
#include "cuda_test.h"

#include "nccl_abi.h"

#include <prof/prof.h>

#include <dlfcn.h>
#include <pthread.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_NVTX
#include <nvtx3/nvToolsExt.h>
static void annotate(const char *name)
{
    static nvtxDomainHandle_t domain;
    nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                        .message.ascii = name};
    if (!domain)
        domain = nvtxDomainCreateA("NCCL");
    if (name)
        nvtxDomainRangePushEx(domain, &attributes);
    else
        nvtxDomainRangePop(domain);
}
#else
static void annotate(const char *name)
{
    (void)name;
}
#endif

#define COMMUNICATOR UINT64_C(0xfedcba9876543210)

static char kernel_reduce, kernel_group;
static const struct nccl_plugin *plugin;
static int version;

__attribute__((constructor)) static void register_nccl(void)
{
#define ARGS "24ncclDevKernelArgsStorageILm4096EE"
    cuda_register_kernel(&kernel_reduce, "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL" ARGS);
    cuda_register_kernel(&kernel_group, "_Z22ncclDevKernel_SendRecv" ARGS);
}

/* As NCCL: by path, in the process, by symbol from the newest on. */
static void *load(int wanted)
{
    const char *name = getenv("NCCL_PROFILER_PLUGIN");
    char symbol[32];
    if (!name || strcasecmp(name, "none") == 0)
        return NULL;
    void *library =
        dlopen(strcasecmp(name, "STATIC_PLUGIN") == 0 ? NULL : name, RTLD_NOW | RTLD_LOCAL);
    for (version = wanted ? wanted : NCCL_VERSIONS; library && version >= 1; version--) {
        snprintf(symbol, sizeof symbol, "ncclProfiler_v%d", version);
        plugin = dlsym(library, symbol);
        if (plugin)
            return library;
    }
    return NULL;
}

static void *begin(uint64_t id, int *mask)
{
    void *context = NULL;
    if (version >= 5)
        plugin->init.v5(&context, id, mask, "group \"7\"\n", 2, 8, 3, NULL);
    else if (version == 4)
        plugin->init.v4(&context, mask, "group \"7\"\n", id, 2, 8, 3, NULL);
    else
        plugin->init.v1(&context, mask);
    return context;
}

static void *start(void *context, uint64_t type, void *parent, struct nccl_descriptor *from)
{
    void *event = NULL;
    memset(&from->head, 0xa5,
           sizeof from->head); /* only a byte of the type is there in old interfaces */
    if (version < 5)
        *(uint8_t *)&from->head.type = (uint8_t)type;
    else
        from->head.type = type;
    from->head.parent = parent;
    plugin->start(context, &event, from);
    return event;
}

static void *start_coll(void *context, void *call, uint64_t sequence)
{
    struct nccl_descriptor from = {0};
#define TEXTS                                                                            \
    .sequence = sequence, .function = "AllReduce", .count = 1024, .type = "ncclFloat32", \
    .channels = 8, .algorithm = "RING", .protocol = "LL"
    if (version >= 4)
        from.coll_v4 = (struct nccl_coll_v4){TEXTS};
    else if (version == 3)
        from.coll_v3 = (struct nccl_coll_v3){.comm = COMMUNICATOR, TEXTS};
    else if (version == 2)
        from.coll_v2 = (struct nccl_coll_v2){.comm = COMMUNICATOR, TEXTS};
    else
        from.coll_v1 = (struct nccl_coll_v1){.comm = COMMUNICATOR,
                                             .sequence = sequence,
                                             .function = 4,
                                             .count = 1024,
                                             .type = 7,
                                             .channels = 8,
                                             .algorithm = 1,
                                             .protocol = 0};
    return start(context, NCCL_EVENT_COLL, call, &from);
}

static void *start_p2p(void *context, void *call)
{
    struct nccl_descriptor from = {0};
    if (version >= 4)
        from.p2p_v4 = (struct nccl_p2p_v4){
            .function = "Send", .count = 16, .type = "ncclInt8", .peer = 5, .channels = 2};
    else if (version >= 2)
        from.p2p_v2 = (struct nccl_p2p_v2){
            .comm = COMMUNICATOR, .function = "Send", .count = 16, .type = "ncclInt8", .peer = 5};
    else
        from.p2p_v1 = (struct nccl_p2p_v1){
            .comm = COMMUNICATOR, .function = 6, .count = 16, .type = 0, .peer = 5};
    return start(context, NCCL_EVENT_P2P, call, &from);
}

static void *start_group(void *context, int depth, bool captured)
{
    struct nccl_descriptor from = {.group_api = {captured, depth}};
    return version < 5 ? NULL : start(context, NCCL_EVENT_GROUP_API, NULL, &from);
}

static void *call_coll(void *context, void *group, bool captured)
{
    struct nccl_descriptor from = {
        .coll_api = {
            .function = "AllReduce", .count = 1024, .type = "ncclFloat32", .captured = captured}};
    if (version < 5)
        return NULL;
    void *call = start(context, NCCL_EVENT_COLL_API, group, &from);
    plugin->stop(call); /* before the launch: the handle remains its tasks' parent */
    return call;
}

static void *call_p2p(void *context, void *group)
{
    struct nccl_descriptor from = {
        .p2p_api = {.function = "Send", .count = 16, .type = "ncclInt8"}};
    if (version < 5)
        return NULL;
    void *call = start(context, NCCL_EVENT_P2P_API, group, &from);
    plugin->stop(call);
    return call;
}

static void launch(void *context, void *group, const void *kernel)
{
    struct nccl_descriptor from = {0};
    void *event = version < 5 ? NULL : start(context, NCCL_EVENT_KERNEL_LAUNCH, group, &from);
    cuda_check(launch_shaped(kernel, 8, 256, 0, NULL), "a kernel of NCCL");
    if (event)
        plugin->stop(event);
}

static void stop_if(void *event)
{
    if (event)
        plugin->stop(event);
}

static void tasks(void *context, void *coll, void *p2p, uint64_t sequence)
{
    struct nccl_descriptor from = {0};
    void *plan = start(context, NCCL_EVENT_GROUP, NULL, &from);
    void *first = start_coll(context, coll, sequence);
    void *second = p2p || version < 5 ? start_p2p(context, p2p) : NULL;
    stop_if(first);
    stop_if(first); /* as NCCL does with some events */
    stop_if(second);
    stop_if(plan);
}

static void single(void *context, uint64_t sequence)
{
    void *group = start_group(context, 1, false);
    void *call = call_coll(context, group, false);
    launch(context, group, &kernel_reduce);
    struct nccl_descriptor from = {0};
    void *plan = start(context, NCCL_EVENT_GROUP, NULL, &from);
    void *task = start_coll(context, call, sequence);
    stop_if(task);
    stop_if(plan);
    stop_if(group);
}

static void fused(void *context, uint64_t sequence)
{
    void *group = start_group(context, 2, false);
    void *coll = call_coll(context, group, false), *p2p = call_p2p(context, group);
    launch(context, group, &kernel_group);
    tasks(context, coll, p2p, sequence);
    stop_if(group);
}

struct replay {
    void *context, *call;
};

static void *replay(void *user)
{
    const struct replay *of = user;
    void *task = start_coll(of->context, of->call, 9);
    stop_if(task);
    return NULL;
}

/* Recorded once; its tasks come from a thread of CUDA's, as often as the graph is replayed. */
static void captured(void *context)
{
    void *group = start_group(context, 2, true);
    struct replay of = {context, call_coll(context, group, true)};
    launch(context, group, &kernel_reduce);
    stop_if(group);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, replay, &of);
        pthread_join(thread, NULL);
    }
}

/* What NCCL should not do. */
static void nonsense(void *context)
{
    void *event = (void *)0x1234567;
    struct nccl_descriptor from = {0};
    plugin->start(context, NULL, &from);
    plugin->start(context, &event, NULL);
    plugin->start((void *)UINTPTR_MAX, &event, &from);
    plugin->stop(NULL), plugin->stop((void *)UINTPTR_MAX), plugin->stop((void *)0x7fffffff0001);
    plugin->state((void *)77, 1000, NULL);
    from.head.type = UINT64_MAX;
    plugin->start(context, &event, &from);
    if (event)
        puts("an unknown event has a handle");
    plugin->finalize(NULL), plugin->finalize((void *)UINTPTR_MAX);
    if (version >= 5) {
        start_group(context, 1, false); /* never stopped; the next group ends it */
        stop_if(start_group(context, 2, false));
    }
}

static void *stop_here(void *event)
{
    plugin->stop(event);
    prof_mark("stopped elsewhere");
    return NULL;
}

static void elsewhere(void *context)
{
    void *task = start_coll(context, NULL, 1);
    pthread_t thread;
    if (pthread_create(&thread, NULL, stop_here, task) != 0 || pthread_join(thread, NULL) != 0)
        puts("no thread");
    pid_t child = fork();
    if (child == 0) {
        stop_here(task);
        exit(0);
    }
    waitpid(child, NULL, 0);
    plugin->stop(task);
}

int main(int argc, char **argv)
{
    int mask = 0, other = 0;
    void *library = load(argc > 1 ? atoi(argv[1]) : 0);
    if (!library) {
        puts("no plugin");
        return 0;
    }
    void *context = begin(COMMUNICATOR, &mask), *second = begin(COMMUNICATOR + 1, &other);
    printf("%s v%d mask %#x\n", plugin->name, version, (unsigned)mask);
    if (mask && argc > 2) {
        elsewhere(context);
    } else if (mask) {
        nonsense(context);
        annotate("ncclAllReduce");
        single(context, 5);
        annotate(NULL);
        fused(context, 6);
        if (version >= 5)
            captured(context);
    }
    plugin->finalize(second);
    plugin->finalize(second);
    plugin->finalize(context);
    dlclose(library);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return 0;
}
