/* test_damage.cc - a small trace is cut at every length and damaged in every byte: refused or read,
 * never a crash. Meant to run under the address and undefined-behaviour sanitizers. */
#include "../support/trace_fixture.h"

#include "timeline_restrict.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace
{

/* The same for what a window needs. */
void read_window(const uint8_t *bytes, size_t size, bool partial)
{
    read_error error = {};
    check_report report;
    trace_file *file = trace_file_open_memory(bytes, size, "damaged.prof", partial, &error);
    if (!file)
        return;
    builder *by = builder_begin();
    builder_set_window(by, 2000, 5000);
    timeline *t = timeline_from_files(by, &file, 1, &error);
    trace_file_close(file);
    if (t && timeline_restrict(t, 2000, 5000))
        timeline_check(t, &report);
    timeline_destroy(t);
}

/* Reader, timeline and check over the bytes. True when they made a timeline. */
bool survives(const uint8_t *bytes, size_t size, bool partial, std::string *message)
{
    read_error error = {};
    check_report report;
    trace_file *file = trace_file_open_memory(bytes, size, "damaged.prof", partial, &error);
    timeline *t = file ? timeline_from_files(builder_begin(), &file, 1, &error) : nullptr;
    trace_file_close(file);
    if (t)
        timeline_check(t, &report);
    bool made = t != nullptr;
    timeline_destroy(t);
    read_window(bytes, size, partial);
    *message = error.message;
    return made;
}

/* The sample's first bytes of every chunk that are not zero to the end: the rest of a chunk is
 * empty. */
std::vector<size_t> interesting_offsets(const std::vector<uint8_t> &bytes)
{
    std::vector<size_t> offsets;
    for (size_t chunk = 0; chunk < bytes.size(); chunk += PROF_CHUNK_BYTES) {
        size_t end = std::min(bytes.size(), chunk + PROF_CHUNK_BYTES);
        while (end > chunk && bytes[end - 1] == 0)
            end--;
        for (size_t i = chunk; i < std::min(end + 24, bytes.size()); i++)
            offsets.push_back(i);
    }
    return offsets;
}

} // namespace

TEST(Truncation, OfAFinishedFileIsAlwaysNoticed)
{
    std::vector<uint8_t> bytes = Trace(trace_builder_sample()).bytes();
    std::string message;
    ASSERT_TRUE(survives(bytes.data(), bytes.size(), false, &message)) << message;
    for (size_t size : interesting_offsets(bytes)) {
        EXPECT_FALSE(survives(bytes.data(), size, false, &message)) << size;
        EXPECT_EQ(message.rfind("damaged.prof: offset ", 0), 0u) << size << " " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
    }
}

TEST(Truncation, PartialReadsWhateverIsThereBehindTheHeader)
{
    std::vector<uint8_t> bytes = Trace(trace_builder_sample()).bytes();
    std::string message;
    for (size_t size : interesting_offsets(bytes)) {
        std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<long>(size));
        EXPECT_EQ(survives(cut.data(), cut.size(), true, &message), size >= PROF_FILE_HEADER_BYTES)
            << size << " " << message;
    }
}

TEST(Truncation, OfAKilledProcesssFileOnAChunkBoundaryIsNoticed)
{
    Trace trace(trace_builder_sample());
    trace.header().state = PROF_STATE_RECORDING;
    std::vector<uint8_t> bytes = trace.bytes();
    std::string message;
    EXPECT_TRUE(survives(bytes.data(), bytes.size(), false, &message)) << message;
    for (size_t size = PROF_CHUNK_BYTES; size < bytes.size(); size += PROF_CHUNK_BYTES) {
        EXPECT_FALSE(survives(bytes.data(), size, false, &message)) << size;
        EXPECT_NE(message.find("truncated"), std::string::npos) << message;
        EXPECT_TRUE(survives(bytes.data(), size, true, &message)) << size << " " << message;
    }
}

TEST(ByteFlips, NeverCrashTheReaderTheTimelineOrTheCheck)
{
    std::vector<uint8_t> bytes = Trace(trace_builder_sample()).bytes();
    std::string message;
    for (size_t offset : interesting_offsets(bytes)) {
        if (offset >= 768 && offset < PROF_FILE_HEADER_BYTES)
            continue; /* reserved */
        for (uint8_t flip : {uint8_t(0xff), uint8_t(0x01), uint8_t(0x80)}) {
            bytes[offset] ^= flip;
            survives(bytes.data(), bytes.size(), true, &message);
            bool made = survives(bytes.data(), bytes.size(), false, &message);
            if (!made) {
                EXPECT_EQ(message.rfind("damaged.prof: offset ", 0), 0u)
                    << offset << " " << message;
            }
            bytes[offset] ^= flip;
        }
    }
}

TEST(ByteFlips, InTheMagicVersionAndSizesAreAlwaysNoticed)
{
    std::vector<uint8_t> bytes = Trace(trace_builder_sample()).bytes();
    std::string message;
    for (size_t offset = 0; offset < offsetof(prof_file_header, pid); offset++) {
        bytes[offset] ^= 0x10;
        EXPECT_FALSE(survives(bytes.data(), bytes.size(), true, &message)) << offset;
        bytes[offset] ^= 0x10;
    }
}
