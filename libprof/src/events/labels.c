#include "labels.h"

#include "annotate.h"
#include "atomic.h"
#include "intern.h"
#include "memory.h"
#include "meta.h"
#include "names.h"
#include "recorder.h"
#include "registry.h"
#include "signals.h"
#include "summary.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

/* A program that draws its colours at random must not fill the name table. */
#define LABELS_MAX (1u << 18)

/* Records are labels; their numbers in the table are not their ids. */
static struct intern_table labels = {
    .slots = {1u << 12, 1u << 16, 1u << 21},
    .numbers_max = 1u << 21,
};

static bool labels_is_plain(const struct label *key)
{
    return key->name && !key->domain && !key->category && !key->flags;
}

static void labels_emit(const struct label *event)
{
    if (labels_is_plain(event))
        return;
    registry_state(event->domain, event->category);
    struct prof_rec_event_name head = {.id = (uint32_t)event->id,
                                       .name = event->name,
                                       .domain = event->domain,
                                       .category = event->category,
                                       .color = event->color,
                                       .flags = event->flags};
    meta_append(PROF_REC_EVENT_NAME, &head, sizeof head, NULL, 0);
    summary_label((uint32_t)event->id, event->domain, event->name);
}

static bool labels_equal(const void *record, const void *content)
{
    return record && labels_same(record, content);
}

static const void *labels_create(uint32_t number, const void *content)
{
    (void)number;
    const struct label *key = content;
    struct label *event = arena_alloc_uncounted(sizeof *event);
    if (!event)
        return NULL;
    *event = *key;
    event->id = names_keep(labels_is_plain(key) ? key->name : names_allocate_id());
    if (!event->id)
        return NULL;
    labels_emit(event);
    return event;
}

/* Combinations beyond the limit are refused, but not a name's plainest form. */
static bool labels_may_add(const struct label *key)
{
    return intern_count(&labels) < LABELS_MAX || (!key->category && !key->flags);
}

/* In this process's file. Its name was stated before: it is the key's. */
static void labels_state(struct label *event)
{
    uint64_t again = names_keep((uint32_t)event->id);
    if (names_is_good(event->id))
        return;
    labels_emit(event);
    store_relaxed(&event->id, again);
}

void labels_state_all(void)
{
    for (uint32_t number = 1, count = intern_count(&labels); number <= count; number++) {
        struct label *event = (struct label *)(uintptr_t)intern_record(&labels, number);
        if (event)
            labels_state(event);
    }
}

static const struct label *labels_find_or_add(const struct label *key)
{
    uint32_t hash = labels_hash(key), number = intern_find(&labels, hash, key, labels_equal);
    if (!number && labels_may_add(key))
        number = intern(&labels, hash, key, labels_equal, labels_create);
    struct label *event = (struct label *)(uintptr_t)intern_record(&labels, number);
    if (event)
        labels_state(event);
    return event;
}

const struct label *labels_intern(struct label_thread *thread, const struct label *key)
{
    const struct label *event = labels_find_or_add(key);
    if (!event) {
        loss_add(PROF_LOSS_NAMES, 1);
        struct label plain = {.name = key->name, .domain = key->domain};
        event = labels_find_or_add(&plain);
    }
    if (event && thread)
        thread->labels[labels_hash(key) % LABEL_THREAD_LABELS] = event;
    return event;
}

/* ---- what annotations need of each thread ---- */

__thread struct label_thread *label_thread_self;

static pthread_key_t label_thread_key GUEST_DATA; /* its destructor gives the memory back */
static bool label_thread_has_key GUEST_DATA;

/* A call in a later destructor makes a new one. */
static void label_thread_end(void *thread)
{
    label_thread_self = NULL;
    munmap(thread, sizeof(struct label_thread));
}

GUEST_PATH void label_thread_init(void)
{
    if (!label_thread_has_key)
        label_thread_has_key = pthread_key_create(&label_thread_key, label_thread_end) == 0;
}

/* No handler may come in between: the depth it counted would be lost. */
struct label_thread *label_thread_create(void)
{
    int saved_errno = errno;
    struct signals_saved saved;
    signals_block(&saved);
    void *memory = label_thread_self;
    if (!memory) {
        memory = mmap(NULL, sizeof(struct label_thread), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        label_thread_self = memory == MAP_FAILED ? NULL : memory;
        if (label_thread_self && label_thread_has_key)
            pthread_setspecific(label_thread_key, memory);
    }
    signals_restore(&saved);
    errno = saved_errno;
    return label_thread_self;
}

/* ---- events with a label ---- */

/* A text that the thread has not met. */
static void labelled_parse(struct labelled_name *named, const char *text, size_t bytes)
{
    if (torch_names_parse(text, bytes, &named->torch))
        bytes = named->torch.base_bytes;
    else
        named->torch.count = 0;
    named->name = names_resolve_n(&thread_self.slot->names, text, bytes);
}

void labelled_read_n(struct labelled_name *named, const char *text, size_t bytes)
{
    if (bytes <= PROF_NAME_BYTES_MAX)
        named->name = names_lookup_n(&thread_self.slot->names, text, bytes);
    if (!named->name)
        labelled_parse(named, text, bytes);
}

/* The same text usually comes from the same address again: then a hot path finds it there. */
void labelled_read(struct labelled_name *named, const char *text)
{
    struct name_cache *names = &thread_self.slot->names;
    named->name = names_lookup(names, text);
    if (named->name)
        return;
    size_t bytes = strlen(text);
    labelled_parse(named, text, bytes);
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
    enum { WORDS = PROF_REC_RANGE_BEGIN_SHORT_BYTES / 8 };
    uint64_t ticks, *record = thread_reserve_now(PROF_REC_RANGE_BEGIN, WORDS, &ticks);
    if (!record)
        return 0;
    uint64_t range = thread_next_range_id(&thread_self);
    record[1] = id;
    record[2] = range;
    thread_commit(record, PROF_REC_RANGE_BEGIN, WORDS, ticks);
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
    uint64_t ticks, *record = thread_reserve_now(PROF_REC_RANGE_END, 2, &ticks);
    if (!record)
        return;
    record[1] = id;
    thread_commit(record, PROF_REC_RANGE_END, 2, ticks);
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

/* ---- strings that are kept ---- */

/* Records are struct interned_text. */
static struct intern_table texts = {
    .slots = {1u << 12, 1u << 16, 1u << 21},
    .numbers_max = 1u << 21,
};

/* The key of a search: the bytes that are kept, in two parts, as in names.c. */
struct texts_given {
    const char *text;
    size_t begin, mark_bytes, full;
    uint32_t hash, domain;
    char mark[NAMES_MARK_BYTES];
};

static bool texts_equal(const void *record, const void *content)
{
    const struct interned_text *string = record;
    const struct texts_given *given = content;
    return string && string->hash == given->hash && string->domain == given->domain &&
           string->bytes == given->begin + given->mark_bytes &&
           string->full_bytes == (uint32_t)given->full &&
           memcmp(string->text, given->text, given->begin) == 0 &&
           memcmp(string->text + given->begin, given->mark, given->mark_bytes) == 0;
}

static const void *texts_create(uint32_t number, const void *content)
{
    (void)number;
    const struct texts_given *given = content;
    size_t bytes = given->begin + given->mark_bytes;
    struct interned_text *string = arena_alloc_uncounted(sizeof *string + bytes + 1);
    if (!string)
        return NULL;
    char *text = (char *)(string + 1); /* the terminator is there */
    memcpy(text, given->text, given->begin);
    memcpy(text + given->begin, given->mark, given->mark_bytes);
    *string = (struct interned_text){.text = text,
                                     .bytes = (uint32_t)bytes,
                                     .full_bytes = (uint32_t)given->full,
                                     .hash = given->hash,
                                     .domain = given->domain};
    return string;
}

struct interned_text *texts_intern(uint32_t domain, const char *text, size_t bytes)
{
    struct texts_given given = {.text = text, .begin = bytes, .full = bytes, .domain = domain};
    if (bytes > PROF_NAME_BYTES_MAX) {
        given.begin = names_cut(text, bytes, given.mark);
        given.mark_bytes = sizeof given.mark;
    }
    given.hash = names_hash(text, given.begin) ^ names_hash(given.mark, given.mark_bytes) ^
                 domain * 0x9e3779b9u;
    uint32_t number = intern(&texts, given.hash, &given, texts_equal, texts_create);
    if (!number)
        loss_add(PROF_LOSS_NAMES, 1);
    return (struct interned_text *)(uintptr_t)intern_record(&texts, number);
}

uint32_t texts_name(struct interned_text *string)
{
    if (!meta_has_file())
        return 0;
    uint32_t name = names_kept(&string->name);
    if (name)
        return name;
    name = string->full_bytes > string->bytes
               ? names_intern_cut(string->text, string->bytes, string->full_bytes)
               : names_intern(string->text, string->bytes);
    store_relaxed(&string->name, names_keep(name));
    return name;
}
