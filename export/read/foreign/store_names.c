/* store_names.c - names of ranges as PyTorch's emit_nvtx composes them: see torch_names.h. Every format
 * that NVTX ranges come in has them. */
#include "event_store_inside.h"
#include "torch_names.h"

#include <string.h>

/* Not split: nearly all names, and there are many ranges of each. */
static bool is_plain(const struct event_store *store, uint32_t name)
{
    return name < store->plain.count && store->plain.at[name];
}

static void note_plain(struct event_store *store, uint32_t name)
{
    while (store->plain.count <= name) {
        bool *added = ARRAY_ADD(&store->plain);
        if (!added)
            return; /* then it is looked at again */
        *added = false;
    }
    store->plain.at[name] = true;
}

static bool parse(struct event_store *store, uint32_t name, struct torch_names *torch)
{
    if (is_plain(store, name))
        return false;
    struct text text = event_store_text(store, name);
    if (torch_names_parse(text.bytes, text.size, torch))
        return true;
    note_plain(store, name);
    return false;
}

static void take_part(struct event_store *store, const struct torch_names_part *part,
                      struct event_attr *attr)
{
    attr->key = event_store_name(store, (struct text){part->key, strlen(part->key)});
    attr->type = part->text ? PROF_ATTR_STRING : PROF_ATTR_INT;
    attr->value = part->text ? event_store_name(store, (struct text){part->text, part->bytes})
                             : part->integer;
}

/* The same label with another name. */
static uint32_t relabel(struct event_store *store, uint32_t label, uint32_t name)
{
    struct event_name record;
    memcpy(&record, text_pool_text(&store->labels, label & ~STORE_LABEL).bytes, sizeof record);
    return event_store_label(
        store, &(struct event_label){.name = name,
                                     .domain = record.domain,
                                     .category = record.category,
                                     .color = record.color,
                                     .colored = record.flags & PROF_EVENT_NAME_COLORED});
}

/* The name that a label has. */
static uint32_t name_of(const struct event_store *store, uint32_t name)
{
    struct event_name record;
    if (!(name & STORE_LABEL))
        return name;
    memcpy(&record, text_pool_text(&store->labels, name & ~STORE_LABEL).bytes, sizeof record);
    return record.name;
}

_Static_assert(STORE_PARTS_MAX == TORCH_NAMES_PARTS_MAX, "room for every part");

bool store_name_split(struct event_store *store, uint32_t name, struct store_name *split)
{
    struct torch_names torch;
    uint32_t whole = name_of(store, name);
    if (!whole || !parse(store, whole, &torch))
        return false;
    struct text text = event_store_text(store, whole);
    split->name = event_store_name(store, (struct text){text.bytes, torch.base_bytes});
    if (name & STORE_LABEL)
        split->name = relabel(store, name, split->name);
    split->count = (uint32_t)torch.count;
    for (uint32_t i = 0; i < split->count; i++)
        take_part(store, &torch.parts[i], &split->attrs[i]);
    return true;
}
