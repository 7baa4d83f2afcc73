/* test_lt.cc - what cublasLtMatmul's descriptors say, and what they leave unsaid. */
extern "C" {
#include "cublas_record.h"
}

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace
{

/* A descriptor that knows some attributes: number -> value, and how many bytes it has. */
using Descriptor = std::map<int, std::pair<int64_t, size_t>>;

int modes_asked;

cublas_status get_attribute(const void *of, int attribute, void *value, size_t bytes,
                            size_t *written)
{
    const auto &descriptor = *static_cast<const Descriptor *>(of);
    auto found = descriptor.find(attribute);
    modes_asked += attribute == CUBLAS_ABI_LAYOUT_BATCH_MODE;
    if (found == descriptor.end() || bytes < found->second.second)
        return 7;
    memcpy(value, &found->second.first, found->second.second);
    *written = found->second.second;
    return CUBLAS_ABI_SUCCESS;
}

Descriptor layout(int type, int64_t rows, int64_t columns, int batch = 1, int64_t stride = 0)
{
    return {{0, {type, 4}}, {2, {rows, 8}}, {3, {columns, 8}}, {5, {batch, 4}}, {6, {stride, 8}}};
}

Descriptor desc(int transa, int transb, int compute = 68)
{
    return {{0, {compute, 4}}, {3, {transa, 4}}, {4, {transb, 4}}};
}

const cublas_lt lt = {get_attribute, get_attribute, true};

bool ask(const Descriptor &matmul, const Descriptor &a, const Descriptor &b, const Descriptor &d,
         cublas_product *product)
{
    return cublas_lt_product(&lt, &matmul, &a, &b, &d, product);
}

} // namespace

TEST(CublasLt, TellsTheProductFromTheLayouts)
{
    cublas_product product;
    ASSERT_TRUE(ask(desc(0, 1, 77), layout(14, 3, 5), layout(2, 4, 5), layout(0, 3, 4), &product));
    EXPECT_EQ(product.m, 3);
    EXPECT_EQ(product.n, 4);
    EXPECT_EQ(product.k, 5);
    EXPECT_EQ(product.batch, 1);
    EXPECT_EQ(product.transb, 1);
    EXPECT_EQ(product.type_a, 14);
    EXPECT_EQ(product.type_b, 2);
    EXPECT_EQ(product.type_c, 0);
    EXPECT_EQ(product.compute, 77);
}

TEST(CublasLt, TakesTheOtherSideOfATransposedA)
{
    cublas_product product;
    for (int transa : {1, 2}) {
        ASSERT_TRUE(
            ask(desc(transa, 0), layout(0, 5, 3), layout(0, 5, 4), layout(0, 3, 4), &product));
        EXPECT_EQ(product.k, 5);
    }
}

TEST(CublasLt, SharesAMatrixWhoseDistanceIsNothing)
{
    cublas_product product;
    ASSERT_TRUE(ask(desc(0, 0), layout(0, 3, 5, 7, 15), layout(0, 5, 4, 7, 0),
                    layout(0, 3, 4, 7, 12), &product));
    EXPECT_EQ(product.batch, 7);
    EXPECT_FALSE(product.one_a);
    EXPECT_TRUE(product.one_b);
}

TEST(CublasLt, ArraysOfPointersHaveNoDistances)
{
    cublas_product product;
    Descriptor d = layout(0, 3, 4, 7, 0);
    d[8] = {1, 4};
    ASSERT_TRUE(ask(desc(0, 0), layout(0, 3, 5, 7, 0), layout(0, 5, 4, 7, 0), d, &product));
    EXPECT_FALSE(product.one_a || product.one_b);
}

TEST(CublasLt, GroupsSayNothing)
{
    cublas_product product;
    for (int batch : {1, 7}) {
        Descriptor d = layout(0, 0, 0, batch);
        d[8] = {2, 4};
        EXPECT_FALSE(ask(desc(0, 0), layout(0, 3, 5), layout(0, 5, 4), d, &product));
    }
}

TEST(CublasLt, OldLibrariesAreNotAskedForWhatTheyDoNotKnow)
{
    cublas_product product;
    const cublas_lt old = {get_attribute, get_attribute, false};
    Descriptor matmul = desc(0, 0), a = layout(0, 3, 5, 7, 1), b = layout(0, 5, 4, 7, 1),
               d = layout(0, 3, 4, 7, 1);
    modes_asked = 0;
    EXPECT_TRUE(cublas_lt_product(&old, &matmul, &a, &b, &d, &product));
    EXPECT_EQ(modes_asked, 0);
    EXPECT_TRUE(cublas_lt_product(&lt, &matmul, &a, &b, &d, &product));
    EXPECT_EQ(modes_asked, 1);
}

TEST(CublasLt, AnAttributeThatIsMissingOrOfAnotherSizeIsNoAnswer)
{
    cublas_product product;
    const Descriptor a = layout(0, 3, 5), b = layout(0, 5, 4), d = layout(0, 3, 4);
    for (int attribute : {0, 2, 3, 5, 6}) {
        Descriptor less = d;
        less.erase(attribute);
        EXPECT_FALSE(ask(desc(0, 0), a, b, less, &product)) << attribute;
        less[attribute] = {1, 2};
        EXPECT_FALSE(ask(desc(0, 0), a, b, less, &product)) << attribute;
    }
    EXPECT_FALSE(ask({{0, {68, 4}}}, a, b, d, &product));
}

TEST(CublasLt, WithoutADescriptorOrAGetterThereIsNoProduct)
{
    cublas_product product;
    Descriptor matmul = desc(0, 0), one = layout(0, 1, 1);
    EXPECT_TRUE(cublas_lt_product(&lt, &matmul, &one, &one, &one, &product));
    EXPECT_FALSE(cublas_lt_product(&lt, nullptr, &one, &one, &one, &product));
    EXPECT_FALSE(cublas_lt_product(&lt, &matmul, nullptr, &one, &one, &product));
    EXPECT_FALSE(cublas_lt_product(&lt, &matmul, &one, nullptr, &one, &product));
    EXPECT_FALSE(cublas_lt_product(&lt, &matmul, &one, &one, nullptr, &product));
    const cublas_lt none = {nullptr, get_attribute, true};
    EXPECT_FALSE(cublas_lt_product(&none, &matmul, &one, &one, &one, &product));
}
