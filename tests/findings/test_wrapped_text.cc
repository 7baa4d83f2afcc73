// Paragraphs fit 100 columns, whatever the text is.
extern "C" {
#include "fit.h"
}

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace
{

std::string wrapped(const char *first, const std::string &text)
{
    char *bytes = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    wrapped_text(stream, 0, first, text.c_str());
    fclose(stream);
    std::string out(bytes, size);
    free(bytes);
    return out;
}

TEST(WrappedText, BreaksAtBlanks)
{
    EXPECT_EQ(wrapped("- ", std::string(60, 'a') + " " + std::string(60, 'b')),
              "- " + std::string(60, 'a') + "\n  " + std::string(60, 'b') + "\n");
    EXPECT_EQ(wrapped("", std::string(49, 'a') + " " + std::string(50, 'b')),
              std::string(49, 'a') + " " + std::string(50, 'b') + "\n");
}

TEST(WrappedText, CutsWordsThatAreLongerThanALine)
{
    EXPECT_EQ(wrapped("  ", std::string(150, 'x')),
              "  " + std::string(98, 'x') + "\n  " + std::string(52, 'x') + "\n");
}

TEST(WrappedText, CountsCharactersNotBytes)
{
    std::string umlauts;
    for (int i = 0; i < 100; i++)
        umlauts += "\u00e4";
    EXPECT_EQ(wrapped("", umlauts), umlauts + "\n");
}

TEST(WrappedText, IsSafeToShow)
{
    EXPECT_EQ(wrapped("", "a\x1b[31m\nb"), "a\\x1b[31m\\nb\n");
    EXPECT_EQ(wrapped("in ", ""), "in \n");
}

TEST(WrappedText, OfEndlessTextIsMarkedAsCut)
{
    std::string out = wrapped("", std::string(5000, 'x'));
    EXPECT_EQ(out.substr(out.size() - 4), "...\n");
}

} // namespace
