/* test_children.cc - the processes that a process made, and their files. */
#include "../support/trace_fixture.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace
{

/* Writes traces beside each other and loads them together. */
class Family : public testing::Test
{
protected:
    void SetUp() override
    {
        char pattern[] = "/tmp/family.XXXXXX";
        ASSERT_NE(mkdtemp(pattern), nullptr);
        directory_ = pattern;
    }
    void TearDown() override
    {
        timeline_destroy(timeline_);
        for (const std::string &path : paths_)
            unlink(path.c_str());
        rmdir(directory_.c_str());
    }
    void add(Trace &trace, uint32_t pid, uint32_t parent_pid, const char *host,
             uint64_t started_ns = 0)
    {
        trace.header().pid = pid;
        trace.header().parent_pid = parent_pid;
        trace.header().start_realtime_ns += started_ns;
        trace_builder_info(trace.raw(), PROF_INFO_HOST, host);
        paths_.push_back(directory_ + "/" + std::to_string(paths_.size()));
        ASSERT_TRUE(trace_builder_write(trace.raw(), paths_.back().c_str()));
    }
    void add_plain(uint32_t pid, uint32_t parent_pid, const char *host, uint64_t started_ns)
    {
        Trace trace;
        add(trace, pid, parent_pid, host, started_ns);
    }
    const timeline *load()
    {
        std::vector<const char *> paths;
        for (const std::string &path : paths_)
            paths.push_back(path.c_str());
        read_error error;
        timeline_ = timeline_load(paths.data(), paths.size(), false, &error);
        return timeline_;
    }

private:
    std::string directory_;
    std::vector<std::string> paths_;
    timeline *timeline_ = nullptr;
};

} // namespace

TEST(Children, AreNamedWithTheirOriginAndTime)
{
    Trace trace;
    trace_builder_child(trace.raw(), 100, 77, PROF_CHILD_FORK);
    trace_builder_child(trace.raw(), 200, 78, PROF_CHILD_SPAWN);
    trace_builder_child(trace.raw(), -1, 79, PROF_CHILD_EXEC);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    ASSERT_EQ(t->children.count, 3u);
    EXPECT_EQ(t->children.at[0].pid, 77u);
    EXPECT_EQ(t->children.at[0].origin, PROF_CHILD_FORK);
    EXPECT_EQ(t->children.at[0].time_ns, 100);
    EXPECT_EQ(t->children.at[1].origin, PROF_CHILD_SPAWN);
    EXPECT_EQ(t->children.at[2].time_ns, TL_NO_TIME);
    EXPECT_EQ(t->children.at[2].recorded, TL_NONE);
}

TEST(Children, OfTheTimeBeforeTheFileAreToldTwiceAndCountOnce)
{
    Trace trace;
    trace_builder_child(trace.raw(), -1, 77, PROF_CHILD_FORK);
    trace_builder_child(trace.raw(), 50, 77, PROF_CHILD_FORK);
    trace_builder_child(trace.raw(), 900, 77, PROF_CHILD_FORK); /* the number was free again */
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    ASSERT_EQ(t->children.count, 2u);
    EXPECT_EQ(t->children.at[0].time_ns, 50);
    EXPECT_EQ(t->children.at[1].time_ns, 900);
}

TEST(Children, OfAnUnknownOriginAreLeftOut)
{
    Trace trace;
    for (uint32_t origin : {0u, PROF_CHILD_EXEC + 1u, UINT32_MAX}) {
        prof_rec_child record = {0, 100, 77, origin};
        record.header = PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_CHILD, sizeof record / 8, 0);
        trace_builder_meta(trace.raw(), &record, sizeof record);
    }
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(t->children.count, 0u);
}

TEST_F(Family, AChildIsFoundByItsFile)
{
    Trace parent;
    trace_builder_child(parent.raw(), 100, 77, PROF_CHILD_FORK);
    trace_builder_child(parent.raw(), 100, 78, PROF_CHILD_FORK);
    add(parent, 70, 1, "node7");
    add_plain(78, 70, "node7", 1000);
    const timeline *t = load();
    ASSERT_NE(t, nullptr);
    ASSERT_EQ(t->children.count, 2u);
    EXPECT_EQ(t->children.at[0].recorded, TL_NONE);
    EXPECT_EQ(t->children.at[1].recorded, 1u);
}

TEST_F(Family, AnotherProcessOfTheSameNumberIsNotTheChild)
{
    Trace parent;
    trace_builder_child(parent.raw(), 100, 77, PROF_CHILD_FORK); /* on another host */
    trace_builder_child(parent.raw(), 100, 78, PROF_CHILD_FORK); /* of another parent */
    add(parent, 70, 1, "node7", 5000);
    add_plain(77, 70, "node8", 9000);
    add_plain(78, 71, "node7", 9000);
    const timeline *t = load();
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->children.at[0].recorded, TL_NONE);
    EXPECT_EQ(t->children.at[1].recorded, TL_NONE);
}

TEST_F(Family, AFileThatBeganBeforeItsParentsIsAChildsOnlyIfThatCameBeforeToo)
{
    Trace parent;
    trace_builder_child(parent.raw(), -1, 77, PROF_CHILD_FORK);
    trace_builder_child(parent.raw(), 100, 78, PROF_CHILD_FORK);
    add(parent, 70, 1, "node7", 5000);
    add_plain(77, 70, "node7", 0);
    add_plain(78, 70, "node7", 0);
    const timeline *t = load();
    ASSERT_NE(t, nullptr);
    EXPECT_EQ(t->children.at[0].recorded, 1u);
    EXPECT_EQ(t->children.at[1].recorded, TL_NONE);
}
