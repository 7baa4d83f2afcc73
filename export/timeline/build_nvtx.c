/* build_nvtx.c - NVTX attributes other than the name: domain, category, color.
 *
 * A label is made when an event name is first used: event names, names and domains come in any
 * order, but all before the first event.
 */
#include "array.h"
#include "build_unordered.h"

#include <stdlib.h>
#include <string.h>

/* An event name, understood when it is first used: by then all names and domains are known. */
struct build_event {
    struct event_name record;
    uint32_t name, label;
    bool understood;
};

struct build_nvtx {
    struct idmap event_slots;  /* file's id -> events[] */
    struct idmap domain_slots; /* file's number -> domains[] */
    struct keymap categories;  /* domain and number -> categories[] */
    TL_ARRAY(struct build_event) events;
    uint32_t plain_label; /* 1 + that of NVTX ranges that have only a name; 0 not made yet */
};

BUILD_PART(nvtx, idmap_fini(&nvtx->event_slots), idmap_fini(&nvtx->domain_slots),
           keymap_fini(&nvtx->categories), free(nvtx->events.at))

uint32_t build_domain_find(const struct builder *builder, uint32_t number)
{
    return idmap_find(&builder->nvtx->domain_slots, number);
}

static uint32_t build_domain(struct builder *builder, uint32_t number)
{
    uint32_t index = build_domain_find(builder, number);
    if (index != IDMAP_NONE)
        return index;
    struct tl_domain *domain = ARRAY_ADD(&builder->timeline->domains);
    index = builder->timeline->domains.count - 1;
    if (!domain || !idmap_set(&builder->nvtx->domain_slots, number, index)) {
        builder->failed = true;
        return TL_NONE;
    }
    *domain = (struct tl_domain){builder->process, number, TL_NONE};
    return index;
}

static uint32_t find_category(struct builder *builder, uint32_t domain, uint32_t number)
{
    uint64_t key = (uint64_t)domain << 32 | number;
    uint32_t index = keymap_find(&builder->nvtx->categories, key);
    if (index != KEYMAP_NONE)
        return index;
    struct tl_category *category = ARRAY_ADD(&builder->timeline->categories);
    index = builder->timeline->categories.count - 1;
    if (!category || !keymap_set(&builder->nvtx->categories, key, index)) {
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

/* "domain:name". */
static uint32_t shown_name(struct builder *builder, uint32_t domain, uint32_t name)
{
    static const struct text unnamed = {"(unnamed)", sizeof "(unnamed)" - 1};
    struct text first = builder->timeline->names.at[domain];
    struct text second = builder->timeline->names.at[name];
    if (second.size == 0)
        second = unnamed;
    char *joined = malloc(first.size + 1 + second.size);
    uint32_t shown = TL_NONE;
    if (joined) {
        if (first.size)
            memcpy(joined, first.bytes, first.size);
        joined[first.size] = ':';
        memcpy(joined + first.size + 1, second.bytes, second.size);
        shown = text_pool_add(&builder->timeline->names,
                              (struct text){joined, first.size + 1 + second.size});
    }
    free(joined);
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

/* PyTorch reports operators to ITT in a domain of its own and to NVTX in none. Both get the same
 * name. */
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

bool build_is_event_name(const struct builder *builder, uint32_t id)
{
    return idmap_find(&builder->nvtx->event_slots, id) != IDMAP_NONE;
}

uint32_t builder_domain_of(const struct builder *builder, uint32_t id)
{
    uint32_t slot = build_name_of_id(builder, id) == IDMAP_NONE
                        ? idmap_find(&builder->nvtx->event_slots, id)
                        : IDMAP_NONE;
    return slot == IDMAP_NONE ? 0 : builder->nvtx->events.at[slot].record.domain;
}

/* Labels of a file whose events come in any order are defined when they are first used. */
static uint32_t slot_of(struct builder *builder, uint32_t id)
{
    uint32_t slot = idmap_find(&builder->nvtx->event_slots, id), number = id & ~UNORDERED_LABEL;
    bool is_label =
        builder->file && id & UNORDERED_LABEL && number && number <= builder->file->labels.count;
    if (slot != IDMAP_NONE || !is_label)
        return slot;
    struct event_name record;
    memcpy(&record, text_pool_text(&builder->file->labels, number).bytes, sizeof record);
    record.id = id;
    builder_define_event_name(builder, &record);
    return idmap_find(&builder->nvtx->event_slots, id);
}

struct build_ref build_event_ref(struct builder *builder, uint32_t id)
{
    uint32_t slot = slot_of(builder, id);
    if (slot == IDMAP_NONE)
        return (struct build_ref){build_missing_name(builder, id), TL_NONE};
    struct build_event *event = &builder->nvtx->events.at[slot];
    if (!event->understood)
        understand(builder, event);
    return (struct build_ref){event->name, event->label};
}

struct build_ref build_nvtx_ref(struct builder *builder, uint32_t id)
{
    struct build_ref ref = build_ref(builder, id);
    if (ref.label != TL_NONE)
        return ref;
    if (!builder->nvtx->plain_label) {
        uint32_t domain = build_domain(builder, 0);
        builder->nvtx->plain_label =
            1 + add_label(builder, (struct tl_label){
                                       .domain = domain, .category = TL_NONE, .name = TL_NONE});
    }
    ref.label = builder->nvtx->plain_label - 1;
    return ref;
}

/* An id that a name has too stands for the name. */
void builder_define_event_name(struct builder *builder, const struct event_name *record)
{
    uint32_t slot = idmap_find(&builder->nvtx->event_slots, record->id);
    if (builder->failed)
        return;
    build_process(builder)->odd.redefined_names +=
        build_name_of_id(builder, record->id) != IDMAP_NONE;
    if (slot != IDMAP_NONE) {
        struct event_name *known = &builder->nvtx->events.at[slot].record;
        build_process(builder)->odd.redefined_names += memcmp(known, record, sizeof *known) != 0;
        *known = *record;
        return;
    }
    struct build_event *event = ARRAY_ADD(&builder->nvtx->events);
    if (event)
        *event = (struct build_event){*record, TL_NONE, TL_NONE, false};
    builder->failed |= !event || !idmap_set(&builder->nvtx->event_slots, record->id,
                                            builder->nvtx->events.count - 1);
}

void builder_define_domain(struct builder *builder, const struct nvtx_domain *record)
{
    if (builder->failed || record->domain == 0)
        return; /* the default domain has no name */
    uint32_t name = build_name(builder, record->name);
    uint32_t domain = build_domain(builder, record->domain);
    if (domain != TL_NONE)
        builder->timeline->domains.at[domain].name = name;
}

void builder_define_category(struct builder *builder, const struct nvtx_category *record)
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
    for (uint32_t i = builder->first.domains; i < builder->timeline->domains.count; i++)
        name_domain(builder, i);
}
