/* test_sqlite_nvprof.cc - nvprof's databases: made ones of two versions, and a real one. */
#include "sqlite_fixture.h"

#ifdef PROF_HAVE_SQLITE
#include "sqlite_trace.h"

#include <cstdlib>
#include <fstream>
#include <sys/stat.h>

namespace
{

using Nvprof = Sqlite;

const char expected_slices[] = "100/1: step 0-8000\n"
                               "100/1: >layer 1000-4000\n"
                               "100/1: >>cudaLaunchKernel 1100-1200\n"
                               "100/1: >net:layer 5000-6000\n"
                               "100/1: >>cudaMemcpyAsync 5100-5200\n"
                               "100/1: >>cudaMemsetAsync 5300-5400\n"
                               "100/1: >CUDA runtime call 9999 6500-6600\n"
                               "100/2: cuLaunchKernel 2000-2100\n";
const char expected_operations[] =
    "add(float*) 1300-1900 < cudaLaunchKernel < layer\n"
    "add(float*) 2200-2700 < cuLaunchKernel < -\n"
    "Memcpy HtoD (Pageable -> Device) 5150-5250 < cudaMemcpyAsync < net:layer\n"
    "Memset (Device) 5450-5500 < cudaMemsetAsync < net:layer\n"
    "Stream Synchronize 6500-6590 < CUDA runtime call 9999 < step\n"
    "Buffer Flush 7000-7100 < - < -\n";

class NvprofVersions : public Sqlite, public testing::WithParamInterface<int>
{
};

TEST_P(NvprofVersions, AreReadAlike)
{
    sqlite_sample_nvprof(database_, GetParam());
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(findings(timeline_), "");
    EXPECT_EQ(slices(), expected_slices);
    EXPECT_EQ(operations(), expected_operations);
    EXPECT_EQ(timeline_->base_realtime_ns, (uint64_t)SQLITE_SAMPLE_NS + 1000);
}

INSTANTIATE_TEST_SUITE_P(All, NvprofVersions, testing::Values(9, 14));

TEST_F(Nvprof, WhatIsOfNoProcessIsOfTheOnlyOne)
{
    sqlite_sample_nvprof(database_, 14);
    auto at = [](int64_t ns) { return std::to_string(SQLITE_SAMPLE_NS + ns); };
    run("INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD "
        "VALUES(7,65536,1,x'000000000000000000000000'," +
        at(8200) + "," + at(8300) +
        ");"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(77,211," +
        at(8400) + "," + at(8500) + ",0,3,77,0);");
    ASSERT_TRUE(load()) << error_.message;
    ASSERT_EQ(timeline_->processes.count, 1u);
    EXPECT_EQ(timeline_->processes.at[0].info.pid, 100u);
    EXPECT_NE(slices().find("100/3: cudaLaunchKernel 7400-7500\n"), std::string::npos) << slices();
    EXPECT_NE(operations().find("Driver Compiler 7200-7300"), std::string::npos) << operations();
}

TEST_F(Nvprof, TellsProcessThreadsAndDevices)
{
    sqlite_sample_nvprof(database_, 14);
    ASSERT_TRUE(load()) << error_.message;
    ASSERT_EQ(timeline_->processes.count, 1u);
    const tl_process_info &process = timeline_->processes.at[0].info;
    EXPECT_EQ(std::string(process.program.bytes, process.program.size), "python train.py");
    EXPECT_EQ(std::string(process.format.bytes, process.format.size), "nvprof SQLite");
    EXPECT_EQ(name(timeline_->threads.at[1].name), "worker");
    ASSERT_EQ(timeline_->devices.count, 1u);
    const tl_device &device = timeline_->devices.at[0];
    EXPECT_EQ(name(device.name), "Tesla V100");
    EXPECT_EQ(device.info.memory_bandwidth, 898048000000u);
    EXPECT_EQ(device.info.core_clock_khz, 1380000u);
    EXPECT_EQ(device.info.max_threads_per_multiprocessor, 2048u);
    EXPECT_EQ(device.info.uuid[15], 15);
    EXPECT_EQ(timeline_->streams.at[0].priority, -1);
    const tl_kernel &kernel = timeline_->kernels.at[0];
    EXPECT_EQ(kernel.grid_x, 8u);
    EXPECT_EQ(kernel.block_x, 256u);
    EXPECT_EQ(kernel.registers, 30u);
    EXPECT_EQ(kernel.dynamic_shared_memory, 64u);
}

TEST_F(Nvprof, KeepsMarksLabelsAndRangesAcrossThreads)
{
    sqlite_sample_nvprof(database_, 14);
    ASSERT_TRUE(load()) << error_.message;
    ASSERT_EQ(timeline_->marks.count, 1u);
    EXPECT_EQ(name(timeline_->marks.at[0].name), "here");
    EXPECT_EQ(slice_name(timeline_->marks.at[0].slice), "layer");
    ASSERT_EQ(timeline_->asyncs.count, 1u);
    const tl_async &async = timeline_->asyncs.at[0];
    EXPECT_EQ(name(async.name), "transfer");
    EXPECT_EQ(async.end_ns - async.start_ns, 6500);
    EXPECT_EQ(timeline_->threads.at[async.end_thread].tid, 2u);
    uint32_t colored = 0;
    for (uint32_t i = 0; i < timeline_->labels.count; i++)
        colored += timeline_->labels.at[i].flags == TL_LABEL_COLORED &&
                   timeline_->labels.at[i].color == 0xff00ff00u;
    EXPECT_EQ(colored, 1u);
}

TEST_F(Nvprof, RangesWithOneEndAreKeptOrCounted)
{
    sqlite_sample_nvprof(database_, 14);
    run("DELETE FROM CUPTI_ACTIVITY_KIND_MARKER WHERE _id_ IN (1, 4)");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(warnings(), "1 ends of ranges without a begin: left out\n");
    EXPECT_NE(slices().find("layer 500-6600 open\n"), std::string::npos) << slices();
}

TEST_F(Nvprof, EndsMayComeBeforeTheirBegins)
{
    sqlite_sample_nvprof(database_, 14);
    run("UPDATE CUPTI_ACTIVITY_KIND_MARKER SET _id_ = 100 - _id_");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(slices(), expected_slices);
}

TEST_F(Nvprof, CallsOfAnIdAreNamed)
{
    EXPECT_STREQ(sqlite_call_name(false, 211), "cudaLaunchKernel");
    EXPECT_STREQ(sqlite_call_name(false, 13), "cudaLaunch");
    EXPECT_STREQ(sqlite_call_name(false, 41), "cudaMemcpyAsync");
    EXPECT_STREQ(sqlite_call_name(false, 311), "cudaGraphLaunch");
    EXPECT_STREQ(sqlite_call_name(false, 430), "cudaLaunchKernelExC");
    EXPECT_STREQ(sqlite_call_name(true, 307), "cuLaunchKernel");
    EXPECT_STREQ(sqlite_call_name(true, 277), "cuMemcpyHtoDAsync_v2");
    for (int64_t none : {INT64_MIN, (int64_t)-1, (int64_t)0, (int64_t)9999, INT64_MAX}) {
        EXPECT_EQ(sqlite_call_name(false, none), nullptr) << none;
        EXPECT_EQ(sqlite_call_name(true, none), nullptr) << none;
    }
}

/* ---- the shared file: a V100, ONNX Runtime, schema version 14 ---- */

std::string shared_file()
{
    const char *set = getenv("SHARED_DIR");
    std::string folder = set ? set : std::string(PROF_SOURCE_DIR) + "/../shared";
    return folder + "/data/nvprof/bench_ortmodule_nn_gpu.sql.zip";
}

class NvprofReal : public Sqlite
{
public:
    void SetUp() override
    {
        struct stat status;
        if (stat(shared_file().c_str(), &status) != 0)
            GTEST_SKIP() << shared_file() << " is not here";
        char folder[] = "/tmp/prof_nvprof_XXXXXX";
        ASSERT_TRUE(mkdtemp(folder));
        folder_ = folder;
        std::string unpack =
            "python3 -m zipfile -e '" + shared_file() + "' '" + folder_ + "' 2>/dev/null";
        if (system(unpack.c_str()) != 0)
            GTEST_SKIP() << "python3 does not unpack " << shared_file();
        path_ = folder_ + "/bench_ortmodule_nn_gpu.sql";
        builder *builder = builder_begin();
        trace_file *file = foreign_open(path_.c_str(), false, builder, &error_);
        ASSERT_TRUE(file) << error_.message;
        timeline_ = timeline_from_files(builder, &file, 1, &error_);
        trace_file_close(file);
        ASSERT_TRUE(timeline_) << error_.message;
    }
    void TearDown() override
    {
        unlink(path_.c_str());
        if (!folder_.empty())
            rmdir(folder_.c_str());
    }
    int64_t time_of(tl_gpu_kind kind) const
    {
        int64_t sum = 0;
        for (uint32_t i = 0; i < timeline_->gpus.count; i++)
            if (timeline_->gpus.at[i].kind == kind)
                sum += timeline_->gpus.at[i].end_ns - timeline_->gpus.at[i].start_ns;
        return sum;
    }
    uint32_t count_of(tl_gpu_kind kind) const
    {
        uint32_t count = 0;
        for (uint32_t i = 0; i < timeline_->gpus.count; i++)
            count += timeline_->gpus.at[i].kind == kind;
        return count;
    }
    std::string folder_, path_;
};

TEST_F(NvprofReal, EveryRowIsThere)
{
    std::map<std::string, uint32_t> calls;
    uint32_t ranges = 0, runtime = 0;
    for (uint32_t i = 0; i < timeline_->slices.count; i++) {
        const tl_slice &slice = timeline_->slices.at[i];
        ranges += slice.kind == TL_RANGE;
        if (slice.kind != TL_API)
            continue;
        runtime += timeline_->apis.at[slice.api].domain == PROF_API_RUNTIME;
        calls[name(slice.name)]++;
    }
    EXPECT_EQ(ranges, 3030u); /* of 6,060 rows: a begin and an end each */
    EXPECT_EQ(runtime, 7391u);
    EXPECT_EQ(calls["cudaLaunchKernel"], 2015u);
    EXPECT_EQ(calls["cudaMemcpy"], 215u);
    EXPECT_EQ(calls["cudaMemcpyAsync"], 320u);
    EXPECT_EQ(calls["cudaMemsetAsync"], 408u);
    for (const auto &call : calls)
        EXPECT_EQ(call.first.find("call"), std::string::npos) << call.first;
    EXPECT_EQ(count_of(TL_KERNEL), 2015u);
    EXPECT_EQ(time_of(TL_KERNEL), 3643599);
    EXPECT_EQ(count_of(TL_MEMCPY), 535u);
    EXPECT_EQ(time_of(TL_MEMCPY), 980948);
    EXPECT_EQ(count_of(TL_MEMSET), 408u);
    EXPECT_EQ(time_of(TL_MEMSET), 600860);
    EXPECT_EQ(count_of(TL_SYNC), 426u);
    EXPECT_EQ(count_of(TL_OVERHEAD), 9591u);
}

/* Each kernel lies under two ranges, a batch and a node of its graph: a sum over all ranges that
 * contain its launch, as the loader of old PyTorch made it, is twice the truth. */
TEST_F(NvprofReal, KernelsCountOnceUnderTheirInnermostRange)
{
    int64_t innermost = 0, enclosing = 0;
    uint32_t rows = 0;
    for (uint32_t i = 0; i < timeline_->gpus.count; i++) {
        const tl_gpu &gpu = timeline_->gpus.at[i];
        if (gpu.kind != TL_KERNEL)
            continue;
        ASSERT_NE(gpu.slice, TL_NONE);
        uint32_t depth = 0;
        for (uint32_t up = timeline_->slices.at[gpu.slice].parent; up != TL_NONE;
             up = timeline_->slices.at[up].parent, depth++)
            enclosing += gpu.end_ns - gpu.start_ns;
        ASSERT_EQ(depth, 2u);
        rows += depth;
        innermost += gpu.end_ns - gpu.start_ns;
    }
    EXPECT_EQ(rows, 4030u);
    EXPECT_EQ(innermost, 3643599);
    EXPECT_EQ(enclosing, 7287198);
}

TEST_F(NvprofReal, HoldsEveryInvariant)
{
    EXPECT_EQ(findings(timeline_), "");
    EXPECT_EQ(timeline_->ledger.recorded, 2015u + 535u + 408u);
    EXPECT_EQ(timeline_->ledger.orphans, 0u);
    EXPECT_EQ(timeline_->ledger.before_launch, 0u);
    EXPECT_EQ(timeline_->devices.count, 4u);
}

} // namespace
#endif
