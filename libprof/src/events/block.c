/* block.c - profiling blocks: records that say where a block begins, and events that say at which
 * instruction their thread was. Which event belongs to which block is for the reader to find out.
 */
#define PROF_IMPLEMENTATION
#include "prof/block.h"

#include "annotate.h"
#include "session.h"
#include "thread.h"

#include <string.h>

/* One word, so that a signal handler sees the old instruction or the new one. */
static __thread uint64_t block_instruction __attribute__((tls_model("initial-exec"))) =
    (uint32_t)PROF_NO_CHAIN;

static uint64_t block_pack(struct prof_instruction instruction)
{
    return (uint32_t)instruction.chain | (uint64_t)instruction.index << 32;
}

static struct prof_instruction block_unpack(uint64_t word)
{
    return (struct prof_instruction){(int32_t)(uint32_t)word, (uint32_t)(word >> 32)};
}

struct prof_instruction prof_instruction_enter(int32_t chain, uint32_t index)
{
    uint64_t outer = load_relaxed(&block_instruction);
    store_relaxed(&block_instruction, block_pack((struct prof_instruction){chain, index}));
    return block_unpack(outer);
}

void prof_instruction_leave(struct prof_instruction outer)
{
    store_relaxed(&block_instruction, block_pack(outer));
}

uint64_t prof_event_begin(const char *name)
{
    enum { WORDS = sizeof(struct prof_rec_range_begin) / sizeof(uint64_t) };
    uint64_t ticks;
    uint32_t name_id = annotate_name(name);
    uint64_t *record = name_id ? thread_reserve_now(PROF_REC_RANGE_BEGIN, WORDS, &ticks) : NULL;
    if (!record)
        return 0;
    uint64_t id = thread_next_range_id(&thread_self);
    struct prof_instruction at = block_unpack(load_relaxed(&block_instruction));
    record[1] = name_id;
    record[2] = id;
    memcpy(&record[3], &at, sizeof record[3]);
    thread_commit(record, PROF_REC_RANGE_BEGIN, WORDS, ticks);
    return id;
}

static void block_record(uint32_t name, uint32_t flags)
{
    enum { WORDS = sizeof(struct prof_rec_block) / sizeof(uint64_t) };
    uint64_t *record = thread_reserve(PROF_REC_BLOCK, WORDS);
    if (!record)
        return;
    memcpy(&record[1], (const uint32_t[]){name, flags}, sizeof record[1]);
    thread_commit(record, PROF_REC_BLOCK, WORDS, thread_ticks(record));
}

void prof_block_create(const char *name)
{
    uint32_t name_id = annotate_name(name);
    if (name_id)
        block_record(name_id, 0);
}

void prof_block_reset(void)
{
    if (session_has_file()) /* nothing was recorded: nothing to forget */
        block_record(0, PROF_BLOCK_RESET);
}
