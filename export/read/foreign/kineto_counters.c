#include "kineto_counters.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

void kineto_counters_fini(struct kineto_counters *counters)
{
    free(counters->values.at);
    keymap_fini(&counters->only);
}

/* The number of the three as one name; 0: no memory. */
static uint32_t join(struct unordered *events, uint32_t name, const char *before, struct text rest,
                     const char *behind)
{
    const struct text first = unordered_name_text(events, name);
    const struct text parts[] = {first, {before, strlen(before)}, rest, {behind, strlen(behind)}};
    size_t size = 0;
    char *both = malloc(first.size + parts[1].size + rest.size + parts[3].size);
    for (size_t i = 0; i < 4 && both; i++) {
        memcpy(both + size, parts[i].bytes, parts[i].size);
        size += parts[i].size;
    }
    const uint32_t number = both ? unordered_name(events, (struct text){both, size}) : 0;
    free(both);
    return number;
}

uint32_t kineto_counters_name(struct unordered *events, uint32_t name, struct text id)
{
    if (!id.size)
        return name;
    if (id.bytes[0] == '"')
        id = (struct text){id.bytes + 1, id.size - 2};
    return join(events, name, "[", id, "]");
}

bool kineto_counters_add(struct kineto_counters *counters, const struct kineto_value *value)
{
    const uint32_t only = keymap_find(&counters->only, value->counter);
    struct kineto_value *kept = ARRAY_ADD(&counters->values);
    if (!kept)
        return false;
    *kept = *value;
    return only == 0 || only == value->series ||
           keymap_set(&counters->only, value->counter, only == KEYMAP_NONE ? value->series : 0);
}

bool kineto_counters_finish(const struct kineto_counters *counters, struct unordered *events)
{
    struct keymap names = {0}; /* counter and series -> name */
    bool failed = false;
    for (uint32_t i = 0; i < counters->values.count && !failed; i++) {
        const struct kineto_value *value = &counters->values.at[i];
        const uint64_t key = (uint64_t)value->counter << 32 | value->series;
        uint32_t name = value->counter;
        if (keymap_find(&counters->only, value->counter) == 0) {
            name = keymap_find(&names, key);
            if (name == KEYMAP_NONE) {
                name = join(events, value->counter, ": ",
                            unordered_name_text(events, value->series), "");
                failed = !name || !keymap_set(&names, key, name);
            }
        }
        unordered_append_counter(events, value->thread, value->time_ns, name, value->value);
    }
    keymap_fini(&names);
    return !failed;
}
