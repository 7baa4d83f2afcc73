// Rooflines of timelines made by hand, reckoned by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../stats/timeline_maker.h"

extern "C" {
#include "peak_rates.h"
#include "roofline.h"
}

namespace
{
// A timeline, what its kernels had to do, and the roofline of both.
class Roof
{
public:
    ~Roof()
    {
        if (made)
            roofline_fini(&roofline);
    }

    // A kernel with its work. NaN: unknown, for `why`.
    void kernel(const std::string &name, int64_t start_ns, int64_t end_ns, double flop,
                double bytes, op_type type = OP_F16, uint32_t call = TL_NONE,
                op_known why = OP_NO_FORMULA)
    {
        maker.kernel(name, call, start_ns, end_ns);
        add_work(flop, bytes, type, why);
    }

    void make(roofline_by by = ROOFLINE_BY_KERNEL, op_type type = OP_TYPE_UNKNOWN,
              const peak_file *file = nullptr)
    {
        const timeline *timeline = maker.done();
        kernel_works given = {works.data(), static_cast<uint32_t>(works.size())};
        roofline_options options = {by, type, file};
        made = roofline_init(&roofline, timeline, &given, &options);
        ASSERT_TRUE(made);
    }

    const roofline_row &row(const std::string &name) const
    {
        for (uint32_t i = 0; i < roofline.row_count; i++) {
            uint32_t of = roofline.rows[i].name;
            std::string is = of == TL_NONE ? ""
                                           : std::string(maker.made.names.at[of].bytes,
                                                         maker.made.names.at[of].size);
            if (is == name)
                return roofline.rows[i];
        }
        ADD_FAILURE() << "no row " << name;
        return roofline.rows[0];
    }

    TimelineMaker maker;
    std::vector<kernel_work> works;
    struct roofline roofline {
    };
    bool made = false;

private:
    // Operations must be made in order of their starts, so that these are by operation.
    void add_work(double flop, double bytes, op_type type, op_known why)
    {
        kernel_work work{};
        work.flop = flop, work.bytes = bytes;
        work.slice = TL_NONE;
        work.source = std::isnan(flop) && std::isnan(bytes) ? WORK_NONE : WORK_FORMULA;
        work.flop_known = static_cast<uint8_t>(std::isnan(flop) ? why : OP_KNOWN);
        work.bytes_known = static_cast<uint8_t>(std::isnan(bytes) ? why : OP_KNOWN);
        work.type = static_cast<uint8_t>(type);
        works.push_back(work);
    }
};

void on_a100(Roof &roof)
{
    roof.maker.device(0, "NVIDIA A100-SXM4-80GB");
    roof.maker.devices.back().info.multiprocessors = 108;
    roof.maker.devices.back().info.memory_bytes = UINT64_C(80) << 30;
}
} // namespace

// A100: 312 TFLOP/s of float16, 2039 GB/s: the ridge is at 153.0 FLOP/B.
TEST(Roofline, BoundIsWhichSideOfTheRidge)
{
    Roof roof;
    on_a100(roof);
    roof.kernel("gemm", 0, 1000000, 156e9, 156e9 / 500); // 1 ms at half the peak
    roof.kernel("add", 2000000, 3000000, 1e8, 1.0195e9); // at half the bandwidth
    roof.make();
    const roofline_row &gemm = roof.row("gemm"), &add = roof.row("add");
    EXPECT_EQ(gemm.bound, ROOFLINE_COMPUTE);
    EXPECT_DOUBLE_EQ(gemm.flop_rate, 156e12);
    EXPECT_DOUBLE_EQ(gemm.compute_share, 0.5);
    EXPECT_DOUBLE_EQ(gemm.roof_share, 0.5);
    EXPECT_DOUBLE_EQ(gemm.intensity, 500);
    EXPECT_NEAR(gemm.ridge, 312e12 / 2039e9, 1e-9);
    EXPECT_EQ(add.bound, ROOFLINE_MEMORY);
    EXPECT_DOUBLE_EQ(add.bandwidth_share, 0.5);
    EXPECT_DOUBLE_EQ(add.roof_share, 0.5);
    EXPECT_DOUBLE_EQ(add.byte_rate, 1.0195e12);
}

TEST(Roofline, CountsEveryInstanceAlsoEqualOnesAndThoseWithoutDuration)
{
    Roof roof;
    on_a100(roof);
    for (int i = 0; i < 5; i++)
        roof.kernel("same", i * 1000, i * 1000 + 100, 10, 10);
    roof.kernel("same", 9000, 9000, 10, 10);
    roof.make();
    const roofline_row &row = roof.row("same");
    EXPECT_EQ(row.count, 6u);
    EXPECT_EQ(row.untimed, 1u);
    EXPECT_EQ(row.total_ns, 500);
    EXPECT_DOUBLE_EQ(row.median_ns, 100);
    EXPECT_DOUBLE_EQ(row.flop, 60);               // sums have it
    EXPECT_DOUBLE_EQ(row.flop_rate, 50 / 500e-9); // rates do not
    EXPECT_EQ(roof.roofline.devices[0].kernels, 6u);
    EXPECT_EQ(roof.roofline.devices[0].untimed, 1u);
}

TEST(Roofline, RatesAreMeansOverTime)
{
    Roof roof;
    on_a100(roof);
    roof.kernel("k", 0, 1000, 1000, NAN);
    roof.kernel("k", 10000, 13000, 1000, NAN);
    roof.kernel("k", 20000, 90000, NAN, NAN); // has no number: not in the rate
    roof.make();
    const roofline_row &row = roof.row("k");
    EXPECT_DOUBLE_EQ(row.flop_rate, 2000 / 4e-6);
    EXPECT_EQ(row.flop_count, 2u);
    EXPECT_EQ(row.flop_why[ROOFLINE_NO_OP], 1u);
    EXPECT_EQ(row.bytes_why[ROOFLINE_NO_OP], 3u);
}

TEST(Roofline, UnknownStaysUnknown)
{
    Roof roof;
    on_a100(roof);
    uint32_t range = roof.maker.push("aten::mm", 0);
    (void)range;
    uint32_t call = roof.maker.launch("cudaLaunchKernel", 10, 20);
    roof.maker.pop(100);
    roof.kernel("nothing", 1000, 2000, NAN, NAN, OP_TYPE_UNKNOWN, call, OP_NO_SHAPES);
    roof.kernel("flop only", 3000, 4000, 100, NAN);
    roof.kernel("bytes only", 5000, 6000, NAN, 100);
    roof.kernel("timeless", 7000, 7000, 100, 100);
    roof.make();
    const roofline_row &nothing = roof.row("nothing");
    EXPECT_TRUE(std::isnan(nothing.flop) && std::isnan(nothing.bytes));
    EXPECT_TRUE(std::isnan(nothing.flop_rate) && std::isnan(nothing.compute_share));
    EXPECT_TRUE(std::isnan(nothing.roof_share) && std::isnan(nothing.intensity));
    EXPECT_EQ(nothing.bound, ROOFLINE_UNKNOWN);
    EXPECT_EQ(nothing.flop_why[OP_NO_SHAPES], 1u);
    EXPECT_EQ(roof.row("flop only").bound, ROOFLINE_UNKNOWN);
    EXPECT_FALSE(std::isnan(roof.row("flop only").compute_share));
    EXPECT_EQ(roof.row("bytes only").bound, ROOFLINE_UNKNOWN);
    EXPECT_FALSE(std::isnan(roof.row("bytes only").bandwidth_share));
    EXPECT_EQ(roof.row("timeless").bound, ROOFLINE_UNKNOWN);
    EXPECT_TRUE(std::isnan(roof.row("timeless").flop_rate));
    EXPECT_TRUE(std::isnan(roof.row("timeless").bandwidth_share));
}

TEST(Roofline, ADeviceWithoutRatesHasNoShares)
{
    Roof roof;
    roof.kernel("k", 0, 1000, 1e6, 1e3); // nothing tells of the device
    roof.kernel("copy", 2000, 3000, 0, 1e3);
    roof.make();
    const roofline_row &row = roof.row("k");
    EXPECT_DOUBLE_EQ(row.flop_rate, 1e12);
    EXPECT_DOUBLE_EQ(row.intensity, 1000);
    EXPECT_TRUE(std::isnan(row.compute_share) && std::isnan(row.bandwidth_share));
    EXPECT_EQ(row.bound, ROOFLINE_UNKNOWN);
    EXPECT_EQ(roof.row("copy").bound, ROOFLINE_UNKNOWN);
    EXPECT_TRUE(std::isnan(roof.row("copy").roof_share));
    EXPECT_EQ(roof.roofline.devices[0].device, TL_NONE);
    EXPECT_TRUE(std::isnan(roof.roofline.devices[0].utilization));
}

TEST(Roofline, WhatOnlyMovesDataIsBoundByMemory)
{
    Roof roof;
    on_a100(roof);
    roof.kernel("copy", 0, 1000, 0, 2039 * 100, OP_TYPE_UNKNOWN); // 203.9 of 2039 GB/s
    roof.make();
    EXPECT_EQ(roof.row("copy").bound, ROOFLINE_MEMORY);
    EXPECT_NEAR(roof.row("copy").roof_share, 0.1, 1e-12);
    EXPECT_EQ(roof.roofline.devices[0].untyped, 0u);
}

TEST(Roofline, TypeIsTheTracesThenTheNamesThenTheUsers)
{
    Roof roof;
    on_a100(roof);
    roof.kernel("s1688gemm", 0, 1000, 156e3, NAN, OP_F32);           // tf32: 156 TFLOP/s
    roof.kernel("sgemm", 2000, 3000, 195e2, NAN, OP_F32);            // 19.5
    roof.kernel("hgemm", 4000, 5000, 312e3, NAN, OP_TYPE_UNKNOWN);   // 312, by name
    roof.kernel("mystery", 6000, 7000, 624e3, NAN, OP_TYPE_UNKNOWN); // 624, by option
    roof.kernel("hgemm of doubles", 8000, 9000, 195e2, NAN, OP_F64); // the trace counts
    roof.make(ROOFLINE_BY_KERNEL, OP_I8);
    EXPECT_EQ(roofline_row_type(&roof.row("s1688gemm")), OP_TF32);
    EXPECT_NEAR(roof.row("s1688gemm").compute_share, 1e-3, 1e-9);
    EXPECT_NEAR(roof.row("sgemm").compute_share, 1e-3, 1e-9);
    EXPECT_NEAR(roof.row("hgemm").compute_share, 1e-3, 1e-9);
    EXPECT_NEAR(roof.row("mystery").compute_share, 1e-3, 1e-9);
    EXPECT_NEAR(roof.row("hgemm of doubles").compute_share, 1e-3, 1e-9);
}

TEST(Roofline, KernelsWithoutTypeAreSaid)
{
    Roof roof;
    on_a100(roof);
    roof.kernel("mystery", 0, 1000, 100, 100, OP_TYPE_UNKNOWN);
    roof.kernel("ints", 2000, 3000, 100, 100, OP_I64);
    roof.make();
    EXPECT_EQ(roof.roofline.devices[0].untyped, 1u);
    EXPECT_EQ(roof.roofline.devices[0].unrated, 1u);
    EXPECT_EQ(roof.row("mystery").bound, ROOFLINE_UNKNOWN);
}

TEST(Roofline, MixedTypesAreRatedEachByItsOwn)
{
    Roof roof;
    on_a100(roof);
    roof.kernel("k", 0, 1000, 312e3, NAN, OP_F16); // a thousandth of 312 TFLOP/s
    roof.kernel("k", 2000, 3000, 195e2, NAN, OP_F32);
    roof.make();
    EXPECT_EQ(roofline_row_type(&roof.row("k")), OP_TYPE_UNKNOWN);
    EXPECT_NEAR(roof.row("k").compute_share, 1e-3, 1e-12);
}

TEST(Roofline, UtilisationIsOfTheWholeWindow)
{
    Roof roof;
    on_a100(roof);
    roof.kernel("k", 0, 1000000, 156e9, 1e6); // half the peak for 1 ms
    roof.maker.mark("end", 10000000);
    roof.make();
    const roofline_device &device = roof.roofline.devices[0];
    EXPECT_EQ(device.type, OP_F16);
    EXPECT_EQ(device.window_ns, 10000000);
    EXPECT_DOUBLE_EQ(device.utilization, 0.05);
    EXPECT_DOUBLE_EQ(device.busy_share, 0.5);
    EXPECT_EQ(device.flop_ns, device.total_ns);
}

TEST(Roofline, DevicesAreApart)
{
    Roof roof;
    on_a100(roof);
    roof.maker.device(1, "Tesla V100-SXM2-32GB");
    roof.maker.devices.back().info.multiprocessors = 80;
    roof.maker.stream(7, 0);
    roof.kernel("k", 0, 1000, 312e3, NAN);
    roof.maker.stream(8, 1);
    roof.kernel("k", 0, 1000, 125e3, NAN);
    roof.make();
    ASSERT_EQ(roof.roofline.device_count, 2u);
    ASSERT_EQ(roof.roofline.row_count, 2u);
    EXPECT_NEAR(roof.roofline.rows[0].compute_share, 1e-3, 1e-12);
    EXPECT_NEAR(roof.roofline.rows[1].compute_share, 1e-3, 1e-12);
    EXPECT_EQ(roof.roofline.devices[1].peak.origin, PEAK_TABLE);
}

TEST(Roofline, RowsCanBeOfOperatorsAndOuterRanges)
{
    for (roofline_by by : {ROOFLINE_BY_OP, ROOFLINE_BY_RANGE}) {
        Roof roof;
        on_a100(roof);
        roof.maker.push("ProfilerStep#3", 0, TL_STEP);
        roof.maker.push("train", 0);
        roof.maker.push("aten::mm", 5);
        uint32_t call = roof.maker.launch("cudaLaunchKernel", 10, 20);
        roof.maker.pop(30);
        roof.maker.pop(40);
        roof.maker.pop(50);
        roof.kernel("a", 100, 200, 10, 10, OP_F16, call);
        roof.kernel("b", 300, 400, 10, 10, OP_F16, call);
        roof.kernel("stray", 500, 600, 10, 10);
        roof.make(by);
        EXPECT_EQ(roof.row(by == ROOFLINE_BY_OP ? "aten::mm" : "train").count, 2u);
        EXPECT_EQ(roof.row("").count, 1u);
    }
}

TEST(Roofline, StepsAreNoOperators)
{
    TimelineMaker m;
    m.device(0, "NVIDIA A100-SXM4-80GB");
    for (int step = 0; step < 3; step++) {
        m.push("ProfilerStep#" + std::to_string(step), step * 1000, TL_STEP);
        m.kernel("k", m.launch("cudaLaunchKernel", step * 1000 + 10, step * 1000 + 20),
                 step * 1000 + 30, step * 1000 + 40);
        m.pop(step * 1000 + 900);
    }
    roofline_options how{};
    how.by = ROOFLINE_BY_OP;
    kernel_works works;
    roofline roof;
    const timeline *of = m.done();
    ASSERT_TRUE(kernel_works_init(&works, of));
    ASSERT_TRUE(roofline_init(&roof, of, &works, &how));
    ASSERT_EQ(roof.row_count, 1u);
    EXPECT_EQ(roof.rows[0].name, TL_NONE);
    EXPECT_EQ(roof.rows[0].count, 3u);
    roofline_fini(&roof);
    kernel_works_fini(&works);
}

TEST(Roofline, SortsUnknownLast)
{
    Roof roof;
    on_a100(roof);
    roof.kernel("slow", 0, 9000, NAN, NAN);
    roof.kernel("b", 10000, 11000, 5, NAN);
    roof.kernel("a", 20000, 21000, 50, NAN);
    roof.make();
    auto order = [&roof] {
        std::string names;
        for (uint32_t i = 0; i < roof.roofline.row_count; i++)
            names += std::string(roof.maker.made.names.at[roof.roofline.rows[i].name].bytes) + " ";
        return names;
    };
    EXPECT_EQ(order(), "slow a b ");
    roofline_sort(&roof.roofline, ROOFLINE_FLOP);
    EXPECT_EQ(order(), "a b slow ");
    roofline_sort(&roof.roofline, ROOFLINE_NAME);
    EXPECT_EQ(order(), "a b slow ");
    enum roofline_column column;
    EXPECT_TRUE(roofline_column_find("tflops", &column));
    EXPECT_EQ(column, ROOFLINE_FLOP_RATE);
    EXPECT_FALSE(roofline_column_find("cuda_time", &column));
}

TEST(Roofline, OfNothingHasNoDevices)
{
    Roof roof;
    roof.make();
    EXPECT_EQ(roof.roofline.device_count, 0u);
    EXPECT_EQ(roof.roofline.row_count, 0u);
}
