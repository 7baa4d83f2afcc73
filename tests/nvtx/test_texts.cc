// Wide strings, PyTorch's names, attributes of any size.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "nvtx_record.h"
#include "torch_names.h"
}

namespace
{

std::string utf8(const std::vector<wchar_t> &characters)
{
    std::vector<wchar_t> text = characters;
    text.push_back(0);
    char room[NVTX_WIDE_BYTES];
    size_t size = nvtx_wide_to_utf8(text.data(), room);
    EXPECT_EQ(size, strlen(room));
    return std::string(room, size);
}

TEST(WideStrings, BecomeUtf8)
{
    EXPECT_EQ(utf8({}), "");
    EXPECT_EQ(utf8({L'a', 0x7f, 0x80, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff}),
              "a\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(WideStrings, ShowWhatIsNoCharacterAsReplacement)
{
    EXPECT_EQ(utf8({0xd800}), "\xef\xbf\xbd");
    EXPECT_EQ(utf8({L'a', 0xdfff, L'b'}), "a\xef\xbf\xbd"
                                          "b");
    EXPECT_EQ(utf8({0x110000, (wchar_t)-1}), "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(WideStrings, AreCutBehindTheLongestNameThatIsKept)
{
    std::string cut = utf8(std::vector<wchar_t>(100000, 0x20ac));
    EXPECT_GT(cut.size(), PROF_NAME_BYTES_MAX);
    EXPECT_LT(cut.size(), NVTX_WIDE_BYTES);
    EXPECT_EQ((cut.size() - NVTX_WIDE_HASH_BYTES) % 3, 0u);
}

TEST(WideStrings, ThatAreCutDependOnAllOfTheirCharacters)
{
    std::vector<wchar_t> text(PROF_NAME_BYTES_MAX + 100, L'w');
    std::string first = utf8(text);
    for (size_t at = PROF_NAME_BYTES_MAX; at < text.size(); at++) {
        std::vector<wchar_t> other = text;
        other[at] = L'W';
        EXPECT_NE(utf8(other), first) << at;
        EXPECT_EQ(utf8(other).size(), first.size());
    }
}

struct Torch {
    explicit Torch(const std::string &text) : name(text)
    {
        whole = !torch_names_parse(name.data(), name.size(), &torch);
    }
    std::string base() const { return name.substr(0, torch.base_bytes); }
    std::string part(size_t i) const
    {
        const torch_names_part &part = torch.parts[i];
        return std::string(part.key) + ":" +
               (part.text ? std::string(part.text, part.bytes)
                          : std::to_string((int64_t)part.integer));
    }
    std::string name;
    torch_names torch;
    bool whole;
};

TEST(TorchNames, AreTakenApart)
{
    Torch full("aten::mm, seq = 12, op_id = 5, sizes = [[2, 3], [3, 4]], input_op_ids = [(1,0)]");
    ASSERT_FALSE(full.whole);
    EXPECT_EQ(full.base(), "aten::mm");
    ASSERT_EQ(full.torch.count, 4u);
    EXPECT_EQ(full.part(0), "seq:12");
    EXPECT_EQ(full.part(1), "op_id:5");
    EXPECT_EQ(full.part(2), "sizes:[[2, 3], [3, 4]]");
    EXPECT_EQ(full.part(3), "input_op_ids:[(1,0)]");
}

TEST(TorchNames, OfOlderVersionsAreTakenApart)
{
    Torch forward("mul, seq=3"), backward("MulBackward, stashed seq=3"), negative("x, seq = -1");
    EXPECT_EQ(forward.base() + "/" + forward.part(0), "mul/seq:3");
    EXPECT_EQ(backward.base() + "/" + backward.part(0), "MulBackward/stashed_seq:3");
    EXPECT_EQ(negative.part(0), "seq:-1");
}

TEST(TorchNames, KeepCommasOfTheirOwn)
{
    Torch name("Optimizer.step#SGD, fused, seq = 1");
    EXPECT_EQ(name.base(), "Optimizer.step#SGD, fused");
    EXPECT_EQ(Torch("f(a, b), sizes = []").base(), "f(a, b)");
}

TEST(TorchNames, ThatOnlyLookSimilarStayWhole)
{
    for (const char *name :
         {"", "plain", "a, b", "a, seq", "a, seq =", "a, seq = ", "a, seq = x", "a, seq = 1x",
          "a, seq = 1 ", "a, seq=1, more", "a,seq = 1", "a, sequence = 1", "a, sizes = [[1]",
          "a, sizes = ]", "a, sizes = 3", ", seq = 1", "a, seq = 99999999999999999999999"})
        EXPECT_TRUE(Torch(name).whole) << name;
}

TEST(Attributes, AreReadAsFarAsTheirSizeReaches)
{
    nvtx_attributes given, full;
    memset(&given, 0x01, sizeof given);
    for (uint16_t size = 0; size <= sizeof given; size++) {
        given.size = size;
        // Only so much of it is there: a sanitizer sees what is read behind.
        std::vector<char> exact((const char *)&given, (const char *)&given + (size < 4 ? 4 : size));
        exact.reserve(exact.size());
        nvtx_record_read((const nvtx_attributes *)exact.data(), &full);
        EXPECT_EQ(full.category != 0, size >= 8) << size;
        EXPECT_EQ(full.color_type != 0, size >= 16) << size;
        EXPECT_EQ(full.payload_type != 0, size >= 32) << size;
        EXPECT_EQ(full.message_type != 0, size >= 48) << size;
    }
    given.size = 4096;
    nvtx_record_read(&given, &full);
    EXPECT_EQ(full.message.ascii, given.message.ascii);
}

} // namespace
