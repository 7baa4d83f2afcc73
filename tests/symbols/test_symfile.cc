// Functions of a file by address: of this very program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <link.h>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
#include "symfile.h"

__attribute__((noinline)) int symfile_test_function(int value)
{
    __asm__ volatile("" : "+r"(value));
    return value + 1;
}

// as assemblers for Arm put one before code
__asm__(".pushsection .text.symfile_test, \"ax\", %progbits\n"
        ".globl symfile_test_begin\n"
        "symfile_test_begin: .skip 32\n"
        "\"$x.symfile\": .skip 32\n"
        ".popsection");
extern const char symfile_test_begin[];
}

namespace
{

struct Found {
    std::vector<std::string> functions;
    uint32_t line = 0;
};

void note(void *user, const symfile_frame *frame)
{
    Found *found = static_cast<Found *>(user);
    found->functions.push_back(frame->function ? frame->function : "");
    found->line = frame->line;
}

uint64_t own_bias()
{
    uint64_t bias = 0;
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *user) {
            *static_cast<uint64_t *>(user) = info->dlpi_addr;
            return 1; // the first is the program
        },
        &bias);
    return bias;
}

uint64_t address_of_function()
{
    return reinterpret_cast<uintptr_t>(&symfile_test_function) - own_bias();
}

symfile *open_own(const std::vector<uint8_t> &build_id, const char **problem)
{
    symfile_request request = {"/proc/self/exe", build_id.data(),
                               static_cast<uint32_t>(build_id.size())};
    return symfile_open(&request, problem);
}

std::vector<uint8_t> own_build_id()
{
    const char *problem = nullptr;
    const uint8_t *bytes = nullptr;
    symfile *file = open_own({}, &problem);
    uint32_t size = file ? symfile_build_id(file, &bytes) : 0;
    std::vector<uint8_t> copy(bytes, bytes + size);
    symfile_close(file);
    return copy;
}

} // namespace

TEST(Symfile, KnowsAFunctionByAnyAddressInIt)
{
    const char *problem = nullptr;
    symfile *file = open_own({}, &problem);
    ASSERT_TRUE(file) << problem;
    for (uint64_t offset : {0, 1}) {
        Found found;
        EXPECT_TRUE(symfile_find(file, address_of_function() + offset, note, &found));
        ASSERT_FALSE(found.functions.empty());
        EXPECT_EQ(found.functions.back(), "symfile_test_function");
        EXPECT_TRUE(symfile_has_lines() || found.line == 0);
    }
    symfile_close(file);
}

TEST(Symfile, SaysNothingWhereThereIsNoCode)
{
    const char *problem = nullptr;
    symfile *file = open_own({}, &problem);
    ASSERT_TRUE(file);
    for (uint64_t address : {uint64_t(0), uint64_t(1), uint64_t(1) << 40, UINT64_MAX}) {
        Found found;
        EXPECT_FALSE(symfile_find(file, address, note, &found)) << address;
        EXPECT_TRUE(found.functions.empty());
    }
    symfile_close(file);
}

TEST(Symfile, NamesNothingByWhereCodeBegins)
{
    const char *problem = nullptr;
    symfile *file = open_own({}, &problem);
    ASSERT_NE(file, nullptr) << problem;
    Found found;
    symfile_find(file, reinterpret_cast<uintptr_t>(symfile_test_begin) + 40 - own_bias(), note,
                 &found);
    for (const std::string &function : found.functions)
        EXPECT_NE(function[0], '$') << function;
    symfile_close(file);
}

TEST(Symfile, OfAnotherBuildIsNotUsed)
{
    const char *problem = nullptr;
    std::vector<uint8_t> build_id = own_build_id();
    if (build_id.empty())
        GTEST_SKIP() << "the linker makes no build-ids";
    symfile *right = open_own(build_id, &problem);
    EXPECT_TRUE(right);
    symfile_close(right);
    build_id[0] ^= 1;
    EXPECT_FALSE(open_own(build_id, &problem));
    EXPECT_STREQ(problem, "is another build now");
    build_id.pop_back();
    EXPECT_FALSE(open_own(build_id, &problem));
}

TEST(Symfile, ThatIsMissingOrNoProgramIsRefused)
{
    const char *problem = nullptr;
    for (const char *path : {"/nonexistent", "/dev/null", "/proc/self/cmdline", "/"}) {
        symfile_request request = {path, nullptr, 0};
        EXPECT_FALSE(symfile_open(&request, &problem)) << path;
        EXPECT_STREQ(problem, "cannot be read");
    }
}

// The first pages of this program with a byte changed here and there, and cut: refused or read.
TEST(Symfile, SurvivesDamage)
{
    std::ifstream self("/proc/self/exe", std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(self)), std::istreambuf_iterator<char>());
    const char *directory = getenv("TMPDIR");
    std::string path =
        std::string(directory ? directory : "/tmp") + "/symfile." + std::to_string(getpid());
    size_t sections = bytes.size() - 64 * 30;
    for (unsigned i = 0; i < 60; i++) {
        std::string damaged = bytes;
        size_t at = i < 30 ? 16 + i * 2 : sections + (i - 30) * 37;
        damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
        if (i % 7 == 0)
            damaged.resize(damaged.size() / 2 + i);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
        symfile_request request = {path.c_str(), nullptr, 0};
        const char *problem = nullptr;
        symfile *file = symfile_open(&request, &problem);
        Found found;
        if (file)
            symfile_find(file, address_of_function(), note, &found);
        symfile_close(file);
    }
    unlink(path.c_str());
}
