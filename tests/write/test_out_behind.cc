// Buffers that a second thread writes: all of them, in order, and the first failure is told.
extern "C" {
#include "json_out.h"
}

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace
{

struct TemporaryFile {
    TemporaryFile() { fd = mkstemp(name); }
    ~TemporaryFile() { close(fd), unlink(name); }
    std::string text() const
    {
        std::ifstream in(name, std::ios::binary);
        std::stringstream all;
        all << in.rdbuf();
        return all.str();
    }
    char name[32] = "/tmp/prof-behind-XXXXXX";
    int fd;
};

std::string list_of(uint64_t count, bool behind, const std::string &large)
{
    TemporaryFile file;
    json_out out;
    EXPECT_TRUE(json_out_init(&out, file.fd, nullptr));
    if (behind)
        json_out_write_behind(&out);
    EXPECT_EQ(out.behind != nullptr, behind);
    json_array_begin(&out);
    for (uint64_t i = 0; i < count; i++) {
        json_uint(&out, i);
        if (i % 50000 == 7)
            json_out_bytes(&out, large.data(), large.size());
    }
    json_array_end(&out);
    EXPECT_EQ(json_out_fini(&out), 0);
    return file.text();
}

} // namespace

TEST(OutBehind, WritesTheSameBytesInTheSameOrder)
{
    std::string large(3 * JSON_BUFFER_BYTES, 'x'); // written past the buffers
    EXPECT_EQ(list_of(500000, true, large), list_of(500000, false, large));
    EXPECT_EQ(list_of(0, true, large), "[]");
}

TEST(OutBehind, TellsTheFirstFailure)
{
    int fd = open("/dev/full", O_WRONLY);
    json_out out;
    ASSERT_TRUE(json_out_init(&out, fd, nullptr));
    json_out_write_behind(&out);
    json_array_begin(&out);
    for (uint64_t i = 0; i < 1000000; i++)
        json_uint(&out, i);
    EXPECT_EQ(json_out_fini(&out), ENOSPC);
    close(fd);
}
