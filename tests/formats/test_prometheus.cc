// Prometheus' text format: checked against its grammar, and the numbers are those of the table.
#include "formats_support.h"

namespace
{

class Prometheus : public Formats
{
protected:
    // A line per sample; see check_prometheus.py.
    std::string write(TimelineMaker &m, const write_prometheus_options *options = nullptr)
    {
        write_error error;
        std::string path = scratch.path("t.prom");
        EXPECT_TRUE(write_prometheus(m.done(), options, path.c_str(), &error)) << error.message;
        return check("check_prometheus.py", path);
    }

    static void expect_in(const std::string &all, const std::string &line)
    {
        if (have_python()) {
            EXPECT_NE(all.find(line + "\n"), std::string::npos) << line << "\nis not in\n" << all;
        }
    }
};

TEST_F(Prometheus, TakesAnEmptyTimeline)
{
    TimelineMaker m;
    expect_in(write(m), "libprof_steps_total host=host pid=100: 0");
}

TEST_F(Prometheus, HasTheNumbersOfTheTable)
{
    TimelineMaker m;
    m.push("outer", 0);
    uint32_t call = m.launch("cudaLaunchKernel", 100, 300);
    m.pop(1000);
    m.kernel("gemm", call, 2000, 4000);
    std::string said = write(m);
    expect_in(said, "libprof_range_calls_total name=outer: 1");
    expect_in(said, "libprof_range_seconds_total name=outer: 0.000001000");
    expect_in(said, "libprof_range_device_seconds_total name=outer: 0.000002000");
    expect_in(said, "libprof_launches_total host=host pid=100: 1");
    expect_in(said, "libprof_operations_total host=host kind=kernel pid=100: 1");
    expect_in(said, "libprof_device_busy_seconds_total device=0 host=host pid=100: 0.000002000");
    EXPECT_EQ(said.find("gemm"), std::string::npos) << "a kernel's name is a label\n" << said;
    EXPECT_EQ(said.find("rank"), std::string::npos) << "a label that says nothing\n" << said;
}

// Two allocators may have one name: no series is there twice.
TEST_F(Prometheus, TellsHeapsOfOneNameApart)
{
    TimelineMaker m;
    tl_heap heaps[] = {{0, TL_NONE, 1, m.name("arena"), 0}, {0, TL_NONE, 2, m.name("arena"), 0}};
    m.made.heaps.at = heaps;
    m.made.heaps.count = 2;
    std::string said = write(m);
    expect_in(said, "libprof_memory_bytes host=host memory=arena pid=100: 0");
    expect_in(said, "libprof_memory_bytes host=host memory=arena (2) pid=100: 0");
}

TEST_F(Prometheus, CountsStepsAndCollectives)
{
    TimelineMaker m;
    m.push("ProfilerStep#1", 0, TL_STEP), m.pop(4000000);
    m.push("ProfilerStep#2", 4000000, TL_STEP), m.pop(5000000);
    m.range("ncclAllReduce", 5000000, 5000010);
    m.range("ncclGroupStart", 5000020, 5000030);
    std::string said = write(m);
    expect_in(said, "libprof_steps_total host=host pid=100: 2");
    expect_in(said, "libprof_step_seconds_bucket host=host le=0.001 pid=100: 1");
    expect_in(said, "libprof_step_seconds_bucket host=host le=0.005 pid=100: 2");
    expect_in(said, "libprof_step_seconds_bucket host=host le=+Inf pid=100: 2");
    expect_in(said, "libprof_step_seconds_sum host=host pid=100: 0.005000000");
    expect_in(said, "libprof_collectives_total function=ncclAllReduce host=host pid=100: 1");
}

TEST_F(Prometheus, CountsWhatWasCutOnce)
{
    TimelineMaker m;
    auto step = m.push("ProfilerStep#1", 0, TL_STEP);
    auto call = m.launch("cudaLaunchKernel", 100, 200);
    m.pop(200);
    auto rest = m.push("ProfilerStep#1", 200, TL_STEP, TL_CONTINUED);
    auto later = m.push("cudaLaunchKernel", 200, TL_API, TL_LAUNCHES | TL_CONTINUED);
    m.slices[later].api = m.slices[call].api;
    m.pop(300), m.pop(4000000);
    std::vector<tl_segment> segments = {{rest, step, step}, {later, call, call}};
    m.made.segments.at = segments.data(), m.made.segments.count = 2;
    std::string said = write(m);
    expect_in(said, "libprof_steps_total host=host pid=100: 1");
    expect_in(said, "libprof_step_seconds_sum host=host pid=100: 0.004000000");
    expect_in(said, "libprof_launches_total host=host pid=100: 1");
}

TEST_F(Prometheus, LabelsEachSeries)
{
    const char *labels[] = {"job=resnet \"50\"", "rank=7"};
    write_prometheus_options options = {labels, 2};
    TimelineMaker m;
    m.range("work", 0, 10);
    std::string said = write(m, &options);
    expect_in(said, "libprof_steps_total host=host job=resnet \\\\\"50\\\\\" pid=100 rank=7: 0");
}

TEST_F(Prometheus, AddsUpNamesThatReadTheSame)
{
    TimelineMaker m;
    m.range("a\xff", 0, 10);
    m.range("a\xfe", 10, 30);
    std::string said = write(m);
    expect_in(said, "libprof_range_calls_total name=a\xef\xbf\xbd: 2");
}

TEST_F(Prometheus, HasTheTwentyLongestRanges)
{
    TimelineMaker m;
    for (int64_t i = 0; i < 30; i++)
        m.range("range " + std::to_string(i), i * 100, i * 100 + i + 1);
    std::string said = write(m);
    EXPECT_EQ(have_python(), said.find("name=range 10:") != std::string::npos);
    EXPECT_EQ(said.find("name=range 9:"), std::string::npos);
}

TEST_F(Prometheus, LetsAnyNameThrough)
{
    TimelineMaker m;
    int64_t at = 0;
    for (const std::string &name : nasty_names())
        m.range(name, at, at + 5), at += 10;
    EXPECT_FALSE(have_python() && write(m).empty());
}

} // namespace
