// Numbers out of text, and text of numbers.
#include "recorder_support.h"

#include <cmath>

extern "C" {
#include "number.h"
}

namespace
{

TEST(Number, IsReadUpToWhatIsNoDigit)
{
    uint64_t number = 1;
    EXPECT_STREQ(number_parse("0042ms", &number), "ms");
    EXPECT_EQ(number, 42u);
    EXPECT_STREQ(number_parse("18446744073709551615", &number), "");
    EXPECT_EQ(number, UINT64_MAX);
}

TEST(Number, IsNothingElse)
{
    for (const char *text :
         {"", " 1", "+1", "-1", "x", ".5", "18446744073709551616", "184467440737095516150"}) {
        uint64_t number = 1;
        EXPECT_EQ(number_parse(text, &number), nullptr) << text;
        EXPECT_EQ(number, 0u) << text;
    }
}

TEST(Number, FollowsInALineOfProc)
{
    const char *line = "202 0x7ffd1a 0X \t00ff -1";
    EXPECT_EQ(number_next(&line, 10), 202u);
    EXPECT_EQ(number_next(&line, 16), 0x7ffd1au);
    EXPECT_EQ(number_next(&line, 16), 0u);
    EXPECT_STREQ(line++, "X \t00ff -1");
    EXPECT_EQ(number_next(&line, 16), 0xffu);
    EXPECT_EQ(number_next(&line, 10), 0u) << "a sign is no digit";
    EXPECT_STREQ(line, "-1");
}

TEST(Number, OfAFieldOfProc)
{
    const char *status = "Name:\tx\nTracerPid:\t42\nSigBlk:\tfffffffffffffeff\n";
    EXPECT_EQ(number_of_field(status, "TracerPid:", 10), 42u);
    EXPECT_EQ(number_of_field(status, "\nSigBlk:", 16), 0xfffffffffffffeffu);
    EXPECT_EQ(number_of_field(status, "Seccomp:", 10), 0u);
    EXPECT_EQ(number_of_field(status, "Name:", 10), 0u);
}

void expect_points()
{
    EXPECT_STREQ(number_fixed(1234.56, 1).bytes, "1234.6");
    EXPECT_STREQ(number_fixed(-0.25, 2).bytes, "-0.25");
    EXPECT_STREQ(number_fixed(7, 0).bytes, "7");
    EXPECT_STREQ(number_general(0.5, 6).bytes, "0.5");
    EXPECT_STREQ(number_general(-1.25e-30, 9).bytes, "-1.25e-30");
    EXPECT_STREQ(number_general(1e300, 9).bytes, "1e+300");
    EXPECT_STREQ(number_general(INFINITY, 9).bytes, "inf");
    EXPECT_EQ(strlen(number_fixed(1e300, 1).bytes), sizeof(number_text) - 1);
}

TEST(Number, HasAPointInEveryLocale)
{
    expect_points();
    for (const char *name : {"de_DE", "ps_AF"})
        if (!run_in_locale(name, expect_points))
            GTEST_SKIP() << "no localedef, or no sources of locales";
}

} // namespace
