/* cuda_calls.c - names from the reference manuals of CUDA's runtime and driver interfaces. */
#include "cuda_calls.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

struct pattern {
    const char *name; /* of the end on: '*' anything */
    enum cuda_call call;
};

/* The first that fits counts. */
static const struct pattern patterns[] = {
    {"cudaLaunchHostFunc", CUDA_CALL_HOST_FUNCTION},
    {"cuLaunchHostFunc", CUDA_CALL_HOST_FUNCTION},
    {"cudaStreamAddCallback", CUDA_CALL_HOST_FUNCTION},
    {"cuStreamAddCallback", CUDA_CALL_HOST_FUNCTION},
    {"cudaLaunch*", CUDA_CALL_LAUNCH},
    {"cuLaunch*", CUDA_CALL_LAUNCH},
    {"cudaGraphLaunch", CUDA_CALL_LAUNCH},
    {"cuGraphLaunch", CUDA_CALL_LAUNCH},
    {"cudaMemset*", CUDA_CALL_LAUNCH},
    {"cuMemset*", CUDA_CALL_LAUNCH},
    {"cudaMemPrefetch*", CUDA_CALL_LAUNCH},
    {"cuMemPrefetch*", CUDA_CALL_LAUNCH},
    {"cudaMemcpy*Async", CUDA_CALL_COPY_ASYNC},
    {"cuMemcpy*Async", CUDA_CALL_COPY_ASYNC},
    {"cudaMemcpy*", CUDA_CALL_COPY},
    {"cuMemcpy*", CUDA_CALL_COPY},
    {"cudaMallocAsync", CUDA_CALL_ALLOCATE_ASYNC},
    {"cudaMallocFromPoolAsync", CUDA_CALL_ALLOCATE_ASYNC},
    {"cuMemAllocAsync", CUDA_CALL_ALLOCATE_ASYNC},
    {"cuMemAllocFromPoolAsync", CUDA_CALL_ALLOCATE_ASYNC},
    {"cudaFreeAsync", CUDA_CALL_FREE_ASYNC},
    {"cuMemFreeAsync", CUDA_CALL_FREE_ASYNC},
    {"cudaMalloc*", CUDA_CALL_ALLOCATE},
    {"cudaHostAlloc", CUDA_CALL_ALLOCATE},
    {"cudaHostRegister", CUDA_CALL_ALLOCATE},
    {"cuMemAlloc*", CUDA_CALL_ALLOCATE},
    {"cuMemHostAlloc", CUDA_CALL_ALLOCATE},
    {"cuMemHostRegister", CUDA_CALL_ALLOCATE},
    {"cuMemCreate", CUDA_CALL_ALLOCATE},
    {"cuMemMap", CUDA_CALL_ALLOCATE},
    {"cuArrayCreate", CUDA_CALL_ALLOCATE},
    {"cuArray3DCreate", CUDA_CALL_ALLOCATE},
    {"cudaFree*", CUDA_CALL_FREE},
    {"cudaHostUnregister", CUDA_CALL_FREE},
    {"cuMemFree*", CUDA_CALL_FREE},
    {"cuMemHostUnregister", CUDA_CALL_FREE},
    {"cuMemRelease", CUDA_CALL_FREE},
    {"cuMemUnmap", CUDA_CALL_FREE},
    {"cuArrayDestroy", CUDA_CALL_FREE},
    {"cudaDeviceSynchronize", CUDA_CALL_SYNC_DEVICE},
    {"cudaThreadSynchronize", CUDA_CALL_SYNC_DEVICE},
    {"cuCtxSynchronize", CUDA_CALL_SYNC_DEVICE},
    {"cudaStreamSynchronize", CUDA_CALL_SYNC_STREAM},
    {"cuStreamSynchronize", CUDA_CALL_SYNC_STREAM},
    {"cudaEventSynchronize", CUDA_CALL_SYNC_EVENT},
    {"cuEventSynchronize", CUDA_CALL_SYNC_EVENT},
    {"cuModule*", CUDA_CALL_MODULE},
    {"cuLibrary*", CUDA_CALL_MODULE},
    {"cuLink*", CUDA_CALL_MODULE},
    {"cudaLibrary*", CUDA_CALL_MODULE},
    {"cuKernelGetFunction", CUDA_CALL_MODULE},
    {"cudaFuncGetAttributes", CUDA_CALL_MODULE},
    {"cudaModuleLaunchKernel", CUDA_CALL_LAUNCH}, /* HIP's driver is its runtime */
    {"cudaExtModuleLaunchKernel", CUDA_CALL_LAUNCH},
    {"cudaExtLaunchKernel", CUDA_CALL_LAUNCH},
};

static bool ends_with(struct text name, const char *end)
{
    size_t size = strlen(end);
    return name.size >= size && memcmp(name.bytes + name.size - size, end, size) == 0;
}

static struct text without_version(struct text name)
{
    size_t digits = 0;
    while (digits < name.size && name.bytes[name.size - 1 - digits] >= '0' &&
           name.bytes[name.size - 1 - digits] <= '9')
        digits++;
    struct text rest = {name.bytes, name.size - digits};
    if (digits == 0 || !ends_with(rest, "_v"))
        return name;
    rest.size -= 2;
    return rest;
}

/* "cuMemcpyHtoDAsync_v2_ptsz" has two of them. */
static struct text without_suffixes(struct text name)
{
    if (ends_with(name, "_ptsz") || ends_with(name, "_ptds"))
        name.size -= strlen("_ptsz");
    return without_version(name);
}

static bool fits(struct text name, const char *pattern)
{
    size_t head = strcspn(pattern, "*");
    if (name.size < head || memcmp(name.bytes, pattern, head) != 0)
        return false;
    if (!pattern[head])
        return name.size == head;
    return ends_with((struct text){name.bytes + head, name.size - head}, pattern + head + 1);
}

/* HIP's calls are called as those of CUDA's runtime: "hipMalloc" fits "cudaMalloc". */
static bool fits_either(struct text name, const char *pattern)
{
    static const char cuda[] = "cuda", hip[] = "hip";
    size_t size = sizeof hip - 1;
    if (name.size < size || memcmp(name.bytes, hip, size) != 0)
        return fits(name, pattern);
    return strncmp(pattern, cuda, sizeof cuda - 1) == 0 &&
           fits((struct text){name.bytes + size, name.size - size}, pattern + sizeof cuda - 1);
}

enum cuda_call cuda_call_of_name(struct text name)
{
    name = without_suffixes(name);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (fits_either(name, patterns[i].name))
            return patterns[i].call;
    return CUDA_CALL_OTHER;
}

static bool is_listed(enum cuda_call call)
{
    return call >= CUDA_CALL_COPY && call <= CUDA_CALL_HOST_FUNCTION;
}

/* Many programs have none: whether a name is one is known before all slices are looked at. */
static bool has_listed_names(const struct cuda_calls *calls)
{
    for (uint32_t name = 0; name < calls->name_count; name++)
        if (is_listed((enum cuda_call)calls->of_name[name]))
            return true;
    return false;
}

static bool list_calls(struct cuda_calls *calls, const struct timeline *timeline)
{
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (!is_listed(cuda_call_of(calls, slice)) || slice->flags & TL_INTERNAL ||
            cuda_call_outermost(timeline, i) != i)
            continue;
        if (calls->listed_count == capacity &&
            !array_grow(&calls->listed, &capacity, sizeof *calls->listed))
            return false;
        calls->listed[calls->listed_count++] = i;
    }
    return true;
}

bool cuda_calls_init(struct cuda_calls *calls, const struct timeline *timeline)
{
    uint32_t count = timeline->names.count;
    *calls = (struct cuda_calls){.of_name = malloc(count + (size_t)1), .name_count = count};
    for (uint32_t name = 0; name < count && calls->of_name; name++)
        calls->of_name[name] = (uint8_t)cuda_call_of_name(timeline->names.at[name]);
    if (calls->of_name && (!has_listed_names(calls) || list_calls(calls, timeline)))
        return true;
    cuda_calls_fini(calls);
    return false;
}

void cuda_calls_fini(struct cuda_calls *calls)
{
    free(calls->listed);
    free(calls->of_name);
    *calls = (struct cuda_calls){0};
}

uint32_t cuda_call_outermost(const struct timeline *timeline, uint32_t slice)
{
    const struct tl_slice *slices = timeline->slices.at;
    while (slices[slice].parent != TL_NONE && slices[slices[slice].parent].kind == TL_API)
        slice = slices[slice].parent;
    return slice;
}
