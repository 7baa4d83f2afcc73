/* constructed WAY: how CUPTI and cuBLAS, which this program is linked with, can be called where libprof stands before them.
 *
 *     cupti, cublas    a library is opened, whose constructor waits until another thread has called them
 *     errors           the text of a failed dlopen() is still there after the calls
 *
 * As a library (-DLIBRARY): the one that is opened.
 */
#include <stdio.h>

void constructed_wait(void);

#ifdef LIBRARY

__attribute__((constructor)) static void constructed(void)
{
    constructed_wait();
}

#else

#include "cublas_by_hand.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

extern int cuptiActivityFlushAll(uint32_t flags);
extern int cuptiActivityDisable(uint32_t kind);
extern int cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));
extern int cuptiFinalize(void);

static sem_t begun, done;
static const char *way;

/* Without a handle and arrays, cuBLAS refuses. */
static void call(void)
{
    bool all = !strcmp(way, "errors");
    if (all || !strcmp(way, "cupti"))
        printf("%d ", cuptiActivityFlushAll(0)), printf("%d ", cuptiActivityDisable(3)),
            printf("%d ", cuptiActivityRegisterTimestampCallback(NULL));
    if (all || !strcmp(way, "cublas"))
        printf("%d ",
               cublasSgemm_v2(NULL, 0, 0, 1, 1, 1, NULL, NULL, 1, NULL, 1, NULL, NULL, 1) != 0);
    if (all)
        printf("%d ", cuptiFinalize());
}

static void *other_thread(void *unused)
{
    sem_wait(&begun);
    call();
    sem_post(&done);
    return unused;
}

void constructed_wait(void)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 60;
    sem_post(&begun);
    puts(sem_timedwait(&done, &limit) == 0 ? "called" : "waited in vain");
}

int main(int argc, char **argv)
{
    way = argc > 1 ? argv[1] : "";
    if (!strcmp(way, "errors")) {
        dlopen("/nonexistent.so", RTLD_NOW);
        errno = 4321;
        call();
        int error = errno;
        const char *text = dlerror();
        printf("errno %d, %s\n", error, text ? text : "no error");
        return 0;
    }
    pthread_t thread;
    sem_init(&begun, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, other_thread, NULL);
    if (!dlopen("./constructed.so", RTLD_NOW))
        puts(dlerror());
    pthread_join(thread, NULL);
    return 0;
}

#endif
