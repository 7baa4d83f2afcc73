/* test_trace_window.cc - of a window only what belongs to it is read: the result is that of reading
 * everything and restricting it. */
#include "../support/random_trace.h"

#include "timeline_restrict.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <map>

namespace
{

std::string name_of(const timeline *t, uint32_t name)
{
    return name == TL_NONE ? "-" : t->names.at[name].bytes;
}

/* A line of numbers. */
std::string line(const std::string &what, std::initializer_list<int64_t> numbers)
{
    std::string text = what;
    for (int64_t number : numbers)
        text += " " + std::to_string(number);
    return text + "\n";
}

template <class Attrs>
std::string attrs_of(const timeline *t, const char *what, const Attrs &attrs)
{
    std::string text;
    for (uint32_t i = 0; i < attrs.count; i++) {
        const tl_attr &attr = attrs.at[i];
        std::string value = attr.type == PROF_ATTR_STRING
                                ? name_of(t, static_cast<uint32_t>(attr.value))
                                : std::to_string(attr.value);
        text += line(what + (" " + name_of(t, attr.key) + " " + value), {attr.slice});
    }
    return text;
}

std::string threads_of(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->slices.count; i++) {
        const tl_slice &s = t->slices.at[i];
        text += line("slice " + name_of(t, s.name), {s.start_ns, s.end_ns, s.parent, s.thread,
                                                     s.depth, s.kind, s.flags, s.gpu_count});
    }
    for (uint32_t i = 0; i < t->segments.count; i++)
        text += line("segment", {t->segments.at[i].slice, t->segments.at[i].first});
    for (uint32_t i = 0; i < t->marks.count; i++)
        text += line("mark " + name_of(t, t->marks.at[i].name),
                     {t->marks.at[i].time_ns, t->marks.at[i].slice});
    for (uint32_t i = 0; i < t->counters.count; i++)
        text += line("counter " + name_of(t, t->counters.at[i].name), {t->counters.at[i].time_ns});
    for (uint32_t i = 0; i < t->asyncs.count; i++) {
        const tl_async &a = t->asyncs.at[i];
        text += line("async " + name_of(t, a.name),
                     {a.start_ns, a.end_ns, static_cast<int64_t>(a.id), a.flags, a.end_thread});
    }
    for (uint32_t i = 0; i < t->frames.count; i++) {
        const tl_frame &f = t->frames.at[i];
        text += line("frame " + name_of(t, f.name), {f.start_ns, f.end_ns, f.parent, f.thread});
    }
    return text + attrs_of(t, "attr", t->attrs) + attrs_of(t, "mark_attr", t->mark_attrs) +
           attrs_of(t, "async_attr", t->async_attrs);
}

std::string devices_of(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->gpus.count; i++) {
        const tl_gpu &g = t->gpus.at[i];
        text += line("gpu " + name_of(t, g.name),
                     {g.start_ns, g.end_ns, g.slice, g.correlation, g.kind, g.flags});
    }
    for (uint32_t i = 0; i < t->timings.count; i++) {
        const tl_timing &timing = t->timings.at[i];
        text += line("timing", {timing.start_ns, timing.end_ns, timing.slice});
    }
    for (uint32_t i = 0; i < t->memories.count; i++) {
        const tl_memory &m = t->memories.at[i];
        text += line("memory", {m.start_ns, m.end_ns, m.slice, static_cast<int64_t>(m.bytes)});
    }
    for (uint32_t i = 0; i < t->migrations.count; i++)
        text += line("migration", {t->migrations.at[i].start_ns, t->migrations.at[i].slice});
    for (uint32_t i = 0; i < t->graph_launches.count; i++)
        text += line("graph launch", {t->graph_launches.at[i].slice});
    for (uint32_t i = 0; i < t->captured.count; i++)
        text += line("captured", {t->captured.at[i].gpu, t->captured.at[i].when});
    for (uint32_t i = 0; i < t->waits.count; i++)
        text += line("wait", {t->waits.at[i].gpu});
    std::map<int64_t, int64_t> unrecorded; /* for whatever cause */
    for (uint32_t i = 0; i < t->unrecorded.count; i++)
        unrecorded[t->unrecorded.at[i].slice] += t->unrecorded.at[i].count;
    for (const auto &of : unrecorded)
        text += line("unrecorded", {of.first, of.second});
    return text;
}

std::string whole_of(const timeline *t)
{
    const tl_process &process = t->processes.at[0];
    const tl_anomalies &odd = process.odd;
    std::string text =
        line("extent", {t->start_ns, t->end_ns, t->origin_ns, t->shown_from_ns, t->shown_to_ns});
    for (uint64_t number :
         {process.health.records, process.health.clamped_times, odd.unmatched_api_exits,
          odd.open_api_calls, odd.homeless_attrs, odd.missing_names, odd.zero_time_gpu,
          odd.uncut_ranges, odd.unopened_frames, odd.stray_timings, odd.unread_timings})
        text += line("odd", {static_cast<int64_t>(number)});
    for (uint32_t i = 0; i < t->ledger_rows.count; i++) {
        const tl_ledger_row &row = t->ledger_rows.at[i];
        uint32_t stream = row.stream == TL_NONE ? TL_NONE : t->streams.at[row.stream].stream;
        text +=
            line("ledger", {row.kind, row.graph, stream, static_cast<int64_t>(row.recorded),
                            static_cast<int64_t>(row.orphans), static_cast<int64_t>(row.outside)});
    }
    for (uint32_t i = 0; i < t->samples.count; i++)
        text += line("sample", {t->samples.at[i].time_ns, t->samples.at[i].thread});
    for (uint32_t i = 0; i < t->threads.count; i++)
        text += line("thread", {static_cast<int64_t>(t->threads.at[i].unopened),
                                static_cast<int64_t>(t->threads.at[i].unclosed)});
    return text;
}

/* What both ways to read a window give. */
void expect_same(Trace &trace, int64_t from, int64_t to)
{
    timeline *whole = const_cast<timeline *>(trace.load());
    ASSERT_NE(whole, nullptr) << trace.error();
    ASSERT_TRUE(timeline_restrict(whole, from, to));
    std::string threads = threads_of(whole), devices = devices_of(whole), facts = whole_of(whole);
    timeline *part = trace.load_window(from, to);
    ASSERT_NE(part, nullptr) << trace.error();
    ASSERT_TRUE(timeline_restrict(part, from, to));
    ASSERT_EQ(threads_of(part), threads) << from << " to " << to;
    ASSERT_EQ(devices_of(part), devices) << from << " to " << to;
    ASSERT_EQ(whole_of(part), facts) << from << " to " << to;
}

TEST(TraceWindow, GivesWhatAllOfARandomTraceGives)
{
    std::mt19937_64 random(5);
    for (unsigned seed = 1; seed <= 15; seed++) {
        RandomTrace trace(seed, 3);
        for (unsigned i = 0; i < 40; i++) {
            int64_t from = static_cast<int64_t>(random() % 32000),
                    to = from + 1 + static_cast<int64_t>(random() % 12000);
            expect_same(trace, i % 8 == 0 ? INT64_MIN : from, i % 8 == 1 ? INT64_MAX : to);
        }
    }
}

TEST(TraceWindow, GivesWhatAllOfATraceWithOneOfEverythingGives)
{
    Trace trace(trace_builder_sample());
    for (auto [from, to] : windows_of_sample())
        expect_same(trace, from, to);
}

TEST(TraceWindow, HoldsNothingOfWhatEndedBeforeItOrBeganAfterIt)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1).push(0, "all");
    for (uint32_t i = 1; i < 100; i++) {
        int64_t time = i * 100;
        trace.push(time, "outer").push(time + 10, "inner");
        trace.launch(time + 20, time + 30, i).pop(time + 40).pop(time + 50);
        trace.kernel(time + 60, time + 70, i);
        trace_builder_begin(trace.raw(), time + 80, trace.name("r"), i);
        trace_builder_end(trace.raw(), time + 90, i);
    }
    trace.pop(10000);
    const timeline *t = trace.load_window(5000, 5200); /* not restricted yet */
    EXPECT_EQ(t->slices.count, 7u) << "two of each, and what is around them";
    EXPECT_EQ(t->gpus.count, 2u);
    EXPECT_EQ(t->asyncs.count, 2u);
    EXPECT_EQ(t->origin_ns, 0);
    EXPECT_EQ(t->end_ns, 10000);
}

TEST(TraceWindow, HasStepsOnlyWhereItIsEmpty)
{
    RandomTrace trace(2, 6);
    const timeline *t = trace.load();
    int64_t start = t->start_ns, end = t->end_ns;
    std::string steps;
    auto add_steps = [](const timeline *of, std::string &text) {
        for (uint32_t i = 0; i < of->slices.count; i++)
            if (of->slices.at[i].kind == TL_STEP && !(of->slices.at[i].flags & TL_CONTINUED))
                text += line(name_of(of, of->slices.at[i].name),
                             {of->slices.at[i].start_ns, of->slices.at[i].end_ns});
    };
    add_steps(t, steps);
    t = trace.load_window(INT64_MAX, INT64_MAX);
    std::string found;
    add_steps(t, found);
    EXPECT_EQ(found, steps);
    EXPECT_EQ(t->gpus.count + t->asyncs.count + t->marks.count + t->frames.count, 0u);
    EXPECT_EQ(t->start_ns, start);
    EXPECT_EQ(t->end_ns, end);
}

/* Traces in which something begins or ends on the other side of an edge of the window; each is cut
 * at all times. */
void expect_same_everywhere(Trace &trace, int64_t end)
{
    for (int64_t from = 0; from <= end; from += 50)
        for (int64_t to = from + 50; to <= end + 50; to += 50)
            expect_same(trace, from, to);
}

TEST(TraceWindow, KnowsWhatIsAroundIt)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "never popped").push(200, "epoch").push(300, "a").pop(350);
    trace.attr("size", PROF_ATTR_INT, 5);
    trace.push(400, "b").push(500, "c").pop(600).attr("late", PROF_ATTR_INT, 6).pop(700);
    trace.pop(800).pop(900).pop(1000);
    expect_same_everywhere(trace, 1100);
}

TEST(TraceWindow, KnowsWhatCrosses)
{
    Trace trace;
    trace.domain(1, "library").domain(2, "other").thread(1).log(0, 1);
    trace.nvtx_push(100, "a", 1).push(200, "b").nvtx_push(300, "c", 2).nvtx_pop(400, 1).pop(500);
    trace.nvtx_push(550, "d", 1).nvtx_pop(600, 2).nvtx_pop(700, 1).nvtx_pop(800, 1);
    trace.call(820, "f").push(840, "e").leave(860).pop(900);
    expect_same_everywhere(trace, 1000);
}

TEST(TraceWindow, KnowsWhichPythonCallsAreAroundIt)
{
    Trace trace;
    trace.thread(1).log(0, 1).call(100, "main").call(200, "train").push(300, "step");
    trace.call(350, "forward").leave(400).pop(450).call(500, "forward").leave(600);
    trace.leave(700).leave(800).leave(900);
    expect_same_everywhere(trace, 1000);
}

TEST(TraceWindow, FollowsBeginEndRangesAcrossThreads)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1); /* walked first: ends come ahead of their begins */
    for (uint64_t id = 1; id <= 4; id++) {
        trace_builder_attr_of(trace.raw(), trace.name("of"), PROF_ATTR_INT, id, id + 100);
        trace_builder_end(trace.raw(), static_cast<int64_t>(200 * id), id + 100);
    }
    trace.log(1, 2);
    for (uint64_t id = 1; id <= 5; id++)
        trace_builder_begin(trace.raw(), static_cast<int64_t>(200 * id) - 150, trace.name("r"),
                            id + 100);
    trace_builder_attr_of(trace.raw(), trace.name("late"), PROF_ATTR_INT, 7, 105);
    trace_builder_range(trace.raw(), 1000, trace.name("told"), 200, 300, 500);
    expect_same_everywhere(trace, 1100);
}

TEST(TraceWindow, HasTheAttributesOfItsMarksOnly)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (int64_t time = 100; time <= 400; time += 100) {
        trace_builder_mark(trace.raw(), time, trace.name("mark"));
        trace_builder_attr_of(trace.raw(), trace.name("of"), PROF_ATTR_INT,
                              static_cast<uint64_t>(time), PROF_ATTR_OF_MARK);
    }
    expect_same_everywhere(trace, 500);
}

TEST(TraceWindow, HasTheTimesOfItsRangesOnly)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (uint64_t token = 1; token <= 3; token++) {
        int64_t time = static_cast<int64_t>(token) * 200;
        trace.push(time, "timed");
        trace_builder_timed(trace.raw(), time + 10, token);
        trace.pop(time + 100);
        trace_builder_range_time(trace.raw(), time + 150, time + 180, token, 0);
    }
    expect_same_everywhere(trace, 1000);
}

TEST(TraceWindow, BeginsWhereTheRecordingDoes)
{
    Trace trace;
    trace.thread(1).thread(9, "has no log").log(0, 1);
    trace_builder_free(trace.raw(), 50, 1, 0x7000); /* of what was not allocated here */
    trace.call(60, "/site-packages/libprof/ranges.py(1): f").leave(70);
    trace_builder_begin(trace.raw(), 100, trace.name("never ended"), 77);
    trace.push(200, "a").pop(300).push(400, "b").pop(500);
    expect_same_everywhere(trace, 600);
}

TEST(TraceWindow, HasNoLossOfACallOutsideOfIt)
{
    Trace trace;
    trace.api_names().thread(1).log(0, 1);
    for (uint32_t i = 1; i <= 4; i++) {
        trace.launch(i * 100, i * 100 + 20, i);
        prof_rec_lost lost = {};
        lost.context = 1, lost.stream = 7, lost.cause = PROF_LOSS_ZERO_TIME;
        uint64_t words[3];
        memcpy(words, &lost, sizeof lost);
        if (i != 3)
            trace_builder_ext(trace.raw(), PROF_REC_LOST, i, words + 1, 2);
        else
            trace.kernel(350, 360, i);
    }
    trace.header().loss[PROF_LOSS_ZERO_TIME] = 3;
    expect_same_everywhere(trace, 500);
}

TEST(TraceWindow, KnowsWhichThreadWasSampledByItsNumber)
{
    Trace trace;
    trace_builder_thread(trace.raw(), 1, 5, "one", 0);
    trace_builder_thread(trace.raw(), 2, 5, "the same number later", 0);
    trace.log(0, 1).push(0, "a").pop(100);
    trace.log(1, 2).push(200, "b").pop(300);
    trace.thread(3).log(2, 3);
    for (int64_t time = 55; time < 300; time += 60) {
        prof_rec_sample sample = {};
        sample.ticks = static_cast<uint64_t>(time);
        sample.weight_ns = 10, sample.tid = 5, sample.state = PROF_SAMPLE_RUNS;
        uint64_t words[6];
        memcpy(words, &sample, sizeof sample);
        trace_builder_event(trace.raw(), PROF_REC_SAMPLE, time + 5, words + 1, 5);
    }
    expect_same_everywhere(trace, 400);
}

/* Each context manager is a function that pushes, and one that pops. */
TEST(TraceWindow, HoldsNothingOfPythonsContextManagersOutsideOfIt)
{
    Trace trace;
    trace.thread(1).log(0, 1).call(10, "main");
    for (int64_t time = 100; time < 5000; time += 100)
        trace.call(time, "__enter__")
            .push(time + 10, "r")
            .leave(time + 20)
            .call(time + 30, "work")
            .leave(time + 40)
            .call(time + 50, "__exit__")
            .pop(time + 60)
            .leave(time + 70);
    trace.leave(5100);
    const timeline *t = trace.load_window(1000, 1100);
    EXPECT_EQ(t->slices.count, 1u);
    EXPECT_LE(t->frames.count, 8u) << "main, which the range cuts, and the three";
    for (int64_t from = 1000; from < 1150; from += 10)
        for (int64_t to = from + 10; to < 1250; to += 10)
            expect_same(trace, from, to);
}

TEST(TraceWindow, OfSeveralFilesIsOneWindow)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a").pop(200).push(300, "b").pop(400);
    size_t size = 0;
    const uint8_t *bytes = trace_builder_bytes(trace.raw(), &size);
    std::vector<uint8_t> later(bytes, bytes + size);
    reinterpret_cast<prof_file_header *>(later.data())->start_realtime_ns += 1000;
    read_error error = {};
    trace_file *files[] = {trace_file_open_memory(bytes, size, "one", false, &error),
                           trace_file_open_memory(later.data(), size, "other", false, &error)};
    builder *by = builder_begin();
    builder_set_window(by, 250, 1150);
    timeline *t = timeline_from_files(by, files, 2, &error);
    ASSERT_NE(t, nullptr) << error.message;
    EXPECT_EQ(slice_tree(t), "b 300 400\na 1100 1200\n");
    timeline_destroy(t);
    for (trace_file *file : files)
        trace_file_close(file);
}

} // namespace
