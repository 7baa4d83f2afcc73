/* test_kineto.cc - Chrome traces: what comes of their events, in every dialect, in any order. */
#include "../support/kineto_sample.h"
#include "kineto_fixture.h"

namespace
{

const char kineto_2021[] = R"j([
 {"ph":"X","cat":"Kernel","name":"gemm","pid":0,"tid":"stream 7","ts":1621401187224556,"dur":3,
  "args":{"queued":0,"device":0,"context":1,"stream":7,"correlation":311,"external id":31,
  "registers per thread":40,"shared memory":512,"grid":[8,2,1],"block":[128,1,1]}},
 {"ph":"f","id":311,"pid":0,"tid":"stream 7","ts":1621401187224556,"cat":"async","name":"launch","bp":"e"},
 {"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":24572,"tid":"24572","ts":1621401187224510,
  "dur":20,"args":{"cbid":211,"correlation":311,"external id":31}},
 {"ph":"s","id":311,"pid":24572,"tid":24572,"ts":1621401187224510,"cat":"async","name":"launch"},
 {"ph":"X","cat":"Operator","name":"aten::mm","pid":24572,"tid":24572,"ts":1621401187224500,"dur":40,
  "args":{"External id":31,"Input Dims":[[2,3],[3,4]]}}])j";

const char kineto_2022[] = R"j({"schemaVersion":1,"traceEvents":[
 {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":24572,"tid":24572,"ts":1621401187224500,"dur":40,
  "args":{"External id":31,"Input Dims":[[2,3],[3,4]]}},
 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":24572,"tid":24572,
  "ts":1621401187224510,"dur":20,"args":{"External id":311,"cbid":211,"correlation":311}},
 {"ph":"f","id":311,"pid":24572,"tid":24572,"ts":1621401187224510,"cat":"async_cpu_to_gpu","name":"async_gpu","bp":"e"},
 {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1621401187224556,"dur":3,"args":{
  "External id":311,"device":0,"context":1,"stream":7,"correlation":311,"registers per thread":40,
  "shared memory":512,"grid":[8,2,1],"block":[128,1,1]}}]})j";

const char kineto_2023[] = R"j({"schemaVersion":1,"traceEvents":[
 {"ph":"X","cat":"cpu_op","name":"aten::mm","pid":24572,"tid":24572,"ts":7224500.000,"dur":40.000,
  "args":{"External id":31,"Record function id":4,"Input Dims":[[2,3],[3,4]]}},
 {"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":24572,"tid":24572,
  "ts":7224510.000,"dur":20,"args":{"External id":31,"cbid":307,"correlation":311}},
 {"ph":"s","id":311,"pid":24572,"tid":24572,"ts":7224510.000,"cat":"ac2g","name":"ac2g"},
 {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":7224556.000,"dur":3.000,"args":{
  "External id":31,"device":0,"context":1,"stream":7,"correlation":311,"registers per thread":40,
  "shared memory":512,"grid":[8,2,1],"block":[128,1,1]}}],
  "baseTimeNanoseconds":1621401180000000000})j";

TEST_F(Kineto, ReadsAllDialectsAlike)
{
    for (const char *json : {kineto_2021, kineto_2022, kineto_2023}) {
        load(json);
        ASSERT_EQ(timeline_->processes.count, 1u) << json;
        EXPECT_EQ(timeline_->processes.at[0].info.pid, 24572u);
        ASSERT_EQ(timeline_->threads.count, 1u);
        EXPECT_EQ(timeline_->threads.at[0].tid, 24572u);
        ASSERT_EQ(timeline_->slices.count, 2u);
        EXPECT_EQ(timeline_->base_realtime_ns + (uint64_t)timeline_->slices.at[0].start_ns,
                  1621401187224500000u);
        EXPECT_EQ(timeline_->slices.at[1].kind, TL_API);
        ASSERT_EQ(timeline_->gpus.count, 1u);
        const tl_gpu &gpu = timeline_->gpus.at[0];
        EXPECT_EQ(gpu.slice, 1u);
        EXPECT_EQ(gpu.start_ns - timeline_->slices.at[0].start_ns, 56000);
        const tl_kernel &kernel = timeline_->kernels.at[gpu.detail];
        EXPECT_EQ(kernel.grid_x, 8u);
        EXPECT_EQ(kernel.block_x, 128u);
        EXPECT_EQ(kernel.registers, 40u);
        EXPECT_EQ(kernel.dynamic_shared_memory, 512u);
        EXPECT_EQ(timeline_->streams.at[gpu.stream].stream, 7u);
        EXPECT_EQ(attr("aten::mm", "Input Dims"), "[[2,3],[3,4]]");
        EXPECT_EQ(timeline_->ledger.launched, 1u);
        EXPECT_EQ(timeline_->ledger.orphans, 0u);
    }
}

TEST_F(Kineto, TakesMembersInAnyOrderAndSpaceAnywhere)
{
    events(
        "{ \"args\" : {\"correlation\":\"9\"} , \"dur\":2 , \"ts\" :\n\"10\",\t\"tid\":1,\"pid\":1,"
        "\"name\":\"cudaMalloc\",\"cat\":\"cuda_runtime\",\"ph\":\"X\" }");
    EXPECT_EQ(slices(), "cudaMalloc 0-2000 0");
    EXPECT_EQ(timeline_->apis.at[0].correlation, 9u);
}

TEST_F(Kineto, PairsBeginsAndEndsInTheOrderOfTime)
{
    events(R"j({"ph":"E","pid":1,"tid":1,"ts":9},{"ph":"B","name":"in","pid":1,"tid":1,"ts":4},
              {"ph":"B","name":"out","pid":1,"tid":1,"ts":1},{"ph":"E","pid":1,"tid":1,"ts":6},
              {"ph":"B","name":"other","pid":1,"tid":2,"ts":2},{"ph":"E","pid":1,"tid":2,"ts":3})j");
    EXPECT_EQ(slices(), "out 0-8000 0, in 3000-5000 1, other 1000-2000 0");
}

TEST_F(Kineto, CountsEndsWithoutABeginAndClosesWhatIsOpen)
{
    expected_findings = "warning unbalanced-ranges";
    events(R"j({"ph":"E","pid":1,"tid":1,"ts":0},{"ph":"B","name":"open","pid":1,"tid":1,"ts":4},
              {"ph":"X","name":"last","pid":1,"tid":2,"ts":10,"dur":5})j");
    EXPECT_EQ(slices(), "open 0-11000 0, last 6000-11000 0");
    EXPECT_TRUE(timeline_->slices.at[0].flags & TL_UNCLOSED);
    EXPECT_EQ(warnings(), "1 ends of events without a begin\n");
}

TEST_F(Kineto, PairsRangesByIdScopeCategoryAndName)
{
    events(R"j({"ph":"b","cat":"c","name":"r","id":1,"pid":1,"tid":1,"ts":0},
              {"ph":"b","cat":"c","name":"r","id":"0x2","pid":1,"tid":1,"ts":1},
              {"ph":"e","cat":"c","name":"r","id":1,"pid":1,"tid":2,"ts":8},
              {"ph":"e","cat":"c","name":"r","id":"0x2","pid":1,"tid":1,"ts":5})j");
    ASSERT_EQ(timeline_->asyncs.count, 2u);
    std::map<int64_t, int64_t> ranges;
    for (uint32_t i = 0; i < 2; i++)
        ranges[timeline_->asyncs.at[i].start_ns] = timeline_->asyncs.at[i].end_ns;
    EXPECT_EQ(ranges[0], 8000);
    EXPECT_EQ(ranges[1000], 5000);
}

TEST_F(Kineto, ReadsCountersAndMarks)
{
    events(
        R"j({"ph":"C","name":"memory","pid":1,"ts":1,"args":{"used":1.5,"free":-2,"what":"text"}},
              {"ph":"C","name":"load","pid":1,"ts":2,"args":{"value":7}},
              {"ph":"X","name":"x","pid":1,"tid":1,"ts":0,"dur":9},
              {"ph":"i","name":"mark","s":"t","pid":1,"tid":1,"ts":3},
              {"ph":"i","name":"Record Window End","s":"g","pid":"","tid":"","ts":3})j");
    ASSERT_EQ(timeline_->counters.count, 3u);
    EXPECT_EQ(name(timeline_->counters.at[0].name), "memory: used");
    EXPECT_EQ(timeline_->counters.at[1].value, -2);
    EXPECT_EQ(name(timeline_->counters.at[2].name), "load");
    ASSERT_EQ(timeline_->marks.count, 1u);
    EXPECT_EQ(timeline_->marks.at[0].slice, 0u);
    EXPECT_EQ(timeline_->processes.count, 1u);
}

TEST_F(Kineto, NamesSeriesOfCountersTheSameInEveryEvent)
{
    events(
        R"j({"ph":"C","name":"two","pid":1,"tid":4,"ts":1,"args":{"a":1}},
              {"ph":"C","name":"two","pid":1,"ts":2,"args":{"a":2,"b":7}},
              {"ph":"C","name":"two","pid":1,"ts":3,"args":{"b":8,"c":null}},
              {"ph":"C","name":"heap","id":"0x1","pid":1,"ts":4,"args":{"bytes":5}},
              {"ph":"C","name":"heap","id":2,"pid":1,"ts":5,"args":{"bytes":6}},
              {"ph":"C","name":"heap","pid":1,"ts":6,"args":{"bytes":7,"text":"8"}},
              {"ph":"X","name":"x","pid":1,"tid":1,"ts":0,"dur":9})j");
    std::vector<std::pair<std::string, double>> values;
    for (uint32_t i = 0; i < timeline_->counters.count; i++)
        values.emplace_back(name(timeline_->counters.at[i].name), timeline_->counters.at[i].value);
    std::sort(values.begin(), values.end());
    EXPECT_EQ(values, (std::vector<std::pair<std::string, double>>{{"heap", 7},
                                                                   {"heap[0x1]", 5},
                                                                   {"heap[2]", 6},
                                                                   {"two: a", 1},
                                                                   {"two: a", 2},
                                                                   {"two: b", 7},
                                                                   {"two: b", 8}}));
}

TEST_F(Kineto, AStepIsWhatIsCalledLikeOneToTheLastCharacter)
{
    events(R"j({"ph":"X","name":"ProfilerStep#007","pid":1,"tid":1,"ts":0,"dur":1},
              {"ph":"X","name":"ProfilerStep#2x","pid":1,"tid":1,"ts":1,"dur":1},
              {"ph":"X","name":"ProfilerStep#","pid":1,"tid":1,"ts":2,"dur":1},
              {"ph":"X","name":"ProfilerStep#99999999999999999999","pid":1,"tid":1,"ts":3,"dur":1},
              {"ph":"X","name":"step#7","pid":1,"tid":1,"ts":4,"dur":1},
              {"ph":"B","name":"ProfilerStep#8","pid":1,"tid":1,"ts":5},
              {"ph":"E","pid":1,"tid":1,"ts":6})j");
    std::vector<std::string> steps;
    for (uint32_t i = 0; i < timeline_->slices.count; i++)
        if (timeline_->slices.at[i].kind == TL_STEP)
            steps.push_back(name(timeline_->slices.at[i].name));
    EXPECT_EQ(steps, (std::vector<std::string>{"ProfilerStep#007", "ProfilerStep#8"}));
}

TEST_F(Kineto, AKernelWithoutACallComesFromTheOperatorItNames)
{
    expected_findings = "warning orphans";
    events(
        R"j({"ph":"X","cat":"kernel","name":"k","pid":1,"tid":1,"ts":50,"dur":2,"args":{"External id":8}},
              {"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":0,"dur":20,"args":{"External id":7}},
              {"ph":"X","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":1,"dur":9,"args":{"External id":8}},
              {"ph":"X","cat":"kernel","name":"nobody's","pid":1,"tid":1,"ts":60,"dur":2,
               "args":{"External id":99}})j");
    EXPECT_EQ(origins()["k"], " < inner < outer");
    EXPECT_EQ(origins()["nobody's"], "");
    EXPECT_EQ(timeline_->ledger.recorded, 1u);
    EXPECT_EQ(timeline_->ledger.orphans, 1u);
}

TEST_F(Kineto, ACallGoesBeforeTheOperator)
{
    events(
        R"j({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":20,"args":{"External id":7}},
              {"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":30,"dur":9,
               "args":{"correlation":5}},
              {"ph":"X","cat":"kernel","name":"k","pid":2,"tid":1,"ts":50,"dur":2,
               "args":{"External id":7,"correlation":5}})j");
    EXPECT_EQ(origins()["k"], " < hipLaunchKernel");
}

/* "Device 0: 16 at 2000-3000 in op" of every allocation. */
static std::string memories(const timeline *t)
{
    std::string all;
    for (uint32_t i = 0; i < t->memories.count; i++) {
        const tl_memory &memory = t->memories.at[i];
        const tl_heap &heap = t->heaps.at[memory.heap];
        all += (heap.device == TL_NONE ? "host" : "device " + std::to_string(heap.device)) + ": " +
               std::to_string(memory.bytes) + " at " + std::to_string(memory.start_ns) + "-" +
               (memory.end_ns == TL_MEMORY_LIVE ? "" : std::to_string(memory.end_ns)) +
               (memory.slice == TL_NONE
                    ? ""
                    : std::string(" in ") + t->names.at[t->slices.at[memory.slice].name].bytes) +
               "\n";
    }
    return all;
}

static std::string memory_event(int ts, long bytes, const std::string &more)
{
    return R"j({"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":)j" +
           std::to_string(ts) + R"j(,"args":{"Bytes":)j" + std::to_string(bytes) + more + "}},";
}

TEST_F(Kineto, MemoryEventsAreMemory)
{
    const std::string device = R"(,"Device Type":1,"Device Id":0)",
                      host = R"(,"Device Type":0,"Device Id":-1)";
    events(memory_event(5, 512, device + R"(,"Addr":4096,"Total Allocated":1512)") +
           memory_event(2, 16, host + R"(,"Addr":64)") +
           memory_event(7, -300, device + R"(,"Addr":9000,"Total Allocated":1212)") +
           memory_event(9, -512, device + R"(,"Addr":4096,"Total Allocated":700)") +
           R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":6})");
    EXPECT_EQ(memories(timeline_), "device 0: 300 at 0-7000\n" /* released, so it was there */
                                   "device 0: 700 at 0-\n"     /* the rest of the total */
                                   "host: 16 at 2000- in op\n"
                                   "device 0: 512 at 5000-9000 in op\n");
    EXPECT_EQ(timeline_->marks.count, 0u);
}

TEST_F(Kineto, MemoryIsOfWhatIsOpenWhenItIsAllocated)
{
    const std::string host = R"(,"Device Type":0,"Device Id":-1,"Addr":)";
    events(R"j({"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":0,"dur":9},
              {"ph":"X","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":1,"dur":3},)j" +
           memory_event(2, 16, host + "1") + memory_event(5, 32, host + "2") +
           memory_event(12, 64, host + "3") +
           R"j({"ph":"X","cat":"cpu_op","name":"later","pid":1,"tid":1,"ts":20,"dur":1})j");
    EXPECT_EQ(memories(timeline_), "host: 16 at 2000- in inner\n"
                                   "host: 32 at 5000- in outer\n"
                                   "host: 64 at 12000-\n");
}

TEST_F(Kineto, MemoryFromBeforeTheTraceMakesNoProcessLonger)
{
    events(R"j({"ph":"X","cat":"cpu_op","name":"op","pid":2,"tid":2,"ts":0,"dur":6},
              {"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":4,"dur":6},)j" +
           memory_event(7, -300, R"(,"Device Type":1,"Device Id":0,"Addr":9000)") +
           memory_event(8, 20, R"(,"Device Type":1,"Device Id":0,"Addr":50)") +
           R"j({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":10,"dur":2})j");
    EXPECT_EQ(memories(timeline_), "device 0: 300 at 4000-7000\n"
                                   "device 0: 20 at 8000- in op\n");
    ASSERT_EQ(timeline_->processes.count, 2u);
    EXPECT_EQ(timeline_->processes.at[1].info.pid, 1u);
    EXPECT_EQ(timeline_->processes.at[1].start_ns, 4000);
}

TEST_F(Kineto, ReleasesWithoutAnAddressAreOfTheLatestAllocationOfTheirSize)
{
    const std::string device = R"(,"Device Type":1,"Device Id":0)";
    events(memory_event(1, 512, device) + memory_event(2, 64, device) +
           memory_event(3, 512, device) + memory_event(4, -512, device) +
           memory_event(5, -512, device) + memory_event(6, -512, device) +
           R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":0,"dur":9})");
    EXPECT_EQ(memories(timeline_), "device 0: 512 at 0-6000\n"
                                   "device 0: 512 at 1000-5000 in op\n"
                                   "device 0: 64 at 2000- in op\n"
                                   "device 0: 512 at 3000-4000 in op\n");
}

TEST_F(Kineto, MemoryEventsThatSayNothingAreMarks)
{
    events(R"j({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":1},
              {"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":2,"args":{"Bytes":"many"}})j");
    EXPECT_EQ(timeline_->memories.count, 0u);
    EXPECT_EQ(timeline_->marks.count, 2u);
}

TEST_F(Kineto, PythonFunctionsOfNoThreadMakeNoProcess)
{
    events(
        R"j({"ph":"X","cat":"python_function","name":"f","pid":0,"tid":0,"ts":0,"dur":90},
              {"ph":"X","cat":"python_function","name":"g","pid":0,"tid":0,"ts":1,"dur":9},
              {"ph":"X","cat":"cpu_op","name":"a","pid":7,"tid":7,"ts":1,"dur":5})j");
    ASSERT_EQ(timeline_->processes.count, 1u);
    EXPECT_EQ(timeline_->processes.at[0].info.pid, 7u);
    EXPECT_EQ(slices(), "a 0-5000 0");
}

TEST_F(Kineto, AKernelNeedsNoArgs)
{
    expected_findings = "warning orphans";
    events(
        R"j({"ph":"X","cat":"kernel","name":"bare","pid":0,"tid":7,"ts":1,"dur":5},
              {"ph":"X","cat":"kernel","name":"irq","pid":4711,"tid":4711,"ts":1,"dur":5})j");
    ASSERT_EQ(timeline_->gpus.count, 1u);
    EXPECT_EQ(name(timeline_->gpus.at[0].name), "bare");
    EXPECT_EQ(slices(), "irq 0-5000 0") << "of the operating system's kernel";
}

TEST_F(Kineto, AGraphAsAWholeIsNoKernel)
{
    events(
        R"j({"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":9,"tid":9,"ts":1,"dur":1,
             "args":{"correlation":1}},
            {"ph":"X","cat":"gpu_graph","name":"CUDA graph 5","pid":0,"tid":7,"ts":5,"dur":5,
             "args":{"device":0,"context":1,"stream":7,"correlation":1,"graph id":5}})j");
    ASSERT_EQ(timeline_->gpus.count, 1u);
    EXPECT_EQ(timeline_->gpus.at[0].kind, TL_GRAPH_RUN);
    EXPECT_EQ(origins()["CUDA graph 5"], " < cudaGraphLaunch");
    EXPECT_EQ(timeline_->slices.count, 1u);
}

TEST_F(Kineto, CountersOfDevicesAreNoTimeOfTheProgram)
{
    for (const char *category : {"cuda_profiler_range", "mtia_ccp_events", "unified_memory"}) {
        events(std::string(R"j({"ph":"X","cat":")j") + category +
               R"j(","name":"range 0","pid":0,"tid":0,"ts":1,"dur":500,"args":{"metric":1.5}},
              {"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":2,"dur":5})j");
        EXPECT_EQ(slices(), "op 0-5000 0") << category;
        EXPECT_EQ(warnings(), "1 times of device counters or of managed memory left out\n");
        EXPECT_EQ(timeline_->processes.count, 1u);
    }
}

const char amd_operations[] =
    R"j("traceEvents":[{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":9,"tid":9,"ts":1,
         "dur":1,"args":{"correlation":1}},
        {"ph":"X","cat":"kernel","name":"k","pid":6,"tid":0,"ts":5,"dur":5,
         "args":{"device":6,"stream":0,"correlation":1}}]})j";

TEST_F(Kineto, DevicesOfAmdAreNumberedWithTheProcessors)
{
    const std::string one = R"j("name":"AMD Instinct MI250","numSms":104)j",
                      other = R"j("name":"AMD Instinct MI100","numSms":120)j";
    load(R"j({"deviceProperties":[{"id":0,)j" + one + R"j(},{"id":1,)j" + one + "}]," +
         amd_operations);
    ASSERT_EQ(timeline_->devices.count, 3u);
    EXPECT_EQ(timeline_->devices.at[2].info.device, 6u);
    EXPECT_EQ(name(timeline_->devices.at[2].name), "AMD Instinct MI250");
    EXPECT_EQ(timeline_->devices.at[2].info.multiprocessors, 104u);
    load(R"j({"deviceProperties":[{"id":0,)j" + one + R"j(},{"id":1,)j" + other + "}]," +
         amd_operations);
    ASSERT_EQ(timeline_->devices.count, 3u);
    EXPECT_EQ(timeline_->devices.at[2].name, TL_NONE) << "which of the two it is nobody knows";
}

TEST_F(Kineto, SaysWhoTimedTheDevice)
{
    load(std::string("{") + amd_operations);
    EXPECT_EQ(timeline_->processes.at[0].info.gpu_mode, PROF_GPU_OTHER);
    EXPECT_EQ(timeline_->ledger.recorded, 1u);
    events(
        R"j({"ph":"X","cat":"xpu_runtime","name":"urEnqueueKernelLaunch","pid":9,"tid":9,"ts":1,"dur":1,
             "args":{"correlation":1}},
            {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":0,"ts":5,"dur":5,
             "args":{"device":0,"correlation":1}})j");
    EXPECT_EQ(timeline_->processes.at[0].info.gpu_mode, PROF_GPU_OTHER);
    events(
        R"j({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":1,"dur":1,
             "args":{"correlation":1}},
            {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":0,"ts":5,"dur":5,
             "args":{"device":0,"correlation":1}})j");
    EXPECT_EQ(timeline_->processes.at[0].info.gpu_mode, PROF_GPU_CUPTI);
    EXPECT_EQ(timeline_->processes.at[0].info.device_api, TL_API_CUDA);
}

TEST_F(Kineto, KnowsAmdsDevicesByCallsElseByTheirNames)
{
    expected_findings = "warning orphans";
    const std::string kernel =
        R"j({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":0,"ts":5,"dur":5,
             "args":{"device":0}})j";
    auto api = [&](const std::string &device, const std::string &call) {
        std::string calls;
        if (!call.empty())
            calls = R"j({"ph":"X","cat":"cuda_runtime","pid":9,"tid":9,"ts":1,"dur":1,"name":")j" +
                    call + "\"},";
        load(R"j({"deviceProperties":[{"id":0,"name":")j" + device + R"j("}],"traceEvents":[)j" +
             calls + kernel + "]}");
        return timeline_->processes.at[0].info.device_api;
    };
    EXPECT_EQ(api("AMD Instinct MI300X", ""), TL_API_HIP);
    EXPECT_EQ(api("gfx942", ""), TL_API_HIP);
    EXPECT_EQ(api("NVIDIA A100", ""), TL_API_CUDA);
    EXPECT_EQ(api("NVIDIA A100", "hipLaunchKernel"), TL_API_HIP);
    EXPECT_EQ(api("AMD Radeon Graphics", "roctxMarkA"), TL_API_HIP);
    EXPECT_EQ(api("AMD Radeon Graphics", "cudaLaunchKernel"), TL_API_CUDA);
}

TEST_F(Kineto, PythonFramesAreStacksAndNoWork)
{
    events(
        R"j({"ph":"X","cat":"python_function","name":"a.py(1): main","pid":1,"tid":1,"ts":0,"dur":100},
              {"ph":"X","cat":"python_function","name":"a.py(2): f","pid":1,"tid":1,"ts":10,"dur":20},
              {"ph":"X","cat":"cpu_op","name":"one","pid":1,"tid":1,"ts":12,"dur":5,"args":{"External id":1}},
              {"ph":"X","cat":"cpu_op","name":"two","pid":1,"tid":1,"ts":40,"dur":5,"args":{"Input type":["float"]}},
              {"ph":"X","cat":"cpu_op","name":"own","pid":1,"tid":1,"ts":60,"dur":5,"args":{"Call stack":"b.py(3): g"}},
              {"ph":"X","cat":"cpu_op","name":"elsewhere","pid":1,"tid":2,"ts":60,"dur":5,"args":{}})j");
    EXPECT_EQ(timeline_->slices.count, 4u);
    EXPECT_EQ(stack("one"), "a.py(2): f;a.py(1): main");
    EXPECT_EQ(stack("two"), "a.py(1): main");
    EXPECT_EQ(attr("two", "Input type"), "[\"float\"]");
    EXPECT_EQ(stack("own"), "b.py(3): g") << "what the file states of it";
    EXPECT_EQ(attr("own", "Call stack"), "b.py(3): g");
    EXPECT_EQ(attr("one", "Call stack"), "none") << "the frames are there";
    EXPECT_EQ(stack("elsewhere"), "none");
}

TEST_F(Kineto, CallsHaveTheStackOfThePythonFramesAroundThem)
{
    events(
        R"j({"ph":"X","cat":"python_function","name":"a.py(9): late","pid":1,"tid":1,"ts":60,"dur":30},
              {"ph":"X","cat":"cuda_runtime","name":"first","pid":1,"tid":1,"ts":20,"dur":2,"args":{"correlation":1}},
              {"ph":"X","cat":"python_function","name":"a.py(2): f","pid":1,"tid":1,"ts":10,"dur":20},
              {"ph":"X","cat":"python_function","name":"a.py(2): f","pid":1,"tid":1,"ts":40,"dur":10},
              {"ph":"X","cat":"python_function","name":"a.py(1): main","pid":1,"tid":1,"ts":0,"dur":100},
              {"ph":"X","cat":"cuda_runtime","name":"between","pid":1,"tid":1,"ts":30,"dur":2,"args":{"correlation":2}},
              {"ph":"X","cat":"cuda_runtime","name":"again","pid":1,"tid":1,"ts":42,"dur":2,"args":{"correlation":3}},
              {"ph":"X","cat":"user_annotation","name":"around","pid":1,"tid":1,"ts":0,"dur":200},
              {"ph":"X","cat":"user_annotation","name":"crosses","pid":1,"tid":1,"ts":55,"dur":10},
              {"ph":"X","cat":"cuda_runtime","name":"inner","pid":1,"tid":1,"ts":61,"dur":2,"args":{"correlation":4}},
              {"ph":"X","cat":"cuda_runtime","name":"after","pid":1,"tid":1,"ts":70,"dur":2,"args":{"correlation":5}},
              {"ph":"X","cat":"cuda_runtime","name":"stated","pid":1,"tid":1,"ts":80,"dur":2,
               "args":{"correlation":6,"Call stack":"libx.so: g;;b.py(1): <module>"}},
              {"ph":"X","cat":"cuda_runtime","name":"outside","pid":1,"tid":1,"ts":150,"dur":2,"args":{"correlation":7}},
              {"ph":"X","cat":"cuda_runtime","name":"other thread","pid":1,"tid":2,"ts":20,"dur":2,"args":{"correlation":8}})j");
    EXPECT_EQ(stack("first"), "a.py(2): f;a.py(1): main");
    EXPECT_EQ(stack("between"), "a.py(1): main");
    EXPECT_EQ(stack("again"), "a.py(2): f;a.py(1): main");
    EXPECT_EQ(stack("inner"), "a.py(9): late;a.py(1): main");
    EXPECT_EQ(stack("after"), "a.py(9): late;a.py(1): main");
    EXPECT_EQ(stack("stated"), "libx.so: g;b.py(1): <module>");
    EXPECT_EQ(attr("stated", "Call stack"), "none");
    EXPECT_EQ(stack("crosses"), "a.py(1): main");
    for (const char *none : {"around", "outside", "other thread"})
        EXPECT_EQ(stack(none), "none") << none;
    EXPECT_EQ(timeline_->stacks.count, 4u) << "one of each";
}

TEST_F(Kineto, PythonFramesAreCallsWithinTheTimeOfOtherEvents)
{
    events(
        R"j({"ph":"X","cat":"python_function","name":"a.py(2): f","pid":1,"tid":1,"ts":10,"dur":20},
              {"ph":"X","cat":"python_function","name":"a.py(1): main","pid":1,"tid":1,"ts":0,"dur":100},
              {"ph":"X","cat":"python_function","name":"a.py(3): late","pid":1,"tid":1,"ts":70,"dur":60},
              {"ph":"X","cat":"cpu_op","name":"one","pid":1,"tid":1,"ts":12,"dur":5,"args":{}},
              {"ph":"X","cat":"cpu_op","name":"two","pid":1,"tid":2,"ts":60,"dur":20,"args":{}})j");
    const struct {
        const char *called;
        int64_t start_ns, end_ns;
        uint32_t parent;
    } wanted[] = {{"a.py(1): main", 0, 68000, TL_NONE},
                  {"a.py(2): f", 0, 18000, 0},
                  {"a.py(3): late", 58000, 68000, 0}};
    ASSERT_EQ(timeline_->frames.count, 3u);
    for (uint32_t i = 0; i < 3; i++) {
        const tl_frame &frame = timeline_->frames.at[i];
        EXPECT_EQ(name(frame.name), wanted[i].called);
        EXPECT_EQ(frame.start_ns - timeline_->start_ns, wanted[i].start_ns) << i;
        EXPECT_EQ(frame.end_ns - timeline_->start_ns, wanted[i].end_ns) << i;
        EXPECT_EQ(frame.parent, wanted[i].parent) << i;
    }
}

TEST_F(Kineto, PythonFramesLastAsLongAsTheProfilerSaysItRan)
{
    events(
        R"j({"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":5,"dur":85},
              {"ph":"X","cat":"python_function","name":"main","pid":1,"tid":1,"ts":0,"dur":100},
              {"ph":"X","cat":"python_function","name":"f","pid":1,"tid":1,"ts":40,"dur":20},
              {"ph":"X","cat":"cpu_op","name":"one","pid":1,"tid":1,"ts":10,"dur":5})j");
    EXPECT_EQ(frames(), "main -5000-80000, f 30000-50000");
    EXPECT_EQ(timeline_->end_ns - timeline_->start_ns, 5000) << "the time is that of events";
}

TEST_F(Kineto, PythonFramesAloneAreAsTheFileHasThem)
{
    events(
        R"j({"ph":"X","cat":"python_function","name":"main","pid":1,"tid":1,"ts":0,"dur":100},
              {"ph":"X","cat":"python_function","name":"f","pid":1,"tid":1,"ts":40,"dur":20})j");
    EXPECT_EQ(frames(), "main 0-100000, f 40000-60000");
}

TEST_F(Kineto, LinksForwardToBackwardBySequenceNumber)
{
    events(
        R"j({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":5,"args":{"Sequence number":3,"Fwd thread id":0}},
              {"ph":"X","cat":"cpu_op","name":"autograd::engine::evaluate_function: MmBackward0","pid":1,"tid":2,"ts":50,"dur":9,
               "args":{"Sequence number":3,"Fwd thread id":1}})j");
    ASSERT_EQ(timeline_->fwdbwds.count, 1u);
    EXPECT_EQ(timeline_->fwdbwds.at[0].forward, 0u);
    EXPECT_EQ(timeline_->fwdbwds.at[0].backward, 1u);
}

TEST_F(Kineto, LeavesOutWhatIsDerivedOrAboutTheProfiler)
{
    events(
        R"j({"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)","pid":"Spans","tid":"PyTorch Profiler","ts":0,"dur":900},
              {"ph":"X","cat":"gpu_user_annotation","name":"step","pid":0,"tid":7,"ts":1,"dur":5},
              {"ph":"s","id":1,"pid":1,"tid":1,"ts":1},{"ph":"t","id":1,"pid":1,"tid":1,"ts":1},
              {"ph":"f","id":1,"pid":1,"tid":1,"ts":0},
              {"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":1,"ts":1,"dur":5})j");
    EXPECT_EQ(timeline_->slices.count, 1u);
    EXPECT_EQ(timeline_->slices.at[0].kind, TL_STEP);
    EXPECT_EQ(timeline_->processes.count, 1u);
}

TEST_F(Kineto, ReadsCopiesSetsAndWaits)
{
    expected_findings = "warning orphans";
    events(
        R"j({"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":7,"ts":0,"dur":5,
               "args":{"device":0,"context":1,"stream":7,"correlation":1,"bytes":640}},
              {"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":6,"dur":1,
               "args":{"device":0,"context":1,"stream":7,"bytes":8}},
              {"ph":"X","cat":"cuda_sync","name":"Context Sync","pid":0,"tid":7,"ts":8,"dur":0,
               "args":{"cuda_sync_kind":"Context Sync","stream":-1,"context":1}},
              {"ph":"X","cat":"overhead","name":"Lazy Function Loading","pid":-1,"tid":0,"ts":9,"dur":1})j");
    ASSERT_EQ(timeline_->memcpys.count, 1u);
    EXPECT_EQ(timeline_->memcpys.at[0].copy_kind, 1);
    EXPECT_EQ(timeline_->memcpys.at[0].src_kind, 2);
    EXPECT_EQ(timeline_->memcpys.at[0].dst_kind, 3);
    EXPECT_EQ(timeline_->memcpys.at[0].bytes, 640u);
    EXPECT_EQ(timeline_->memsets.at[0].memory_kind, 3);
    EXPECT_EQ(timeline_->syncs.at[0].type, 4u);
    EXPECT_EQ(timeline_->overheads.count, 1u);
}

TEST_F(Kineto, TellsDevicesRankAndHost)
{
    load(
        R"j({"deviceProperties":[{"id":1,"name":"A \"B\"","totalGlobalMem":42,"numSms":108,"computeMajor":8}],
             "distributedInfo":{"backend":"nccl","rank":3,"world_size":8},"host_name":"node7",
             "unknown":{"deep":[[{"a":"]}"}]]},
             "traceEvents":[{"ph":"X","name":"x","pid":1,"tid":1,"ts":0,"dur":1}]})j");
    ASSERT_EQ(timeline_->devices.count, 1u);
    EXPECT_EQ(name(timeline_->devices.at[0].name), "A \"B\"");
    EXPECT_EQ(timeline_->devices.at[0].info.multiprocessors, 108u);
    EXPECT_EQ(timeline_->processes.at[0].info.rank, 3);
    EXPECT_EQ(timeline_->processes.at[0].info.world_size, 8);
    EXPECT_STREQ(timeline_->processes.at[0].info.host.bytes, "node7");
}

TEST_F(Kineto, BearsOddTimesAndCountsThem)
{
    events(
        R"j({"ph":"X","name":"zero","pid":1,"tid":1,"ts":5,"dur":0},{"ph":"X","name":"back","pid":1,"tid":1,"ts":6,"dur":-3},
              {"ph":"X","name":"early","pid":1,"tid":2,"ts":-4,"dur":1},{"ph":"X","name":"no time","pid":1,"tid":1},
              {"ph":"X","name":"text","pid":1,"tid":3,"ts":"7.5","dur":"1"},{"ph":"X","name":"null","pid":1,"tid":1,"ts":null},
              {"ph":"X","name":"far","pid":1,"tid":4,"ts":1e300,"dur":1e300},{"ph":"?","ts":1},7,null,{})j");
    EXPECT_NE(
        slices().find("zero 9000-9000 0, back 10000-10000 0, early 0-1000 0, text 11500-12500 0"),
        std::string::npos)
        << slices();
    EXPECT_NE(warnings().find("2 events without a time left out"), std::string::npos) << warnings();
    EXPECT_NE(warnings().find("1 events that end before they begin"), std::string::npos);
    EXPECT_NE(warnings().find("2 items in the list of events that are not events"),
              std::string::npos);
    EXPECT_NE(warnings().find("2 events of a kind that is not read"), std::string::npos);
}

TEST_F(Kineto, TimeBeginsWithTheEarliestEvent)
{
    load(R"j({"baseTimeNanoseconds":1700000000000000000,"traceEvents":[
              {"ph":"M","name":"process_name","pid":1,"tid":1,"ts":0,"args":{"name":"p"}},
              {"ph":"X","name":"second","pid":1,"tid":1,"ts":9,"dur":2},
              {"ph":"X","name":"first","pid":1,"tid":1,"ts":4.5,"dur":2}]})j");
    EXPECT_EQ(slices(), "first 0-2000 0, second 4500-6500 0");
    EXPECT_EQ(timeline_->processes.at[0].info.start_realtime_ns, 1700000000000004500u);
    EXPECT_EQ(timeline_->base_realtime_ns, 1700000000000004500u);
}

TEST_F(Kineto, KeepsNegativeBeginsOfTheClock)
{
    events(R"j({"ph":"X","name":"x","pid":1,"tid":1,"ts":-5,"dur":2})j");
    EXPECT_EQ(slices(), "x 0-2000 0");
}

TEST_F(Kineto, ReadsAnArrayThatWasNotClosedAndSaysSo)
{
    for (const char *json :
         {"[{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}",
          "[{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1},\n",
          "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":"
          "0,\"dur\":1}"}) {
        load(json);
        EXPECT_EQ(slices(), "x 0-1000 0") << json;
        EXPECT_NE(warnings().find("1 array of events without its end"), std::string::npos);
    }
}

TEST_F(Kineto, SaysWhereAFileIsCut)
{
    std::string json =
        "[{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1},{\"ph\":\"X";
    EXPECT_EQ(load(json), nullptr);
    EXPECT_NE(message.find("t.json: offset 54: the file ends within an event"), std::string::npos)
        << message;
    load(json, true);
    EXPECT_EQ(slices(), "x 0-1000 0");
    EXPECT_NE(warnings().find("1 event cut off"), std::string::npos);
}

TEST_F(Kineto, SaysWhereItIsNoJson)
{
    const std::pair<const char *, const char *> cases[] = {
        {"{\"traceEvents\":[{\"ph\":\"X\" \"name\":1}]}", "offset 26: not JSON"},
        {"{\"traceEvents\":[{\"ph\":}]}", "offset 22: not JSON"},
        {"{\"traceEvents\":[{}}", "offset 18: not JSON"},
        {"{\"traceEvents\":[]}x", "offset 18: not JSON: something follows"},
        {"{\"a\":1}", "not a trace: it has no \"traceEvents\""},
        {R"j([{"frame":{"name":"a"},"children":[]},{"cuda":{"0":{}}}])j",
         "not a trace: none of its 2 items is an event"},
        {R"j({"traceEvents":[{"ph":"X","name":"a"}]})j", "none of its 1 items is an event"},
        {"{\"a\":1", "the file ends"},
        {"{\"", "the file ends"},
        {"[{}]]", "something follows the end"},
    };
    for (const auto &item : cases) {
        EXPECT_EQ(load(item.first), nullptr) << item.first;
        EXPECT_NE(message.find(item.second), std::string::npos) << item.first << ": " << message;
    }
}

/* Events of many lengths, so that the window's end falls into every part of one. */
TEST_F(Kineto, ReadsEventsAcrossTheWindow)
{
    std::string json = "{\"traceEvents\":[";
    for (int i = 0; i < 20000; i++)
        json += (i ? ",\n" : "") +
                std::string("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op\\u00e9") +
                std::to_string(i % 7) + "\",\"pid\":1,\"tid\":1,\"ts\":" + std::to_string(i) +
                ".125,\"dur\":0.5,\"args\":{\"x\":\"" + std::string((size_t)i % 97, '\\') +
                ((i % 97) % 2 ? "\\" : "") + "\",\"Input Dims\":[[" + std::to_string(i % 13) +
                "]]}}";
    json += "],\"tail\":\"" + std::string(1000000, 'x') + "\"}";
    load(json);
    ASSERT_EQ(timeline_->slices.count, 20000u);
    EXPECT_EQ(timeline_->slices.at[19999].start_ns, 19999000);
    EXPECT_EQ(timeline_->attrs.count, 20000u);
    EXPECT_EQ(name(timeline_->slices.at[8].name), "op\u00e91");
}

TEST_F(Kineto, ReadsAnEventThatIsLargerThanTheWindow)
{
    load("[{\"ph\":\"X\",\"name\":\"" + std::string(3000000, 'n') +
         "\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1}]");
    ASSERT_EQ(timeline_->slices.count, 1u);
    EXPECT_EQ(timeline_->names.at[timeline_->slices.at[0].name].size, 3000000u);
}

TEST_F(Kineto, SkipsDeepNesting)
{
    std::string deep = std::string(300000, '[') + std::string(300000, ']');
    load("{\"deep\":" + deep +
         ",\"traceEvents\":[{\"ph\":\"X\",\"name\":\"x\",\"pid\":1,\"tid\":1,"
         "\"ts\":0,\"dur\":1,\"args\":{\"a\":" +
         deep + "}}]}");
    EXPECT_EQ(slices(), "x 0-1000 0");
}

/* Whatever becomes of the samples, it is told or it is refused with a line: nothing else. */
class KinetoDamage : public testing::Test
{
public:
    static void read(const std::string &json, bool partial)
    {
        read_error error = {};
        builder *builder = builder_begin();
        trace_file *file =
            foreign_open_memory(json.data(), json.size(), "t.json", partial, builder, &error);
        timeline *timeline = file ? timeline_from_files(builder, &file, 1, &error) : nullptr;
        if (!file)
            builder_abandon(builder);
        trace_file_close(file);
        if (!timeline) {
            EXPECT_NE(std::string(error.message).find("t.json: "), std::string::npos) << json;
            return;
        }
        check_report report;
        timeline_check(timeline, &report);
        for (unsigned i = 0; i < report.count; i++) /* a kernel may well begin before its launch */
            EXPECT_TRUE(report.findings[i].severity != CHECK_ERROR ||
                        report.findings[i].rule == CHECK_RULE_CAUSALITY)
                << json << report.findings[i].sentence;
        timeline_destroy(timeline);
    }
};

TEST_F(KinetoDamage, CutAnywhere)
{
    for (const char *sample : kineto_samples)
        for (size_t size = 0; size < strlen(sample); size++) {
            read(std::string(sample, size), false);
            read(std::string(sample, size), true);
        }
}

TEST_F(KinetoDamage, ByteReplacedAnywhere)
{
    for (std::string sample : kineto_samples)
        for (size_t at = 0; at < sample.size(); at++)
            for (char byte : {'"', '{', ']', '9', '-', ',', '\\', '\0', 'e'}) {
                char before = sample[at];
                sample[at] = byte;
                read(sample, false);
                sample[at] = before;
            }
}

TEST_F(Kineto, AnEmptyTraceIsOne)
{
    load("[]");
    EXPECT_EQ(timeline_->processes.count, 0u);
    load("{\"traceEvents\":[]}");
    EXPECT_EQ(timeline_->slices.count, 0u);
}

} // namespace
