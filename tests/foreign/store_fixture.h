/* store_fixture.h - an event_store that becomes a timeline. */
#ifndef PROF_STORE_FIXTURE_H
#define PROF_STORE_FIXTURE_H

#include "../support/trace_fixture.h"
#include "event_store.h"
#include "format_list.h"

#include <gtest/gtest.h>

#include <string>

inline text text_of(const std::string &string)
{
    return {string.data(), string.size()};
}

class StoreTest : public testing::Test
{
public:
    StoreTest() : store_(event_store_create()) {}
    ~StoreTest() override
    {
        timeline_destroy(timeline_);
        event_store_destroy(store_);
    }
    uint32_t name(const std::string &string) { return event_store_name(store_, text_of(string)); }
    uint32_t thread(uint32_t process, uint32_t tid)
    {
        return event_store_thread(store_, process, tid);
    }
    void slice(uint32_t thread, int64_t start, int64_t end, const std::string &called,
               slice_kind kind = SLICE_RANGE, uint32_t correlation = 0)
    {
        complete_slice added = {};
        added.start_ns = start;
        added.end_ns = end;
        added.thread = thread;
        added.name = name(called);
        added.kind = (uint8_t)kind;
        added.correlation = correlation;
        added.flags = correlation ? SLICE_LAUNCHES : 0;
        added.result = TL_RESULT_UNKNOWN;
        event_store_slice(store_, &added);
    }
    void kernel(uint32_t process, int64_t start, int64_t end, const std::string &called,
                uint32_t correlation, uint32_t stream = 7)
    {
        read_gpu gpu = {};
        gpu.kind = READ_GPU_KERNEL;
        gpu.start_ns = start;
        gpu.end_ns = end;
        gpu.correlation = correlation;
        gpu.kernel.name = name(called);
        gpu.kernel.context = 1;
        gpu.kernel.stream = stream;
        gpu.kernel.priority = PROF_PRIORITY_UNKNOWN;
        event_store_gpu(store_, process, &gpu);
    }
    /* The store is the timeline's from here on. */
    const timeline *load()
    {
        std::string bytes = "x";
        read_error error = {};
        source *from = source_open_memory(bytes.data(), bytes.size(), "test", &error);
        trace_file *file = format_from_store(from, store_, 1000, &error);
        source_close(from);
        store_ = nullptr;
        EXPECT_NE(file, nullptr) << error.message;
        timeline_ = timeline_from_files(&file, 1, &error);
        EXPECT_NE(timeline_, nullptr) << error.message;
        trace_file_close(file);
        EXPECT_EQ(findings(timeline_), expected_findings);
        return timeline_;
    }
    /* "name start-end depth" of every slice, "+" before those that go on. */
    std::string slices() const
    {
        std::string all;
        for (uint32_t i = 0; i < timeline_->slices.count; i++) {
            const tl_slice &slice = timeline_->slices.at[i];
            all += (i ? ", " : "") + std::string(slice.flags & TL_CONTINUED ? "+" : "") +
                   timeline_->names.at[slice.name].bytes + " " + std::to_string(slice.start_ns) +
                   "-" + std::to_string(slice.end_ns) + " " + std::to_string(slice.depth);
        }
        return all;
    }
    std::string expected_findings;
    event_store *store_;
    timeline *timeline_ = nullptr;
};

#endif
