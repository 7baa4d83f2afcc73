/* test_source.cc - bytes come out as they went in, whatever they are packed with. */
#include "../support/trace_fixture.h"
#include "foreign.h"
#include "source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>
#ifdef PROF_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef PROF_HAVE_LIBZSTD
#include <zstd.h>
#endif

namespace
{

std::string sample(size_t size)
{
    std::string text;
    for (size_t i = 0; text.size() < size; i++)
        text += "event " + std::to_string(i * i) + "\n";
    text.resize(size);
    return text;
}

/* What source_read() gives, segment by segment; "error: ..." when it fails. */
std::string unpacked(const std::string &stored, size_t segment)
{
    read_error error = {};
    source *from = source_open_memory(stored.data(), stored.size(), "t.gz", &error);
    if (!from)
        return std::string("error: ") + error.message;
    text head;
    std::string all;
    if (source_peek(from, &head, &error)) {
        std::vector<char> room(segment);
        ptrdiff_t got;
        while ((got = source_read(from, room.data(), segment, &error)) > 0)
            all.append(room.data(), (size_t)got);
        if (got < 0)
            all = std::string("error: ") + error.message;
    } else {
        all = std::string("error: ") + error.message;
    }
    source_close(from);
    return all;
}

TEST(Source, ReadsPlainBytes)
{
    for (size_t size : {0, 1, 65535, 65536, 65537, 300000})
        EXPECT_EQ(unpacked(sample(size), 1000), sample(size)) << size;
}

#ifdef PROF_HAVE_ZLIB
std::string gzip(const std::string &text)
{
    z_stream stream = {};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = (Bytef *)text.data();
    stream.avail_in = (unsigned)text.size();
    stream.next_out = (Bytef *)&packed[0];
    stream.avail_out = (unsigned)packed.size();
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

TEST(Source, UnpacksGzipOfAnySizeAndSeveralMembers)
{
    for (size_t size : {0, 1, 65536, 1000000})
        EXPECT_EQ(unpacked(gzip(sample(size)), 4096), sample(size)) << size;
    EXPECT_EQ(unpacked(gzip("one ") + gzip("two"), 100), "one two");
    EXPECT_EQ(unpacked(gzip(sample(1000)) + gzip("two"), 100), sample(1000) + "two");
}

TEST(Source, UnpacksGzipWhateverSizeItStates)
{
    std::string packed = gzip(sample(100000));
    for (char size : std::string("\0\1\2", 3)) {
        packed[packed.size() - 3] = size; /* of the number of bytes, bits 8 to 15 */
        EXPECT_EQ(unpacked(packed, 4096), "error: t.gz: the gzip data is damaged") << int(size);
    }
}

TEST(Source, NamesTruncatedAndDamagedGzip)
{
    std::string packed = gzip(sample(100000));
    EXPECT_EQ(unpacked(packed.substr(0, packed.size() / 2), 4096),
              "error: t.gz: the gzip data ends too early: the file is truncated");
    packed[packed.size() / 2] = (char)~packed[packed.size() / 2];
    packed[packed.size() / 2 + 1] = (char)~packed[packed.size() / 2 + 1];
    EXPECT_EQ(unpacked(packed, 4096), "error: t.gz: the gzip data is damaged");
}

TEST(Source, OpensTracesOfLibprofThatAreCompressed)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "work").pop(200);
    size_t size;
    const uint8_t *bytes = trace_builder_bytes(trace.raw(), &size);
    std::string packed = gzip(std::string((const char *)bytes, size));
    read_error error = {};
    builder *builder = builder_begin();
    trace_file *file =
        foreign_open_memory(packed.data(), packed.size(), "t.gz", false, builder, &error);
    ASSERT_NE(file, nullptr) << error.message;
    timeline *timeline = timeline_from_files(builder, &file, 1, &error);
    trace_file_close(file);
    ASSERT_NE(timeline, nullptr);
    EXPECT_EQ(timeline->slices.count, 1u);
    timeline_destroy(timeline);
}

TEST(Source, RefusesWhatUnpacksToAbsurdlyMuch)
{
    EXPECT_EQ(unpacked(gzip(std::string(size_t(300) << 20, ' ')), 1 << 20),
              "error: t.gz: unpacks to more than 200 times its size: not a trace");
}
#endif

#ifdef PROF_HAVE_LIBZSTD
TEST(Source, UnpacksZstd)
{
    std::string text = sample(500000), packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(&packed[0], packed.size(), text.data(), text.size(), 3));
    EXPECT_EQ(unpacked(packed, 777), text);
    EXPECT_EQ(unpacked(packed + packed, 777), text + text);
    EXPECT_EQ(unpacked(packed.substr(0, packed.size() - 9), 777),
              "error: t.gz: the zstd data ends too early: the file is truncated");
}
#endif

TEST(Source, ReadsAllInOnePieceUpToALimit)
{
    std::string text = sample(200000);
    for (size_t most : {size_t(200000), size_t(199999)}) {
        read_error error = {};
        size_t size = 0;
        source *from = source_open_memory(text.data(), text.size(), "t", &error);
        void *bytes = source_read_all(from, most, &size, &error);
        EXPECT_EQ(bytes != nullptr, most == text.size());
        EXPECT_EQ(bytes ? std::string((char *)bytes, size) : text, text);
        free(bytes);
        source_close(from);
    }
}

TEST(Foreign, SaysWhichKindsAreKnown)
{
    read_error error = {};
    EXPECT_EQ(foreign_open_memory("hello", 5, "x", false, nullptr, &error), nullptr);
    EXPECT_EQ(std::string(error.message).rfind("x: not a trace of a known kind (libprof trace", 0),
              0u)
        << error.message;
}

} // namespace
