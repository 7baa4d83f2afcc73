// The timeline's boxes and the steps of a page: packed numbers, what is run together, sums that hold.
#include "../support/random_trace.h"
#include "../write/write_support.h"

extern "C" {
#include "findings.h"
#include "html_bytes.h"
#include "html_page.h"
}

#include <gtest/gtest.h>

namespace
{

struct Bytes {
    html_bytes all{};
    ~Bytes() { html_bytes_fini(&all); }
    std::string text() const { return {reinterpret_cast<const char *>(all.at), all.count}; }
};

std::string object_of(const std::function<void(json_out *)> &write)
{
    return to_string([&](FILE *stream) {
        json_out out;
        ASSERT_TRUE(json_out_init(&out, -1, stream));
        write(&out);
        EXPECT_EQ(json_out_fini(&out), 0);
    });
}

std::string boxes_of(const timeline *of, bool full)
{
    return object_of([&](json_out *out) { EXPECT_TRUE(html_timeline(out, of, full)); });
}

// Whether Python statements about the JSON `d` pass.
bool passes(const std::string &json, const std::string &program)
{
    Scratch scratch;
    std::ofstream(scratch.path("d.json")) << json;
    std::ofstream(scratch.path("p.py")) << "import base64, json, sys, zlib\n"
                                        << "d = json.load(open(sys.argv[1]))\n"
                                        << program << "\n";
    return Scratch::run("python3 '" + scratch.path("p.py") + "' '" + scratch.path("d.json") +
                        "'") == 0;
}

} // namespace

TEST(HtmlBytes, HaveSevenBitsInEachByte)
{
    Bytes bytes;
    for (uint64_t value : {UINT64_C(0), UINT64_C(127), UINT64_C(128), UINT64_MAX})
        html_bytes_uint(&bytes.all, value);
    EXPECT_EQ(bytes.text(), std::string("\x00\x7f\x80\x01", 4) + std::string(9, '\xff') + "\x01");
}

TEST(HtmlBytes, HaveTheSignInTheLowestBit)
{
    Bytes bytes;
    for (int64_t value : {INT64_C(0), INT64_C(-1), INT64_C(1), INT64_C(-64)})
        html_bytes_int(&bytes.all, value);
    EXPECT_EQ(bytes.text(), std::string("\x00\x01\x02\x7f", 4));
    Bytes extreme;
    html_bytes_int(&extreme.all, INT64_MIN);
    EXPECT_EQ(extreme.text(), std::string(9, '\xff') + "\x01");
}

TEST(HtmlBytes, CutTextsBetweenCharacters)
{
    Bytes bytes;
    html_bytes_text(&bytes.all, {"a\xc3\xa9", 3}, 2);
    html_bytes_text(&bytes.all, {"abc", 3}, 3);
    html_bytes_text(&bytes.all, {"\x80\x80\x80\x80\x80\x80", 6}, 5); // no character begins in it
    EXPECT_EQ(bytes.text(), std::string("\x01"
                                        "a"
                                        "\x03"
                                        "abc"
                                        "\x02\x80\x80"));
}

TEST(HtmlBytes, AreBase64OfAnySize)
{
    for (size_t size : {0u, 1u, 2u, 3u, 4u, 1000u}) {
        Bytes bytes;
        for (size_t i = 0; i < size; i++)
            html_bytes_uint(&bytes.all, i % 100);
        std::string json = object_of([&](json_out *out) {
            json_object_begin(out);
            EXPECT_TRUE(html_bytes_write(out, &bytes.all));
            json_object_end(out);
        });
        EXPECT_TRUE(
            passes(json, "data = base64.b64decode(d['data'])\n"
                         "data = zlib.decompress(data) if d['packing'] == 'deflate' else data\n"
                         "assert data == bytes(i % 100 for i in range(" +
                             std::to_string(size) + ")), data"))
            << size;
    }
}

TEST(HtmlTimeline, HasEveryEventWhereThereIsRoom)
{
    TimelineMaker m;
    m.push("step", 0);
    m.kernel("k", m.launch("cudaLaunchKernel", 10, 20), 30, 60);
    m.pop(1000);
    EXPECT_TRUE(passes(boxes_of(m.done(), false),
                       "assert d['boxes'] == d['events'] == 3 and d['least_ns'] == 0, d\n"
                       "assert [track[4:] for track in d['tracks']] == [[1, 1], [1]], d"));
}

TEST(HtmlTimeline, RunsTogetherWhatHasNoRoomUnlessItIsToBeFull)
{
    TimelineMaker m;
    for (int i = 0; i < 3 * static_cast<int>(HTML_BOXES); i++)
        m.range("tiny", i * 100, i * 100 + 50);
    const timeline *of = m.done();
    std::string events = std::to_string(3 * HTML_BOXES);
    EXPECT_TRUE(passes(boxes_of(of, false), "assert d['boxes'] <= 60000 < d['events'] == " +
                                                events + " and d['least_ns'] > 0, d['boxes']"));
    EXPECT_TRUE(passes(boxes_of(of, true),
                       "assert d['boxes'] == d['events'] == " + events + ", d['boxes']"));
}

TEST(HtmlTimeline, OfNothingHasNoBoxes)
{
    TimelineMaker m;
    EXPECT_TRUE(passes(boxes_of(m.done(), false), "assert d['boxes'] == 0 and not d['tracks'], d"));
}

TEST(HtmlSteps, AddUpToTheirLength)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        RandomTrace trace(seed, 3);
        struct findings found;
        const timeline *of = trace.load();
        ASSERT_TRUE(findings_init(&found, of, nullptr));
        html_step_list steps;
        ASSERT_TRUE(html_step_list_init(&steps, of));
        std::string json = object_of([&](json_out *out) {
            json_object_begin(out);
            EXPECT_TRUE(html_steps(out, &found, &steps));
            json_object_end(out);
        });
        html_step_list_fini(&steps);
        findings_fini(&found);
        EXPECT_TRUE(passes(json, "assert d['steps'], 'no steps'\n"
                                 "for device in d['steps']:\n"
                                 "    for name, start, end, *parts in device['steps']:\n"
                                 "        assert sum(parts) == end - start and min(parts) >= 0, "
                                 "(name, start, end, parts)"))
            << seed;
    }
}
