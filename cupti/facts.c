#include "facts.h"

#include "atomic.h"

#include <stdio.h>
#include <string.h>

/* Enough for 64 devices and some thousand streams and calls; what exceeds it is stated once
 * only, which loses it just when the file does not exist yet. */
#define FACT_COUNT 4096u
#define INFO_KEYS 16u
#define INFO_BYTES 256u

struct fact {
    uint32_t ready; /* store_release when the rest is filled -> load_acquire by readers */
    uint16_t type;
    uint16_t bytes;
    uint8_t head[FACTS_BYTES_MAX];
};

static struct fact facts[FACT_COUNT];
static uint32_t fact_count; /* claimed; may pass FACT_COUNT */

static char infos[INFO_KEYS][INFO_BYTES]; /* one writer at a time; empty = not stated */

static uint32_t filled(void)
{
    uint32_t count = load_acquire(&fact_count);
    return count < FACT_COUNT ? count : FACT_COUNT;
}

static bool is_known(enum prof_record_type type, const void *head, size_t bytes)
{
    for (uint32_t i = 0, count = filled(); i < count; i++) {
        const struct fact *fact = &facts[i];
        if (load_acquire(&fact->ready) && fact->type == type && fact->bytes == bytes &&
            memcmp(fact->head, head, bytes) == 0)
            return true;
    }
    return false;
}

static void remember(enum prof_record_type type, const void *head, size_t bytes)
{
    if (load_relaxed(&fact_count) >= FACT_COUNT)
        return;
    uint32_t index = fetch_add_seq_cst(&fact_count, 1);
    if (index >= FACT_COUNT)
        return;
    struct fact *fact = &facts[index];
    fact->type = (uint16_t)type;
    fact->bytes = (uint16_t)bytes;
    memcpy(fact->head, head, bytes);
    store_release(&fact->ready, 1);
}

/* Remembered first, stated then: a file made in between states it twice, which harms nobody. */
void facts_state(enum prof_record_type type, const void *head, size_t bytes)
{
    if (bytes > FACTS_BYTES_MAX || is_known(type, head, bytes))
        return;
    remember(type, head, bytes);
    meta_append(type, head, bytes, NULL, 0);
}

void facts_info(enum prof_info_key key, const char *text)
{
    if ((unsigned)key >= INFO_KEYS)
        return;
    snprintf(infos[key], INFO_BYTES, "%s", text);
    meta_info(key, infos[key]);
}

void facts_restate(void)
{
    for (unsigned key = 0; key < INFO_KEYS; key++)
        if (infos[key][0])
            meta_info((enum prof_info_key)key, infos[key]);
    for (uint32_t i = 0, count = filled(); i < count; i++)
        if (load_acquire(&facts[i].ready))
            meta_append((enum prof_record_type)facts[i].type, facts[i].head, facts[i].bytes, NULL,
                        0);
}
