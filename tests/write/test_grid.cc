// A table of cells, separated and as Markdown: what its readers get back.
#include "write_support.h"

extern "C" {
#include "grid.h"
#include "markdown_text.h"
}

#include <gtest/gtest.h>

namespace
{

text text_of(const std::string &name)
{
    return {name.data(), name.size()};
}

std::string one_name(const std::string &name, grid_style style)
{
    grid grid;
    grid_init(&grid, 2);
    grid_string(&grid, "name"), grid_string(&grid, "ns");
    grid_whole_text(&grid, text_of(name)), grid_format(&grid, "%d", -5);
    std::string all =
        to_string([&](FILE *stream) { EXPECT_TRUE(grid_write(&grid, style, nullptr, stream)); });
    grid_fini(&grid);
    return all.substr(all.find('\n') + 1);
}

// A name and two numbers, of which the second may be left out.
std::string on_a_terminal(unsigned width, grid_style style)
{
    static const grid_column layout[] = {{}, {}, {1}};
    grid grid;
    grid_init(&grid, 3);
    grid.table_width = width;
    grid.layout = layout;
    grid_string(&grid, "name"), grid_string(&grid, "ns"), grid_string(&grid, "bytes");
    grid_text(&grid, text_of(std::string(30, 'n')));
    grid_format(&grid, "%d", 12345), grid_format(&grid, "%d", 1234567);
    std::string all =
        to_string([&](FILE *stream) { EXPECT_TRUE(grid_write(&grid, style, nullptr, stream)); });
    grid_fini(&grid);
    return all;
}

TEST(GridAligned, FitsATerminal)
{
    std::string n(30, 'n'), rule(30, '-');
    EXPECT_EQ(on_a_terminal(0, GRID_ALIGNED), on_a_terminal(46, GRID_ALIGNED));
    EXPECT_NE(on_a_terminal(46, GRID_ALIGNED).find(n + "  12345  1234567\n"), std::string::npos);
    EXPECT_EQ(on_a_terminal(40, GRID_ALIGNED),
              "name                         ns    bytes\n" + rule.substr(6) + "  -----  -------\n" +
                  n.substr(16) + "..." + n.substr(23) + "  12345  1234567\n");
    EXPECT_EQ(on_a_terminal(34, GRID_ALIGNED), "name                            ns\n" +
                                                   rule.substr(3) + "  -----\n" + n.substr(14) +
                                                   "..." + n.substr(22) +
                                                   "  12345\nLeft out: bytes (to fit 34\n    "
                                                   "characters; --wide shows all)\n");
}

TEST(GridAligned, FitsOnlyTextForPeople)
{
    for (grid_style style : {GRID_TSV, GRID_CSV, GRID_MARKDOWN})
        EXPECT_NE(on_a_terminal(20, style).find("1234567"), std::string::npos);
}

TEST(GridCsv, QuotesWhatAnySeparatorWouldSplit)
{
    EXPECT_EQ(one_name("plain", GRID_CSV), "plain,-5\n");
    EXPECT_EQ(one_name("a,b", GRID_CSV), "\"a,b\",-5\n");
    EXPECT_EQ(one_name("a;b", GRID_CSV), "\"a;b\",-5\n");
    EXPECT_EQ(one_name("say \"x\"", GRID_CSV), "\"say \"\"x\"\"\",-5\n");
    EXPECT_EQ(one_name("a,b", GRID_TSV), "a,b\t-5\n");
}

TEST(GridCsv, GuardsNamesThatSpreadsheetsCalculateButNoNumbers)
{
    for (const char *sign : {"=", "+", "-", "@", "'", "\uff1d", "\uff0b", "\uff0d", "\uff20"})
        EXPECT_EQ(one_name(sign + std::string("1"), GRID_CSV), "'" + std::string(sign) + "1,-5\n");
    EXPECT_EQ(one_name("1=2", GRID_CSV), "1=2,-5\n");
}

TEST(GridCsv, IsExactWhereAnotherProgramsOutputIsAskedFor)
{
    EXPECT_EQ(one_name("=1;2", GRID_EXACT_CSV), "=1;2,-5\n");
    EXPECT_EQ(one_name("=1,2", GRID_EXACT_TSV), "=1,2\t-5\n");
}

TEST(GridCsv, HasAllOfAName)
{
    std::string name(1 << 20, 'x');
    EXPECT_EQ(one_name(name, GRID_CSV), name + ",-5\n");
}

TEST(GridMarkdown, NamesAreTextAndNothingElse)
{
    EXPECT_EQ(one_name("a|b", GRID_MARKDOWN), "|:--|--:|\n| a\\|b | -5 |\n");
    EXPECT_EQ(one_name("</script>", GRID_MARKDOWN), "|:--|--:|\n| \\</script\\> | -5 |\n");
}

std::string marked(const char *name)
{
    return to_string([&](FILE *stream) { markdown_text(name, stream); });
}

TEST(MarkdownText, EscapesWhatMeansSomething)
{
    EXPECT_EQ(marked("`c` *b* _i_ [l](x) \\"), "\\`c\\` \\*b\\* \\_i\\_ \\[l\\](x) \\\\");
    EXPECT_EQ(marked("https://a www.b std::c 1.5"), "https\\://a www\\.b std::c 1.5");
    EXPECT_EQ(marked("a  b "), "a &nbsp;b&nbsp;");
    EXPECT_EQ(marked("@me #1 $x$ &lt; {a}^"), "\\@me \\#1 \\$x\\$ \\&lt; \\{a\\}\\^");
}

TEST(WriteFormat, NamesAndFormatsAreOne)
{
    for (int i = WRITE_TEXT; i <= WRITE_MARKDOWN; i++) {
        write_format found;
        auto format = static_cast<write_format>(i);
        ASSERT_TRUE(write_format_find(write_format_name(format), &found));
        EXPECT_EQ(found, format);
    }
    write_format none;
    EXPECT_FALSE(write_format_find("yaml", &none));
    EXPECT_FALSE(write_format_find("", &none));
}

} // namespace
