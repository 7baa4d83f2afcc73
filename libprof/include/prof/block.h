/* block.h - profiling blocks: the in-process profiling interface of ExecuTorch, on libprof.
 *
 *     #include <prof/block.h>
 *
 *     void run(void)
 *     {
 *         PROF_CREATE_BLOCK("inference");          // blocks of one name are iterations
 *         PROF_SCOPE("Method::execute");           // until the end of the scope
 *         PROF_INSTRUCTION_SCOPE(0, 7);            // where in which chain the thread is
 *         uint64_t token = PROF_BEGIN("native_call_add.out");
 *         PROF_END(token);
 *         PROF_DUMP_RESULTS("run.etprof");         // prof buffers, version 1
 *     }
 *
 * Blocks and events are records of the trace file like everything else: nothing can overflow, abort
 * or be converted twice, names are copied, any thread may begin and end, and each event is also in
 * the table and in the timeline. `profdump --etprof OUT FILE` writes the same buffers afterwards.
 *
 * The promises of prof.h hold here too. What happens while recording is off is not recorded: a
 * block that is created then is none.
 *
 * Which block an event belongs to: the one of its process that was current when the event began, on
 * whatever thread, and wherever it ends. What comes before the first block is in block "default"; a
 * forked child begins with that one. An event that has not ended when the buffers are written is
 * left out and counted, as is what has been reset; a block without events and allocations is left
 * out.
 *
 * From ExecuTorch's names to these: EXECUTORCH_PROFILE_CREATE_BLOCK PROF_CREATE_BLOCK,
 * EXECUTORCH_BEGIN_PROF PROF_BEGIN, EXECUTORCH_END_PROF PROF_END, EXECUTORCH_SCOPE_PROF PROF_SCOPE,
 * EXECUTORCH_PROFILE_INSTRUCTION_SCOPE PROF_INSTRUCTION_SCOPE, EXECUTORCH_TRACK_ALLOCATOR
 * PROF_TRACK_ALLOCATOR, EXECUTORCH_TRACK_ALLOCATION PROF_TRACK_ALLOCATION,
 * EXECUTORCH_DUMP_PROFILE_RESULTS PROF_DUMP_RESULTS, EXECUTORCH_RESET_PROFILE_RESULTS
 * PROF_RESET_RESULTS.
 */
#ifndef PROF_BLOCK_H
#define PROF_BLOCK_H

#include "prof.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PROF_NO_CHAIN (-1)
#define PROF_NO_ALLOCATOR UINT32_MAX /* -1: ignored by prof_allocation() */

/* Where in the execution of a model a thread is. */
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

/* Begins a block. One in which nothing happened so far gets the new name instead. */
static inline void prof_block_create(const char *name)
{
    if (prof_recording_())
        prof_block_create_in_library(name);
}

/* Forgets what the current block holds so far: it is not in prof buffers any more. The timeline
 * keeps it. */
static inline void prof_block_reset(void)
{
    if (prof_recording_())
        prof_block_reset_in_library();
}

/* Begins an event of the current block, at the calling thread's instruction. Returns its token,
 * never 0 while recording; 0 (which prof_event_end ignores) while not. */
static inline uint64_t prof_event_begin(const char *name)
{
    return prof_recording_() ? prof_event_begin_in_library(name) : 0;
}

/* Ends the event, from any thread. A token that is no open event's is counted. */
static inline void prof_event_end(uint64_t token)
{
    prof_range_end(token);
}

/* Events that the calling thread begins from here on are at this instruction. Returns where it was,
 * for prof_instruction_leave(). Also while recording is off. */
static inline struct prof_instruction prof_instruction_enter(int32_t chain, uint32_t index)
{
    struct prof_instruction none = {PROF_NO_CHAIN, 0};
    return PROF_PRESENT(prof_instruction_enter) ? prof_instruction_enter_in_library(chain, index)
                                                : none;
}

static inline void prof_instruction_leave(struct prof_instruction outer)
{
    if (PROF_PRESENT(prof_instruction_leave))
        prof_instruction_leave_in_library(outer);
}

/* A number for the allocator, as prof_alloc_track(); PROF_NO_ALLOCATOR where that gives none. */
static inline uint32_t prof_allocator(const char *name)
{
    uint32_t allocator = prof_alloc_track(name);
    return allocator ? allocator : PROF_NO_ALLOCATOR;
}

/* The allocator handed out memory. */
static inline void prof_allocation(uint32_t allocator, size_t bytes)
{
    if (allocator != PROF_NO_ALLOCATOR)
        prof_alloc(allocator, NULL, bytes);
}

/* Flushes, then writes the blocks of this process so far as prof buffers of version 1; replaces
 * `path` at once when complete. PROF_NOTHING, and no file, when no block holds anything. Not for
 * signal handlers. */
static inline prof_status prof_dump_etprof(const char *path)
{
    return PROF_PRESENT(prof_dump_etprof) ? prof_dump_etprof_in_library(path) : PROF_ABSENT;
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

/* The thread is at an instruction from here to the end of the scope. */
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
/* Any number of scopes may be opened on a line. */
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
