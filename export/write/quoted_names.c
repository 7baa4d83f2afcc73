#include "quoted_names.h"

#include "json_out.h"

#include <stdlib.h>

static const struct quoted_name nothing = {"\"\"", 2};

bool quoted_names_init(struct quoted_names *names, const struct timeline *timeline)
{
    *names = (struct quoted_names){.timeline = timeline};
    names->at = calloc(timeline->names.count + (size_t)1, sizeof *names->at);
    return names->at != NULL;
}

void quoted_names_fini(struct quoted_names *names)
{
    text_pool_fini(&names->texts);
    free(names->at);
    *names = (struct quoted_names){0};
}

struct quoted_name quoted_names_slow(struct quoted_names *names, uint32_t name)
{
    if (name >= names->timeline->names.count)
        return nothing;
    struct text text = names->timeline->names.at[name];
    char *json = malloc(text.size * JSON_ESCAPE_GROWTH + 2);
    if (!json)
        return nothing;
    size_t size = 0;
    json[size++] = '"';
    for (size_t at = 0, used; at < text.size; at += used)
        size += json_escape(text.bytes + at, text.size - at, json + size, &used);
    json[size++] = '"';
    struct text kept = text_pool_copy(&names->texts, (struct text){json, size});
    free(json);
    if (!kept.bytes)
        return nothing;
    names->at[name] = (struct quoted_name){kept.bytes, kept.size};
    return names->at[name];
}
