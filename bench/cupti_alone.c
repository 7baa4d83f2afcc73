/* cupti_alone.c - what CUPTI costs without libprof: a library that CUDA loads (CUDA_INJECTION64_PATH).
 *
 * CUPTI writes records of kernels, copies and sets, and calls back at each launch by cudaLaunchKernel(); the records are thrown
 * away, and the callback does nothing. The program ends with status 1 if CUPTI is not there. overhead.sh compares that with libprof's overhead.
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi.h"

#define BUFFER_BYTES ((size_t)1 << 20)
#define LAUNCH_KERNEL 211u /* CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 */

static struct {
#define POINTER(need, name, arguments) int(*name) arguments;
    ABI_CUPTI_FUNCTIONS(POINTER)
#undef POINTER
} cupti;

static void request(uint8_t **buffer, size_t *bytes, size_t *max_records)
{
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                     size_t valid_bytes)
{
    (void)context, (void)stream, (void)bytes, (void)valid_bytes;
    free(buffer);
}

static void call_back(void *user, uint32_t domain, uint32_t function, const void *data)
{
    (void)user, (void)domain, (void)function, (void)data;
}

static void flush(void)
{
    cupti.cuptiActivityFlushAll(1);
}

static void *open_cupti(void)
{
    static const char *const names[] = {
        "libcupti.so.13", "libcupti.so.12", "libcupti.so",
        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}; /* libprof's loader.c knows more */
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW);
    return library;
}

__attribute__((visibility("default"))) int InitializeInjection(void);
int InitializeInjection(void)
{
    static const uint32_t kinds[] = {ABI_KIND_CONCURRENT_KERNEL, ABI_KIND_MEMCPY, ABI_KIND_MEMSET};
    void *library = open_cupti(), *subscriber, *found;
    int failed = 0;
    if (!library) {
        fprintf(stderr, "cupti_alone: %s\n", dlerror());
        _exit(1);
    }
#define FIND(need, name, arguments) \
    found = dlsym(library, #name);  \
    memcpy(&cupti.name, &found, sizeof found);
    ABI_CUPTI_FUNCTIONS(FIND)
#undef FIND
    failed |= cupti.cuptiSubscribe(&subscriber, call_back, NULL);
    failed |= cupti.cuptiActivityRegisterCallbacks(request, complete);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        failed |= cupti.cuptiActivityEnable(kinds[i]);
    failed |= cupti.cuptiEnableCallback(1, subscriber, ABI_DOMAIN_RUNTIME, LAUNCH_KERNEL);
    if (failed) {
        fprintf(stderr, "cupti_alone: CUPTI refuses\n");
        _exit(1);
    }
    atexit(flush);
    return 1;
}
