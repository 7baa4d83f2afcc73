/* perfetto_tracks.c - see perfetto_tracks.h. */
#include "perfetto_tracks.h"

#include "exporter.h"
#include "memory_use.h"
#include "perfetto.h"
#include "perfetto_packet.h"
#include "report_cells.h"
#include "row_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* Places among the children of a context: each stream has a thousand, its ranges first, then its
 * waits. */
#define STREAM_PLACES 1000
#define STREAM_WAITS 500

static uint32_t *numbers(size_t count)
{
    return calloc(count + 1, sizeof(uint32_t));
}

/* Streams are sorted by process, device and context. */
static void find_contexts(struct perfetto_tracks *tracks)
{
    const struct timeline *timeline = tracks->timeline;
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i], *before = stream - 1;
        bool same = i > 0 && before->process == stream->process &&
                    before->device == stream->device && before->context == stream->context;
        tracks->context_of[i] = same ? tracks->context_of[i - 1] : i;
        tracks->context_counts[tracks->rows.streams[i].gpu] += !same;
    }
}

bool perfetto_tracks_init(struct perfetto_tracks *tracks, const struct timeline *timeline,
                          struct proto_out *out)
{
    *tracks = (struct perfetto_tracks){.timeline = timeline, .out = out};
    if (!chrome_rows_init(&tracks->rows, timeline, INT32_MAX))
        return false;
    tracks->processes = numbers(timeline->processes.count);
    tracks->threads = numbers(timeline->threads.count);
    tracks->gpus = numbers(tracks->rows.gpu_count);
    tracks->context_of = numbers(timeline->streams.count);
    tracks->contexts = numbers(timeline->streams.count);
    tracks->context_counts = numbers(tracks->rows.gpu_count);
    tracks->heaps = numbers(timeline->heaps.count);
    tracks->free_range = numbers(timeline->threads.count);
    if (!tracks->processes || !tracks->threads || !tracks->gpus || !tracks->context_of ||
        !tracks->contexts || !tracks->context_counts || !tracks->heaps || !tracks->free_range)
        return false;
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        tracks->free_range[i] = TL_NONE;
    find_contexts(tracks);
    return true;
}

void perfetto_tracks_fini(struct perfetto_tracks *tracks)
{
    if (tracks->rows.timeline)
        chrome_rows_fini(&tracks->rows);
    free(tracks->processes);
    free(tracks->threads);
    free(tracks->gpus);
    free(tracks->context_of);
    free(tracks->contexts);
    free(tracks->context_counts);
    free(tracks->heaps);
    free(tracks->free_range);
    free(tracks->ranges);
    keymap_fini(&tracks->counters);
    *tracks = (struct perfetto_tracks){0};
}

/* A packet that describes a track, as far as all of them are alike. */
struct description {
    size_t packet, track;
    uint32_t number;
};

static struct description begin_track(struct perfetto_tracks *tracks, uint32_t parent)
{
    struct description made = {.number = ++tracks->last_track};
    made.packet = perfetto_packet_begin_untimed(tracks->out);
    made.track = proto_begin(tracks->out, PACKET_TRACK_DESCRIPTOR);
    proto_uint(tracks->out, TRACK_UUID, made.number);
    if (parent)
        proto_uint(tracks->out, TRACK_PARENT, parent);
    return made;
}

static uint32_t end_track(struct perfetto_tracks *tracks, struct description made)
{
    proto_end(tracks->out, made.track);
    proto_end(tracks->out, made.packet);
    proto_may_flush(tracks->out);
    return made.number;
}

/* A track with nothing but a name. */
static uint32_t describe(struct perfetto_tracks *tracks, uint32_t parent, const char *name,
                         int64_t rank)
{
    struct description made = begin_track(tracks, parent);
    proto_string(tracks->out, TRACK_NAME, name);
    if (rank)
        proto_int(tracks->out, TRACK_RANK, rank < INT32_MAX ? rank : INT32_MAX);
    return end_track(tracks, made);
}

uint32_t perfetto_tracks_process(struct perfetto_tracks *tracks, uint32_t process)
{
    const struct tl_process_info *info = &tracks->timeline->processes.at[process].info;
    char name[ROW_NAME_BYTES], label[64];
    if (tracks->processes[process])
        return tracks->processes[process];
    row_name_program(&tracks->rows, process, name);
    struct description made = begin_track(tracks, 0);
    size_t mark = proto_begin(tracks->out, TRACK_PROCESS);
    proto_uint(tracks->out, PROCESS_PID, tracks->rows.pids[process]);
    proto_string(tracks->out, PROCESS_NAME, name);
    if (info->rank >= 0) {
        snprintf(label, sizeof label, "rank %d", info->rank);
        proto_string(tracks->out, PROCESS_LABEL, label);
    }
    if (info->host.size)
        proto_text(tracks->out, PROCESS_LABEL, info->host);
    if (info->clock.size)
        proto_text(tracks->out, PROCESS_LABEL, info->clock);
    proto_end(tracks->out, mark);
    proto_uint(tracks->out, TRACK_RANK, process + 1);
    return tracks->processes[process] = end_track(tracks, made);
}

uint32_t perfetto_tracks_thread_slow(struct perfetto_tracks *tracks, uint32_t thread)
{
    const struct chrome_row *row = &tracks->rows.threads[thread];
    uint32_t process = tracks->timeline->threads.at[thread].process;
    perfetto_tracks_process(tracks, process);
    struct description made = begin_track(tracks, 0);
    size_t mark = proto_begin(tracks->out, TRACK_THREAD);
    proto_uint(tracks->out, THREAD_PID, row->pid);
    proto_uint(tracks->out, THREAD_TID, row->tid);
    const struct tl_thread *of = &tracks->timeline->threads.at[thread];
    struct text name = row_name_thread(tracks->timeline, thread);
    char moved[ROW_NAME_BYTES];
    if (of->tid > INT32_MAX) {
        snprintf(moved, sizeof moved, "%.*s (thread %" PRIu64 ")", row_name_part(name, 300),
                 name.size ? name.bytes : "", of->tid);
        name = (struct text){moved, strlen(moved)};
    }
    proto_text(tracks->out, THREAD_NAME, name);
    proto_end(tracks->out, mark);
    proto_uint(tracks->out, TRACK_RANK, thread + 1);
    return tracks->threads[thread] = end_track(tracks, made);
}

static struct text name_at(const struct timeline *timeline, uint32_t name)
{
    return name < timeline->names.count ? timeline->names.at[name] : (struct text){"", 0};
}

/* What the program calls it comes before its model. A simulated one is called so once. */
void perfetto_tracks_gpu_name(struct perfetto_tracks *tracks, uint32_t gpu,
                              char name[2 * ROW_NAME_BYTES])
{
    uint32_t index = tracks->rows.gpus[gpu].device;
    static const char simulated[] = "Simulated GPU";
    char row[ROW_NAME_BYTES];
    struct text given = {"", 0};
    if (index != TL_NONE) {
        const struct tl_device *device = &tracks->timeline->devices.at[index];
        given = name_at(tracks->timeline,
                        device->given_name == TL_NONE ? device->name : device->given_name);
    }
    row_name_gpu(&tracks->rows, gpu, row);
    char *comma = strstr(row, ", ");
    if (comma && memmem(given.bytes, given.size, simulated, sizeof simulated - 1))
        *comma = '\0';
    snprintf(name, 2 * ROW_NAME_BYTES, "%s%s%.*s", row, given.size ? ": " : "",
             row_name_part(given, 300), given.bytes);
}

static uint32_t gpu_track(struct perfetto_tracks *tracks, uint32_t gpu)
{
    char name[2 * ROW_NAME_BYTES];
    if (tracks->gpus[gpu])
        return tracks->gpus[gpu];
    uint32_t process = perfetto_tracks_process(tracks, tracks->rows.gpus[gpu].process);
    struct description made = begin_track(tracks, process);
    perfetto_tracks_gpu_name(tracks, gpu, name);
    proto_string(tracks->out, TRACK_NAME, name);
    proto_uint(tracks->out, TRACK_CHILD_ORDER, CHILD_ORDER_EXPLICIT);
    proto_uint(tracks->out, TRACK_RANK, gpu + 1);
    return tracks->gpus[gpu] = end_track(tracks, made);
}

/* Of a device with one context, the device's: a level that holds everything says nothing. */
static uint32_t context_track(struct perfetto_tracks *tracks, uint32_t stream)
{
    uint32_t first = tracks->context_of[stream];
    uint32_t gpu = tracks->rows.streams[first].gpu;
    char name[32];
    if (tracks->contexts[first])
        return tracks->contexts[first];
    if (tracks->context_counts[gpu] == 1)
        return tracks->contexts[first] = gpu_track(tracks, gpu);
    struct description made = begin_track(tracks, gpu_track(tracks, gpu));
    snprintf(name, sizeof name, "context %u", tracks->timeline->streams.at[first].context);
    proto_string(tracks->out, TRACK_NAME, name);
    proto_uint(tracks->out, TRACK_CHILD_ORDER, CHILD_ORDER_EXPLICIT);
    proto_uint(tracks->out, TRACK_RANK, first + 1);
    return tracks->contexts[first] = end_track(tracks, made);
}

static uint32_t parent_of_spare(struct perfetto_tracks *tracks, const struct chrome_spare *spare)
{
    switch (spare->kind) {
    case CHROME_SPARE_STREAM:
    case CHROME_SPARE_RANGES:
        return context_track(tracks, spare->index);
    case CHROME_SPARE_GPU:
    case CHROME_SPARE_MANAGED:
        return gpu_track(tracks, spare->index);
    case CHROME_SPARE_PROCESS:
    case CHROME_SPARE_FAULTS:
        break;
    }
    return perfetto_tracks_process(tracks, spare->index);
}

uint32_t perfetto_tracks_of_spare(struct perfetto_tracks *tracks, struct chrome_spare *spare)
{
    char name[ROW_NAME_BYTES];
    int64_t rank = INT32_MAX;
    if (!spare) {
        tracks->out->error = ENOMEM;
        return 0;
    }
    if (spare->track)
        return spare->track;
    uint32_t parent = parent_of_spare(tracks, spare);
    if (spare->kind == CHROME_SPARE_RANGES)
        rank = (int64_t)spare->index * STREAM_PLACES + 1 + spare->lane;
    if (spare->kind == CHROME_SPARE_STREAM)
        rank = (int64_t)spare->index * STREAM_PLACES + STREAM_WAITS + spare->lane;
    row_name_spare(&tracks->rows, spare, name);
    return spare->track = describe(tracks, parent, name, rank);
}

uint32_t perfetto_tracks_of_timing(struct perfetto_tracks *tracks, const struct tl_timing *timing)
{
    bool is_new;
    struct chrome_timed *timed = chrome_rows_timed(&tracks->rows, timing, &is_new);
    char name[ROW_NAME_BYTES];
    if (!timed) {
        tracks->out->error = ENOMEM;
        return 0;
    }
    if (!is_new)
        return timed->track;
    uint32_t parent = gpu_track(tracks, timed->gpu);
    row_name_timed(tracks->timeline, timed, name);
    return timed->track = describe(tracks, parent, name, INT32_MAX);
}

static uint32_t describe_counter(struct perfetto_tracks *tracks, uint32_t process, struct text name,
                                 unsigned unit)
{
    struct description made = begin_track(tracks, perfetto_tracks_process(tracks, process));
    proto_text(tracks->out, TRACK_NAME, name);
    size_t mark = proto_begin(tracks->out, TRACK_COUNTER);
    if (unit)
        proto_uint(tracks->out, COUNTER_UNIT, unit);
    proto_end(tracks->out, mark);
    return end_track(tracks, made);
}

/* A program's counter is one curve, whichever of its threads counts. */
uint32_t perfetto_tracks_counter(struct perfetto_tracks *tracks, const struct tl_counter *counter)
{
    uint32_t process = tracks->timeline->threads.at[counter->thread].process;
    uint64_t key = (uint64_t)process << 32 | counter->name;
    uint32_t track = keymap_find(&tracks->counters, key);
    if (track != KEYMAP_NONE)
        return track;
    track = describe_counter(tracks, process, tracks->timeline->names.at[counter->name], 0);
    if (keymap_set(&tracks->counters, key, track))
        return track;
    tracks->out->error = ENOMEM;
    return 0;
}

static uint32_t track_of_heap(struct perfetto_tracks *tracks, uint32_t heap)
{
    char label[MEMORY_LABEL_BYTES], name[MEMORY_LABEL_BYTES + 8];
    if (tracks->heaps[heap])
        return tracks->heaps[heap];
    memory_label(tracks->timeline, heap, label);
    int size = snprintf(name, sizeof name, "Memory %s", label);
    return tracks->heaps[heap] = describe_counter(tracks, tracks->timeline->heaps.at[heap].process,
                                                  (struct text){name, (size_t)size}, UNIT_BYTES);
}

static bool grow_ranges(struct perfetto_tracks *tracks)
{
    uint32_t capacity = tracks->range_capacity ? tracks->range_capacity * 2 : 16;
    struct perfetto_lane *ranges = realloc(tracks->ranges, capacity * sizeof *ranges);
    if (!ranges) {
        tracks->out->error = ENOMEM;
        return false;
    }
    tracks->ranges = ranges;
    tracks->range_capacity = capacity;
    return true;
}

uint32_t perfetto_tracks_take_range(struct perfetto_tracks *tracks, uint32_t thread)
{
    uint32_t lane = tracks->free_range[thread];
    if (lane != TL_NONE) {
        tracks->free_range[thread] = tracks->ranges[lane].next_free;
        return lane;
    }
    uint32_t parent = perfetto_tracks_thread(tracks, thread);
    if (tracks->range_count == tracks->range_capacity && !grow_ranges(tracks))
        return TL_NONE;
    tracks->ranges[tracks->range_count] = (struct perfetto_lane){
        .track = describe(tracks, parent, "begin/end ranges", 0),
        .thread = thread,
        .next_free = TL_NONE,
    };
    return tracks->range_count++;
}

void perfetto_tracks_release(struct perfetto_tracks *tracks, uint32_t lane)
{
    uint32_t thread = tracks->ranges[lane].thread;
    tracks->ranges[lane].next_free = tracks->free_range[thread];
    tracks->free_range[thread] = lane;
}

/* The root above all tracks, number 0: processes and threads stand in the order of their ranks,
 * which Perfetto 58 obeys. */
static void describe_root(struct perfetto_tracks *tracks)
{
    size_t packet = perfetto_packet_begin_untimed(tracks->out);
    size_t track = proto_begin(tracks->out, PACKET_TRACK_DESCRIPTOR);
    proto_uint(tracks->out, TRACK_UUID, 0);
    proto_uint(tracks->out, TRACK_PROCESS_ORDER, ROOT_ORDER_EXPLICIT);
    proto_uint(tracks->out, TRACK_THREAD_ORDER, ROOT_ORDER_EXPLICIT);
    proto_end(tracks->out, track);
    proto_end(tracks->out, packet);
}

void perfetto_tracks_describe(struct perfetto_tracks *tracks)
{
    const struct timeline *timeline = tracks->timeline;
    describe_root(tracks);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        perfetto_tracks_process(tracks, i);
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        if (!timeline->threads.at[i].internal || timeline->threads.at[i].slice_count)
            perfetto_tracks_thread(tracks, i);
}

/* ---- names, written once ---- */

bool perfetto_names_init(struct perfetto_names *names, const struct timeline *timeline)
{
    size_t count = (size_t)timeline->names.count + 1;
    *names = (struct perfetto_names){.timeline = timeline, .key_count = PERFETTO_KEY_COUNT};
    names->events = calloc(count, sizeof *names->events);
    names->operations = calloc(count, sizeof *names->operations);
    names->keys = calloc(count, sizeof *names->keys);
    names->values = calloc(count, sizeof *names->values);
    return names->events && names->operations && names->keys && names->values &&
           proto_out_init(&names->fresh, -1, NULL);
}

void perfetto_names_fini(struct perfetto_names *names)
{
    free(names->events);
    free(names->operations);
    free(names->keys);
    free(names->values);
    free(names->stacks.at);
    free(names->paths.at);
    proto_out_fini(&names->fresh);
    *names = (struct perfetto_names){0};
}

static void introduce(struct perfetto_names *names, unsigned space, uint32_t number,
                      struct text text)
{
    size_t entry = proto_begin(&names->fresh, space);
    proto_uint(&names->fresh, INTERNED_IID, number);
    proto_text(&names->fresh, INTERNED_TEXT, text);
    proto_end(&names->fresh, entry);
}

void perfetto_names_put(struct perfetto_names *names, struct proto_out *packet)
{
    if (proto_size(&names->fresh) == 0)
        return;
    proto_bytes(packet, PACKET_INTERNED_DATA, names->fresh.buffer, proto_size(&names->fresh));
    proto_empty(&names->fresh);
}

uint32_t perfetto_names_new_event(struct perfetto_names *names, uint32_t *numbers, uint32_t name)
{
    uint32_t number = ++names->event_count;
    introduce(names, INTERNED_EVENTS, number, names->timeline->names.at[name]);
    return numbers[name] = number;
}

uint32_t perfetto_names_new_key(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = ++names->key_count;
    introduce(names, INTERNED_KEYS, number, names->timeline->names.at[name]);
    return names->keys[name] = number;
}

uint32_t perfetto_names_new_value(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = ++names->value_count;
    introduce(names, INTERNED_STRINGS, number, names->timeline->names.at[name]);
    return names->values[name] = number;
}

static struct text text_of(const char *string)
{
    return (struct text){string, strlen(string)};
}

static void introduce_key(struct perfetto_names *names, unsigned space, enum perfetto_key key)
{
#define TEXT_OF(name, text) text,
    static const char *const texts[] = {PERFETTO_KEYS(TEXT_OF)};
    introduce(names, space, (uint32_t)key + 1, text_of(texts[key]));
}

void perfetto_names_tell_key(struct perfetto_names *names, enum perfetto_key key)
{
    names->known_keys[key] = true;
    introduce_key(names, INTERNED_KEYS, key);
}

void perfetto_names_introduce_argument(struct perfetto_names *names, enum perfetto_key key)
{
    introduce_key(names, INTERNED_ARGUMENTS, key);
}

void perfetto_names_tell_category(struct perfetto_names *names, enum perfetto_category category)
{
    static const char *const texts[] = {PERFETTO_CATEGORIES(TEXT_OF)};
    names->known_categories[category] = true;
    introduce(names, INTERNED_CATEGORIES, (uint32_t)category + 1, text_of(texts[category]));
}

uint32_t perfetto_names_word(struct perfetto_names *names, const char *word)
{
    for (uint32_t i = 0; i < names->word_count; i++)
        if (names->words[i] == word)
            return names->word_numbers[i];
    uint32_t number = ++names->event_count;
    introduce(names, INTERNED_EVENTS, number, text_of(word));
    if (names->word_count < PERFETTO_WORDS_MAX) {
        names->words[names->word_count] = word;
        names->word_numbers[names->word_count++] = number;
    }
    return number;
}

/* NULL: no memory. */
static uint32_t *number_at(struct perfetto_names *names, struct perfetto_numbers *numbers,
                           uint32_t index)
{
    if (index >= numbers->capacity) {
        uint32_t capacity = index < 64 ? 64 : index < UINT32_MAX / 2 ? index * 2 : UINT32_MAX;
        uint32_t *at = realloc(numbers->at, capacity * sizeof *at);
        if (!at) {
            names->fresh.error = ENOMEM;
            return NULL;
        }
        memset(at + numbers->capacity, 0, (capacity - numbers->capacity) * sizeof *at);
        *numbers = (struct perfetto_numbers){at, capacity};
    }
    return &numbers->at[index];
}

static uint32_t value_at(struct perfetto_names *names, struct perfetto_numbers *numbers,
                         uint32_t index, const char *text)
{
    uint32_t *number = number_at(names, numbers, index);
    if (!number)
        return 0;
    if (*number == 0) {
        *number = ++names->value_count;
        introduce(names, INTERNED_STRINGS, *number, text_of(text));
    }
    return *number;
}

uint32_t perfetto_names_stack(struct perfetto_names *names, uint32_t stack, const char *text)
{
    return value_at(names, &names->stacks, stack, text);
}

uint32_t perfetto_names_path(struct perfetto_names *names, uint32_t path, const char *text)
{
    return value_at(names, &names->paths, path, text);
}

bool perfetto_names_has_path(const struct perfetto_names *names, uint32_t path)
{
    return path < names->paths.capacity && names->paths.at[path];
}

/* Memory in a Perfetto trace, as chrome_memory.c has it: a curve per heap in bytes,
 * an instant "[memory]" per change on the thread that made it, managed memory as slices of its
 * device. */

static const char memory_word[] = "[memory]";

static void put_instant(struct perfetto *perfetto, int64_t time_ns,
                        const struct heap_change *change)
{
    const struct tl_heap *heap = &perfetto->timeline->heaps.at[change->memory->heap];
    if (change->thread == TL_NONE)
        return;
    perfetto_begin(perfetto, TYPE_INSTANT,
                   perfetto_tracks_thread(&perfetto->tracks, change->thread), time_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_INSTANT,
                  perfetto_names_word(&perfetto->names, memory_word));
    perfetto_int(perfetto, PERFETTO_KEY_RESERVED, change->reserved);
    perfetto_int(perfetto, PERFETTO_KEY_ALLOCATED, change->allocated);
    perfetto_int(perfetto, PERFETTO_KEY_CHANGE, change->bytes);
    perfetto_pointer(perfetto, PERFETTO_KEY_ADDRESS, change->memory->address);
    perfetto_int(perfetto, PERFETTO_KEY_DEVICE_ID, heap_levels_device(heap));
    perfetto_uint(perfetto, PERFETTO_KEY_DEVICE_TYPE, heap_levels_device_type(heap));
    perfetto_end(perfetto);
}

static void put_level(struct perfetto *perfetto, uint32_t heap, int64_t time_ns)
{
    perfetto_begin(perfetto, TYPE_COUNTER, track_of_heap(&perfetto->tracks, heap), time_ns);
    proto_int(&perfetto->out, EVENT_COUNTER_VALUE, perfetto->heaps.bytes[heap]);
    perfetto_end(perfetto);
}

void perfetto_memory_finish(struct perfetto *perfetto)
{
    int64_t end_ns = exporter_end_ns(perfetto->timeline);
    for (uint32_t heap = 0; heap < perfetto->timeline->heaps.count; heap++)
        if (perfetto->heaps.changed[heap])
            put_level(perfetto, heap, end_ns);
}

void perfetto_memory_event(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    int64_t time_ns = perfetto->timeline->memory_events.at[index].time_ns;
    struct heap_change change = heap_levels_apply(&perfetto->heaps, index);
    put_level(perfetto, change.memory->heap, time_ns);
    put_instant(perfetto, time_ns, &change);
}

static void put_place(struct perfetto *perfetto, enum perfetto_key key, uint32_t device)
{
    perfetto_int(perfetto, key, device == UINT32_MAX ? -1 : (int64_t)device);
}

void perfetto_memory_migration(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    const struct tl_migration *migration = &perfetto->timeline->migrations.at[index];
    struct chrome_spare *spare = chrome_rows_managed(&perfetto->tracks.rows, migration);
    uint32_t track = perfetto_tracks_of_spare(&perfetto->tracks, spare);
    perfetto_begin_slice(perfetto, track, migration->start_ns, migration->end_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_MANAGED,
                  perfetto_names_word(&perfetto->names, migration_kind_name(migration->kind)));
    perfetto_uint(perfetto,
                  migration_moves(migration->kind) ? PERFETTO_KEY_BYTES : PERFETTO_KEY_VALUE,
                  migration->value);
    perfetto_pointer(perfetto, PERFETTO_KEY_MANAGED_ADDRESS, migration->address);
    put_place(perfetto, PERFETTO_KEY_SOURCE, migration->source);
    put_place(perfetto, PERFETTO_KEY_TARGET, migration->target);
    perfetto_end(perfetto);
}
