// Framework tax: of executions in blocks, and of ranges.
#include "../foreign/executorch_fixture.h"
#include "tax.h"
extern "C" {
#include "key_averages.h"
}

#include <cmath>

namespace
{

// "block/iteration execution-kernels" for each execution.
std::string taxes(Read &read)
{
    block_taxes found;
    std::string text;
    EXPECT_TRUE(block_taxes_init(&found, read.blocks()));
    for (uint32_t i = 0; i < found.rows.count; i++) {
        const block_tax &row = found.rows.at[i];
        text += read.name(read.blocks()->blocks.at[row.block].name) + "/" +
                std::to_string(row.number) + " " + std::to_string((int64_t)row.execution) + "-" +
                std::to_string((int64_t)row.kernels) + (std::isnan(row.share) ? " nan" : "") + "\n";
    }
    text += found.unknown ? std::to_string(found.unknown) + " unknown\n" : "";
    block_taxes_fini(&found);
    return text;
}

std::string range_taxes_of(Trace &trace, const char *range = nullptr)
{
    const timeline *t = trace.load();
    key_names keys;
    range_taxes found;
    std::string text;
    if (!t || !key_names_init(&keys, t))
        return "?";
    EXPECT_TRUE(range_taxes_init(&found, t, &keys, range));
    for (uint32_t i = 0; i < found.rows.count; i++) {
        const range_tax &row = found.rows.at[i];
        text += std::string(key_names_text(&keys, row.key).bytes) + " x" +
                std::to_string(row.calls) + " k" + std::to_string(row.kernels) + " " +
                std::to_string(row.total_ns) + "-" + std::to_string(row.kernel_ns) +
                (row.after_ns ? "+" + std::to_string(row.after_ns) : "") + "\n";
    }
    range_taxes_fini(&found);
    key_names_fini(&keys);
    return text;
}

class GpuTrace : public Trace
{
public:
    GpuTrace()
    {
        thread(1).api_names();
        trace_builder_device(raw(), 0, "GPU");
        trace_builder_context(raw(), 1, 0);
    }
};

} // namespace

// P4: time outside of kernels and delegates
TEST(BlockTax, IsTimeOutsideOfKernelsAndDelegates)
{
    Read read(
        prof_buffer({{"b",
                      {prof_event("Method::execute", 0, 100), prof_event("OPERATOR_CALL", 5, 30),
                       prof_event("native_call_add", 10, 30),
                       prof_event("delegate_execute", 50, 60), prof_event("other", 70, 80)}}}));
    EXPECT_EQ(taxes(read), "b/0 100-30\n");
}

// P3 defect 8: each execution by itself, each iteration by itself
TEST(BlockTax, IsOfEachExecutionAndIteration)
{
    std::vector<made_prof_event> events = {
        prof_event("Method::execute", 0, 100), prof_event("native_call_a", 10, 30),
        prof_event("Method::execute", 200, 250), prof_event("native_call_a", 210, 215)};
    std::vector<made_prof_event> later = events;
    later[0].end = 90;
    Read read(prof_buffer({{"b", events}, {"b", later}}));
    EXPECT_EQ(taxes(read), "b/0 100-20\nb/0 50-5\nb/1 90-20\nb/1 50-5\n");
}

// P3 defect 8: an execution that took no time has no share
TEST(BlockTax, ZeroTimeHasNoShare)
{
    Read read(prof_buffer({{"b", {prof_event("Method::execute", 7, 7)}}}));
    EXPECT_EQ(taxes(read), "b/0 0-0 nan\n");
}

// P3 defect 13: a kernel within a kernel counts once; names match at their beginning
TEST(BlockTax, NestedKernelsCountOnce)
{
    Read read(prof_buffer(
        {{"b",
          {prof_event("Method::execute", 0, 100), prof_event("native_call_outer", 10, 50),
           prof_event("native_call_inner", 20, 40), prof_event("not_native_call", 60, 90),
           prof_event("Method::execute_other", 0, 90)}}}));
    EXPECT_EQ(taxes(read), "b/0 100-40\n");
}

TEST(BlockTax, CountsWhatCannotBeKnown)
{
    Read read(prof_buffer({{"b", {prof_event("Method::execute", 5, 0)}}}));
    EXPECT_EQ(taxes(read), "1 unknown\n");
}

// P5: a counter that begins anew within the execution
TEST(BlockTax, UnfoldsWhatWrapped)
{
    Read read(prof_buffer({{"b",
                            {prof_event("Method::execute", 0xfffffff0, 0x30),
                             prof_event("native_call_a", 0xfffffff8, 0xfffffffc),
                             prof_event("native_call_b", 0x10, 0x20)}}}),
              {1, true});
    EXPECT_EQ(taxes(read), "b/0 64-20\n");
}

// I1: an ETDump's, whose kernels come before the call around them
TEST(BlockTax, IsTheSameForEtdumps)
{
    Read read(etdump({{"Execute",
                       {profile("native_call_a", 10, 30), profile("OPERATOR_CALL", 5, 31),
                        profile("Method::execute", 0, 100, 0, -1)}}}));
    EXPECT_EQ(taxes(read), "Execute/0 100-20\n");
}

// P4: a range's time during which no kernel of it ran
TEST(RangeTax, IsTimeWithoutAKernelOfTheRange)
{
    GpuTrace trace;
    trace.log(0, 1).push(0, "f").launch(10, 12, 1).launch(13, 15, 2).pop(100);
    trace.push(200, "g").launch(210, 212, 3).pop(220).push(300, "none").pop(310);
    trace.log(1, 1, 1).kernel(20, 50, 1, 7).kernel(40, 70, 2, 8).kernel(215, 400, 3);
    EXPECT_EQ(range_taxes_of(trace), "f x1 k2 100-50\ng x1 k1 20-5+180\n");
    EXPECT_EQ(range_taxes_of(trace, "g"), "g x1 k1 20-5+180\n");
}

TEST(RangeTax, KernelsThatRunAfterTheRangeAreItsOwn)
{
    GpuTrace trace;
    trace.log(0, 1).push(0, "async").launch(10, 12, 1).launch(13, 15, 2).pop(20);
    trace.log(1, 1, 1).kernel(30, 70, 1, 7).kernel(60, 110, 2, 8);
    EXPECT_EQ(range_taxes_of(trace), "async x1 k2 20-0+80\n");
    range_tax row = {};
    row.total_ns = 20, row.after_ns = 80;
    EXPECT_EQ(range_tax_whole_ns(&row), 100)
        << "of which no kernel ran for 20: a tax of 20 %, not 100";
}

TEST(RangeTax, OuterRangesHaveTheKernelsOfInnerOnes)
{
    GpuTrace trace;
    trace.log(0, 1).push(0, "outer").push(5, "inner").launch(10, 12, 1).pop(60).pop(100);
    trace.log(1, 1, 1).kernel(20, 50, 1);
    EXPECT_EQ(range_taxes_of(trace), "outer x1 k1 100-30\ninner x1 k1 55-30\n");
}

TEST(RangeTax, ARangeWithinItselfCountsOnce)
{
    GpuTrace trace;
    trace.log(0, 1).push(0, "f").push(5, "f").launch(10, 12, 1).pop(60).pop(100);
    trace.log(1, 1, 1).kernel(20, 50, 1);
    EXPECT_EQ(range_taxes_of(trace), "f x1 k1 100-30\n");
}
