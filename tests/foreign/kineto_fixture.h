/* kineto_fixture.h - a Chrome trace read from memory, and what came of its events as text. */
#ifndef KINETO_FIXTURE_H
#define KINETO_FIXTURE_H

#include "../support/trace_fixture.h"
#include "foreign.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

class Kineto : public testing::Test
{
public:
    ~Kineto() override { timeline_destroy(timeline_); }

    /* Of a whole file. */
    const timeline *load(const std::string &json, bool partial = false)
    {
        read_error error = {};
        builder *builder = builder_begin();
        trace_file *file =
            foreign_open_memory(json.data(), json.size(), "t.json", partial, builder, &error);
        message = file ? "" : error.message;
        if (!file) {
            builder_abandon(builder);
            return nullptr;
        }
        timeline_destroy(timeline_);
        timeline_ = timeline_from_files(builder, &file, 1, &error);
        trace_file_close(file);
        EXPECT_NE(timeline_, nullptr) << error.message;
        EXPECT_EQ(findings(timeline_), expected_findings);
        return timeline_;
    }
    const timeline *events(const std::string &list)
    {
        return load("{\"traceEvents\":[" + list + "]}");
    }

    std::string name(uint32_t index) const { return timeline_->names.at[index].bytes; }

    /* "name start-end depth" of every slice. */
    std::string slices() const
    {
        std::string all;
        for (uint32_t i = 0; i < timeline_->slices.count; i++) {
            const tl_slice &slice = timeline_->slices.at[i];
            all += (i ? ", " : "") + name(slice.name) + " " + std::to_string(slice.start_ns) + "-" +
                   std::to_string(slice.end_ns) + " " + std::to_string(slice.depth);
        }
        return all;
    }
    /* "name start-end" of every call of a Python function, from the timeline's start. */
    std::string frames() const
    {
        std::string all;
        for (uint32_t i = 0; i < timeline_->frames.count; i++) {
            const tl_frame &frame = timeline_->frames.at[i];
            all += (i ? ", " : "") + name(frame.name) + " " +
                   std::to_string(frame.start_ns - timeline_->start_ns) + "-" +
                   std::to_string(frame.end_ns - timeline_->start_ns);
        }
        return all;
    }
    /* "operation < call < range ..." */
    std::map<std::string, std::string> origins() const
    {
        std::map<std::string, std::string> all;
        for (uint32_t i = 0; i < timeline_->gpus.count; i++) {
            std::string way;
            for (uint32_t j = timeline_->gpus.at[i].slice; j != TL_NONE;
                 j = timeline_->slices.at[j].parent)
                way += " < " + name(timeline_->slices.at[j].name);
            all[name(timeline_->gpus.at[i].name)] = way;
        }
        return all;
    }
    std::string attr(const std::string &slice, const std::string &key) const
    {
        for (uint32_t i = 0; i < timeline_->attrs.count; i++) {
            const tl_attr &attr = timeline_->attrs.at[i];
            if (name(timeline_->slices.at[attr.slice].name) == slice && name(attr.key) == key)
                return attr.type == PROF_ATTR_STRING ? name((uint32_t)attr.value)
                                                     : std::to_string((int64_t)attr.value);
        }
        return "none";
    }
    /* The functions that the first slice of this name was in, as the file joins them. */
    std::string stack(const std::string &slice) const
    {
        for (uint32_t i = 0; i < timeline_->slices.count; i++) {
            if (name(timeline_->slices.at[i].name) != slice)
                continue;
            uint32_t stack = stack_of_slice(timeline_, i);
            std::string all;
            uint32_t path = stack == TL_NONE ? TL_NONE : timeline_->stacks.at[stack].frames;
            for (; path != TL_NONE; path = timeline_->frame_paths.at[path].parent)
                all += (all.empty() ? "" : ";") + name(timeline_->frame_paths.at[path].name);
            return all.empty() ? "none" : all;
        }
        return "no slice";
    }
    /* Every stream with its operations. */
    std::string streams() const
    {
        std::string all;
        for (uint32_t i = 0; i < timeline_->streams.count; i++) {
            const tl_stream &stream = timeline_->streams.at[i];
            all += "device " + std::to_string((int32_t)stream.device) + " context " +
                   std::to_string(stream.context) + " stream " + std::to_string(stream.stream) +
                   ":";
            for (uint32_t j = 0; j < stream.gpu_count; j++)
                all += " " + name(timeline_->gpus.at[stream.first_gpu + j].name);
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

    std::string message, expected_findings;
    timeline *timeline_ = nullptr;
};

#endif
