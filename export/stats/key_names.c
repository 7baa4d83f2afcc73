/* key_names.c - one look at each name. */
#include "key_names.h"

#include <stdlib.h>
#include <string.h>

static const char step_prefix[] = "ProfilerStep#";
static const char step_name[] = "ProfilerStep*";
static const char unnamed_name[] = "(unnamed)";

static bool is_step(struct text name)
{
    size_t prefix = sizeof step_prefix - 1;
    if (name.size <= prefix || memcmp(name.bytes, step_prefix, prefix) != 0)
        return false;
    for (size_t i = prefix; i < name.size; i++)
        if (name.bytes[i] < '0' || name.bytes[i] > '9')
            return false;
    return true;
}

static uint32_t key_of(const struct key_names *keys, uint32_t name)
{
    struct text text = keys->timeline->names.at[name];
    if (text.size == 0)
        return keys->key_unnamed;
    return is_step(text) ? keys->key_step : name;
}

bool key_names_init(struct key_names *keys, const struct timeline *timeline)
{
    uint32_t count = timeline->names.count;
    *keys = (struct key_names){
        .timeline = timeline,
        .name_count = count,
        .key_step = count,
        .key_unnamed = count + 1,
        .key_count = count + 2,
    };
    keys->key_of_name = malloc((count + (size_t)1) * sizeof *keys->key_of_name);
    if (!keys->key_of_name)
        return false;
    for (uint32_t name = 0; name < count; name++)
        keys->key_of_name[name] = key_of(keys, name);
    return true;
}

void key_names_fini(struct key_names *keys)
{
    free(keys->key_of_name);
    *keys = (struct key_names){0};
}

struct text key_names_text(const struct key_names *keys, uint32_t key)
{
    if (key == keys->key_step)
        return (struct text){step_name, sizeof step_name - 1};
    if (key >= keys->name_count)
        return (struct text){unnamed_name, sizeof unnamed_name - 1};
    return keys->timeline->names.at[key];
}
