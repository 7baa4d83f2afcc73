/* block_fixture.h - profiling blocks for traces made by hand: see trace_fixture.h. Times are below
 * 2^40 ns, in the log's first chunk. */
#ifndef PROF_BLOCK_FIXTURE_H
#define PROF_BLOCK_FIXTURE_H

#include "trace_fixture.h"

#include <cstring>

class BlockTrace : public Trace
{
public:
    BlockTrace() { thread(1).log(0, 1); }

    BlockTrace &on(uint32_t number)
    {
        thread(number);
        log(number - 1, number);
        return *this;
    }
    BlockTrace &block(int64_t time, const char *text)
    {
        return record(PROF_REC_BLOCK, time, {name(text)});
    }
    BlockTrace &reset(int64_t time)
    {
        return record(PROF_REC_BLOCK, time, {uint64_t{PROF_BLOCK_RESET} << 32});
    }
    BlockTrace &begin(int64_t time, const char *text, uint64_t id, int32_t chain = -1,
                      uint32_t instruction = 0)
    {
        uint64_t where = static_cast<uint32_t>(chain) | uint64_t{instruction} << 32;
        return record(PROF_REC_RANGE_BEGIN, time, {name(text), id, where});
    }
    BlockTrace &end(int64_t time, uint64_t id) { return record(PROF_REC_RANGE_END, time, {id}); }
    BlockTrace &event(int64_t start, int64_t end_time, const char *text)
    {
        uint64_t id = ++ids;
        return begin(start, text, id).end(end_time, id);
    }
    BlockTrace &allocator(uint32_t number, const char *text)
    {
        prof_rec_allocator allocator = {};
        allocator.header =
            PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_ALLOCATOR, sizeof allocator / 8, 0);
        allocator.allocator = number;
        allocator.name = name(text);
        trace_builder_meta(raw(), &allocator, sizeof allocator);
        return *this;
    }
    BlockTrace &alloc(int64_t time, uint32_t number, uint64_t bytes)
    {
        return record(PROF_REC_ALLOC, time, {0, bytes, number});
    }

private:
    BlockTrace &record(prof_record_type type, int64_t time, std::vector<uint64_t> payload)
    {
        trace_builder_ext(raw(), type, static_cast<uint64_t>(time), payload.data(),
                          static_cast<unsigned>(payload.size()));
        return *this;
    }

    uint64_t ids = uint64_t{1} << 40;
};

/* "name: event event; allocator=bytes", one block per line. An event without end has a "?". */
inline std::string block_list(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->blocks.count; i++) {
        const tl_block &block = t->blocks.at[i];
        text += std::string(t->names.at[block.name].bytes) + ":";
        for (uint32_t j = block.first_event; j < block.first_event + block.event_count; j++) {
            const tl_async &range = t->asyncs.at[t->block_events.at[j].async];
            text += std::string(" ") + t->names.at[range.name].bytes +
                    (range.flags & TL_UNCLOSED ? "?" : "");
        }
        for (uint32_t j = block.first_alloc; j < block.first_alloc + block.alloc_count; j++) {
            const tl_block_alloc &alloc = t->block_allocs.at[j];
            text += std::string(" ") + t->names.at[t->heaps.at[alloc.heap].name].bytes + "=" +
                    std::to_string(alloc.bytes);
        }
        text += "\n";
    }
    return text;
}

#endif
