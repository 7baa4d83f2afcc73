// The Chrome trace: every rule of its viewers, checked by check_trace.py, and the words of Kineto's
// dialect.
#include "write_support.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

class Chrome : public testing::Test
{
protected:
    // Writes the trace, checks it, and returns its text.
    std::string write(TimelineMaker &m)
    {
        write_error error;
        std::string path = scratch.path("trace.json");
        EXPECT_TRUE(write_chrome(m.done(), nullptr, nullptr, path.c_str(), &error))
            << error.message;
        if (have_python()) {
            EXPECT_EQ(Scratch::run("python3 " + test_directory() + "/check_trace.py " + path +
                                   " 2>" + path + ".err"),
                      0)
                << read_file(path + ".err");
        }
        return read_file(path);
    }

    // The lines that hold a segment of text.
    static std::vector<std::string> lines(const std::string &text, const std::string &segment)
    {
        std::vector<std::string> found;
        std::istringstream all(text);
        for (std::string line; std::getline(all, line);)
            if (line.find(segment) != std::string::npos)
                found.push_back(line);
        return found;
    }

    static void expect_in(const std::string &line, const std::vector<std::string> &segments)
    {
        for (const std::string &segment : segments)
            EXPECT_NE(line.find(segment), std::string::npos) << segment << " is not in " << line;
    }

    Scratch scratch;
};

TEST_F(Chrome, TakesAnEmptyTimeline)
{
    TimelineMaker m;
    std::string text = write(m);
    expect_in(text, {"\"schemaVersion\":1", "\"distributedInfo\": {\"rank\": 0}",
                     "\"displayTimeUnit\":\"ns\"", "\"traceName\":\"trace.json\""});
}

// Its plugin adds start and duration: ranges that end together must do so in its numbers.
TEST_F(Chrome, EndsExactlyForTensorBoard)
{
    TimelineMaker m;
    for (int64_t i = 0; i < 5000; i++)
        m.range("r", i * 7919 + 13, i * 7919 + 13 + i * i % 7001 * (i % 7 ? 1 : 4999));
    write_error error;
    write_chrome_more more{};
    more.for_tensorboard = true;
    std::string path = scratch.path("log.pt.trace.json");
    const timeline *timeline = m.done();
    ASSERT_TRUE(write_chrome(timeline, nullptr, &more, path.c_str(), &error)) << error.message;
    std::vector<std::string> found = lines(read_file(path), "\"cat\":\"cpu_op\"");
    ASSERT_EQ(found.size(), 5000u);
    int64_t shift_ns = timeline->end_ns - 2 * timeline->start_ns;
    for (size_t i = 0; i < found.size(); i++) {
        double start = std::stod(found[i].substr(found[i].find("\"ts\":") + 5));
        double duration = std::stod(found[i].substr(found[i].find("\"dur\":") + 6));
        ASSERT_EQ(start + duration, static_cast<double>(m.slices[i].end_ns + shift_ns) / 1e3)
            << found[i];
        expect_in(found[i], {"\"External id\":" + std::to_string(i + 1)});
    }
}

TEST_F(Chrome, SpeaksKinetosDialect)
{
    TimelineMaker m;
    m.processes[0].info.rank = 3;
    m.processes[0].info.world_size = 8;
    m.device(0, "NVIDIA H200");
    auto range = m.push("forward", 1000);
    auto call = m.launch("cudaLaunchKernel", 1100, 1200);
    auto driver = m.launch("cuLaunchKernel", 1300, 1400, TL_LAUNCHES, PROF_API_DRIVER);
    m.mark("note", 1500);
    m.counter("loss", 1600, 0.25);
    m.pop(2000);
    m.attr(range, "flops", int64_t{42});
    m.attr(range, "shape", std::string("[1, 2]"));
    m.attr(range, "scale", 0.5);
    m.kernel("saxpy", call, 1500, 2500);
    m.copy(driver, 3000, 4000, 1 << 20);
    m.sync(3, 1500, 4100, 0);
    m.sync(4, 1500, 4200, TL_NONE);
    m.gpu(TL_OVERHEAD, "Buffer Flush", TL_NONE, 5000, 6000);
    std::string text = write(m);
    expect_in(text, {"\"distributedInfo\": {\"rank\": 3,\"world_size\": 8}", "\"numSms\":132"});
    expect_in(lines(text, "\"forward\"")[0],
              {"\"ph\":\"X\"", "\"cat\":\"user_annotation\"", "\"ts\":1.000", "\"dur\":1.000",
               "\"pid\":100", "\"tid\":101",
               "\"args\":{\"flops\":42,\"shape\":\"[1, 2]\",\"scale\":0.5}"});
    expect_in(lines(text, "\"cudaLaunchKernel\"")[0],
              {"\"cat\":\"cuda_runtime\"", "\"cbid\":211", "\"correlation\":1"});
    expect_in(lines(text, "\"cuLaunchKernel\"")[0], {"\"cat\":\"cuda_driver\""});
    expect_in(lines(text, "\"saxpy\"")[0],
              {"\"cat\":\"kernel\"", "\"pid\":0", "\"tid\":7", "\"queued\":0", "\"device\":0",
               "\"context\":1", "\"stream\":7", "\"correlation\":1", "\"registers per thread\":32",
               "\"shared memory\":0", "\"blocks per SM\":2.000", "\"warps per SM\":16.000",
               "\"grid\":[264,1,1]", "\"block\":[256,1,1]", "\"est. achieved occupancy %\":25"});
    expect_in(lines(text, "gpu_memcpy")[0],
              {"\"bytes\":1048576", "\"memory bandwidth (GB/s)\":1048.576"});
    expect_in(lines(text, "\"Stream Sync\"")[0], {"\"cat\":\"cuda_sync\"", "\"tid\":1000007"});
    expect_in(lines(text, "\"Context Sync\"")[0],
              {"\"cat\":\"cuda_sync\"", "\"pid\":0", "\"stream\":-1"});
    expect_in(lines(text, "\"note\"")[0],
              {"\"ph\":\"i\"", "\"cat\":\"cpu_instant_event\"", "\"s\":\"t\""});
    expect_in(lines(text, "\"ph\":\"C\"")[0], {"\"name\":\"loss\"", "\"value\":0.25"});
    expect_in(lines(text, "Buffer Flush")[0], {"\"cat\":\"overhead\""});
    EXPECT_EQ(lines(text, "\"ac2g\"").size(), 4u);
    EXPECT_EQ(lines(text, "stream 7 (sync)").size(), 1u);
}

TEST_F(Chrome, GivesEveryOperationOfAGraphItsOwnArrow)
{
    TimelineMaker m;
    auto graph = m.launch("cudaGraphLaunch", 0, 10, TL_GRAPH);
    for (int i = 0; i < 5; i++)
        m.kernel("k", graph, 100 + i * 10, 105 + i * 10);
    EXPECT_EQ(lines(write(m), "\"ph\":\"f\"").size(), 5u);
}

TEST_F(Chrome, ProjectsRangesOntoTheStreamsTheyLaunchedOn)
{
    TimelineMaker m;
    m.push("step", 0, TL_STEP);
    m.push("outer", 0);
    auto first = m.launch("cudaLaunchKernel", 1, 2);
    m.push("inner", 3);
    auto second = m.launch("cudaLaunchKernel", 4, 5);
    auto third = m.launch("cudaLaunchKernel", 6, 7);
    m.pop(8);
    m.range("idle", 8, 9);
    m.pop(10);
    m.pop(11);
    m.kernel("a", first, 100, 200);
    m.kernel("b", second, 200, 300);
    m.kernel("c", third, 300, 450);
    std::string text = write(m);
    auto drawn = lines(text, "gpu_user_annotation");
    ASSERT_EQ(drawn.size(), 2u);
    expect_in(drawn[0], {"\"name\":\"outer\",\"pid\":0,\"tid\":7,\"ts\":0.100,\"dur\":0.350,",
                         "\"args\":{\"operations\":3}"});
    expect_in(drawn[1], {"\"name\":\"inner\",\"pid\":0,\"tid\":7,\"ts\":0.200,\"dur\":0.250,",
                         "\"args\":{\"operations\":2}"});
    EXPECT_LT(text.find("\"inner\",\"pid\":0"), text.find("\"name\":\"b\""));
}

TEST_F(Chrome, KeepsCrossingProjectionsOnRowsOfTheirOwn)
{
    TimelineMaker m;
    m.push("left", 0);
    auto a = m.launch("cudaLaunchKernel", 1, 2), c = m.launch("cudaLaunchKernel", 3, 4);
    m.pop(9);
    m.thread(102);
    m.push("right", 0);
    auto b = m.launch("cudaLaunchKernel", 2, 3), d = m.launch("cudaLaunchKernel", 4, 5);
    m.pop(9);
    m.kernel("a", a, 100, 200);
    m.kernel("b", b, 200, 300);
    m.kernel("c", c, 300, 400);
    m.kernel("d", d, 400, 500);
    std::string text = write(m);
    auto drawn = lines(text, "gpu_user_annotation");
    ASSERT_EQ(drawn.size(), 2u);
    expect_in(drawn[0], {"\"left\"", "\"tid\":7", "\"ts\":0.100,\"dur\":0.300"});
    expect_in(drawn[1], {"\"right\"", "\"tid\":8000000", "\"ts\":0.200,\"dur\":0.300"});
    EXPECT_EQ(lines(text, "\"stream 7 (ranges)\"").size(), 1u);
}

TEST_F(Chrome, DrawsNoArrowToWhatHasNoLaunch)
{
    TimelineMaker m;
    auto internal = m.launch("cuMemsetD8", 0, 10, TL_LAUNCHES | TL_INTERNAL);
    auto op = m.kernel("own", internal, 20, 30);
    m.gpus[op].flags = TL_GPU_INTERNAL;
    m.kernel("orphan", TL_NONE, 40, 50);
    std::string text = write(m);
    EXPECT_EQ(lines(text, "ac2g").size(), 0u);
    EXPECT_EQ(lines(text, "\"own\"").size(), 0u);
    EXPECT_EQ(lines(text, "cuMemsetD8").size(), 0u);
    EXPECT_EQ(lines(text, "\"orphan\"").size(), 1u);
}

TEST_F(Chrome, NeverUsesThreadIdZeroForAStream)
{
    TimelineMaker m;
    m.stream(0);
    auto call = m.launch("cudaLaunchKernel", 0, 10);
    m.kernel("k", call, 20, 30);
    std::string text = write(m);
    expect_in(lines(text, "\"cat\":\"kernel\"")[0], {"\"tid\":8000000", "\"stream\":0"});
    expect_in(lines(text, "stream 0")[0], {"\"tid\":8000000"});
}

TEST_F(Chrome, PutsOverlappingKernelsOnLanes)
{
    TimelineMaker m;
    m.stream(7, 0, 1, 3);
    auto a = m.launch("cudaLaunchKernel", 0, 10), b = m.launch("cudaLaunchKernel", 10, 20);
    auto c = m.launch("cudaLaunchKernel", 20, 30);
    m.kernel("a", a, 100, 200, 0, 0);
    m.kernel("b", b, 150, 250, 0, 1);
    m.kernel("c", c, 160, 170, 0, 2);
    std::string text = write(m);
    EXPECT_EQ(lines(text, "\"stream 7 (lane 2)\"").size(), 1u);
    EXPECT_EQ(lines(text, "\"stream 7 (lane 3)\"").size(), 1u);
}

TEST_F(Chrome, PutsOverlappingWaitsOnRowsOfTheirOwn)
{
    TimelineMaker m;
    for (int i = 0; i < 3; i++) {
        m.sync(3, 100 + i, 200 + i, 0);
        m.sync(4, 100 + i, 200 + i, TL_NONE);
        m.gpu(TL_OVERHEAD, "Resource", TL_NONE, 100 + i, 200 + i);
    }
    std::string text = write(m);
    EXPECT_EQ(lines(text, "stream 7 (sync, lane 3)").size(), 1u);
    EXPECT_EQ(lines(text, "device 0 (sync, lane 2)").size(), 1u);
    EXPECT_EQ(lines(text, "CUDA (overhead, lane 3)").size(), 1u);
}

/* chrome://tracing gives an arrow to the slice that ends in the nanosecond in which the right one
 * starts. */
TEST_F(Chrome, PutsArrowsIntoSlicesThatOthersTouch)
{
    TimelineMaker m;
    m.push("step", 100);
    auto first = m.launch("cudaLaunchKernel", 100, 200);
    auto second = m.launch("cudaLaunchKernel", 200, 300);
    m.pop(300);
    m.push("step", 300);
    auto third = m.launch("cudaLaunchKernel", 300, 400);
    auto short_one = m.launch("cudaLaunchKernel", 400, 401);
    auto apart = m.launch("cudaLaunchKernel", 402, 500);
    m.pop(600);
    m.kernel("k", first, 1000, 2000);
    m.kernel("k", second, 2000, 3000);
    m.kernel("k", third, 3001, 4000);
    m.kernel("k", short_one, 4000, 4001);
    m.kernel("k", apart, 4002, 5000);
    std::string text = write(m);
    auto froms = lines(text, "\"ph\":\"s\""), tos = lines(text, "\"ph\":\"f\"");
    ASSERT_EQ(froms.size(), 5u);
    ASSERT_EQ(tos.size(), 5u);
    const char *from[] = {"0.100", "0.201", "0.301", "0.400", "0.402"};
    const char *to[] = {"1.000", "2.001", "3.001", "4.000", "4.002"};
    for (int i = 0; i < 5; i++) {
        expect_in(froms[i], {std::string("\"ts\":") + from[i] + "}"});
        expect_in(tos[i], {std::string("\"ts\":") + to[i] + "}"});
    }
}

/* 0.002 + 0.007 is a double above 0.009. */
TEST_F(Chrome, KeepsStepsApartInFloatingPoint)
{
    TimelineMaker m;
    auto step = [&](const char *name, int64_t start, int64_t end) {
        auto slice = m.push(name, start);
        m.slices[slice].kind = TL_STEP;
        m.pop(end);
    };
    step("ProfilerStep#0", 2, 9);
    step("ProfilerStep#1", 9, 12);
    std::string text = write(m);
    expect_in(lines(text, "ProfilerStep#0")[0], {"\"ts\":0.002", "\"dur\":0.0069"});
    expect_in(lines(text, "ProfilerStep#1")[0], {"\"ts\":0.009", "\"dur\":0.003,"});
}

TEST_F(Chrome, KeepsZeroDurations)
{
    TimelineMaker m;
    m.push("outer", 0);
    auto call = m.launch("cudaMemsetAsync", 0, 0);
    m.range("inner", 0, 0);
    m.pop(10);
    m.range("next", 10, 10);
    m.set(call, 10, 10, 64);
    m.kernel("k", TL_NONE, 10, 10);
    EXPECT_EQ(lines(write(m), "\"dur\":0.000").size(), 6u); // "outer" on the stream, too
}

TEST_F(Chrome, KeepsProcessesThreadsAndDevicesApart)
{
    TimelineMaker m;
    m.processes[0].info.pid = 1; // as in a container: also the ordinal of a device
    m.stream(7, 0);
    m.stream(7, 1);
    m.stream(7, 1, 2); // another context with the same stream id
    auto first = m.launch("cudaLaunchKernel", 0, 10);
    m.kernel("a", first, 20, 30, 0);
    m.kernel("b", TL_NONE, 20, 30, 1);
    m.kernel("c", TL_NONE, 25, 35, 2);
    m.process(1, "same pid"); // from another host
    m.thread(101);
    m.thread(101); // a thread id used twice
    m.range("x", 0, 10);
    m.stream(7, 0);
    m.kernel("d", TL_NONE, 25, 35);
    std::string text = write(m);
    EXPECT_EQ(lines(text, "\"process_name\"").size(), 5u)
        << "two processes, devices 0 and 1 of one, 0 of the other";
    EXPECT_EQ(lines(text, "same pid [1]").size(), 2u);
    EXPECT_EQ(lines(text, "\"stream 7\"").size(), 4u);
}

TEST_F(Chrome, TellsSimulatedDevices)
{
    TimelineMaker m;
    m.processes[0].info.simulated = true;
    m.kernel("k", TL_NONE, 0, 1);
    std::string text = write(m);
    EXPECT_EQ(lines(text, "\"labels\":\"GPU 0, Simulated GPU\"").size(), 1u);
    EXPECT_EQ(lines(text, "\"simulated\":true").size(), 1u);
}

TEST_F(Chrome, WritesRangesThatNeedNotNestAsPairs)
{
    TimelineMaker m;
    m.async("request", 0, 100, 7);
    m.async("request", 50, 150, 7);
    m.async("backward", 50, 40, 8);
    std::string text = write(m);
    EXPECT_EQ(lines(text, "\"ph\":\"b\"").size(), 3u);
    EXPECT_EQ(lines(text, "\"ph\":\"e\"").size(), 3u);
}

TEST_F(Chrome, ShiftsTimesBeforeTheBase)
{
    TimelineMaker m;
    m.range("early", -500, 100);
    std::string text = write(m);
    expect_in(text, {"\"baseTimeNanoseconds\":1699999999999999500"});
    expect_in(lines(text, "early")[0], {"\"ts\":0.000", "\"dur\":0.600"});
}

TEST_F(Chrome, SkipsCountersThatAreNoNumberAndSaysSo)
{
    TimelineMaker m;
    m.counter("c", 0, NAN);
    m.counter("c", 1, INFINITY);
    m.counter("c", 2, 1);
    std::string text = write(m);
    EXPECT_EQ(lines(text, "\"ph\":\"C\"").size(), 1u);
    expect_in(text, {"\"skippedCounters\":2"});
}

// Viewers draw a curve up to its last point.
TEST_F(Chrome, RepeatsTheLastOfEachCounterWhereTheTraceEnds)
{
    TimelineMaker m;
    m.counter("early", 10, 1);
    m.counter("early", 20, 7);
    m.counter("late", 500, 2);
    m.range("r", 0, 500);
    std::string text = write(m);
    auto early = lines(text, "\"name\":\"early\"");
    ASSERT_EQ(early.size(), 3u);
    expect_in(early[2], {"\"ts\":0.500", "\"value\":7"});
    EXPECT_EQ(lines(text, "\"name\":\"late\"").size(), 1u);
}

TEST_F(Chrome, KeepsTheLastOfRepeatedAttributes)
{
    TimelineMaker m;
    auto range = m.range("r", 0, 1);
    m.attr(range, "n", int64_t{1});
    m.attr(range, "n", int64_t{2});
    m.attr(range, "nan", static_cast<double>(NAN));
    expect_in(lines(write(m), "\"r\"")[0], {"\"args\":{\"n\":2,\"nan\":null}"});
}

TEST_F(Chrome, IsStrictJsonWhateverTheNames)
{
    TimelineMaker m;
    m.processes[0].info.program = m.text_of("pro\"gram\x1b[31m\xff");
    m.processes[0].info.host = m.text_of("</script>");
    int64_t now = 0;
    for (const std::string &name : nasty_names()) {
        auto range = m.push(name, now);
        auto call = m.launch(name, now + 1, now + 2);
        m.mark(name, now + 3);
        m.counter(name, now + 4, 1);
        m.pop(now + 5);
        if (name.size() <
            5000) // as attribute keys, only once each: empty and replaced ones become alike
            m.attr(range, name, name);
        m.kernel(name, call, now + 6, now + 7);
        m.async(name, now, now + 10, 1);
        now += 100;
    }
    std::string text = write(m);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find("</script"), std::string::npos);
    EXPECT_EQ(text.find("<!--"), std::string::npos);
}

TEST_F(Chrome, MergesInterleavedThreadsInOrderOfTime)
{
    TimelineMaker m;
    for (uint32_t thread = 0; thread < 20; thread++) {
        if (thread)
            m.thread(101 + thread);
        for (int i = 0; i < 50; i++) {
            m.push("outer", i * 100 + thread);
            m.range("inner", i * 100 + thread, i * 100 + thread + 10);
            m.pop(i * 100 + thread + 50);
        }
    }
    std::string text = write(m);
    double last = 0;
    size_t events = 0;
    for (const std::string &line : lines(text, "\"ph\":\"X\"")) {
        double ts = strtod(line.c_str() + line.find("\"ts\":") + 5, nullptr);
        EXPECT_GE(ts, last);
        last = ts;
        events++;
    }
    EXPECT_EQ(events, 2000u);
}

TEST_F(Chrome, FailsCleanlyOnAFullDevice)
{
    TimelineMaker m;
    m.range("r", 0, 1);
    write_error error;
    EXPECT_FALSE(write_chrome(m.done(), nullptr, nullptr, "/dev/full", &error));
    EXPECT_EQ(error.code, ENOSPC);
}

} // namespace
