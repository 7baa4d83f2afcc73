/* nccl_host.c - plays NCCL's part towards a profiler plugin: loads it as NCCL does, drives one interface version in
 * the order in which NCCL's enqueue makes its events, and launches kernels with NCCL's names.
 *
 *     nccl_host VERSION [WHAT]       1..6: that interface; 0: the newest that the plugin has
 *     nccl_host VERSION WHAT FILE    through the wrapper that the real libnccl FILE has for that interface
 *
 *     calls      the default: a call of its own, a group, a group in a CUDA graph
 *     elsewhere  a call that another thread and a forked child stop, too
 *     task       a call whose task comes on another thread, as of a communicator that does not block
 *     many       a group of 5,000 calls
 *     proxy      what proxies send and receive for a call
 *     threads    4 threads with a communicator each, and what NCCL should not do
 */
#include "cuda_test.h"

#include "nccl_abi.h"
#include "nccl_internal.h"

#include <prof/prof.h>

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
static int version;       /* of the interface that is driven */
static int interface;     /* that the plugin gets: another one through the real NCCL */
static int asked;         /* events that the plugin asked for */
static bool through_nccl; /* whose wrappers read what they are given without a look */
static cudaStream_t stream;

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

/* The newest interface that the real library has itself: it turns that into what an older plugin expects. */
static void *load_through(const char *file, int wanted)
{
    char name[64];
    void *library = load(wanted);
    struct nccl_library nccl = nccl_open(file);
    for (version = 7; version >= 1; version--) {
        snprintf(name, sizeof name, "_Z18getNcclProfiler_v%dPv", version);
        if (nccl_internal(&nccl, name))
            break;
    }
    snprintf(name, sizeof name, "_Z18getNcclProfiler_v%dPv", wanted);
    const struct nccl_plugin *(*wrap)(void *) = nccl_internal(&nccl, name);
    plugin = library && wrap ? wrap(library) : NULL;
    through_nccl = true;
    return plugin ? library : NULL;
}

static void *begin(uint64_t id, int *mask)
{
    void *context = NULL;
    annotate("ncclCommInitRank");
    if (version >= 5)
        plugin->init.v5(&context, id, mask, "group \"7\"\n", 2, 8, 3, NULL);
    else if (version == 4)
        plugin->init.v4(&context, mask, "group \"7\"\n", id, 2, 8, 3, NULL);
    else
        plugin->init.v1(&context, mask);
    annotate(NULL);
    return context;
}

/* Interface 7 has more behind the fields of interface 6: nothing, as of a program that does not use it. */
static void *start(void *context, uint64_t type, void *parent, const struct nccl_descriptor *of)
{
    struct {
        struct nccl_descriptor known;
        uint64_t more[8];
    } room = {.known = *of};
    struct nccl_descriptor *from = &room.known;
    void *event = NULL;
    if (type != NCCL_EVENT_GROUP && !((uint64_t)asked & type))
        return NULL;
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
    cuda_check(launch_shaped(kernel, 8, 256, 0, stream), "a kernel of NCCL");
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
    void *second = p2p || interface < 5 ? start_p2p(context, p2p) : NULL;
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

struct task {
    void *context, *call;
};

static void *one_task(void *user)
{
    const struct task *of = user;
    void *task = start_coll(of->context, of->call, 9);
    stop_if(task);
    return NULL;
}

static void task_elsewhere(void *context, void *call)
{
    struct task of = {context, call};
    pthread_t thread;
    if (pthread_create(&thread, NULL, one_task, &of) != 0 || pthread_join(thread, NULL) != 0)
        puts("no thread");
}

static void *capture(void *context, int depth, const void *kernel)
{
    void *group = start_group(context, depth, true);
    void *call = call_coll(context, group, true);
    launch(context, group, kernel);
    stop_if(group);
    return call;
}

/* Recorded once; its tasks come from a thread of CUDA's, as often as the graph is replayed. */
static void captured(void *context)
{
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of capture");
    void *single = capture(context, 1, &kernel_reduce),
         *grouped = capture(context, 2, &kernel_group);
    cuda_check(cudaStreamEndCapture(stream, &graph), "end of capture");
    cuda_check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    for (int i = 0; i < 2; i++) {
        cuda_check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
        task_elsewhere(context, single);
        task_elsewhere(context, grouped);
    }
    cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    cuda_check(cudaGraphExecDestroy(executable), "cudaGraphExecDestroy");
    cuda_check(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

/* What NCCL should not do. */
static void nonsense(void *context)
{
    void *event = (void *)0x1234567;
    struct nccl_descriptor from = {0};
    if (through_nccl)
        return;
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

static void calls(void *context)
{
    nonsense(context);
    annotate("ncclAllReduce");
    single(context, 5);
    annotate(NULL);
    fused(context, 6);
    if (interface >= 5)
        captured(context);
}

static void *stop_here(void *event)
{
    plugin->stop(event);
    prof_mark("stopped elsewhere");
    return NULL;
}

static void elsewhere(void *context)
{
    struct nccl_descriptor from = {
        .coll_api = {.function = "AllReduce", .count = 1024, .type = "ncclFloat32"}};
    void *group = start_group(context, 2, false);
    void *call = start(context, NCCL_EVENT_COLL_API, group, &from);
    pthread_t thread;
    if (pthread_create(&thread, NULL, stop_here, call) != 0 || pthread_join(thread, NULL) != 0)
        puts("no thread");
    pid_t child = fork();
    if (child == 0) {
        stop_here(call);
        exit(0);
    }
    waitpid(child, NULL, 0);
    plugin->stop(call);
    plugin->stop(group);
}

/* Its calling thread has been through NCCL's NVTX range, where there are such; the thread of the task has not. */
static void task(void *context)
{
    annotate("ncclAllReduce");
    void *group = start_group(context, 1, false);
    void *call = call_coll(context, group, false);
    stop_if(group);
    annotate(NULL);
    task_elsewhere(context, call);
}

#define MANY 5000

static void many(void *context)
{
    static void *called[MANY];
    void *group = start_group(context, 2, false);
    for (int i = 0; i < MANY; i++)
        called[i] = call_coll(context, group, false);
    launch(context, group, &kernel_group);
    struct nccl_descriptor from = {0};
    void *plan = start(context, NCCL_EVENT_GROUP, NULL, &from), *tasks[MANY];
    for (int i = 0; i < MANY; i++)
        tasks[i] = start_coll(context, called[i], (uint64_t)i);
    for (int i = 0; i < MANY; i++)
        stop_if(tasks[i]);
    stop_if(plan);
    stop_if(group);
}

static void *start_proxy(void *context, void *parent, pid_t process)
{
    struct nccl_descriptor from = {.proxy_op = {process, 3, 5, 2, 65536, 1}};
    return start(context, NCCL_EVENT_PROXY_OP, parent, &from);
}

static void *start_step(void *context, void *operation, int step)
{
    struct nccl_descriptor from = {.proxy_step = {step}};
    return start(context, NCCL_EVENT_PROXY_STEP, operation, &from);
}

/* Two operations at a time, one of them for another process's call, each of which has two steps at a time. */
struct proxied {
    void *context, *task;
};

static void *proxy_thread(void *user)
{
    const struct proxied *of = user;
    struct nccl_state_arguments sent = {.transfer_bytes = 4096};
    void *own = start_proxy(of->context, of->task, getpid());
    void *other = start_proxy(of->context, of->task, getpid() + 1);
    void *first = start_step(of->context, own, 0), *second = start_step(of->context, own, 1);
    plugin->state(first, NCCL_STATE_SENDING, &sent);
    stop_if(first);
    stop_if(own);
    stop_if(second);
    stop_if(other);
    return NULL;
}

static void proxy(void *context)
{
    void *group = start_group(context, 2, false);
    void *call = call_coll(context, group, false);
    struct proxied of = {context, start_coll(context, call, 7)};
    pthread_t thread;
    if (pthread_create(&thread, NULL, proxy_thread, &of) != 0 || pthread_join(thread, NULL) != 0)
        puts("no thread");
    stop_if(of.task);
    stop_if(group);
}

static void *busy(void *user)
{
    int mask = 0;
    for (uint64_t i = 0; i < 50; i++) {
        void *context = begin(COMMUNICATOR + (uint64_t)(uintptr_t)user + i, &mask);
        nonsense(context);
        single(context, i);
        fused(context, i);
        proxy(context);
        plugin->finalize(context);
    }
    return NULL;
}

static void threads(void *context)
{
    pthread_t thread[4];
    (void)context;
    for (size_t i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, busy, (void *)(i << 8)) != 0)
            exit(1);
    for (size_t i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

static const struct {
    const char *name;
    void (*play)(void *context);
} plays[] = {{"calls", calls}, {"elsewhere", elsewhere}, {"task", task},
             {"many", many},   {"proxy", proxy},         {"threads", threads}};

int main(int argc, char **argv)
{
    int mask = 0, other = 0, wanted = argc > 1 ? atoi(argv[1]) : 0;
    void *library = argc > 3 ? load_through(argv[3], wanted) : load(wanted);
    if (!library) {
        puts("no plugin");
        return 0;
    }
    interface = wanted ? wanted : version;
    cuda_check(cudaStreamCreate(&stream), "cudaStreamCreate");
    void *context = begin(COMMUNICATOR, &mask), *second = begin(COMMUNICATOR + 1, &other);
    asked = mask;
    printf("%s v%d mask %#x\n", plugin->name, interface, (unsigned)mask);
    for (size_t i = 0; mask && i < sizeof plays / sizeof *plays; i++)
        if (strcmp(argc > 2 ? argv[2] : "calls", plays[i].name) == 0)
            plays[i].play(context);
    plugin->finalize(second);
    plugin->finalize(second);
    plugin->finalize(context);
    dlclose(library);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return 0;
}
