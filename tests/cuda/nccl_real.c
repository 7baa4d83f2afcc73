/* nccl_real.c LIBNCCL - the real libnccl on the simulated CUDA, as far as it goes: its own code loads the profiler plugin
 * for a communicator that is nothing but zeroes. */
#include "nccl_internal.h"

struct unique_id {
    char bytes[128];
};

static void *require(void *symbol, const char *name)
{
    if (!symbol) {
        printf("no %s\n", name);
        exit(1);
    }
    return symbol;
}

static void public_functions(const struct nccl_library *library)
{
    int version = 0;
    struct unique_id id = {{0}};
    void *comm = NULL;
    int (*get_version)(int *) = require(dlsym(library->handle, "ncclGetVersion"), "ncclGetVersion");
    int (*get_id)(struct unique_id *) =
        require(dlsym(library->handle, "ncclGetUniqueId"), "ncclGetUniqueId");
    int (*init)(void **, int, struct unique_id, int) =
        require(dlsym(library->handle, "ncclCommInitRank"), "ncclCommInitRank");
    printf("ncclGetVersion %d", get_version(&version));
    printf(" %d\nncclGetUniqueId %d\n", version, get_id(&id));
    printf("ncclCommInitRank %d\n", init(&comm, 1, id, 0));
}

/* Twice, for NCCL counts its communicators: the second finds the plugin loaded. */
static void plugin(const struct nccl_library *library)
{
    size_t bytes = 64u << 20; /* more than any version's struct ncclComm has */
    char *comm = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int (*init)(void *) =
        require(nccl_internal(library, "_Z22ncclProfilerPluginInitP8ncclComm"), "init");
    int (*finalize)(void *) =
        require(nccl_internal(library, "_Z26ncclProfilerPluginFinalizeP8ncclComm"), "finalize");
    printf("ncclProfilerPluginInit %d %d\n", init(comm), init(comm));
    const int *mask = nccl_internal(library, "ncclProfilerEventMask");
    if (mask) /* a variable of the file's own before 2.26 */
        printf("mask %#x\n", (unsigned)*mask);
    printf("ncclProfilerPluginFinalize %d %d\n", finalize(comm), finalize(comm));
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0); /* NCCL writes its log there, too */
    struct nccl_library library = nccl_open(argv[1]);
    public_functions(&library);
    plugin(&library);
    return 0;
}
