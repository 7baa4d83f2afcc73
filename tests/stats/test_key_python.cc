/* test_key_python.cc - Python functions as rows, beside the others. */
#include "../support/trace_fixture.h"

extern "C" {
#include "key_averages.h"
}

#include <gtest/gtest.h>

#include <string>

namespace
{

/* "name calls/outermost self total" of each row of the kind, in order of first appearance. */
std::string rows(const timeline *t, bool python, key_kind kind, bool spread = false)
{
    key_options options;
    key_options_default(&options);
    options.python = python;
    options.spread = spread;
    key_averages averages;
    std::string text;
    if (!key_averages_init_by(&averages, t, &options))
        return "no memory";
    for (uint32_t i = 0; i < averages.count; i++) {
        const key_average &row = averages.rows[i];
        if (row.kind != kind)
            continue;
        text += std::string(row.name.bytes, row.name.size) + " " + std::to_string(row.count) + "/" +
                std::to_string(row.outer_count) + " " + std::to_string(row.self_cpu_total_ns) +
                " " + std::to_string(row.cpu_total_ns);
        if (spread)
            text +=
                " " + std::to_string(row.spread.min_ns) + ".." + std::to_string(row.spread.max_ns);
        text += "\n";
    }
    key_averages_fini(&averages);
    return text;
}

} // namespace

TEST(PythonRows, HaveWhatFunctionsAndRangesInsideLeave)
{
    Trace trace;
    trace.thread(1)
        .log(0, 1)
        .call(10, "f")
        .push(20, "range")
        .call(30, "g")
        .leave(60)
        .pop(70)
        .call(75, "g")
        .leave(77)
        .leave(90);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(rows(t, true, KEY_PYTHON, true), "f 1/1 28 80 80..80\ng 2/2 32 32 2..30\n");
    EXPECT_EQ(rows(t, true, KEY_RANGE), "range 1/1 20 50\n") << "without g's time";
}

TEST(PythonRows, AreThereOnlyIfAskedFor)
{
    Trace trace;
    trace.thread(1).log(0, 1).call(10, "f").push(20, "range").pop(30).leave(40);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(rows(t, false, KEY_PYTHON), "");
    EXPECT_EQ(rows(t, false, KEY_RANGE), "range 1/1 10 10\n");
}

TEST(PythonRows, CountRecursionOnceInTotals)
{
    Trace trace;
    trace.thread(1).log(0, 1).call(10, "f").call(20, "f").leave(50).leave(60);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(rows(t, true, KEY_PYTHON), "f 2/1 50 50\n");
}

TEST(PythonRows, OfACallThatARangeCutsAreOneCall)
{
    Trace trace;
    trace.thread(1)
        .log(0, 1)
        .call(10, "enter")
        .push(20, "range")
        .leave(30)
        .call(40, "exit")
        .pop(50)
        .leave(60);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    EXPECT_EQ(rows(t, true, KEY_PYTHON, true), "enter 1/1 20 20 20..20\nexit 1/1 20 20 20..20\n");
}

TEST(PythonRows, HaveTheDeviceTimeOfWhatWasLaunchedInside)
{
    Trace trace;
    trace.thread(1)
        .log(0, 1)
        .call(5, "f")
        .call(6, "g")
        .launch(10, 20, 1)
        .kernel(30, 80, 1)
        .leave(25)
        .leave(26);
    const timeline *t = trace.load();
    ASSERT_NE(t, nullptr) << trace.error();
    key_options options;
    key_options_default(&options);
    options.python = true;
    key_averages averages;
    ASSERT_TRUE(key_averages_init_by(&averages, t, &options));
    std::string text;
    for (uint32_t i = 0; i < averages.count; i++)
        if (averages.rows[i].kind == KEY_PYTHON)
            text += std::string(averages.rows[i].name.bytes, averages.rows[i].name.size) + " " +
                    std::to_string(averages.rows[i].self_cuda_total_ns) + " " +
                    std::to_string(averages.rows[i].cuda_total_ns) + "\n";
    key_averages_fini(&averages);
    EXPECT_EQ(text, "f 0 50\ng 50 50\n");
}
