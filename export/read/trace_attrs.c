#include "trace_attrs.h"

static const struct walk_attr_set *attr_set_find(const struct walk *walk, uint32_t id)
{
    for (size_t i = 0; i < walk->attr_set_count; i++)
        if (walk->attr_sets[i].id == id)
            return &walk->attr_sets[i];
    return NULL;
}

static bool attr_field_is_good(const struct prof_attr_field *field)
{
    return field->type >= PROF_ATTR_INT && field->type <= PROF_ATTR_HEX &&
           (field->bytes == 4 || field->bytes == 8) && field->offset >= PROF_ATTRS_VALUES;
}

/* False: it is damaged. */
static bool attr_set_read(const struct record *record, struct walk_attr_set *set)
{
    struct prof_rec_attr_set head;
    record_copy(record, &head, sizeof head);
    size_t room = record->words * sizeof(uint64_t) - sizeof head;
    if (head.id == 0 || head.fields > PROF_ATTR_SET_FIELDS_MAX ||
        head.fields > room / sizeof *set->fields)
        return false;
    set->id = head.id;
    set->count = head.fields;
    memcpy(set->fields, record->at + sizeof head / sizeof(uint64_t),
           head.fields * sizeof *set->fields);
    for (uint32_t i = 0; i < set->count; i++)
        if (!attr_field_is_good(&set->fields[i]))
            return false;
    return true;
}

void walk_attr_set_collect(struct walk *walk, const struct record *record)
{
    struct walk_attr_set set;
    if (!attr_set_read(record, &set)) {
        walk_damage(walk, walk_offset(walk, record->at), "a set of attributes is damaged");
        return;
    }
    if (!attr_set_find(walk, set.id) &&
        walk_room(walk, &walk->attr_sets, walk->attr_set_count, &walk->attr_set_capacity,
                  sizeof *walk->attr_sets))
        walk->attr_sets[walk->attr_set_count++] = set;
}

/* False: there is no such value in this record. */
static bool attr_value(const struct record *record, const struct prof_attr_field *field,
                       uint64_t *value)
{
    size_t size = record->words * sizeof(uint64_t);
    const char *at = (const char *)record->at + field->offset;
    uint32_t narrow;
    if (field->offset + (size_t)field->bytes > size)
        return false;
    if (field->bytes == sizeof *value) {
        memcpy(value, at, sizeof *value);
        return *value != UINT64_MAX;
    }
    memcpy(&narrow, at, sizeof narrow);
    *value = narrow;
    return narrow != UINT32_MAX;
}

void walk_attrs(struct walk *walk, uint32_t thread, const struct record *record)
{
    const struct walk_attr_set *set = attr_set_find(walk, (uint32_t)record->at[1]);
    uint64_t value;
    if (!set) {
        walk_damage(walk, walk_offset(walk, record->at),
                    "attributes are of a set that is not there");
        return;
    }
    for (uint32_t i = 0; i < set->count; i++)
        if (attr_value(record, &set->fields[i], &value))
            timeline_append_attr(
                walk->builder, thread,
                &(struct read_attr){value, set->fields[i].key, set->fields[i].type}, 0);
}
