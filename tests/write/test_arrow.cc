// Tables as Arrow's C stream: what consumers may rely on, without a consumer.
#include "../stats/timeline_maker.h"

extern "C" {
#include "arrow.h"
}

#include <gtest/gtest.h>

namespace
{

class Stream
{
public:
    Stream(const timeline *of, arrow_table table)
    {
        EXPECT_TRUE(arrow_stream_init(&stream, const_cast<timeline *>(of), table, nullptr));
    }
    ~Stream() { stream.release(&stream); }
    ArrowArrayStream stream{};
};

template <typename T>
const T *values(const ArrowArray *array)
{
    return static_cast<const T *>(array->buffers[1]);
}

bool is_valid(const ArrowArray *array, int64_t row)
{
    if (!array->buffers[0])
        return true;
    return static_cast<const uint8_t *>(array->buffers[0])[row / 8] >> row % 8 & 1;
}

std::string word(const ArrowArray *array, int64_t row)
{
    uint32_t index = values<uint32_t>(array)[row];
    auto offsets = static_cast<const int64_t *>(array->dictionary->buffers[1]);
    auto bytes = static_cast<const char *>(array->dictionary->buffers[2]);
    EXPECT_LT(index, array->dictionary->length);
    return std::string(bytes + offsets[index],
                       static_cast<size_t>(offsets[index + 1] - offsets[index]));
}

int column_of(ArrowArrayStream &stream, const std::string &name)
{
    ArrowSchema schema;
    int found = -1;
    EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
    EXPECT_STREQ(schema.format, "+s");
    for (int i = 0; i < schema.n_children; i++)
        if (schema.children[i]->name == name)
            found = i;
    schema.release(&schema);
    EXPECT_EQ(schema.release, nullptr);
    return found;
}

void fill_step(TimelineMaker &m)
{
    m.push("step", 0);
    auto call = m.launch("cudaLaunchKernel", 100, 200);
    m.pop(1000);
    m.kernel("k", call, 500, 900);
}

} // namespace

TEST(Arrow, HasARowForEachThingAThreadDid)
{
    TimelineMaker m;
    fill_step(m);
    Stream s(m.done(), ARROW_EVENTS);
    ArrowArray batch;
    ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
    ASSERT_EQ(batch.length, 2);
    const ArrowArray *name = batch.children[column_of(s.stream, "name")];
    const ArrowArray *kind = batch.children[column_of(s.stream, "kind")];
    const ArrowArray *correlation = batch.children[column_of(s.stream, "correlation")];
    const ArrowArray *duration = batch.children[column_of(s.stream, "duration_ns")];
    EXPECT_EQ(word(name, 0), "step");
    EXPECT_EQ(word(name, 1), "cudaLaunchKernel");
    EXPECT_EQ(word(kind, 0), "range");
    EXPECT_EQ(word(kind, 1), "call");
    EXPECT_FALSE(is_valid(correlation, 0));
    EXPECT_TRUE(is_valid(correlation, 1));
    EXPECT_EQ(correlation->null_count, 1);
    EXPECT_EQ(values<int64_t>(duration)[0], 1000);
    batch.release(&batch);
    ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
    EXPECT_EQ(batch.release, nullptr) << "the end of the stream";
}

TEST(Arrow, KernelsNameTheRangeAroundTheirLaunch)
{
    TimelineMaker m;
    fill_step(m);
    m.kernel("orphan", TL_NONE, 2000, 2100);
    Stream s(m.done(), ARROW_KERNELS);
    ArrowArray batch;
    ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
    ASSERT_EQ(batch.length, 2);
    const ArrowArray *range = batch.children[column_of(s.stream, "range")];
    EXPECT_EQ(word(range, 0), "step");
    EXPECT_FALSE(is_valid(range, 1));
    EXPECT_FALSE(is_valid(batch.children[column_of(s.stream, "bytes")], 0));
    batch.release(&batch);
}

TEST(Arrow, LaunchesAddUpWhatTheyLaunched)
{
    TimelineMaker m;
    fill_step(m);
    m.range("no launch", 3000, 4000);
    Stream s(m.done(), ARROW_LAUNCHES);
    ArrowArray batch;
    ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
    ASSERT_EQ(batch.length, 1);
    EXPECT_EQ(values<int64_t>(batch.children[column_of(s.stream, "device_ns")])[0], 400);
    EXPECT_EQ(values<uint32_t>(batch.children[column_of(s.stream, "operations")])[0], 1u);
    batch.release(&batch);
}

TEST(Arrow, AChildLivesOnWithoutItsBatch)
{
    TimelineMaker m;
    fill_step(m);
    Stream s(m.done(), ARROW_EVENTS);
    ArrowArray batch, moved;
    int name = column_of(s.stream, "name");
    ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
    moved = *batch.children[name];
    batch.children[name]->release = nullptr;
    batch.release(&batch);
    EXPECT_EQ(word(&moved, 0), "step");
    moved.release(&moved);
}

TEST(Arrow, ComesInBatchesThatHoldEveryRowOnce)
{
    TimelineMaker m;
    const int64_t count = 2 * static_cast<int64_t>(ARROW_BATCH_ROWS) + 5;
    for (int64_t i = 0; i < count; i++)
        m.range("r", i * 10, i * 10 + 5);
    Stream s(m.done(), ARROW_EVENTS);
    int start = column_of(s.stream, "start");
    int64_t seen = 0, before = -1;
    for (;;) {
        ArrowArray batch;
        ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
        if (!batch.release)
            break;
        for (int64_t i = 0; i < batch.length; i++) {
            int64_t time = values<int64_t>(batch.children[start])[i];
            EXPECT_GT(time, before);
            before = time;
        }
        seen += batch.length;
        batch.release(&batch);
    }
    EXPECT_EQ(seen, count);
}

TEST(Arrow, NamesAreUtf8WhateverTheyWere)
{
    TimelineMaker m;
    m.range("bad \xff\xc3", 0, 1);
    Stream s(m.done(), ARROW_EVENTS);
    ArrowArray batch;
    ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
    EXPECT_EQ(word(batch.children[column_of(s.stream, "name")], 0), "bad \xef\xbf\xbd\xef\xbf\xbd");
    batch.release(&batch);
}

TEST(Arrow, OfNothingEndsAtOnce)
{
    TimelineMaker m;
    for (int table = 0; table < ARROW_TABLES; table++) {
        Stream s(m.done(), static_cast<arrow_table>(table));
        ArrowArray batch;
        ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
        EXPECT_EQ(batch.release, nullptr);
    }
}
