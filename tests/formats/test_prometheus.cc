// Prometheus' text format: checked against its grammar, and the numbers are those of the table.
#include "formats_support.h"

namespace
{

class Prometheus : public Formats
{
protected:
    // A line per sample; see check_prometheus.py.
    std::string write(TimelineMaker &m)
    {
        write_error error;
        std::string path = scratch.path("t.prom");
        EXPECT_TRUE(write_prometheus(m.done(), path.c_str(), &error)) << error.message;
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
    expect_in(write(m), "libprof_run_seconds : 0.000000000");
}

TEST_F(Prometheus, HasTheNumbersOfTheTable)
{
    TimelineMaker m;
    m.push("outer", 0);
    uint32_t call = m.launch("cudaLaunchKernel", 100, 300);
    m.pop(1000);
    m.kernel("gemm", call, 2000, 4000);
    std::string said = write(m);
    expect_in(said, "libprof_calls kind=range name=outer: 1");
    expect_in(said, "libprof_cpu_seconds kind=range name=outer: 0.000001000");
    expect_in(said, "libprof_self_cpu_seconds kind=range name=outer: 0.000000800");
    expect_in(said, "libprof_device_seconds kind=range name=outer: 0.000002000");
    expect_in(said, "libprof_self_device_seconds kind=kernel name=gemm: 0.000002000");
    EXPECT_EQ(said.find("_cpu_seconds kind=kernel"), std::string::npos) << said;
    expect_in(said, "libprof_device_busy_ratio device=0 process=0: 0.500000000");
}

TEST_F(Prometheus, AddsUpNamesThatReadTheSame)
{
    TimelineMaker m;
    m.range("a\xff", 0, 10);
    m.range("a\xfe", 10, 30);
    std::string said = write(m);
    EXPECT_EQ(said.find("name=a"), said.rfind("name=a", said.find("libprof_cpu_seconds")));
    expect_in(said, "libprof_calls kind=range name=a\xef\xbf\xbd: 2");
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
