// The key averages: what each column holds, and that the columns add up.
#include "timeline_maker.h"

extern "C" {
#include "key_averages.h"
#include "key_columns.h"
}

#include <gtest/gtest.h>

namespace
{

class Averages
{
public:
    explicit Averages(const timeline *from) { ok = key_averages_init(&all, from); }
    ~Averages() { key_averages_fini(&all); }
    Averages(const Averages &) = delete;
    Averages &operator=(const Averages &) = delete;

    const key_average *find(const std::string &name, key_kind kind) const
    {
        for (uint32_t i = 0; i < all.count; i++)
            if (std::string(all.rows[i].name.bytes, all.rows[i].name.size) == name &&
                all.rows[i].kind == kind)
                return &all.rows[i];
        return nullptr;
    }

    int64_t sum_self_cuda(bool device) const
    {
        int64_t sum = 0;
        for (uint32_t i = 0; i < all.count; i++)
            if (key_kind_is_device(all.rows[i].kind) == device)
                sum += all.rows[i].self_cuda_total_ns;
        return sum;
    }

    key_averages all{};
    bool ok = false;
};

TEST(KeyAverages, GiveSelfTimeWithoutChildrenAndCalls)
{
    TimelineMaker m;
    m.push("outer", 0);
    m.range("inner", 10, 40);
    m.launch("cudaMalloc", 50, 60);
    m.pop(100);
    Averages a(m.done());
    EXPECT_EQ(a.find("outer", KEY_RANGE)->cpu_total_ns, 100);
    EXPECT_EQ(a.find("outer", KEY_RANGE)->self_cpu_total_ns, 60);
    EXPECT_EQ(a.find("inner", KEY_RANGE)->self_cpu_total_ns, 30);
    EXPECT_EQ(a.find("cudaMalloc", KEY_API)->self_cpu_total_ns, 10);
    EXPECT_EQ(a.all.self_cpu_total_ns, 100);
    EXPECT_FALSE(a.all.has_device);
}

TEST(KeyAverages, GiveDeviceTimeToTheInnermostRangeAndItsParents)
{
    TimelineMaker m;
    m.push("outer", 0);
    auto first = m.launch("cudaLaunchKernel", 1, 2);
    m.push("inner", 10);
    auto second = m.launch("cudaLaunchKernel", 11, 12);
    m.pop(20);
    m.pop(100);
    m.kernel("a", first, 5, 15);
    m.kernel("b", second, 15, 45);
    Averages a(m.done());
    EXPECT_EQ(a.find("outer", KEY_RANGE)->self_cuda_total_ns, 10);
    EXPECT_EQ(a.find("outer", KEY_RANGE)->cuda_total_ns, 40);
    EXPECT_EQ(a.find("inner", KEY_RANGE)->self_cuda_total_ns, 30);
    EXPECT_EQ(a.find("inner", KEY_RANGE)->cuda_total_ns, 30);
    EXPECT_EQ(a.find("cudaLaunchKernel", KEY_API)->self_cuda_total_ns, 0);
    EXPECT_EQ(a.find("cudaLaunchKernel", KEY_API)->count, 2u);
    EXPECT_EQ(a.find("b", KEY_KERNEL)->cuda_total_ns, 30);
    EXPECT_EQ(a.all.self_cuda_total_ns, 40);
    EXPECT_EQ(a.sum_self_cuda(true), a.sum_self_cuda(false));
}

TEST(KeyAverages, SeeThroughNestedCallsToTheRange)
{
    TimelineMaker m;
    m.push("range", 0);
    m.push("cudaLaunchKernel", 1, TL_API);
    auto driver = m.launch("cuLaunchKernel", 2, 3);
    m.pop(4);
    m.pop(10);
    m.kernel("k", driver, 5, 9);
    Averages a(m.done());
    EXPECT_EQ(a.find("range", KEY_RANGE)->self_cuda_total_ns, 4);
}

TEST(KeyAverages, KeepDeviceTimeLaunchedOutsideOfRangesApart)
{
    TimelineMaker m;
    auto call = m.launch("cudaLaunchKernel", 1, 2);
    m.kernel("k", call, 5, 9);
    m.kernel("orphan", TL_NONE, 10, 11);
    Averages a(m.done());
    EXPECT_EQ(a.all.cuda_outside_ns, 4);
    EXPECT_EQ(a.all.self_cuda_total_ns, 5);
}

TEST(KeyAverages, CountRecursionOnceInTotals)
{
    TimelineMaker m;
    m.push("f", 0);
    m.push("g", 10);
    m.push("f", 20);
    auto call = m.launch("cudaLaunchKernel", 30, 40);
    m.pop(80);
    m.pop(90);
    m.pop(100);
    m.range("f", 200, 210);
    m.kernel("k", call, 50, 57);
    Averages a(m.done());
    const key_average *f = a.find("f", KEY_RANGE);
    EXPECT_EQ(f->count, 3u);
    EXPECT_EQ(f->cpu_total_ns, 110)
        << "100 of the outer f, 10 of the later one, nothing of the nested one";
    EXPECT_EQ(f->outer_count, 2u);
    EXPECT_EQ(key_column_value(f, KEY_BY_CPU_AVG), 55) << "of the two calls that the total is of";
    EXPECT_EQ(key_column_value(f, KEY_BY_CUDA_AVG), 3.5);
    EXPECT_EQ(f->projected_count, 1u);
    EXPECT_EQ(key_column_value(f, KEY_BY_PROJECTED_AVG), 7);
    EXPECT_EQ(f->self_cpu_total_ns, 20 + 50 + 10);
    EXPECT_EQ(f->cuda_total_ns, 7);
    EXPECT_EQ(f->self_cuda_total_ns, 7);
    EXPECT_EQ(a.find("g", KEY_RANGE)->cuda_total_ns, 7);
    EXPECT_EQ(a.all.self_cpu_total_ns, 110);
}

TEST(KeyAverages, CountRecursionPerThread)
{
    TimelineMaker m;
    m.push("f", 0);
    m.pop(100);
    m.thread(102);
    m.push("f", 0);
    m.pop(50);
    Averages a(m.done());
    EXPECT_EQ(a.find("f", KEY_RANGE)->cpu_total_ns, 150);
}

TEST(KeyAverages, AddStepsUpAsOneName)
{
    TimelineMaker m;
    m.push("ProfilerStep#1", 0, TL_STEP);
    m.pop(10);
    m.push("ProfilerStep#2", 10, TL_STEP);
    m.pop(30);
    m.range("ProfilerStep#x", 30, 31);
    Averages a(m.done());
    EXPECT_EQ(a.find("ProfilerStep*", KEY_RANGE)->count, 2u);
    EXPECT_EQ(a.find("ProfilerStep*", KEY_RANGE)->cpu_total_ns, 30);
    EXPECT_EQ(a.find("ProfilerStep#x", KEY_RANGE)->count, 1u);
}

TEST(KeyAverages, LeaveOutWhatLibprofDid)
{
    TimelineMaker m;
    m.push("range", 0);
    auto call = m.launch("cuMemsetD8", 10, 20, TL_LAUNCHES | TL_INTERNAL);
    m.pop(100);
    auto op = m.gpu(TL_MEMSET, "Memset (Device)", call, 30, 40);
    m.gpus[op].flags = TL_GPU_INTERNAL;
    m.gpu(TL_OVERHEAD, "Buffer Flush", TL_NONE, 50, 60);
    m.sync(4, 50, 60, TL_NONE);
    Averages a(m.done());
    EXPECT_EQ(a.all.count, 1u);
    EXPECT_EQ(a.find("range", KEY_RANGE)->self_cpu_total_ns, 100);
    EXPECT_EQ(a.find("range", KEY_RANGE)->cuda_total_ns, 0);
    EXPECT_FALSE(a.all.has_device);
}

TEST(KeyAverages, KeepKernelsAndRangesOfOneNameApart)
{
    TimelineMaker m;
    m.push("gemm", 0);
    auto call = m.launch("cudaLaunchKernel", 10, 20);
    m.pop(100);
    m.kernel("gemm", call, 30, 40);
    m.mark("gemm", 50);
    m.async("gemm", 60, 90, 1);
    Averages a(m.done());
    EXPECT_EQ(a.find("gemm", KEY_RANGE)->count, 2u);
    EXPECT_EQ(a.find("gemm", KEY_RANGE)->cpu_total_ns, 130);
    EXPECT_EQ(a.find("gemm", KEY_RANGE)->self_cpu_total_ns, 90);
    EXPECT_EQ(a.find("gemm", KEY_KERNEL)->count, 1u);
    EXPECT_EQ(a.find("gemm", KEY_MARK)->count, 1u);
}

TEST(KeyAverages, TakeAnEmptyTimeline)
{
    timeline empty{};
    Averages a(&empty);
    EXPECT_TRUE(a.ok);
    EXPECT_EQ(a.all.count, 0u);
}

TEST(KeyAverages, AddUpWhateverTheTree)
{
    for (unsigned seed = 1; seed <= 50; seed++) {
        TimelineMaker m;
        unsigned random = seed;
        auto next = [&random](unsigned below) {
            return (random = random * 1103515245u + 12345u) / 65536u % below;
        };
        int64_t now = 0, roots = 0, root_start = 0, launched = 0;
        unsigned depth = 0;
        for (int i = 0; i < 400; i++) {
            now += next(20);
            if (next(3) == 0 && depth > 0) {
                m.pop(now);
                roots += --depth == 0 ? now - root_start : 0;
            } else if (next(2) == 0) {
                root_start = depth++ == 0 ? now : root_start;
                m.push("r" + std::to_string(next(5)), now);
            } else if (depth > 0) {
                auto call = m.launch("cudaLaunchKernel", now, now + 3);
                m.kernel("k" + std::to_string(next(3)), call, now + 10, now + 10 + 7);
                launched += 7;
                now += 3;
            }
        }
        while (depth > 0) {
            m.pop(now);
            roots += --depth == 0 ? now - root_start : 0;
        }
        Averages a(m.done());
        EXPECT_EQ(a.all.self_cpu_total_ns, roots) << "seed " << seed;
        EXPECT_EQ(a.sum_self_cuda(false), launched) << "seed " << seed;
        EXPECT_EQ(a.sum_self_cuda(true), launched) << "seed " << seed;
        for (uint32_t i = 0; i < a.all.count; i++) {
            EXPECT_LE(a.all.rows[i].self_cpu_total_ns, now);
            EXPECT_GE(a.all.rows[i].cuda_total_ns, a.all.rows[i].self_cuda_total_ns);
            EXPECT_GE(a.all.rows[i].cpu_total_ns, a.all.rows[i].self_cpu_total_ns);
        }
    }
}

TEST(KeySort, SortsEveryColumnDescendingAndNamesAscending)
{
    TimelineMaker m;
    m.range("b", 0, 10);
    m.range("a", 10, 40);
    m.range("c", 50, 55);
    m.range("c", 55, 60);
    Averages a(m.done());
    auto order = [&a](const char *column) {
        key_column found;
        EXPECT_TRUE(key_column_find(column, &found)) << column;
        key_sort(&a.all, found);
        std::string names;
        for (uint32_t i = 0; i < a.all.count; i++)
            names += a.all.rows[i].name.bytes[0];
        return names;
    };
    EXPECT_EQ(order("name"), "abc");
    EXPECT_EQ(order("count"), "cab");
    EXPECT_EQ(order("cpu_total"), "abc");
    EXPECT_EQ(order("self_cpu_time_total"), "abc");
    EXPECT_EQ(order("cpu_avg"), "abc");
    EXPECT_EQ(order("cuda_total_ns"), "abc") << "all equal: by the other totals, then by name";
    EXPECT_EQ(order("Self CPU"), "abc") << "as the table's heading";
    key_column column;
    EXPECT_TRUE(key_column_find("cuda", &column));
    EXPECT_EQ(column, KEY_BY_CUDA_TOTAL);
    EXPECT_FALSE(key_column_find("self", &column)) << "of the CPU, or of the device?";
}

} // namespace
