/* sqlite_fixture.h - databases of the samples, or of a test's own, as timelines. */
#ifndef PROF_SQLITE_FIXTURE_H
#define PROF_SQLITE_FIXTURE_H

#ifdef PROF_HAVE_SQLITE
#include "../support/sqlite_sample.h"
#include "../support/trace_fixture.h"
#include "foreign.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

class Sqlite : public testing::Test
{
public:
    Sqlite() : database_(sqlite_sample_open()) {}
    ~Sqlite() override
    {
        timeline_destroy(timeline_);
        sqlite3_close(database_);
    }
    void run(const std::string &statements) { sqlite_sample_run(database_, statements.c_str()); }
    std::vector<uint8_t> bytes()
    {
        size_t size = 0;
        uint8_t *at = sqlite_sample_bytes(database_, &size);
        std::vector<uint8_t> copy(at, at + size);
        free(at);
        return copy;
    }
    /* NULL, and error_, when it is refused. */
    const timeline *load(const std::vector<uint8_t> &file, bool partial = false)
    {
        timeline_destroy(timeline_);
        timeline_ = nullptr;
        error_ = {};
        builder *builder = builder_begin();
        trace_file *opened =
            foreign_open_memory(file.data(), file.size(), "t.sqlite", partial, builder, &error_);
        if (opened)
            timeline_ = timeline_from_files(builder, &opened, 1, &error_);
        else
            builder_abandon(builder);
        trace_file_close(opened);
        return timeline_;
    }
    const timeline *load() { return load(bytes()); }
    std::string name(uint32_t index) const
    {
        return index == TL_NONE ? "-" : timeline_->names.at[index].bytes;
    }
    std::string slice_name(uint32_t index) const
    {
        if (index == TL_NONE)
            return "-";
        const tl_slice &slice = timeline_->slices.at[index];
        return name(tl_shown_name(timeline_, slice.name, tl_slice_label(&slice)));
    }
    /* "pid/tid: name start-end" of each slice, indented by its depth. */
    std::string slices() const
    {
        std::string all;
        for (uint32_t i = 0; i < timeline_->slices.count; i++) {
            const tl_slice &slice = timeline_->slices.at[i];
            const tl_thread &thread = timeline_->threads.at[slice.thread];
            all += std::to_string(timeline_->processes.at[thread.process].info.pid) + "/" +
                   std::to_string(thread.tid) + ": " + std::string(slice.depth, '>') +
                   slice_name(i) + " " + std::to_string(slice.start_ns) + "-" +
                   std::to_string(slice.end_ns) + (slice.flags & TL_UNCLOSED ? " open" : "") + "\n";
        }
        return all;
    }
    /* "name start-end < call < range" of each operation of a device. */
    std::string operations() const
    {
        std::string all;
        for (uint32_t i = 0; i < timeline_->gpus.count; i++) {
            const tl_gpu &gpu = timeline_->gpus.at[i];
            uint32_t range =
                gpu.slice == TL_NONE ? TL_NONE : timeline_->slices.at[gpu.slice].parent;
            all += name(gpu.name) + " " + std::to_string(gpu.start_ns) + "-" +
                   std::to_string(gpu.end_ns) + " < " + slice_name(gpu.slice) + " < " +
                   slice_name(range) + "\n";
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

    sqlite3 *database_;
    timeline *timeline_ = nullptr;
    read_error error_ = {};
};

#endif
#endif
