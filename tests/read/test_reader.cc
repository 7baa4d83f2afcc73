/* test_reader.cc - the native reader against the rules of format.h. */
#include "check.h"
#include "heard.h"

#include <gtest/gtest.h>

#include <algorithm>

TEST(Reader, TellsAThreadsEventsInOrder)
{
    Trace trace;
    trace.thread(1, "main").log(0, 1).push(100, "a").push(150, "b").pop(180).pop(200);
    trace_builder_mark(trace.raw(), 250, trace.name("m"));
    trace_builder_thread_end(trace.raw(), 300);
    EXPECT_EQ(hear(trace).text, "thread 1 1001 main\npush 1 100 1\npush 1 150 2\npop 1 180\n"
                                "pop 1 200\nmark 1 250 3\nclose 1 300 unclosed\n");
}

TEST(Reader, SkipsWordsThatWereNeverCommitted)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    for (int i = 0; i < 5; i++)
        trace_builder_word(trace.raw(), 0);
    trace.pop(200);
    Heard heard = hear(trace);
    EXPECT_TRUE(heard.walked);
    EXPECT_TRUE(heard.has("push 1 100 1\npop 1 200\n")) << heard.text;
    EXPECT_EQ(heard.health.torn_records, 0u);
}

TEST(Reader, CountsAHoleAsOneTornRecordAndSkipsItsWords)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace_builder_word(trace.raw(), PROF_WORD_EXT(PROF_KIND_HOLE, PROF_REC_API_ENTER, 5, 0));
    for (int i = 0; i < 4; i++) /* these look like records */
        trace_builder_word(trace.raw(), PROF_WORD_EVENT(PROF_KIND_PUSH, 1, 77));
    trace.push(100, "a");
    Heard heard = hear(trace);
    EXPECT_EQ(heard.health.torn_records, 1u);
    EXPECT_FALSE(heard.has("77")) << heard.text;
    EXPECT_TRUE(heard.has("push 1 100 1"));
}

TEST(Reader, TellsARangeThatWasOverWithinTheFileAndItsRecord)
{
    Trace trace;
    uint32_t name = trace.name("late");
    trace.thread(1).log(0, 1);
    trace_builder_range(trace.raw(), 500, name, 1, 200, 300);
    trace_builder_range(trace.raw(), 500, name, 2, -50, 300);
    trace_builder_range(trace.raw(), 500, name, 3, 400, 900);
    trace_builder_range(trace.raw(), 500, name, 4, 700, 900);
    trace_builder_range(trace.raw(), 500, name, 5, 300, 200);
    Heard heard = hear(trace);
    EXPECT_TRUE(heard.has("begin 1 200 1 1\nend 1 300 1\n"
                          "begin 1 0 1 2\nend 1 300 2\n"
                          "begin 1 400 1 3\nend 1 500 3\n"
                          "begin 1 500 1 4\nend 1 500 4\n"
                          "begin 1 300 1 5\nend 1 300 5\n"))
        << heard.text;
}

TEST(Reader, SkipsRecordsOfUnknownTypes)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace_builder_word(trace.raw(), PROF_WORD_EXT(PROF_KIND_EXT, 200, 4, 0));
    for (uint64_t word = 1; word <= 3; word++)
        trace_builder_word(trace.raw(), word);
    trace.push(100, "a");
    Heard heard = hear(trace);
    EXPECT_TRUE(heard.walked);
    EXPECT_EQ(heard.health.unknown_records, 1u);
    EXPECT_TRUE(heard.has("push 1 100 1"));
}

TEST(Reader, TakesRecordsThatHaveGrown)
{
    Trace trace;
    uint64_t payload[4] = {trace.name("wide"), 0, 0, 0};
    trace.thread(1).log(0, 1);
    trace_builder_ext(trace.raw(), PROF_REC_PUSH_WIDE, 100, payload, 4);
    trace.pop(200);
    EXPECT_TRUE(hear(trace).has("push 1 100 1\npop 1 200"));
}

TEST(Reader, TakesNameIdsOfMoreThanTwentyBits)
{
    Trace trace;
    trace_builder_name_as(trace.raw(), 5000000, "far", 3);
    trace.thread(1).log(0, 1);
    trace_builder_push(trace.raw(), 100, 5000000);
    trace_builder_mark(trace.raw(), 110, 5000000);
    Heard heard = hear(trace);
    EXPECT_TRUE(heard.has("push 1 100 5000000\nmark 1 110 5000000")) << heard.text;
}

TEST(Reader, ReadsTimesThatNeedMoreThanFortyBits)
{
    Trace trace;
    int64_t days = INT64_C(3) * 86400 * 1000000000;
    trace.thread(1).log(0, 1).push(100, "a").pop(days);
    EXPECT_TRUE(hear(trace).has("pop 1 " + number(days)));
}

TEST(Reader, RefusesARecordThatCrossesTheEndOfItsChunk)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    for (int i = 0; i < 8100; i++)
        trace.push(100 + i, "x");
    size_t at = trace_builder_log_offset(trace.raw());
    trace_builder_word(trace.raw(), PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_COUNTER, 100, 0));
    std::string message = refusal(trace.bytes());
    EXPECT_NE(message.find("test.prof: offset " + std::to_string(at)), std::string::npos)
        << message;
}

TEST(Reader, RefusesRecordsShorterThanTheirFirstVersion)
{
    Trace trace;
    uint64_t word = trace.name("c");
    trace.thread(1).log(0, 1);
    trace_builder_ext(trace.raw(), PROF_REC_COUNTER, 100, &word, 1);
    EXPECT_NE(refusal(trace.bytes()).find("impossible kind or size"), std::string::npos);
}

TEST(Reader, NamesFileAndOffsetOfADamagedRecord)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    size_t at = trace_builder_log_offset(trace.raw());
    trace_builder_word(trace.raw(), 15); /* no such kind */
    trace.pop(200);
    EXPECT_EQ(refusal(trace.bytes()),
              "test.prof: offset " + std::to_string(at) +
                  ": a record of impossible kind or size; --partial shows what is readable");
}

TEST(Reader, PartialShowsWhatPrecedesDamageAndTheChunksBehind)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    size_t at = trace_builder_log_offset(trace.raw());
    trace_builder_word(trace.raw(), 15);
    trace.pop(200);
    trace_builder_chunk(trace.raw(), 0);
    trace.push(300, "b");
    Heard heard = hear(trace, true);
    EXPECT_TRUE(heard.walked);
    EXPECT_EQ(heard.health.bad_records, 1u);
    EXPECT_EQ(heard.health.bad_offset, at);
    EXPECT_TRUE(heard.has("push 1 100 1\npush 1 300 2\n")) << heard.text;
}

TEST(Reader, RefusesANameWhoseTextDoesNotMatchItsHash)
{
    Trace trace;
    size_t at = trace_builder_meta_offset(trace.raw());
    trace.name("hello");
    trace.thread(1).log(0, 1).push(1, "hello");
    std::vector<uint8_t> bytes = trace.bytes();
    bytes[at + sizeof(prof_rec_name)] ^= 1;
    EXPECT_NE(refusal(bytes).find("offset " + std::to_string(at) + ": a name is damaged"),
              std::string::npos);
}

TEST(Reader, RefusesTextsLongerThanTheirRecord)
{
    Trace trace;
    size_t at = trace_builder_meta_offset(trace.raw());
    trace_builder_info(trace.raw(), PROF_INFO_HOST, "host");
    std::vector<uint8_t> bytes = trace.bytes();
    put(bytes, at + offsetof(prof_rec_info, bytes), uint32_t(4096));
    EXPECT_NE(refusal(bytes).find("longer than its record"), std::string::npos);
}

TEST(Reader, KeepsEachNoteOfTheRecorderOnce)
{
    Trace trace;
    for (const char *note : {"one thing", "another", "one thing"})
        trace_builder_info(trace.raw(), PROF_INFO_NOTE, note);
    trace.thread(1).log(0, 1);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    std::string notes;
    for (uint32_t i = 0; i < t->notes.count; i++)
        notes += std::string(t->names.at[t->notes.at[i].text].bytes) + "; ";
    EXPECT_EQ(notes, "one thing; another; ");
    check_report report;
    timeline_check(t, &report);
    const check_finding &last = report.findings[report.count - 1];
    EXPECT_STREQ(check_rule_name(last.rule), "recorder");
    EXPECT_EQ(last.count, 2u);
    EXPECT_NE(std::string(last.sentence).find(": one thing"), std::string::npos);
}

TEST(Reader, KeepsOnlyTheBeginningOfAnEndlessName)
{
    Trace trace;
    std::string endless(1 << 16, 'x');
    trace_builder_name_as(trace.raw(), 1, endless.data(), endless.size());
    trace.thread(1).log(0, 1);
    trace_builder_push(trace.raw(), 1, 1);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(t->names.at[t->slices.at[0].name].size, PROF_NAME_BYTES_MAX);
}

TEST(Reader, SkipsChunksThatWereNeverBegun)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    std::vector<uint8_t> bytes = trace.bytes();
    /* claimed by a thread that was killed */
    bytes.insert(bytes.begin() + PROF_CHUNK_BYTES, PROF_CHUNK_BYTES, 0);
    put(bytes, 2 * PROF_CHUNK_BYTES + offsetof(prof_chunk_header, index), uint64_t(2));
    put(bytes, offsetof(prof_file_header, chunk_count), uint64_t(3));
    Heard heard = hear(bytes);
    EXPECT_TRUE(heard.walked) << heard.error.message;
    EXPECT_TRUE(heard.has("push 1 100 1"));
}

TEST(Reader, RefusesAChunkThatLiesInTheWrongPlace)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    std::vector<uint8_t> bytes = trace.bytes();
    bytes[PROF_CHUNK_BYTES + offsetof(prof_chunk_header, index)] = 9;
    EXPECT_NE(refusal(bytes).find("offset 65536: the header of a chunk is damaged"),
              std::string::npos);
}

TEST(Reader, OrdersTheChunksOfALogBySequence)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    trace_builder_chunk(trace.raw(), 0);
    trace.pop(200);
    std::vector<uint8_t> bytes = trace.bytes();
    std::swap_ranges(bytes.begin() + PROF_CHUNK_BYTES, bytes.begin() + 2 * PROF_CHUNK_BYTES,
                     bytes.begin() + 2 * PROF_CHUNK_BYTES);
    bytes[PROF_CHUNK_BYTES + offsetof(prof_chunk_header, index)] = 1;
    bytes[2 * PROF_CHUNK_BYTES + offsetof(prof_chunk_header, index)] = 2;
    EXPECT_TRUE(hear(bytes).has("push 1 100 1\npop 1 200"));
}

TEST(Reader, ReadsNamesFromLaterMetaChunks)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    std::string last;
    for (int i = 0; i < 4000; i++) {
        last = "a name that takes some space " + std::to_string(i);
        trace_builder_name_as(trace.raw(), static_cast<uint32_t>(i + 1), last.data(), last.size());
    }
    trace_builder_push(trace.raw(), 100, 4000);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(t->names.at[t->slices.at[0].name].bytes, last);
    EXPECT_GT(t->processes.at[0].health.file_bytes, 3 * PROF_CHUNK_BYTES);
}

TEST(Reader, AMissingChunkIsDamageOutsideOfRingMode)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    trace_builder_chunk(trace.raw(), 1);
    trace.pop(200);
    EXPECT_NE(refusal(trace.bytes()).find("the chunk ahead of this one in its log is missing"),
              std::string::npos);
    EXPECT_EQ(hear(trace, true).health.missing_chunks, 1u);
}

TEST(Reader, TwoChunksOfOnePlaceAreDamage)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a");
    trace_builder_chunk(trace.raw(), 0);
    trace.pop(200);
    std::vector<uint8_t> bytes = trace.bytes();
    put(bytes, 2 * PROF_CHUNK_BYTES + offsetof(prof_chunk_header, sequence), uint64_t(0));
    EXPECT_NE(refusal(bytes).find("two chunks claim one place"), std::string::npos);
}

TEST(Reader, CutsTheThreadWhereRingModeRecycledChunks)
{
    Trace trace;
    trace.header().flags |= PROF_FILE_RING;
    trace.thread(1).log(0, 1).push(100, "a");
    trace_builder_chunk(trace.raw(), 3);
    trace.pop(200).push(300, "b").pop(400);
    Heard heard = hear(trace);
    EXPECT_TRUE(heard.walked) << heard.error.message;
    EXPECT_EQ(heard.health.missing_chunks, 3u);
    EXPECT_TRUE(heard.has("push 1 100 1\nclose 1 100\ncut 1\npop 1 200\n")) << heard.text;
}

TEST(Reader, ALogThatDoesNotBeginWithItsFirstChunkIsCut)
{
    Trace trace;
    trace.header().flags |= PROF_FILE_RING;
    trace.thread(1).log(0, 1).pop(200);
    std::vector<uint8_t> bytes = trace.bytes();
    put(bytes, PROF_CHUNK_BYTES + offsetof(prof_chunk_header, sequence), uint64_t(7));
    Heard heard = hear(bytes);
    EXPECT_EQ(heard.health.missing_chunks, 7u);
    EXPECT_TRUE(heard.has("cut 1\npop 1 200")) << heard.text;
}

TEST(Reader, HandsALogFromThreadToThread)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1).push(100, "a");
    trace_builder_thread_end(trace.raw(), 150);
    trace_builder_handover(trace.raw(), 2, 1002);
    trace.push(200, "b").pop(250);
    trace_builder_thread_end(trace.raw(), 260);
    EXPECT_EQ(hear(trace).text,
              "thread 1 1001 thread\nthread 2 1002 thread\npush 1 100 1\nclose 1 150 unclosed\n"
              "push 2 200 2\npop 2 250\nclose 2 260 unclosed\n");
}

TEST(Reader, EndsAThreadWhoseEndWasNotRecordedAtItsLastEvent)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1).push(100, "a");
    trace_builder_handover(trace.raw(), 2, 1002);
    trace.push(200, "b");
    EXPECT_TRUE(hear(trace).has("push 1 100 1\nclose 1 100 unclosed\npush 2 200 2\n"));
}

TEST(Reader, AnnouncesThreadsThatMetaDoesNotKnow)
{
    Trace trace;
    trace.log(0, 5);
    trace_builder_handover(trace.raw(), 5, 777);
    trace.push(1, "a");
    std::string text = hear(trace).text;
    EXPECT_LT(text.find("thread 5 777"), text.find("push 5 1")) << text;
}

TEST(Reader, AThreadsTimeNeverGoesBack)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "a").push(90, "handler").pop(95).pop(200);
    Heard heard = hear(trace);
    EXPECT_EQ(heard.health.clamped_times, 2u);
    EXPECT_TRUE(heard.has("push 1 100 1\npush 1 100 2\npop 1 100\npop 1 200")) << heard.text;
}

TEST(Reader, ThreadsAreClampedApart)
{
    Trace trace;
    trace.thread(1).thread(2).log(0, 1).push(1000, "a");
    trace.log(1, 2).push(100, "b");
    Heard heard = hear(trace);
    EXPECT_EQ(heard.health.clamped_times, 0u);
    EXPECT_TRUE(heard.has("push 2 100 2"));
}

TEST(Reader, WhatWasOpenEndsWhereRecordingWasSwitchedOff)
{
    Trace trace;
    trace.thread(1);
    trace_builder_control(trace.raw(), 0, 1, true);
    trace_builder_control(trace.raw(), 500, 1, false);
    trace_builder_control(trace.raw(), 900, 2, true);
    trace.log(0, 1, 1).push(100, "a");
    trace_builder_epoch(trace.raw(), 1000, 2);
    trace.push(1000, "b").pop(1100);
    Heard heard = hear(trace);
    EXPECT_TRUE(heard.has("push 1 100 1\nclose 1 500\npush 1 1000 2\npop 1 1100\n")) << heard.text;
}

TEST(Reader, AThreadThatIsSilentAfterAStopEndsThere)
{
    Trace trace;
    trace.thread(1).thread(2);
    trace_builder_control(trace.raw(), 500, 1, false);
    trace.log(0, 1, 1).push(100, "a");
    trace.log(1, 2, 1).push(100, "b");
    trace_builder_thread_end(trace.raw(), 900);
    Heard heard = hear(trace);
    EXPECT_TRUE(heard.has("close 1 500\n")) << heard.text;
    EXPECT_TRUE(heard.has("close 2 500\n")) << "also when the thread ended later: " << heard.text;
}

TEST(Reader, WhatIsOpenAtTheEndOfTheTraceEndsThere)
{
    Trace trace;
    trace_builder_clock(trace.raw(), TRACE_BUILDER_START_TICKS, TRACE_BUILDER_START_MONOTONIC,
                        TRACE_BUILDER_START_REALTIME, 0);
    trace.thread(1).thread(2).log(0, 1).push(100, "a");
    trace.log(1, 2).push(200, "b").pop(5000);
    EXPECT_TRUE(hear(trace).has("close 1 5000 unclosed"));
}

TEST(Reader, TheEndOfTheTraceIsNotBeforeItsLastClockSample)
{
    Trace trace;
    trace.thread(1).log(0, 1).push(100, "sleeping");
    EXPECT_TRUE(hear(trace).has("close 1 3600000000000 unclosed"));
}

TEST(Reader, DeviceTimesAreBroughtToTheTimeline)
{
    Trace trace;
    trace.thread(1).log(0, 1).kernel(1234, 5678, 42);
    EXPECT_TRUE(hear(trace).has("gpu 0 1234 5678 42"));
}

TEST(Reader, CountsLossesOfUnknownCauses)
{
    Trace trace;
    trace.header().loss[PROF_LOSS_FULL] = 3;
    trace.header().loss[50] = 4;
    EXPECT_EQ(hear(trace).health.unknown_losses, 4u);
}

TEST(Reader, TheWorstThatTheKernelStatedOfItsClockHolds)
{
    Trace trace, silent;
    trace_builder_system_clock(trace.raw(), true, 5000, 70);
    trace_builder_system_clock(trace.raw(), false, 3000, 90);
    trace_builder_system_clock(trace.raw(), true, 4000, 80);
    const timeline *stated = trace.load(), *nothing = silent.load();
    ASSERT_TRUE(stated && nothing) << trace.error() << silent.error();
    const tl_process_info &info = stated->processes.at[0].info;
    EXPECT_TRUE(info.system_clock_known);
    EXPECT_FALSE(info.system_clock_synchronized);
    EXPECT_EQ(info.system_clock_max_error_ns, 5000);
    EXPECT_EQ(info.system_clock_estimated_error_ns, 90);
    EXPECT_FALSE(nothing->processes.at[0].info.system_clock_known);
}
