/* kineto_gpu.c - see kineto_gpu.h. The numbers of kinds are CUPTI's: see prof/format.h. */
#include "kineto_gpu.h"

#include <string.h>

#define UNKNOWN_DEVICE UINT16_MAX

static uint32_t number32(const struct kineto_args *args, enum kineto_arg arg)
{
    int64_t number = kineto_number(args, arg, 0);
    return number < 0 ? 0 : number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static uint16_t cut16(uint32_t number)
{
    return number > UINT16_MAX ? UINT16_MAX : (uint16_t)number;
}

static uint64_t number64(const struct kineto_args *args, enum kineto_arg arg)
{
    int64_t number = kineto_number(args, arg, 0);
    return number < 0 ? 0 : (uint64_t)number;
}

uint32_t kineto_external_id(const struct kineto_args *args)
{
    int64_t id =
        kineto_number(args, KINETO_EXTERNAL_ID, kineto_number(args, KINETO_EXTERNAL_ID_2021, 0));
    return id > 0 && id <= UINT32_MAX ? (uint32_t)id : 0;
}

/* More than a machine's devices are processes. */
#define DEVICE_PIDS 1024

static bool is_device_pid(const struct kineto_id *pid)
{
    return pid->present && !pid->text.bytes && pid->number >= 0 && pid->number < DEVICE_PIDS;
}

/* Where the args say nothing, the row's pid is the device, unless it is too large for one. */
uint32_t kineto_gpu_device(const struct kineto_event *event)
{
    int64_t pid = is_device_pid(&event->pid) ? event->pid.number : 0;
    int64_t device = kineto_number(&event->args, KINETO_DEVICE, pid);
    return device < 0 || device > UNKNOWN_DEVICE ? UNKNOWN_DEVICE : (uint32_t)device;
}

uint32_t kineto_gpu_context(const struct kineto_event *event)
{
    return number32(&event->args, KINETO_CONTEXT);
}

/* "stream 7" */
static uint32_t number_behind(struct text text)
{
    uint64_t number = 0;
    const char *digits = text.bytes + text.size;
    while (digits > text.bytes && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    for (; digits < text.bytes + text.size && number < UINT32_MAX; digits++)
        number = number * 10 + (unsigned)(*digits - '0');
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static uint32_t stream_of(const struct kineto_event *event)
{
    const struct kineto_id *tid = &event->tid;
    if (kineto_has(&event->args, KINETO_STREAM))
        return number32(&event->args, KINETO_STREAM);
    if (tid->text.bytes)
        return number_behind((struct text){tid->text.bytes, tid->text.size});
    return tid->number < 0 || tid->number > UINT32_MAX ? 0 : (uint32_t)tid->number;
}

bool kineto_gpu_is_kernel(const struct kineto_event *event)
{
    const uint64_t signs = KINETO_BIT(KINETO_EXTERNAL_ID) | KINETO_BIT(KINETO_EXTERNAL_ID_2021) |
                           KINETO_BIT(KINETO_CORRELATION) | KINETO_BIT(KINETO_DEVICE) |
                           KINETO_BIT(KINETO_STREAM) | KINETO_BIT(KINETO_GRID);
    return (event->args.seen & signs) != 0 || is_device_pid(&event->pid);
}

static void fill_kernel(const struct kineto_event *event, uint32_t name,
                        struct prof_rec_kernel *kernel)
{
    const struct kineto_args *args = &event->args;
    static const uint32_t none[3] = {0};
    const uint32_t *grid = kineto_has(args, KINETO_GRID) ? args->at[KINETO_GRID].three : none;
    const uint32_t *block = kineto_has(args, KINETO_BLOCK) ? args->at[KINETO_BLOCK].three : none;
    int64_t priority = kineto_number(args, KINETO_PRIORITY, PROF_PRIORITY_UNKNOWN);
    kernel->name = name;
    kernel->context = kineto_gpu_context(event);
    kernel->stream = stream_of(event);
    kernel->device = (uint16_t)kineto_gpu_device(event);
    kernel->grid_x = grid[0], kernel->grid_y = cut16(grid[1]), kernel->grid_z = cut16(grid[2]);
    kernel->block_x = cut16(block[0]), kernel->block_y = cut16(block[1]);
    kernel->block_z = cut16(block[2]);
    kernel->registers = cut16(number32(args, KINETO_REGISTERS));
    kernel->dynamic_shared_memory = number32(args, KINETO_SHARED_MEMORY);
    kernel->graph = number32(args, KINETO_GRAPH);
    kernel->graph_node = number64(args, KINETO_GRAPH_NODE);
    kernel->priority =
        priority < INT32_MIN || priority > INT32_MAX ? PROF_PRIORITY_UNKNOWN : (int32_t)priority;
}

struct word {
    const char *text;
    uint8_t number;
};

static uint8_t find_word(struct text text, const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i].text) == text.size && memcmp(words[i].text, text.bytes, text.size) == 0)
            return words[i].number;
    return 0;
}
#define FIND_WORD(text, words) find_word(text, words, sizeof(words) / sizeof *(words))

static uint8_t copy_kind(struct text text)
{
    static const struct word kinds[] = {{"HtoD", 1}, {"DtoH", 2}, {"HtoA", 3}, {"AtoH", 4},
                                        {"AtoA", 5}, {"AtoD", 6}, {"DtoA", 7}, {"DtoD", 8},
                                        {"HtoH", 9}, {"PtoP", 10}};
    return FIND_WORD(text, kinds);
}

static uint8_t memory_kind(struct text text)
{
    static const struct word kinds[] = {{"Pageable", 1},      {"Host", 1},          {"Pinned", 2},
                                        {"Device", 3},        {"Array", 4},         {"Managed", 5},
                                        {"Device Static", 6}, {"Managed Static", 7}};
    return FIND_WORD(text, kinds);
}

/* What lies between two places in the text; empty when one of them is not there. */
static struct text between(struct text text, const char *left, const char *right)
{
    const char *begin = memmem(text.bytes, text.size, left, strlen(left));
    if (!begin)
        return (struct text){"", 0};
    begin += strlen(left);
    size_t rest = (size_t)(text.bytes + text.size - begin);
    const char *end = memmem(begin, rest, right, strlen(right));
    return end ? (struct text){begin, (size_t)(end - begin)} : (struct text){"", 0};
}

/* "Memcpy HtoD (Pageable -> Device)" */
static void fill_memcpy(const struct kineto_event *event, struct text text,
                        struct prof_rec_memcpy *copy)
{
    const struct kineto_args *args = &event->args;
    copy->context = kineto_gpu_context(event);
    copy->stream = stream_of(event);
    copy->device = (uint16_t)kineto_gpu_device(event);
    copy->bytes = number64(args, KINETO_BYTES);
    copy->copy_kind = copy_kind(between(text, "Memcpy ", " ("));
    copy->src_kind = memory_kind(between(text, "(", " -> "));
    copy->dst_kind = memory_kind(between(text, "-> ", ")"));
    if (!copy->copy_kind && kineto_has(args, KINETO_KIND))
        copy->copy_kind = copy_kind(
            (struct text){args->at[KINETO_KIND].text.bytes, args->at[KINETO_KIND].text.size});
}

static void fill_memset(const struct kineto_event *event, struct text text,
                        struct prof_rec_memset *set)
{
    set->context = kineto_gpu_context(event);
    set->stream = stream_of(event);
    set->device = (uint16_t)kineto_gpu_device(event);
    set->bytes = number64(&event->args, KINETO_BYTES);
    set->memory_kind = memory_kind(between(text, "(", ")"));
}

static void fill_graph(const struct kineto_event *event, struct prof_rec_graph_run *run)
{
    run->graph = number32(&event->args, KINETO_GRAPH);
    run->context = kineto_gpu_context(event);
    run->stream = stream_of(event);
    run->device = (uint16_t)kineto_gpu_device(event);
}

static void fill_sync(const struct kineto_event *event, struct text text,
                      struct prof_rec_sync *sync)
{
    static const struct word types[] = {{"Event Sync", 1},         {"Event Synchronize", 1},
                                        {"Stream Wait Event", 2},  {"Stream Sync", 3},
                                        {"Stream Synchronize", 3}, {"Context Sync", 4},
                                        {"Context Synchronize", 4}};
    const struct kineto_args *args = &event->args;
    int64_t stream = kineto_number(args, KINETO_STREAM, -1);
    if (kineto_has(args, KINETO_SYNC_KIND))
        text = (struct text){args->at[KINETO_SYNC_KIND].text.bytes,
                             args->at[KINETO_SYNC_KIND].text.size};
    sync->type = FIND_WORD(text, types);
    sync->context = kineto_gpu_context(event);
    sync->stream = stream < 0 || stream > UINT32_MAX ? PROF_SYNC_NO_STREAM : (uint32_t)stream;
}

void kineto_gpu_read(const struct kineto_event *event, struct text text, uint32_t name,
                     struct read_gpu *gpu)
{
    memset(gpu, 0, sizeof *gpu); /* its padding too: see event_store_gpu() */
    int64_t correlation = kineto_number(&event->args, KINETO_CORRELATION, 0);
    gpu->correlation = correlation > 0 && correlation <= UINT32_MAX ? (uint32_t)correlation : 0;
    gpu->ambiguous = kineto_number(&event->args, KINETO_AMBIGUOUS, 0) != 0;
    gpu->name = name;
    switch (event->category) {
    case KINETO_MEMCPY:
        gpu->kind = READ_GPU_MEMCPY;
        fill_memcpy(event, text, &gpu->memcpy);
        break;
    case KINETO_MEMSET:
        gpu->kind = READ_GPU_MEMSET;
        fill_memset(event, text, &gpu->memset);
        break;
    case KINETO_GRAPH_RUN:
        gpu->kind = READ_GPU_GRAPH;
        fill_graph(event, &gpu->graph);
        break;
    case KINETO_SYNC:
        gpu->kind = READ_GPU_SYNC;
        fill_sync(event, text, &gpu->sync);
        if (kineto_has(&event->args, KINETO_DEVICE))
            gpu->wait_device = 1 + kineto_gpu_device(event);
        break;
    case KINETO_OVERHEAD:
        gpu->kind = READ_GPU_OVERHEAD;
        break;
    default:
        gpu->kind = READ_GPU_KERNEL;
        gpu->name = 0;
        fill_kernel(event, name, &gpu->kernel);
    }
}
