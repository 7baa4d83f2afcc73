#include "attrs.h"

#include "atomic.h"
#include "thread.h"

#include <string.h>

/* Texts of attributes that may fill the name table: an eighth of it. Some are different each time
 * (PyTorch's input_op_ids), and names of ranges must not be lost for them. */
#define ATTRS_TEXTS_MAX (1u << 18)

static uint32_t attrs_texts; /* incremented by a thread that writes a text unknown to it */

uint64_t attrs_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint32_t attrs_text(struct name_cache *names, const char *text, size_t bytes)
{
    uint32_t id = bytes <= PROF_NAME_BYTES_MAX ? names_lookup_n(names, text, bytes) : 0;
    if (id)
        return id;
    if (load_relaxed(&attrs_texts) >= ATTRS_TEXTS_MAX) {
        loss_add(PROF_LOSS_NAMES, 1);
        return 0;
    }
    fetch_add_relaxed(&attrs_texts, 1u);
    return names_resolve_n(names, text, bytes);
}

static void attrs_put(uint64_t target, uint32_t key, enum prof_attr_type type, uint64_t bits)
{
    unsigned bytes = target ? sizeof(struct prof_rec_attr) : PROF_REC_ATTR_SHORT_BYTES;
    uint64_t *record = thread_reserve(PROF_REC_ATTR, bytes / 8);
    if (!record)
        return;
    record[1] = key | (uint64_t)type << 32;
    record[2] = bits;
    if (target)
        record[3] = target;
    thread_commit(record, PROF_REC_ATTR, bytes / 8, thread_ticks(record));
}

void attrs_write(uint64_t target, const char *key, const struct attr_value *value)
{
    struct name_cache *names = &thread_self.slot->names;
    if (!thread_ready(&thread_self))
        return;
    uint32_t key_id = names_resolve_n(names, key, strlen(key));
    uint64_t bits = value->bits;
    if (value->type == PROF_ATTR_STRING)
        bits = attrs_text(names, value->text, value->bytes);
    if (key_id && (bits || value->type != PROF_ATTR_STRING))
        attrs_put(target, key_id, value->type, bits);
}
