// Logged values of two runs: which are compared, and how far they are apart.
#include "../foreign/executorch_fixture.h"
#include "tensor_compare.h"

#include <cmath>

namespace
{

struct Buffer {
    Bytes bytes;
    template <typename Value>
    int64_t put(std::vector<Value> values)
    {
        int64_t at = (int64_t)bytes.size();
        const uint8_t *from = reinterpret_cast<const uint8_t *>(values.data());
        bytes.insert(bytes.end(), from, from + values.size() * sizeof(Value));
        return at;
    }
};

std::vector<compare_row> compare(Read &reference, const Buffer &a, Read &run, const Buffer &b)
{
    compare_side left = {reference.get(), a.bytes.data(), a.bytes.size()},
                 right = {run.get(), b.bytes.data(), b.bytes.size()};
    compare_rows rows;
    EXPECT_TRUE(compare_rows_init(&rows, &left, &right));
    std::vector<compare_row> all(rows.rows.at, rows.rows.at + rows.rows.count);
    compare_rows_fini(&rows);
    return all;
}

// Two tensors of the type, against each other.
compare_row compare_tensors(uint8_t type, std::vector<int64_t> sizes, const Buffer &a,
                            const Buffer &b)
{
    made_tensor tensor = {type, sizes.data(), nullptr, (uint32_t)sizes.size(), 0};
    made_event value = logged("v", 1, 5);
    value.tensors = &tensor;
    value.tensor_count = 1;
    Read reference(etdump({{"E", {value}}})), run(etdump({{"E", {value}}}));
    std::vector<compare_row> rows = compare(reference, a, run, b);
    EXPECT_EQ(rows.size(), 1u);
    return rows.empty() ? compare_row() : rows[0];
}

template <typename Value>
double element(uint32_t type, Value value)
{
    uint8_t bytes[8] = {};
    memcpy(bytes, &value, sizeof value);
    EXPECT_EQ(scalar_type_bytes(type), sizeof value);
    return scalar_value(type, bytes);
}

} // namespace

TEST(TensorCompare, MetricsAreTheirDefinitions)
{
    Buffer a, b;
    a.put<float>({1, 2, 3, 4});
    b.put<float>({1, 2, 3, 2});
    compare_row row = compare_tensors(6, {2, 2}, a, b);
    EXPECT_EQ(row.problem, COMPARE_OK);
    EXPECT_EQ(row.metrics.elements, 4u);
    EXPECT_DOUBLE_EQ(row.metrics.mse, 1);
    EXPECT_DOUBLE_EQ(row.metrics.l1, 2);
    EXPECT_DOUBLE_EQ(row.metrics.snr, 10 * std::log10(30.0 / 4));
    EXPECT_DOUBLE_EQ(row.metrics.cosine, 22 / std::sqrt(30.0 * 18));
}

TEST(TensorCompare, EqualTensorsHaveNoNoise)
{
    Buffer a;
    a.put<double>({1, -2});
    compare_row row = compare_tensors(7, {2}, a, a);
    EXPECT_EQ(row.metrics.mse, 0);
    EXPECT_TRUE(std::isinf(row.metrics.snr));
    EXPECT_DOUBLE_EQ(row.metrics.cosine, 1);
}

TEST(TensorCompare, NanCountsAsZero)
{
    Buffer a, b;
    a.put<float>({NAN, 1});
    b.put<float>({2, 1});
    EXPECT_DOUBLE_EQ(compare_tensors(6, {2}, a, b).metrics.mse, 2);
}

TEST(TensorCompare, ReadsEveryTypeThatHasNumbers)
{
    EXPECT_EQ(element<uint8_t>(0, 200), 200);
    EXPECT_EQ(element<int8_t>(1, -5), -5);
    EXPECT_EQ(element<int16_t>(2, -500), -500);
    EXPECT_EQ(element<int32_t>(3, -70000), -70000);
    EXPECT_EQ(element<int64_t>(4, INT64_C(-5000000000)), -5e9);
    EXPECT_EQ(element<uint16_t>(5, 0x3c00), 1);
    EXPECT_EQ(element<uint16_t>(5, 0xc100), -2.5);
    EXPECT_EQ(element<uint16_t>(5, 0x0001), std::ldexp(1, -24));
    EXPECT_EQ(element<uint16_t>(5, 0x8200), -std::ldexp(512, -24));
    EXPECT_TRUE(std::isinf(element<uint16_t>(5, 0x7c00)));
    EXPECT_TRUE(std::isnan(element<uint16_t>(5, 0x7e00)));
    EXPECT_EQ(element<float>(6, 0.25f), 0.25);
    EXPECT_EQ(element<double>(7, 0.1), 0.1);
    EXPECT_EQ(element<uint8_t>(11, 3), 1);
    EXPECT_EQ(element<uint16_t>(15, 0x3f80), 1);
    EXPECT_EQ(element<uint16_t>(15, 0xc040), -3);
    EXPECT_EQ(element<uint16_t>(22, 65535), 65535);
    EXPECT_EQ(element<uint16_t>(27, 65535), 65535);
    EXPECT_EQ(element<uint32_t>(28, 4000000000u), 4e9);
    EXPECT_EQ(element<uint64_t>(29, UINT64_C(1) << 63), 9223372036854775808.0);
    for (uint32_t type : {8u, 9u, 10u, 12u, 16u, 23u, 200u})
        EXPECT_EQ(scalar_type_bytes(type), 0u) << type;
}

TEST(TensorCompare, FollowsStrides)
{
    Buffer a, b;
    a.put<float>({1, 2, 3, 4, 5, 6});
    b.put<float>({1, 4, 2, 5, 3, 6});
    int64_t sizes[] = {2, 3}, rows[] = {3, 1}, columns[] = {1, 2};
    made_tensor left = {6, sizes, rows, 2, 0}, right = {6, sizes, columns, 2, 0};
    made_event first = logged("v", 1, 5), second = first;
    first.tensors = &left;
    second.tensors = &right;
    first.tensor_count = second.tensor_count = 1;
    Read reference(etdump({{"E", {first}}})), run(etdump({{"E", {second}}}));
    EXPECT_EQ(compare(reference, a, run, b)[0].metrics.mse, 0);
}

TEST(TensorCompare, SaysWhatCannotBeCompared)
{
    Buffer full, shorter;
    full.put<float>({1, 2, 3});
    shorter.put<float>({1, 2});
    EXPECT_EQ(compare_tensors(6, {3}, full, shorter).problem, COMPARE_OUTSIDE);
    EXPECT_EQ(compare_tensors(12, {3}, full, full).problem, COMPARE_TYPE);
    EXPECT_EQ(compare_tensors(6, {INT64_MAX, 8}, full, full).problem, COMPARE_SHAPE);
    EXPECT_EQ(compare_tensors(6, {-1}, full, full).problem, COMPARE_SHAPE);
    EXPECT_EQ(compare_tensors(6, {3}, full, {}).problem, COMPARE_NO_BUFFER);
    EXPECT_EQ(compare_tensors(6, {0}, full, full).problem, COMPARE_OK);
}

TEST(TensorCompare, PairsTheSameValueOfTheSameIteration)
{
    made_event one = logged("x", 1, 1), two = one, other = logged("y", 2, 1);
    one.integer = 3;
    two.integer = 5;
    other.integer = 9;
    Read reference(etdump({{"E", {one, other, two}}, {"E", {two}}}));
    Read run(etdump({{"E", {two, two, other}}, {"E", {one, logged("new", 3, 1)}}}));
    std::vector<compare_row> rows = compare(reference, {}, run, {});
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0].metrics.l1, 2);
    EXPECT_EQ(rows[1].metrics.l1, 0);
    EXPECT_EQ(rows[2].metrics.l1, 0);
    EXPECT_EQ(rows[3].metrics.l1, 2);
    EXPECT_EQ(rows[3].iteration, 1u);
    EXPECT_EQ(rows[4].problem, COMPARE_MISSING);
}

TEST(TensorCompare, ListsAreComparedTensorByTensor)
{
    Buffer a, b;
    a.put<float>({1, 2});
    b.put<float>({1, 4});
    int64_t sizes[] = {1};
    made_tensor tensors[] = {{6, sizes, nullptr, 1, 0}, {6, sizes, nullptr, 1, 4}};
    made_event value = logged("v", 1, 6);
    value.tensors = tensors;
    value.tensor_count = 2;
    Read reference(etdump({{"E", {value}}})), run(etdump({{"E", {value}}}));
    std::vector<compare_row> rows = compare(reference, a, run, b);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].metrics.l1, 0);
    EXPECT_EQ(rows[1].metrics.l1, 2);
    EXPECT_EQ(rows[1].part, 1u);
}

TEST(TensorCompare, TensorsThatShareTheirBytesEndSomewhere)
{
    Buffer buffer;
    buffer.put<float>(std::vector<float>(64, 1));
    int64_t sizes[] = {64};
    std::vector<made_tensor> tensors(100, {6, sizes, nullptr, 1, 0});
    made_event value = logged("v", 1, 6);
    value.tensors = tensors.data();
    value.tensor_count = 100;
    Read reference(etdump({{"E", {value}}})), run(etdump({{"E", {value}}}));
    std::vector<compare_row> rows = compare(reference, buffer, run, buffer);
    ASSERT_EQ(rows.size(), 100u);
    EXPECT_EQ(rows[0].problem, COMPARE_OK);
    EXPECT_EQ(rows[99].problem, COMPARE_TOO_MUCH);
}
