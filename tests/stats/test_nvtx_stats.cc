// What NVTX brings to the statistics: names with domains, whole calls, counts per domain.
#include "../support/trace_fixture.h"

extern "C" {
#include "key_averages.h"
#include "run_facts.h"
}

#include <gtest/gtest.h>

namespace
{

// "name count cpu self cuda self_cuda", a line per row.
std::string rows(const timeline *t)
{
    key_averages averages;
    std::string text;
    EXPECT_TRUE(key_averages_init(&averages, t));
    for (uint32_t i = 0; i < averages.count; i++) {
        const key_average &row = averages.rows[i];
        text += std::string(row.name.bytes, row.name.size) + " " + std::to_string(row.count) + " " +
                std::to_string(row.cpu_total_ns) + " " + std::to_string(row.self_cpu_total_ns) +
                " " + std::to_string(row.cuda_total_ns) + " " +
                std::to_string(row.self_cuda_total_ns) + "\n";
    }
    key_averages_fini(&averages);
    return text;
}

TEST(NvtxAverages, CallARangeByItsDomain)
{
    Trace trace;
    trace.domain(1, "lib").thread(1).log(0, 1).push(0, "load").nvtx_push(10, "load", 1);
    trace.nvtx_push(20, "load").nvtx_pop(30).nvtx_pop(40, 1).pop(50);
    trace_builder_mark(trace.raw(), 60, trace.event_name("load", 1));
    EXPECT_EQ(rows(trace.load()), "load 2 50 30 0 0\nlib:load 1 30 20 0 0\nlib:load 1 0 0 0 0\n");
}

TEST(NvtxAverages, KeepTheRangesOfDomainsApart)
{
    Trace trace;
    trace.domain(1, "x").domain(2, "y").thread(1).log(0, 1);
    trace.nvtx_push(0, "", 1).nvtx_pop(5, 1).nvtx_push(10, "a", 2).nvtx_pop(20, 2);
    trace.nvtx_push(30, "a", 1).nvtx_pop(37, 1);
    EXPECT_EQ(rows(trace.load()), "x:(unnamed) 1 5 5 0 0\ny:a 1 10 10 0 0\nx:a 1 7 7 0 0\n");
}

TEST(NvtxAverages, CountARangeThatGoesOnInPiecesOnce)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(10, "a").nvtx_push(20, "b").launch(22, 24, 1).pop(30);
    trace.launch(32, 34, 2).nvtx_pop(40).kernel(50, 60, 1).kernel(60, 75, 2);
    EXPECT_EQ(rows(trace.api_names().load()), "a 1 20 10 10 0\nb 1 20 16 25 25\n"
                                              "cudaLaunchKernel 2 4 4 0 0\nkernel 2 0 0 25 25\n");
}

TEST(NvtxAverages, GiveABeginEndRangeWhatItsThreadLaunchedWithin)
{
    Trace trace;
    trace.domain(1, "lib").thread(1).thread(2).log(0, 1);
    trace.launch(5, 6, 1);
    trace_builder_begin(trace.raw(), 10, trace.event_name("epoch", 1), 1);
    trace.launch(12, 14, 2).push(15, "in").launch(16, 17, 3).pop(20);
    trace_builder_end(trace.raw(), 30, 1);
    trace.launch(31, 32, 4);
    trace_builder_begin(trace.raw(), 40, trace.name("wandering"), 2);
    trace.launch(41, 42, 5);
    trace.log(1, 2).launch(15, 16, 6);
    trace_builder_end(trace.raw(), 60, 2);
    for (uint32_t i = 1; i <= 6; i++)
        trace.kernel(i * 100, i * 100 + i, i);
    std::string text = rows(trace.api_names().load());
    EXPECT_NE(text.find("lib:epoch 1 20 0 5 0\n"), std::string::npos) << text;
    EXPECT_NE(text.find("wandering 1 20 0 0 0\n"), std::string::npos) << text;
}

TEST(NvtxCounts, AreByDomainAndByCategory)
{
    Trace trace;
    prof_rec_event_name detail = {};
    detail.category = 3;
    trace.domain(1, "lib").thread(1).log(0, 1);
    uint32_t io = trace.event_name("read", 1, detail);
    trace.push(5, "ours");
    trace_builder_nvtx_push(trace.raw(), 10, io);
    trace_builder_mark(trace.raw(), 11, io);
    trace_builder_begin(trace.raw(), 12, io, 7);
    trace.pop(13).nvtx_push(14, "plain").nvtx_push(15, "other", 1);
    const timeline *t = trace.load();
    nvtx_counts counts;
    ASSERT_TRUE(nvtx_counts_init(&counts, t));
    ASSERT_EQ(t->domains.count, 2u);
    ASSERT_EQ(t->categories.count, 1u);
    EXPECT_EQ(counts.all.ranges, 3u) << "pieces are no calls, and ours came another way";
    EXPECT_EQ(counts.domains[0].ranges, 2u);
    EXPECT_EQ(counts.domains[0].marks, 1u);
    EXPECT_EQ(counts.domains[0].begin_ends, 1u);
    EXPECT_EQ(counts.domains[1].ranges, 1u);
    EXPECT_EQ(counts.categories[0].ranges, 1u);
    EXPECT_EQ(counts.categories[0].marks, 1u);
    nvtx_counts_fini(&counts);
}

} // namespace
