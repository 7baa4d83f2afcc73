/* test_kineto_processes.cc - Chrome traces of several processes, devices and files: which operation belongs to whom. */
#include "kineto_fixture.h"

namespace
{

TEST_F(Kineto, DeviceRowsBelongToTheProcessOfTheirCall)
{
    events(
        R"j({"ph":"X","cat":"cuda_runtime","name":"one","pid":100,"tid":1,"ts":0,"dur":9,"args":{"correlation":1}},
              {"ph":"X","cat":"cuda_runtime","name":"two","pid":200,"tid":1,"ts":0,"dur":9,"args":{"correlation":2}},
              {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":50,"dur":2,"args":{"stream":7,"correlation":1}},
              {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":60,"dur":2,"args":{"stream":7,"correlation":2}},
              {"ph":"M","name":"process_name","pid":200,"tid":0,"args":{"name":"second"}},
              {"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"gpu"}})j");
    ASSERT_EQ(timeline_->processes.count, 2u);
    EXPECT_STREQ(timeline_->processes.at[1].info.program.bytes, "second");
    EXPECT_EQ(origins()["k1"], " < one");
    EXPECT_EQ(origins()["k2"], " < two");
}

TEST_F(Kineto, DevicesWithoutContextsAreToldApart)
{
    events(
        R"j({"ph":"X","cat":"cuda_runtime","name":"c","pid":100,"tid":1,"ts":0,"dur":1,"args":{"correlation":1}},
              {"ph":"X","cat":"cuda_runtime","name":"c","pid":100,"tid":1,"ts":2,"dur":1,"args":{"correlation":2}},
              {"ph":"X","cat":"kernel","name":"k0","pid":0,"tid":7,"ts":10,"dur":9,
               "args":{"device":0,"stream":7,"correlation":1}},
              {"ph":"X","cat":"kernel","name":"k1","pid":1,"tid":7,"ts":10,"dur":9,
               "args":{"device":1,"stream":7,"correlation":2}},
              {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":1,"tid":7,"ts":20,"dur":1,
               "args":{"device":1,"stream":7}},
              {"ph":"X","cat":"kernel","name":"nowhere","pid":1,"tid":7,"ts":30,"dur":9,
               "args":{"device":-1,"context":9,"stream":9,"correlation":2}})j");
    ASSERT_EQ(timeline_->streams.count, 3u);
    EXPECT_EQ(streams(), "device 0 context 0 stream 7: k0\n"
                         "device 1 context 0 stream 7: k1 Stream Sync\n"
                         "device -1 context 9 stream 9: nowhere\n");
    EXPECT_EQ(timeline_->devices.count, 2u) << "an unknown device is none";
    EXPECT_EQ(timeline_->gpus.at[1].lane, 0) << "nothing overlaps on a stream";
}

TEST_F(Kineto, AContextIsOfItsProcess)
{
    events(
        R"j({"ph":"X","cat":"cuda_runtime","name":"c","pid":100,"tid":1,"ts":0,"dur":1,"args":{"correlation":1}},
              {"ph":"X","cat":"cuda_runtime","name":"c","pid":200,"tid":1,"ts":0,"dur":1,"args":{"correlation":2}},
              {"ph":"X","cat":"kernel","name":"k0","pid":0,"tid":7,"ts":10,"dur":9,
               "args":{"device":0,"context":1,"stream":7,"correlation":1}},
              {"ph":"X","cat":"kernel","name":"k1","pid":1,"tid":7,"ts":10,"dur":9,
               "args":{"device":1,"context":1,"stream":7,"correlation":2}})j");
    ASSERT_EQ(timeline_->processes.count, 2u);
    EXPECT_EQ(streams(), "device 0 context 1 stream 7: k0\ndevice 1 context 1 stream 7: k1\n");
    EXPECT_EQ(timeline_->devices.count, 2u);
}

/* Two processes with the same ids, "pid:a call at ..."; `devices`: where their kernels are. */
static std::string two_processes(int second_at, int second_device, const char *second_row = nullptr)
{
    std::string list;
    for (int i = 0; i < 2; i++)
        for (int id = 1; id <= 3; id++) {
            int at = (i ? second_at : 0) + id * 100;
            std::string pid = std::to_string(100 + i),
                        device = std::to_string(i ? second_device : 0);
            std::string args = "\"args\":{\"correlation\":" + std::to_string(id);
            list += R"j({"ph":"X","cat":"cuda_runtime","name":"call )j" + pid +
                    R"j(","tid":1,"dur":1,"pid":)j" + pid + ",\"ts\":" + std::to_string(at) + "," +
                    args + "}},";
            list += R"j({"ph":"X","cat":"kernel","name":"kernel )j" + pid +
                    R"j(","tid":7,"dur":9,"pid":)j" + (i && second_row ? second_row : device) +
                    ",\"ts\":" + std::to_string(at + 5) + "," + args + ",\"device\":" + device +
                    ",\"context\":1,\"stream\":7}},";
        }
    list.pop_back();
    return list;
}

TEST_F(Kineto, EqualIdsOfTwoProcessesAreToldApartByTheirDevices)
{
    events(two_processes(30, 1));
    EXPECT_EQ(origins()["kernel 100"], " < call 100");
    EXPECT_EQ(origins()["kernel 101"], " < call 101");
    EXPECT_EQ(streams(), "device 0 context 1 stream 7: kernel 100 kernel 100 kernel 100\n"
                         "device 1 context 1 stream 7: kernel 101 kernel 101 kernel 101\n");
    EXPECT_EQ(timeline_->ledger.recorded, 6u);
    EXPECT_EQ(timeline_->ledger.ambiguous, 0u);
}

TEST_F(Kineto, EqualIdsOfTwoProcessesAreToldApartByTheRowsPid)
{
    events(two_processes(0, 0, "101"));
    EXPECT_EQ(origins()["kernel 100"], " < call 100");
    EXPECT_EQ(origins()["kernel 101"], " < call 101");
    EXPECT_EQ(timeline_->ledger.ambiguous, 0u);
}

TEST_F(Kineto, EqualIdsOfTwoProcessesAreToldApartByTime)
{
    events(two_processes(5000, 0));
    EXPECT_EQ(origins()["kernel 100"], " < call 100");
    EXPECT_EQ(origins()["kernel 101"], " < call 101");
    EXPECT_EQ(timeline_->ledger.ambiguous, 0u);
}

TEST_F(Kineto, EqualIdsOfTwoProcessesAreToldApartByTheRangesThatOperationsName)
{
    expected_findings = "";
    events(
        R"j({"ph":"X","cat":"cpu_op","name":"a","pid":100,"tid":1,"ts":0,"dur":9,"args":{"External id":11}},
              {"ph":"X","cat":"cpu_op","name":"b","pid":200,"tid":1,"ts":0,"dur":9,"args":{"External id":12}},
              {"ph":"X","cat":"cuda_runtime","name":"one","pid":100,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},
              {"ph":"X","cat":"cuda_runtime","name":"two","pid":200,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},
              {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":50,"dur":2,
               "args":{"stream":7,"correlation":1,"External id":12}},
              {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":60,"dur":2,
               "args":{"stream":7,"correlation":1,"External id":11}})j");
    EXPECT_EQ(origins()["k1"], " < one < a");
    EXPECT_EQ(origins()["k2"], " < two < b");
}

TEST_F(Kineto, WhatSeveralProcessesCanHaveLaunchedIsCountedAndJoinedToNone)
{
    expected_findings = "warning ambiguous";
    events(two_processes(0, 0));
    EXPECT_EQ(origins()["kernel 100"], "");
    EXPECT_EQ(origins()["kernel 101"], "");
    EXPECT_EQ(timeline_->gpus.count, 6u);
    EXPECT_EQ(timeline_->ledger.ambiguous, 6u);
    EXPECT_EQ(timeline_->ledger.orphans, 0u);
    EXPECT_EQ(timeline_->ledger.recorded, 0u);
}

/* An arrow from the call of the process to its kernel, of two_processes(). */
static std::string arrow(int process, int id, int second_at, int flow)
{
    int at = (process ? second_at : 0) + id * 100;
    std::string tail =
        ",\"id\":" + std::to_string(flow) + ",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"ts\":";
    return R"j(,{"ph":"s","tid":1,"pid":)j" + std::to_string(100 + process) + tail +
           std::to_string(at) + R"j(},{"ph":"f","bp":"e","tid":7,"pid":0)j" + tail +
           std::to_string(at + 5) + "}";
}

static std::string arrows(int second_at, bool same_ids)
{
    std::string list;
    for (int process = 0; process < 2; process++)
        for (int id = 1; id <= 3; id++)
            list += arrow(process, id, second_at, same_ids ? id : id + 10 * process);
    return list;
}

TEST_F(Kineto, EqualIdsOfTwoProcessesAreToldApartByArrows)
{
    expected_findings = "warning ambiguous";
    events(two_processes(2, 0));
    EXPECT_EQ(timeline_->ledger.ambiguous, 6u) << "else this shows nothing";
    expected_findings = "";
    events(two_processes(2, 0) + arrows(2, false));
    EXPECT_EQ(origins()["kernel 100"], " < call 100");
    EXPECT_EQ(origins()["kernel 101"], " < call 101");
    EXPECT_EQ(timeline_->ledger.ambiguous, 0u);
    EXPECT_EQ(timeline_->ledger.recorded, 6u);
}

TEST_F(Kineto, ArrowsWithEqualIdsTellNothing)
{
    expected_findings = "warning ambiguous";
    events(two_processes(0, 0) + arrows(0, true));
    EXPECT_EQ(timeline_->ledger.ambiguous, 6u);
    EXPECT_EQ(timeline_->ledger.recorded, 0u);
}

TEST_F(Kineto, OperationsOnAProcesssRowAreNotLaunchedByAnother)
{
    expected_findings = "warning orphans";
    events(
        R"j({"ph":"X","cat":"cuda_runtime","name":"one","pid":100,"tid":1,"ts":0,"dur":9,"args":{"correlation":1}},
              {"ph":"X","cat":"cpu_op","name":"op","pid":200,"tid":1,"ts":0,"dur":9,"args":{}},
              {"ph":"X","cat":"kernel","name":"k","pid":200,"tid":7,"ts":50,"dur":2,
               "args":{"device":0,"stream":7,"correlation":1}})j");
    EXPECT_EQ(origins()["k"], "");
    EXPECT_EQ(timeline_->ledger.orphans, 1u);
    EXPECT_EQ(timeline_->processes.at[timeline_->gpus.at[0].process].info.pid, 200u);
}

TEST_F(Kineto, IdsBeyond32BitsAreIds)
{
    events(
        R"j({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":20,"args":{"External id":9007199254740990}},
              {"ph":"X","cat":"cuda_runtime","name":"call","pid":1,"tid":1,"ts":30,"dur":9,
               "args":{"correlation":1099511627776}},
              {"ph":"X","cat":"kernel","name":"called","pid":0,"tid":7,"ts":50,"dur":2,
               "args":{"correlation":1099511627776}},
              {"ph":"X","cat":"kernel","name":"of op","pid":0,"tid":7,"ts":60,"dur":2,
               "args":{"External id":9007199254740990}})j");
    EXPECT_EQ(origins()["called"], " < call");
    EXPECT_EQ(origins()["of op"], " < op");
    EXPECT_EQ(timeline_->ledger.recorded, 2u);
    EXPECT_EQ(warnings(), "");
}

/* A rank with a launch, and a rank whose every operation lacks it; both have the correlation id 1. */
static std::string two_ranks(const std::string &groups)
{
    return R"j({"traceEvents":[
        {"ph":"X","cat":"cuda_runtime","name":"call","pid":100,"tid":1,"ts":0,"dur":9,"args":{"correlation":1}},
        {"ph":"X","cat":"kernel","name":"k0","pid":0,"tid":7,"ts":50,"dur":2,
         "args":{"device":0,"stream":7,"correlation":1}},
        {"ph":"X","cat":"kernel","name":"k1","pid":9000000,"tid":7,"ts":60,"dur":2,
         "args":{"device":0,"stream":7,"correlation":1}}],
        "mergedProcesses":[)j" +
           groups + "]}";
}

TEST_F(Kineto, OrphansAreOfTheFileThatTheyCameFrom)
{
    expected_findings = "warning orphans";
    load(two_ranks(R"j({"rank":3,"world_size":8,"host_name":"a","pids":{"100":100,"0":0}},
                       {"rank":4,"world_size":8,"host_name":"b","pids":{"9000000":0}})j"));
    ASSERT_EQ(timeline_->processes.count, 2u);
    const tl_process_info &first = timeline_->processes.at[0].info,
                          &second = timeline_->processes.at[1].info;
    EXPECT_EQ(first.rank, 3);
    EXPECT_EQ(second.rank, 4);
    EXPECT_EQ(second.world_size, 8);
    EXPECT_STREQ(second.host.bytes, "b");
    EXPECT_EQ(origins()["k0"], " < call");
    EXPECT_EQ(origins()["k1"], "");
    EXPECT_EQ(timeline_->ledger.orphans, 1u);
    EXPECT_EQ(timeline_->gpus.at[0].process, 0u);
    EXPECT_EQ(timeline_->gpus.at[1].process, 1u);
}

TEST_F(Kineto, GroupsOfProcessesThatMakeNoSenseAreBorne)
{
    for (const char *groups :
         {"", "7", "{}", "{\"pids\":7}", "{\"pids\":{\"100\":\"x\",\"0\":null}}",
          "{\"rank\":-1,\"pids\":{\"\":1,\"0\":-5,\"9000000\":1e99}}",
          "{\"pids\":{\"100\":1}},{\"pids\":{\"100\":2}},{\"pids\":{\"4\":2}}"}) {
        bool apart = std::string(groups).find("e99") != std::string::npos;
        expected_findings = apart ? "warning orphans" : "";
        load(two_ranks(groups));
        ASSERT_NE(timeline_, nullptr) << groups << message;
        EXPECT_EQ(timeline_->gpus.count, 2u) << groups;
    }
}

TEST_F(Kineto, TheRankOfOneProcessIsNotThatOfOthers)
{
    load(R"j({"distributedInfo":{"rank":3,"world_size":8},"traceEvents":[)j" +
         two_processes(30, 1) + "]}");
    ASSERT_EQ(timeline_->processes.count, 2u);
    EXPECT_EQ(timeline_->processes.at[0].info.rank, -1);
    EXPECT_EQ(timeline_->processes.at[1].info.rank, -1);
    EXPECT_EQ(timeline_->processes.at[1].info.world_size, 8);
}

TEST_F(Kineto, AnOperationWithoutACallStaysWithTheOthersOfItsRow)
{
    expected_findings = "warning orphans";
    events(two_processes(30, 1) +
           R"j(,{"ph":"X","cat":"kernel","name":"stray","pid":1,"tid":7,"ts":900,"dur":9,
               "args":{"device":1,"context":1,"stream":7,"correlation":99}})j");
    ASSERT_EQ(timeline_->gpus.count, 7u);
    EXPECT_EQ(name(timeline_->gpus.at[6].name), "stray");
    EXPECT_EQ(timeline_->processes.at[timeline_->gpus.at[6].process].info.pid, 101u);
}

} // namespace
