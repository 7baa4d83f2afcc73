// NVTX in the Chrome trace: args with their types, crossing ranges, arrows from forward to
// backward, names of rows.
#include "../support/trace_fixture.h"
#include "write_support.h"

#include <gtest/gtest.h>

namespace
{

class ChromeNvtx : public testing::Test
{
public:
    ChromeNvtx() { trace.domain(1, "lib").thread(1).log(0, 1); }

    // Writes the trace, has it checked, and returns its text.
    std::string write()
    {
        write_error error;
        std::string path = scratch.path("trace.json");
        const timeline *t = trace.load();
        EXPECT_NE(t, nullptr) << trace.error();
        EXPECT_TRUE(write_chrome(t, nullptr, nullptr, path.c_str(), &error)) << error.message;
        if (have_python()) {
            EXPECT_EQ(Scratch::run("python3 " + test_directory() + "/check_trace.py " + path +
                                   " 2>" + path + ".err"),
                      0)
                << read_file(path + ".err");
        }
        return read_file(path);
    }

    // The args of the only event whose line holds `segment`.
    static std::string args(const std::string &text, const std::string &segment)
    {
        size_t at = text.find(segment);
        EXPECT_NE(at, std::string::npos) << segment;
        if (at == std::string::npos)
            return "";
        std::string line = text.substr(at, text.find('\n', at) - at);
        size_t begin = line.find("\"args\":");
        return begin == std::string::npos ? ""
                                          : line.substr(begin + 7, line.rfind("}}") - begin - 6);
    }

    static size_t count(const std::string &text, const std::string &segment)
    {
        size_t found = 0;
        for (size_t at = 0; (at = text.find(segment, at)) != std::string::npos; at++)
            found++;
        return found;
    }

    // The args of a range of the default domain with one attribute.
    std::string args_with(const char *key, prof_attr_type type, uint64_t value)
    {
        trace.nvtx_push(10, "op").attr(key, type, value).nvtx_pop(20);
        return args(write(), "\"op\"");
    }
    std::string args_with_text(const char *key, const char *value)
    {
        return args_with(key, PROF_ATTR_STRING, trace.name(value));
    }

    Trace trace;
    Scratch scratch;
};

TEST_F(ChromeNvtx, SaysDomainCategoryAndColour)
{
    prof_rec_event_name named = {}, numbered = {};
    named.category = 3;
    named.color = 0x0000ff7f;
    named.flags = PROF_EVENT_NAME_COLORED;
    numbered.category = 4;
    trace_builder_category(trace.raw(), 1, 3, "io");
    uint32_t one = trace.event_name("one", 1, named), two = trace.event_name("two", 1, numbered);
    trace_builder_nvtx_push(trace.raw(), 10, one);
    trace_builder_nvtx_push(trace.raw(), 20, two);
    trace.nvtx_push(30, "three").push(40, "four");
    trace.nvtx_pop(50).nvtx_pop(60, 1).nvtx_pop(70, 1).pop(80);
    std::string text = write();
    EXPECT_EQ(args(text, "\"one\""),
              R"({"domain":"lib","category":"io","category id":3,"color":"#0000FF7F"})");
    EXPECT_EQ(args(text, "\"two\""), R"({"domain":"lib","category":4})");
    EXPECT_EQ(args(text, "\"three\""), R"({"domain":""})") << "the default one";
    EXPECT_EQ(args(text, "\"four\""), R"({"piece of":4})") << "it goes on behind another";
}

TEST_F(ChromeNvtx, KeepsTheTypesOfAttributes)
{
    double half = 0.5;
    uint64_t bits;
    std::memcpy(&bits, &half, sizeof bits);
    trace.nvtx_push(10, "op");
    trace.attr("int", PROF_ATTR_INT, static_cast<uint64_t>(-5));
    trace.attr("large int", PROF_ATTR_INT, INT64_MAX);
    trace.attr("uint", PROF_ATTR_UINT, uint64_t(1) << 53);
    trace.attr("large uint", PROF_ATTR_UINT, (uint64_t(1) << 53) + 1);
    trace.attr("largest", PROF_ATTR_UINT, UINT64_MAX);
    trace.attr("address", PROF_ATTR_HEX, 0x7f00deadbeef);
    trace.attr("double", PROF_ATTR_DOUBLE, bits);
    trace.attr("text", PROF_ATTR_STRING, trace.name("\"quoted\""));
    trace.nvtx_pop(20);
    EXPECT_EQ(args(write(), "\"op\""),
              R"({"domain":"","int":-5,"large int":9223372036854775807,"uint":9007199254740992,)"
              R"("large uint":"9007199254740993","largest":"18446744073709551615",)"
              R"("address":"0x7f00deadbeef","double":0.5,"text":"\"quoted\""})");
}

TEST_F(ChromeNvtx, KeepsTheAttributesOfMarksAndBeginEndRanges)
{
    const uint64_t id = uint64_t(1) << 32 | 1;
    uint32_t name = trace.event_name("event", 1);
    trace_builder_mark(trace.raw(), 10, name);
    trace.attr("payload", PROF_ATTR_UINT, 7, PROF_ATTR_OF_MARK);
    trace_builder_begin(trace.raw(), 20, name, id);
    trace.attr("payload", PROF_ATTR_HEX, 8, id);
    trace_builder_end(trace.raw(), 30, id);
    trace_builder_mark(trace.raw(), 40, trace.name("bare"));
    std::string text = write();
    EXPECT_EQ(args(text, "\"ph\":\"i\""), R"({"domain":"lib","payload":7})");
    EXPECT_EQ(args(text, "\"ph\":\"b\""),
              R"({"range id":4294967297,"domain":"lib","payload":"0x8"})");
    EXPECT_EQ(args(text, "\"bare\""), "");
}

TEST_F(ChromeNvtx, SpeaksOfPyTorchsAttributesAsKinetoDoes)
{
    trace.nvtx_push(10, "op").attr("seq", PROF_ATTR_INT, 12).attr("op_id", PROF_ATTR_INT, 3);
    trace.attr("sizes", PROF_ATTR_STRING, trace.name("[[2, 3], [], [1]]")).nvtx_pop(20);
    trace.nvtx_push(30, "old").attr("seq", PROF_ATTR_INT, 40).attr("stashed_seq", PROF_ATTR_INT, 9);
    trace.nvtx_pop(40).push(50, "ours").attr("seq", PROF_ATTR_INT, 12);
    trace.attr("sizes", PROF_ATTR_STRING, trace.name("[1]")).pop(60);
    std::string text = write();
    EXPECT_EQ(args(text, "\"op\""),
              R"({"domain":"","Sequence number":12,"op_id":3,"Input Dims":[[2, 3], [], [1]]})");
    EXPECT_EQ(args(text, "\"old\""), R"({"domain":"","seq":40,"Sequence number":9})");
    EXPECT_EQ(args(text, "\"ours\""), R"({"seq":12,"sizes":"[1]"})") << "not NVTX's";
}

TEST_F(ChromeNvtx, KnowsOperatorsOfAnyNameByTheirRecordFunction)
{
    trace.push(10, "triton_poi_fused_add_0").attr("rf_id", PROF_ATTR_INT, 7).pop(20);
    std::string text = write();
    EXPECT_EQ(args(text, "\"cpu_op\""), R"({"External id":1,"Record function id":7,"Ev Idx":0})");
}

TEST_F(ChromeNvtx, WritesInputsOfRangesThatTheProgramNamed)
{
    trace.push(10, "aten::mm").attr("rf_id", PROF_ATTR_INT, 7).pop(20);
    trace.push(30, "mine::loss").attr("user_rf_id", PROF_ATTR_INT, 0);
    trace.attr("sizes", PROF_ATTR_STRING, trace.name("[[5]]")).pop(40);
    std::string text = write();
    EXPECT_EQ(args(text, "\"user_annotation\",\"name\":\"mine::loss\""),
              R"({"External id":2,"Record function id":0,"Input Dims":[[5]],"Ev Idx":1})");
    EXPECT_EQ(count(text, "\"name\":\"Record Window End\""), 1u);
}

TEST_F(ChromeNvtx, GivesKernelsTheCollectiveOfTheOperatorThatLaunchedThem)
{
    trace.push(10, "record_param_comms").attr("rf_id", PROF_ATTR_INT, 7);
    trace.attr("Seq", PROF_ATTR_INT, 3);
    trace.attr("Collective name", PROF_ATTR_STRING, trace.name("allreduce"));
    trace.attr("Comms Id", PROF_ATTR_STRING, trace.name("10159970886763999802"));
    trace.attr("Process Group Ranks", PROF_ATTR_STRING, trace.name("[0, 1]"));
    trace.launch(20, 30, 1).pop(40).launch(50, 60, 2);
    trace.kernel(100, 200, 1).kernel(300, 400, 2);
    std::string text = write();
    EXPECT_EQ(count(text, R"("Collective name":"allreduce","Process Group Ranks":"[0, 1]",)"
                          R"("Seq":3,"Comms Id":10159970886763999802})"),
              1u)
        << text;
    EXPECT_EQ(count(text, "\"Collective name\""), 2u) << "the operator and its kernel";
}

TEST_F(ChromeNvtx, TakesDimensionsThatAreNoListsAsText)
{
    for (const char *bad : {"", "[", "]", "[1", "[1]]", "[1,]", "[,1]", "[1 2]", "[01]", "[-]",
                            "[1.5]", "[a]", "1", "[] []", "[[1]2]", "[\\n1]", "[1]x",
                            "[1111111111111111111]", "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"}) {
        Trace fresh;
        fresh.thread(1).log(0, 1).nvtx_push(10, "op");
        fresh.attr("sizes", PROF_ATTR_STRING, fresh.name(bad)).nvtx_pop(20);
        const timeline *t = fresh.load();
        write_error error;
        std::string path = scratch.path("bad.json");
        ASSERT_TRUE(write_chrome(t, nullptr, nullptr, path.c_str(), &error));
        EXPECT_NE(read_file(path).find("\"domain\":\"\",\"Input Dims\":\""), std::string::npos)
            << bad;
    }
    EXPECT_EQ(args_with_text("sizes", "[-1, [0,  10], []]"),
              R"({"domain":"","Input Dims":[-1, [0,  10], []]})");
}

TEST_F(ChromeNvtx, LetsNoAttributePoseAsAMemberOfOurs)
{
    trace.nvtx_push(10, "op", 1).attr("domain", PROF_ATTR_INT, 1).attr("color", PROF_ATTR_INT, 2);
    trace.attr("Input Dims", PROF_ATTR_INT, 3).attr("continued", PROF_ATTR_INT, 4).nvtx_pop(20, 1);
    trace.push(30, "ours").attr("domain", PROF_ATTR_INT, 1).attr("unclosed", PROF_ATTR_INT, 2);
    std::string text = write();
    EXPECT_EQ(args(text, "\"op\""),
              R"x({"domain":"lib","domain (attribute)":1,"color (attribute)":2,)x"
              R"x("Input Dims (attribute)":3,"continued (attribute)":4})x");
    EXPECT_EQ(args(text, "\"ours\""),
              R"x({"domain (attribute)":1,"unclosed (attribute)":2,"unclosed":true})x");
}

TEST_F(ChromeNvtx, DrawsCrossingRangesAsPiecesThatNest)
{
    trace.push(1000, "a").nvtx_push(2000, "b", 1).attr("x", PROF_ATTR_INT, 1).pop(3000);
    trace.nvtx_pop(4000, 1);
    std::string text = write();
    EXPECT_EQ(count(text, "\"name\":\"b\""), 2u);
    EXPECT_EQ(args(text, "\"name\":\"b\""), R"({"domain":"lib","x":1,"piece of":2})");
    EXPECT_EQ(args(text, "\"ts\":3.000"), R"({"domain":"lib","piece of":2,"continued":true})");
}

TEST_F(ChromeNvtx, DrawsArrowsFromForwardToBackward)
{
    trace.api_names().thread(2);
    trace.nvtx_push(1000, "mul").attr("seq", PROF_ATTR_INT, 4).launch(1100, 1200, 1).nvtx_pop(2000);
    trace.log(1, 2).nvtx_push(5000, "autograd::engine::evaluate_function: MulBackward0");
    trace.attr("seq", PROF_ATTR_INT, 4).nvtx_pop(6000).kernel(1500, 1600, 1);
    std::string text = write();
    EXPECT_EQ(count(text, R"("ph":"s","cat":"fwdbwd","name":"fwdbwd","id":2,"pid":4242,)"
                          R"("tid":1001,"ts":1.000)"),
              1u)
        << text;
    EXPECT_EQ(count(text, R"("ph":"f","bp":"e","cat":"fwdbwd","name":"fwdbwd","id":2,"pid":4242,)"
                          R"("tid":1002,"ts":5.000)"),
              1u);
    EXPECT_EQ(count(text, "\"ac2g\",\"id\":1,"), 2u);
}

TEST_F(ChromeNvtx, WritesPyTorchsRangesAsOperators)
{
    trace.api_names();
    auto seq = [&] { trace.attr("seq", PROF_ATTR_INT, 4); };
    trace.nvtx_push(1000, "aten::linear"), seq();
    trace.nvtx_push(1100, "mine").launch(1200, 1300, 1).nvtx_pop(1400);
    trace.nvtx_push(1500, "aten::mm"), seq();
    trace.launch(1600, 1700, 2).nvtx_pop(1800).nvtx_pop(2000);
    trace.nvtx_push(2100, "MmBackward0"), seq();
    trace.nvtx_pop(2200).nvtx_push(2300, "std::sort").launch(2400, 2500, 3).nvtx_pop(2600);
    trace.nvtx_push(2700, "Backward0"), seq();
    trace.nvtx_pop(2800).nvtx_push(2900, "a: b::c"), seq();
    trace.nvtx_pop(3000);
    trace.kernel(4000, 4100, 1).kernel(4200, 4300, 2).kernel(4400, 4500, 3);
    std::string text = write();
    EXPECT_EQ(count(text, "\"cat\":\"cpu_op\""), 3u);
    EXPECT_EQ(count(text, "\"cat\":\"user_annotation\""), 4u);
    EXPECT_EQ(args(text, "\"cpu_op\",\"name\":\"aten::linear\""),
              R"({"External id":1,"Fwd thread id":0,"domain":"","Sequence number":4,"Ev Idx":0})");
    EXPECT_EQ(args(text, "\"cpu_op\",\"name\":\"aten::mm\""),
              R"({"External id":4,"Fwd thread id":0,"domain":"","Sequence number":4,"Ev Idx":2})");
    EXPECT_EQ(args(text, "\"ts\":1.200"), R"({"External id":1,"cbid":211,"correlation":1})");
    EXPECT_EQ(args(text, "\"ts\":1.600"), R"({"External id":4,"cbid":211,"correlation":2})");
    EXPECT_EQ(args(text, "\"ts\":2.400"), R"({"cbid":211,"correlation":3})");
    EXPECT_EQ(count(args(text, "\"cat\":\"kernel\""), "{\"External id\":1,"), 1u) << text;
    EXPECT_EQ(count(text, "\"External id\":1,"), 3u) << "the operator, its call and its kernel";
    EXPECT_EQ(count(text, "\"External id\":4,"), 3u);
    EXPECT_EQ(count(text, "\"External id\""), 11u) << "and MmBackward0, and the annotations";
}

TEST_F(ChromeNvtx, NamesStreamsAndDevicesAsTheProgramDoes)
{
    prof_rec_api_enter call = {};
    call.correlation = 1;
    call.cbid = 211;
    call.domain = PROF_API_RUNTIME;
    call.flags = PROF_API_LAUNCHES;
    call.operations = 1;
    call.stream = 0x5000;
    trace_builder_device(trace.raw(), 0, "GPU");
    trace_builder_context(trace.raw(), 1, 0);
    trace_builder_resource(trace.raw(), PROF_RESOURCE_STREAM, 0x5000, "copy \"engine\"");
    trace_builder_resource(trace.raw(), PROF_RESOURCE_DEVICE, 0, "the first");
    trace_builder_enter(trace.raw(), 100, call);
    trace.api_names().exit(200, 1).kernel(300, 400, 1);
    trace_builder_sync(trace.raw(), 300, 410, 1, {0, 0, 0, 3, 1, 7, 0});
    std::string text = write();
    EXPECT_EQ(count(text, "\"name\":\"stream 7 copy \\\"engine\\\"\""), 1u);
    EXPECT_EQ(count(text, "\"name\":\"stream 7 copy \\\"engine\\\" (sync)\""), 1u);
    EXPECT_EQ(count(text, "\"name\":\"the first (GPU 0)\""), 1u);
    EXPECT_EQ(count(text, "\"labels\":\"GPU 0\""), 1u);
}

TEST(JsonNvtx, ListsDomainsAndCategoriesWithTheirCounts)
{
    Trace trace(trace_builder_sample());
    write_options options;
    write_options_default(&options);
    const timeline *t = trace.load();
    std::string text = to_string([&](FILE *stream) { write_json(t, &options, stream); });
    EXPECT_NE(text.find(R"("nvtx":{"ranges":3,"marks":1,"begin_end_ranges":1,"domains":[
{"pid":4242,"name":"library","ranges":1,"marks":1,"begin_end_ranges":1},
{"pid":4242,"name":null,"ranges":2,"marks":0,"begin_end_ranges":0}],"categories":[
{"pid":4242,"domain":"library","category":5,"name":"loading","ranges":1,"marks":1,"begin_end_ranges":1}]},)"),
              std::string::npos)
        << text;
    std::string summary = to_string([&](FILE *stream) { write_summary(t, &options, stream); });
    EXPECT_NE(summary.find("ranges (4 of them NVTX or ITT), "), std::string::npos) << summary;
}

} // namespace
