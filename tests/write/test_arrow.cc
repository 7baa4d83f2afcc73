// Tables as Arrow's C stream: what consumers may rely on, without a consumer.
#include "../stats/timeline_maker.h"

extern "C" {
#include "arrow_stream.h"
}

#include <gtest/gtest.h>

#include <limits>
#include <set>

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

/* The only batch of a small table, by column. */
class Table
{
public:
    Table(const timeline *of, arrow_table table, const arrow_more *more = nullptr)
    {
        EXPECT_TRUE(
            arrow_stream_init_more(&stream, const_cast<timeline *>(of), table, more, nullptr));
        EXPECT_EQ(stream.get_next(&stream, &batch), 0);
    }
    ~Table()
    {
        if (batch.release)
            batch.release(&batch);
        stream.release(&stream);
    }
    const ArrowArray *column(const std::string &name)
    {
        int at = column_of(stream, name);
        EXPECT_GE(at, 0) << name;
        EXPECT_EQ(batch.children[at]->length, batch.length);
        return batch.children[at];
    }
    template <typename T>
    T value(const std::string &name, int64_t row)
    {
        EXPECT_TRUE(is_valid(column(name), row)) << name << " " << row;
        return values<T>(column(name))[row];
    }
    int64_t number(const std::string &name, int64_t row) { return value<int64_t>(name, row); }
    bool is_null(const std::string &name, int64_t row) { return !is_valid(column(name), row); }
    std::string text(const std::string &name, int64_t row)
    {
        const ArrowArray *array = column(name);
        if (!is_valid(array, row))
            return "null";
        if (array->dictionary)
            return word(array, row);
        auto offsets = static_cast<const int64_t *>(array->buffers[1]);
        return std::string(static_cast<const char *>(array->buffers[2]) + offsets[row],
                           static_cast<size_t>(offsets[row + 1] - offsets[row]));
    }
    int64_t rows() const { return batch.length; }

private:
    ArrowArrayStream stream{};
    ArrowArray batch{};
};

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

TEST(ArrowEvents, AreATreeByTheirRows)
{
    TimelineMaker m;
    m.push("libprof's own", 0, TL_RANGE, TL_INTERNAL);
    m.pop(10);
    m.push("step", 100);
    m.push("libprof's own", 110, TL_RANGE, TL_INTERNAL);
    m.range("inner", 120, 150);
    m.pop(160);
    m.mark("here", 170);
    m.pop(200);
    m.async("free", 50, 300, 1);
    Table t(m.done(), ARROW_EVENTS);
    ASSERT_EQ(t.rows(), 4);
    EXPECT_TRUE(t.is_null("parent", 0));
    EXPECT_EQ(t.number("parent", 1), 0) << "what has no row is passed over";
    EXPECT_EQ(t.text("kind", 2), "async");
    EXPECT_TRUE(t.is_null("parent", 2));
    EXPECT_EQ(t.number("duration_ns", 2), 250);
    EXPECT_EQ(t.text("kind", 3), "mark");
    EXPECT_EQ(t.number("parent", 3), 0);
    EXPECT_EQ(t.value<uint16_t>("depth", 3), 1);
    EXPECT_EQ(t.text("thread_name", 3), "main");
    EXPECT_EQ(t.number("self_ns", 0), 70) << "the hidden range's own time is the step's";
    EXPECT_TRUE(t.is_null("self_ns", 2));
    EXPECT_TRUE(t.is_null("device_ns", 3));
    EXPECT_TRUE(t.is_null("continues", 0));
}

TEST(ArrowEvents, DeviceTimeIsThatOfAllInsideAndSelfThatOfTheInnermostRange)
{
    TimelineMaker m;
    m.push("outer", 0);
    auto first = m.launch("cudaLaunchKernel", 10, 20);
    m.push("inner", 30);
    auto second = m.launch("cudaLaunchKernel", 40, 50);
    m.pop(60);
    m.pop(100);
    m.kernel("a", first, 100, 107);
    m.kernel("b", second, 110, 210);
    Table t(m.done(), ARROW_EVENTS);
    ASSERT_EQ(t.rows(), 4);
    const int64_t device[] = {107, 7, 100, 100}, self_device[] = {7, 0, 100, 0};
    const int64_t self[] = {100 - 10 - 30, 10, 20, 10};
    for (int64_t row = 0; row < 4; row++) {
        EXPECT_EQ(t.number("device_ns", row), device[row]) << row;
        EXPECT_EQ(t.number("self_device_ns", row), self_device[row]) << row;
        EXPECT_EQ(t.number("self_ns", row), self[row]) << row;
    }
}

TEST(ArrowEvents, TimedRangesHaveTheirIntervalWithoutTimedRangesInside)
{
    TimelineMaker m;
    auto outer = m.push("outer", 0);
    m.push("untimed", 1);
    auto inner = m.range("inner", 10, 20);
    m.pop(30);
    m.pop(100);
    tl_timing timings[] = {{1000, 1500, 7, outer, 0, 0, 0}, {1100, 1300, 7, inner, 0, 0, 0}};
    timeline *made = m.done();
    made->timings.at = timings, made->timings.count = 2;
    Table t(made, ARROW_EVENTS);
    EXPECT_EQ(t.number("device_ns", 0), 500);
    EXPECT_EQ(t.number("self_device_ns", 0), 300);
    EXPECT_EQ(t.number("device_ns", 1), 200);
    EXPECT_EQ(t.number("self_device_ns", 1), 0);
    EXPECT_EQ(t.number("self_device_ns", 2), 200);
}

TEST(ArrowEvents, AttributesHaveColumnsOrAreJson)
{
    TimelineMaker m;
    auto op = m.range("aten::mm", 0, 10);
    m.attr(op, "Input Dims", "[[2, 3], [3, 4], []]");
    m.attr(op, "Sequence number", int64_t{17});
    m.attr(op, "Call stack", "a.py(3): f;b.py(1): <module>");
    m.attr(op, "flops", 48.0);
    m.attr(op, "bad", std::string("\"\x01\xff"));
    m.attr(op, "big", int64_t{-9007199254740993});
    m.attr(op, "nan", std::numeric_limits<double>::quiet_NaN());
    m.attr(op, "again", int64_t{1});
    m.attr(op, "again", 0.1);
    auto old = m.range("backward", 20, 30);
    m.attr(old, "stashed_seq", int64_t{5});
    m.attr(old, "seq", int64_t{9});
    m.attr(old, "sizes", int64_t{3}); /* no text: no shapes */
    m.range("nothing", 40, 50);
    auto said = m.range("said", 60, 70);
    m.attr(said, "seq", int64_t{-1});
    m.attr(said, "flops", -3.0);
    Table t(m.done(), ARROW_EVENTS);
    EXPECT_EQ(t.text("shapes", 0), "[[2, 3], [3, 4], []]");
    EXPECT_EQ(t.number("sequence", 0), 17);
    EXPECT_EQ(t.text("stack", 0), "a.py(3): f;b.py(1): <module>");
    EXPECT_EQ(t.value<double>("flops", 0), 48);
    EXPECT_EQ(
        t.text("attributes", 0),
        "{\"bad\":\"\\\"\\u0001\\ufffd\",\"big\":-9007199254740993,\"nan\":null,\"again\":0.1}");
    EXPECT_EQ(t.number("sequence", 1), 5);
    EXPECT_EQ(t.text("attributes", 1), "{\"seq\":9,\"sizes\":3}");
    EXPECT_TRUE(t.is_null("shapes", 1));
    for (auto name : {"shapes", "sequence", "stack", "flops", "attributes"})
        EXPECT_TRUE(t.is_null(name, 2)) << name;
    EXPECT_EQ(t.text("attributes", 3), "{\"seq\":-1,\"flops\":-3}");
}

TEST(ArrowEvents, WithoutAttributesHaveNone)
{
    TimelineMaker m;
    fill_step(m);
    Table t(m.done(), ARROW_EVENTS);
    EXPECT_TRUE(t.is_null("attributes", 0));
    EXPECT_EQ(t.column("attributes")->n_buffers, 3);
    EXPECT_NE(t.column("attributes")->buffers[2], nullptr);
    EXPECT_TRUE(t.is_null("host_bytes", 0));
}

TEST(ArrowEvents, FlopsOfTheCallerComeBeforeTheAttribute)
{
    TimelineMaker m;
    auto first = m.range("aten::mm", 0, 10);
    m.attr(first, "flops", 1.0);
    auto second = m.range("aten::mm", 10, 20);
    m.attr(second, "flops", 2.0);
    const double flops[] = {48, std::numeric_limits<double>::quiet_NaN()};
    arrow_more more{};
    more.flops = flops;
    Table t(m.done(), ARROW_EVENTS, &more);
    EXPECT_EQ(t.value<double>("flops", 0), 48);
    EXPECT_EQ(t.value<double>("flops", 1), 2);
}

TEST(ArrowEvents, ABatchEndsWithEnoughOfTheirAttributes)
{
    TimelineMaker m;
    std::string large(1 << 20, 'x');
    const int64_t count = 20;
    for (int64_t i = 0; i < count; i++)
        m.attr(m.range("r", i * 10, i * 10 + 5), "text", large);
    Stream s(m.done(), ARROW_EVENTS);
    int at = column_of(s.stream, "attributes"), start = column_of(s.stream, "start");
    int64_t seen = 0, batches = 0;
    for (;; batches++) {
        ArrowArray batch;
        ASSERT_EQ(s.stream.get_next(&s.stream, &batch), 0);
        if (!batch.release)
            break;
        auto offsets = values<int64_t>(batch.children[at]);
        EXPECT_LE(offsets[batch.length], ARROW_BATCH_TEXT_BYTES + (2 << 20));
        for (int i = 0; i < batch.n_children; i++)
            EXPECT_EQ(batch.children[i]->length, batch.length);
        EXPECT_EQ(values<int64_t>(batch.children[start])[0] % 1000, seen * 10);
        seen += batch.length;
        batch.release(&batch);
    }
    EXPECT_EQ(seen, count);
    EXPECT_GT(batches, 1);
}

TEST(ArrowNames, AreInTheDictionaryOnce)
{
    TimelineMaker m;
    m.range("range", 0, 1); /* what the kind is called, too */
    m.range("a\xff", 2, 3); /* equal when mended */
    m.range("a\xfe", 4, 5);
    m.range("", 6, 7);
    Table t(m.done(), ARROW_EVENTS);
    const ArrowArray *dictionary = t.column("name")->dictionary;
    auto offsets = static_cast<const int64_t *>(dictionary->buffers[1]);
    auto bytes = static_cast<const char *>(dictionary->buffers[2]);
    std::set<std::string> seen;
    for (int64_t i = 0; i < dictionary->length; i++)
        EXPECT_TRUE(seen.emplace(bytes + offsets[i], bytes + offsets[i + 1]).second) << i;
    EXPECT_EQ(t.text("name", 0), "range");
    EXPECT_EQ(t.text("kind", 0), "range");
    EXPECT_EQ(t.text("name", 1), t.text("name", 2));
    EXPECT_EQ(t.text("name", 3), "");
}

TEST(ArrowKernels, KnowTheCallThatLaunchedThem)
{
    TimelineMaker m;
    m.push("libprof's own", 0, TL_RANGE, TL_INTERNAL);
    m.pop(10);
    fill_step(m);
    m.kernel("orphan", TL_NONE, 2000, 2100);
    timeline *made = m.done();
    m.kernels[0].graph = 3, m.kernels[0].graph_node = UINT64_C(5) << 32;
    Table t(made, ARROW_KERNELS);
    EXPECT_EQ(t.number("event", 0), 1);
    EXPECT_EQ(t.value<uint32_t>("tid", 0), 101u);
    EXPECT_EQ(t.number("queue_ns", 0), 300);
    EXPECT_EQ(t.value<uint32_t>("graph", 0), 3u);
    EXPECT_EQ(t.value<uint64_t>("node", 0), UINT64_C(5) << 32);
    for (auto name : {"event", "tid", "queue_ns", "graph", "node"})
        EXPECT_TRUE(t.is_null(name, 1)) << name;
    Table launches(made, ARROW_LAUNCHES);
    EXPECT_EQ(launches.number("event", 0), 1);
}

TEST(ArrowCounters, AreCountersAndChangesOfMemory)
{
    TimelineMaker m;
    auto device = m.name("device"), arena = m.name("arena");
    m.push("outer", 0);
    auto inner = m.range("inner", 10, 20);
    m.pop(100);
    m.counter("loss", 50, 0.25);
    tl_heap heaps[] = {{0, 0, 0, device, 3}, {0, TL_NONE, 1, arena, 0}};
    tl_memory memories[] = {
        {15, 60, 4096, 100, 0, inner, 0, 0, 0, TL_NONE, 0},
        {70, TL_MEMORY_LIVE, 0, 7, 1, TL_NONE, TL_NONE, TL_NONE, TL_NONE, TL_NONE, 0}};
    tl_memory_event events[] = {{15, 0, 0, 0}, {60, 0, 0, 1}, {70, 0, 1, 0}};
    timeline *made = m.done();
    made->heaps.at = heaps, made->heaps.count = 2;
    made->memories.at = memories, made->memories.count = 2;
    made->memory_events.at = events, made->memory_events.count = 3;
    Table t(made, ARROW_COUNTERS);
    ASSERT_EQ(t.rows(), 4);
    EXPECT_EQ(t.text("kind", 0), "counter");
    EXPECT_EQ(t.text("name", 0), "loss");
    EXPECT_EQ(t.value<double>("value", 0), 0.25);
    for (auto name : {"device", "bytes", "address", "event"})
        EXPECT_TRUE(t.is_null(name, 0)) << name;
    EXPECT_EQ(t.text("kind", 1), "memory");
    EXPECT_EQ(t.text("name", 1), "device");
    EXPECT_EQ(t.value<double>("value", 1), 100);
    EXPECT_EQ(t.number("bytes", 2), -100);
    EXPECT_EQ(t.value<double>("value", 2), 0);
    EXPECT_EQ(t.number("event", 1), 1);
    EXPECT_EQ(t.number("event", 2), 0);
    EXPECT_EQ(t.value<uint64_t>("address", 2), 4096u);
    EXPECT_EQ(t.text("name", 3), "arena");
    for (auto name : {"tid", "device", "address", "event"})
        EXPECT_TRUE(t.is_null(name, 3)) << name;
    Table ranges(made, ARROW_EVENTS);
    EXPECT_EQ(ranges.number("device_bytes", 1), 100);
    EXPECT_EQ(ranges.number("device_bytes", 0), 0) << "what was freed outside of the inner range";
    EXPECT_EQ(ranges.number("host_bytes", 0), 0);
}
