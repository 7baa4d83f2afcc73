/* test_sqlite_nsys.cc - nsys's exports of two generations. */
#include "sqlite_fixture.h"

#ifdef PROF_HAVE_SQLITE
#include "sqlite_trace.h"

namespace
{

using Nsys = Sqlite;

TEST_F(Nsys, JoinsKernelsToTheCallOfTheirProcess)
{
    sqlite_sample_nsys(database_, 0);
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(findings(timeline_), "");
    EXPECT_EQ(slices(), "501/11: outer 1000-3000\n"
                        "501/11: >inner 1050-1250\n"
                        "501/11: >>cudaLaunchKernel 1100-1200\n"
                        "501/12: cuLaunchKernel 1400-1450\n"
                        "502/21: work 1000-2000\n"
                        "502/21: >cudaLaunchKernel 1100-1300\n");
    EXPECT_EQ(operations(), "add(float *) 1300-1800 < cudaLaunchKernel < inner\n"
                            "add(float *) 1900-1950 < cuLaunchKernel < -\n"
                            "add(float *) 1400-1500 < cudaLaunchKernel < work\n");
    EXPECT_EQ(warnings(), "");
}

TEST_F(Nsys, ReadsAModernExport)
{
    sqlite_sample_nsys(database_, 1);
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(findings(timeline_), "warning unbalanced-ranges");
    EXPECT_EQ(slices(), "501/11: outer 1000-3000\n"
                        "501/11: >inner 1050-1250\n"
                        "501/11: >>cudaLaunchKernel 1100-1200\n"
                        "501/11: >cudaMemcpyAsync 2000-2100\n"
                        "501/11: >>NCCL:registered 2010-2100\n"
                        "501/11: >NCCL:registered 2100-2120\n"
                        "501/11: >>cudaGraphLaunch 2110-2120\n"
                        "501/11: >cudaGraphLaunch 2120-2150\n"
                        "501/11: >cudaStreamSynchronize 2160-2400\n"
                        "501/12: cuLaunchKernel 1400-1450\n"
                        "501/12: never ends 2800-3000 open\n"
                        "501/12: >cudaStreamSynchronize 2900-3000 open\n"
                        "502/21: work 1000-2000\n"
                        "502/21: >cudaLaunchKernel 1100-1300\n");
    EXPECT_EQ(operations(), "add(float *) 1300-1800 < cudaLaunchKernel < inner\n"
                            "add(float *) 1900-1950 < cuLaunchKernel < -\n"
                            "Memcpy HtoD (Pinned -> Device) 2050-2090 < cudaMemcpyAsync < outer\n"
                            "Stream Synchronize 2160-2390 < cudaStreamSynchronize < outer\n"
                            "Memset (Device) 2200-2210 < cudaGraphLaunch < NCCL:registered\n"
                            "CUDA graph 5 2220-2300 < cudaGraphLaunch < NCCL:registered\n"
                            "add(float *) 1400-1500 < cudaLaunchKernel < work\n");
}

TEST_F(Nsys, DomainNumbersAreThoseOfTheirProcess)
{
    sqlite_sample_nsys(database_, 1);
    run("INSERT INTO NVTX_EVENTS(start,eventType,text,globalTid,domainId) VALUES"
        "(0,75,'alpha',281483382095883,9),(0,75,'beta',281483398873109,9);"
        "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid,domainId) VALUES"
        "(1600,1700,59,'in',281483382095883,9),(1600,1700,59,'in',281483398873109,9);");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_NE(slices().find("501/11: >alpha:in 1600-1700"), std::string::npos) << slices();
    EXPECT_NE(slices().find("502/21: >beta:in 1600-1700"), std::string::npos) << slices();
}

TEST_F(Nsys, NamesInADomainAreWholeHoweverLongTheyAre)
{
    std::string text(5000, 'n');
    sqlite_sample_nsys(database_, 1);
    run(("INSERT INTO NVTX_EVENTS(start,eventType,text,globalTid,domainId) VALUES"
         "(0,75,'alpha',281483382095883,9);"
         "INSERT INTO NVTX_EVENTS(start,end,eventType,text,globalTid,domainId) VALUES"
         "(1600,1700,59,'" +
         text + "1',281483382095883,9),(1710,1720,59,'" + text + "2',281483382095883,9);")
            .c_str());
    ASSERT_TRUE(load()) << error_.message;
    for (const char *end : {"1 1600-1700", "2 1710-1720"})
        EXPECT_NE(slices().find("alpha:" + text + end), std::string::npos) << end;
}

TEST_F(Nsys, TellsProcessesThreadsAndDevices)
{
    sqlite_sample_nsys(database_, 1);
    ASSERT_TRUE(load()) << error_.message;
    ASSERT_EQ(timeline_->processes.count, 2u);
    const tl_process_info &process = timeline_->processes.at[0].info;
    EXPECT_EQ(process.pid, 501u);
    EXPECT_EQ(std::string(process.program.bytes, process.program.size), "/usr/bin/python3");
    EXPECT_EQ(std::string(process.host.bytes, process.host.size), "node7");
    EXPECT_EQ(std::string(process.format.bytes, process.format.size), "nsys SQLite");
    EXPECT_EQ(timeline_->base_realtime_ns, (uint64_t)SQLITE_SAMPLE_NS);
    EXPECT_EQ(name(timeline_->threads.at[0].name), "main thread");
    ASSERT_EQ(timeline_->devices.count, 2u); /* of each process */
    const tl_device &device = timeline_->devices.at[0];
    EXPECT_EQ(name(device.name), "NVIDIA H200");
    EXPECT_EQ(device.info.core_clock_khz, 1980000u);
    EXPECT_EQ(device.info.memory_bandwidth, 4800000000000u);
    EXPECT_EQ(device.info.uuid[0], 0);
    EXPECT_EQ(device.info.uuid[15], 15);
    EXPECT_EQ(timeline_->streams.at[0].priority, -2);
    EXPECT_EQ(name(timeline_->kernels.at[0].name), "_Z3addPf");
}

TEST_F(Nsys, KeepsWhatNvtxSays)
{
    sqlite_sample_nsys(database_, 1);
    ASSERT_TRUE(load()) << error_.message;
    const tl_slice *labelled = nullptr;
    for (uint32_t i = 0; i < timeline_->slices.count; i++)
        if (slice_name(i) == "NCCL:registered" && !labelled)
            labelled = &timeline_->slices.at[i];
    ASSERT_NE(labelled, nullptr);
    const tl_label &label = timeline_->labels.at[labelled->label];
    EXPECT_EQ(label.color, 0xff00ff00u);
    EXPECT_EQ(name(timeline_->categories.at[label.category].name), "collectives");
    ASSERT_EQ(timeline_->attrs.count, 1u);
    EXPECT_EQ(name(timeline_->attrs.at[0].key), "payload");
    EXPECT_EQ(timeline_->attrs.at[0].value, 42u);
    ASSERT_EQ(timeline_->asyncs.count, 1u);
    EXPECT_EQ(name(timeline_->asyncs.at[0].name), "across");
    EXPECT_EQ(timeline_->threads.at[timeline_->asyncs.at[0].end_thread].tid, 12u);
    ASSERT_EQ(timeline_->marks.count, 1u);
    EXPECT_EQ(slice_name(timeline_->marks.at[0].slice), "outer");
}

TEST_F(Nsys, AnExportOfNothingIsEmpty)
{
    run("CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(timeline_->slices.count, 0u);
}

TEST_F(Nsys, MissingColumnsAreNotMissed)
{
    sqlite_sample_nsys(database_, 0);
    run("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN gridX;"
        "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN streamId;"
        "ALTER TABLE NVTX_EVENTS DROP COLUMN color;");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(timeline_->gpus.count, 3u);
}

TEST_F(Nsys, ProcessesOfSeveralMachinesAreApart)
{
    sqlite_sample_nsys(database_, 0);
    run("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + (1 << 56) WHERE rowid = 2");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(timeline_->processes.count, 3u);
}

TEST_F(Nsys, CallsLoseTheVersionThatCuptiAppends)
{
    const std::pair<const char *, const char *> names[] = {
        {"cudaLaunchKernel_v7000", "cudaLaunchKernel"},
        {"cudaGraphLaunch_v10000", "cudaGraphLaunch"},
        {"cudaLaunchKernel_ptsz_v7000", "cudaLaunchKernel_ptsz"},
        {"cuMemAlloc_v2", "cuMemAlloc_v2"},
        {"cuLaunchKernel", "cuLaunchKernel"},
        {"_v7000", "_v7000"},
        {"7000", "7000"},
        {"", ""}};
    for (const auto &[from, to] : names) {
        text trimmed = sqlite_call_trim({from, strlen(from)});
        EXPECT_EQ(std::string(trimmed.bytes, trimmed.size), to);
    }
    auto flags = [](const char *of) { return (unsigned)sqlite_call_flags({of, strlen(of)}); };
    EXPECT_EQ(flags("cudaLaunchKernel"), TL_LAUNCHES);
    EXPECT_EQ(flags("cudaGraphLaunch"), TL_LAUNCHES | TL_GRAPH);
    EXPECT_EQ(flags("cuMemcpyHtoD_v2"), TL_LAUNCHES | SLICE_DRIVER);
    EXPECT_EQ(flags("cudaLaunchHostFunc"), 0u);
    EXPECT_EQ(flags("cudaMalloc"), 0u);
}

} // namespace
#endif
