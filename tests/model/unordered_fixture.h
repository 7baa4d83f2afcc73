/* unordered_fixture.h - events in any order that become a timeline. */
#ifndef PROF_UNORDERED_FIXTURE_H
#define PROF_UNORDERED_FIXTURE_H

#include "../support/trace_fixture.h"
#include "unordered.h"

#include <gtest/gtest.h>

#include <string>

inline text text_of(const std::string &string)
{
    return {string.data(), string.size()};
}

class UnorderedTest : public testing::Test
{
public:
    UnorderedTest() : builder_(builder_begin()) { file_ = unordered_begin(builder_); }
    ~UnorderedTest() override
    {
        timeline_destroy(timeline_);
        builder_abandon(builder_);
    }
    uint32_t name(const std::string &string) { return unordered_name(file_, text_of(string)); }
    uint32_t thread(uint32_t process, uint32_t tid)
    {
        return unordered_add_thread(file_, process, tid);
    }
    void slice(uint32_t thread, int64_t start, int64_t end, const std::string &called,
               tl_slice_kind kind = TL_RANGE, uint32_t correlation = 0)
    {
        complete_slice added = {};
        added.start_ns = start;
        added.end_ns = end;
        added.thread = thread;
        added.name = name(called);
        added.kind = (uint8_t)kind;
        added.correlation = correlation;
        added.flags = correlation ? TL_LAUNCHES : 0;
        added.result = TL_RESULT_UNKNOWN;
        unordered_append_slice(file_, &added);
    }
    void kernel(uint32_t process, int64_t start, int64_t end, const std::string &called,
                uint32_t correlation, uint32_t stream = 7)
    {
        unordered_op op = {};
        op.start_ns = start;
        op.end_ns = end;
        op.correlation = correlation;
        op.process = process;
        tl_kernel kernel = {};
        kernel.name = name(called);
        kernel.context = 1;
        kernel.stream = stream;
        kernel.priority = PROF_PRIORITY_UNKNOWN;
        unordered_append_kernel(file_, &op, &kernel);
    }
    /* The builder is gone from here on. */
    const timeline *load()
    {
        uint32_t processes = unordered_process_count(file_);
        builder_set_base(builder_, 1000, 1);
        for (uint32_t i = 0; i < processes; i++) {
            tl_health health = {};
            builder_begin_process(builder_, "test", 0);
            unordered_finish_process(file_, i, &health);
            builder_end_process(builder_, &health);
        }
        timeline_ = builder_end(builder_);
        builder_ = nullptr;
        EXPECT_NE(timeline_, nullptr);
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
    builder *builder_;
    unordered *file_;
    timeline *timeline_ = nullptr;
};

#endif
