// The JSON writer: commas, numbers, escaping, errors.
#include "isolated.h"
#include "write_support.h"

extern "C" {
#include "json_out.h"
}

#include <cmath>
#include <fcntl.h>
#include <gtest/gtest.h>

namespace
{

std::string json(const std::function<void(json_out *)> &write)
{
    return to_string([&](FILE *stream) {
        json_out out;
        ASSERT_TRUE(json_out_init(&out, -1, stream));
        write(&out);
        EXPECT_EQ(json_out_fini(&out), 0);
    });
}

TEST(JsonOut, OwnsTheCommas)
{
    EXPECT_EQ(json([](json_out *out) {
                  json_object_begin(out);
                  json_key(out, "a"), json_uint(out, 1);
                  json_key(out, "b"), json_array_begin(out), json_array_end(out);
                  json_key(out, "c"), json_array_begin(out);
                  json_int(out, -1), json_bool(out, true), json_null(out), json_constant(out, "x");
                  json_object_begin(out), json_object_end(out);
                  json_string(out, "y");
                  json_array_end(out);
                  json_key_spaced(out, "rank"), json_uint(out, 0);
                  json_object_end(out);
              }),
              R"({"a":1,"b":[],"c":[-1,true,null,"x",{},"y"],"rank": 0})");
}

TEST(JsonOut, WritesEveryInteger)
{
    const uint64_t numbers[] = {0,         9,    10,    99,    100,    999,
                                1000,      9999, 10000, 99999, 100000, 12345678901234567890u,
                                UINT64_MAX};
    for (uint64_t number : numbers)
        EXPECT_EQ(json([=](json_out *out) { json_uint(out, number); }), std::to_string(number));
    const int64_t signed_numbers[] = {0, -1, -10, INT64_MIN, INT64_MAX};
    for (int64_t number : signed_numbers)
        EXPECT_EQ(json([=](json_out *out) { json_int(out, number); }), std::to_string(number));
}

TEST(JsonOut, WritesNanosecondsAsExactMicroseconds)
{
    auto us = [](int64_t ns) { return json([=](json_out *out) { json_microseconds(out, ns); }); };
    EXPECT_EQ(us(0), "0.000");
    EXPECT_EQ(us(1), "0.001");
    EXPECT_EQ(us(999), "0.999");
    EXPECT_EQ(us(1000), "1.000");
    EXPECT_EQ(us(123456789), "123456.789");
    EXPECT_EQ(us(-1), "-0.001");
    EXPECT_EQ(us(INT64_MAX), "9223372036854775.807");
    EXPECT_EQ(us(INT64_MIN), "-9223372036854775.808");
}

TEST(JsonOut, WritesDoublesThatReadBackEqual)
{
    const double numbers[] = {0, 0.1, -1.5, 1e300, 5e-324, 1.0 / 3, 123456789.123456789};
    for (double number : numbers)
        EXPECT_EQ(strtod(json([=](json_out *out) { json_double(out, number); }).c_str(), nullptr),
                  number);
    EXPECT_EQ(json([](json_out *out) { json_double(out, NAN); }), "null");
    EXPECT_EQ(json([](json_out *out) { json_double(out, -INFINITY); }), "null");
    EXPECT_EQ(json([](json_out *out) { json_three_decimals(out, 0.11111); }), "0.111");
}

TEST(JsonOut, IgnoresTheLocaleOfItsHost)
{
    for (const char *name : {"de_DE", "ps_AF"})
        if (!run_in_locale(name, [] {
                EXPECT_EQ(json([](json_out *out) { json_double(out, -1.5e-300); }), "-1.5e-300");
            }))
            GTEST_SKIP() << "no localedef, or no sources of locales";
}

TEST(JsonOut, EscapesWithoutLoss)
{
    EXPECT_EQ(json([](json_out *out) {
                  json_text(out, {"a\"\\\n\x01\x7f\xc2\x9b\xe2\x80\xa8\xc3\xa9</s", 16});
              }),
              "\"a\\\"\\\\\\n\\u0001\\u007f\\u009b\\u2028\xc3\xa9\\u003c/s\"");
}

TEST(JsonOut, ReplacesWhatIsNotUtf8)
{
    EXPECT_EQ(json([](json_out *out) {
                  json_text(out, {"\xff|\xed\xa0\x80|\xc0\x80|\xe2\x82", 11});
              }),
              "\"\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\"");
}

TEST(JsonOut, PassesAStrictParserWhateverTheNames)
{
    if (!have_python())
        GTEST_SKIP() << "no python3";
    Scratch scratch;
    for (const std::string &name : nasty_names()) {
        std::string text = json([&](json_out *out) { json_text(out, {name.data(), name.size()}); });
        for (unsigned char c : text)
            ASSERT_TRUE(c >= 0x20 && c != 0x7f) << "a raw control byte";
        write_file(scratch.path("name"), name);
        write_file(scratch.path("json"), text);
        ASSERT_EQ(Scratch::run("cd " + scratch.directory + R"( && python3 -c '
import json
name = open("name", "rb").read()
text = json.loads(open("json", "rb").read().decode("utf-8", "strict"))
try: assert text == name.decode("utf-8", "strict"), "not the same"
except UnicodeDecodeError: assert "\ufffd" in text, "bytes vanished"
')"),
                  0)
            << name.substr(0, 60);
    }
}

TEST(JsonOut, WritesTextLargerThanItsBuffer)
{
    std::string big(3u << 20, 'z');
    std::string text = json([&](json_out *out) {
        json_array_begin(out);
        json_text(out, {big.data(), big.size()});
        json_quoted(out, big.data(), big.size());
        json_uint(out, 7);
        json_array_end(out);
    });
    EXPECT_EQ(text, "[\"" + big + "\"," + big + ",7]");
}

TEST(JsonOut, LatchesTheFirstError)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    ASSERT_GE(full, 0);
    json_out out;
    ASSERT_TRUE(json_out_init(&out, full, nullptr));
    for (int i = 0; i < 1000000; i++)
        json_uint(&out, 123456);
    EXPECT_EQ(json_out_fini(&out), ENOSPC);
    close(full);
}

} // namespace
