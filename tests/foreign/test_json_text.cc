/* test_json_text.cc - JSON in place: strings, numbers, what is skipped, and where it goes wrong. */
#include "json_text.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include <string>
#include <vector>

namespace
{

/* Text with what must be behind it. */
class Json
{
public:
    explicit Json(const std::string &text) : text_(text + std::string(JSON_PAD_BYTES, '"'))
    {
        cursor.end = text_.data() + text.size();
    }
    const char *at() const { return text_.data(); }
    json_cursor cursor = {};

private:
    std::string text_;
};

std::string unescaped(const std::string &body)
{
    json_string string = {body.data(), (uint32_t)body.size(), true};
    std::string to(body.size(), '?');
    to.resize(json_unescape(&string, to.data()));
    return to;
}

/* Of microseconds, nanoseconds. */
int64_t scaled(const std::string &number)
{
    int64_t ns = -1;
    EXPECT_TRUE(json_text_scaled({number.data(), number.size()}, 3, &ns)) << number;
    return ns;
}

TEST(JsonText, ScalesDecimalsExactly)
{
    EXPECT_EQ(scaled("0"), 0);
    EXPECT_EQ(scaled("123456789.123"), 123456789123);
    EXPECT_EQ(scaled("1623143089861123.456"), 1623143089861123456);
    EXPECT_EQ(scaled("-1.5"), -1500);
    EXPECT_EQ(scaled("1.23456e3"), 1234560);
    EXPECT_EQ(scaled("15E-1"), 1500);
    EXPECT_EQ(scaled("0.0009"), 0);
    EXPECT_EQ(scaled("12.000000000000000000000000001"), 12000);
    EXPECT_EQ(scaled("1e400"), JSON_NUMBER_MAX);
    EXPECT_EQ(scaled("-99999999999999999999999"), -JSON_NUMBER_MAX);
    EXPECT_EQ(scaled("0e99999999999999999"), 0);
}

TEST(JsonText, ReadsEightDigitsOrNone)
{
    uint64_t value = 0;
    for (const char *digits : {"00000000", "00000001", "12345678", "90000000", "99999999"}) {
        EXPECT_TRUE(json_eight_digits(digits, &value)) << digits;
        EXPECT_EQ(value, std::stoul(digits));
    }
    for (size_t place = 0; place < 8; place++)
        for (int byte = 0; byte < 256; byte++) {
            std::string text = "19283746";
            text[place] = static_cast<char>(byte);
            EXPECT_EQ(json_eight_digits(text.data(), &value), byte >= '0' && byte <= '9')
                << place << " " << byte;
        }
}

TEST(JsonText, RoundsToTheNearestWhereAsked)
{
    auto nearest = [](const char *number) {
        Json json(std::string(number) + ",");
        int64_t ns = -1;
        bool known = false;
        EXPECT_EQ(json_nearest(&json.cursor, json.at(), 3, &ns, &known), json.cursor.end - 1);
        EXPECT_TRUE(known) << number;
        return ns;
    };
    EXPECT_EQ(nearest("12.3459"), 12346);
    EXPECT_EQ(nearest("12.34549"), 12345);
    EXPECT_EQ(nearest("-12.3455"), -12346);
    EXPECT_EQ(nearest("150.00300000000001"), 150003);
    EXPECT_EQ(nearest("150.00299999999999"), 150003);
    EXPECT_EQ(nearest("0.0004"), 0);
    EXPECT_EQ(nearest("1e-9"), 0);
    EXPECT_EQ(nearest("7"), 7000);
}

TEST(JsonText, RefusesWhatIsNoNumber)
{
    int64_t ns;
    for (const char *text : {"", "-", ".5", "1x", "abc", "1e5x", "0x10", " 1"})
        EXPECT_FALSE(json_text_scaled({text, strlen(text)}, 3, &ns)) << text;
}

TEST(JsonText, ReadsDoubles)
{
    EXPECT_DOUBLE_EQ(json_text_double({"-2.5e-3", 7}), -2.5e-3);
    EXPECT_DOUBLE_EQ(json_text_double({"1234567890123", 13}), 1234567890123.0);
    EXPECT_EQ(json_text_double({"NaN", 3}), 0);
}

/* As strtod() does: rounded once. */
TEST(JsonText, RoundsDoublesCorrectly)
{
    std::vector<std::string> texts = {"9007199254740993",
                                      "9007199254740992.999999999999999999999999",
                                      "1e23",
                                      "8.589973428413488e30",
                                      "1.7976931348623157e308",
                                      "4.9406564584124654e-324",
                                      "2.2250738585072011e-308",
                                      "123456789012345678901234567890",
                                      "0.1e-30",
                                      "3.0e+23",
                                      "1" + std::string(400, '0') + "e-400",
                                      "-6.02214076e+23"};
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        texts.push_back(std::to_string(seed >> 3) + "e" + std::to_string((int)(seed >> 32) % 300));
        texts.push_back(std::to_string((double)(seed >> 20) / 1e6));
    }
    for (const std::string &text : texts)
        EXPECT_EQ(json_text_double({text.data(), text.size()}), strtod(text.c_str(), nullptr))
            << text;
}

TEST(JsonText, ResolvesEscapes)
{
    EXPECT_EQ(unescaped("a\\\"b\\\\c\\/d\\n\\t"), "a\"b\\c/d\n\t");
    EXPECT_EQ(unescaped("\\u0041\\u00e9\\u20ac"), "A\u00e9\u20ac");
    EXPECT_EQ(unescaped("\\ud83d\\ude00!"), "\U0001F600!");
}

TEST(JsonText, KeepsWhatIsWronglyEscaped)
{
    EXPECT_EQ(unescaped("\\x41 \\u12 \\"), "\\x41 \\u12 \\");
    EXPECT_EQ(unescaped("\\ud83d!"), "\xef\xbf\xbd!");
    EXPECT_EQ(unescaped("\\ude00\\ud83d\\u0041"), "\xef\xbf\xbd\xef\xbf\xbd"
                                                  "A");
}

TEST(JsonText, FindsTheEndOfStringsOfAnyLength)
{
    for (size_t size = 0; size < 100; size++) {
        Json json("\"" + std::string(size, 'x') + "\"");
        json_string string;
        const char *after = json_string_body(&json.cursor, json.at() + 1, &string);
        ASSERT_EQ(after, json.cursor.end) << size;
        EXPECT_EQ(string.size, size);
        EXPECT_FALSE(string.escaped);
    }
}

TEST(JsonText, SkipsValuesWithBracketsAndQuotesInStrings)
{
    for (const char *value : {"\"a\\\"]}\"", "{\"a\":[1,{\"b\":\"}]\\\\\"}],\"c\":{}}", "[]",
                              "-1.5e3", "true", "null", "[[[\"\\\"\"]]]", "NaN"}) {
        Json json(std::string(value) + ",");
        EXPECT_EQ(json_skip(&json.cursor, json.at()), json.cursor.end - 1) << value;
    }
}

TEST(JsonText, TellsACutValueFromAWrongOne)
{
    for (const char *cut : {"\"abc", "\"abc\\", "\"abc\\\"", "{\"a\":[1,2", "[", "12", "tru", ""}) {
        Json json(cut);
        EXPECT_EQ(json_skip(&json.cursor, json.at()), nullptr) << cut;
        EXPECT_TRUE(json_is_cut(&json.cursor)) << cut;
    }
    for (const char *wrong : {"}", ",", "x", "]"}) {
        Json json(std::string(wrong) + "  ");
        EXPECT_EQ(json_skip(&json.cursor, json.at()), nullptr) << wrong;
        EXPECT_FALSE(json_is_cut(&json.cursor)) << wrong;
    }
}

TEST(JsonText, KnowsWhatIsWholeAndValid)
{
    auto is_valid = [](const std::string &json) {
        return json_is_valid({json.data(), json.size()});
    };
    for (const char *good : {"{}", " [] ", "0", "-0.5e+3", "true", "null", "\"\\u00e9\\n\"",
                             "{\"a\": [1, {\"b\": false}], \"\": \"x\"}", "1E9"})
        EXPECT_TRUE(is_valid(good)) << good;
    for (const char *bad :
         {"",      " ",          "{",     "[1,]", "[1 2]",  "{\"a\"}", "{\"a\":}",
          "{a:1}", "{\"a\":1,}", "[}",    "01",   "1.",     "-",       "1e",
          "+1",    "tru",        "NaN",   "\"a",  "\"\t\"", "\"\\x\"", "\"\\u12g4\"",
          "\"\\",  "\"\xff\"",   "{} {}", "1,2",  "'a'"})
        EXPECT_FALSE(is_valid(bad)) << bad;
    EXPECT_TRUE(
        is_valid(std::string(JSON_DEPTH_MAX - 1, '[') + std::string(JSON_DEPTH_MAX - 1, ']')));
    EXPECT_FALSE(is_valid(std::string(100000, '[') + std::string(100000, ']')));
}

TEST(JsonText, SkipsDeepNestingWithoutAStack)
{
    Json json(std::string(5000000, '[') + std::string(5000000, ']'));
    EXPECT_EQ(json_skip(&json.cursor, json.at()), json.cursor.end);
}

} // namespace
