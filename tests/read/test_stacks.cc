/* test_stacks.cc - call stacks and modules as a reader and the timeline understand them. */
#include "timeline.h"

extern "C" {
#include "slice_sums.h"
}

#include "../support/trace_fixture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace
{

template <typename Record>
std::vector<uint64_t> words_of(Record record, prof_record_type type,
                               const std::vector<uint64_t> &rest)
{
    std::vector<uint64_t> words(sizeof record / 8 + rest.size());
    record.header = PROF_WORD_EXT(PROF_KIND_EXT, type, words.size(), 0);
    memcpy(words.data(), &record, sizeof record);
    std::copy(rest.begin(), rest.end(), words.begin() + sizeof record / 8);
    return words;
}

void state(Trace &trace, const std::vector<uint64_t> &words)
{
    trace_builder_meta(trace.raw(), words.data(), words.size() * 8);
}

void add_stack(Trace &trace, uint32_t id, const std::vector<uint64_t> &addresses,
               uint64_t ticks = 0, uint32_t frames = UINT32_MAX)
{
    prof_rec_stack_frames head = {};
    head.id = id;
    head.frames = frames == UINT32_MAX ? static_cast<uint32_t>(addresses.size()) : frames;
    head.method = PROF_STACK_UNWIND_TABLES;
    head.ticks = ticks;
    state(trace, words_of(head, PROF_REC_STACK_FRAMES, addresses));
}

prof_rec_module module_at(uint32_t id, uint64_t start, uint64_t end, uint64_t ticks)
{
    prof_rec_module head = {};
    head.id = id;
    head.start = start;
    head.end = end;
    head.ticks = ticks;
    return head;
}

/* Its path is one letter. */
void add_module(Trace &trace, prof_rec_module head, char path)
{
    head.bytes = 1;
    state(trace, words_of(head, PROF_REC_MODULE, {static_cast<uint64_t>(path)}));
}

void add_gone(Trace &trace, uint32_t id, uint64_t ticks)
{
    prof_rec_module_gone head = {};
    head.id = id;
    head.ticks = ticks;
    state(trace, words_of(head, PROF_REC_MODULE_GONE, {}));
}

void launch_with(Trace &trace, int64_t time, uint32_t correlation, uint32_t stack)
{
    prof_rec_api_enter call = {};
    call.correlation = correlation;
    call.cbid = 211;
    call.domain = PROF_API_RUNTIME;
    call.flags = PROF_API_LAUNCHES;
    call.operations = 1;
    call.stack = stack;
    trace_builder_enter(trace.raw(), time, call);
    trace.exit(time + 10, correlation);
}

void opened_at(Trace &trace, uint64_t stack)
{
    trace_builder_ext(trace.raw(), PROF_REC_STACK, 0, &stack, 1);
}

std::string module_name(const timeline *t, uint64_t address, uint64_t ticks)
{
    const tl_module *module = stack_of_module(t, 0, address, ticks);
    return module ? t->names.at[module->path].bytes : "";
}

std::vector<uint64_t> addresses_of(const timeline *t, uint32_t slice)
{
    uint32_t index = stack_of_slice(t, slice);
    if (index == TL_NONE)
        return {};
    const tl_stack &stack = t->stacks.at[index];
    const uint64_t *first = t->addresses.at + stack.first;
    return {first, first + stack.count};
}

} // namespace

TEST(CallStacks, OfCallsAndRangesAreFoundBySlice)
{
    Trace trace;
    add_stack(trace, 1, {0x100, 0x200});
    add_stack(trace, 2, {0x300});
    trace.api_names().thread(1).log(0, 1).push(100, "a");
    opened_at(trace, 2);
    launch_with(trace, 110, 1, 1);
    trace.launch(130, 140, 2).pop(200).kernel(150, 180, 1).kernel(180, 190, 2);
    const timeline *t = trace.load();
    ASSERT_TRUE(t) << trace.error();
    EXPECT_EQ(addresses_of(t, 0), (std::vector<uint64_t>{0x300}));
    EXPECT_EQ(addresses_of(t, 1), (std::vector<uint64_t>{0x100, 0x200}));
    EXPECT_EQ(stack_of_slice(t, 2), TL_NONE);
    stack_totals totals;
    ASSERT_TRUE(stack_totals_init(&totals, t, nullptr, 0));
    EXPECT_EQ(totals.at[0].calls, 1u);
    EXPECT_EQ(totals.at[0].device_ns, 30);
    EXPECT_EQ(totals.at[0].cpu_ns, 10);
    EXPECT_EQ(totals.at[1].ranges, 1u);
    EXPECT_EQ(totals.order[0], 0u);
    EXPECT_EQ(totals.device_ns, 30);
    stack_totals_fini(&totals);
}

TEST(CallStacks, OfThreadsThatShareALogFollowTheirSlices)
{
    Trace trace;
    for (uint32_t id = 1; id <= 4; id++)
        add_stack(trace, id, {id * 0x100});
    trace.thread(1).thread(2).log(0, 2).push(100, "second");
    opened_at(trace, 1);
    trace.pop(110).log(1, 1).push(100, "first");
    opened_at(trace, 2);
    trace.pop(120).log(2, 2).push(200, "second again");
    opened_at(trace, 3);
    trace.pop(300);
    const timeline *t = trace.load();
    ASSERT_TRUE(t) << trace.error();
    for (uint32_t i = 0; i < t->slices.count; i++) {
        std::string name = t->names.at[t->slices.at[i].name].bytes;
        uint64_t wanted = name == "first" ? 0x200 : name == "second" ? 0x100 : 0x300;
        EXPECT_EQ(addresses_of(t, i), (std::vector<uint64_t>{wanted})) << name;
    }
}

TEST(CallStacks, OfRangesThatNeedNotNestAreKeptBesideThem)
{
    Trace trace;
    add_stack(trace, 1, {0x100});
    trace.thread(1).log(0, 1).push(50, "around");
    trace_builder_begin(trace.raw(), 100, trace.name("async"), 0x100000001);
    opened_at(trace, 1);
    trace_builder_end(trace.raw(), 200, 0x100000001);
    trace.pop(300);
    const timeline *t = trace.load();
    ASSERT_TRUE(t) << trace.error();
    EXPECT_EQ(stack_of_async(t, 0), 0u);
    EXPECT_EQ(stack_of_slice(t, 0), TL_NONE);
}

TEST(CallStacks, ARangesFirstStackIsItsOwn)
{
    Trace trace;
    add_stack(trace, 1, {0x100});
    add_stack(trace, 2, {0x200});
    trace.thread(1).log(0, 1).push(50, "around");
    opened_at(trace, 2);
    opened_at(trace, 1); // of a range whose push was lost
    trace.pop(300);
    const timeline *t = trace.load();
    ASSERT_TRUE(t) << trace.error();
    EXPECT_EQ(addresses_of(t, 0), (std::vector<uint64_t>{0x200}));
}

TEST(CallStacks, ThatAreMissingAreCounted)
{
    Trace trace;
    add_stack(trace, 1, {0x100});
    trace.api_names().thread(1).log(0, 1);
    launch_with(trace, 100, 1, 77);
    trace.push(200, "a");
    opened_at(trace, 0);
    opened_at(trace, 0xffffffff);
    trace.pop(300).kernel(300, 310, 1);
    const timeline *t = trace.load();
    ASSERT_TRUE(t) << trace.error();
    EXPECT_EQ(t->slice_stacks.count, 0u);
    EXPECT_EQ(t->processes.at[0].odd.missing_stacks, 2u);
    EXPECT_EQ(t->processes.at[0].odd.untaken_stacks, 1u);
}

TEST(CallStacks, LongerThanTheirRecordAreDamage)
{
    Trace trace;
    add_stack(trace, 1, {0x100, 0x200}, 0, 3);
    trace.thread(1).log(0, 1).push(100, "a").pop(200);
    EXPECT_FALSE(trace.load());
    EXPECT_NE(trace.error().find("a call stack is longer than its record"), std::string::npos);
    const timeline *t = trace.load(true);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->stacks.count, 0u);
    EXPECT_EQ(t->slices.count, 1u);
}

TEST(CallStackModules, WithImpossibleFactsAreDamage)
{
    for (int wrong = 0; wrong < 4; wrong++) {
        Trace trace;
        prof_rec_module head = module_at(1, 0x1000, 0x2000, 0);
        head.build_id_bytes = wrong == 0 ? 21 : 0;
        head.end = wrong == 1 ? head.start : head.end;
        head.id = wrong == 2 ? 0 : 1;
        head.bytes = wrong == 3 ? 9 : 8;
        state(trace, words_of(head, PROF_REC_MODULE, {0}));
        EXPECT_FALSE(trace.load()) << wrong;
        EXPECT_TRUE(trace.load(true)) << wrong;
    }
}

TEST(CallStackModules, AnAddressIsOfTheModuleThatWasThereThen)
{
    Trace trace;
    add_module(trace, module_at(1, 0x1000, 0x2000, 100), 'a');
    add_gone(trace, 1, 200);
    add_module(trace, module_at(2, 0x1800, 0x2800, 300), 'b');
    add_module(trace, module_at(3, 0x1000, 0x1900, 500), 'c'); /* overlaps b, which never left */
    add_gone(trace, 99, 0);                                    /* nobody */
    const timeline *t = trace.load();
    ASSERT_TRUE(t) << trace.error();
    EXPECT_EQ(module_name(t, 0x1800, 150), "a");
    EXPECT_EQ(module_name(t, 0x1fff, 150), "a");
    EXPECT_EQ(module_name(t, 0x0fff, 150), "");
    EXPECT_EQ(module_name(t, 0x1800, 250), "b") << "seen by the recorder after the stack";
    EXPECT_EQ(module_name(t, 0x1800, 400), "b");
    EXPECT_EQ(module_name(t, 0x1800, 600), "c") << "the latest";
    EXPECT_EQ(module_name(t, 0x2000, 600), "b");
    EXPECT_EQ(module_name(t, 0x1000, 50), "a") << "nothing was known yet";
}

TEST(CallStacks, SurviveDamageInEveryByte)
{
    Trace trace;
    size_t first = trace_builder_meta_offset(trace.raw());
    add_stack(trace, 1, {0x1100, 0x1200});
    add_module(trace, module_at(1, 0x1000, 0x2000, 100), 'a');
    add_gone(trace, 1, 200);
    size_t end = trace_builder_meta_offset(trace.raw());
    trace.api_names().thread(1).log(0, 1).push(50, "a");
    opened_at(trace, 1);
    launch_with(trace, 100, 1, 1);
    trace.pop(200).kernel(300, 310, 1);
    std::vector<uint8_t> bytes = trace.bytes();
    for (size_t i = first; i < end; i++)
        for (unsigned damage : {0x01u, 0x80u, 0xffu}) {
            std::vector<uint8_t> damaged = bytes;
            damaged[i] = static_cast<uint8_t>(damaged[i] ^ damage);
            read_error error = {};
            trace_file *file =
                trace_file_open_memory(damaged.data(), damaged.size(), "x", true, &error);
            ASSERT_TRUE(file) << error.message;
            timeline *t = timeline_from_files(builder_begin(), &file, 1, &error);
            ASSERT_TRUE(t) << i << error.message;
            for (uint32_t s = 0; s < t->stacks.count; s++)
                EXPECT_LE(uint64_t(t->stacks.at[s].first) + t->stacks.at[s].count,
                          t->addresses.count);
            for (uint32_t s = 0; s < t->slice_stacks.count; s++)
                EXPECT_LT(t->slice_stacks.at[s].stack, t->stacks.count);
            timeline_destroy(t);
            trace_file_close(file);
        }
}
