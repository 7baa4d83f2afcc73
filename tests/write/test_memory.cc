// Memory in the outputs: amounts as text, the table's columns, the report, JSON, the Chrome trace.
#include "../support/memory_trace.h"
#include "write_support.h"

extern "C" {
#include "report_cells.h"
#include "units.h"
}

#include <gtest/gtest.h>

namespace
{

std::string shown(int64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    bytes_text(bytes, text);
    return text;
}

// train > forward allocates 3 MiB of device 0 and frees 1 of it; 64 bytes of "arena"; a migration.
class Example : public MemoryTrace
{
public:
    Example()
    {
        trace_builder_device(raw(), 0, "Simulated GPU");
        trace_builder_allocator(raw(), 1, "arena");
        push(1000, "train").push(2000, "forward");
        cuda_alloc(3000, 1, 0x100000, 1 << 20).cuda_alloc(4000, 2, 0x300000, 2 << 20);
        own_alloc(5000, 1, 0x10, 64).cuda_free(6000, 3, 0x100000);
        pop(7000).own_free(7500, 1, 0x10);
        launch(7600, 7700, 9).kernel(7800, 9000, 9);
        migration(8000, 8500, 1, 4096);
        pop(9500);
    }
};

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

#define EXPECT_HAS(text, part) EXPECT_TRUE(has(text, part)) << part << "\n" << (text)

TEST(BytesText, IsTorchs)
{
    EXPECT_EQ(shown(0), "0 B");
    EXPECT_EQ(shown(1023), "1023 B");
    EXPECT_EQ(shown(1024), "1.00 KB");
    EXPECT_EQ(shown(1536), "1.50 KB");
    EXPECT_EQ(shown(-1536), "-1.50 KB");
    EXPECT_EQ(shown((1 << 20) - 1), "1024.00 KB");
    EXPECT_EQ(shown(5 << 20), "5.00 MB");
    EXPECT_EQ(shown(INT64_C(3) << 30), "3.00 GB");
    EXPECT_EQ(shown(INT64_C(3) << 40), "3072.00 GB");
    EXPECT_EQ(shown(INT64_MIN), "-8589934592.00 GB");
}

TEST(MemoryTable, HasColumnsOfMemoryWhenAsked)
{
    Example trace;
    const timeline *t = trace.load();
    write_options options;
    write_options_default(&options);
    auto print = [&](FILE *out) { ASSERT_TRUE(write_table(t, &options, WRITE_TEXT, out)); };
    std::string without = to_string(print);
    EXPECT_FALSE(has(without, "CUDA Mem"));
    options.memory = true;
    std::string with = to_string(print);
    EXPECT_HAS(with, "CPU Mem  Self CPU Mem      CUDA Mem  Self CUDA Mem    # of Calls");
    EXPECT_HAS(with, "0 B         -64 B       2.00 MB           0 B             1\n") << "train";
    EXPECT_HAS(with, "64 B          64 B       2.00 MB       2.00 MB             1\n") << "forward";
}

TEST(MemoryReport, NamesHeapsOwnersLeaksRangesAndMigrations)
{
    Example trace;
    const timeline *t = trace.load();
    write_options options;
    write_options_default(&options);
    std::string text =
        to_string([&](FILE *out) { ASSERT_TRUE(write_memory(t, &options, WRITE_TEXT, out)); });
    EXPECT_HAS(text, "Device 0 device             2             1       3.00 MB       1.00 MB      "
                     " 2.00 MB       3.00 MB\n");
    EXPECT_HAS(text, "Allocator arena             1             1          64 B          64 B");
    EXPECT_HAS(text, "Peak of Device 0 device: 3.00 MB after 3.001us, owned by\n"
                     "       3.00 MB         2  train > forward > cudaMalloc\n");
    EXPECT_HAS(text, "Never freed: 1 allocation, 2.00 MB\n"
                     "       2.00 MB         1  train > forward > cudaMalloc  [Device 0 device, "
                     "first after 3.001us on thread 1001]\n");
    EXPECT_HAS(text, "Range, CUDA memory");
    EXPECT_HAS(text, "Range, host memory and allocators");
    EXPECT_HAS(text, "Device 0       4.00 KB           0 B           0 B       0.500us");
}

TEST(MemoryReport, SaysWhatItCannotKnow)
{
    Example trace;
    trace.header().state = PROF_STATE_RECORDING;
    trace.header().loss[PROF_LOSS_FULL] = 1;
    const timeline *t = trace.load();
    write_options options;
    write_options_default(&options);
    std::string text =
        to_string([&](FILE *out) { ASSERT_TRUE(write_memory(t, &options, WRITE_TEXT, out)); });
    EXPECT_HAS(text, "Not freed by the end of the trace: 1 allocation, 2.00 MB\n");
    EXPECT_HAS(text, "Not everything was recorded");
    text = to_string([&](FILE *out) { ASSERT_TRUE(write_memory(t, &options, WRITE_JSON, out)); });
    EXPECT_HAS(text, "\"complete\":false");
}

TEST(MemoryReport, SaysWhenThereIsNothing)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(1, "a").pop(2);
    const timeline *t = trace.load();
    write_options options;
    write_options_default(&options);
    EXPECT_EQ(
        to_string([&](FILE *out) { ASSERT_TRUE(write_memory(t, &options, WRITE_TEXT, out)); }),
        "No memory was allocated while recording.\n");
}

TEST(MemoryReport, SurvivesNastyNamesAndDeepRanges)
{
    MemoryTrace trace;
    uint32_t number = 0;
    for (const std::string &name : nasty_names()) {
        trace_builder_name_as(trace.raw(), 1000 + number, name.data(), name.size());
        trace_builder_push(trace.raw(), 10 + number, 1000 + number);
        number++;
    }
    prof_rec_allocator allocator = {};
    allocator.header = PROF_WORD_EXT(static_cast<uint64_t>(PROF_KIND_EXT), PROF_REC_ALLOCATOR,
                                     sizeof allocator / 8, 0);
    allocator.allocator = 1;
    allocator.name = 1005; // escape sequences
    trace_builder_meta(trace.raw(), &allocator, sizeof allocator);
    for (int i = 0; i < 300; i++)
        trace.push(100 + i, "deep");
    trace.own_alloc(1000, 1, 0x100, 64);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    write_options options;
    write_options_default(&options);
    std::string text =
        to_string([&](FILE *out) { ASSERT_TRUE(write_memory(t, &options, WRITE_TEXT, out)); });
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_HAS(text, "... > ");
    std::string summary =
        to_string([&](FILE *out) { ASSERT_TRUE(write_summary(t, &options, out)); });
    EXPECT_EQ(summary.find('\x1b'), std::string::npos);
    if (!have_python())
        GTEST_SKIP() << "python3 is missing";
    Scratch scratch;
    write_file(scratch.path("memory.json"), to_string([&](FILE *out) {
                   ASSERT_TRUE(write_memory(t, &options, WRITE_JSON, out));
               }));
    EXPECT_EQ(Scratch::run("python3 -c 'import json, sys; "
                           "json.load(open(sys.argv[1], encoding=\"utf-8\"))' " +
                           scratch.path("memory.json")),
              0);
}

TEST(MemorySummary, IsOneLineWithTheLargestPeakFirst)
{
    Example trace;
    const timeline *t = trace.load();
    write_options options;
    write_options_default(&options);
    std::string text = to_string([&](FILE *out) { ASSERT_TRUE(write_summary(t, &options, out)); });
    EXPECT_HAS(text, "Memory:    peak 3.00 MB of Device 0 device, 64 B of Allocator arena; never "
                     "freed: 1 allocation, 2.00 MB (profdump memory)\n");
}

TEST(MemoryJson, IsAMemberOnlyWhereThereIsMemory)
{
    Example with;
    Trace without;
    without.thread(1).log(0, 1).push(1, "a").pop(2);
    write_options options;
    write_options_default(&options);
    const timeline *t = with.load();
    std::string text = to_string([&](FILE *out) { ASSERT_TRUE(write_json(t, &options, out)); });
    EXPECT_HAS(text, "\"memory\":{");
    EXPECT_HAS(text, "\"peak_owners\":[\n{\"bytes\":3145728,\"count\":2,\"path\":[\"train\","
                     "\"forward\",\"cudaMalloc\"]}]");
    EXPECT_HAS(text, "\"unknown_frees\":0,\"reused_addresses\":0,\"complete\":true");
    t = without.load();
    text = to_string([&](FILE *out) { ASSERT_TRUE(write_json(t, &options, out)); });
    EXPECT_FALSE(has(text, "\"memory\":"));
}

TEST(MemoryChrome, DrawsCurvesInstantsAndMigrations)
{
    Example trace;
    Scratch scratch;
    write_error error;
    ASSERT_TRUE(
        write_chrome(trace.load(), nullptr, nullptr, scratch.path("t.json").c_str(), &error));
    std::string text = read_file(scratch.path("t.json"));
    EXPECT_HAS(text, "{\"ph\":\"C\",\"name\":\"Memory Device 0 device\",\"pid\":4242,\"tid\":0,"
                     "\"ts\":4.001,\"args\":{\"bytes\":3145728}}");
    EXPECT_HAS(text, "\"name\":\"[memory]\",\"pid\":4242,\"tid\":1001,\"ts\":6.001,\"args\":{"
                     "\"Total Reserved\":2097152,\"Total Allocated\":2097152,\"Bytes\":-1048576,"
                     "\"Addr\":1048576,\"Device Id\":0,\"Device Type\":1}");
    EXPECT_HAS(text, "\"ts\":5.000,\"args\":{\"Total Reserved\":64,\"Total Allocated\":64,"
                     "\"Bytes\":64,\"Addr\":16,\"Device Id\":-1,\"Device Type\":0,"
                     "\"allocator\":\"arena\"}");
    EXPECT_HAS(text, "\"cat\":\"unified_memory\",\"name\":\"Memory migration HtoD\"");
    EXPECT_HAS(text, "\"name\":\"managed memory (device 0)\"");
    size_t last = text.rfind("\"name\":\"Memory Device 0 device\"");
    EXPECT_GT(last, text.rfind("\"name\":\"[memory]\"")) << "the curve does not go to the end";
    if (!have_python())
        GTEST_SKIP() << "python3 is missing";
    EXPECT_EQ(
        Scratch::run("python3 " + test_directory() + "/check_trace.py " + scratch.path("t.json")),
        0);
}

TEST(MemoryChrome, ReservedIsWhatPoolsHoldBeyondWhatIsUsed)
{
    MemoryTrace trace;
    prof_rec_memory memory = {};
    memory.operation = PROF_MEMORY_ALLOCATE;
    memory.kind = KIND_DEVICE;
    memory.context = 1;
    memory.address = 0x100;
    memory.bytes = 1000;
    memory.pool = 0x900;
    memory.pool_type = 1;
    memory.pool_bytes = 4096;
    trace.call(1000, 1);
    trace_builder_memory(trace.raw(), 1001, 1, memory);
    memory.operation = PROF_MEMORY_RELEASE;
    trace.call(2000, 2, true);
    trace_builder_memory(trace.raw(), 2001, 2, memory);
    Scratch scratch;
    write_error error;
    ASSERT_TRUE(
        write_chrome(trace.load(), nullptr, nullptr, scratch.path("t.json").c_str(), &error));
    std::string text = read_file(scratch.path("t.json"));
    EXPECT_HAS(text, "\"Total Reserved\":4096,\"Total Allocated\":1000,\"Bytes\":1000");
    EXPECT_HAS(text, "\"Total Reserved\":4096,\"Total Allocated\":0,\"Bytes\":-1000");
}

} // namespace
