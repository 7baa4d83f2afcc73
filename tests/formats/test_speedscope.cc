// speedscope files: frames nest, and they are those of the timeline.
#include "formats_support.h"

namespace
{

class Speedscope : public Formats
{
protected:
    // A line per profile; see check_speedscope.py.
    std::string write(TimelineMaker &m)
    {
        write_error error;
        std::string path = scratch.path("t.json");
        EXPECT_TRUE(write_speedscope(m.done(), nullptr, path.c_str(), &error)) << error.message;
        return check("check_speedscope.py", path);
    }
};

TEST_F(Speedscope, TakesAnEmptyTimeline)
{
    TimelineMaker m;
    EXPECT_EQ(write(m), have_python() ? "nothing recorded: \n" : "");
}

TEST_F(Speedscope, HasSamplesOfRunningThreads)
{
    Sampled sampled;
    write_error error;
    std::string path = scratch.path("t.json");
    EXPECT_TRUE(write_speedscope(sampled.m.done(), sampled.symbols, path.c_str(), &error))
        << error.message;
    std::string said = check("check_speedscope.py", path);
    if (have_python()) {
        EXPECT_EQ(said, "train thread 101 (main): outer[0 1000]\n"
                        "train thread 101 (main), sampled: 40 ?? (0x1000);?? (0x2000), "
                        "20 ?? (0x1000);?? (0x3000)\n"
                        "train thread 102 (), sampled: 5 ?? (0x1000);?? (0x3000)\n");
    }
}

TEST_F(Speedscope, ClosesWhatWasOpenedLast)
{
    TimelineMaker m;
    m.stream(7, 0, 1, 2);
    m.push("outer", 1000);
    m.range("a", 1100, 1200);
    m.range("b", 1200, 1300);
    m.range("empty", 2000, 2000);
    m.pop(2000);
    m.range("next", 2000, 2100);
    m.kernel("k", TL_NONE, 1500, 1700);
    m.kernel("l", TL_NONE, 1700, 1800);
    m.kernel("beside", TL_NONE, 1600, 1900, 0, 1);
    std::string said = write(m);
    if (have_python()) {
        EXPECT_EQ(said, "train thread 101 (main): outer[0 a[100 200] b[200 300] empty[1000 1000] "
                        "1000] next[1000 1100]\n"
                        "train GPU 0 stream 7: k[500 700] l[700 800]\n"
                        "train GPU 0 stream 7 (lane 2): beside[600 900]\n");
    }
}

TEST_F(Speedscope, LetsAnyNameThrough)
{
    TimelineMaker m;
    int64_t at = 0;
    for (const std::string &name : nasty_names())
        m.range(name, at, at + 5), at += 10;
    EXPECT_FALSE(have_python() && write(m).empty());
}

} // namespace
