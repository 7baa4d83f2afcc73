/* kineto_reader.c - Chrome traces, those of Kineto (PyTorch) of 2021, 2022 and since 2023 above
 * all.
 *
 *     X, B and E    what threads did: operators, annotations, calls; or what devices did
 *     b and e       ranges that need not nest          i, I, R, n   marks
 *     C             counters                           M            names
 *
 * Flow events (s, t, f) draw what ids tell: a call and what it launched have one "correlation".
 * They count only where several processes of a file have the same ids. Operations of a device
 * without such a call, as AMD's or compiled ones can be, name the operator that they come from by
 * its "External id". Annotations on rows of devices are derived from the rest of the file, and
 * spans of the profiler and of device counters are not work of the program: they are left out.
 */
#include "format_list.h"
#include "kineto_counters.h"
#include "kineto_facts.h"
#include "kineto_file.h"
#include "kineto_gpu.h"
#include "kineto_rows.h"
#include "kineto_slice.h"
#include "maps.h"
#include "trace_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What stands on the rows of one pid and is of one device. */
struct device_row {
    uint32_t pid;   /* see kineto_rows_pid() */
    bool is_device; /* the pid is the number of the device: it names no process */
};

struct reader {
    struct unordered *events;
    struct kineto_event *event; /* the current one */
    struct kineto_rows rows;
    struct kineto_facts facts;
    struct kineto_ends ends, async_ends;
    struct kineto_python python;
    struct kineto_memory memory;
    struct kineto_counters counters;
    uint32_t attr_keys[KINETO_ARG_COUNT]; /* ids of names, 0 not requested yet */
    struct keymap row_of;                 /* of the pid and the device -> device_rows[] */
    /* in which operations are until they are resolved */
    KINETO_ARRAY(struct device_row) device_rows;
    struct kineto_flows flows;
    struct kineto_labels labels;
    struct keymap segments; /* "segment of" -> the slice */
    struct keymap wide_ids; /* beyond 32 bits -> numbers from UINT32_MAX - 1 downwards */
    uint32_t most_id;       /* of those within 32 bits */
    bool any, is_kineto;    /* any event with a time */
    uint64_t names;         /* of processes, threads and so on */
    int64_t first_ns;       /* of the first event with a time, at last of the earliest */
    int64_t last_ns;
    uint64_t device_counters;
    uint64_t untimed, bad_times, unknown_phases, operations;
    char *plain; /* an unescaped text */
    size_t plain_room;
    bool failed;
};

/* The text without its escapes; it is gone when the next one is requested. */
static struct text plain_text(struct reader *reader, const struct json_string *string)
{
    if (!string->escaped)
        return (struct text){string->bytes, string->size};
    if (string->size > reader->plain_room) {
        char *plain = realloc(reader->plain, (size_t)string->size * 2);
        if (!plain) {
            reader->failed = true;
            return (struct text){"", 0};
        }
        reader->plain = plain;
        reader->plain_room = (size_t)string->size * 2;
    }
    return (struct text){reader->plain, json_unescape(string, reader->plain)};
}

static uint32_t number_text(struct reader *reader, const struct json_string *string)
{
    return unordered_name(reader->events, plain_text(reader, string));
}

static uint32_t number_literal(struct reader *reader, const char *literal)
{
    return unordered_name(reader->events, (struct text){literal, strlen(literal)});
}

static uint32_t attr_key(struct reader *reader, enum kineto_arg arg)
{
    if (!reader->attr_keys[arg])
        reader->attr_keys[arg] = number_literal(reader, kineto_key_name(arg));
    return reader->attr_keys[arg];
}

/* torch.distributed's description of a collective. */
#define COLLECTIVE_TEXTS                                                                          \
    (KINETO_BIT(KINETO_COLLECTIVE) | KINETO_BIT(KINETO_ELEMENT_TYPE) |                            \
     KINETO_BIT(KINETO_IN_SPLIT) | KINETO_BIT(KINETO_OUT_SPLIT) | KINETO_BIT(KINETO_GROUP_NAME) | \
     KINETO_BIT(KINETO_GROUP_ABOUT) | KINETO_BIT(KINETO_GROUP_RANKS) |                            \
     KINETO_BIT(KINETO_COMMS_ID))
#define COLLECTIVE_NUMBERS                                                  \
    (KINETO_BIT(KINETO_IN_ELEMENTS) | KINETO_BIT(KINETO_OUT_ELEMENTS) |     \
     KINETO_BIT(KINETO_GROUP_SIZE) | KINETO_BIT(KINETO_OWN_RANK) |          \
     KINETO_BIT(KINETO_SOURCE_RANK) | KINETO_BIT(KINETO_TARGET_RANK) |      \
     KINETO_BIT(KINETO_COLLECTIVE_NUMBER) | KINETO_BIT(KINETO_FIRST_RANK) | \
     KINETO_BIT(KINETO_RANK_STRIDE) | KINETO_BIT(KINETO_ASYNCHRONIZED))

/* Attributes for statistics, for the origins of Inductor's kernels, and of collectives. */
#define TEXT_ATTRS                                                                      \
    (KINETO_BIT(KINETO_SHAPES) | KINETO_BIT(KINETO_TYPES) | KINETO_BIT(KINETO_VALUES) | \
     KINETO_BIT(KINETO_CALL_STACK) | KINETO_BIT(KINETO_KERNEL_BACKEND) |                \
     KINETO_BIT(KINETO_KERNEL_FILE) | COLLECTIVE_TEXTS)
#define NUMBER_ATTRS (KINETO_BIT(KINETO_SEQUENCE) | KINETO_BIT(KINETO_BYTES) | COLLECTIVE_NUMBERS)
#define REAL_ATTRS \
    (KINETO_BIT(KINETO_FLOPS) | KINETO_BIT(KINETO_KERNEL_FLOP) | KINETO_BIT(KINETO_KERNEL_NUM_GB))

static bool make_attr(struct reader *reader, enum kineto_arg arg, struct event_attr *attr)
{
    const struct kineto_args *args = &reader->event->args;
    if (KINETO_BIT(arg) & TEXT_ATTRS) {
        if (args->at[arg].text.size == 0)
            return false;
        attr->type = PROF_ATTR_STRING;
        attr->value = number_text(reader, &args->at[arg].text);
    } else if (KINETO_BIT(arg) & REAL_ATTRS) {
        attr->type = PROF_ATTR_DOUBLE;
        memcpy(&attr->value, &args->at[arg].real, sizeof attr->value);
    } else {
        attr->type = PROF_ATTR_INT;
        attr->value = (uint64_t)args->at[arg].number;
    }
    attr->key = attr_key(reader, arg);
    return true;
}

static uint32_t make_attrs(struct reader *reader, struct event_attr *attrs)
{
    uint64_t wanted = reader->event->args.seen & (TEXT_ATTRS | NUMBER_ATTRS | REAL_ATTRS);
    uint32_t count = 0;
    for (; wanted; wanted &= wanted - 1)
        count += make_attr(reader, (enum kineto_arg)__builtin_ctzll(wanted), &attrs[count]);
    return count;
}

/* Kineto puts Python functions whose thread it does not find on pid 0: that is not a process. */
static uint32_t thread_of(struct reader *reader)
{
    const struct kineto_id *pid = &reader->event->pid;
    bool nowhere = reader->event->category == KINETO_PYTHON && !pid->text.bytes && pid->number == 0;
    return kineto_rows_thread(&reader->rows, pid, &reader->event->tid, nowhere ? 0 : 1);
}

static void read_frame(struct reader *reader, const struct kineto_frame *frame)
{
    reader->failed |= !kineto_python_frame(&reader->python, frame);
}

/* With its domain, category and colour. */
static uint32_t labelled(struct reader *reader, uint32_t name)
{
    return kineto_labels_name(&reader->labels, &reader->rows, reader->event, name);
}

/* What crosses another event of its thread is drawn in segments: the later ones are not slices of
 * their own. Whether it is such a one. */
static bool read_segment(struct reader *reader, const struct complete_slice *slice)
{
    int64_t of = kineto_number(&reader->event->args, KINETO_SEGMENT_OF, 0);
    if (of <= 0)
        return false;
    uint32_t first = keymap_find_id(&reader->segments, of);
    if (first == KEYMAP_NONE) {
        reader->failed |=
            !keymap_set_id(&reader->segments, of, unordered_slice_count(reader->events));
        return false;
    }
    if (!unordered_slice_goes_on(reader->events, first, slice))
        return false;
    unordered_extend_slice(reader->events, first, slice->end_ns, slice->flags);
    return true;
}

static void read_slice(struct reader *reader, int64_t start_ns)
{
    const struct kineto_event *event = reader->event;
    struct event_attr attrs[KINETO_ARG_COUNT];
    struct text name = plain_text(reader, &event->name);
    struct complete_slice slice = {
        .start_ns = start_ns,
        .end_ns = start_ns + event->duration_ns,
        .thread = thread_of(reader),
        .name = unordered_name(reader->events, name),
        .attrs = attrs,
    };
    kineto_slice_classify(event, name, &slice);
    if (slice.kind == TL_API)
        kineto_facts_call(&reader->facts, event);
    if (slice.kind == TL_RANGE) {
        if (event->category == KINETO_OTHER)
            kineto_rows_categorize(
                &reader->rows, slice.thread,
                (struct text){event->category_text.bytes, event->category_text.size});
        slice.name = labelled(reader, slice.name);
    }
    if (read_segment(reader, &slice))
        return;
    if (event->args.seen && slice.kind != TL_API)
        slice.attr_count = make_attrs(reader, attrs);
    else if (kineto_has(&event->args, KINETO_CALL_STACK))
        slice.attr_count = make_attr(reader, KINETO_CALL_STACK, attrs);
    unordered_append_slice(reader->events, &slice);
}

/* What stands on the rows of one pid and is of one device is nearly always of one process. A pid
 * that is the device's number names no process. */
static uint32_t device_row(struct reader *reader)
{
    const struct kineto_id *id = &reader->event->pid;
    uint32_t pid = kineto_rows_device(&reader->rows, id);
    uint32_t device = kineto_gpu_device(reader->event);
    int64_t key = (int64_t)((uint64_t)pid << 32 | device);
    uint32_t row = keymap_find_id(&reader->row_of, key);
    if (row != KEYMAP_NONE)
        return row;
    struct device_row *added = ARRAY_ADD(&reader->device_rows);
    row = reader->device_rows.count - 1;
    reader->failed |= !added || !keymap_set_id(&reader->row_of, key, row);
    if (added)
        *added = (struct device_row){pid, !id->text.bytes && id->number == device};
    return added ? row : 0;
}

/* Where the event is. */
static struct kineto_place place_of(struct reader *reader)
{
    const struct kineto_event *event = reader->event;
    return (struct kineto_place){event->time_ns, kineto_rows_pid(&reader->rows, &event->pid),
                                 kineto_rows_tid(&reader->rows, &event->tid)};
}

static void read_gpu(struct reader *reader, int64_t start_ns)
{
    const struct kineto_event *event = reader->event;
    struct text name = plain_text(reader, &event->name);
    struct unordered_op op = {.start_ns = start_ns,
                              .end_ns = start_ns + event->duration_ns,
                              .name = unordered_name(reader->events, name),
                              .row = device_row(reader)};
    kineto_gpu_append(reader->events, event, name, &op);
    reader->failed |= !kineto_flows_operation(&reader->flows, place_of(reader));
    reader->operations++;
}

/* What PyTorch writes about itself: "PyTorch Profiler (0)" lasts from its start to its stop. */
static void read_window(struct reader *reader, int64_t time_ns)
{
    static const char prefix[] = "PyTorch Profiler";
    const struct kineto_event *event = reader->event;
    if (event->name.size >= sizeof prefix - 1 &&
        !memcmp(event->name.bytes, prefix, sizeof prefix - 1))
        unordered_note_window(reader->events, time_ns, time_ns + event->duration_ns);
}

static void read_complete(struct reader *reader, int64_t time_ns)
{
    const struct kineto_event *event = reader->event;
    enum kineto_category category = event->category;
    if (category == KINETO_KERNEL && !kineto_gpu_is_kernel(event))
        category = KINETO_OTHER;
    reader->device_counters += category == KINETO_DEVICE_COUNTERS;
    if (category == KINETO_TRACE)
        read_window(reader, time_ns);
    if (category == KINETO_GPU_ANNOTATION || category == KINETO_DEVICE_COUNTERS ||
        category == KINETO_TRACE)
        return;
    if (category == KINETO_PYTHON)
        read_frame(reader,
                   &(struct kineto_frame){time_ns, time_ns + event->duration_ns, thread_of(reader),
                                          number_text(reader, &event->name)});
    else if (kineto_is_device(category))
        read_gpu(reader, time_ns);
    else
        read_slice(reader, time_ns);
    if (time_ns + event->duration_ns > reader->last_ns)
        reader->last_ns = time_ns + event->duration_ns;
}

/* B and E. */
static void read_end(struct reader *reader, int64_t time_ns)
{
    struct complete_slice slice = {0};
    struct text name = plain_text(reader, &reader->event->name);
    uint32_t thread = thread_of(reader);
    kineto_slice_classify(reader->event, name, &slice);
    struct kineto_end end = {
        .time_ns = time_ns,
        .owner = thread,
        .thread = thread,
        .name = unordered_name(reader->events, name),
        .correlation = slice.correlation,
        .kind = slice.kind,
        .flags = slice.flags,
        .is_end = reader->event->phase == 'E',
    };
    reader->failed |= !kineto_ends_add(&reader->ends, &end);
}

/* b and e, or S and F of old files: those with one id, scope, category and name belong together. */
static void read_async_end(struct reader *reader, int64_t time_ns)
{
    const struct kineto_event *event = reader->event;
    const struct json_string *parts[] = {&event->id, &event->scope, &event->category_text,
                                         &event->name};
    size_t size = 0;
    for (size_t i = 0; i < 4; i++)
        size += parts[i]->size + 1;
    char *common = malloc(size), *p = common;
    for (size_t i = 0; i < 4 && common; i++) {
        memcpy(p, parts[i]->bytes, parts[i]->size);
        p += parts[i]->size;
        *p++ = '\n';
    }
    struct kineto_end end = {
        .time_ns = time_ns,
        .owner = common ? unordered_name(reader->events, (struct text){common, size}) : 0,
        .thread = thread_of(reader),
        .name = labelled(reader, number_text(reader, &event->name)),
        .is_end = event->phase == 'e' || event->phase == 'F',
    };
    reader->failed |= !end.owner || !kineto_ends_add(&reader->async_ends, &end);
    free(common);
}

static bool is_number(const char *value)
{
    return *value == '-' || (*value >= '0' && *value <= '9');
}

/* The curve of a heap, which libprof draws from the memory events: those have more detail. */
static bool is_heap_curve(const struct reader *reader)
{
    const struct kineto_event *event = reader->event;
    return reader->facts.is_libprofs && !event->tid.text.bytes && event->tid.number == 0 &&
           text_begins((struct text){event->name.bytes, event->name.size}, "Memory ");
}

static void read_counter(struct reader *reader, int64_t time_ns)
{
    if (is_heap_curve(reader))
        return;
    const struct json_string *args = &reader->event->args.whole;
    struct json_cursor cursor = {.end = args->bytes + args->size};
    struct json_string key;
    const struct json_string *id = &reader->event->id;
    struct kineto_value sample = {
        .time_ns = time_ns,
        .thread = kineto_rows_thread(&reader->rows, &reader->event->pid, &reader->event->tid, 0),
        .counter = kineto_counters_name(reader->events, number_text(reader, &reader->event->name),
                                        (struct text){id->bytes, id->size})};
    reader->failed |= !sample.counter;
    bool more = args->size > 0;
    const char *p = more ? json_space(args->bytes + 1) : NULL;
    while (p && more) {
        const char *value = json_key_at(&cursor, p, &key);
        const char *after = value ? json_skip(&cursor, value) : NULL;
        p = after ? json_next(&cursor, after, '}', &more) : NULL;
        if (!p || !is_number(value))
            continue;
        sample.series = number_text(reader, &key);
        sample.value = json_text_double((struct text){value, (size_t)(after - value)});
        reader->failed |= !kineto_counters_add(&reader->counters, &sample);
    }
}

static void read_name(struct reader *reader)
{
    const struct kineto_event *event = reader->event;
    if (kineto_has(&event->args, KINETO_LABELS))
        kineto_rows_describe(&reader->rows, &event->pid,
                             plain_text(reader, &event->args.at[KINETO_LABELS].text));
    if (!kineto_has(&event->args, KINETO_NAME))
        return;
    uint32_t name = number_text(reader, &event->args.at[KINETO_NAME].text);
    struct text what = {event->name.bytes, event->name.size};
    if (text_begins(what, "process_name")) {
        kineto_rows_name_process(&reader->rows, &event->pid, name);
        kineto_rows_describe(&reader->rows, &event->pid, unordered_name_text(reader->events, name));
    } else if (text_begins(what, "thread_name"))
        kineto_rows_name_thread(&reader->rows, &event->pid, &event->tid, name);
}

/* Marks of the profiler are on rows of its own: "Traces", "Spans", or "". */
static bool is_about_profiler(const struct kineto_event *event)
{
    struct text pid = {event->pid.text.bytes, event->pid.text.size};
    return pid.bytes && (pid.size == 0 || text_begins(pid, "Traces") || text_begins(pid, "Spans"));
}

static void read_mark(struct reader *reader, int64_t time_ns)
{
    if (kineto_memory_is(reader->event)) {
        kineto_facts_memory(&reader->facts, reader->event);
        reader->failed |= !kineto_memory_add(&reader->memory, reader->event, time_ns,
                                             thread_of(reader), reader->events);
    } else if (!is_about_profiler(reader->event))
        unordered_append_mark(reader->events, thread_of(reader), time_ns,
                              labelled(reader, number_text(reader, &reader->event->name)));
}

/* A number of 32 bits that stands for the id in the whole file. */
static uint32_t narrow_id(struct reader *reader, int64_t id)
{
    uint32_t number = keymap_find_id(&reader->wide_ids, id);
    if (number != KEYMAP_NONE)
        return number;
    number = UINT32_MAX - 1 - reader->wide_ids.count;
    reader->failed |= !keymap_set_id(&reader->wide_ids, id, number);
    return number;
}

/* Calls and ranges are found by ids of 32 bits. */
static void narrow_ids(struct reader *reader)
{
    static const enum kineto_arg ids[] = {KINETO_CORRELATION, KINETO_EXTERNAL_ID,
                                          KINETO_EXTERNAL_ID_2021};
    struct kineto_args *args = &reader->event->args;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        int64_t id = kineto_number(args, ids[i], 0);
        if (id > UINT32_MAX)
            args->at[ids[i]].number = narrow_id(reader, id);
        else if (id > reader->most_id)
            reader->most_id = (uint32_t)id;
    }
}

static void read_timed(struct reader *reader)
{
    const struct kineto_event *event = reader->event;
    if (!(event->flags & KINETO_EVENT_TIME)) {
        reader->untimed++;
        return;
    }
    if (!reader->any)
        reader->first_ns = event->time_ns;
    reader->any = true;
    narrow_ids(reader);
    int64_t time_ns = event->time_ns - reader->first_ns;
    switch (event->phase) {
    case 'X':
        read_complete(reader, time_ns);
        break;
    case 'B':
    case 'E':
        read_end(reader, time_ns);
        break;
    case 'b':
    case 'e':
    case 'S':
    case 'F':
        read_async_end(reader, time_ns);
        break;
    case 'C':
        read_counter(reader, time_ns);
        break;
    default:
        read_mark(reader, time_ns);
    }
    if (time_ns > reader->last_ns)
        reader->last_ns = time_ns;
}

static void read_event(struct reader *reader)
{
    const struct kineto_event *event = reader->event;
    reader->bad_times += (event->flags & KINETO_EVENT_BAD_TIME) != 0;
    reader->is_kineto |= event->category != KINETO_OTHER;
    if (event->phase == 'M') {
        reader->names++;
        read_name(reader);
    } else if (event->phase && strchr("XBEbeSFCiIRn", event->phase)) {
        read_timed(reader);
    } else {
        reader->unknown_phases++;
    }
}

static void read_flow(struct reader *reader)
{
    reader->failed |= !kineto_flows_add(&reader->flows, reader->event, place_of(reader));
}

static void visit_event(void *user, struct kineto_event *event)
{
    struct reader *reader = user;
    reader->event = event;
    if (!event->is_flow)
        read_event(reader);
    else if (kineto_flows_is(event))
        read_flow(reader);
}

static void visit_member(void *user, struct text key, struct text segment, bool first, bool last)
{
    struct reader *reader = user;
    kineto_facts_member(&reader->facts, key, segment, first, last);
}

static void warn_of_file(struct reader *reader, const struct kineto_walked *walked)
{
    struct unordered *events = reader->events;
    unordered_warn(events, "array of events without its end: the file was cut off, or not closed",
                   walked->cut_arrays);
    unordered_warn(events, "event cut off by the end of the file", walked->cut_events);
    unordered_warn(events, "items in the list of events that are not events",
                   walked->strange_items);
    unordered_warn(events, "events of more than 64 MiB left out", walked->large_events);
    unordered_warn(events, "events without a time left out", reader->untimed);
    unordered_warn(events, "times that are not numbers", reader->bad_times);
    unordered_warn(events, "events of a kind that is not read", reader->unknown_phases);
    if (reader->wide_ids.count && reader->most_id >= UINT32_MAX - reader->wide_ids.count)
        unordered_warn(events, "ids beyond 32 bits, which may be mistaken for others", 1);
    unordered_warn(events, "lists of the trace's processes that are too long to be read",
                   reader->facts.large_groups);
    unordered_warn(events, "times of device counters or of managed memory left out",
                   reader->device_counters);
}

static uint64_t start_of(const struct reader *reader)
{
    int64_t first = reader->first_ns;
    return first < 0 && (uint64_t)-first > reader->facts.base_ns
               ? 0
               : reader->facts.base_ns + (uint64_t)first;
}

/* More processes than devices can be seen by are not processes of one machine. */
#define DEVICE_PROCESSES_MAX 64u

/* By group how many of its processes have operations of devices. NULL: no memory. */
static uint32_t *count_busy(struct reader *reader)
{
    uint32_t processes = unordered_process_count(reader->events);
    bool *busy = calloc(processes + (size_t)1, sizeof *busy);
    uint32_t *counts = calloc(reader->facts.groups.count + (size_t)1, sizeof *counts);
    reader->failed |= !busy || !counts;
    if (busy && counts)
        unordered_find_busy(reader->events, busy);
    for (uint32_t i = 0; i < processes && busy && counts; i++)
        counts[reader->rows.process_groups.at[i]] += busy[i];
    free(busy);
    return counts;
}

/* What is said of the whole file, or of the group, is said of each of its processes, but for the
 * rank where several of them have devices: ranks that were merged, of which the file names one. */
static void append_process(struct reader *reader, uint32_t index, const uint32_t *busy)
{
    const struct kineto_facts *facts = &reader->facts;
    struct tl_process_info *process = unordered_process_info(reader->events, index);
    uint32_t group = reader->rows.process_groups.at[index];
    const struct kineto_group *of = group ? &facts->groups.at[group - 1] : &facts->own;
    const char *format = reader->is_kineto ? "a Kineto trace" : "a Chrome trace";
    process->start_realtime_ns = start_of(reader);
    /* libprof writes rank 0 where it knows none, for a tool that needs one */
    bool known = of != &facts->own || !facts->is_libprofs || of->rank > 0 || of->world_size >= 0;
    process->rank = known && busy[group] <= 1 ? of->rank : -1;
    process->world_size = of->world_size >= 0 ? of->world_size : facts->own.world_size;
    process->host = of->host.size ? of->host : facts->own.host;
    process->clock = of->clock;
    if (index == 0)
        process->members = unordered_keep_text(
            reader->events, (struct text){facts->members.at, facts->members.count});
    process->span_ns = facts->span_ns;
    process->format = facts->format.size ? facts->format : (struct text){format, strlen(format)};
    kineto_facts_mode(facts, process);
    if (index < DEVICE_PROCESSES_MAX)
        kineto_facts_devices(facts, index);
}

static void append_facts(struct reader *reader)
{
    uint32_t *busy = count_busy(reader);
    for (uint32_t i = 0; i < unordered_process_count(reader->events) && busy; i++)
        append_process(reader, i, busy);
    free(busy);
}

/* Where arrows lead from, which only counts where there is a choice. */
static uint32_t *find_arrows(struct reader *reader)
{
    if (unordered_process_count(reader->events) < 2)
        return NULL;
    uint32_t *arrows = kineto_flows_processes(&reader->flows, &reader->rows);
    reader->failed |= !arrows;
    return arrows;
}

/* Which process each operation is of. */
static void find_processes(struct reader *reader)
{
    uint32_t count = reader->device_rows.count;
    struct event_row *rows = malloc((count + (size_t)1) * sizeof *rows);
    uint32_t *arrows = find_arrows(reader);
    kineto_flows_fini(&reader->flows); /* resolving needs memory */
    reader->failed |= !rows;
    for (uint32_t i = 0; i < count && rows; i++) {
        rows[i] = kineto_rows_of_device(&reader->rows, reader->device_rows.at[i].pid);
        if (reader->device_rows.at[i].is_device)
            rows[i].process = EVENT_NO_PROCESS;
    }
    if (!reader->failed)
        unordered_resolve(reader->events, &(struct event_rows){
                                              rows, count, reader->rows.process_groups.at, arrows});
    unordered_find_contexts(reader->events);
    free(rows);
    free(arrows);
}

/* Events are in any order, and the first one of the file is rarely the earliest. */
static void begin_at_earliest(struct reader *reader)
{
    int64_t earliest_ns = unordered_end(reader->events);
    unordered_set_origin(reader->events, earliest_ns);
    reader->first_ns += earliest_ns;
}

static void finish(struct reader *reader, const struct kineto_walked *walked)
{
    struct unordered *events = reader->events;
    reader->failed |= !kineto_pairs_slices(&reader->ends, events, reader->last_ns) ||
                      !kineto_pairs_ranges(&reader->async_ends, events);
    kineto_python_finish(&reader->python, events);
    warn_of_file(reader, walked);
    reader->rows.is_libprofs = reader->facts.is_libprofs;
    uint32_t main = kineto_rows_finish(&reader->rows, reader->operations > 0);
    kineto_labels_finish(&reader->labels, &reader->rows);
    reader->failed |= reader->labels.failed || reader->rows.failed || reader->facts.failed;
    unordered_warn(events, "processes beyond 1000: what they did is shown in the largest one",
                   reader->rows.surplus_pids);
    kineto_rows_note_devices(&reader->rows);
    if (main != UINT32_MAX && reader->operations && !reader->failed)
        find_processes(reader);
    reader->failed |= !kineto_memory_finish(&reader->memory, events) ||
                      !kineto_counters_finish(&reader->counters, events);
    begin_at_earliest(reader);
    append_facts(reader);
}

static bool reader_init(struct reader *reader, struct unordered *events)
{
    reader->events = reader->rows.events = events;
    return kineto_facts_init(&reader->facts, reader->events, &reader->rows);
}

static void reader_fini(struct reader *reader)
{
    kineto_rows_fini(&reader->rows);
    kineto_facts_fini(&reader->facts);
    kineto_ends_fini(&reader->ends);
    kineto_ends_fini(&reader->async_ends);
    kineto_python_fini(&reader->python);
    kineto_memory_fini(&reader->memory);
    kineto_counters_fini(&reader->counters);
    keymap_fini(&reader->row_of);
    free(reader->device_rows.at);
    kineto_flows_fini(&reader->flows);
    kineto_labels_fini(&reader->labels);
    keymap_fini(&reader->segments);
    keymap_fini(&reader->wide_ids);
    free(reader->plain);
    free(reader);
}

static bool read_file(struct reader *reader, struct source *source, bool partial,
                      struct read_error *error)
{
    static const struct kineto_visitor visitor = {.take = visit_event, .member = visit_member};
    struct kineto_visitor own = visitor;
    struct kineto_walked walked;
    own.user = reader;
    if (!kineto_file_walk(source, partial, &own, &walked, error))
        return false;
    const uint64_t odd = walked.strange_items + reader->unknown_phases + reader->untimed;
    if (odd && !reader->any && !reader->names) {
        trace_error(error, source_path(source),
                    "JSON, but not a trace: none of its %" PRIu64 " items is an event", odd);
        return false;
    }
    finish(reader, &walked);
    if (reader->failed || unordered_failed(reader->events))
        trace_error(error, source_path(source), "out of memory");
    return !reader->failed && !unordered_failed(reader->events);
}

static struct trace_file *open_kineto(struct source *source, bool partial, struct builder *builder,
                                      struct read_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    struct trace_file *file = NULL;
    struct unordered *events = unordered_begin(builder);
    if (!reader || !events || !reader_init(reader, events))
        trace_error(error, source_path(source), "out of memory");
    else if (read_file(reader, source, partial, error))
        file = format_file(source, events, start_of(reader), error);
    if (reader)
        reader_fini(reader);
    return file;
}

const struct foreign_format format_kineto = {"Chrome trace", kineto_file_recognise, open_kineto};
