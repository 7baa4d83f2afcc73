// What kernels' names tell of the type that they compute in.
#include <gtest/gtest.h>

#include <string>

extern "C" {
#include "kernel_names.h"
}

static std::string type_of(const std::string &name)
{
    return op_type_name(kernel_type_of_name({name.data(), name.size()}));
}

TEST(KernelType, IsToldByNamesOfLibraries)
{
    EXPECT_EQ(type_of("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn"), "float16");
    EXPECT_EQ(type_of("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn"), "bfloat16");
    EXPECT_EQ(type_of("volta_h884gemm_64x64_ldg8_nn"), "float16");
    EXPECT_EQ(type_of("volta_s884cudnn_fp16_128x128"), "float16");
    EXPECT_EQ(type_of("turing_fp16_s1688gemm_fp16_128x128"), "float16");
    EXPECT_EQ(type_of("cutlass_80_tensorop_s1688gemm_128x256_16x3_nt_align4"), "tf32");
    EXPECT_EQ(type_of("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize32x32x8"), "tf32");
    EXPECT_EQ(type_of("sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn"), "float8");
    EXPECT_EQ(type_of("cutlass_80_tensorop_d884gemm_64x64"), "float64");
    EXPECT_EQ(type_of("volta_sgemm_128x64_nn"), "float32");
    EXPECT_EQ(type_of("sm80_xmma_gemm_i8i8_i8i32_f32_tn"), "int8");
    EXPECT_EQ(type_of("sm90_xmma_gemm_f16f16_f16f32_f32_tn"), "float16");
}

TEST(KernelType, IsTheNarrowOneOfAProduct)
{
    EXPECT_EQ(type_of("void gemm_kernel<__nv_bfloat16, __nv_bfloat16, float>(float)"), "bfloat16");
    EXPECT_EQ(type_of("void at::native::elementwise<c10::Half, float>(int)"), "float16");
    EXPECT_EQ(type_of("void scale<double>(double*)"), "float64");
    EXPECT_EQ(type_of("void scale<float>(float*)"), "float32");
}

TEST(KernelType, IsToldByAmdsTensile)
{
    EXPECT_EQ(type_of("Cijk_Ailk_Bljk_HHS_BH_MT128x128x32"), "float16");
    EXPECT_EQ(type_of("Cijk_Alik_Bljk_BBS_BH_MT64x64"), "bfloat16");
    EXPECT_EQ(type_of("Cijk_Alik_Bljk_SB_Bias_AS_SAV"), "float32");
    EXPECT_EQ(type_of("Cijk_Alik_Bljk_DB_MT64"), "float64");
    EXPECT_EQ(type_of("Cijk_"), "unknown");
    EXPECT_EQ(type_of("Cijk_Alik_Bljk_"), "unknown");
}

TEST(KernelType, IsUnknownWhereNothingTells)
{
    EXPECT_EQ(type_of("triton_poi_fused_add_cos_sin_0"), "unknown");
    EXPECT_EQ(type_of("copy_f1688_things"), "unknown"); // no f16
    EXPECT_EQ(type_of("behalf_kernel"), "unknown");
    EXPECT_EQ(type_of("floating"), "unknown");
    EXPECT_EQ(type_of(""), "unknown");
}
