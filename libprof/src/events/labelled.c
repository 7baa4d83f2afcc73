#include "labelled.h"

#include "attrs.h"
#include "texts.h"
#include "thread.h"

#include <string.h>

void labelled_read_n(struct labelled_name *named, const char *text, size_t bytes)
{
    struct name_cache *names = &thread_self.slot->names;
    if (bytes <= PROF_NAME_BYTES_MAX)
        named->name = names_lookup_n(names, text, bytes);
    if (named->name)
        return;
    if (torch_names_parse(text, bytes, &named->torch))
        bytes = named->torch.base_bytes;
    else
        named->torch.count = 0;
    named->name = names_resolve_n(names, text, bytes);
}

/* The same text usually comes from the same address again: then a hot path finds it there. */
void labelled_read(struct labelled_name *named, const char *text)
{
    struct name_cache *names = &thread_self.slot->names;
    named->name = names_lookup(names, text);
    if (named->name)
        return;
    size_t bytes = strlen(text);
    labelled_read_n(named, text, bytes);
    if (bytes <= PROF_NAME_BYTES_MAX && !named->torch.count)
        names_resolve(names, text);
}

const struct label *labelled_label(const struct label *key)
{
    struct label_thread *thread = label_thread_get();
    const struct label *known = thread ? labels_lookup(thread, key) : NULL;
    return known && names_is_good(load_relaxed(&known->id)) ? known : labels_intern(thread, key);
}

static uint64_t labelled_begin(uint32_t id)
{
    uint64_t *record = thread_reserve(PROF_REC_RANGE_BEGIN, PROF_REC_RANGE_BEGIN_SHORT_BYTES / 8);
    if (!record)
        return 0;
    uint64_t range = thread_next_range_id(&thread_self);
    record[1] = id;
    record[2] = range;
    thread_commit(record, PROF_REC_RANGE_BEGIN, PROF_REC_RANGE_BEGIN_SHORT_BYTES / 8,
                  thread_ticks(record));
    return range;
}

uint64_t labelled_record(enum labelled_kind kind, uint32_t id, uint64_t *begun)
{
    *begun = kind == LABELLED_BEGIN ? labelled_begin(id) : 0;
    if (kind == LABELLED_BEGIN)
        return *begun;
    thread_event(&thread_self, kind == LABELLED_PUSH ? PROF_KIND_NVTX_PUSH : PROF_KIND_MARK, id);
    return kind == LABELLED_PUSH ? ATTRS_OF_RANGE : PROF_ATTR_OF_MARK;
}

void labelled_parts(uint64_t target, const struct labelled_name *named)
{
    for (size_t i = 0; i < named->torch.count; i++) {
        const struct torch_names_part *part = &named->torch.parts[i];
        struct attr_value value = {.type = part->text ? PROF_ATTR_STRING : PROF_ATTR_INT,
                                   .bits = part->text ? 0 : part->integer,
                                   .text = part->text,
                                   .bytes = part->bytes};
        attrs_write(target, part->key, &value);
    }
}

void labelled_end(uint64_t id)
{
    uint64_t *record = thread_reserve(PROF_REC_RANGE_END, 2);
    if (!record)
        return;
    record[1] = id;
    thread_commit(record, PROF_REC_RANGE_END, 2, thread_ticks(record));
}

uint64_t labelled_past(uint32_t id, uint64_t begin_ticks, uint64_t end_ticks)
{
    unsigned words = sizeof(struct prof_rec_range) / 8;
    uint64_t *space = thread_reserve(PROF_REC_RANGE, words);
    if (!space)
        return 0;
    struct prof_rec_range *record = (struct prof_rec_range *)(void *)space;
    record->name = id;
    record->id = thread_next_range_id(&thread_self);
    record->begin_ticks = begin_ticks;
    record->end_ticks = end_ticks;
    uint64_t range = record->id;
    thread_commit(space, PROF_REC_RANGE, words, thread_ticks(space));
    return range;
}
