#include "label_thread.h"

#include "recorder.h"
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

__thread struct label_thread *label_thread_self;

static pthread_key_t label_thread_key GUEST_DATA; /* its destructor gives the memory back */
static bool label_thread_has_key GUEST_DATA;

/* A call in a later destructor makes a new one. */
static void label_thread_end(void *thread)
{
    label_thread_self = NULL;
    munmap(thread, sizeof(struct label_thread));
}

void label_thread_init(void)
{
    if (!label_thread_has_key)
        label_thread_has_key = pthread_key_create(&label_thread_key, label_thread_end) == 0;
}

/* No handler may come in between: the depth it counted would be lost. */
struct label_thread *label_thread_create(void)
{
    int saved_errno = errno;
    struct signals_saved saved;
    signals_block(&saved);
    void *memory = label_thread_self;
    if (!memory) {
        memory = mmap(NULL, sizeof(struct label_thread), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        label_thread_self = memory == MAP_FAILED ? NULL : memory;
        if (label_thread_self && label_thread_has_key)
            pthread_setspecific(label_thread_key, memory);
    }
    signals_restore(&saved);
    errno = saved_errno;
    return label_thread_self;
}
