/* test_fwdbwd.cc - which forward range a backward pass belongs to. */
#include "../support/trace_fixture.h"

#include <gtest/gtest.h>

#include <string>

namespace
{

const char mul_backward[] = "autograd::engine::evaluate_function: MulBackward0";

/* "start>start" of every connection. */
std::string links(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->fwdbwds.count; i++)
        text += (i ? " " : "") + std::to_string(t->slices.at[t->fwdbwds.at[i].forward].start_ns) +
                ">" + std::to_string(t->slices.at[t->fwdbwds.at[i].backward].start_ns);
    return text;
}

class Passes : public testing::Test
{
public:
    Passes() { trace.thread(1).thread(2).log(0, 1); }
    Passes &begin(int64_t time, const char *name, uint64_t seq, const char *key = "seq")
    {
        trace.nvtx_push(time, name).attr(key, PROF_ATTR_INT, seq);
        return *this;
    }
    Passes &run(int64_t time, const char *name, uint64_t seq, const char *key = "seq")
    {
        begin(time, name, seq, key);
        trace.nvtx_pop(time + 5);
        return *this;
    }
    std::string result()
    {
        const timeline *t = trace.load();
        EXPECT_EQ(findings(t), "");
        return links(t);
    }
    Trace trace;
};

TEST_F(Passes, OnAnotherThreadBelongToTheLastForwardRangeOfTheNumber)
{
    begin(10, "linear", 4).begin(12, "transpose", 4);
    trace.nvtx_pop(14);
    begin(16, "addmm", 4);
    trace.nvtx_pop(18).nvtx_pop(20);
    run(30, "relu", 5);
    trace.log(1, 2);
    run(100, "autograd::engine::evaluate_function: ReluBackward0", 5);
    begin(110, "autograd::engine::evaluate_function: AddmmBackward0", 4);
    run(112, "AddmmBackward0", 4); /* inside: no arrow of its own */
    trace.nvtx_pop(120);
    EXPECT_EQ(result(), "30>100 16>110");
}

TEST_F(Passes, OnTheSameThreadAreKnownByTheirName)
{
    run(10, "aten::mul", 4)
        .run(30, "aten::mul", 5)
        .run(50, mul_backward, 5)
        .run(60, mul_backward, 4);
    EXPECT_EQ(result(), "30>50 10>60");
}

TEST_F(Passes, OfOldVersionsAreKnownByTheStashedNumber)
{
    run(10, "mul", 4).begin(50, "MulBackward", 9);
    trace.attr("stashed_seq", PROF_ATTR_INT, 4).nvtx_pop(60);
    EXPECT_EQ(result(), "10>50");
}

TEST_F(Passes, WithoutTheEnginesNameAreTakenForSuchOnAnotherThreadOnly)
{
    run(10, "mul", 4).run(50, "MulBackward0", 4);
    trace.log(1, 2);
    run(100, "MulBackward0", 4).run(200, "aten::add", 4);
    EXPECT_EQ(result(), "10>100") << "another thread that counts too is no backward pass";
}

TEST_F(Passes, EachHaveAnArrow)
{
    run(10, "mul", 4).run(50, mul_backward, 4).run(70, mul_backward, 4);
    EXPECT_EQ(result(), "10>50 10>70");
}

TEST_F(Passes, AreNeverBeforeTheirForwardRange)
{
    run(10, mul_backward, 4).run(50, "mul", 4);
    EXPECT_EQ(result(), "");
}

TEST_F(Passes, FollowTheLatestRangeWhereANumberComesAgain)
{
    run(10, "mul", 4).run(20, mul_backward, 4).run(30, "mul", 4).run(40, mul_backward, 4);
    EXPECT_EQ(result(), "10>20 30>40");
}

TEST_F(Passes, OfBackwardPassesAreConnectedToo)
{
    run(10, "mul", 4).begin(20, mul_backward, 4).run(22, "aten::mul", 8);
    trace.nvtx_pop(30);
    run(40, mul_backward, 8);
    EXPECT_EQ(result(), "10>20 22>40");
}

TEST_F(Passes, WithoutASensibleNumberAreLeftOut)
{
    run(10, "mul", UINT64_MAX).run(20, mul_backward, UINT64_MAX);
    trace.nvtx_push(30, "mul").attr("seq", PROF_ATTR_STRING, trace.name("4")).nvtx_pop(31);
    trace.nvtx_push(40, mul_backward).attr("seq", PROF_ATTR_DOUBLE, 4).nvtx_pop(41);
    EXPECT_EQ(result(), "");
}

TEST_F(Passes, OfThreadsThatCountAtOnceBelongToTheirOwn)
{
    trace.thread(3);
    run(10, "mul", 4);
    trace.log(1, 2);
    run(20, "mul", 4);
    trace.log(2, 3);
    begin(100, mul_backward, 4);
    trace.attr("forward_tid", PROF_ATTR_INT, 1001).nvtx_pop(105);
    begin(110, mul_backward, 4);
    trace.attr("forward_tid", PROF_ATTR_INT, 1002).nvtx_pop(115);
    begin(120, mul_backward, 4); /* its thread was not recorded */
    trace.attr("forward_tid", PROF_ATTR_INT, 1007).nvtx_pop(125);
    EXPECT_EQ(result(), "10>100 20>110");
}

TEST_F(Passes, CutInPiecesAreOnePass)
{
    run(10, "mul", 4);
    trace.push(15, "user");
    begin(20, mul_backward, 4);
    trace.pop(25);
    run(30, "MulBackward0", 4);
    trace.nvtx_pop(40);
    EXPECT_EQ(result(), "10>20");
}

TEST(PassesOfTwoProcesses, AreNotMixed)
{
    Trace first, second;
    first.thread(1).log(0, 1).nvtx_push(10, "mul").attr("seq", PROF_ATTR_INT, 4).nvtx_pop(20);
    second.thread(1).log(0, 1).nvtx_push(50, mul_backward).attr("seq", PROF_ATTR_INT, 4);
    second.nvtx_pop(60);
    trace_file *files[2];
    std::vector<uint8_t> bytes[2] = {first.bytes(), second.bytes()};
    read_error error;
    for (int i = 0; i < 2; i++)
        files[i] = trace_file_open_memory(bytes[i].data(), bytes[i].size(), "x", false, &error);
    timeline *t = timeline_from_files(builder_begin(), files, 2, &error);
    EXPECT_EQ(links(t), "");
    timeline_destroy(t);
    trace_file_close(files[0]);
    trace_file_close(files[1]);
}

} // namespace
