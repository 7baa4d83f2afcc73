#!/usr/bin/env bash
# libprof names itself to CUDA and to annotation interfaces in the environment. setenv() is no function to call beside other
# threads, which may be reading it; and the name must hold where the program goes elsewhere.
. "$(dirname "$0")/common.sh"

cat >threaded.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_over, calls;

/* The library's calls come here, not to libc's. */
int setenv(const char *name, const char *value, int replace)
{
    (void)name, (void)value, (void)replace;
    calls++;
    return 0;
}

static void *read_on(void *unused)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        getenv("NOT_THERE");
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char **before = __environ;
    pthread_create(&thread, NULL, read_on, NULL);
    if (argc != 2 || !dlopen(argv[1], RTLD_NOW))
        return 2;
    const char *nvtx = getenv("NVTX_INJECTION64_PATH");
    printf("%d %s %s\n", calls, nvtx && strstr(nvtx, "libprof") ? "named" : "not named",
           getenv("HOME") && before != NULL ? "kept" : "lost");
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    return 0;
}
C
"$CC" -O1 -rdynamic threaded.c -o threaded -ldl -pthread
same "loaded beside a thread that reads the environment" "0 named kept" "$(HOME=/ ./threaded "$lib" 2>&1)"

cat >away.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    if (chdir("/") != 0)
        return 1;
    const char *path = getenv("NVTX_INJECTION64_PATH");
    printf("%s\n", path && access(path, R_OK) == 0 ? "found" : path ? path : "none");
    return 0;
}
C
"$CC" -O1 away.c -o away
ln -s "$(dirname "$lib")" beside
same "preloaded by a relative path" found "$(env -u NVTX_INJECTION64_PATH LD_PRELOAD=beside/"$(basename "$lib")" ./away 2>&1)"
