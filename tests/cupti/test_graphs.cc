// CUDA graphs: the tables of what was made while recording was off, and whole graphs.
#include "fake_recorder.h"

#include <gtest/gtest.h>

#include <thread>

extern "C" {
#include "graphs.h"
}

namespace
{

prof_rec_earlier_node node_of(uint64_t id, uint64_t original = 0)
{
    prof_rec_earlier_node node = {};
    node.node = id;
    node.original = original;
    node.graph = static_cast<uint32_t>(id >> 32);
    return node;
}

std::vector<uint64_t> stated()
{
    std::vector<uint64_t> ids;
    for (const FakeMeta &meta : fake_metas(PROF_REC_EARLIER_NODE)) {
        prof_rec_earlier_node node;
        memcpy(&node, meta.bytes.data(), sizeof node);
        ids.push_back(node.node);
    }
    return ids;
}

void forget(uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        graph_tables_remove_node(first + i);
}

const void *handle(uintptr_t value)
{
    return reinterpret_cast<const void *>(value);
}

} // namespace

TEST(GraphNodes, AreStatedOnceAndAgainInANewFile)
{
    fake_reset();
    const uint64_t first = uint64_t{7} << 32 | 1;
    prof_rec_earlier_node one = node_of(first), two = node_of(first + 1, first);
    graph_tables_add_node(&one);
    graph_tables_add_node(&two);
    fake_set_file(false);
    graph_tables_emit_nodes(false);
    EXPECT_TRUE(stated().empty());
    fake_set_file(true);
    graph_tables_emit_nodes(true);
    EXPECT_EQ(stated(), (std::vector<uint64_t>{first, first + 1}));
    graph_tables_emit_nodes(false);
    EXPECT_EQ(stated().size(), 2u);
    prof_rec_earlier_node three = node_of(first + 2);
    graph_tables_add_node(&three);
    graph_tables_emit_nodes(false);
    EXPECT_EQ(stated().size(), 3u);
    graph_tables_emit_nodes(true);
    EXPECT_EQ(stated().size(), 6u);
    forget(first, 3);
}

TEST(GraphNodes, ThatWereDestroyedAreNotStated)
{
    fake_reset();
    const uint64_t first = uint64_t{8} << 32 | 1;
    for (uint64_t i = 0; i < 3; i++) {
        prof_rec_earlier_node node = node_of(first + i);
        graph_tables_add_node(&node);
    }
    graph_tables_remove_node(first + 1);
    graph_tables_remove_node(first + 99);
    graph_tables_emit_nodes(true);
    EXPECT_EQ(stated(), (std::vector<uint64_t>{first, first + 2}));
    forget(first, 3);
}

TEST(GraphNodes, ComeAndGoForEver)
{
    fake_reset();
    uint64_t before = graph_tables_unplaced_nodes();
    for (uint64_t i = 0; i < 10 * GRAPH_TABLES_NODES_MAX; i++) {
        prof_rec_earlier_node node = node_of(uint64_t{9} << 32 | (i + 1));
        graph_tables_add_node(&node);
        if (i >= 100)
            graph_tables_remove_node(node.node - 100);
    }
    graph_tables_emit_nodes(true);
    EXPECT_EQ(stated().size(), 100u);
    EXPECT_EQ(graph_tables_unplaced_nodes(), before);
    forget((uint64_t{9} << 32 | 1) + 10 * GRAPH_TABLES_NODES_MAX - 100, 100);
}

TEST(GraphNodes, BeyondTheirPlacesAreCounted)
{
    fake_reset();
    const uint64_t first = uint64_t{10} << 32 | 1;
    uint64_t before = graph_tables_unplaced_nodes();
    for (uint64_t i = 0; i < GRAPH_TABLES_NODES_MAX + 10; i++) {
        prof_rec_earlier_node node = node_of(first + i);
        graph_tables_add_node(&node);
    }
    EXPECT_EQ(graph_tables_unplaced_nodes(), before + 10);
    forget(first, GRAPH_TABLES_NODES_MAX + 10);
    graph_tables_emit_nodes(true);
    EXPECT_TRUE(stated().empty());
}

TEST(GraphNodes, OfManyThreadsAtOnceAreAllThere)
{
    fake_reset();
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 4; t++)
        threads.emplace_back([t] {
            for (uint64_t i = 1; i <= 2000; i++) {
                prof_rec_earlier_node node = node_of((20 + t) << 32 | i);
                graph_tables_add_node(&node);
                if (i % 2)
                    graph_tables_remove_node(node.node);
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    graph_tables_emit_nodes(true);
    EXPECT_EQ(stated().size(), 4 * 1000u);
    for (uint64_t t = 0; t < 4; t++)
        forget((20 + t) << 32 | 1, 2000);
}

TEST(GraphExecs, AreFoundByHandleUntilTheyAreDestroyed)
{
    fake_reset();
    prof_rec_graph facts = {}, found = {};
    facts.graph = 5;
    facts.kernels = 3;
    graph_tables_add_exec(handle(0x1000), &facts);
    ASSERT_TRUE(graph_tables_find_exec(handle(0x1000), &found));
    EXPECT_EQ(found.kernels, 3u);
    EXPECT_FALSE(graph_tables_find_exec(handle(0x1010), &found));
    facts.kernels = 4;
    graph_tables_add_exec(handle(0x1000), &facts);
    ASSERT_TRUE(graph_tables_find_exec(handle(0x1000), &found));
    EXPECT_EQ(found.kernels, 4u) << "a handle comes again";
    graph_tables_remove_exec(handle(0x1000));
    EXPECT_FALSE(graph_tables_find_exec(handle(0x1000), &found));
    graph_tables_remove_exec(handle(0x1000));
}

TEST(GraphExecs, AreStatedAgainWhenMoreIsKnown)
{
    fake_reset();
    prof_rec_graph facts = {};
    facts.graph = 6;
    graph_tables_add_exec(handle(0x2000), &facts);
    graph_tables_emit_execs(false);
    graph_tables_emit_execs(false);
    EXPECT_EQ(fake_metas(PROF_REC_GRAPH).size(), 1u);
    graph_tables_flag_exec(handle(0x2000), PROF_GRAPH_VARIES);
    graph_tables_flag_exec(handle(0x2000), PROF_GRAPH_VARIES);
    graph_tables_emit_execs(false);
    ASSERT_EQ(fake_metas(PROF_REC_GRAPH).size(), 2u);
    memcpy(&facts, fake_metas(PROF_REC_GRAPH)[1].bytes.data(), sizeof facts);
    EXPECT_EQ(facts.flags, PROF_GRAPH_VARIES);
    graph_tables_remove_exec(handle(0x2000));
}

TEST(GraphExecs, BeyondTheirPlacesAreNotKnown)
{
    fake_reset();
    prof_rec_graph facts = {}, found;
    unsigned known = 0;
    for (uintptr_t i = 1; i <= 2 * GRAPH_TABLES_EXECS_MAX; i++)
        graph_tables_add_exec(handle(i * 64), &facts);
    for (uintptr_t i = 1; i <= 2 * GRAPH_TABLES_EXECS_MAX; i++)
        known += graph_tables_find_exec(handle(i * 64), &found);
    EXPECT_LE(known, GRAPH_TABLES_EXECS_MAX);
    EXPECT_GT(known, GRAPH_TABLES_EXECS_MAX / 2);
    for (uintptr_t i = 1; i <= 2 * GRAPH_TABLES_EXECS_MAX; i++)
        graph_tables_remove_exec(handle(i * 64));
}
