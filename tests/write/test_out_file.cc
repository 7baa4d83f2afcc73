// Where exports go: replaced as a whole, nothing half-written, devices as they are.
#include "write_support.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace
{

std::string entries(const Scratch &scratch)
{
    std::string list;
    FILE *pipe = popen(("ls -A " + scratch.directory + " | tr '\\n' ' '").c_str(), "r");
    for (int c; (c = fgetc(pipe)) != EOF;)
        list += static_cast<char>(c);
    pclose(pipe);
    return list;
}

TEST(OutFile, ReplacesOnlyWhenComplete)
{
    Scratch scratch;
    std::string path = scratch.path("out.json");
    write_file(path, "old");
    write_error error;
    out_file file;
    ASSERT_TRUE(out_file_open(&file, path.c_str(), &error)) << error.message;
    ASSERT_EQ(write(file.fd, "new", 3), 3);
    EXPECT_EQ(read_file(path), "old");
    ASSERT_TRUE(out_file_commit(&file, 0, &error));
    EXPECT_EQ(read_file(path), "new");
    EXPECT_EQ(entries(scratch), "out.json ");
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(OutFile, LeavesNothingOfAFailedExport)
{
    Scratch scratch;
    write_error error;
    out_file file;
    ASSERT_TRUE(out_file_open(&file, scratch.path("out.json").c_str(), &error));
    EXPECT_FALSE(out_file_commit(&file, ENOSPC, &error));
    EXPECT_EQ(error.code, ENOSPC);
    EXPECT_NE(strstr(error.message, "out.json"), nullptr);
    EXPECT_EQ(entries(scratch), "");
}

TEST(OutFile, IsRemovedWhenTheProgramIsToldToEnd)
{
    Scratch scratch;
    write_error error;
    out_file file;
    ASSERT_TRUE(out_file_open(&file, scratch.path("out.json").c_str(), &error));
    out_file_remove_temporary();
    EXPECT_EQ(entries(scratch), "");
    EXPECT_FALSE(out_file_commit(&file, 0, &error));
}

TEST(OutFile, SaysWhyItCannotBeOpened)
{
    Scratch scratch;
    write_error error;
    out_file file;
    EXPECT_FALSE(out_file_open(&file, scratch.directory.c_str(), &error));
    EXPECT_EQ(error.code, EISDIR);
    EXPECT_FALSE(out_file_open(&file, scratch.path("none/out.json").c_str(), &error));
    EXPECT_EQ(error.code, ENOENT);
    EXPECT_FALSE(out_file_open(&file, "", &error));
}

TEST(OutFile, ReplacesALinkNotItsTarget)
{
    Scratch scratch;
    write_file(scratch.path("target"), "precious");
    ASSERT_EQ(symlink("target", scratch.path("link").c_str()), 0);
    write_error error;
    out_file file;
    ASSERT_TRUE(out_file_open(&file, scratch.path("link").c_str(), &error));
    ASSERT_EQ(write(file.fd, "new", 3), 3);
    ASSERT_TRUE(out_file_commit(&file, 0, &error));
    EXPECT_EQ(read_file(scratch.path("target")), "precious");
    EXPECT_EQ(read_file(scratch.path("link")), "new");
}

TEST(OutFile, WritesDevicesDirectly)
{
    write_error error;
    out_file file;
    ASSERT_TRUE(out_file_open(&file, "/dev/null", &error));
    EXPECT_EQ(write(file.fd, "x", 1), 1);
    EXPECT_TRUE(out_file_commit(&file, 0, &error));
    struct stat status;
    ASSERT_EQ(stat("/dev/null", &status), 0);
    EXPECT_TRUE(S_ISCHR(status.st_mode));
    for (const char *own : {"-", "/dev/stdout", "/dev/fd/1", "/dev/stderr"}) {
        ASSERT_TRUE(out_file_open(&file, own, &error)) << own;
        EXPECT_GT(file.fd, 2);
        EXPECT_TRUE(out_file_commit(&file, 0, &error)) << own;
    }
}

} // namespace
