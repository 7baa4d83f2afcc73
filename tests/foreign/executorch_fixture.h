/* executorch_fixture.h - files of ExecuTorch as timelines and event blocks. */
#ifndef PROF_EXECUTORCH_FIXTURE_H
#define PROF_EXECUTORCH_FIXTURE_H

#include "../support/trace_executorch.h"
#include "../support/trace_fixture.h"
#include "blocks.h"
#include "foreign.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using Bytes = std::vector<uint8_t>;

inline Bytes taken(uint8_t *bytes, size_t size)
{
    Bytes all(bytes, bytes + size);
    std::free(bytes);
    return all;
}

inline made_prof_event prof_event(const char *name, uint64_t start, uint64_t end,
                                  int32_t chain = -1, uint32_t instruction = 0)
{
    return {name, chain, instruction, start, end};
}

struct ProfBlock {
    std::string name;
    std::vector<made_prof_event> events = {};
    std::vector<made_allocator> allocators = {};
    std::vector<made_allocation> allocations = {};
    uint32_t spare = 0;
};

inline Bytes prof_buffer(const std::vector<ProfBlock> &blocks, bool big_endian = false)
{
    std::vector<made_prof_block> made;
    for (const ProfBlock &block : blocks)
        made.push_back({block.name.c_str(), block.events.data(), block.allocators.data(),
                        block.allocations.data(), (uint32_t)block.events.size(),
                        (uint32_t)block.allocators.size(), (uint32_t)block.allocations.size(),
                        block.spare});
    size_t size = 0;
    uint8_t *bytes = made_prof_buffer(made.data(), made.size(), big_endian, &size);
    return taken(bytes, size);
}

inline made_event profile(const char *name, uint64_t start, uint64_t end, int32_t instruction = 0,
                          int32_t chain = 0)
{
    made_event event = {};
    event.kind = MADE_PROFILE;
    event.name = name;
    event.chain = chain;
    event.instruction = instruction;
    event.delegate = -1;
    event.start = start;
    event.end = end;
    return event;
}

inline made_event allocation(int32_t allocator, uint64_t bytes)
{
    made_event event = {};
    event.kind = MADE_ALLOCATION;
    event.allocator = allocator;
    event.bytes = bytes;
    return event;
}

inline made_event logged(const char *name, int32_t instruction, uint8_t value)
{
    made_event event = {};
    event.kind = MADE_DEBUG;
    event.name = name;
    event.instruction = instruction;
    event.delegate = -1;
    event.value = value;
    return event;
}

struct EtRun {
    const char *name;
    std::vector<made_event> events = {};
    std::vector<const char *> allocators = {};
    int32_t input = -1;
};

inline Bytes etdump(const std::vector<EtRun> &runs, bool sized = true)
{
    std::vector<made_run> made;
    for (const EtRun &run : runs)
        made.push_back({run.name, run.input, run.allocators.data(), (uint32_t)run.allocators.size(),
                        run.events.data(), (uint32_t)run.events.size()});
    size_t size = 0;
    uint8_t *bytes = made_etdump(made.data(), (uint32_t)made.size(), sized, &size);
    return taken(bytes, size);
}

/* A file that was read; its event blocks. */
class Read
{
public:
    explicit Read(const Bytes &bytes, source_clock clock = {}, bool partial = false) : bytes_(bytes)
    {
        FILE *file = tmpfile();
        if (!bytes_.empty())
            fwrite(bytes_.data(), 1, bytes_.size(), file);
        fflush(file);
        std::string path = "/proc/self/fd/" + std::to_string(fileno(file));
        builder *builder = builder_begin();
        trace_file *opened = foreign_open_clock(path.c_str(), clock, partial, builder, &error_);
        if (opened)
            timeline_ = timeline_from_files(builder, &opened, 1, &error_);
        else
            builder_abandon(builder);
        trace_file_close(opened);
        fclose(file);
        options_.target = TIME_SCALE_NS;
        options_.wrap32 = clock.wrap32;
        EXPECT_EQ(timeline_ ? findings(timeline_) : "", "");
    }
    ~Read()
    {
        if (grouped_)
            blocks_fini(&blocks_);
        timeline_destroy(timeline_);
    }
    Read(const Read &) = delete;
    Read &operator=(const Read &) = delete;

    const timeline *operator->() const { return timeline_; }
    const timeline *get() const { return timeline_; }
    std::string error() const { return error_.message; }
    blocks_options &options() { return options_; }
    struct blocks *blocks()
    {
        if (!grouped_)
            grouped_ = blocks_init(&blocks_, timeline_, &options_);
        return &blocks_;
    }
    std::string name(uint32_t index) const
    {
        return index == TL_NONE
                   ? "-"
                   : std::string(timeline_->names.at[index].bytes, timeline_->names.at[index].size);
    }
    /* "block x2: event 1,2 event 3,4; allocator=bytes", one event block per line. */
    std::string text()
    {
        std::string all;
        for (uint32_t i = 0; i < blocks()->blocks.count; i++) {
            const event_block &block = blocks_.blocks.at[i];
            all += name(block.name) + " x" + std::to_string(block.run_count) + ":";
            for (uint32_t j = 0; j < block.row_count; j++)
                all += " " + row_text(block, blocks_.rows.at[block.first_row + j]);
            for (uint32_t j = 0; j < block.memory_count; j++) {
                const block_memory &memory = blocks_.memories.at[block.first_memory + j];
                all += "; " + name(timeline_->heaps.at[memory.heap].name) + "=" +
                       std::to_string(memory.total_bytes);
            }
            all += "\n";
        }
        return all;
    }
    std::string warnings() const
    {
        std::string all;
        for (uint32_t i = 0; i < timeline_->warnings.count; i++)
            all += std::to_string(timeline_->warnings.at[i].count) + " " +
                   name(timeline_->warnings.at[i].what) + "\n";
        return all;
    }

private:
    std::string row_text(const event_block &block, const block_row &row)
    {
        std::string text = name(blocks_.items.at[row.item].name);
        for (uint32_t i = 0; i < block.run_count; i++) {
            double value = blocks_.durations[row.first_sample + i];
            text += (i ? "," : " ") + (value == value ? std::to_string((int64_t)value) : "?");
        }
        return text;
    }

    Bytes bytes_;
    timeline *timeline_ = nullptr;
    read_error error_ = {};
    blocks_options options_ = {};
    struct blocks blocks_ = {};
    bool grouped_ = false;
};

#endif
