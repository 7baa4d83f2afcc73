/* test_read_nvtx.cc - what the reader tells of NVTX, and what it makes of NVTX records that make no
 * sense. */
#include "heard.h"

#include <gtest/gtest.h>

TEST(ReadNvtx, TellsTheFactsBeforeTheEvents)
{
    Trace trace;
    prof_rec_event_name detail = {};
    detail.category = 3;
    detail.color = 0x11223344;
    detail.flags = PROF_EVENT_NAME_COLORED;
    trace.thread(1).log(0, 1).domain(7, "lib");
    uint32_t id = trace.event_name("load", 7, detail);
    trace_builder_nvtx_push(trace.raw(), 10, id);
    trace_builder_category(trace.raw(), 7, 3, "io");
    trace_builder_resource(trace.raw(), PROF_RESOURCE_STREAM, 0x50, "copies");
    Heard heard = hear(trace);
    ASSERT_TRUE(heard.walked) << heard.error.message;
    EXPECT_TRUE(heard.has("domain 7 1\nevent_name 3 2 7 3 287454020 1\ncategory 7 3 4\n"
                          "resource 3 80 5\nnvtx_push 1 10 3\n"))
        << heard.text;
}

TEST(ReadNvtx, TellsPushesAndPopsWithTheirDomains)
{
    Trace trace;
    trace.thread(1).log(0, 1).nvtx_push(10, "a").nvtx_pop(20).nvtx_pop(30, 0xfffff);
    trace_builder_nvtx_push(trace.raw(), 40, PROF_NAME_ID_MAX + 1);
    EXPECT_TRUE(hear(trace).has("nvtx_push 1 10 1\nnvtx_pop 1 20 0\nnvtx_pop 1 30 1048575\n"
                                "nvtx_push 1 40 1048576\n"))
        << hear(trace).text;
}

TEST(ReadNvtx, TellsWhatAnAttributeIsAbout)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace_builder_attr(trace.raw(), 1, PROF_ATTR_UINT, UINT64_MAX);
    trace_builder_attr_of(trace.raw(), 2, PROF_ATTR_HEX, 5, PROF_ATTR_OF_MARK);
    trace_builder_attr_of(trace.raw(), 3, PROF_ATTR_INT, 6, uint64_t(1) << 32 | 9);
    trace_builder_attr_of(trace.raw(), 4, static_cast<prof_attr_type>(6), 7, 0);
    EXPECT_TRUE(hear(trace).has(
        "attr 1 1 4 18446744073709551615 0\nattr 1 2 5 5 1\nattr 1 3 1 6 4294967305\nclose"))
        << "an unknown type is passed over: " << hear(trace).text;
}

TEST(ReadNvtx, TimesNeverGoBackAcrossDomains)
{
    Trace trace;
    trace.thread(1).log(0, 1).nvtx_push(100, "a").push(90, "handler").pop(95).nvtx_pop(98);
    Heard heard = hear(trace);
    EXPECT_EQ(heard.health.clamped_times, 3u);
    EXPECT_TRUE(heard.has("nvtx_push 1 100 1\npush 1 100 2\npop 1 100\nnvtx_pop 1 100 0\n"));
}

TEST(ReadNvtx, AnEventNameWithoutAnIdIsDamage)
{
    Trace trace;
    prof_rec_event_name record = {};
    record.header = PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_EVENT_NAME, sizeof record / 8, 0);
    size_t offset = trace_builder_meta_offset(trace.raw());
    trace_builder_meta(trace.raw(), &record, sizeof record);
    Heard heard = hear(trace);
    EXPECT_FALSE(heard.walked);
    EXPECT_EQ(std::string(heard.error.message),
              "test.prof: offset " + std::to_string(offset) +
                  ": an event name is damaged; --partial shows what is readable");
    heard = hear(trace, true);
    EXPECT_TRUE(heard.walked);
    EXPECT_EQ(heard.health.bad_records, 1u);
    EXPECT_FALSE(heard.has("event_name"));
}

TEST(ReadNvtx, RecordsThatAreTooShortAreDamage)
{
    for (prof_record_type type :
         {PROF_REC_EVENT_NAME, PROF_REC_DOMAIN, PROF_REC_CATEGORY, PROF_REC_RESOURCE}) {
        Trace trace;
        uint64_t word = PROF_WORD_EXT(PROF_KIND_EXT, type, 1, 0);
        trace_builder_meta(trace.raw(), &word, sizeof word);
        EXPECT_NE(refusal(trace.bytes()), "") << type;
        EXPECT_EQ(refusal(trace.bytes(), true), "") << type;
    }
}
