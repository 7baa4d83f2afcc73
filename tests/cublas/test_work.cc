/* test_work.cc - what a matrix product costs. */
extern "C" {
#include "cublas_record.h"
}

#include <gtest/gtest.h>

#include <string>

namespace
{

constexpr int R_8I = 3, C_32F = 4, R_16F = 2, R_16BF = 14, R_32F = 0, R_4F = 33, R_8F = 28;

cublas_product product_of(int64_t m, int64_t n, int64_t k, int type, int64_t batch = 1)
{
    cublas_product product = {};
    product.m = m;
    product.n = n;
    product.k = k;
    product.batch = batch;
    product.type_a = product.type_b = product.type_c = type;
    product.compute = CUBLAS_COMPUTE_OPEN;
    return product;
}

cublas_work work_of(const cublas_product &product)
{
    cublas_work work = {};
    EXPECT_TRUE(cublas_work_of(&product, &work));
    return work;
}

std::string type_of(int type, int compute, int math_mode = 0)
{
    cublas_product product = product_of(1, 1, 1, type);
    product.compute = compute;
    product.math_mode = math_mode;
    return work_of(product).type;
}

} // namespace

TEST(CublasWork, CountsTwoOperationsForEachMultiplication)
{
    cublas_work work = work_of(product_of(128, 64, 32, R_32F));
    EXPECT_EQ(work.flops, 2u * 128 * 64 * 32);
    EXPECT_EQ(work.bytes, 4u * (128 * 32 + 32 * 64 + 128 * 64));
    EXPECT_STREQ(work.type, "float32");
    EXPECT_STREQ(work.op, "NN");
}

TEST(CublasWork, OfComplexNumbersIsFourTimesThatOfReals)
{
    EXPECT_EQ(work_of(product_of(3, 4, 5, C_32F)).flops, 8u * 3 * 4 * 5);
    EXPECT_STREQ(work_of(product_of(3, 4, 5, C_32F)).type, "complex64");
}

TEST(CublasWork, CountsTheBytesOfEachMatrixByItsOwnType)
{
    cublas_product product = product_of(8, 16, 32, R_8F);
    product.type_b = R_4F;
    product.type_c = R_16BF;
    EXPECT_EQ(work_of(product).bytes, 8u * 32 + 32 * 16 / 2 + 2 * 8 * 16);
    EXPECT_STREQ(work_of(product).type, "float8");
    product = product_of(1, 1, 1, R_4F);
    EXPECT_EQ(work_of(product).bytes, 3u) << "half a byte is one";
}

TEST(CublasWork, OfABatchReadsWhatItSharesOnce)
{
    cublas_product product = product_of(2, 3, 4, R_16F, 10);
    EXPECT_EQ(work_of(product).flops, 10u * 2 * 2 * 3 * 4);
    EXPECT_EQ(work_of(product).bytes, 10u * 2 * (2 * 4 + 4 * 3 + 2 * 3));
    product.one_b = true;
    EXPECT_EQ(work_of(product).bytes, 2u * (10 * 2 * 4 + 4 * 3 + 10 * 2 * 3));
    product.one_a = true;
    EXPECT_EQ(work_of(product).bytes, 2u * (2 * 4 + 4 * 3 + 10 * 2 * 3));
}

TEST(CublasWork, SaysWhatFloat32IsMultipliedAs)
{
    EXPECT_EQ(type_of(R_32F, CUBLAS_COMPUTE_OPEN), "float32");
    EXPECT_EQ(type_of(R_32F, CUBLAS_COMPUTE_OPEN, 3), "tf32");
    EXPECT_EQ(type_of(R_32F, CUBLAS_COMPUTE_OPEN, 3 | 16), "tf32")
        << "bits above are another matter";
    EXPECT_EQ(type_of(R_32F, CUBLAS_COMPUTE_OPEN, 1), "float16");
    EXPECT_EQ(type_of(R_32F, CUBLAS_COMPUTE_OPEN, 2), "float32") << "pedantic";
    EXPECT_EQ(type_of(R_32F, 68, 3), "tf32");
    EXPECT_EQ(type_of(R_32F, 69, 3), "float32") << "pedantic by its compute type";
    EXPECT_EQ(type_of(R_32F, 74), "float16");
    EXPECT_EQ(type_of(R_32F, 75), "bfloat16");
    EXPECT_EQ(type_of(R_32F, 77), "tf32");
    EXPECT_EQ(type_of(R_16BF, 77), "bfloat16") << "that is about float32 alone";
    EXPECT_EQ(type_of(R_8I, 72), "int8");
}

TEST(CublasWork, NamesWhatIsTransposed)
{
    cublas_product product = product_of(1, 1, 1, R_32F);
    product.transa = 1;
    product.transb = 2;
    EXPECT_STREQ(work_of(product).op, "TC");
    product.transb = 4;
    EXPECT_EQ(work_of(product).op, nullptr);
    product.transb = -1;
    EXPECT_EQ(work_of(product).op, nullptr);
}

TEST(CublasWork, IsUnknownWhereTheTypeIs)
{
    for (int type : {-1, 11, 30, 34, INT32_MAX, INT32_MIN}) {
        cublas_work work = work_of(product_of(2, 3, 4, type));
        EXPECT_EQ(work.m, 2u);
        EXPECT_EQ(work.flops, CUBLAS_UNKNOWN);
        EXPECT_EQ(work.bytes, CUBLAS_UNKNOWN);
        EXPECT_EQ(work.type, nullptr);
    }
}

TEST(CublasWork, TooBigForANumberIsUnknownAndNotSomeOther)
{
    cublas_work work = work_of(product_of(INT64_MAX, INT64_MAX, 2, R_32F));
    EXPECT_EQ(work.flops, CUBLAS_UNKNOWN);
    EXPECT_EQ(work.bytes, CUBLAS_UNKNOWN);
    work = work_of(product_of(int64_t(1) << 32, 2, 3, R_32F, INT64_MAX));
    EXPECT_EQ(work.m, uint64_t(1) << 32);
    EXPECT_EQ(work.flops, CUBLAS_UNKNOWN);
}

TEST(CublasWork, OfNothingIsNothing)
{
    EXPECT_EQ(work_of(product_of(0, 5, 5, R_32F)).flops, 0u);
    EXPECT_EQ(work_of(product_of(5, 5, 0, R_32F)).bytes, 100u) << "C is written";
    EXPECT_EQ(work_of(product_of(5, 5, 5, R_32F, 0)).bytes, 0u);
}

TEST(CublasWork, OfNegativeSizesThereIsNone)
{
    cublas_work work;
    for (const cublas_product &product :
         {product_of(-1, 1, 1, R_32F), product_of(1, -1, 1, R_32F), product_of(1, 1, -1, R_32F),
          product_of(1, 1, 1, R_32F, -1)})
        EXPECT_FALSE(cublas_work_of(&product, &work));
}

TEST(CublasWork, OfAGroupIsTheSum)
{
    cublas_work all = work_of(product_of(2, 3, 4, R_32F, 2));
    cublas_work more = work_of(product_of(2, 5, 4, R_32F, 3));
    cublas_work_add(&all, &more);
    EXPECT_EQ(all.m, 2u);
    EXPECT_EQ(all.n, CUBLAS_UNKNOWN);
    EXPECT_EQ(all.k, 4u);
    EXPECT_EQ(all.batch, 5u);
    EXPECT_EQ(all.flops, 2u * (2 * 2 * 3 * 4 + 3 * 2 * 5 * 4));
    EXPECT_EQ(all.bytes, 4u * (2 * (2 * 4 + 4 * 3 + 2 * 3) + 3 * (2 * 4 + 4 * 5 + 2 * 5)));
    EXPECT_STREQ(all.op, "NN");
    cublas_product turned = product_of(1, 1, 1, R_32F);
    turned.transa = 1;
    more = work_of(turned);
    cublas_work_add(&all, &more);
    EXPECT_EQ(all.op, nullptr);
    EXPECT_EQ(all.batch, 6u);
    more.flops = CUBLAS_UNKNOWN;
    cublas_work_add(&all, &more);
    EXPECT_EQ(all.flops, CUBLAS_UNKNOWN);
}
