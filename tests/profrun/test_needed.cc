// attach_needed.h: whether code of aarch64 reads x16 or x17 before both may change. The code here is what gas makes of the
// comments beside it.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

extern "C" {
#include "attach_needed.h"
}

namespace
{

using Code = std::vector<uint32_t>;

constexpr uint64_t kBegin = 0x1000;

constexpr uint32_t kRet = 0xd65f03c0;      // ret
constexpr uint32_t kMove = 0x910003fd;     // mov x29, sp
constexpr uint32_t kCopyOf17 = 0xaa1103e0; // mov x0, x17
constexpr uint32_t kCopyOf16 = 0xaa1003e0; // mov x0, x16

bool Read(const void *user, uint64_t at, uint32_t *instruction)
{
    const Code &code = *static_cast<const Code *>(user);
    const uint64_t index = (at - kBegin) / 4;
    if (index >= code.size()) {
        return false;
    }
    *instruction = code[index];
    return true;
}

bool Needs(const Code &code)
{
    return attach_needs_scratch(Read, &code, kBegin);
}

TEST(Needed, NotBehindAReturnOrACall)
{
    EXPECT_FALSE(Needs({kRet, kCopyOf17}));
    EXPECT_FALSE(Needs({kMove, kMove, 0x94000400, kCopyOf17})); // bl far away
    EXPECT_FALSE(Needs({0xd63f0060, kCopyOf17}));               // blr x3
    EXPECT_FALSE(Needs({0xd65f0bff, kCopyOf17}));               // retaa
}

TEST(Needed, WhereTheyAreRead)
{
    EXPECT_TRUE(Needs({kCopyOf17, kRet}));
    EXPECT_TRUE(Needs({kMove, kCopyOf16, kRet}));
    EXPECT_TRUE(Needs({0xf9400220, kRet})); // ldr x0, [x17]
    EXPECT_TRUE(Needs({0xf9000011, kRet})); // str x17, [x0]
    EXPECT_TRUE(Needs({0x9b114402, kRet})); // madd x2, x0, x17, x17
    EXPECT_TRUE(Needs({0xa9004410, kRet})); // stp x16, x17, [x0]
    EXPECT_TRUE(Needs({0xd63f0200, kRet})); // blr x16
}

TEST(Needed, ByInstructionsThatDoNotNameThem)
{
    EXPECT_TRUE(Needs({0xd503211f, kRet})); // pacia1716
    EXPECT_TRUE(Needs({0xd50321df, kRet})); // autib1716
    EXPECT_TRUE(Needs({0x48307c82, kRet})); // casp x16, x17, x2, x3, [x4]
    EXPECT_TRUE(Needs({0xf83f9000, kRet})); // st64b x0, [x0]
}

TEST(Needed, NotWhereANumberOnlyLooksLikeThem)
{
    EXPECT_FALSE(Needs({0x91004400, kRet}));             // add x0, x0, #17
    EXPECT_FALSE(Needs({0xd2800220, kRet}));             // mov x0, #17
    EXPECT_FALSE(Needs({0xf9404400, kRet}));             // ldr x0, [x0, #136]
    EXPECT_FALSE(Needs({0x90000220, kRet}));             // adrp x0, far away
    EXPECT_FALSE(Needs({0xb13ffc1f, 0x54000028, kRet})); // cmn x0, #4095; b.hi to ret
}

TEST(Needed, OnBothSidesOfAJump)
{
    EXPECT_TRUE(Needs({0x54000060, kRet, kRet, kCopyOf17, kRet})); // b.eq to the copy
    EXPECT_TRUE(Needs({0xb4000040, kCopyOf17, kRet}));             // cbz x0 past the copy
    EXPECT_TRUE(Needs({0x37000060, kRet, kRet, kCopyOf17, kRet})); // tbnz w0, #0 to the copy
    EXPECT_FALSE(Needs({0x14000002, kCopyOf17, kRet}));            // b past the copy
    EXPECT_FALSE(Needs({kMove, 0xb5ffffe0, kRet}));                // cbnz x0 back
    EXPECT_FALSE(Needs({0xd4000001, kRet}));                       // svc #0
}

TEST(Needed, WhereTheCodeIsNotUnderstood)
{
    EXPECT_TRUE(Needs({0xd61f0060, kRet})); // br x3: to another place of the function, perhaps
    EXPECT_TRUE(Needs({0, kRet}));          // not an instruction
    EXPECT_TRUE(Needs({kMove}));            // no more code
    EXPECT_TRUE(Needs(Code(1000, kMove)));  // too long
}

} // namespace
