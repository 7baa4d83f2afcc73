/* test_read_nvtx.cc - what the reader tells of NVTX, and what it makes of NVTX records that make no
 * sense. */
#include "heard.h"

#include <gtest/gtest.h>

namespace
{

void hear_event_name(void *user, const prof_rec_event_name *name)
{
    hear_line(user, "event_name " + number(name->id) + " " + number(name->name) + " " +
                        number(name->domain) + " " + number(name->category) + " " +
                        number(name->color) + " " + number(name->flags));
}

void hear_domain(void *user, const prof_rec_domain *domain)
{
    hear_line(user, "domain " + number(domain->domain) + " " + number(domain->name));
}

void hear_category(void *user, const prof_rec_category *category)
{
    hear_line(user, "category " + number(category->domain) + " " + number(category->category) +
                        " " + number(category->name));
}

void hear_resource(void *user, const prof_rec_resource *resource)
{
    hear_line(user, "resource " + number(resource->type) + " " +
                        number(static_cast<int64_t>(resource->handle)) + " " +
                        number(resource->name));
}

void hear_nvtx_push(void *user, uint32_t thread, int64_t time, uint32_t name)
{
    hear_line(user, "nvtx_push " + number(thread) + " " + number(time) + " " + number(name));
}

void hear_nvtx_pop(void *user, uint32_t thread, int64_t time, uint32_t domain)
{
    hear_line(user, "nvtx_pop " + number(thread) + " " + number(time) + " " + number(domain));
}

void hear_attr(void *user, uint32_t thread, uint32_t key, prof_attr_type type, uint64_t value,
               uint64_t target)
{
    hear_line(user, "attr " + number(thread) + " " + number(key) + " " + number(type) + " " +
                        std::to_string(value) + " " + std::to_string(target));
}

Heard hear_nvtx(Trace &trace, bool partial = false)
{
    Heard heard;
    read_sink sink = ear(&heard);
    sink.event_name = hear_event_name;
    sink.domain = hear_domain;
    sink.category = hear_category;
    sink.resource = hear_resource;
    sink.nvtx_push = hear_nvtx_push;
    sink.nvtx_pop = hear_nvtx_pop;
    sink.attr = hear_attr;
    std::vector<uint8_t> bytes = trace.bytes();
    trace_file *file =
        trace_file_open_memory(bytes.data(), bytes.size(), "test.prof", partial, &heard.error);
    heard.walked = file && trace_file_walk(file, &sink, &heard.health, &heard.error);
    trace_file_close(file);
    return heard;
}

} // namespace

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
    Heard heard = hear_nvtx(trace);
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
    EXPECT_TRUE(hear_nvtx(trace).has("nvtx_push 1 10 1\nnvtx_pop 1 20 0\nnvtx_pop 1 30 1048575\n"
                                     "nvtx_push 1 40 1048576\n"))
        << hear_nvtx(trace).text;
}

TEST(ReadNvtx, TellsWhatAnAttributeIsAbout)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    trace_builder_attr(trace.raw(), 1, PROF_ATTR_UINT, UINT64_MAX);
    trace_builder_attr_of(trace.raw(), 2, PROF_ATTR_HEX, 5, PROF_ATTR_OF_MARK);
    trace_builder_attr_of(trace.raw(), 3, PROF_ATTR_INT, 6, uint64_t(1) << 32 | 9);
    trace_builder_attr_of(trace.raw(), 4, static_cast<prof_attr_type>(6), 7, 0);
    EXPECT_TRUE(hear_nvtx(trace).has(
        "attr 1 1 4 18446744073709551615 0\nattr 1 2 5 5 1\nattr 1 3 1 6 4294967305\nclose"))
        << "an unknown type is passed over: " << hear_nvtx(trace).text;
}

TEST(ReadNvtx, TimesNeverGoBackAcrossDomains)
{
    Trace trace;
    trace.thread(1).log(0, 1).nvtx_push(100, "a").push(90, "handler").pop(95).nvtx_pop(98);
    Heard heard = hear_nvtx(trace);
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
    Heard heard = hear_nvtx(trace);
    EXPECT_FALSE(heard.walked);
    EXPECT_EQ(std::string(heard.error.message),
              "test.prof: offset " + std::to_string(offset) +
                  ": an event name is damaged; --partial shows what is readable");
    heard = hear_nvtx(trace, true);
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
