// Prof buffers of ExecuTorch, version 1: what is read, and what is said of files that are not right.
#include "executorch_fixture.h"

extern "C" {
#include "write.h"
}

namespace
{

std::vector<ProfBlock> two_iterations()
{
    ProfBlock first = {"inference",
                       {prof_event("Method::execute", 1000, 63000),
                        prof_event("native_call_add.out", 3000, 14000, 0, 7)},
                       {{"planned", 0}},
                       {{0, 4096}, {0, 64}},
                       3};
    ProfBlock second = first;
    second.events = {prof_event("Method::execute", 100000, 180000),
                     prof_event("native_call_add.out", 110000, 130000, 0, 7)};
    second.spare = 0;
    return {first, second};
}

const char two_iterations_text[] =
    "inference x2: Method::execute 62000,80000 native_call_add.out 11000,20000; planned=8320\n";

} // namespace

// P1: events, chains, allocators and iterations of a dump, whose blocks have room of different sizes
TEST(EtprofRead, ReadsBlocksOfDifferentRoom)
{
    Read read(prof_buffer(two_iterations()));
    ASSERT_NE(read.get(), nullptr) << read.error();
    EXPECT_EQ(read.text(), two_iterations_text);
    EXPECT_EQ(read->block_events.at[1].chain, 0);
    EXPECT_EQ(read->block_events.at[1].instruction, 7u);
    EXPECT_EQ(read->blocks.at[1].offset, 64u + 5 * 56 + 4 * 40 + 5 * 8);
    EXPECT_EQ(read.warnings(), "");
}

// P1, P3 defect 10: the byte order of the machine that wrote it
TEST(EtprofRead, ReadsEitherByteOrder)
{
    Read read(prof_buffer(two_iterations(), true));
    ASSERT_NE(read.get(), nullptr) << read.error();
    EXPECT_EQ(read.text(), two_iterations_text);
}

TEST(EtprofRead, ReadsUnterminatedNames)
{
    Read read(prof_buffer({{"a block's name of 32 bytes......",
                            {prof_event("native_call_max_pool2d_with_indices.out", 1, 2)}}}));
    EXPECT_EQ(read.text(),
              "a block's name of 32 bytes...... x1: native_call_max_pool2d_with_indi 1\n");
}

TEST(EtprofRead, LeavesOutACharacterThatWasCut)
{
    Read read(prof_buffer({{"b", {prof_event("1234567890123456789012345678901\xc3\xa9", 1, 2)}}}));
    EXPECT_EQ(read.text(), "b x1: 1234567890123456789012345678901 1\n");
    EXPECT_EQ(read.warnings(), "");
}

// P3 defect 2: names that are addresses, of which some are text by chance
TEST(EtprofRead, ShowsAddressesWhereNamesShouldBe)
{
    Read read(prof_buffer({{"b",
                            {prof_event("add", 1, 2), prof_event("X\xa0\x64\x37\x5c\x55", 3, 4),
                             prof_event("xyz7\x5c\x55", 5, 6)}}}));
    EXPECT_EQ(read.text(), "b x1: add 1 (name at address 0x555c3764a058) 1 "
                           "(name at address 0x555c377a7978) 1\n");
    EXPECT_EQ(read.warnings(), "2 events whose names are not text, as after a second dump\n");
}

// P3 defect 3: allocators' numbers begin anew in each block; an earlier block's may be used
TEST(EtprofRead, LooksForAllocatorsInTheOwnBlockThenInEarlierOnes)
{
    Read read(prof_buffer({{"A", {}, {{"of A", 0}}, {{0, 100}}},
                           {"B", {}, {{"of B", 0}}, {{0, 200}}},
                           {"C", {}, {}, {{0, 300}}}}));
    EXPECT_EQ(read.text(), "A x1:; of A=100\nB x1:; of B=200\nC x1:; of B=300\n");
}

TEST(EtprofRead, NamesAllocatorsThatNobodyToldOf)
{
    Read read(prof_buffer({{"A", {}, {}, {{5, 100}}}, {"B", {}, {{"late", 5}}, {}}}));
    EXPECT_EQ(read.text(), "A x1:; (allocator 5)=100\nB x1:\n");
    EXPECT_EQ(read.warnings(), "1 allocations of allocators that no block lists\n");
}

// P3 defect 5: a block that holds nothing
TEST(EtprofRead, ReadsABlockThatHoldsNothing)
{
    Read read(prof_buffer({{"empty", {}, {}, {}, 4}}));
    EXPECT_EQ(read.text(), "empty x1:\n");
}

// P3 defect 6: what did not end, and what ended in the next block, has no duration
TEST(EtprofRead, KnowsNoDurationOfWhatDidNotEnd)
{
    Read read(prof_buffer({{"b", {prof_event("open", 5, 0), prof_event("done", 6, 9)}}}));
    EXPECT_EQ(read.text(), "b x1: open ? done 3\n");
    EXPECT_EQ(read.warnings(), "1 events that did not end: their durations are unknown\n");
}

// P3 defect 6, P5: a counter of 32 bits begins anew within an event
TEST(EtprofRead, UnwrapsTicksOfThirtyTwoBits)
{
    std::vector<ProfBlock> blocks = {
        {"b", {prof_event("wraps", 0xfffffff0, 0x10), prof_event("after", 0x20, 0x30)}}};
    Read plain(prof_buffer(blocks));
    EXPECT_EQ(plain.text(), "b x1: wraps ? after 16\n");
    EXPECT_NE(plain.warnings().find("1 events that end before they begin"), std::string::npos);
    Read wrapped(prof_buffer(blocks), {1, true});
    EXPECT_EQ(wrapped.text(), "b x1: wraps 32 after 16\n");
    EXPECT_EQ(wrapped.warnings(), "");
    EXPECT_EQ(wrapped->event_sources.at[0].flags, TL_EVENT_WRAPPED);
    EXPECT_EQ(wrapped->asyncs.at[0].end_ns - wrapped->asyncs.at[0].start_ns, 32);
}

TEST(EtprofRead, DoesNotUnwrapWhatIsWiderOrOpen)
{
    Read read(prof_buffer({{"b", {prof_event("wide", 0x100000000, 1), prof_event("open", 9, 0)}}}),
              {1, true});
    EXPECT_EQ(read.text(), "b x1: wide ? open ?\n");
}

// P5: ticks of the source's scale become the timeline's nanoseconds
TEST(EtprofRead, TicksHaveTheScaleThatWasSaid)
{
    Read read(prof_buffer({{"b", {prof_event("e", 3, 5)}}}), {1000, false});
    EXPECT_EQ(read->asyncs.at[0].start_ns, 3000);
    EXPECT_EQ(read->asyncs.at[0].end_ns, 5000);
    EXPECT_EQ(read->event_sources.at[0].end_ticks, 5u);
}

TEST(EtprofRead, TicksBeyondATimelineDoNotOverflow)
{
    Read read(prof_buffer({{"b", {prof_event("e", UINT64_MAX - 1, UINT64_MAX)}}}),
              {1000000000, false});
    EXPECT_EQ(read.text(), "b x1: e 1\n");
}

// P3 defect 10: more entries than there is room for, said with block and offset
TEST(EtprofRead, RefusesMoreEntriesThanRoom)
{
    Bytes bytes = prof_buffer(two_iterations());
    size_t second = 64 + 5 * 56 + 4 * 40 + 5 * 8;
    bytes[second + 40] = 9;
    Read read(bytes);
    EXPECT_EQ(read.get(), nullptr);
    EXPECT_NE(read.error().find("offset 544: block 2 has 9 events, but room for 2"),
              std::string::npos)
        << read.error();
}

// P3 defect 10: a cut file
TEST(EtprofRead, SaysWhereAFileWasCut)
{
    Bytes bytes = prof_buffer(two_iterations());
    for (size_t size : {bytes.size() - 1, bytes.size() - 100, size_t{544 + 63}}) {
        Bytes cut(bytes.begin(), bytes.begin() + (long)size);
        Read refused(cut);
        EXPECT_EQ(refused.get(), nullptr);
        EXPECT_NE(refused.error().find("offset 544: block 2"), std::string::npos)
            << refused.error();
        Read partial(cut, {}, true);
        ASSERT_NE(partial.get(), nullptr) << partial.error();
        EXPECT_EQ(partial->blocks.count, 1u);
        EXPECT_EQ(partial.warnings(), "1 blocks that are damaged: the file is read up to there\n");
    }
}

// P3 defect 10: another version
TEST(EtprofRead, RefusesAnotherVersionInALaterBlock)
{
    Bytes bytes = prof_buffer(two_iterations());
    bytes[544 + 32] = 2;
    Read read(bytes);
    EXPECT_EQ(read.get(), nullptr);
    EXPECT_NE(read.error().find("offset 544: block 2 has no header of a prof buffer of version 1"),
              std::string::npos);
}

TEST(EtprofRead, IsNotTakenForOtherFiles)
{
    std::string json = "[{\"name\": \"x\"}]                                   ";
    std::string sqlite(
        "SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x01", 36);
    sqlite.resize(100);
    for (const std::string &other : {json, sqlite, std::string(200, '\0')}) {
        Read read(Bytes(other.begin(), other.end()));
        for (uint32_t i = 0; read.get() && i < read.get()->processes.count; i++) {
            text format = read.get()->processes.at[i].info.format;
            EXPECT_EQ(std::string(format.bytes, format.size).find("ExecuTorch"), std::string::npos);
        }
    }
}

// P2: what profdump -o OUT.etprof writes is what it reads
TEST(EtprofRead, ReadsBackWhatWasWritten)
{
    Read first(prof_buffer(two_iterations()));
    char path[] = "/tmp/etprof_read_XXXXXX";
    int descriptor = mkstemp(path);
    ASSERT_GE(descriptor, 0);
    close(descriptor);
    write_etprof_counts counts;
    write_error error;
    ASSERT_TRUE(write_etprof(first.get(), path, &counts, &error)) << error.message;
    FILE *file = fopen(path, "rb");
    Bytes bytes(4096);
    bytes.resize(fread(bytes.data(), 1, bytes.size(), file));
    fclose(file);
    unlink(path);
    Read again(bytes);
    EXPECT_EQ(again.text(), two_iterations_text);
    EXPECT_EQ(again->event_sources.at[3].start_ticks, 110000u);
    EXPECT_EQ(again->block_events.at[3].instruction, 7u);
}

TEST(EtprofRead, SurvivesAnyCutAndAnyByte)
{
    Bytes bytes = prof_buffer(two_iterations());
    for (size_t size = 0; size < bytes.size(); size += 7)
        Read(Bytes(bytes.begin(), bytes.begin() + (long)size), {1, true}, true);
    for (size_t at = 0; at < bytes.size(); at++) {
        Bytes changed = bytes;
        changed[at] ^= 0xff;
        Read read(changed, {1, true}, at % 2 != 0);
        if (read.get())
            read.text();
    }
}
