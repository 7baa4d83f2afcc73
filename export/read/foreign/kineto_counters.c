#include "kineto_counters.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

void kineto_counters_fini(struct kineto_counters *counters)
{
    free(counters->values.at);
    keymap_fini(&counters->only);
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

/* 0: no memory. */
static uint32_t name_series(struct builder *builder, const struct kineto_value *value)
{
    const struct text counter = timeline_name_text(builder, value->counter),
                      series = timeline_name_text(builder, value->series);
    const size_t size = counter.size + 2 + series.size;
    char *name = malloc(size);
    if (!name)
        return 0;
    memcpy(name, counter.bytes, counter.size);
    memcpy(name + counter.size, ": ", 2);
    memcpy(name + counter.size + 2, series.bytes, series.size);
    const uint32_t number = timeline_name(builder, (struct text){name, size});
    free(name);
    return number;
}

bool kineto_counters_finish(const struct kineto_counters *counters, struct builder *builder)
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
                name = name_series(builder, value);
                failed = !name || !keymap_set(&names, key, name);
            }
        }
        timeline_append_counter(builder, value->thread, value->time_ns, name, value->value);
    }
    keymap_fini(&names);
    return !failed;
}
