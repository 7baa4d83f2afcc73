/* build_nvtx.c - NVTX attributes other than the name; from a forward range to its backward passes. */
#include "array.h"
#include "build_unordered.h"

#include <stdlib.h>
#include <string.h>

/* NVTX attributes other than the name: domain, category, color.
 *
 * A label is made when an event name is first used: event names, names and domains come in any
 * order, but all before the first event.
 */

static uint32_t build_domain(struct builder *builder, uint32_t number)
{
    uint32_t index = idmap_find(&builder->domain_slots, number);
    if (index != IDMAP_NONE)
        return index;
    struct tl_domain *domain = ARRAY_ADD(&builder->timeline->domains);
    index = builder->timeline->domains.count - 1;
    if (!domain || !idmap_set(&builder->domain_slots, number, index)) {
        builder->failed = true;
        return TL_NONE;
    }
    *domain = (struct tl_domain){builder->process, number, TL_NONE};
    return index;
}

static uint32_t find_category(struct builder *builder, uint32_t domain, uint32_t number)
{
    uint64_t key = (uint64_t)domain << 32 | number;
    uint32_t index = keymap_find(&builder->categories, key);
    if (index != KEYMAP_NONE)
        return index;
    struct tl_category *category = ARRAY_ADD(&builder->timeline->categories);
    index = builder->timeline->categories.count - 1;
    if (!category || !keymap_set(&builder->categories, key, index)) {
        builder->failed = true;
        return TL_NONE;
    }
    *category = (struct tl_category){domain, number, TL_NONE};
    return index;
}

/* When the first event comes, every domain that the file names has its name. */
static void name_domain(struct builder *builder, uint32_t index)
{
    struct tl_domain *domain = &builder->timeline->domains.at[index];
    if (domain->number == 0 || domain->name != TL_NONE)
        return;
    build_process(builder)->odd.unknown_domains++;
    uint32_t name =
        text_pool_format(&builder->timeline->names, "(domain %u is missing)", domain->number);
    builder->failed |= name == TL_NONE;
    domain->name = name;
}

static size_t append(char *to, struct text text)
{
    size_t size = text.size < PROF_NAME_BYTES_MAX ? text.size : PROF_NAME_BYTES_MAX;
    if (size)
        memcpy(to, text.bytes, size);
    return size;
}

/* "domain:name". */
static uint32_t shown_name(struct builder *builder, uint32_t domain, uint32_t name)
{
    char joined[2 * PROF_NAME_BYTES_MAX + 1];
    const struct text *names = builder->timeline->names.at;
    static const struct text unnamed = {"(unnamed)", sizeof "(unnamed)" - 1};
    size_t size = append(joined, names[domain]);
    joined[size++] = ':';
    size += append(joined + size, names[name].size ? names[name] : unnamed);
    uint32_t shown = text_pool_add(&builder->timeline->names, (struct text){joined, size});
    builder->failed |= shown == TL_NONE;
    return shown;
}

static uint32_t add_label(struct builder *builder, struct tl_label label)
{
    struct tl_label *added = ARRAY_ADD(&builder->timeline->labels);
    if (!added) {
        builder->failed = true;
        return TL_NONE;
    }
    *added = label;
    return builder->timeline->labels.count - 1;
}

/* PyTorch reports operators to ITT in a domain of its own and to NVTX in none. Both get the same name. */
static bool is_pytorchs(struct text domain)
{
    return text_is(domain, TL_PYTORCH_DOMAIN);
}

static uint32_t make_label(struct builder *builder, const struct build_event *event)
{
    const struct event_name *record = &event->record;
    uint32_t domain = build_domain(builder, record->domain);
    if (!builder->failed)
        name_domain(builder, domain);
    if (builder->failed)
        return TL_NONE;
    struct tl_label label = {
        .domain = domain,
        .category = record->category ? find_category(builder, domain, record->category) : TL_NONE,
        .name = TL_NONE,
        .color = record->color,
        .flags = record->flags & PROF_EVENT_NAME_COLORED ? TL_LABEL_COLORED : 0,
    };
    uint32_t name = builder->timeline->domains.at[domain].name;
    if (record->domain && !is_pytorchs(builder->timeline->names.at[name]))
        label.name = shown_name(builder, name, event->name);
    return add_label(builder, label);
}

/* A name that the program did not give is empty, one that is not in the file is said to be
 * missing. */
static uint32_t event_text(struct builder *builder, uint32_t id)
{
    uint32_t name = id ? build_name_of_id(builder, id)
                       : text_pool_add(&builder->timeline->names, (struct text){"", 0});
    if (name != IDMAP_NONE)
        return name;
    builder->failed |= id == 0;
    return build_missing_name(builder, id);
}

static void understand(struct builder *builder, struct build_event *event)
{
    event->understood = true;
    event->name = event_text(builder, event->record.name);
    if (!builder->failed)
        event->label = make_label(builder, event);
}

/* Labels of a file whose events come in any order are defined when they are first used. */
static uint32_t slot_of(struct builder *builder, uint32_t id)
{
    uint32_t slot = idmap_find(&builder->event_slots, id), number = id & ~UNORDERED_LABEL;
    bool is_label =
        builder->file && id & UNORDERED_LABEL && number && number <= builder->file->labels.count;
    if (slot != IDMAP_NONE || !is_label)
        return slot;
    struct event_name record;
    memcpy(&record, text_pool_text(&builder->file->labels, number).bytes, sizeof record);
    record.id = id;
    timeline_define_event_name(builder, &record);
    return idmap_find(&builder->event_slots, id);
}

struct build_ref build_event_ref(struct builder *builder, uint32_t id)
{
    uint32_t slot = slot_of(builder, id);
    if (slot == IDMAP_NONE)
        return (struct build_ref){build_missing_name(builder, id), TL_NONE};
    struct build_event *event = &builder->events.at[slot];
    if (!event->understood)
        understand(builder, event);
    return (struct build_ref){event->name, event->label};
}

struct build_ref build_nvtx_ref(struct builder *builder, uint32_t id)
{
    struct build_ref ref = build_ref(builder, id);
    if (ref.label != TL_NONE)
        return ref;
    if (builder->plain_label == TL_NONE) {
        uint32_t domain = build_domain(builder, 0);
        builder->plain_label = add_label(
            builder, (struct tl_label){.domain = domain, .category = TL_NONE, .name = TL_NONE});
    }
    ref.label = builder->plain_label;
    return ref;
}

/* An id that a name has too stands for the name. */
void timeline_define_event_name(struct builder *builder, const struct event_name *record)
{
    uint32_t slot = idmap_find(&builder->event_slots, record->id);
    if (builder->failed)
        return;
    build_process(builder)->odd.redefined_names +=
        idmap_find(&builder->names, record->id) != IDMAP_NONE;
    if (slot != IDMAP_NONE) {
        struct event_name *known = &builder->events.at[slot].record;
        build_process(builder)->odd.redefined_names += memcmp(known, record, sizeof *known) != 0;
        *known = *record;
        return;
    }
    struct build_event *event = ARRAY_ADD(&builder->events);
    if (event)
        *event = (struct build_event){*record, TL_NONE, TL_NONE, false};
    builder->failed |=
        !event || !idmap_set(&builder->event_slots, record->id, builder->events.count - 1);
}

void timeline_define_domain(struct builder *builder, const struct nvtx_domain *record)
{
    if (builder->failed || record->domain == 0)
        return; /* the default domain has no name */
    uint32_t name = build_name(builder, record->name);
    uint32_t domain = build_domain(builder, record->domain);
    if (domain != TL_NONE)
        builder->timeline->domains.at[domain].name = name;
}

void timeline_define_category(struct builder *builder, const struct nvtx_category *record)
{
    if (builder->failed)
        return;
    uint32_t name = build_name(builder, record->name);
    uint32_t domain = build_domain(builder, record->domain);
    uint32_t category =
        domain == TL_NONE ? TL_NONE : find_category(builder, domain, record->category);
    if (category != TL_NONE)
        builder->timeline->categories.at[category].name = name;
}

void build_nvtx_end(struct builder *builder)
{
    for (uint32_t i = builder->first.domain; i < builder->timeline->domains.count; i++)
        name_domain(builder, i);
}

/* From a forward range to the backward passes that it makes necessary.
 *
 * PyTorch numbers the functions that it will have to differentiate. The number is an attribute of
 * ranges: of the operations that run while it is the next number, the last of which makes the
 * function; and of its evaluation later, with all that is inside. So, among the ranges of one
 * number, the origin of an evaluation is the one that began last before it and is no part of an
 * evaluation. What an evaluation is called depends on the version: its name begins with the words
 * below, or it has the number as "stashed_seq". Other ranges on another thread are taken for one
 * when their name says so, as those of PyTorch's functions do.
 */

static const char evaluation[] = "autograd::engine::evaluate_function: ";

enum role {
    ROLE_FORWARD,
    ROLE_BACKWARD,
    ROLE_EITHER, /* backward if it is on another thread than the forward range, else neither */
    ROLE_INSIDE, /* part of an evaluation of the same number */
};

/* A range that has a sequence number. */
struct numbered {
    uint64_t number;
    uint32_t slice;
    enum role role;
};

struct search {
    struct builder *builder;
    TL_ARRAY(struct numbered) found; /* by slice */
    struct radix_item *items;        /* places in `found` */
    struct keymap after;             /* slice -> the segment that goes on from it */
    bool failed;
};

static bool text_holds(struct text text, const char *word)
{
    const char *end = text.bytes + text.size;
    while (text.size) {
        const char *next = memchr(text.bytes, *word, text.size);
        if (!next)
            return false;
        if (text_begins((struct text){next, (size_t)(end - next)}, word))
            return true;
        text = (struct text){next + 1, (size_t)(end - next - 1)};
    }
    return false;
}

static enum role role_of(struct text name)
{
    if (text_begins(name, evaluation))
        return ROLE_BACKWARD;
    return text_holds(name, "Backward") ? ROLE_EITHER : ROLE_FORWARD;
}

static bool is_number(const struct tl_attr *attr)
{
    return (attr->type == PROF_ATTR_INT || attr->type == PROF_ATTR_UINT) &&
           attr->value <= INT64_MAX;
}

/* Reads the attributes of one slice. */
static void read_slice(struct search *search, const struct tl_attr *attrs, uint32_t count)
{
    const struct timeline *timeline = search->builder->timeline;
    const struct text *names = timeline->names.at;
    const struct tl_attr *number = NULL, *stashed = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (is_number(&attrs[i]) && (text_is(names[attrs[i].key], "seq") ||
                                     text_is(names[attrs[i].key], "Sequence number")))
            number = &attrs[i];
        if (is_number(&attrs[i]) && text_is(names[attrs[i].key], "stashed_seq"))
            stashed = &attrs[i];
    }
    struct numbered *found = number || stashed ? ARRAY_ADD(&search->found) : NULL;
    if (found)
        *found = (struct numbered){
            .number = stashed ? stashed->value : number->value,
            .slice = attrs->slice,
            .role =
                stashed ? ROLE_BACKWARD : role_of(names[timeline->slices.at[attrs->slice].name]),
        };
    search->failed |= (number || stashed) && !found;
}

static void find_numbered(struct search *search)
{
    const struct timeline *timeline = search->builder->timeline;
    for (uint32_t i = search->builder->first.attr, end; i < timeline->attrs.count; i = end) {
        end = i + 1;
        while (end < timeline->attrs.count &&
               timeline->attrs.at[end].slice == timeline->attrs.at[i].slice)
            end++;
        read_slice(search, &timeline->attrs.at[i], end - i);
    }
}

static void index_segments(struct search *search)
{
    const struct timeline *timeline = search->builder->timeline;
    for (uint32_t i = search->builder->first.segment; i < timeline->segments.count; i++)
        search->failed |= !keymap_set(&search->after, timeline->segments.at[i].before,
                                      timeline->segments.at[i].slice);
}

/* When the whole call ended whose first segment this is. */
static int64_t call_end(const struct search *search, uint32_t slice)
{
    for (uint32_t next = slice; next != KEYMAP_NONE; next = keymap_find(&search->after, next))
        slice = next;
    return search->builder->timeline->slices.at[slice].end_ns;
}

/* Among the ranges of one number, `first` to `end` in the order of their slices, those inside of an
 * evaluation. */
static void mark_inside(struct search *search, uint32_t first, uint32_t end)
{
    const struct tl_slice *slices = search->builder->timeline->slices.at;
    const struct tl_slice *outer = NULL;
    int64_t outer_end_ns = 0;
    for (uint32_t i = first; i < end; i++) {
        struct numbered *numbered = &search->found.at[search->items[i].value];
        const struct tl_slice *slice = &slices[numbered->slice];
        if (outer && slice->thread == outer->thread && slice->start_ns < outer_end_ns) {
            numbered->role = ROLE_INSIDE;
        } else if (numbered->role != ROLE_FORWARD) {
            outer = slice;
            outer_end_ns = call_end(search, numbered->slice);
        }
    }
}

static void sort_by_number(struct search *search)
{
    for (uint32_t i = 0; i < search->found.count; i++)
        search->items[i].key = search->found.at[search->items[i].value].number;
    search->failed |= !radix_sort(search->items, search->found.count);
}

static void sort_by_start(struct search *search)
{
    const struct tl_slice *slices = search->builder->timeline->slices.at;
    for (uint32_t i = 0; i < search->found.count; i++)
        search->items[i].key =
            radix_key(slices[search->found.at[search->items[i].value].slice].start_ns);
    search->failed |= !radix_sort(search->items, search->found.count);
}

/* Calls `each` for the ranges of every number. */
static void for_each_number(struct search *search,
                            void (*each)(struct search *search, uint32_t first, uint32_t end))
{
    for (uint32_t i = 0, end; i < search->found.count && !search->failed; i = end) {
        end = i + 1;
        while (end < search->found.count && search->items[end].key == search->items[i].key)
            end++;
        each(search, i, end);
    }
}

static void add_link(struct search *search, uint32_t forward, uint32_t backward)
{
    struct tl_fwdbwd *link = ARRAY_ADD(&search->builder->timeline->fwdbwds);
    if (link)
        *link = (struct tl_fwdbwd){forward, backward};
    else
        search->failed = true;
}

/* The ranges of one number in the order in which they began. */
static void link_number(struct search *search, uint32_t first, uint32_t end)
{
    const struct tl_slice *slices = search->builder->timeline->slices.at;
    uint32_t forward = TL_NONE;
    for (uint32_t i = first; i < end; i++) {
        const struct numbered *numbered = &search->found.at[search->items[i].value];
        bool elsewhere =
            forward != TL_NONE && slices[numbered->slice].thread != slices[forward].thread;
        if (numbered->role == ROLE_FORWARD)
            forward = numbered->slice;
        else if (forward != TL_NONE &&
                 (numbered->role == ROLE_BACKWARD || (numbered->role == ROLE_EITHER && elsewhere)))
            add_link(search, forward, numbered->slice);
    }
}

static int by_backward(const void *left, const void *right)
{
    const struct tl_fwdbwd *a = left, *b = right;
    return (a->backward > b->backward) - (a->backward < b->backward);
}

static void link_all(struct search *search)
{
    struct timeline *timeline = search->builder->timeline;
    uint32_t first = timeline->fwdbwds.count;
    for (uint32_t i = 0; i < search->found.count; i++)
        search->items[i].value = i;
    sort_by_number(search);
    for_each_number(search, mark_inside);
    sort_by_start(search);
    sort_by_number(search);
    for_each_number(search, link_number);
    if (timeline->fwdbwds.count > first)
        qsort(timeline->fwdbwds.at + first, timeline->fwdbwds.count - first,
              sizeof *timeline->fwdbwds.at, by_backward);
}

bool build_fwdbwd(struct builder *builder)
{
    struct search search = {.builder = builder};
    find_numbered(&search);
    if (search.found.count && !search.failed) {
        index_segments(&search);
        search.items = calloc(search.found.count, sizeof *search.items);
        search.failed |= !search.items;
        if (!search.failed)
            link_all(&search);
    }
    free(search.found.at);
    free(search.items);
    keymap_fini(&search.after);
    return !search.failed;
}
