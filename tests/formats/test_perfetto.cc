// Perfetto traces: read back by a strict decoder, and the same as the Chrome trace.
#include "formats_support.h"

namespace
{

class Perfetto : public Formats
{
protected:
    // Writes both traces and compares them; what the checker counted.
    std::string write(TimelineMaker &m)
    {
        write_error error;
        std::string path = scratch.path("t.pftrace"), chrome = scratch.path("t.json");
        EXPECT_TRUE(write_perfetto(m.done(), nullptr, nullptr, path.c_str(), &error))
            << error.message;
        EXPECT_TRUE(write_chrome(m.done(), nullptr, nullptr, chrome.c_str(), &error))
            << error.message;
        return check("check_perfetto.py", path + " " + chrome);
    }
};

TEST_F(Perfetto, TakesAnEmptyTimeline)
{
    TimelineMaker m;
    std::string said = write(m);
    if (have_python()) {
        EXPECT_EQ(said, "0 slices, 0 flows, 0 samples, 1 instants\n");
    }
}

TEST_F(Perfetto, SaysWhatTheChromeTraceSays)
{
    TimelineMaker m;
    fill_all_kinds(m);
    std::string said = write(m);
    if (have_python()) {
        EXPECT_EQ(said, "19 slices, 2 flows, 3 samples, 2 instants\n");
    }
}

// A range with a kernel's name has an interned name of its own.
TEST_F(Perfetto, SharesNoNameBetweenRangesAndOperations)
{
    TimelineMaker m;
    m.device(0, "NVIDIA H200");
    uint32_t stream = m.stream(7, 0, 1, 2);
    m.push("gemm", 0);
    uint32_t call = m.launch("cudaLaunchKernel", 10, 20);
    m.pop(50);
    m.kernel("gemm", call, 100, 200, stream);
    std::string said = write(m);
    if (have_python()) {
        EXPECT_EQ(said, "4 slices, 1 flows, 0 samples, 1 instants\n");
    }
}

// An operator is no annotation, on streams neither. Ranges of two threads that cross on a stream have a track each.
TEST_F(Perfetto, ProjectsRangesOntoStreams)
{
    TimelineMaker m;
    m.device(0, "NVIDIA H200");
    uint32_t stream = m.stream(7, 0, 1, 2);
    m.push("forward", 0);
    uint32_t mm = m.push("aten::mm", 5);
    m.attr(mm, "Input Dims", std::string("[[2, 3], [3, 4]]"));
    uint32_t first = m.launch("cudaLaunchKernel", 10, 20);
    m.pop(25);
    m.pop(30);
    m.thread(102, "other");
    m.push("beside", 12);
    uint32_t second = m.launch("cudaLaunchKernel", 22, 28);
    m.pop(30);
    m.kernel("gemm", first, 100, 200, stream);
    m.kernel("copy", second, 200, 300, stream);
    m.kernel("gemm", first, 300, 400, stream);
    m.kernel("copy", second, 400, 500, stream);
    std::string said = write(m);
    if (have_python()) {
        EXPECT_EQ(said, "11 slices, 4 flows, 0 samples, 1 instants\n");
    }
    std::string text = read_file(scratch.path("t.pftrace"));
    EXPECT_NE(text.find("cpu_op"), std::string::npos);
    EXPECT_NE(text.find("stream 7 (ranges)"), std::string::npos);
    EXPECT_NE(text.find("stream 7 (ranges, lane 2)"), std::string::npos);
}

// Viewers show pids themselves; devices, which they list apart from processes, say whose they are.
TEST_F(Perfetto, NamesDevicesOfSeveralProcesses)
{
    TimelineMaker m;
    m.processes[0].info.rank = 0;
    m.device(0, "NVIDIA H200");
    m.kernel("k", TL_NONE, 10, 20, m.stream(7));
    m.process(200, "train");
    m.processes[1].info.rank = 1;
    m.thread(201);
    m.device(0, "NVIDIA H200");
    m.kernel("k", TL_NONE, 10, 20, m.stream(7, 0));
    write(m);
    std::string text = read_file(scratch.path("t.pftrace"));
    for (const char *name :
         {"GPU 0: NVIDIA H200 (train rank 0)", "GPU 0: NVIDIA H200 (train rank 1)"})
        EXPECT_NE(text.find(name), std::string::npos) << name;
    EXPECT_EQ(text.find("[200]"), std::string::npos);
}

// A device's contexts are a level of their own only where there are several.
TEST_F(Perfetto, NamesContextsThatDiffer)
{
    for (uint32_t contexts : {1u, 2u}) {
        TimelineMaker m;
        m.device(0, "NVIDIA H200");
        m.push("step", 0);
        uint32_t call = m.launch("cudaLaunchKernel", 10, 20);
        m.pop(50);
        for (uint32_t context = 1; context <= contexts; context++)
            m.kernel("k", call, 100 * context, 100 * context + 50, m.stream(7, 0, context, 1));
        write(m);
        size_t at = read_file(scratch.path("t.pftrace"))
                        .find("\x12\x09"
                              "context 2");
        EXPECT_EQ(at != std::string::npos, contexts == 2) << contexts;
    }
}

// A wait, and a sample without a stack, are none of Perfetto's.
TEST_F(Perfetto, HasSamplesOfRunningThreads)
{
    Sampled sampled;
    write_error error;
    std::string path = scratch.path("t.pftrace");
    EXPECT_TRUE(write_perfetto(sampled.m.done(), nullptr, sampled.symbols, path.c_str(), &error))
        << error.message;
    std::string said = check("check_perfetto.py", "--stacks " + path);
    if (have_python()) {
        EXPECT_EQ(said, "2 ?? (0x1000);?? (0x2000) [100 101 [unknown]]\n"
                        "1 ?? (0x1000);?? (0x3000) [100 101 [unknown]]\n"
                        "1 ?? (0x1000);?? (0x3000) [100 102 [unknown]]\n");
    }
}

TEST_F(Perfetto, StartsBeforeTheFileDoes)
{
    TimelineMaker m;
    m.range("early", -5000, -1000);
    m.range("late", 10, 20);
    write(m);
}

TEST_F(Perfetto, ReusesTracksOfBeginEndRanges)
{
    TimelineMaker m;
    for (int i = 0; i < 3000; i++)
        m.async("request", i * 10, i * 10 + 15, static_cast<uint64_t>(i) + 1);
    write(m);
    std::string text = read_file(scratch.path("t.pftrace"));
    size_t tracks = 0;
    for (size_t at = 0; (at = text.find("begin/end ranges", at)) != std::string::npos; at++)
        tracks++;
    EXPECT_EQ(tracks, 2u);
}

TEST_F(Perfetto, WritesANameOnce)
{
    TimelineMaker m;
    for (int i = 0; i < 1000; i++)
        m.range("a_name_that_is_there_often", i * 10, i * 10 + 5);
    write(m);
    std::string text = read_file(scratch.path("t.pftrace"));
    EXPECT_EQ(text.find("a_name_that_is"), text.rfind("a_name_that_is"));
    EXPECT_LT(text.size(), 40u * 1000);
}

TEST_F(Perfetto, LetsAnyNameThrough)
{
    TimelineMaker m;
    int64_t at = 0;
    for (const std::string &name : nasty_names()) {
        uint32_t range = m.range(name, at, at + 5);
        m.attr(range, name + "key", name);
        at += 10;
    }
    write_error error;
    std::string path = scratch.path("t.pftrace");
    ASSERT_TRUE(write_perfetto(m.done(), nullptr, nullptr, path.c_str(), &error)) << error.message;
    check("check_perfetto.py", path);
}

TEST_F(Perfetto, CountsWhatHasNoNumber)
{
    TimelineMaker m;
    m.counter("x", 1, 0.0 / 0.0 * 0.0);
    m.counter("x", 2, 3);
    write(m);
    EXPECT_NE(read_file(scratch.path("t.pftrace")).find("left out"), std::string::npos);
}

TEST_F(Perfetto, SaysWhenSomethingWasNotRecordedAnyMore)
{
    TimelineMaker m;
    tl_throttle throttles[] = {{700, 0, 21000, 20000, 0, true}, {300, 0, 25000, 20000, 0, false}};
    m.range("r", 0, 1000);
    m.processes[0].thread_count = 1;
    m.made.throttles.at = throttles;
    m.made.throttles.count = 2;
    std::string said = write(m);
    if (have_python()) {
        EXPECT_EQ(said, "1 slices, 0 flows, 0 samples, 3 instants\n");
    }
}

TEST_F(Perfetto, LeavesNothingOnAFullDisk)
{
    TimelineMaker m;
    write_error error;
    fill_all_kinds(m);
    EXPECT_FALSE(write_perfetto(m.done(), nullptr, nullptr, "/dev/full", &error));
    EXPECT_EQ(error.code, ENOSPC);
    EXPECT_FALSE(
        write_perfetto(m.done(), nullptr, nullptr, scratch.path("no/such/file").c_str(), &error));
    EXPECT_EQ(error.code, ENOENT);
}

} // namespace
