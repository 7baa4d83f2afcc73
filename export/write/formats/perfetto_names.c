/* perfetto_names.c - see perfetto_names.h. */
#include "perfetto_names.h"

#include "perfetto_fields.h"

#include <errno.h>
#include <stdlib.h>

bool perfetto_names_init(struct perfetto_names *names, const struct timeline *timeline)
{
    size_t count = (size_t)timeline->names.count + 1;
    *names = (struct perfetto_names){.timeline = timeline, .key_count = PERFETTO_KEY_COUNT};
    names->events = calloc(count, sizeof *names->events);
    names->keys = calloc(count, sizeof *names->keys);
    names->values = calloc(count, sizeof *names->values);
    return names->events && names->keys && names->values && proto_out_init(&names->fresh, -1, NULL);
}

void perfetto_names_fini(struct perfetto_names *names)
{
    free(names->events);
    free(names->keys);
    free(names->values);
    free(names->stacks.at);
    free(names->paths.at);
    proto_out_fini(&names->fresh);
    *names = (struct perfetto_names){0};
}

static void introduce(struct perfetto_names *names, unsigned space, uint32_t number,
                      struct text text)
{
    size_t entry = proto_begin(&names->fresh, space);
    proto_uint(&names->fresh, INTERNED_IID, number);
    proto_text(&names->fresh, INTERNED_TEXT, text);
    proto_end(&names->fresh, entry);
}

void perfetto_names_put(struct perfetto_names *names, struct proto_out *packet)
{
    if (proto_size(&names->fresh) == 0)
        return;
    proto_bytes(packet, PACKET_INTERNED_DATA, names->fresh.buffer, proto_size(&names->fresh));
    proto_empty(&names->fresh);
}

uint32_t perfetto_names_new_event(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = ++names->event_count;
    introduce(names, INTERNED_EVENTS, number, names->timeline->names.at[name]);
    return names->events[name] = number;
}

uint32_t perfetto_names_new_key(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = ++names->key_count;
    introduce(names, INTERNED_KEYS, number, names->timeline->names.at[name]);
    return names->keys[name] = number;
}

uint32_t perfetto_names_new_value(struct perfetto_names *names, uint32_t name)
{
    uint32_t number = ++names->value_count;
    introduce(names, INTERNED_STRINGS, number, names->timeline->names.at[name]);
    return names->values[name] = number;
}

static struct text text_of(const char *string)
{
    return (struct text){string, strlen(string)};
}

void perfetto_names_tell_key(struct perfetto_names *names, enum perfetto_key key)
{
#define TEXT_OF(name, text) text,
    static const char *const texts[] = {PERFETTO_KEYS(TEXT_OF)};
    names->known_keys[key] = true;
    introduce(names, INTERNED_KEYS, (uint32_t)key + 1, text_of(texts[key]));
}

void perfetto_names_tell_category(struct perfetto_names *names, enum perfetto_category category)
{
    static const char *const texts[] = {PERFETTO_CATEGORIES(TEXT_OF)};
    names->known_categories[category] = true;
    introduce(names, INTERNED_CATEGORIES, (uint32_t)category + 1, text_of(texts[category]));
}

uint32_t perfetto_names_word(struct perfetto_names *names, const char *word)
{
    for (uint32_t i = 0; i < names->word_count; i++)
        if (names->words[i] == word)
            return names->word_numbers[i];
    uint32_t number = ++names->event_count;
    introduce(names, INTERNED_EVENTS, number, text_of(word));
    if (names->word_count < PERFETTO_WORDS_MAX) {
        names->words[names->word_count] = word;
        names->word_numbers[names->word_count++] = number;
    }
    return number;
}

/* NULL: no memory. */
static uint32_t *number_at(struct perfetto_names *names, struct perfetto_numbers *numbers,
                           uint32_t index)
{
    if (index >= numbers->capacity) {
        uint32_t capacity = index < 64 ? 64 : index < UINT32_MAX / 2 ? index * 2 : UINT32_MAX;
        uint32_t *at = realloc(numbers->at, capacity * sizeof *at);
        if (!at) {
            names->fresh.error = ENOMEM;
            return NULL;
        }
        memset(at + numbers->capacity, 0, (capacity - numbers->capacity) * sizeof *at);
        *numbers = (struct perfetto_numbers){at, capacity};
    }
    return &numbers->at[index];
}

static uint32_t value_at(struct perfetto_names *names, struct perfetto_numbers *numbers,
                         uint32_t index, const char *text)
{
    uint32_t *number = number_at(names, numbers, index);
    if (!number)
        return 0;
    if (*number == 0) {
        *number = ++names->value_count;
        introduce(names, INTERNED_STRINGS, *number, text_of(text));
    }
    return *number;
}

uint32_t perfetto_names_stack(struct perfetto_names *names, uint32_t stack, const char *text)
{
    return value_at(names, &names->stacks, stack, text);
}

uint32_t perfetto_names_path(struct perfetto_names *names, uint32_t path, const char *text)
{
    return value_at(names, &names->paths, path, text);
}

bool perfetto_names_has_path(const struct perfetto_names *names, uint32_t path)
{
    return path < names->paths.capacity && names->paths.at[path];
}
