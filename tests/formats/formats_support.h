// formats_support.h - what the tests of formats share: each output checked by a strict reader in Python.
#ifndef PROF_FORMATS_SUPPORT_H
#define PROF_FORMATS_SUPPORT_H

#include "../write/write_support.h"

#include "formats.h"
#include "symbols.h"

#include <gtest/gtest.h>

class Formats : public testing::Test
{
protected:
    // Where this folder is; the build may have said so relative to where it ran.
    static std::string directory() { return PROF_SOURCE_DIR "/tests/formats"; }

    // Runs a checker on the file; its output. A failure of the checker is the test's.
    std::string check(const std::string &checker, const std::string &arguments)
    {
        if (!have_python())
            return "";
        std::string said = scratch.path("said");
        EXPECT_EQ(Scratch::run("python3 " + directory() + "/" + checker + " " + arguments + " >" +
                               said + " 2>&1"),
                  0)
            << read_file(said);
        return read_file(said);
    }

    Scratch scratch;
};

// Nested ranges, calls, work of two streams with waits and overlap, begin/end ranges, marks, counters.
inline void fill_all_kinds(TimelineMaker &m)
{
    m.device(0, "NVIDIA H200");
    uint32_t first = m.stream(7, 0, 1, 2), second = m.stream(8, 0, 2);
    uint32_t step = m.push("step", 0, TL_STEP);
    uint32_t outer = m.push("outer", 100);
    uint32_t call = m.launch("cudaLaunchKernel", 200, 300);
    uint32_t driver = m.launch("cuLaunchKernel", 300, 400, TL_LAUNCHES, PROF_API_DRIVER);
    m.range("empty", 500, 500);
    m.mark("note", 600);
    m.counter("loss", 650, 0.25);
    m.counter("loss", 660, 1e300);
    m.pop(700);
    m.range("touches the end", 700, 900);
    m.pop(900);
    m.attr(outer, "flops", int64_t{-3});
    m.attr(outer, "scale", 0.5);
    m.attr(step, "shape", std::string("[1, 2]"));
    m.async("request", 50, 650, 1);
    m.async("request", 60, 670, 2);
    m.async("later", 650, 651, 3);
    m.kernel("gemm", call, 1000, 2000, first);
    m.kernel("overlaps", driver, 1500, 2500, first, 1);
    m.copy(TL_NONE, 2000, 2100, 4096, second);
    m.set(TL_NONE, 2100, 2100, 64, second);
    m.sync(3, 900, 2600, first);
    m.sync(4, 900, 2600, TL_NONE);
    m.gpu(TL_OVERHEAD, "Buffer Flush", TL_NONE, 5000, 6000);
    m.thread(102, "worker");
    m.push("outer", 0);
    m.range("inner", 10, 900);
    m.pop(900);
}

// Two stacks with an outermost function in common, of two threads; a wait, and a sample without a stack.
struct Sampled {
    TimelineMaker m;
    uint64_t addresses[4] = {0x2000, 0x1000, 0x3000, 0x1000};
    tl_stack stacks[2] = {{0, 0, 0, 2, TL_NONE, 1, false}, {0, 0, 2, 2, TL_NONE, 1, false}};
    tl_sample samples[6] = {
        {500, 10, 0, 0, 101, 0, 0, false},      {600, 20, 0, 0, 101, 0, 1, false},
        {650, 5, 0, 0, 102, TL_NONE, 1, false}, {700, 30, 0, 0, 101, 0, 0, false},
        {800, 10, 0, 0, 101, 0, 0, true},       {900, 10, 0, 0, 101, 0, TL_NONE, false}};
    struct symbols *symbols;

    Sampled()
    {
        const symbols_options options = {nullptr, false};
        m.range("outer", 0, 1000);
        m.made.addresses.at = addresses, m.made.addresses.count = 4;
        m.made.stacks.at = stacks, m.made.stacks.count = 2;
        m.made.samples.at = samples, m.made.samples.count = 6;
        symbols = symbols_create(m.done(), &options);
    }
    ~Sampled() { symbols_destroy(symbols); }
};

#endif
