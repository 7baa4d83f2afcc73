// Profiling blocks as prof buffers of ExecuTorch: the bytes, and what is left out.
#include "../support/block_fixture.h"
#include "write_support.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace
{

struct Dump {
    bool written;
    write_etprof_counts counts;
    write_error error;
    std::string bytes;

    template <typename Value>
    Value at(size_t offset) const
    {
        Value value;
        std::memcpy(&value, bytes.data() + offset, sizeof value);
        return value;
    }
    uint32_t u32(size_t offset) const { return at<uint32_t>(offset); }
    uint64_t u64(size_t offset) const { return at<uint64_t>(offset); }
    std::string name(size_t offset) const { return bytes.substr(offset, 32); }
};

enum { HEADER = 64, EVENT = 56, ALLOCATOR = 40, ALLOCATION = 8 };

Dump dump(const timeline *t)
{
    Scratch scratch;
    Dump made = {};
    made.written = write_etprof(t, scratch.path("out").c_str(), &made.counts, &made.error);
    made.bytes = read_file(scratch.path("out"));
    return made;
}

std::string padded(std::string text)
{
    text.resize(32);
    return text;
}

// The name that comes of `text`, and whether it counts as cut.
std::string name_of(const char *text, uint64_t cut = 0)
{
    BlockTrace trace;
    trace.block(5, "A").event(10, 20, text);
    Dump made = dump(trace.load());
    EXPECT_EQ(made.counts.cut_names, cut) << text;
    std::string name = made.name(HEADER);
    return name.substr(0, name.find_last_not_of('\0') + 1);
}

// Reads what is readable of a damaged file and writes it nowhere.
bool writes_something(const std::vector<uint8_t> &bytes)
{
    read_error error;
    write_etprof_counts counts;
    write_error why;
    trace_file *file =
        trace_file_open_memory(bytes.data(), bytes.size(), "damaged.prof", true, &error);
    timeline *t = file ? timeline_from_files(builder_begin(), &file, 1, &error) : nullptr;
    bool written = t && write_etprof(t, "/dev/null", &counts, &why);
    timeline_destroy(t);
    trace_file_close(file);
    return written;
}

} // namespace

TEST(Etprof, HasTheLayoutOfVersion1)
{
    BlockTrace trace;
    trace.allocator(1, "pool").block(5, "inference").begin(10, "native_call_add.out", 1, 2, 3);
    trace.end(25, 1).alloc(30, 1, 4096).alloc(31, 1, 1);
    Dump made = dump(trace.load());
    ASSERT_TRUE(made.written) << made.error.message;
    ASSERT_EQ(made.bytes.size(), size_t{HEADER + EVENT + ALLOCATOR + 2 * ALLOCATION});
    EXPECT_EQ(made.name(0), padded("inference"));
    EXPECT_EQ(made.u32(32), 1u) << "version";
    EXPECT_EQ(made.u32(36), 1u) << "space for events";
    EXPECT_EQ(made.u32(40), 1u);
    EXPECT_EQ(made.u32(44), 1u) << "space for allocators";
    EXPECT_EQ(made.u32(48), 1u);
    EXPECT_EQ(made.u32(52), 2u) << "space for allocations";
    EXPECT_EQ(made.u32(56), 2u);
    EXPECT_EQ(made.u32(60), 0u);
    EXPECT_EQ(made.name(64), padded("native_call_add.out"));
    EXPECT_EQ(made.at<int32_t>(96), 2) << "chain";
    EXPECT_EQ(made.u32(100), 3u) << "instruction";
    EXPECT_EQ(made.u64(104), 10u);
    EXPECT_EQ(made.u64(112), 25u);
    EXPECT_EQ(made.name(120), padded("pool"));
    EXPECT_EQ(made.u64(152), 0u) << "the allocator's number";
    EXPECT_EQ(made.u32(160), 0u);
    EXPECT_EQ(made.u32(164), 4096u);
    EXPECT_EQ(made.u32(172), 1u);
    EXPECT_EQ(made.counts.blocks, 1u);
    EXPECT_EQ(made.counts.events, 1u);
    EXPECT_EQ(made.counts.allocations, 2u);
}

TEST(Etprof, AllocatorsHaveOneNumberInTheWholeDump)
{
    BlockTrace trace;
    trace.allocator(1, "alloc_of_A").allocator(2, "alloc_of_B");
    trace.block(5, "A").alloc(6, 1, 100).block(10, "B").alloc(11, 2, 7).alloc(12, 1, 8);
    trace.alloc(13, 2, 9);
    Dump made = dump(trace.load());
    size_t second = HEADER + ALLOCATOR + ALLOCATION;
    ASSERT_EQ(made.bytes.size(), second + HEADER + 2 * ALLOCATOR + 3 * ALLOCATION);
    EXPECT_EQ(made.name(HEADER), padded("alloc_of_A"));
    EXPECT_EQ(made.u64(HEADER + 32), 0u);
    EXPECT_EQ(made.u32(second + 48), 2u) << "each once";
    EXPECT_EQ(made.name(second + HEADER), padded("alloc_of_B"));
    EXPECT_EQ(made.u64(second + HEADER + 32), 1u);
    EXPECT_EQ(made.name(second + HEADER + ALLOCATOR), padded("alloc_of_A"));
    EXPECT_EQ(made.u64(second + HEADER + ALLOCATOR + 32), 0u);
}

TEST(Etprof, LeavesOutAndCountsEventsWithoutEnd)
{
    BlockTrace trace;
    trace.block(5, "A").begin(10, "open", 1).event(11, 12, "a").begin(13, "open", 2);
    Dump made = dump(trace.load());
    ASSERT_EQ(made.bytes.size(), size_t{HEADER + EVENT});
    EXPECT_EQ(made.name(HEADER), padded("a"));
    EXPECT_EQ(made.counts.unfinished_events, 2u);
}

TEST(Etprof, LeavesOutBlocksThatHoldNothing)
{
    BlockTrace trace;
    trace.block(5, "A").begin(10, "open", 1).block(20, "B").event(21, 22, "b").block(30, "C");
    Dump made = dump(trace.load());
    ASSERT_EQ(made.bytes.size(), size_t{HEADER + EVENT});
    EXPECT_EQ(made.name(0), padded("B"));
    EXPECT_EQ(made.counts.blocks, 1u);
    EXPECT_EQ(made.counts.empty_blocks, 2u);
}

TEST(Etprof, IsRefusedAndLeavesNothingWhenNoBlockHoldsAnything)
{
    BlockTrace trace;
    trace.block(5, "A").begin(10, "open", 1).push(20, "range").pop(30);
    Dump made = dump(trace.load());
    EXPECT_FALSE(made.written);
    EXPECT_EQ(made.error.code, ENODATA);
    EXPECT_NE(std::string(made.error.message).find("no profiling block holds anything"),
              std::string::npos);
    EXPECT_EQ(made.bytes, "");
    EXPECT_EQ(made.counts.unfinished_events, 1u);
}

TEST(Etprof, CountsWhatWasReset)
{
    BlockTrace trace;
    trace.allocator(1, "pool").block(5, "A").event(6, 7, "gone").alloc(8, 1, 1).reset(9);
    trace.event(10, 11, "kept");
    Dump made = dump(trace.load());
    EXPECT_EQ(made.bytes.size(), size_t{HEADER + EVENT});
    EXPECT_EQ(made.counts.reset_events, 1u);
    EXPECT_EQ(made.counts.reset_allocations, 1u);
}

TEST(Etprof, SplitsAllocationsBeyond32BitsSoThatSumsAreRight)
{
    BlockTrace trace;
    trace.allocator(1, "pool").block(5, "A").alloc(6, 1, UINT32_MAX);
    trace.alloc(7, 1, uint64_t{UINT32_MAX} + 1).alloc(8, 1, 0).alloc(9, 1, uint64_t{3} << 32);
    Dump made = dump(trace.load());
    size_t first = HEADER + ALLOCATOR;
    ASSERT_EQ(made.u32(56), 8u);
    ASSERT_EQ(made.bytes.size(), first + 8 * ALLOCATION);
    std::vector<uint32_t> sizes;
    for (size_t i = 0; i < 8; i++)
        sizes.push_back(made.u32(first + i * ALLOCATION + 4));
    EXPECT_EQ(sizes, (std::vector<uint32_t>{UINT32_MAX, UINT32_MAX, 1, 0, UINT32_MAX, UINT32_MAX,
                                            UINT32_MAX, 3}));
    EXPECT_EQ(made.counts.allocations, 4u);
    EXPECT_EQ(made.counts.clamped_allocations, 0u);
}

TEST(Etprof, AnAllocationThatNoMemoryHoldsIsCutAndCounted)
{
    BlockTrace trace;
    trace.allocator(1, "pool").block(5, "A").alloc(6, 1, UINT64_MAX).alloc(7, 1, 1);
    Dump made = dump(trace.load());
    ASSERT_TRUE(made.written);
    EXPECT_EQ(made.u32(56), 4097u);
    EXPECT_EQ(made.counts.clamped_allocations, 1u);
}

TEST(Etprof, RefusesMoreAllocationsThanTheFormatCanCount)
{
    TimelineMaker maker;
    timeline *t = maker.done();
    std::vector<tl_block_alloc> allocs((1u << 20) + 1, {0, UINT64_MAX, 0, 0});
    tl_heap heap = {};
    heap.name = maker.name("pool");
    tl_block block = {};
    block.alloc_count = static_cast<uint32_t>(allocs.size());
    t = maker.done();
    t->block_allocs.at = allocs.data(), t->block_allocs.count = block.alloc_count;
    t->heaps.at = &heap, t->heaps.count = 1;
    t->blocks.at = &block, t->blocks.count = 1;
    Dump made = dump(t);
    EXPECT_FALSE(made.written);
    EXPECT_EQ(made.error.code, EOVERFLOW);
    EXPECT_EQ(made.bytes, "");
}

TEST(Etprof, NamesAreCutBetweenCharactersAndMadeUtf8)
{
    EXPECT_EQ(name_of("short"), "short");
    EXPECT_EQ(name_of("0123456789abcdef0123456789abcdef"), "0123456789abcdef0123456789abcdef");
    EXPECT_EQ(name_of("native_call_max_pool2d_with_indices.out", 1),
              "native_call_max_pool2d_with_indi");
    EXPECT_EQ(name_of("0123456789abcdef0123456789abcd\xc3\xa9"),
              "0123456789abcdef0123456789abcd\xc3\xa9");
    EXPECT_EQ(name_of("0123456789abcdef0123456789abcde\xc3\xa9", 1),
              "0123456789abcdef0123456789abcde");
    EXPECT_EQ(name_of("0123456789abcdef0123456789abc\xf0\x9f\x98\x80", 1),
              "0123456789abcdef0123456789abc");
    EXPECT_EQ(name_of("a\xff"
                      "b\xe2\x82"),
              "a\xef\xbf\xbd"
              "b\xef\xbf\xbd\xef\xbf\xbd");
    EXPECT_EQ(name_of("0123456789abcdef0123456789abcde\xff", 1), "0123456789abcdef0123456789abcde");
    EXPECT_EQ(name_of(""), "");
}

TEST(Etprof, ANulInANameDoesNotHideTheRest)
{
    BlockTrace trace;
    trace_builder_name_as(trace.raw(), 7000, "a\0b", 3);
    uint64_t payload[] = {7000, 1, UINT32_MAX};
    trace_builder_ext(trace.raw(), PROF_REC_RANGE_BEGIN, 10, payload, 3);
    trace.end(20, 1);
    EXPECT_EQ(dump(trace.load()).name(HEADER), padded("a\xef\xbf\xbd"
                                                      "b"));
}

TEST(Etprof, TimesAreNanosecondsOf64BitsAndNever0)
{
    BlockTrace trace;
    int64_t wrap = int64_t{1} << 32;
    trace.block(0, "A").event(0, 0, "at once").event(wrap - 5, wrap + 5, "across 32 bits");
    Dump made = dump(trace.load());
    EXPECT_EQ(made.u64(HEADER + 40), 1u);
    EXPECT_EQ(made.u64(HEADER + 48), 1u) << "an end of 0 would mean that there is none";
    EXPECT_EQ(made.u64(HEADER + EVENT + 48) - made.u64(HEADER + EVENT + 40), 10u);
}

TEST(Etprof, AHundredThousandEventsInOneBlockAreAllThere)
{
    BlockTrace trace;
    trace.block(1, "A");
    for (int64_t i = 0; i < 100000; i++)
        trace.event(10 + 2 * i, 11 + 2 * i, i % 2 ? "odd" : "even");
    Dump made = dump(trace.load());
    ASSERT_EQ(made.bytes.size(), HEADER + size_t{100000} * EVENT);
    EXPECT_EQ(made.u32(36), 100000u);
    EXPECT_EQ(made.u32(40), 100000u);
    for (size_t i : {size_t{0}, size_t{1}, size_t{50001}, size_t{99999}}) {
        EXPECT_EQ(made.name(HEADER + i * EVENT), padded(i % 2 ? "odd" : "even"));
        EXPECT_EQ(made.u64(HEADER + i * EVENT + 40), 10 + 2 * i);
    }
}

TEST(Etprof, ReplacesItsFileOnlyWhenComplete)
{
    Scratch scratch;
    BlockTrace trace, empty;
    trace.event(10, 20, "a");
    write_etprof_counts counts;
    write_error error;
    std::string path = scratch.path("out");
    write_file(path, "old");
    EXPECT_FALSE(write_etprof(empty.load(), path.c_str(), &counts, &error));
    EXPECT_EQ(read_file(path), "old");
    EXPECT_FALSE(write_etprof(trace.load(), "/dev/full", &counts, &error));
    EXPECT_EQ(error.code, ENOSPC);
    EXPECT_FALSE(write_etprof(trace.load(), scratch.path("no/such").c_str(), &counts, &error));
    EXPECT_EQ(error.code, ENOENT);
    ASSERT_TRUE(write_etprof(trace.load(), path.c_str(), &counts, &error)) << error.message;
    EXPECT_EQ(read_file(path).size(), size_t{HEADER + EVENT});
}

// Whatever a file claims about its blocks, writing them stays within bounds.
TEST(Etprof, SurvivesEveryDamagedByte)
{
    BlockTrace trace;
    trace.allocator(1, "pool").block(5, "A").begin(10, "a", 1).alloc(11, 1, 4096).end(12, 1);
    trace.reset(13).event(14, 15, "b").alloc(16, 1, 1);
    const size_t meta_end = trace_builder_meta_offset(trace.raw());
    const size_t log_end = trace_builder_log_offset(trace.raw());
    std::vector<uint8_t> bytes = trace.bytes();
    unsigned written = 0;
    for (size_t at = PROF_FILE_HEADER_BYTES; at < log_end; at++) {
        if (at == meta_end)
            at = PROF_CHUNK_BYTES;
        for (unsigned flip : {0x01u, 0x80u, 0xffu}) {
            const uint8_t kept = bytes[at];
            bytes[at] = static_cast<uint8_t>(kept ^ flip);
            written += writes_something(bytes);
            bytes[at] = kept;
        }
    }
    EXPECT_GT(written, 1000u);
}
