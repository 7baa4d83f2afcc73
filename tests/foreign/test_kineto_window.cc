/* test_kineto_window.cc - what is read from a Chrome trace does not depend on the thread that reads ahead. */
#include "kineto_file.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>

namespace
{

/* While it lives, this thread and those that it starts run on one processor only. */
class OneProcessor
{
public:
    OneProcessor()
    {
        cpu_set_t one;
        sched_getaffinity(0, sizeof before_, &before_);
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }

private:
    cpu_set_t before_;
};

void take(void *user, kineto_event *event)
{
    auto *all = static_cast<std::string *>(user);
    *all += std::string(event->name.bytes, event->name.size) + " " +
            std::to_string(event->time_ns) + " " +
            std::to_string(kineto_number(&event->args, KINETO_CORRELATION, -1)) + "\n";
}

/* Every event, and how the walk ended. */
std::string walked(const std::string &json, bool partial = false)
{
    std::string all;
    read_error error = {};
    kineto_visitor visitor = {};
    kineto_walked walked = {};
    visitor.user = &all;
    visitor.take = take;
    source *from = source_open_memory(json.data(), json.size(), "t.json", &error);
    if (!kineto_file_walk(from, partial, &visitor, &walked, &error))
        all += error.message;
    source_close(from);
    return all + " " + std::to_string(walked.cut_events) + " " +
           std::to_string(walked.strange_items);
}

std::string walked_alone(const std::string &json, bool partial = false)
{
    OneProcessor one;
    return walked(json, partial);
}

/* Some megabytes, so that the second thread has several blocks to itself. */
std::string trace(const std::string &args, const std::string &between = ",\n")
{
    std::string json = "{\"traceEvents\":[";
    for (int i = 0; i < 20000; i++)
        json += (i ? between : "") + "{\"ph\":\"X\",\"name\":\"op" + std::to_string(i % 97) +
                "\",\"ts\":" + std::to_string(i) +
                ".25,\"args\":{\"correlation\":" + std::to_string(i) + ",\"x\":\"" +
                std::string((size_t)i % 97, 'x') + "\"" + args + "}}";
    return json + "]}";
}

TEST(KinetoWindow, ReadsAheadWhatIsThere)
{
    std::string json = trace("");
    std::string alone = walked_alone(json);
    EXPECT_NE(alone.find("op17 19999250 19999\n 0 0"), std::string::npos);
    for (int i = 0; i < 8; i++)
        ASSERT_EQ(walked(json), alone);
}

TEST(KinetoWindow, NestedObjectsAreNoEvents)
{
    for (const char *nested : {",\"all\":[{\"a\":1},{\"ph\":\"X\",\"name\":\"no\"}]",
                               ",\"all\":[{},{},{\"name\":\"no\"},{\"b\":{}}],\"c\":{}",
                               ",\"text\":\"},{\\\"name\\\":\\\"no\\\"},{\""}) {
        std::string json = trace(nested), alone = walked_alone(json);
        EXPECT_EQ(alone.find("no "), std::string::npos);
        EXPECT_EQ(walked(json), alone) << nested;
    }
}

TEST(KinetoWindow, WhatStandsBetweenEventsIsSeen)
{
    for (const char *between : {" , \n\t", ",1,\n", ",\"},{\",", ",[{},{\"name\":\"no\"}],"}) {
        std::string json = trace("", between);
        EXPECT_EQ(walked(json), walked_alone(json)) << between;
    }
}

TEST(KinetoWindow, DamageIsReportedAtTheSamePlace)
{
    const std::string whole = trace("");
    for (size_t i = 0, at = 10; at < whole.size(); i++, at += whole.size() / 16 + 1) {
        std::string json = whole;
        json[at] = "\"{]"[i % 4];
        ASSERT_EQ(walked(json), walked_alone(json)) << at;
        json.resize(at);
        ASSERT_EQ(walked(json), walked_alone(json)) << at;
        ASSERT_EQ(walked(json, true), walked_alone(json, true)) << at;
    }
}

TEST(KinetoWindow, EventsOfAnySize)
{
    for (size_t size : {32 << 10, 256 << 10, 300000, 3000000}) {
        std::string large = ",\n{\"name\":\"large\",\"x\":\"" + std::string(size, '{') + "\"}";
        std::string json = trace("");
        json.insert(json.find("},") + 1, large);
        json.insert(json.rfind("}]") + 1, large + large);
        std::string alone = walked_alone(json);
        EXPECT_NE(alone.rfind("large 0 -1\nlarge 0 -1\n 0 0"), std::string::npos);
        EXPECT_EQ(walked(json), alone) << size;
    }
}

/* A caller that gives up leaves the thread in the midst of its work. */
TEST(KinetoWindow, EndsWhileReadingAhead)
{
    std::string json = trace("");
    json[json.size() / 4] = '\0';
    for (int i = 0; i < 10; i++)
        walked(json);
}

} // namespace
