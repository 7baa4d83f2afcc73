// What of a kernel's name stays at each level.
extern "C" {
#include "kernel_alias.h"
}

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace
{

std::string reduced(const std::string &name, kernel_alias_level level)
{
    text given{name.data(), name.size()};
    std::vector<char> to(KERNEL_ALIAS_BYTES(given));
    size_t size = kernel_alias_reduce(given, level, to.data());
    EXPECT_LT(size, to.size());
    EXPECT_EQ(to[size], 0);
    return {to.data(), size};
}

std::string spacing(const std::string &name)
{
    return reduced(name, KERNEL_ALIAS_SPACING);
}
std::string numbers(const std::string &name)
{
    return reduced(name, KERNEL_ALIAS_NUMBERS);
}
std::string types(const std::string &name)
{
    return reduced(name, KERNEL_ALIAS_TYPES);
}
std::string bare(const std::string &name)
{
    return reduced(name, KERNEL_ALIAS_BARE);
}

} // namespace

TEST(KernelAlias, BlanksBesidePunctuationDoNotCount)
{
    EXPECT_EQ(spacing("void f<A<float, 2> >(int const*)"), "void f<A<float,2>>(int const*)");
    EXPECT_EQ(spacing("void f<A<float,2>>(int  const *)"), "void f<A<float,2>>(int const*)");
}

TEST(KernelAlias, TileSizesAndStagesAreNumbers)
{
    EXPECT_EQ(
        numbers("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x64x32_stage4_warpsize2x2x1"),
        numbers("sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize256x128x32_stage3_warpsize4x2x1"));
    EXPECT_EQ(numbers("ampere_sgemm_128x64_nn"), numbers("ampere_sgemm_32x32_nn"));
    EXPECT_EQ(numbers("cutlass_80_tensorop_s1688gemm_64x64_16x6_nn_align4"),
              numbers("cutlass_80_tensorop_s16816gemm_128x128_32x3_nn_align8"));
    EXPECT_NE(numbers("ampere_sgemm_128x64_nn"), numbers("ampere_sgemm_128x64_nt"));
}

TEST(KernelAlias, NumbersThatTritonAndCompilersCountWith)
{
    EXPECT_EQ(numbers("triton_poi_fused_add_mul_3"), numbers("triton_poi_fused_add_mul_17"));
    EXPECT_EQ(numbers("kernel_0d1d2d3de"), numbers("kernel_0d1d2de3de4"));
    EXPECT_EQ(numbers("f::{lambda(float)#1}"), numbers("f::{lambda(float)#12}"));
    EXPECT_EQ(numbers("gemm_8f3a91bc"), numbers("gemm_0011ddee"));
    EXPECT_NE(numbers("gemm_deadbeef"), numbers("gemm_decade")); // words, as far as one can tell
    EXPECT_NE(numbers("triton_poi_fused_add_3"), numbers("triton_poi_fused_add_mul_3"));
}

TEST(KernelAlias, ElementTypesAreKeptLongerThanNumbers)
{
    EXPECT_NE(numbers("gemm_f16f16_f32"), numbers("gemm_f32f32_f32"));
    EXPECT_EQ(types("gemm_f16f16_f32"), types("gemm_f32f32_f32"));
    EXPECT_EQ(types("void scale<float>(float*)"), types("void scale<__half>(__half*)"));
    EXPECT_EQ(types("void scale<c10::Half>(c10::Half*)"),
              types("void scale<c10::BFloat16>(c10::BFloat16*)"));
    EXPECT_EQ(types("ampere_sgemm_128x64_nn"), types("volta_sgemm_32x32_nn"));
    EXPECT_NE(types("void k<AddFunctor<float>>()"), types("void k<MulFunctor<float>>()"));
}

TEST(KernelAlias, BareIsWithoutTemplateArgumentsAndParameters)
{
    EXPECT_EQ(bare("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(float*)"),
              "at::native::reduce_kernel");
    EXPECT_EQ(bare("void (anonymous namespace)::softmax<float, 4>(int)"),
              "(anonymous namespace)::softmax");
    EXPECT_EQ(bare("bool X::operator<<3>(X const&)"), bare("bool X::operator<<7>(X const&)"));
    EXPECT_EQ(bare("plain"), "plain");
    EXPECT_EQ(bare("Memcpy HtoD"), "HtoD");
}

TEST(KernelAlias, BracketsThatDoNotMatchStay)
{
    EXPECT_EQ(bare("f<int"), "f<T");
    EXPECT_EQ(bare("f)g("), "f)g(");
    EXPECT_EQ(bare("<>"), "<>");
    EXPECT_EQ(bare(""), "");
}

TEST(KernelAlias, NoNameGrows)
{
    const std::string letters = "ab f16x0_9<>()#- :operator\x80\xff\n";
    std::mt19937 random(5);
    for (int i = 0; i < 20000; i++) {
        std::string name;
        for (size_t size = random() % 40; name.size() < size;)
            name += letters[random() % letters.size()];
        for (int level = 0; level < KERNEL_ALIAS_LEVELS; level++) {
            std::string once = reduced(name, static_cast<kernel_alias_level>(level));
            ASSERT_LE(once.size(), name.size());
        }
    }
}
