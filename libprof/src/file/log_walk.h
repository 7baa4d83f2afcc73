/* log_walk.h - walks the process's own logs while threads write them.
 *
 * A walk keeps its place itself; nothing here has a state. The caller's signals are blocked.
 */
#ifndef PROF_LOG_WALK_H
#define PROF_LOG_WALK_H

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_WALK_WORDS (PROF_CHUNK_BYTES / 8)
#define LOG_WALK_HEADER_WORDS (PROF_CHUNK_HEADER_BYTES / 8)

/* A LOG chunk, or a part of a PARTS chunk. */
struct log_walk_chunk {
    uint64_t sequence;
    uint64_t base_ticks;  /* of its records */
    uint64_t begin_ticks; /* when it was begun */
    uint32_t log, number; /* number: of the chunk in the file */
    uint32_t thread, epoch;
    uint16_t begin, end; /* words of the chunk with its records */
    bool first;          /* its log is walked before those without */
};

/* Stores the LOG chunks and parts among the chunks [from, end) that `keep` accepts (NULL: all), by
 * log and sequence, and returns how many, at most `room`. `keep` may set `first`. */
size_t log_walk_find(uint64_t from, uint64_t end, struct log_walk_chunk *chunks, size_t room,
                     bool (*keep)(struct log_walk_chunk *chunk));

/* Copies the words [at, end of the chunk or part) to their places in `words`. False: it is not that
 * chunk any more. */
bool log_walk_read(const struct log_walk_chunk *chunk, uint32_t at, uint64_t words[LOG_WALK_WORDS]);

/* Words to the next record. */
static inline unsigned log_walk_size(uint64_t word)
{
    unsigned kind = PROF_WORD_KIND(word);
    bool sized = kind == PROF_KIND_EXT || kind == PROF_KIND_HOLE;
    return sized && PROF_WORD_SIZE(word) ? PROF_WORD_SIZE(word) : 1;
}

/* Whether a record begins at the word: one that was taken and not stored is EMPTY or a HOLE. */
static inline bool log_walk_is_stored(uint64_t word)
{
    return PROF_WORD_KIND(word) != PROF_KIND_EMPTY && PROF_WORD_KIND(word) != PROF_KIND_HOLE;
}

/* Whether it is a device's record: these have no ticks. */
static inline bool log_walk_is_device(uint64_t word)
{
    return PROF_WORD_KIND(word) == PROF_KIND_EXT && PROF_WORD_TYPE(word) >= PROF_REC_KERNEL &&
           PROF_WORD_TYPE(word) < PROF_REC_NAME;
}

/* Calls `see` for each record in the words [at, end), and for what is not stored before the last
 * one that is, until `see` returns false. Returns where it stopped: at that record, or at the end
 * of what is stored. */
typedef bool log_walk_see(void *state, const uint64_t *record, unsigned words);
uint32_t log_walk_records(const uint64_t words[LOG_WALK_WORDS], uint32_t at, uint32_t end,
                          log_walk_see *see, void *state);

enum log_walk_kind {
    LOG_WALK_NOTHING,
    LOG_WALK_THREAD, /* value: index, w1's high half: OS tid */
    LOG_WALK_THREAD_END,
    LOG_WALK_EPOCH,       /* value: the epoch */
    LOG_WALK_RANGE_BEGIN, /* value: name */
    LOG_WALK_RANGE_END,   /* value: domain if it is NVTX's */
    LOG_WALK_STEP,        /* value: number; the step before ends */
    LOG_WALK_ATTR,
    LOG_WALK_CALL_BEGIN, /* value: w1 of struct prof_rec_api_enter */
    LOG_WALK_CALL_END,   /* value: correlation id */
    LOG_WALK_DEVICE,     /* log_walk_is_device() */
};

struct log_walk_event {
    enum log_walk_kind kind;
    bool nvtx; /* the range */
    uint64_t value;
};

struct log_walk_event log_walk_event(const uint64_t *record, unsigned words);

/* Whether something ended by it: a range, a step, a CUDA call that succeeded, an operation of a
 * device. */
bool log_walk_is_progress(const uint64_t *record);

#endif
