// Tables and lines that fit a terminal: what is cut, what is left out, what never changes.
#include "write_support.h"

extern "C" {
#include "fit.h"
}

#include <gtest/gtest.h>

namespace
{

// A name, and numbers of 10 characters.
std::vector<fit_column> columns(unsigned name, std::vector<unsigned> ranks)
{
    std::vector<fit_column> all{{"Name", name, 20, 0, false}};
    for (unsigned rank : ranks)
        all.push_back({"Number", 10, 10, rank, false});
    return all;
}

std::vector<fit_column> fitted(std::vector<fit_column> all, unsigned width)
{
    fit_columns(all.data(), static_cast<unsigned>(all.size()), width);
    return all;
}

std::vector<bool> shown(const std::vector<fit_column> &all)
{
    std::vector<bool> are;
    for (const auto &column : all)
        are.push_back(!column.left_out);
    return are;
}

using Shown = std::vector<bool>;

std::string lines(const std::string &text, unsigned width)
{
    return to_string([&](FILE *stream) { fit_lines(text.c_str(), width, stream); });
}

TEST(FitColumns, TouchNothingThatFits)
{
    auto all = fitted(columns(40, {1, 2, 3}), 40 + 3 * 12);
    EXPECT_EQ(shown(all), (Shown{true, true, true, true}));
    EXPECT_EQ(all[0].width, 40u);
}

TEST(FitColumns, CutNamesBeforeAnythingIsLeftOut)
{
    auto all = fitted(columns(40, {1, 2, 3}), 20 + 3 * 12);
    EXPECT_EQ(shown(all), (Shown{true, true, true, true}));
    EXPECT_EQ(all[0].width, 20u);
}

TEST(FitColumns, LeaveOutTheLargestRankAndGiveNamesTheRest)
{
    auto all = fitted(columns(40, {1, 3, 2}), 20 + 3 * 12 - 1);
    EXPECT_EQ(shown(all), (Shown{true, true, false, true}));
    EXPECT_EQ(all[0].width, 20u + 11);
}

TEST(FitColumns, OfOneRankGoTogether)
{
    EXPECT_EQ(shown(fitted(columns(40, {1, 2, 2}), 20 + 2 * 12)),
              (Shown{true, true, false, false}));
}

TEST(FitColumns, OfRankZeroStayAndNumbersKeepTheirWidth)
{
    auto all = fitted(columns(40, {0, 1, 0}), 10);
    EXPECT_EQ(shown(all), (Shown{true, true, false, true}));
    EXPECT_EQ(all[0].width, 20u);
    EXPECT_EQ(all[1].width, 10u);
}

TEST(FitColumns, CutTheWidestText)
{
    std::vector<fit_column> all{{"Name", 30, 20, 0, false}, {"Path", 60, 20, 0, false}};
    all = fitted(all, 62);
    EXPECT_EQ(all[0].width, 30u);
    EXPECT_EQ(all[1].width, 30u);
}

TEST(FitText, KeepsBothEndsOfAName)
{
    auto cut = [](const std::string &text, unsigned columns, unsigned width) {
        std::string to(text.size() + 4, '\0');
        fit_text(text.c_str(), columns, width, to.data());
        return std::string(to.c_str());
    };
    EXPECT_EQ(cut("abcdefghij", 10, 7), "abc...j");
    EXPECT_EQ(cut("abcdefghij", 10, 8), "abcd...j");
    EXPECT_EQ(cut("abcdefghij", 10, 3), "...");
    EXPECT_EQ(cut("\u00fcbcdefghi\u00fc", 10, 6), "\u00fcb...\u00fc");
}

TEST(FitNote, NamesWhatIsLeftOut)
{
    auto all = fitted(columns(40, {2, 2, 0}), 40);
    auto note = [&](unsigned width) {
        return to_string([&](FILE *stream) { fit_note(all.data(), 4, width, stream); });
    };
    EXPECT_EQ(note(90), "Left out: Number, Number (to fit 90 characters; --wide shows all)\n");
    EXPECT_EQ(note(40), "Left out: Number, Number (to fit 40\n    characters; --wide shows all)\n");
    EXPECT_EQ(to_string([&](FILE *stream) { fit_note(all.data(), 1, 40, stream); }), "");
}

TEST(FitLines, CountNoColour)
{
    EXPECT_EQ(lines("\033[1m1234 6789\033[0m\n", 9), "\033[1m1234 6789\033[0m\n");
    EXPECT_EQ(lines("\033[31m1234 6789\033[0m ab\n", 9), "\033[31m1234 6789\033[0m\n    ab\n");
}

TEST(FitLines, AreFoldedAtBlanksOnlyWhereTheyAreTooLong)
{
    EXPECT_EQ(lines("1234 6789\n\n", 9), "1234 6789\n\n");
    EXPECT_EQ(lines("1234 6789 ab", 9), "1234 6789\n    ab\n");
    EXPECT_EQ(lines("1234 6789x", 9), "1234\n    6789x\n");
    EXPECT_EQ(lines("  1234567890 x", 9), "  1234567890\n    x\n");
    EXPECT_EQ(lines("Host:  12 45", 9), "Host:  12\n       45\n");
    EXPECT_EQ(lines("12345678901 x", 9), "12345678901\n    x\n");
    EXPECT_EQ(lines("\u00fc\u00fc\u00fc\u00fc \u00fc\u00fc\u00fc\u00fc", 9),
              "\u00fc\u00fc\u00fc\u00fc \u00fc\u00fc\u00fc\u00fc\n");
}

} // namespace
