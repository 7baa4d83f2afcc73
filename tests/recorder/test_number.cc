// Numbers out of text.
#include "recorder_support.h"

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

} // namespace
