/* test_bad_input.cc - what is no trace, what was cut, and what a killed process leaves. */
#include "heard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

static std::string refusal_of(const char *path)
{
    read_error error = {};
    trace_file *file = trace_file_open(path, false, &error);
    bool opened = file != nullptr;
    trace_file_close(file);
    return opened ? "" : error.message;
}

TEST(BadInput, EmptyFile)
{
    EXPECT_EQ(refusal({}), "test.prof: offset 0: the file is empty");
}

TEST(BadInput, NotATrace)
{
    std::string text = "{\"traceEvents\": []} and so on";
    EXPECT_EQ(refusal(std::vector<uint8_t>(text.begin(), text.end())),
              "test.prof: offset 0: not a libprof trace");
    EXPECT_EQ(refusal({'\x7f'}), "test.prof: offset 0: not a libprof trace");
}

TEST(BadInput, DamagedByATextTransfer)
{
    std::vector<uint8_t> bytes = Trace().bytes();
    bytes.erase(bytes.begin() + 5); /* the carriage return */
    EXPECT_NE(refusal(bytes).find("text-mode"), std::string::npos);
}

TEST(BadInput, OtherByteOrder)
{
    std::vector<uint8_t> bytes = Trace().bytes();
    put(bytes, offsetof(prof_file_header, byte_order), __builtin_bswap32(PROF_BYTE_ORDER_MARK));
    EXPECT_NE(refusal(bytes).find(
                  "offset 12: the trace was written on a machine of the other byte order"),
              std::string::npos);
}

TEST(BadInput, OtherVersion)
{
    std::vector<uint8_t> bytes = Trace().bytes();
    put(bytes, offsetof(prof_file_header, version), uint32_t(7));
    EXPECT_EQ(
        refusal(bytes),
        "test.prof: offset 8: the trace has format version 7, this program reads versions 1 to 2");
}

TEST(BadInput, TruncatedInItsHeader)
{
    std::vector<uint8_t> bytes = Trace().bytes();
    bytes.resize(100);
    EXPECT_NE(refusal(bytes, true).find("offset 100: the file is truncated inside its header"),
              std::string::npos);
}

TEST(BadInput, TruncatedSaysHowMuchIsReadable)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    trace_builder_chunk(trace.raw(), 0);
    trace.pop(200);
    std::vector<uint8_t> bytes = trace.bytes();
    bytes.resize(2 * PROF_CHUNK_BYTES + 10);
    EXPECT_EQ(refusal(bytes), "test.prof: offset 131082: the file is truncated: 2 of its 3 chunks "
                              "of 65536 bytes are here; --partial shows what is readable");
    Heard heard = hear(bytes, true);
    EXPECT_TRUE(heard.health.truncated);
    EXPECT_EQ(heard.health.truncated_at, bytes.size());
    EXPECT_TRUE(heard.has("push 1 100 1\n"));
}

TEST(BadInput, ThingsThatAreNoFiles)
{
    EXPECT_EQ(refusal_of("/"), "/: a directory, not a libprof trace");
    EXPECT_EQ(refusal_of("/dev/null"), "/dev/null: a device, not a libprof trace");
    EXPECT_EQ(refusal_of("/nonexistent/x.prof"), "/nonexistent/x.prof: No such file or directory");
}

TEST(BadInput, ANamedPipeDoesNotHang)
{
    std::string path = testing::TempDir() + "pipe." + std::to_string(getpid());
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_NE(refusal_of(path.c_str()).find("a pipe, not a libprof trace"), std::string::npos);
    unlink(path.c_str());
}

TEST(BadInput, AnEndlessPathLeavesRoomForTheReason)
{
    std::string path = "/" + std::string(3000, 'p');
    std::string message = refusal_of(path.c_str());
    EXPECT_LT(message.size(), sizeof(read_error));
    EXPECT_NE(message.find("name too long"), std::string::npos) << message;
}

TEST(KilledProcess, ItsFileWithAZeroTailIsNoDamage)
{
    Trace trace;
    trace.header().state = PROF_STATE_RECORDING;
    trace.thread(1).log(0, 1).push(100, "a");
    const std::vector<uint8_t> bytes = trace.bytes();
    for (size_t tail : {1u, 7u, 4096u, PROF_CHUNK_BYTES, 5 * PROF_CHUNK_BYTES}) {
        std::vector<uint8_t> longer = bytes;
        longer.resize(bytes.size() + tail);
        Heard heard = hear(longer);
        EXPECT_TRUE(heard.walked) << tail << " " << heard.error.message;
        EXPECT_FALSE(heard.health.truncated);
        EXPECT_TRUE(heard.has("push 1 100 1"));
    }
}

TEST(KilledProcess, ChunksThatAreCountedAreInTheFileOrStillToBeCopied)
{
    Trace trace;
    trace.header().state = PROF_STATE_RECORDING;
    trace.thread(1).log(0, 1).push(100, "a");
    trace.header().chunk_count = 9;
    EXPECT_FALSE(hear(trace).walked);
    trace.header().flags |= PROF_FILE_COPIED;
    EXPECT_TRUE(hear(trace).walked);
    trace.header().state = PROF_STATE_CLOSED;
    EXPECT_FALSE(hear(trace).walked) << "a finished file has all of its chunks";
}

TEST(KilledProcess, ChunksBegunAfterTheCountWasReadAreTaken)
{
    Trace trace;
    trace.header().state = PROF_STATE_RECORDING;
    trace.thread(1).log(0, 1).push(100, "a");
    std::vector<uint8_t> bytes = trace.bytes();
    put(bytes, offsetof(prof_file_header, chunk_count), uint64_t(1));
    EXPECT_TRUE(hear(bytes).has("push 1 100 1"));
}

TEST(KilledProcess, IsReportedAsNotClosed)
{
    Trace trace;
    trace.header().state = PROF_STATE_RECORDING;
    trace.thread(1).log(0, 1).push(100, "a").pop(200);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr);
    EXPECT_FALSE(t->processes.at[0].info.closed);
    EXPECT_EQ(findings(t), "note not-closed");
}

TEST(TraceFile, IsReadFromDiskAsFromMemory)
{
    Trace trace(trace_builder_sample());
    std::string path = testing::TempDir() + "sample." + std::to_string(getpid()) + ".prof";
    ASSERT_TRUE(trace_builder_write(trace.raw(), path.c_str()));
    Heard from_memory = hear(trace);
    read_error error = {};
    trace_file *file = trace_file_open(path.c_str(), false, &error);
    ASSERT_NE(file, nullptr) << error.message;
    EXPECT_EQ(trace_file_path(file), path);
    EXPECT_EQ(hear(file).text, from_memory.text);
    EXPECT_EQ(hear(file).text, from_memory.text) << "the second time appends the same";
    EXPECT_EQ(trace_file_count_records(file), from_memory.health.records);
    trace_file_close(file);
    unlink(path.c_str());
}

TEST(TraceFile, IsReadFromUnalignedMemory)
{
    Trace trace(trace_builder_sample());
    std::vector<uint8_t> bytes = trace.bytes(), shifted(bytes.size() + 3);
    std::copy(bytes.begin(), bytes.end(), shifted.begin() + 3);
    read_error error;
    trace_file *file = trace_file_open_memory(shifted.data() + 3, bytes.size(), "x", false, &error);
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(hear(file).text, hear(trace).text);
    trace_file_close(file);
}
