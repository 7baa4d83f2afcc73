/* block.h - profiling blocks: ExecuTorch's in-process profiling interface, implemented with
 * libprof.
 *
 *     #include <prof/block.h>
 *
 *     void run(void)
 *     {
 *         PROF_CREATE_BLOCK("inference");          // blocks of one name are iterations
 *         PROF_SCOPE("Method::execute");           // until the end of the scope
 *         PROF_INSTRUCTION_SCOPE(0, 7);            // chain 0, instruction 7
 *         uint64_t token = PROF_BEGIN("native_call_add.out");
 *         PROF_END(token);
 *         PROF_DUMP_RESULTS("run.etprof");         // prof buffers, version 1
 *     }
 *
 * Unlike ExecuTorch's fixed-size buffers, blocks and events are records of the trace file: they
 * cannot overflow or abort the program. Names are copied, any thread may begin or end an event, and
 * events also appear in the table and the timeline. `profdump -o OUT.etprof FILE` writes the same
 * buffers after the run.
 *
 * What prof.h says of all functions holds here, too. Nothing is recorded while recording is off: a
 * block created then does not exist.
 *
 * An event belongs to the block that was current in the process when the event began, whatever its
 * thread and wherever it ends. Events before the first block belong to block "default"; a forked
 * child starts with that block. Events that have not ended when the buffers are written are omitted
 * and counted, and so are reset ones. Blocks without events and allocations are omitted.
 *
 *     ExecuTorch                              here
 *     EXECUTORCH_PROFILE_CREATE_BLOCK         PROF_CREATE_BLOCK
 *     EXECUTORCH_BEGIN_PROF                   PROF_BEGIN
 *     EXECUTORCH_END_PROF                     PROF_END
 *     EXECUTORCH_SCOPE_PROF                   PROF_SCOPE
 *     EXECUTORCH_PROFILE_INSTRUCTION_SCOPE    PROF_INSTRUCTION_SCOPE
 *     EXECUTORCH_TRACK_ALLOCATOR              PROF_TRACK_ALLOCATOR
 *     EXECUTORCH_TRACK_ALLOCATION             PROF_TRACK_ALLOCATION
 *     EXECUTORCH_DUMP_PROFILE_RESULTS         PROF_DUMP_RESULTS
 *     EXECUTORCH_RESET_PROFILE_RESULTS        PROF_RESET_RESULTS
 */
#ifndef PROF_BLOCK_H
#define PROF_BLOCK_H

#include "prof.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PROF_NO_CHAIN (-1)
#define PROF_NO_ALLOCATOR UINT32_MAX /* -1: ignored by prof_allocation() */

/* A thread's position in the execution of a model. */
struct prof_instruction {
    int32_t chain;  /* PROF_NO_CHAIN outside of chains */
    uint32_t index; /* of the instruction within its chain */
};

PROF_DECLARE(void, prof_block_create, (const char *name));
PROF_DECLARE(void, prof_block_reset, (void));
PROF_DECLARE(uint64_t, prof_event_begin, (const char *name));
PROF_DECLARE(struct prof_instruction, prof_instruction_enter, (int32_t chain, uint32_t index));
PROF_DECLARE(void, prof_instruction_leave, (struct prof_instruction outer));
PROF_DECLARE(prof_status, prof_dump_etprof, (const char *path));

#ifndef PROF_IMPLEMENTATION

/* Begins a block. If nothing has happened in the current block, renames that block instead. */
static inline void prof_block_create(const char *name)
{
    if (prof_recording_())
        PROF_CALL(prof_block_create)(name);
}

/* Removes what the current block contains so far from the prof buffers. The timeline keeps it. */
static inline void prof_block_reset(void)
{
    if (prof_recording_())
        PROF_CALL(prof_block_reset)();
}

/* Begins an event of the current block, at the calling thread's instruction. Returns its token, or
 * 0 while recording is off; prof_event_end() ignores 0. */
static inline uint64_t prof_event_begin(const char *name)
{
    return prof_recording_() ? PROF_CALL(prof_event_begin)(name) : 0;
}

/* Ends the event. Any thread. A token that is not that of an open event is ignored and counted. */
static inline void prof_event_end(uint64_t token)
{
    prof_range_end(token);
}

/* Sets the calling thread's instruction for the events that it begins from here on. Returns the
 * previous one, for prof_instruction_leave(). Works while recording is off. */
static inline struct prof_instruction prof_instruction_enter(int32_t chain, uint32_t index)
{
    struct prof_instruction none = {PROF_NO_CHAIN, 0};
    return PROF_PRESENT(prof_instruction_enter) ? PROF_CALL(prof_instruction_enter)(chain, index)
                                                : none;
}

/* Restores the calling thread's instruction: pass what prof_instruction_enter() returned. */
static inline void prof_instruction_leave(struct prof_instruction outer)
{
    if (PROF_PRESENT(prof_instruction_leave))
        PROF_CALL(prof_instruction_leave)(outer);
}

/* Registers an allocator with prof_alloc_track(). Returns PROF_NO_ALLOCATOR where that returns
 * 0. */
static inline uint32_t prof_allocator(const char *name)
{
    uint32_t allocator = prof_alloc_track(name);
    return allocator ? allocator : PROF_NO_ALLOCATOR;
}

/* Records that the allocator handed out `bytes` bytes. */
static inline void prof_allocation(uint32_t allocator, size_t bytes)
{
    if (allocator != PROF_NO_ALLOCATOR)
        prof_alloc(allocator, NULL, bytes);
}

/* Flushes, then writes the blocks of this process so far as prof buffers of version 1. Replaces
 * `path` atomically once complete. Returns PROF_NOTHING, and writes no file, if all blocks are
 * empty. Do not call it in signal handlers. */
static inline prof_status prof_dump_etprof(const char *path)
{
    return PROF_PRESENT(prof_dump_etprof) ? PROF_CALL(prof_dump_etprof)(path) : PROF_ABSENT;
}

#endif /* PROF_IMPLEMENTATION */

#ifdef __cplusplus
} /* extern "C" */
#endif

/* ---- macros ---- */

#ifndef PROF_IMPLEMENTATION

#ifdef __cplusplus

namespace prof
{

/* An event from here to the end of the scope. */
class event
{
public:
    explicit event(const char *name) noexcept : token(prof_event_begin(name)) {}
    ~event() { prof_event_end(token); }
    event(const event &) = delete;
    event &operator=(const event &) = delete;

private:
    const uint64_t token;
};

/* Sets the thread's instruction from here to the end of the scope. */
class instruction
{
public:
    instruction(int32_t chain, uint32_t index) noexcept
        : outer(prof_instruction_enter(chain, index))
    {
    }
    ~instruction() { prof_instruction_leave(outer); }
    instruction(const instruction &) = delete;
    instruction &operator=(const instruction &) = delete;

private:
    const prof_instruction outer;
};

} /* namespace prof */

#define PROF_SCOPE_AT(name, number) const ::prof::event PROF_JOIN(prof_event_, number)(name)
#define PROF_INSTRUCTION_SCOPE_AT(chain, index, number) \
    const ::prof::instruction PROF_JOIN(prof_instruction_, number)((chain), (index))

#else

static inline void prof_event_cleanup_(const uint64_t *token)
{
    prof_event_end(*token);
}

static inline void prof_instruction_cleanup_(const struct prof_instruction *outer)
{
    prof_instruction_leave(*outer);
}

#define PROF_SCOPE_AT(name, number)                                                 \
    __attribute__((cleanup(prof_event_cleanup_), unused)) const uint64_t PROF_JOIN( \
        prof_event_, number) = prof_event_begin(name)
#define PROF_INSTRUCTION_SCOPE_AT(chain, index, number)                                       \
    __attribute__((cleanup(prof_instruction_cleanup_), unused)) const struct prof_instruction \
    PROF_JOIN(prof_instruction_, number) = prof_instruction_enter((chain), (index))

#endif

#ifndef PROF_DISABLED

#define PROF_CREATE_BLOCK(name) prof_block_create(name)
#define PROF_RESET_RESULTS() prof_block_reset()
#define PROF_DUMP_RESULTS(path) prof_dump_etprof(path)
#define PROF_BEGIN(name) prof_event_begin(name)
#define PROF_END(token) prof_event_end(token)
/* __COUNTER__ allows several scopes on one line. */
#define PROF_SCOPE(name) PROF_SCOPE_AT(name, __COUNTER__)
#define PROF_INSTRUCTION_SCOPE(chain, index) PROF_INSTRUCTION_SCOPE_AT(chain, index, __COUNTER__)
#define PROF_TRACK_ALLOCATOR(name) prof_allocator(name)
#define PROF_TRACK_ALLOCATION(allocator, bytes) prof_allocation((allocator), (bytes))

#else

/* Constants that may go unused without a warning. */
#define PROF_CONSTANT_ static inline __attribute__((always_inline, unused))
PROF_CONSTANT_ uint64_t prof_no_event_(void)
{
    return 0;
}
PROF_CONSTANT_ uint32_t prof_no_allocator_(void)
{
    return PROF_NO_ALLOCATOR;
}
PROF_CONSTANT_ prof_status prof_no_results_(void)
{
    return PROF_ABSENT;
}
#undef PROF_CONSTANT_

/* Arguments are compiled but not evaluated. */
#define PROF_CREATE_BLOCK(name) ((void)sizeof(name))
#define PROF_RESET_RESULTS() ((void)0)
#define PROF_DUMP_RESULTS(path) ((void)sizeof(path), prof_no_results_())
#define PROF_BEGIN(name) ((void)sizeof(name), prof_no_event_())
#define PROF_END(token) ((void)sizeof(token))
#define PROF_SCOPE(name) ((void)sizeof(name))
#define PROF_INSTRUCTION_SCOPE(chain, index) ((void)sizeof(chain), (void)sizeof(index))
#define PROF_TRACK_ALLOCATOR(name) ((void)sizeof(name), prof_no_allocator_())
#define PROF_TRACK_ALLOCATION(allocator, bytes) ((void)sizeof(allocator), (void)sizeof(bytes))

#endif
#endif /* PROF_IMPLEMENTATION */

#endif
