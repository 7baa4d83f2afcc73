// Calls that hold the CPU up: found in loops, with what they cost; not where they do no harm.
#include "findings_of.h"

namespace
{

constexpr int64_t ms = 1000000;

// A loop of `count` times 10 ms: the call takes 2 ms, then a kernel runs for 5.
const timeline *loop_of(TimelineMaker &m, const std::string &called, int count,
                        int64_t kernel_ns = 5 * ms)
{
    m.push("loop", 0);
    for (int i = 0; i < count; i++) {
        m.launch(called, 10 * i * ms, (10 * i + 2) * ms, 0);
        auto call = m.launch("cudaLaunchKernel", (10 * i + 2) * ms, (10 * i + 2) * ms + 1000);
        m.kernel("k", call, (10 * i + 3) * ms, (10 * i + 3) * ms + kernel_ns);
    }
    m.pop(10 * count * ms);
    return m.done();
}

struct Row {
    const char *call, *rule;
};

class CallsInLoops : public testing::TestWithParam<Row>
{
};

TEST_P(CallsInLoops, AreFoundWithTheirCost)
{
    TimelineMaker m;
    FindingsOf found(loop_of(m, GetParam().call, 30));
    auto of = found.of(GetParam().rule);
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].path, std::string("loop > ") + GetParam().call);
    EXPECT_EQ(of[0].detail.count, 30u);
    EXPECT_EQ(of[0].detail.cost_ns, 60 * ms);
    EXPECT_EQ(of[0].detail.saved_ns, 60 * ms);
}

TEST_P(CallsInLoops, AreNoLoopBelowTheLimit)
{
    TimelineMaker m;
    FindingsOf found(loop_of(m, GetParam().call, 19));
    EXPECT_TRUE(found.of(GetParam().rule).empty());
}

TEST_P(CallsInLoops, SaveNothingWhereTheGpuIsBusy)
{
    TimelineMaker m;
    FindingsOf found(loop_of(m, GetParam().call, 30, 10 * ms));
    EXPECT_TRUE(found.of(GetParam().rule).empty());
}

INSTANTIATE_TEST_SUITE_P(Rules, CallsInLoops,
                         testing::Values(Row{"cudaMalloc", "allocations-in-loops"},
                                         Row{"cudaFree", "allocations-in-loops"},
                                         Row{"cudaDeviceSynchronize", "synchronizations-in-loops"},
                                         Row{"cudaStreamSynchronize_ptsz",
                                             "synchronizations-in-loops"},
                                         Row{"cuEventSynchronize", "synchronizations-in-loops"}));

TEST(RuleSyncCopies, SaysHowMuchWasCopied)
{
    TimelineMaker m;
    m.push("read back", 0);
    for (int i = 0; i < 4; i++) {
        auto call = m.launch("cudaMemcpy", 10 * i * ms, (10 * i + 8) * ms);
        m.copy(call, (10 * i + 5) * ms, (10 * i + 7) * ms, 1 << 20);
    }
    m.pop(40 * ms);
    FindingsOf found(m.done());
    auto of = found.of("sync-copies");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].path, "read back > cudaMemcpy");
    EXPECT_EQ(of[0].sentence,
              "4 calls that copy and wait here took 32.0 ms (80 % of the wall time), 8.00 ms each, "
              "the longest 8.00 ms, for 4.00 MB.");
    EXPECT_EQ(of[0].detail.saved_ns, 32 * ms);
}

TEST(RuleSyncCopies, LeavesAsynchronousOnesAlone)
{
    TimelineMaker m;
    auto call = m.launch("cudaMemcpyAsync", 0, 8 * ms);
    m.copy(call, 5 * ms, 7 * ms, 1 << 20);
    FindingsOf found(m.done());
    EXPECT_TRUE(found.of("sync-copies").empty());
}

TEST(RulesOfCalls, CountACallOfTheRuntimeOnce)
{
    TimelineMaker m;
    m.push("cudaMemcpy", 0, TL_API);
    m.launch("cuMemcpyHtoD_v2", 0, 8 * ms, 0, PROF_API_DRIVER);
    m.pop(10 * ms);
    m.range("rest", 10 * ms, 20 * ms);
    FindingsOf found(m.done());
    auto of = found.of("sync-copies");
    ASSERT_EQ(of.size(), 1u);
    EXPECT_EQ(of[0].path, "cudaMemcpy");
    EXPECT_EQ(of[0].detail.cost_ns, 10 * ms);
}

enum cuda_call call_of(const std::string &name)
{
    return cuda_call_of_name({name.data(), name.size()});
}

TEST(CudaCalls, AreKnownByTheirNames)
{
    EXPECT_EQ(call_of("cudaLaunchKernel"), CUDA_CALL_LAUNCH);
    EXPECT_EQ(call_of("cudaLaunchKernel_v7000"), CUDA_CALL_LAUNCH);
    EXPECT_EQ(call_of("cuLaunchKernelEx"), CUDA_CALL_LAUNCH);
    EXPECT_EQ(call_of("cudaLaunchHostFunc"), CUDA_CALL_HOST_FUNCTION);
    EXPECT_EQ(call_of("cudaMemcpy"), CUDA_CALL_COPY);
    EXPECT_EQ(call_of("cuMemcpyHtoD_v2"), CUDA_CALL_COPY);
    EXPECT_EQ(call_of("cuMemcpyHtoDAsync_v2_ptsz"), CUDA_CALL_COPY_ASYNC);
    EXPECT_EQ(call_of("cudaMemcpy2DAsync_ptsz"), CUDA_CALL_COPY_ASYNC);
    EXPECT_EQ(call_of("cudaMallocAsync"), CUDA_CALL_ALLOCATE_ASYNC);
    EXPECT_EQ(call_of("cudaMallocManaged"), CUDA_CALL_ALLOCATE);
    EXPECT_EQ(call_of("cudaFreeHost"), CUDA_CALL_FREE);
    EXPECT_EQ(call_of("cudaFreeAsync"), CUDA_CALL_FREE_ASYNC);
    EXPECT_EQ(call_of("cudaEventRecord"), CUDA_CALL_OTHER);
    EXPECT_EQ(call_of("hipLaunchKernel"), CUDA_CALL_LAUNCH);
    EXPECT_EQ(call_of("hipMemcpy"), CUDA_CALL_COPY);
    EXPECT_EQ(call_of("hipDeviceSynchronize"), CUDA_CALL_SYNC_DEVICE);
    EXPECT_EQ(call_of(""), CUDA_CALL_OTHER);
    EXPECT_EQ(call_of("_v2"), CUDA_CALL_OTHER);
}

} // namespace
