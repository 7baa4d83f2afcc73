#include "cuda_calls.h"

#include "array.h"
#include "operation_totals.h"

#include <stdlib.h>
#include <string.h>

/* Names from the reference manuals of CUDA's runtime and driver interfaces. */

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

static struct text without_version(struct text name)
{
    size_t digits = 0;
    while (digits < name.size && name.bytes[name.size - 1 - digits] >= '0' &&
           name.bytes[name.size - 1 - digits] <= '9')
        digits++;
    struct text rest = {name.bytes, name.size - digits};
    if (digits == 0 || !text_ends(rest, "_v"))
        return name;
    rest.size -= 2;
    return rest;
}

/* "cuMemcpyHtoDAsync_v2_ptsz" has two of them. */
static struct text without_suffixes(struct text name)
{
    if (text_ends(name, "_ptsz") || text_ends(name, "_ptds"))
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
    return text_ends((struct text){name.bytes + head, name.size - head}, pattern + head + 1);
}

/* HIP's calls are called as those of CUDA's runtime: "hipMalloc" fits "cudaMalloc". */
static bool fits_either(struct text name, const char *pattern)
{
    static const char cuda[] = "cuda", hip[] = "hip";
    size_t size = sizeof hip - 1;
    if (!text_begins(name, hip))
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
    unsigned calls = 0;
    while (slices[slice].parent != TL_NONE && slices[slices[slice].parent].kind == TL_API &&
           calls++ < TL_CALLS_AROUND_MAX)
        slice = slices[slice].parent;
    return slice;
}

/* ---- durations by name ---- */

struct adding {
    const struct timeline *timeline;
    struct call_stats *stats;
    struct key_samples samples;
    uint32_t *row_of_name; /* 1 + row */
};

static struct call_stat *stat_of(struct adding *adding, uint32_t name, uint32_t slice)
{
    uint32_t *row = &adding->row_of_name[name];
    if (*row)
        return &adding->stats->at[*row - 1];
    struct call_stat *added = ARRAY_ADD(adding->stats);
    if (!added)
        return NULL;
    *added = (struct call_stat){.name = name, .slowest = slice};
    *row = adding->stats->count;
    return added;
}

bool call_is_timed(const struct timeline *timeline, const struct tl_slice *slice)
{
    return slice->kind == TL_API && !(slice->flags & (TL_INTERNAL | TL_CONTINUED)) &&
           slice->name < timeline->names.count &&
           !(slice->api < timeline->apis.count && timeline->apis.at[slice->api].failed_only);
}

static bool add_calls(struct adding *adding)
{
    const struct timeline *timeline = adding->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (!call_is_timed(timeline, slice))
            continue;
        int64_t ns = operation_call_end_ns(timeline, slice) - slice->start_ns;
        struct call_stat *row = stat_of(adding, slice->name, i);
        if (!row)
            return false;
        row->count++;
        row->sum_ns += ns;
        if (ns > row->max_ns) {
            row->max_ns = ns;
            row->slowest = i;
        }
        key_samples_add(&adding->samples, (uint32_t)(row - adding->stats->at), ns);
    }
    return true;
}

/* `sorted_ns`: of one name, ascending. */
static void find_outliers(struct call_stat *row, const int64_t *sorted_ns, size_t count)
{
    row->median_ns = sorted_ns[count / 2];
    for (size_t i = count; i-- > 0 && sorted_ns[i] / CALL_OUTLIER_TIMES > row->median_ns;) {
        row->outliers++;
        row->outliers_ns += sorted_ns[i] - row->median_ns;
    }
}

static bool measure_calls(struct adding *adding)
{
    struct call_stats *stats = adding->stats;
    size_t *starts = key_samples_sort(&adding->samples, stats->count);
    for (uint32_t i = 0; i < stats->count && starts; i++)
        if (starts[i + 1] > starts[i])
            find_outliers(&stats->at[i], adding->samples.ns + starts[i], starts[i + 1] - starts[i]);
    free(starts);
    return starts != NULL;
}

static int longest_first(const void *left, const void *right)
{
    const struct call_stat *a = left, *b = right;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns > b->sum_ns ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

bool call_stats_init(struct call_stats *stats, const struct timeline *timeline)
{
    struct adding adding = {.timeline = timeline, .stats = stats};
    *stats = (struct call_stats){0};
    adding.row_of_name = calloc((size_t)timeline->names.count + 1, sizeof *adding.row_of_name);
    bool ready = adding.row_of_name && key_samples_init(&adding.samples, timeline->apis.count);
    bool done = ready && add_calls(&adding) && measure_calls(&adding);
    if (ready)
        key_samples_fini(&adding.samples);
    free(adding.row_of_name);
    if (!done)
        call_stats_fini(stats);
    else if (stats->count)
        qsort(stats->at, stats->count, sizeof *stats->at, longest_first);
    return done;
}

void call_stats_fini(struct call_stats *stats)
{
    free(stats->at);
    *stats = (struct call_stats){0};
}
