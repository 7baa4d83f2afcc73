/* test_unordered.cc - events in any order become a tree, and no time of them is lost. */
#include "unordered_fixture.h"

#include <map>
#include <random>

namespace
{

using Unordered = UnorderedTest;

TEST_F(Unordered, OrdersSlicesOfEachThreadParentsFirst)
{
    uint32_t process = unordered_add_process(file_), one = thread(process, 11),
             two = thread(process, 12);
    slice(two, 5, 9, "late");
    slice(one, 20, 30, "inner");
    slice(two, 1, 4, "early");
    slice(one, 20, 90, "outer");
    load();
    EXPECT_EQ(slices(), "outer 20-90 0, inner 20-30 1, early 1-4 0, late 5-9 0");
    EXPECT_EQ(timeline_->threads.at[1].tid, 12u);
}

TEST_F(Unordered, CutsWhatOverlapsAndLetsItGoOn)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    slice(one, 0, 10, "a");
    slice(one, 5, 15, "b");
    slice(one, 12, 20, "c");
    load();
    EXPECT_EQ(slices(), "a 0-10 0, b 5-10 1, +b 10-15 0, c 12-15 1, +c 15-20 0");
    ASSERT_EQ(timeline_->segments.count, 2u);
    EXPECT_EQ(timeline_->segments.at[0].before, 1u);
}

TEST_F(Unordered, KeepsEmptySlicesInTheirPlace)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    slice(one, 10, 10, "end");
    slice(one, 0, 10, "a");
    slice(one, 5, 5, "in");
    slice(one, 0, 0, "begin");
    load();
    EXPECT_EQ(slices(), "a 0-10 0, begin 0-0 1, in 5-5 1, end 10-10 0");
}

TEST_F(Unordered, TakesAnEndBeforeTheBeginAsEmptyAndSaysSo)
{
    slice(thread(unordered_add_process(file_), 1), 10, 3, "a");
    load();
    EXPECT_EQ(slices(), "a 10-10 0");
    ASSERT_EQ(timeline_->warnings.count, 1u);
    EXPECT_EQ(timeline_->warnings.at[0].count, 1u);
}

TEST_F(Unordered, JoinsKernelsToTheCallOfTheirProcess)
{
    uint32_t first = unordered_add_process(file_), second = unordered_add_process(file_);
    uint32_t one = thread(first, 1), two = thread(second, 2);
    slice(one, 0, 100, "step one");
    slice(two, 0, 100, "step two");
    slice(one, 10, 20, "cudaLaunchKernel", TL_API, 7);
    slice(two, 30, 40, "cudaLaunchKernel", TL_API, 7);
    kernel(second, 50, 60, "second", 7);
    kernel(first, 50, 60, "first", 7);
    kernel(first, 70, 80, "nobody's", 8);
    expected_findings = "warning orphans";
    load();
    ASSERT_EQ(timeline_->processes.count, 2u);
    std::map<std::string, std::string> owner;
    for (uint32_t i = 0; i < timeline_->gpus.count; i++) {
        const tl_gpu &gpu = timeline_->gpus.at[i];
        uint32_t parent = gpu.slice == TL_NONE ? TL_NONE : timeline_->slices.at[gpu.slice].parent;
        owner[timeline_->names.at[gpu.name].bytes] =
            parent == TL_NONE ? "" : timeline_->names.at[timeline_->slices.at[parent].name].bytes;
    }
    EXPECT_EQ(owner["first"], "step one");
    EXPECT_EQ(owner["second"], "step two");
    EXPECT_EQ(owner["nobody's"], "");
    EXPECT_EQ(timeline_->ledger.orphans, 1u);
    EXPECT_EQ(timeline_->ledger.missing, 0u);
}

TEST_F(Unordered, PutsMarksIntoTheSliceAroundThem)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    slice(one, 0, 10, "a");
    slice(one, 20, 30, "b");
    unordered_append_mark(file_, one, 25, name("in b"));
    unordered_append_mark(file_, one, 20, name("at b's begin"));
    unordered_append_mark(file_, one, 15, name("between"));
    unordered_append_mark(file_, one, 5, name("in a"));
    unordered_append_counter(file_, one, 7, name("queue"), 2.5);
    load();
    std::map<std::string, uint32_t> home;
    for (uint32_t i = 0; i < timeline_->marks.count; i++)
        home[timeline_->names.at[timeline_->marks.at[i].name].bytes] = timeline_->marks.at[i].slice;
    EXPECT_EQ(home["in a"], 0u);
    EXPECT_EQ(home["between"], TL_NONE);
    EXPECT_EQ(home["at b's begin"], 1u);
    EXPECT_EQ(home["in b"], 1u);
    ASSERT_EQ(timeline_->counters.count, 1u);
    EXPECT_EQ(timeline_->counters.at[0].value, 2.5);
}

TEST_F(Unordered, CopiesAttributesOnceEvenWhereASliceIsCut)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    slice(one, 0, 10, "a");
    event_attr attrs[2] = {{42, name("bytes"), PROF_ATTR_UINT},
                           {name("[[2, 3]]"), name("Input Dims"), PROF_ATTR_STRING}};
    complete_slice cut = {};
    cut.start_ns = 5, cut.end_ns = 15, cut.thread = one, cut.name = name("b");
    cut.attrs = attrs, cut.attr_count = 2;
    unordered_append_slice(file_, &cut);
    load();
    ASSERT_EQ(timeline_->attrs.count, 2u);
    EXPECT_EQ(timeline_->attrs.at[0].slice, 1u);
    EXPECT_EQ(timeline_->attrs.at[0].value, 42u);
    EXPECT_STREQ(timeline_->names.at[timeline_->attrs.at[1].value].bytes, "[[2, 3]]");
}

TEST_F(Unordered, KeepsTimesOfRandomSlicesWhateverTheirOrder)
{
    std::mt19937 random(1);
    std::map<std::string, int64_t> total, told;
    uint32_t one = thread(unordered_add_process(file_), 1);
    for (int i = 0; i < 3000; i++) {
        int64_t start = random() % 2000, end = start + random() % 60;
        std::string called = "s" + std::to_string(random() % 50);
        slice(one, start, end, called);
        total[called] += end - start;
    }
    load(); /* checks that they nest */
    for (uint32_t i = 0; i < timeline_->slices.count; i++) {
        const tl_slice &slice = timeline_->slices.at[i];
        told[timeline_->names.at[slice.name].bytes] += slice.end_ns - slice.start_ns;
    }
    EXPECT_EQ(told, total);
}

TEST_F(Unordered, ACallIsInsideTheRangeThatIsAsLong)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    slice(one, 0, 10, "call", TL_API);
    slice(one, 0, 10, "range");
    load();
    EXPECT_EQ(slices(), "range 0-10 0, call 0-10 1");
}

TEST_F(Unordered, WhatIsCutStaysAroundWhatBeginsAtTheCut)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    slice(one, 0, 10, "a");
    slice(one, 5, 15, "crossing");
    slice(one, 10, 20, "next");
    load();
    EXPECT_EQ(slices(),
              "a 0-10 0, crossing 5-10 1, +crossing 10-15 0, next 10-15 1, +next 15-20 0");
}

TEST_F(Unordered, WhatIsCutTogetherKeepsItsOrder)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    slice(one, 0, 10, "a");
    slice(one, 2, 15, "outer");
    slice(one, 4, 20, "inner");
    load();
    EXPECT_EQ(slices(), "a 0-10 0, outer 2-10 1, inner 4-10 2, +outer 10-15 0, +inner 10-15 1, "
                        "+inner 15-20 0");
}

TEST_F(Unordered, WhatIsCutTogetherKeepsItsOrderWhereAllTimesAreEqual)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    slice(one, 0, 10, "a");
    slice(one, 4, 20, "first");
    slice(one, 4, 20, "second");
    slice(one, 4, 20, "third");
    load();
    EXPECT_EQ(slices(), "a 0-10 0, first 4-10 1, second 4-10 2, third 4-10 3, +first 10-20 0, "
                        "+second 10-20 1, +third 10-20 2");
}

TEST_F(Unordered, EndsWhatWouldBeCutTooOftenAndSaysSo)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    for (int i = 0; i < 200; i++)
        slice(one, 0, 1000 + i * 2, "around");
    slice(one, 500, 5000, "across");
    load();
    ASSERT_EQ(timeline_->warnings.count, 1u);
    EXPECT_EQ(timeline_->warnings.at[0].count, 1u);
    EXPECT_EQ(timeline_->segments.count, 64u);
}

} // namespace

/* What PyTorch's emit_nvtx composes is one operator with attributes, whatever file it comes from. */
TEST_F(UnorderedTest, NamesOfPyTorchAreTakenApart)
{
    unordered_add_process(file_);
    uint32_t t = thread(0, 1);
    event_label label = {};
    label.name = name("aten::mm, seq = 7");
    label.category = 3;
    slice(t, 0, 9, "aten::mm, seq = 12, op_id = 5, sizes = [[2, 3], [3, 4]]");
    slice(t, 10, 19, "aten::mm, seq = 13, op_id = 6, sizes = [[2, 3], [3, 4]]");
    slice(t, 20, 29, "looks, seq = like it");
    slice(t, 30, 39, "looks, seq = like it");
    slice(t, 40, 49, "call, seq = 1", TL_API);
    complete_slice labelled = {};
    labelled.start_ns = 50, labelled.end_ns = 59, labelled.thread = t;
    labelled.name = unordered_label(file_, &label);
    unordered_append_slice(file_, &labelled);
    load();
    EXPECT_EQ(slices(), "aten::mm 0-9 0, aten::mm 10-19 0, looks, seq = like it 20-29 0, "
                        "looks, seq = like it 30-39 0, call, seq = 1 40-49 0, aten::mm 50-59 0");
    ASSERT_EQ(timeline_->attrs.count, 7u);
    std::string attrs;
    for (uint32_t i = 0; i < timeline_->attrs.count; i++) {
        const tl_attr &attr = timeline_->attrs.at[i];
        attrs += std::to_string(attr.slice) + " " + timeline_->names.at[attr.key].bytes + "=" +
                 (attr.type == PROF_ATTR_STRING ? timeline_->names.at[attr.value].bytes
                                                : std::to_string(attr.value)) +
                 ", ";
    }
    EXPECT_EQ(attrs, "0 seq=12, 0 op_id=5, 0 sizes=[[2, 3], [3, 4]], 1 seq=13, 1 op_id=6, "
                     "1 sizes=[[2, 3], [3, 4]], 5 seq=7, ");
    EXPECT_NE(timeline_->slices.at[5].label, TL_NONE);
}

TEST_F(UnorderedTest, ManyProcessesShareOneFile)
{
    const uint32_t processes = 2000;
    for (uint32_t i = 0; i < processes; i++) {
        unordered_add_process(file_);
        slice(thread(i, 1), 0, 9, "range " + std::to_string(i));
        kernel(i, 5, 9, "kernel " + std::to_string(i), 0);
    }
    expected_findings = "warning orphans";
    load();
    EXPECT_EQ(timeline_->processes.count, processes);
    EXPECT_EQ(timeline_->names.count, 2 * processes);
    EXPECT_EQ(timeline_->slices.count, processes);
    EXPECT_EQ(timeline_->gpus.count, processes);
}
