#include "nvtx_thread.h"

#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

__thread struct nvtx_thread *nvtx_thread_self;

static pthread_key_t nvtx_thread_key; /* its destructor gives the memory back */
static bool nvtx_thread_has_key;

/* A call in a later destructor makes a new one. */
static void nvtx_thread_leave(void *thread)
{
    nvtx_thread_self = NULL;
    munmap(thread, sizeof(struct nvtx_thread));
}

void nvtx_thread_init(void)
{
    if (!nvtx_thread_has_key)
        nvtx_thread_has_key = pthread_key_create(&nvtx_thread_key, nvtx_thread_leave) == 0;
}

/* No handler may come in between: the depth it counted would be lost. */
struct nvtx_thread *nvtx_thread_make(void)
{
    int saved_errno = errno;
    struct signals_saved saved;
    signals_block(&saved);
    void *memory = nvtx_thread_self;
    if (!memory) {
        memory = mmap(NULL, sizeof(struct nvtx_thread), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        nvtx_thread_self = memory == MAP_FAILED ? NULL : memory;
        if (nvtx_thread_self && nvtx_thread_has_key)
            pthread_setspecific(nvtx_thread_key, memory);
    }
    signals_restore(&saved);
    errno = saved_errno;
    return nvtx_thread_self;
}
