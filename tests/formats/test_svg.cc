// The picture as an image: well-formed whatever names hold, and nothing in it that could run.
#include "../write/write_support.h"

extern "C" {
#include "formats.h"
}

#include <gtest/gtest.h>

namespace
{

std::string svg_of(const timeline *of, const write_svg_options &options)
{
    Scratch scratch;
    write_error error{};
    std::string path = scratch.path("out.svg");
    EXPECT_TRUE(write_svg(of, &options, path.c_str(), &error)) << error.message;
    EXPECT_EQ(Scratch::run("python3 -c 'import sys, xml.dom.minidom; "
                           "xml.dom.minidom.parse(sys.argv[1])' '" +
                           path + "'"),
              0);
    return read_file(path);
}

const write_svg_options usual = {.from_ns = 0, .to_ns = 1000, .width_px = WRITE_SVG_WIDTH};

} // namespace

TEST(Svg, IsWellFormedWhateverNamesHold)
{
    TimelineMaker m;
    m.range("</text><script>alert(1)</script>", 0, 400);
    m.range("\"quotes' & <angles> \x1b[31m\x01\xff\xc3", 400, 800);
    m.range(std::string(1 << 20, 'x'), 800, 1000);
    m.thread(102, "]]><!-- ");
    m.range("t", 0, 1000);
    std::string svg = svg_of(m.done(), usual);
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find('\x1b'), std::string::npos);
    EXPECT_NE(svg.find("&lt;/text&gt;"), std::string::npos);
    EXPECT_LT(svg.size(), 20000u);
}

TEST(Svg, SaysWhatIsNotDrawn)
{
    TimelineMaker m;
    for (int i = 0; i < 30; i++) {
        m.thread(200 + static_cast<uint32_t>(i));
        m.range("r", 0, 1000);
    }
    EXPECT_NE(svg_of(m.done(), usual).find("6 threads are not drawn"), std::string::npos);
}

TEST(Svg, CountsWhatItDrawsTogetherInTheColourOfWhatItHolds)
{
    TimelineMaker m;
    for (int i = 0; i < 1000; i++)
        m.range("tiny", i, i + 1);
    m.range("tiny", 2000000, 3000000);
    write_svg_options options = usual;
    options.to_ns = 10000;
    std::string svg = svg_of(m.done(), options);
    size_t many = svg.find(" m\"");
    ASSERT_NE(many, std::string::npos);
    EXPECT_EQ(svg.substr(many - 2, 1), "r"); // the class of the name's colour
    EXPECT_NE(svg.find(" events, the longest tiny, "), std::string::npos);
}

TEST(Svg, HasTicksInOneUnit)
{
    TimelineMaker m;
    m.range("r", 0, 1200000000);
    write_svg_options options = usual;
    options.to_ns = 1200000000;
    std::string svg = svg_of(m.done(), options);
    for (const char *tick : {">0 ms<", ">200 ms<", ">1000 ms<"})
        EXPECT_NE(svg.find(tick), std::string::npos) << tick;
    EXPECT_EQ(svg.find(" s<"), std::string::npos);
}

std::string ticks_of(int64_t span_ns)
{
    TimelineMaker m;
    m.range("r", 0, span_ns);
    write_svg_options options = usual;
    options.to_ns = span_ns;
    std::string svg = svg_of(m.done(), options), ticks;
    static const char tick[] = "<text class=\"d\" x=\"";
    for (size_t at = svg.find(tick); at != std::string::npos; at = svg.find(tick, at + 1)) {
        size_t from = svg.find('>', at) + 1;
        std::string text = svg.substr(from, svg.find('<', from) - from);
        if (text.find(' ') != std::string::npos && text.find("main") == std::string::npos)
            ticks += text + ", ";
    }
    return ticks;
}

TEST(Svg, HasTicksInTheUnitThatFits)
{
    const int64_t second = 1000000000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;
    EXPECT_EQ(ticks_of(100 * second), "0 s, 20 s, 40 s, 60 s, 80 s, ");
    EXPECT_EQ(ticks_of(5 * minute), "0 min, 1 min, 2 min, 3 min, 4 min, ");
    EXPECT_EQ(ticks_of(3 * hour), "0 min, 30 min, 60 min, 90 min, 120 min, 150 min, ");
    EXPECT_EQ(ticks_of(2 * day), "0 h, 6 h, 12 h, 18 h, 24 h, 30 h, 36 h, 42 h, ");
    EXPECT_EQ(ticks_of(365 * day), "0 d, 50 d, 100 d, 150 d, 200 d, 250 d, 300 d, 350 d, ");
}

TEST(Svg, CutsLabelsWithAnEndAndAllOfThemInTheTitle)
{
    TimelineMaker m;
    std::string name = "a thread with a name that is too long for its place";
    m.thread(102, name.c_str());
    m.range("r", 0, 1000);
    std::string svg = svg_of(m.done(), usual);
    EXPECT_NE(svg.find("...<title>" + name), std::string::npos);
}

TEST(Svg, HasTicksThatDifferHoweverShortItIs)
{
    TimelineMaker m;
    write_svg_options options = usual;
    options.to_ns = 1;
    std::string svg = svg_of(m.done(), options);
    size_t first = svg.find("0.000 us");
    EXPECT_NE(first, std::string::npos);
    EXPECT_EQ(svg.find("0.000 us", first + 1), std::string::npos);
}

TEST(Svg, OfNothingSaysSo)
{
    TimelineMaker m;
    EXPECT_NE(svg_of(m.done(), usual).find("Nothing happened"), std::string::npos);
}

TEST(Svg, IsTheSameEveryTime)
{
    TimelineMaker m;
    m.kernel("k", m.launch("cudaLaunchKernel", 10, 20), 30, 60);
    const timeline *of = m.done();
    EXPECT_EQ(svg_of(of, usual), svg_of(of, usual));
}

TEST(Svg, FailsWithoutAFileWhenTheDiskIsFull)
{
    TimelineMaker m;
    m.range("r", 0, 1000);
    write_error error{};
    EXPECT_FALSE(write_svg(m.done(), &usual, "/dev/full", &error));
    EXPECT_EQ(error.code, ENOSPC);
}
