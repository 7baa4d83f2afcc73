// What JIT compilers write about their code.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "symfile.h"
}

namespace
{

class Perfmap : public testing::Test
{
protected:
    void SetUp() override
    {
        const char *parent = getenv("TMPDIR");
        directory = std::string(parent ? parent : "/tmp") + "/perfmap.XXXXXX";
        ASSERT_TRUE(mkdtemp(directory.data()));
        path = directory + "/perf-42.map";
    }
    void TearDown() override
    {
        perfmap_free(&map);
        unlink(path.c_str());
        rmdir(directory.c_str());
    }
    void write(const std::string &text)
    {
        FILE *file = fopen(path.c_str(), "w");
        ASSERT_TRUE(file);
        fwrite(text.data(), 1, text.size(), file);
        fclose(file);
    }
    std::string at(uint64_t address)
    {
        const char *name = perfmap_find(&map, address);
        return name ? name : "(none)";
    }
    std::string directory, path;
    perfmap map = {};
};

} // namespace

TEST_F(Perfmap, NamesWhatLiesWithinItsLines)
{
    write("2000 100 second function\n1000 10 first\n");
    ASSERT_TRUE(perfmap_load(&map, path.c_str(), 1));
    EXPECT_EQ(at(0x0fff), "(none)");
    EXPECT_EQ(at(0x1000), "first");
    EXPECT_EQ(at(0x100f), "first");
    EXPECT_EQ(at(0x1010), "(none)");
    EXPECT_EQ(at(0x20ff), "second function");
    EXPECT_EQ(at(UINT64_MAX), "(none)");
}

TEST_F(Perfmap, LaterLinesReplaceEarlierOnes)
{
    write("1000 100 old\n1080 10 newer\n1000 100 newest\n1050 8 inside\n");
    ASSERT_TRUE(perfmap_load(&map, path.c_str(), 1));
    EXPECT_EQ(at(0x1000), "newest");
    EXPECT_EQ(at(0x1084), "newest");
    EXPECT_EQ(at(0x1054), "inside");
}

TEST_F(Perfmap, LeavesOutLinesThatAreNone)
{
    write("\nnonsense\n1000\n1000 10\n1000  x\n1000 0 empty\nffffffffffffffff ff wraps\n3000 10 "
          "good");
    ASSERT_TRUE(perfmap_load(&map, path.c_str(), 1));
    EXPECT_EQ(at(0x1000), "(none)");
    EXPECT_EQ(at(0x3000), "good");
    EXPECT_EQ(at(0), "(none)");
}

TEST_F(Perfmap, OfAProcessIsFoundInADirectory)
{
    write("1000 10 mine\n");
    ASSERT_TRUE(perfmap_load(&map, directory.c_str(), 42));
    EXPECT_EQ(at(0x1000), "mine");
    perfmap_free(&map);
    EXPECT_FALSE(perfmap_load(&map, directory.c_str(), 43));
    EXPECT_EQ(at(0x1000), "(none)");
}
