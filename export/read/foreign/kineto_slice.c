/* kineto_slice.c - see kineto_slice.h. */
#include "kineto_slice.h"

#include "array.h"
#include "kineto_gpu.h"

#include <stdlib.h>
#include <string.h>

static bool is_graph_launch(struct text name)
{
    return text_begins(name, "cudaGraphLaunch") || text_begins(name, "cuGraphLaunch") ||
           text_begins(name, "hipGraphLaunch");
}

void kineto_slice_classify(const struct kineto_event *event, struct text name,
                           struct complete_slice *slice)
{
    bool driver = event->category == KINETO_DRIVER_CALL;
    slice->result = TL_RESULT_UNKNOWN;
    if (event->category == KINETO_RUNTIME_CALL || driver) {
        int64_t correlation = kineto_number(&event->args, KINETO_CORRELATION, 0);
        slice->kind = TL_API;
        slice->correlation =
            correlation > 0 && correlation <= UINT32_MAX ? (uint32_t)correlation : 0;
        slice->flags =
            (uint8_t)((slice->correlation ? TL_LAUNCHES : 0) | (driver ? SLICE_DRIVER : 0) |
                      (is_graph_launch(name) ? TL_GRAPH : 0));
    } else {
        slice->kind = TL_RANGE;
        slice->correlation = kineto_external_id(&event->args);
    }
}

/* ---- begins and ends ---- */

bool kineto_ends_add(struct kineto_ends *ends, const struct kineto_end *end)
{
    struct kineto_end *added = ARRAY_ADD(ends);
    if (added)
        *added = *end;
    return added != NULL;
}

/* By owner, then time; NULL: no memory. */
static struct radix_item *sort_ends(const struct kineto_ends *ends)
{
    struct radix_item *items = calloc((size_t)ends->count + 1, sizeof *items);
    bool sorted = items != NULL;
    for (uint32_t i = 0; i < ends->count && sorted; i++)
        items[i] = (struct radix_item){radix_key(ends->at[i].time_ns), i};
    sorted = sorted && radix_sort(items, ends->count);
    for (uint32_t i = 0; i < ends->count && sorted; i++)
        items[i].key = ends->at[items[i].value].owner;
    sorted = sorted && radix_sort(items, ends->count);
    if (sorted)
        return items;
    free(items);
    return NULL;
}

/* What is open, as indexes of begins. */
struct open_ends {
    uint32_t *at;
    uint32_t count, capacity;
};

typedef void append_pair(const struct kineto_end *begin, const struct kineto_end *end,
                         struct unordered *events, int64_t last_ns);

static void append_slice(const struct kineto_end *begin, const struct kineto_end *end,
                         struct unordered *events, int64_t last_ns)
{
    struct complete_slice slice = {
        .start_ns = begin->time_ns,
        .end_ns = end                        ? end->time_ns
                  : last_ns > begin->time_ns ? last_ns
                                             : begin->time_ns,
        .thread = begin->thread,
        .name = begin->name,
        .correlation = begin->correlation,
        .result = TL_RESULT_UNKNOWN,
        .kind = begin->kind,
        .flags = (uint8_t)(begin->flags | (end ? 0 : TL_UNCLOSED)),
    };
    unordered_append_slice(events, &slice);
}

static void append_range(const struct kineto_end *begin, const struct kineto_end *end,
                         struct unordered *events, int64_t last_ns)
{
    (void)last_ns;
    uint64_t id = unordered_async_count(events) + 1;
    unordered_append_async(events, begin->thread, end ? end->thread : 0, begin->time_ns,
                           end ? end->time_ns : begin->time_ns, begin->name, id);
}

static void append_open(const struct kineto_ends *ends, struct open_ends *open, append_pair *tell,
                        struct unordered *events, int64_t last_ns)
{
    while (open->at && open->count)
        tell(&ends->at[open->at[--open->count]], NULL, events, last_ns);
}

static bool pair(const struct kineto_ends *ends, const struct radix_item *items, append_pair *tell,
                 struct unordered *events, int64_t last_ns)
{
    struct open_ends open = {0};
    uint64_t without_begin = 0;
    bool paired = true;
    for (uint32_t i = 0; i < ends->count && paired; i++) {
        const struct kineto_end *end = &ends->at[items[i].value];
        if (i && end->owner != ends->at[items[i - 1].value].owner)
            append_open(ends, &open, tell, events, last_ns);
        if (end->is_end && open.count == 0) {
            without_begin++;
        } else if (end->is_end) {
            tell(&ends->at[open.at[--open.count]], end, events, last_ns);
        } else {
            uint32_t *place = ARRAY_ADD(&open);
            paired = place != NULL;
            if (place)
                *place = items[i].value;
        }
    }
    append_open(ends, &open, tell, events, last_ns);
    unordered_warn(events, "ends of events without a begin", without_begin);
    free(open.at);
    return paired;
}

static bool pair_all(struct kineto_ends *ends, append_pair *tell, struct unordered *events,
                     int64_t last_ns)
{
    if (ends->count == 0)
        return true;
    struct radix_item *items = sort_ends(ends);
    bool paired = items && pair(ends, items, tell, events, last_ns);
    free(items);
    return paired;
}

bool kineto_pairs_slices(struct kineto_ends *ends, struct unordered *events, int64_t last_ns)
{
    return pair_all(ends, append_slice, events, last_ns);
}

bool kineto_pairs_ranges(struct kineto_ends *ends, struct unordered *events)
{
    return pair_all(ends, append_range, events, 0);
}

/* ---- labels ---- */

void kineto_labels_fini(struct kineto_labels *labels)
{
    keymap_fini(&labels->domains);
    keymap_fini(&labels->known);
    free(labels->domain_pids.at);
    free(labels->categories.at);
}

static uint32_t text_number(struct unordered *events, const struct json_string *string)
{
    char *plain = string->escaped ? malloc(string->size + (size_t)1) : NULL;
    struct text text = {string->bytes, string->size};
    if (plain)
        text = (struct text){plain, json_unescape(string, plain)};
    uint32_t number = unordered_name(events, text);
    free(plain);
    return number;
}

static int64_t key_of(uint32_t high, uint32_t low)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

static uint32_t new_domain(struct kineto_labels *labels, struct unordered *events, uint32_t pid)
{
    uint32_t domain = unordered_add_domain(events, 0);
    while (labels->domain_pids.count <= domain) {
        uint32_t *added = ARRAY_ADD(&labels->domain_pids);
        labels->failed |= !added;
        if (!added)
            return 0;
        *added = pid;
    }
    return domain;
}

/* `value`: as in the file. 0: the default domain. */
static uint32_t domain_of(struct kineto_labels *labels, struct unordered *events, uint32_t pid,
                          struct text value)
{
    bool named = value.size >= 2 && value.bytes[0] == '"';
    struct json_string name = {value.bytes + named, (uint32_t)(value.size - 2 * named), named};
    if (name.size == 0)
        return 0;
    uint32_t number = text_number(events, &name);
    int64_t key = key_of(pid, number) ^ (named ? 0 : INT64_MIN);
    uint32_t domain = keymap_find_id(&labels->domains, key);
    if (domain != KEYMAP_NONE)
        return domain;
    domain = new_domain(labels, events, pid);
    labels->failed |= !keymap_set_id(&labels->domains, key, domain);
    if (named)
        unordered_name_domain(events, domain, number);
    return domain;
}

static void name_category(struct kineto_labels *labels, struct unordered *events, uint32_t pid,
                          uint32_t domain, uint32_t number, struct text value)
{
    int64_t key = key_of(domain ? domain : UINT32_MAX - pid, number);
    if (keymap_find_id(&labels->known, key) != KEYMAP_NONE)
        return;
    struct json_string string = {value.bytes + 1, (uint32_t)value.size - 2, true};
    uint32_t name = text_number(events, &string);
    struct kineto_category_name *added = ARRAY_ADD(&labels->categories);
    labels->failed |= !added || !keymap_set_id(&labels->known, key, 0);
    if (added)
        *added = (struct kineto_category_name){pid, domain, number, name};
}

/* Its number, with a name beside it or alone; 0: none. */
static uint32_t category_of(struct kineto_labels *labels, struct unordered *events, uint32_t pid,
                            uint32_t domain, const struct kineto_args *args)
{
    if (!kineto_has(args, KINETO_LABEL_CATEGORY))
        return 0;
    const struct json_string *string = &args->at[KINETO_LABEL_CATEGORY].text;
    struct text value = {string->bytes, string->size};
    bool named = value.size >= 2 && value.bytes[0] == '"';
    int64_t number = 0;
    if (named)
        number = kineto_number(args, KINETO_LABEL_NUMBER, 0);
    else if (!json_text_scaled(value, 0, &number))
        return 0;
    if (number <= 0 || number > UINT32_MAX)
        return 0;
    if (named)
        name_category(labels, events, pid, domain, (uint32_t)number, value);
    return (uint32_t)number;
}

/* "#FF76B900" */
static bool read_color(const struct kineto_args *args, uint32_t *color)
{
    const struct json_string *text = &args->at[KINETO_COLOR].text;
    if (!kineto_has(args, KINETO_COLOR) || text->size != 9 || text->bytes[0] != '#')
        return false;
    char digits[9] = {0}, *end;
    memcpy(digits, text->bytes + 1, 8);
    *color = (uint32_t)strtoul(digits, &end, 16);
    return end == digits + 8;
}

/* Args of other programs may have the word, too. */
static bool is_labelled(const struct kineto_event *event)
{
    const struct json_string *category = &event->category_text;
    return kineto_has(&event->args, KINETO_DOMAIN) &&
           (event->category == KINETO_ANNOTATION || event->category == KINETO_OPERATOR ||
            json_string_is(category, "cpu_instant_event"));
}

uint32_t kineto_labels_name(struct kineto_labels *labels, struct kineto_rows *rows,
                            const struct kineto_event *event, uint32_t name)
{
    if (!is_labelled(event))
        return name;
    const struct json_string *value = &event->args.at[KINETO_DOMAIN].text;
    struct event_label label = {.name = name};
    uint32_t pid = kineto_rows_pid(rows, &event->pid);
    label.domain = domain_of(labels, rows->events, pid, (struct text){value->bytes, value->size});
    label.category = category_of(labels, rows->events, pid, label.domain, &event->args);
    label.colored = read_color(&event->args, &label.color);
    label.color = label.colored ? label.color : 0;
    return unordered_label(rows->events, &label);
}

void kineto_labels_finish(struct kineto_labels *labels, const struct kineto_rows *rows)
{
    for (uint32_t i = 1; i < labels->domain_pids.count; i++)
        unordered_move_domain(rows->events, i,
                              kineto_rows_of_thread(rows, labels->domain_pids.at[i]));
    for (uint32_t i = 0; i < labels->categories.count; i++) {
        const struct kineto_category_name *category = &labels->categories.at[i];
        unordered_add_category(rows->events, kineto_rows_of_thread(rows, category->pid),
                               category->domain, category->number, category->name);
    }
}

/* ---- Python frames ---- */

void kineto_python_fini(struct kineto_python *python)
{
    free(python->frames.at);
}

bool kineto_python_frame(struct kineto_python *python, const struct kineto_frame *frame)
{
    struct kineto_frame *added = ARRAY_ADD(&python->frames);
    if (added)
        *added = *frame;
    return added != NULL;
}

/* By thread, then begin, then what reaches farther. */
static int outer_first(const void *left, const void *right)
{
    const struct kineto_frame *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

void kineto_python_finish(struct kineto_python *python, struct unordered *events)
{
    if (python->frames.count)
        qsort(python->frames.at, python->frames.count, sizeof *python->frames.at, outer_first);
    for (uint32_t i = 0; i < python->frames.count; i++) {
        const struct kineto_frame *frame = &python->frames.at[i];
        unordered_append_frame(events, frame->thread, frame->start_ns, frame->end_ns, frame->name);
    }
}
