#include "memory_use.h"
#include "array.h"
#include "maps.h"

#include <stdlib.h>

/* ---- heaps: one pass over the events of memory ---- */

static void begin(struct memory_heap_use *use, const struct tl_memory *memory, uint32_t event)
{
    use->allocations++;
    use->allocated_bytes += memory->bytes;
    use->live++;
    use->live_bytes += memory->bytes;
    if (use->live_bytes <= use->peak_bytes)
        return;
    use->peak_bytes = use->live_bytes;
    use->peak_ns = memory->start_ns;
    use->peak_event = event;
}

static void end(struct memory_heap_use *use, const struct tl_memory *memory)
{
    use->frees++;
    use->freed_bytes += memory->bytes;
    use->live--;
    use->live_bytes -= memory->bytes;
}

bool memory_use_init(struct memory_use *use, const struct timeline *timeline)
{
    use->heaps = calloc(timeline->heaps.count + (size_t)1, sizeof *use->heaps);
    if (!use->heaps)
        return false;
    for (uint32_t i = 0; i < timeline->heaps.count; i++)
        use->heaps[i].peak_event = TL_NONE;
    for (uint32_t i = 0; i < timeline->memory_events.count; i++) {
        const struct tl_memory_event *event = &timeline->memory_events.at[i];
        const struct tl_memory *memory = &timeline->memories.at[event->memory];
        if (event->is_end)
            end(&use->heaps[memory->heap], memory);
        else
            begin(&use->heaps[memory->heap], memory, i);
    }
    return true;
}

void memory_use_fini(struct memory_use *use)
{
    free(use->heaps);
    use->heaps = NULL;
}

bool memory_is_cuda(const struct tl_heap *heap)
{
    enum { PAGEABLE = 1, PINNED = 2 };
    if (heap->allocator)
        return heap->device != TL_NONE;
    return heap->kind != PAGEABLE && heap->kind != PINNED;
}

/* ---- sites: what is live at a moment, grouped by the code that allocated it ---- */

struct grouping {
    const struct timeline *timeline;
    struct memory_sites *sites;
    bool of_all;            /* heaps */
    uint32_t *path_of;      /* by slice: path + 1; 0 not yet */
    struct keymap paths;    /* parent and name -> path */
    struct keymap groups;   /* heap and path -> site */
    TL_ARRAY(uint32_t) way; /* slices without a path, from the innermost out */
    bool failed;
};

static uint32_t add_path(struct grouping *grouping, uint32_t parent, uint32_t slice)
{
    uint32_t name = grouping->timeline->slices.at[slice].name;
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t known = keymap_find(&grouping->paths, key);
    if (known != KEYMAP_NONE)
        return known;
    struct memory_path *path = ARRAY_ADD(&grouping->sites->paths);
    if (!path || !keymap_set(&grouping->paths, key, grouping->sites->paths.count - 1)) {
        grouping->failed = true;
        return TL_NONE;
    }
    *path = (struct memory_path){parent, name, slice};
    return grouping->sites->paths.count - 1;
}

/* Out to where a path is known, and back in. */
static uint32_t path_of(struct grouping *grouping, uint32_t slice)
{
    uint32_t at = slice;
    grouping->way.count = 0;
    while (at != TL_NONE && !grouping->path_of[at] && !grouping->failed) {
        uint32_t *step = ARRAY_ADD(&grouping->way);
        grouping->failed |= !step;
        if (step)
            *step = at;
        at = grouping->timeline->slices.at[at].parent;
    }
    uint32_t path = at == TL_NONE || grouping->failed ? TL_NONE : grouping->path_of[at] - 1;
    for (uint32_t i = grouping->way.count; i-- > 0 && !grouping->failed;) {
        path = add_path(grouping, path, grouping->way.at[i]);
        grouping->path_of[grouping->way.at[i]] = path + 1;
    }
    return grouping->failed ? TL_NONE : path;
}

static void add_memory(struct grouping *grouping, uint32_t index)
{
    const struct tl_memory *memory = &grouping->timeline->memories.at[index];
    struct memory_sites *sites = grouping->sites;
    uint32_t path = path_of(grouping, memory->slice);
    uint64_t key = (uint64_t)memory->heap << 32 | path;
    uint32_t known = keymap_find(&grouping->groups, key);
    if (known == KEYMAP_NONE) {
        struct memory_site *site = ARRAY_ADD(&sites->sites);
        known = sites->sites.count - 1;
        if (!site || !keymap_set(&grouping->groups, key, known)) {
            grouping->failed = true;
            return;
        }
        *site = (struct memory_site){.heap = memory->heap, .path = path, .memory = index};
    }
    sites->sites.at[known].count++;
    sites->sites.at[known].bytes += memory->bytes;
    if (grouping->of_all && grouping->timeline->heaps.at[memory->heap].is_passed_on) {
        sites->kept_bytes += memory->bytes;
        return;
    }
    sites->count++;
    sites->bytes += memory->bytes;
}

/* By bytes; equal ones as they came. */
static int compare_sites(const void *left, const void *right)
{
    const struct memory_site *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return a->memory < b->memory ? -1 : a->memory > b->memory;
}

static bool is_wanted(const struct tl_memory *memory, uint32_t heap, bool at_end)
{
    return (heap == TL_NONE || memory->heap == heap) && !(at_end && memory->address == 0);
}

static void add_live(struct grouping *grouping, uint32_t event, uint32_t heap)
{
    const struct timeline *timeline = grouping->timeline;
    uint8_t *live = calloc(timeline->memories.count + (size_t)1, 1);
    grouping->failed |= !live;
    for (uint32_t i = 0; live && i < timeline->memory_events.count && i <= event; i++)
        live[timeline->memory_events.at[i].memory] = !timeline->memory_events.at[i].is_end;
    for (uint32_t i = 0; live && i < timeline->memories.count && !grouping->failed; i++)
        if (live[i] && is_wanted(&timeline->memories.at[i], heap, event == TL_NONE))
            add_memory(grouping, i);
    free(live);
}

bool memory_sites_init(struct memory_sites *sites, const struct timeline *timeline, uint32_t event,
                       uint32_t heap)
{
    struct grouping grouping = {.timeline = timeline, .sites = sites, .of_all = heap == TL_NONE};
    *sites = (struct memory_sites){0};
    grouping.path_of = calloc(timeline->slices.count + (size_t)1, sizeof *grouping.path_of);
    grouping.failed = !grouping.path_of;
    if (!grouping.failed)
        add_live(&grouping, event, heap);
    if (!grouping.failed && sites->sites.count > 1)
        qsort(sites->sites.at, sites->sites.count, sizeof *sites->sites.at, compare_sites);
    free(grouping.path_of);
    free(grouping.way.at);
    keymap_fini(&grouping.paths);
    keymap_fini(&grouping.groups);
    if (grouping.failed)
        memory_sites_fini(sites);
    return !grouping.failed;
}

void memory_sites_fini(struct memory_sites *sites)
{
    free(sites->sites.at);
    free(sites->paths.at);
    *sites = (struct memory_sites){0};
}

/* ---- bytes in use over time, per process, on the host's side and on the devices' ----
 *
 * A tree of maxima: leaf `leaves + i` is what is in use after event i, every other
 * node the larger of its two children, so a stretch of n events costs the logarithm of n. */

struct memory_curve {
    const struct timeline *timeline;
    uint32_t *first;                 /* by process: its first event; one more at the end */
    uint64_t *tallest[MEMORY_SIDES]; /* a tree over the events */
    uint32_t leaves;
};

static uint32_t process_of(const struct timeline *timeline, uint32_t event)
{
    uint32_t memory = timeline->memory_events.at[event].memory;
    return timeline->heaps.at[timeline->memories.at[memory].heap].process;
}

/* Events are grouped by process, in the processes' order. */
static void fill_first(struct memory_curve *curve)
{
    const struct timeline *timeline = curve->timeline;
    uint32_t event = 0;
    for (uint32_t process = 0; process <= timeline->processes.count; process++) {
        while (event < timeline->memory_events.count && process_of(timeline, event) < process)
            event++;
        curve->first[process] = event;
    }
}

static void fill_leaves(struct memory_curve *curve)
{
    const struct timeline *timeline = curve->timeline;
    uint64_t live[MEMORY_SIDES + 1] = {0};
    for (uint32_t i = 0; i < curve->leaves; i++) {
        const struct tl_memory_event *event = &timeline->memory_events.at[i];
        const struct tl_memory *memory = &timeline->memories.at[event->memory];
        int changed = memory_is_cuda(&timeline->heaps.at[memory->heap]) ? MEMORY_CUDA : MEMORY_CPU;
        if (i && process_of(timeline, i) != process_of(timeline, i - 1))
            live[MEMORY_CPU] = live[MEMORY_CUDA] = 0;
        if (timeline->heaps.at[memory->heap].is_passed_on)
            changed = MEMORY_SIDES; /* in no side */
        live[changed] += event->is_end ? -memory->bytes : memory->bytes;
        for (int side = 0; side < MEMORY_SIDES; side++)
            curve->tallest[side][curve->leaves + i] = live[side];
    }
}

static void fill_tree(struct memory_curve *curve)
{
    for (int side = 0; side < MEMORY_SIDES; side++)
        for (uint32_t i = curve->leaves; i-- > 1;) {
            uint64_t left = curve->tallest[side][2 * i], right = curve->tallest[side][2 * i + 1];
            curve->tallest[side][i] = left > right ? left : right;
        }
}

static void memory_curve_fini(struct memory_curve *curve)
{
    free(curve->first);
    for (int side = 0; side < MEMORY_SIDES; side++)
        free(curve->tallest[side]);
    *curve = (struct memory_curve){0};
}

/* False: no memory. */
static bool memory_curve_init(struct memory_curve *curve, const struct timeline *timeline)
{
    *curve = (struct memory_curve){.timeline = timeline, .leaves = timeline->memory_events.count};
    curve->first = calloc(timeline->processes.count + (size_t)1, sizeof *curve->first);
    bool ready = curve->first != NULL;
    for (int side = 0; side < MEMORY_SIDES; side++) {
        curve->tallest[side] = calloc(2 * (size_t)curve->leaves + 2, sizeof **curve->tallest);
        ready &= curve->tallest[side] != NULL;
    }
    if (!ready) {
        memory_curve_fini(curve);
        return false;
    }
    fill_first(curve);
    fill_leaves(curve);
    fill_tree(curve);
    return true;
}

/* The process's first event after `time_ns`. */
static uint32_t first_after(const struct memory_curve *curve, uint32_t process, int64_t time_ns)
{
    uint32_t low = curve->first[process], high = curve->first[process + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->timeline->memory_events.at[middle].time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t tallest(const struct memory_curve *curve, int side, uint32_t from, uint32_t end)
{
    const uint64_t *tree = curve->tallest[side];
    uint64_t most = 0;
    size_t low = (size_t)from + curve->leaves, high = (size_t)end + curve->leaves;
    for (; low < high; low /= 2, high /= 2) {
        if (low & 1) {
            most = tree[low] > most ? tree[low] : most;
            low++;
        }
        if (high & 1) {
            high--;
            most = tree[high] > most ? tree[high] : most;
        }
    }
    return most;
}

/* Raises peak[] to the most bytes that the slice's process used while the slice was open. */
static void memory_curve_peak(const struct memory_curve *curve, uint32_t slice,
                              uint64_t peak[MEMORY_SIDES])
{
    const struct tl_slice *open = &curve->timeline->slices.at[slice];
    uint32_t process = curve->timeline->threads.at[open->thread].process;
    uint32_t from = first_after(curve, process, open->start_ns);
    uint32_t end = first_after(curve, process, open->end_ns);
    /* What was in use when it began is what the event before left. */
    if (from > curve->first[process])
        from--;
    for (int side = 0; side < MEMORY_SIDES; side++) {
        uint64_t most = tallest(curve, side, from, end);
        peak[side] = most > peak[side] ? most : peak[side];
    }
}

/* ---- ranges ----
 *
 * Amounts gathered per slice, handed up from the innermost to the outermost, and
 * added up by name. */

static enum memory_side side_of(const struct tl_heap *heap)
{
    return memory_is_cuda(heap) ? MEMORY_CUDA : MEMORY_CPU;
}

static bool find_sides(struct memory_slices *memory, const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->heaps.count; i++) {
        const struct tl_heap *heap = &timeline->heaps.at[i];
        enum memory_side side = side_of(heap);
        if (!memory->is_known[side]) {
            memory->is_known[side] = calloc(timeline->processes.count + (size_t)1, sizeof(bool));
            memory->bytes[side] =
                calloc(timeline->slices.count + (size_t)1, sizeof *memory->bytes[side]);
        }
        if (!memory->is_known[side] || !memory->bytes[side])
            return false;
        memory->is_known[side][heap->process] = true;
    }
    return true;
}

bool memory_slices_init(struct memory_slices *memory, const struct timeline *timeline)
{
    *memory = (struct memory_slices){0};
    if (!find_sides(memory, timeline))
        return false;
    for (uint32_t i = 0; i < timeline->memory_events.count; i++) {
        const struct tl_memory_event *event = &timeline->memory_events.at[i];
        const struct tl_memory *of = &timeline->memories.at[event->memory];
        uint32_t slice = event->is_end ? of->end_slice : of->slice;
        int64_t bytes = event->is_end ? -(int64_t)of->bytes : (int64_t)of->bytes;
        if (slice != TL_NONE && !timeline->heaps.at[of->heap].is_passed_on)
            memory->bytes[side_of(&timeline->heaps.at[of->heap])][slice] += bytes;
    }
    for (int side = 0; side < MEMORY_SIDES; side++)
        for (uint32_t i = timeline->slices.count; memory->bytes[side] && i-- > 0;)
            if (timeline->slices.at[i].parent != TL_NONE)
                memory->bytes[side][timeline->slices.at[i].parent] += memory->bytes[side][i];
    return true;
}

void memory_slices_fini(struct memory_slices *memory)
{
    for (int side = 0; side < MEMORY_SIDES; side++) {
        free(memory->bytes[side]);
        free(memory->is_known[side]);
    }
    *memory = (struct memory_slices){0};
}

struct amounts {
    struct memory_amounts side[MEMORY_SIDES];
};

struct gathering {
    const struct timeline *timeline;
    struct memory_ranges *ranges;
    struct amounts *self, *total; /* by slice */
    uint32_t *open;               /* by key: how many ranges of it are around the current slice */
    uint32_t capacity;
};

static void add(struct memory_amounts *to, const struct memory_amounts *from)
{
    to->allocations += from->allocations;
    to->frees += from->frees;
    to->allocated_bytes += from->allocated_bytes;
    to->freed_bytes += from->freed_bytes;
}

static void add_sides(struct memory_amounts to[MEMORY_SIDES], const struct amounts *from)
{
    for (int side = 0; side < MEMORY_SIDES; side++)
        add(&to[side], &from->side[side]);
}

static bool is_empty(const struct amounts *amounts)
{
    return !amounts->side[MEMORY_CPU].allocations && !amounts->side[MEMORY_CPU].frees &&
           !amounts->side[MEMORY_CUDA].allocations && !amounts->side[MEMORY_CUDA].frees;
}

static void add_event(struct gathering *gathering, const struct tl_memory_event *event)
{
    const struct timeline *timeline = gathering->timeline;
    const struct tl_memory *memory = &timeline->memories.at[event->memory];
    enum memory_side side = side_of(&timeline->heaps.at[memory->heap]);
    uint32_t slice = tl_range_around(timeline, event->is_end ? memory->end_slice : memory->slice);
    if (timeline->heaps.at[memory->heap].is_passed_on)
        return;
    struct memory_amounts *to =
        slice == TL_NONE ? &gathering->ranges->outside[side] : &gathering->self[slice].side[side];
    to->allocations += !event->is_end;
    to->frees += event->is_end;
    to->allocated_bytes += event->is_end ? 0 : memory->bytes;
    to->freed_bytes += event->is_end ? memory->bytes : 0;
}

/* Parents come before their children. */
static void hand_up(struct gathering *gathering)
{
    for (uint32_t i = gathering->timeline->slices.count; i-- > 0;) {
        uint32_t parent = gathering->timeline->slices.at[i].parent;
        add_sides(gathering->total[i].side, &gathering->self[i]);
        if (parent != TL_NONE && !is_empty(&gathering->total[i]))
            add_sides(gathering->total[parent].side, &gathering->total[i]);
    }
}

static uint32_t key_of(const struct gathering *gathering, uint32_t slice)
{
    return key_names_of(&gathering->ranges->keys, gathering->timeline->slices.at[slice].name);
}

static bool is_range(const struct timeline *timeline, uint32_t slice)
{
    return timeline->slices.at[slice].kind != TL_API &&
           !(timeline->slices.at[slice].flags & TL_INTERNAL);
}

/* From the slice `from` and what is around it to what is around `slice`, which comes later: a slice
 * comes before what is inside it, so each is opened once and closed once. */
static void move_to(struct gathering *gathering, uint32_t from, uint32_t slice)
{
    const struct tl_slice *slices = gathering->timeline->slices.at;
    for (; from != TL_NONE && from != slices[slice].parent; from = slices[from].parent)
        if (is_range(gathering->timeline, from))
            gathering->open[key_of(gathering, from)]--;
}

/* NULL: no memory. */
static struct memory_range *row_of(struct gathering *gathering, uint32_t key)
{
    struct memory_ranges *ranges = gathering->ranges;
    if (ranges->row_of_key[key])
        return &ranges->rows[ranges->row_of_key[key] - 1];
    if (ranges->count == gathering->capacity) {
        uint32_t capacity = gathering->capacity ? gathering->capacity * 2 : 64;
        struct memory_range *rows = realloc(ranges->rows, capacity * sizeof *rows);
        if (!rows)
            return NULL;
        ranges->rows = rows;
        gathering->capacity = capacity;
    }
    ranges->rows[ranges->count] = (struct memory_range){.key = key};
    ranges->row_of_key[key] = ++ranges->count;
    return &ranges->rows[ranges->count - 1];
}

static bool add_rows(struct gathering *gathering)
{
    const struct timeline *timeline = gathering->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        move_to(gathering, i ? i - 1 : TL_NONE, i);
        if (!is_range(timeline, i))
            continue;
        uint32_t key = key_of(gathering, i);
        bool outermost = gathering->open[key]++ == 0;
        if (is_empty(&gathering->total[i]))
            continue;
        struct memory_range *row = row_of(gathering, key);
        if (!row)
            return false;
        add_sides(row->self, &gathering->self[i]);
        if (outermost)
            add_sides(row->total, &gathering->total[i]);
    }
    return true;
}

/* Every range of a name that has a row, whether or not this one allocated. */
static bool add_peaks(struct gathering *gathering)
{
    const struct timeline *timeline = gathering->timeline;
    struct memory_ranges *ranges = gathering->ranges;
    struct memory_curve curve;
    if (!memory_curve_init(&curve, timeline))
        return false;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        uint32_t row = is_range(timeline, i) ? ranges->row_of_key[key_of(gathering, i)] : 0;
        if (!row)
            continue;
        struct memory_range *range = &ranges->rows[row - 1];
        range->count++;
        memory_curve_peak(&curve, i, range->peak_bytes);
    }
    memory_curve_fini(&curve);
    return true;
}

static uint64_t allocated(const struct memory_range *row)
{
    return row->total[MEMORY_CPU].allocated_bytes + row->total[MEMORY_CUDA].allocated_bytes;
}

static int compare_rows(const void *left, const void *right)
{
    const struct memory_range *a = left, *b = right;
    if (allocated(a) != allocated(b))
        return allocated(a) < allocated(b) ? 1 : -1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static void sort_rows(struct memory_ranges *ranges)
{
    if (ranges->count > 1)
        qsort(ranges->rows, ranges->count, sizeof *ranges->rows, compare_rows);
    for (uint32_t i = 0; i < ranges->count; i++)
        ranges->row_of_key[ranges->rows[i].key] = i + 1;
}

static bool gather(struct gathering *gathering)
{
    const struct timeline *timeline = gathering->timeline;
    for (uint32_t i = 0; i < timeline->memory_events.count; i++)
        add_event(gathering, &timeline->memory_events.at[i]);
    hand_up(gathering);
    if (!add_rows(gathering) || (gathering->ranges->count && !add_peaks(gathering)))
        return false;
    sort_rows(gathering->ranges);
    return true;
}

bool memory_ranges_init(struct memory_ranges *ranges, const struct timeline *timeline)
{
    struct gathering gathering = {.timeline = timeline, .ranges = ranges};
    *ranges = (struct memory_ranges){0};
    if (!key_names_init(&ranges->keys, timeline))
        return false;
    size_t slices = timeline->slices.count + (size_t)1;
    ranges->row_of_key = calloc(ranges->keys.key_count + (size_t)1, sizeof *ranges->row_of_key);
    gathering.self = calloc(slices, sizeof *gathering.self);
    gathering.total = calloc(slices, sizeof *gathering.total);
    gathering.open = calloc(ranges->keys.key_count + (size_t)1, sizeof *gathering.open);
    bool done = ranges->row_of_key && gathering.self && gathering.total && gathering.open &&
                gather(&gathering);
    free(gathering.self);
    free(gathering.total);
    free(gathering.open);
    if (!done)
        memory_ranges_fini(ranges);
    return done;
}

void memory_ranges_fini(struct memory_ranges *ranges)
{
    key_names_fini(&ranges->keys);
    free(ranges->rows);
    free(ranges->row_of_key);
    ranges->rows = NULL;
    ranges->row_of_key = NULL;
}

/* ---- managed memory: one pass over the migrations ---- */

#define HOST UINT32_MAX

enum kind { HTOD = 1, DTOH, CPU_FAULT, GPU_FAULT, THRASHING, THROTTLING, REMOTE_MAP, DTOD };

const char *migration_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        "Unknown",           "Memory migration HtoD", "Memory migration DtoH",
        "CPU page fault",    "GPU page fault",        "Memory thrashing",
        "Memory throttling", "Memory remote map",     "Memory migration DtoD"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

bool migration_moves(uint32_t kind)
{
    return kind == HTOD || kind == DTOH || kind == DTOD;
}

static void add_migration(struct migration_amounts *to, const struct tl_migration *migration)
{
    switch ((enum kind)migration->kind) {
    case HTOD:
        to->htod++;
        to->htod_bytes += migration->value;
        break;
    case DTOH:
        to->dtoh++;
        to->dtoh_bytes += migration->value;
        break;
    case DTOD:
        to->dtod++;
        to->dtod_bytes += migration->value;
        break;
    case CPU_FAULT:
        to->cpu_faults += migration->value;
        break;
    case GPU_FAULT:
        to->gpu_faults += migration->value;
        break;
    case THRASHING:
        to->thrashings++;
        break;
    case THROTTLING:
        to->throttlings++;
        break;
    case REMOTE_MAP:
        to->remote_maps++;
        break;
    }
    if (migration_moves(migration->kind))
        to->moving_ns += migration->end_ns - migration->start_ns;
}

/* The device that it is about: of thrashing the source is a set of devices. */
static uint32_t device_of(const struct tl_migration *migration)
{
    switch ((enum kind)migration->kind) {
    case HTOD:
    case DTOD:
    case REMOTE_MAP:
        return migration->target;
    case DTOH:
    case GPU_FAULT:
    case THROTTLING:
        return migration->source;
    case CPU_FAULT:
    case THRASHING:
        break;
    }
    return HOST;
}

static uint32_t range_name(const struct timeline *timeline, uint32_t slice)
{
    slice = tl_range_around(timeline, slice);
    return slice == TL_NONE ? TL_NONE : timeline->slices.at[slice].name;
}

/* NULL: no memory. */
static struct migration_row *migration_row(struct migration_rows *rows, struct keymap *keys,
                                           uint64_t key, struct migration_row fresh)
{
    uint32_t known = keymap_find(keys, key);
    if (known != KEYMAP_NONE)
        return &rows->at[known];
    struct migration_row *row = ARRAY_ADD(rows);
    if (!row || !keymap_set(keys, key, rows->count - 1))
        return NULL;
    *row = fresh;
    return row;
}

static uint64_t moved(const struct migration_row *row)
{
    return row->amounts.htod_bytes + row->amounts.dtoh_bytes + row->amounts.dtod_bytes;
}

static int compare_migrated(const void *left, const void *right)
{
    const struct migration_row *a = left, *b = right;
    if (moved(a) != moved(b))
        return moved(a) < moved(b) ? 1 : -1;
    return a->name < b->name ? -1 : a->name > b->name;
}

bool migrations_init(struct migrations *migrations, const struct timeline *timeline)
{
    struct keymap devices = {0}, ranges = {0};
    bool stored = true;
    *migrations = (struct migrations){0};
    for (uint32_t i = 0; i < timeline->migrations.count && stored; i++) {
        const struct tl_migration *migration = &timeline->migrations.at[i];
        uint32_t device = device_of(migration), name = range_name(timeline, migration->slice);
        struct migration_row *by_device = migration_row(
            &migrations->devices, &devices, (uint64_t)migration->process << 32 | device,
            (struct migration_row){migration->process, device, TL_NONE, {0}});
        struct migration_row *by_range =
            migration_row(&migrations->ranges, &ranges, name,
                          (struct migration_row){migration->process, TL_NONE, name, {0}});
        stored = by_device && by_range;
        if (!stored)
            break;
        add_migration(&by_device->amounts, migration);
        add_migration(&by_range->amounts, migration);
    }
    keymap_fini(&devices);
    keymap_fini(&ranges);
    if (migrations->ranges.at)
        qsort(migrations->ranges.at, migrations->ranges.count, sizeof *migrations->ranges.at,
              compare_migrated);
    if (!stored)
        migrations_fini(migrations);
    return stored;
}

void migrations_fini(struct migrations *migrations)
{
    free(migrations->devices.at);
    free(migrations->ranges.at);
    *migrations = (struct migrations){0};
}
