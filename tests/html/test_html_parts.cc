// What a page's data is made of: the heaviest of many, histograms, trees, use over time.
#include "../write/write_support.h"

extern "C" {
#include "html_page.h"
}

#include <gtest/gtest.h>

#include <numeric>

namespace
{

// What `write` writes, as the member of an object.
std::string json_of(const std::function<void(json_out *)> &write)
{
    return to_string([&](FILE *stream) {
        json_out out;
        ASSERT_TRUE(json_out_init(&out, -1, stream));
        json_object_begin(&out);
        write(&out);
        json_object_end(&out);
        EXPECT_EQ(json_out_fini(&out), 0);
    });
}

// Whether a Python expression about the JSON `d` is true.
bool holds(const std::string &json, const std::string &expression)
{
    Scratch scratch;
    std::ofstream(scratch.path("d.json")) << json;
    std::ofstream(scratch.path("e.py"))
        << "import json, sys\nfrom timeline_boxes import columns_of, step_of\n"
        << "d = json.load(open(sys.argv[1]))\n"
        << "assert " << expression << ", d\n";
    return Scratch::run("PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='" PROF_SOURCE_DIR
                        "/tests/html' python3 '" +
                        scratch.path("e.py") + "' '" + scratch.path("d.json") + "'") == 0;
}

std::vector<uint64_t> bars_of(const std::vector<int64_t> &ns, bool *by_ratio = nullptr)
{
    std::vector<uint64_t> bars(HTML_BARS);
    bool ratio = html_bars(ns.data(), ns.size(), bars.data());
    if (by_ratio)
        *by_ratio = ratio;
    return bars;
}

html_node node_of(uint32_t parent, uint32_t name, int64_t cpu_ns, int64_t device_ns)
{
    static const char text[] = "n";
    html_node node{};
    node.parent = parent;
    node.name = name;
    node.text = {text, 1};
    node.count = 1;
    node.self_ns[0] = cpu_ns;
    node.self_ns[1] = device_ns;
    return node;
}

std::string tree_json(std::vector<html_node> &nodes)
{
    html_tree tree{};
    tree.title = "t";
    tree.metrics[0] = "a";
    tree.metrics[1] = "b";
    tree.nodes.at = nodes.data();
    tree.nodes.count = static_cast<uint32_t>(nodes.size());
    return json_of([&](json_out *out) {
        json_key(out, "tree");
        EXPECT_TRUE(html_tree_write(out, &tree));
    });
}

} // namespace

TEST(HtmlTop, KeepsTheHeaviestAndOfEqualsTheFirst)
{
    html_top top;
    ASSERT_TRUE(html_top_init(&top, 3));
    for (uint32_t i = 0; i < 100; i++)
        html_top_add(&top, i, i == 50 || i == 70 ? 9 : i % 10 == 3 ? 5 : 1);
    html_top_sort(&top);
    ASSERT_EQ(top.count, 3u);
    EXPECT_EQ(top.at[0].index, 50u);
    EXPECT_EQ(top.at[1].index, 70u);
    EXPECT_EQ(top.at[2].index, 3u);
    html_top_fini(&top);
}

TEST(HtmlTop, OfNoneIsEmpty)
{
    html_top top;
    ASSERT_TRUE(html_top_init(&top, 0));
    html_top_add(&top, 1, 1);
    html_top_sort(&top);
    EXPECT_EQ(top.count, 0u);
    html_top_fini(&top);
}

TEST(HtmlBars, CountEveryDurationOnce)
{
    std::vector<int64_t> ns;
    for (int64_t i = 1; i < 5000; i += 1 + i / 50)
        ns.push_back(i);
    std::vector<uint64_t> bars = bars_of(ns);
    EXPECT_EQ(std::accumulate(bars.begin(), bars.end(), uint64_t{0}), ns.size());
}

TEST(HtmlBars, AreEqualByDifferenceWhereAllIsCloseAndByRatioElse)
{
    bool by_ratio;
    std::vector<int64_t> close;
    for (int64_t i = 0; i <= HTML_BARS; i++)
        close.push_back(1000 + i * 10);
    std::vector<uint64_t> bars = bars_of(close, &by_ratio);
    EXPECT_FALSE(by_ratio);
    EXPECT_EQ(bars[0], 1u);
    EXPECT_EQ(bars[HTML_BARS - 1], 2u); // the last part has its end
    bars = bars_of({1, 4096, 16777216}, &by_ratio);
    EXPECT_TRUE(by_ratio);
    EXPECT_EQ(bars[0], 1u);
    EXPECT_EQ(bars[HTML_BARS / 2], 1u);
    EXPECT_EQ(bars[HTML_BARS - 1], 1u);
}

TEST(HtmlBars, OfEqualDurationsAreOne)
{
    EXPECT_EQ(bars_of({7, 7, 7})[0], 3u);
    EXPECT_EQ(bars_of({0, 0})[0], 2u);
    EXPECT_EQ(bars_of({})[0], 0u);
}

TEST(HtmlTree, KeepsItsSumsWhateverIsLeftOut)
{
    std::vector<html_node> nodes{node_of(TL_NONE, 0, 10, 0)};
    int64_t device_ns = 0;
    for (uint32_t i = 1; i < 3 * HTML_NODES; i++) {
        nodes.push_back(node_of(i % 3 ? i - 1 : 0, i, 100 + i % 7, i));
        device_ns += i;
    }
    std::string json = tree_json(nodes);
    EXPECT_TRUE(holds(json, "d['tree']['shown'] == 4000 and d['tree']['all'] == 12000"));
    EXPECT_TRUE(holds(json, "all(n[0] < i for i, n in enumerate(d['tree']['nodes']))"));
    EXPECT_TRUE(holds(json, "sum(n[5] + n[7] for n in d['tree']['nodes']) == " +
                                std::to_string(device_ns)));
}

TEST(HtmlTree, HasEachNameOnceAndNoNodeOfNothing)
{
    std::vector<html_node> nodes{node_of(TL_NONE, 7, 5, 0), node_of(0, 7, 5, 0),
                                 node_of(0, 8, 0, 0)};
    std::string json = tree_json(nodes);
    EXPECT_TRUE(holds(json, "d['tree']['names'] == ['n'] and len(d['tree']['nodes']) == 2"));
}

TEST(HtmlTree, HasTheStepsOfNodesThatFitAndTheOthersAsRest)
{
    std::vector<html_node> nodes{node_of(TL_NONE, 0, 10, 0)};
    html_tree tree{};
    tree.title = tree.metrics[0] = tree.metrics[1] = "t";
    tree.steps.values = 1 + HTML_METRICS;
    int64_t sum_ns = 0;
    for (uint32_t i = 1; i < 3 * HTML_NODES; i++)
        nodes.push_back(node_of(i % 3 ? i - 1 : 0, i, 100 + i % 7, i));
    for (uint32_t i = 0; i < nodes.size(); i++)
        for (uint32_t step = 0; step < 40; step++) { // more than there is room for
            html_step_sum *sum = html_step_sums_add(&tree.steps, i, step);
            sum->values[0] = 1, sum->values[1] = i;
            sum_ns += i;
        }
    tree.nodes.at = nodes.data();
    tree.nodes.count = static_cast<uint32_t>(nodes.size());
    std::string json = json_of([&](json_out *out) {
        json_key(out, "tree");
        EXPECT_TRUE(html_tree_write(out, &tree));
    });
    html_step_sums_fini(&tree.steps);
    EXPECT_TRUE(holds(
        json, "0 < d['tree']['steps']['items'] < 1000 and d['tree']['steps']['values'] == 5"));
    EXPECT_TRUE(holds(json, "(lambda s: s['count'] == 40 * s['items'] and "
                            "sum(columns_of(s)[1]) + sum(columns_of(s)[3]) == " +
                                std::to_string(sum_ns) + ")(d['tree']['steps'])"));
}

TEST(HtmlRows, HaveWhatEachStepHas)
{
    TimelineMaker m;
    for (int step = 0; step < 3; step++) {
        m.push("ProfilerStep#" + std::to_string(step), step * 1000, TL_STEP);
        m.range("load", step * 1000 + 10, step * 1000 + 20);
        if (step)
            m.range("load", step * 1000 + 100, step * 1000 + 400);
        auto call = m.launch("cudaLaunchKernel", step * 1000 + 500, step * 1000 + 510);
        m.pop(step * 1000 + 900);
        m.kernel("k", call, step * 1000 + 990, step * 1000 + 1090); // ends in the next step
    }
    const timeline *of = m.done();
    html_step_list steps;
    ASSERT_TRUE(html_step_list_init(&steps, of));
    std::string json = json_of([&](json_out *out) { EXPECT_TRUE(html_rows(out, of, &steps)); });
    html_step_list_fini(&steps);
    std::string row = "(lambda name: 1 + next(i for i, r in enumerate(d['rows']) if r[0] == name))";
    // calls, total, the others: see html_page.h
    EXPECT_TRUE(holds(json, "step_of(d['row_steps'], " + row +
                                "('load'), 1) == [2, 310, 0, 0, 0, 0, 0, 142, 145]"));
    EXPECT_TRUE(holds(json, "step_of(d['row_steps'], " + row +
                                "('k'), 2) == [1, 0, 0, 100, 0, 0, 0, 0, 0]"));
    EXPECT_TRUE(holds(json, "step_of(d['row_steps'], 0, 0)[:4] == [4, 900, 0, 100]"));
}

TEST(HtmlUsage, CountsWhatOverlapsOnce)
{
    TimelineMaker m;
    m.range("r", 0, 4800);
    m.kernel("a", m.launch("cudaLaunchKernel", 0, 1), 0, 2400);
    m.kernel("b", m.launch("cudaLaunchKernel", 1, 2), 1200, 3600);
    std::string json = json_of([&](json_out *out) { EXPECT_TRUE(html_usage(out, m.done())); });
    EXPECT_TRUE(holds(json, "d['usage']['part_ns'] == 10"));
    EXPECT_TRUE(holds(json, "d['usage']['devices'][0]['busy'] == [1000] * 360 + [0] * 120"));
    EXPECT_TRUE(holds(json, "d['usage']['devices'][0]['copy'] == [0] * 480"));
}

TEST(HtmlUsage, OfNoLengthIsEmpty)
{
    TimelineMaker m;
    std::string json = json_of([&](json_out *out) { EXPECT_TRUE(html_usage(out, m.done())); });
    EXPECT_TRUE(holds(json, "d['usage']['devices'] == [] and d['usage']['heaps'] == []"));
}

TEST(HtmlName, IsCutBetweenCharacters)
{
    std::string name = std::string(HTML_NAME_BYTES - 1, 'a') + "\xc3\xa9\xc3\xa9";
    std::string json = json_of([&](json_out *out) {
        json_key(out, "name");
        html_name(out, {name.data(), name.size()});
    });
    EXPECT_TRUE(holds(json, "d['name'] == 'a' * 1999 + '...'"));
}
