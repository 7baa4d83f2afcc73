/* test_attrs.cc - attributes that come several in one record, by a set that says what they mean. */
#include "heard.h"

#include <gtest/gtest.h>

namespace
{

void add_set(Trace &trace, uint32_t id, const std::vector<prof_attr_field> &fields,
             uint32_t count = UINT32_MAX)
{
    std::vector<uint64_t> words(2 + fields.size());
    prof_rec_attr_set head = {};
    head.header = PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_ATTR_SET, words.size(), 0);
    head.id = id;
    head.fields = count == UINT32_MAX ? static_cast<uint32_t>(fields.size()) : count;
    memcpy(words.data(), &head, sizeof head);
    if (!fields.empty())
        memcpy(&words[2], fields.data(), fields.size() * sizeof fields[0]);
    trace_builder_meta(trace.raw(), words.data(), words.size() * 8);
}

/* A string at 12, a narrow number at 16, a wide one at 24. */
const std::vector<prof_attr_field> three = {
    {7, PROF_ATTR_STRING, 4, 12}, {8, PROF_ATTR_INT, 4, 16}, {9, PROF_ATTR_UINT, 8, 24}};

void add_attrs(Trace &trace, std::vector<uint64_t> words)
{
    trace_builder_ext(trace.raw(), PROF_REC_ATTRS, 0, words.data(),
                      static_cast<unsigned>(words.size()));
}

constexpr uint64_t narrow(uint64_t low, uint64_t high)
{
    return high << 32 | low;
}

} // namespace

TEST(ReadAttrs, AreToldOneByOneAsTheSetSays)
{
    Trace trace;
    add_set(trace, 3, three);
    trace.thread(1).log(0, 1);
    add_attrs(trace, {narrow(3, 40), narrow(0xfffffffe, 0), uint64_t(1) << 40});
    EXPECT_TRUE(hear(trace).has(
        "attr 1 7 3 40 0\nattr 1 8 1 4294967294 0\nattr 1 9 4 1099511627776 0\nclose"))
        << hear(trace).text;
}

TEST(ReadAttrs, OfOnesAloneOrBehindTheEndOfTheRecordAreNotThere)
{
    Trace trace;
    add_set(trace, 3, three);
    trace.thread(1).log(0, 1);
    add_attrs(trace, {narrow(3, UINT32_MAX), narrow(5, 0), UINT64_MAX});
    add_attrs(trace, {narrow(3, 6)});
    const std::string text = hear(trace).text;
    EXPECT_EQ(text.substr(std::min(text.find("attr"), text.size()))
                  .rfind("attr 1 8 1 5 0\nattr 1 7 3 6 0\nclose", 0),
              0u)
        << text;
}

TEST(ReadAttrs, TheFirstStatementOfASetCounts)
{
    Trace trace;
    add_set(trace, 3, three);
    add_set(trace, 3, {{1, PROF_ATTR_INT, 4, 12}});
    trace.thread(1).log(0, 1);
    add_attrs(trace, {narrow(3, 6)});
    EXPECT_TRUE(hear(trace).has("attr 1 7 3 6 0\nclose"));
}

TEST(ReadAttrs, WithoutTheirSetAreDamage)
{
    Trace trace;
    trace.thread(1).log(0, 1);
    add_attrs(trace, {narrow(3, 6)});
    EXPECT_NE(hear(trace).error.message, std::string());
    EXPECT_TRUE(hear(trace, true).walked);
}

TEST(ReadAttrs, ASetThatCannotBeIsDamage)
{
    const std::vector<std::vector<prof_attr_field>> impossible = {
        {{1, 0, 4, 12}}, {{1, 6, 4, 12}}, {{1, PROF_ATTR_INT, 3, 12}}, {{1, PROF_ATTR_INT, 4, 8}}};
    for (const auto &fields : impossible) {
        Trace trace;
        add_set(trace, 3, fields);
        EXPECT_FALSE(hear(trace).walked);
    }
    for (uint32_t count : {4u, PROF_ATTR_SET_FIELDS_MAX + 1, UINT32_MAX - 1}) {
        Trace trace;
        add_set(trace, 3, three, count);
        EXPECT_FALSE(hear(trace).walked) << count;
    }
    Trace trace;
    add_set(trace, 0, three);
    EXPECT_FALSE(hear(trace).walked);
}
