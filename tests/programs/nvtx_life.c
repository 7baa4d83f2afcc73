/* NVTX in the turns of a process's life: `nvtx_life HOW`. With -DAS_LIBRARY it is the other shared object,
 * with NVTX functions of its own. */
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <string.h>

#ifdef AS_LIBRARY

void library_range(void)
{
    nvtxRangePushA("in the library");
    nvtxRangePop();
}

#ifdef WITH_CONSTRUCTOR
__attribute__((constructor)) static void early(void)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("early");
    nvtxEventAttributes_t attributes = {0};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain, "constructor");
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxDomainRangePop(domain);
}
#endif

#else

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef WITH_PROF
#include <prof/prof.h>
#endif

#define THREADS 8
#define RANGES 20000

static nvtxDomainHandle_t domain;
static nvtxEventAttributes_t attributes;

static void prepare(void)
{
    domain = nvtxDomainCreateA("life");
    nvtxDomainNameCategoryA(domain, 3, "category");
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.category = 3;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
}

static void *work(void *unused)
{
    char name[32];
    for (int i = 0; i < RANGES; i++) {
        snprintf(name, sizeof name, "range %d", i % 100);
        nvtxDomainRangePushEx(domain, &attributes);
        nvtxRangePushA(name);
        nvtxRangePop();
        nvtxDomainRangePop(domain);
    }
    return unused;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

static void one(const char *name)
{
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxRangePushA(name);
    nvtxRangePop();
    nvtxDomainRangePop(domain);
}

static void forked(void)
{
    one("parent");
    nvtxRangePushA("open in the parent");
    if (fork() == 0) {
        one("child");
        exit(nvtxRangePop() == 0 ? 0 : 1);
    }
    int status;
    wait(&status);
    nvtxRangePop();
    if (status)
        exit(1);
}

/* As soon as it has pushed a range that its parent knew. */
static void killed(void)
{
    int status;
    one("parent");
    if (fork() == 0) {
        nvtxDomainRangePushEx(domain, &attributes);
        raise(SIGKILL);
    }
    wait(&status);
}

static void library(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW);
    void (*range)(void) = handle ? (void (*)(void))dlsym(handle, "library_range") : NULL;
    if (!range)
        exit(1);
    range();
    one("program");
}

/* Depths are NVTX's promise, whether or not anybody records. */
static void depths(void)
{
    if (nvtxRangePushA("a") != 0 || nvtxRangePushA("b") != 1 || nvtxRangePop() != 1 ||
        nvtxRangePop() != 0 || nvtxRangePop() >= 0)
        exit(1);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
#ifdef WITH_PROF
    if (strcmp(how, "linked") == 0)
        prof_start();
#endif
    prepare();
    if (strcmp(how, "threads") == 0)
        threads();
    else if (strcmp(how, "fork") == 0)
        forked();
    else if (strcmp(how, "killed") == 0)
        killed();
    else if (strcmp(how, "library") == 0)
        library(argv[2]);
    else if (strcmp(how, "depths") == 0)
        depths();
    else if (strcmp(how, "linked") == 0)
        one("linked");
    else if (strcmp(how, "none") == 0)
        nvtxRangeEnd(0);
    if (argc > 2 && strcmp(argv[argc - 2], "then") == 0)
        return system(argv[argc - 1]) ? 1 : 0;
    puts(getenv("NVTX_INJECTION64_PATH") ? getenv("NVTX_INJECTION64_PATH") : "not set");
    return 0;
}
#endif
