// Binary payloads become attributes, and nothing outside of them is read.
#include <gtest/gtest.h>

#include <cfenv>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <vector>

extern "C" {
#include "labels.h"
#include "nvtx_payload.h"
#include "recorder.h"
}

namespace
{

using Values = std::map<std::string, std::string>;

void take(void *user, const char *key, const attr_value *value)
{
    char text[2048];
    size_t bytes = nvtx_scalar_print(value, text, sizeof text);
    (*(Values *)user)[key] = std::string(text, bytes);
}

Values decode(uint32_t domain, std::vector<nvtx_blob> blobs)
{
    Values values;
    nvtx_payload_sink sink = {take, &values};
    nvtx_payload_decode(domain, blobs.data(), blobs.size(), &sink);
    return values;
}

// Exactly these bytes are there: a sanitizer sees what is read behind.
Values decode_bytes(uint64_t schema, const void *data, size_t size)
{
    std::vector<uint8_t> exact((const uint8_t *)data, (const uint8_t *)data + size);
    exact.shrink_to_fit();
    static const uint8_t none = 0;
    return decode(0, {{schema, size, size ? exact.data() : &none}});
}

nvtx_entry entry(uint64_t type, const char *name, uint64_t flags = 0, uint64_t detail = 0,
                 uint64_t offset = 0)
{
    nvtx_entry made = {};
    made.flags = flags;
    made.type = type;
    made.name = name;
    made.detail = detail;
    made.offset = offset;
    return made;
}

uint64_t schema(const std::vector<nvtx_entry> &entries, uint64_t type = NVTX_SCHEMA_STATIC,
                size_t size = 0, uint64_t id = 0, size_t align = 0)
{
    nvtx_schema_attributes made = {};
    made.mask = NVTX_SCHEMA_HAS_TYPE | NVTX_SCHEMA_HAS_ENTRIES | NVTX_SCHEMA_HAS_COUNT |
                NVTX_SCHEMA_HAS_SIZE | NVTX_SCHEMA_HAS_ID | NVTX_SCHEMA_HAS_ALIGN;
    made.type = type;
    made.entries = entries.data();
    made.entry_count = entries.size();
    made.static_size = size;
    made.id = id;
    made.pack_align = align;
    return nvtx_schema_register(0, &made);
}

uint64_t enumeration(const std::vector<nvtx_enum_value> &values, size_t bytes)
{
    nvtx_enum_attributes made = {};
    made.mask = NVTX_ENUM_HAS_ENTRIES | NVTX_ENUM_HAS_COUNT | NVTX_ENUM_HAS_SIZE;
    made.entries = values.data();
    made.entry_count = values.size();
    made.value_bytes = bytes;
    return nvtx_schema_register_enum(0, &made);
}

uint64_t bad_arguments()
{
    return loss_get(PROF_LOSS_BAD_ARGUMENT);
}

TEST(Payload, LeavesTheProgramsFloatingPointAlone)
{
    long double third = 1.0L / 3;
    uint64_t id = schema({entry(NVTX_TYPE_LONGDOUBLE, "ld")});
    feclearexcept(FE_ALL_EXCEPT);
    const int traps = feenableexcept(FE_INEXACT) == -1 ? 0 : FE_INEXACT; // aarch64 has none
    Values values = decode_bytes(id, &third, sizeof third);
    EXPECT_EQ(fetestexcept(FE_ALL_EXCEPT), 0);
    EXPECT_EQ(fegetexcept(), traps);
    fedisableexcept(FE_ALL_EXCEPT);
    EXPECT_EQ(values, (Values{{"ld", "0.333333333"}}));
}

TEST(Payload, HasEveryTypeOfAFixedSize)
{
    struct {
        char c = 'x';
        short s = -2;
        unsigned u = 3000000000u;
        long long ll = -4;
        float f = 0.5f;
        double d = -1.25;
        long double ld = 2.5L;
        size_t size = 9;
        void *address = (void *)0xabcdu;
        uint16_t half = 0xc100, tiny = 1, bf = 0x4049;
        wchar_t wide = 0x20ac;
        uint8_t byte = 255;
        uint32_t color = 0xff00ff00;
    } data;
    uint64_t id =
        schema({entry(NVTX_TYPE_CHAR, "c"), entry(NVTX_TYPE_SHORT, "s"), entry(NVTX_TYPE_UINT, "u"),
                entry(NVTX_TYPE_LONGLONG, "ll"), entry(NVTX_TYPE_FLOAT, "f"),
                entry(NVTX_TYPE_DOUBLE, "d"), entry(NVTX_TYPE_LONGDOUBLE, "ld"),
                entry(NVTX_TYPE_SIZE, "size"), entry(NVTX_TYPE_ADDRESS, "address"),
                entry(NVTX_TYPE_FLOAT16, "half"), entry(NVTX_TYPE_FLOAT16, "tiny"),
                entry(NVTX_TYPE_BF16, "bf"), entry(NVTX_TYPE_WCHAR, "wide"),
                entry(NVTX_TYPE_BYTE, "byte"), entry(NVTX_TYPE_COLOR, "color")});
    EXPECT_EQ(decode_bytes(id, &data, sizeof data), (Values{{"c", "x"},
                                                            {"s", "-2"},
                                                            {"u", "3000000000"},
                                                            {"ll", "-4"},
                                                            {"f", "0.5"},
                                                            {"d", "-1.25"},
                                                            {"ld", "2.5"},
                                                            {"size", "9"},
                                                            {"address", "0xabcd"},
                                                            {"half", "-2.5"},
                                                            {"tiny", "5.96046448e-08"},
                                                            {"bf", "3.140625"},
                                                            {"wide", "\xe2\x82\xac"},
                                                            {"byte", "255"},
                                                            {"color", "0xff00ff00"}}));
}

TEST(Payload, HonoursOffsetsAndPacking)
{
    uint8_t packed[] = {1, 2, 0, 0, 0, 3};
    uint64_t id = schema(
        {entry(NVTX_TYPE_UINT8, "a"), entry(NVTX_TYPE_UINT32, "b"), entry(NVTX_TYPE_UINT8, "c")},
        NVTX_SCHEMA_STATIC, sizeof packed, 0, 1);
    EXPECT_EQ(decode_bytes(id, packed, sizeof packed),
              (Values{{"a", "1"}, {"b", "2"}, {"c", "3"}}));
    uint32_t words[] = {1, 2, 3, 4};
    id = schema({entry(NVTX_TYPE_UINT32, "third", 0, 0, 8), entry(NVTX_TYPE_UINT32, "fourth")});
    EXPECT_EQ(decode_bytes(id, words, sizeof words), (Values{{"third", "3"}, {"fourth", "4"}}));
}

TEST(Payload, NestsSchemasAndArraysOfThem)
{
    struct point {
        int16_t x;
        int32_t y;
    };
    struct {
        uint8_t tag = 7;
        point one = {1, -2};
        point many[2] = {{3, 4}, {5, 6}};
        int32_t after = 8;
    } data;
    uint64_t inner = schema({entry(NVTX_TYPE_INT16, "x"), entry(NVTX_TYPE_INT32, "y")},
                            NVTX_SCHEMA_STATIC, sizeof(point));
    uint64_t id =
        schema({entry(NVTX_TYPE_UINT8, "tag"), entry(inner, "one"),
                entry(inner, "many", NVTX_ARRAY_FIXED << 4, 2), entry(NVTX_TYPE_INT32, "after")});
    EXPECT_EQ(decode_bytes(id, &data, sizeof data), (Values{{"tag", "7"},
                                                            {"one.x", "1"},
                                                            {"one.y", "-2"},
                                                            {"many[0].x", "3"},
                                                            {"many[0].y", "4"},
                                                            {"many[1].x", "5"},
                                                            {"many[1].y", "6"},
                                                            {"after", "8"}}));
}

TEST(Payload, HasLengthsInTheData)
{
    uint8_t data[] = {3, 10, 20, 30, 9, 8, 0, 'h', 'i', 0, 77};
    uint64_t id = schema({entry(NVTX_TYPE_UINT8, "n"),
                          entry(NVTX_TYPE_UINT8, "counted", NVTX_ARRAY_LENGTH_INDEX << 4, 0),
                          entry(NVTX_TYPE_UINT8, "until zero", NVTX_ARRAY_ZERO_TERMINATED << 4),
                          entry(NVTX_TYPE_CSTRING, "text", NVTX_ARRAY_ZERO_TERMINATED << 4),
                          entry(NVTX_TYPE_UINT8, "last")},
                         NVTX_SCHEMA_DYNAMIC);
    EXPECT_EQ(decode_bytes(id, data, sizeof data), (Values{{"n", "3"},
                                                           {"counted", "[10, 20, 30]"},
                                                           {"until zero", "[9, 8]"},
                                                           {"text", "hi"},
                                                           {"last", "77"}}));
}

TEST(Payload, HasStringsOfEveryKind)
{
    const interned_text *registered = texts_intern(0, "registered", 10);
    struct {
        const char *pointer = "pointer";
        const char *none = nullptr;
        const void *handle;
        char fixed[8] = {'f', 'i', 'x', 'e', 'd', '8', '8', '8'};
        char16_t utf16[4] = {0x20ac, 0xd83d, 0xde00, 0xdc00};
        char32_t utf32[2] = {U'a', 0x110000};
        uint64_t offset = 8;
        char at_offset[8] = "offset";
    } data;
    data.handle = registered;
    uint64_t id = schema(
        {entry(NVTX_TYPE_CSTRING, "pointer"), entry(NVTX_TYPE_CSTRING_UTF8, "none"),
         entry(NVTX_TYPE_REGISTERED_STRING, "handle"), entry(NVTX_TYPE_CSTRING, "fixed", 0, 8),
         entry(NVTX_TYPE_CSTRING_UTF16, "utf16", 0, 4),
         entry(NVTX_TYPE_CSTRING_UTF32, "utf32", 0, 2),
         entry(NVTX_TYPE_CSTRING, "offset", NVTX_ENTRY_OFFSET_FROM_HERE, 0,
               offsetof(decltype(data), offset))});
    data.offset = 0;
    EXPECT_EQ(decode_bytes(id, &data, sizeof data),
              (Values{{"pointer", "pointer"},
                      {"handle", "registered"},
                      {"fixed", "fixed888"},
                      {"utf16", "\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd"},
                      {"utf32", "a\xef\xbf\xbd"},
                      {"offset", "offset"}}));
}

TEST(Payload, ShowsEnumerationsByName)
{
    uint64_t colors = enumeration({{"RED", 1, 0}, {"GREEN", (uint64_t)-2, 0}}, 2);
    uint64_t flags = enumeration({{"A", 1, 1}, {"B", 2, 1}, {"NONE", 0, 0}}, 1);
    int16_t values[] = {1, -2, 9};
    EXPECT_EQ(decode_bytes(colors, &values[0], 2), (Values{{"payload", "RED"}}));
    EXPECT_EQ(decode_bytes(colors, &values[1], 2), (Values{{"payload", "GREEN"}}));
    EXPECT_EQ(decode_bytes(colors, &values[2], 2), (Values{{"payload", "9"}}));
    uint64_t array = schema({entry(flags, "f", NVTX_ARRAY_FIXED << 4, 4)});
    uint8_t bits[] = {3, 0, 2, 5};
    EXPECT_EQ(decode_bytes(array, bits, 4), (Values{{"f", "[A|B, NONE, B, 5]"}}));
}

TEST(Payload, CutsLongArrays)
{
    std::vector<int32_t> numbers(1000, 1);
    uint64_t id = schema({entry(NVTX_TYPE_INT32, "n", NVTX_ARRAY_FIXED << 4, 1000),
                          entry(NVTX_TYPE_CHAR, "text", NVTX_ARRAY_FIXED << 4, 3)});
    numbers.push_back(0x00636261);
    Values values = decode_bytes(id, numbers.data(), numbers.size() * 4);
    EXPECT_EQ(values["n"].size(), 64 * 3 + 5u);
    EXPECT_EQ(values["n"].substr(values["n"].size() - 8), " 1, ...]");
    EXPECT_EQ(values["text"], "abc");
}

TEST(Payload, ThatIsTooShortGivesWhatFitsAndIsCounted)
{
    struct {
        uint32_t a = 1, b = 2;
        uint64_t c = 3;
    } data;
    uint64_t id = schema(
        {entry(NVTX_TYPE_UINT32, "a"), entry(NVTX_TYPE_UINT32, "b"), entry(NVTX_TYPE_UINT64, "c")});
    for (size_t size = 1; size < sizeof data; size++) {
        uint64_t before = bad_arguments();
        EXPECT_EQ(decode_bytes(id, &data, size).size(), size >= 8 ? 2u : size / 4) << size;
        EXPECT_EQ(bad_arguments(), before + 1) << size;
    }
}

TEST(Payload, OfHostileDescriptionsEndsWithinItsBounds)
{
    uint64_t huge = UINT64_MAX, data[4] = {UINT64_MAX, UINT64_MAX, 1, 1};
    for (const nvtx_entry &each :
         {entry(NVTX_TYPE_UINT64, "n", NVTX_ARRAY_FIXED << 4, huge),
          entry(NVTX_TYPE_UINT64, "n", NVTX_ARRAY_FIXED << 4, huge / 8 + 2),
          entry(NVTX_TYPE_UINT64, "n", 0, 0, huge), entry(NVTX_TYPE_UINT64, "n", 0, 0, huge - 7),
          entry(NVTX_TYPE_UINT8, "n", NVTX_ARRAY_ZERO_TERMINATED << 4),
          entry(NVTX_TYPE_UINT8, "n", NVTX_ARRAY_LENGTH_INDEX << 4, 5),
          entry(NVTX_TYPE_UINT8, "n", NVTX_ARRAY_LENGTH_INDEX << 4, huge),
          entry(NVTX_TYPE_CSTRING, "n", NVTX_ENTRY_OFFSET_FROM_BASE),
          entry(NVTX_TYPE_CSTRING_UTF16, "n", 0, huge), entry(12345, "an unknown type"),
          entry(NVTX_SCHEMA_ID_STATIC + 99, "unregistered")}) {
        uint64_t id = schema({entry(NVTX_TYPE_UINT64, "length"), each});
        decode_bytes(id, data, sizeof data);
        uint64_t dynamic =
            schema({entry(NVTX_TYPE_UINT64, "length"),
                    entry(NVTX_TYPE_UINT8, "n", NVTX_ARRAY_LENGTH_INDEX << 4, 0), each},
                   NVTX_SCHEMA_DYNAMIC);
        EXPECT_EQ(decode_bytes(dynamic, data, sizeof data).count("n"), 0u);
    }
}

TEST(Payload, OfASchemaThatContainsItselfEnds)
{
    uint64_t own = NVTX_SCHEMA_ID_STATIC + 7;
    uint32_t word = 1;
    EXPECT_EQ(schema({entry(NVTX_TYPE_UINT32, "a"), entry(own, "again", 0, 0, 0),
                      entry(own, "twice", NVTX_ARRAY_FIXED << 4, 1u << 20)},
                     NVTX_SCHEMA_DYNAMIC, 0, own),
              own);
    std::vector<uint32_t> words(4096, word);
    EXPECT_GE(decode_bytes(own, words.data(), words.size() * 4).size(), 1u);
}

TEST(Payload, LooksForItsMessage)
{
    const char *text = "the message";
    uint64_t id = schema({entry(NVTX_TYPE_CSTRING, "m", 1u << 10), entry(NVTX_TYPE_UINT32, "n")});
    struct {
        const char *text;
        uint32_t n;
    } data = {text, 5};
    nvtx_blob blob = {id, sizeof data, &data};
    char room[8192];
    nvtx_record_text message;
    ASSERT_TRUE(nvtx_payload_message(0, &blob, 1, room, &message));
    EXPECT_EQ(std::string(message.text, message.bytes), text);
    EXPECT_EQ(decode_bytes(id, &data, sizeof data), (Values{{"n", "5"}}));
    blob.schema = NVTX_TYPE_UINT32;
    EXPECT_FALSE(nvtx_payload_message(0, &blob, 1, room, &message));
}

TEST(Payload, WithoutASizeHasThatOfItsDescription)
{
    uint64_t value = 42;
    uint64_t id = schema({entry(NVTX_TYPE_UINT64, "v")}, NVTX_SCHEMA_STATIC, 8);
    EXPECT_EQ(decode(0, {{id, SIZE_MAX, &value}}), (Values{{"v", "42"}}));
    EXPECT_EQ(decode(0, {{NVTX_TYPE_CSTRING, SIZE_MAX, "text"}}), (Values{{"payload", "text"}}));
    EXPECT_EQ(decode(0, {{NVTX_TYPE_UINT64, SIZE_MAX, &value}}), (Values{{"payload", "42"}}));
    EXPECT_EQ(decode(0, {{NVTX_SCHEMA_RAW, 8, &value}, {NVTX_SCHEMA_REFERENCED, 8, &value}}),
              Values{});
}

TEST(Schemas, ThatCannotBeUsedAreRefused)
{
    nvtx_entry one = entry(NVTX_TYPE_INT, "i");
    nvtx_schema_attributes attributes = {};
    EXPECT_EQ(nvtx_schema_register(0, nullptr), 0u);
    EXPECT_EQ(nvtx_schema_register(0, &attributes), 0u);
    attributes.mask = UINT64_MAX;
    attributes.type = NVTX_SCHEMA_STATIC;
    attributes.entry_count = 1;
    EXPECT_EQ(nvtx_schema_register(0, &attributes), 0u);
    attributes.entries = &one;
    EXPECT_GE(nvtx_schema_register(0, &attributes), NVTX_SCHEMA_ID_DYNAMIC);
    attributes.entry_count = SIZE_MAX;
    EXPECT_EQ(nvtx_schema_register(0, &attributes), 0u);
    attributes.entry_count = 1;
    attributes.type = 3;
    EXPECT_EQ(nvtx_schema_register(0, &attributes), 0u);
    EXPECT_EQ(nvtx_schema_register_enum(0, nullptr), 0u);
    EXPECT_EQ(enumeration({{"A", 1, 0}}, 3), 0u);
}

TEST(Schemas, OfTheProgramsOwnIdsBelongToADomain)
{
    nvtx_entry one = entry(NVTX_TYPE_INT, "i");
    nvtx_schema_attributes attributes = {};
    attributes.mask = UINT64_MAX;
    attributes.type = NVTX_SCHEMA_STATIC;
    attributes.entry_count = 1;
    attributes.entries = &one;
    attributes.id = NVTX_SCHEMA_ID_STATIC + 21;
    EXPECT_EQ(nvtx_schema_register(1, &attributes), attributes.id);
    EXPECT_NE(nvtx_schema_find(1, attributes.id), nullptr);
    EXPECT_EQ(nvtx_schema_find(2, attributes.id), nullptr);
}

} // namespace
