// From a trace file to averages: what threads leave open or close too often stays theirs.
#include "read.h"
#include "trace_builder.h"

extern "C" {
#include "key_averages.h"
}

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace
{

// Acceptance row T1: pushes and pops pair up by thread. One thread pops what it never pushed, one
// never pops; a third, nested, is none the worse, and its self and total times are nested ones.
TEST(KeyThreads, PairPushesAndPopsByThreadWhateverOthersLeaveOpen)
{
    trace_builder *trace = trace_builder_create();
    uint32_t outer = trace_builder_name(trace, "outer"), inner = trace_builder_name(trace, "inner"),
             lost = trace_builder_name(trace, "lost"), mark = trace_builder_name(trace, "mark");
    for (uint32_t thread = 1; thread <= 3; thread++)
        trace_builder_thread(trace, thread, 100 + thread, "t", 0);
    trace_builder_log(trace, 0, 1, 0);
    trace_builder_push(trace, 1000, lost);
    trace_builder_push(trace, 2000, inner);
    trace_builder_pop(trace, 2500);
    trace_builder_thread_end(trace, 3000);
    trace_builder_log(trace, 1, 2, 0);
    trace_builder_pop(trace, 1500);
    trace_builder_push(trace, 1600, inner);
    trace_builder_pop(trace, 1700);
    trace_builder_log(trace, 2, 3, 0);
    trace_builder_push(trace, 1000, outer);
    trace_builder_push(trace, 1100, inner);
    trace_builder_mark(trace, 1150, mark);
    trace_builder_pop(trace, 1200);
    trace_builder_pop(trace, 1900);

    size_t size;
    const uint8_t *bytes = trace_builder_bytes(trace, &size);
    read_error error;
    trace_file *file = trace_file_open_memory(bytes, size, "made", false, &error);
    ASSERT_NE(file, nullptr) << error.message;
    timeline *made = timeline_from_files(builder_begin(), &file, 1, &error);
    ASSERT_NE(made, nullptr) << error.message;
    key_averages averages;
    ASSERT_TRUE(key_averages_init(&averages, made));
    std::map<std::string, const key_average *> rows;
    for (uint32_t i = 0; i < averages.count; i++)
        rows[std::string(averages.rows[i].name.bytes, averages.rows[i].name.size)] =
            &averages.rows[i];
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows["outer"]->cpu_total_ns, 900);
    EXPECT_EQ(rows["outer"]->self_cpu_total_ns, 800);
    EXPECT_EQ(rows["inner"]->count, 3u);
    EXPECT_EQ(rows["inner"]->cpu_total_ns, 500 + 100 + 100);
    EXPECT_EQ(rows["lost"]->cpu_total_ns, 2000) << "until its thread ended";
    EXPECT_EQ(rows["lost"]->self_cpu_total_ns, 1500);
    EXPECT_EQ(rows["mark"]->count, 1u);
    EXPECT_EQ(made->threads.at[0].unclosed, 1u);
    EXPECT_EQ(made->threads.at[1].unopened, 1u);
    key_averages_fini(&averages);
    timeline_destroy(made);
    trace_file_close(file);
    trace_builder_destroy(trace);
}

} // namespace
