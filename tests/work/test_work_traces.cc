// test_work_traces.cc - traces of real programs, which lie beside the repository: skipped where not.
#include "op_maker.h"

extern "C" {
#include "foreign.h"
#include "kernel_work.h"
}

#include <cstdlib>
#include <map>
#include <memory>
#include <sys/stat.h>

namespace
{
std::string data_path(const std::string &name)
{
    const char *given = std::getenv("SHARED_DIR");
    return (given ? given : PROF_TEST_DATA_DIR "/../../../shared") + ("/data/" + name);
}

bool is_there(const std::string &path)
{
    struct stat status;
    return stat(path.c_str(), &status) == 0;
}

struct Trace {
    explicit Trace(const std::string &path)
    {
        const char *paths[] = {path.c_str()};
        read_error error{};
        made = timeline_load_by(foreign_open, paths, 1, false, &error);
        EXPECT_NE(made, nullptr) << error.message;
        EXPECT_TRUE(!made || kernel_works_init(&works, made));
    }
    ~Trace()
    {
        kernel_works_fini(&works);
        timeline_destroy(made);
    }
    Trace(const Trace &) = delete;

    std::string name_of(uint32_t name) const
    {
        return {made->names.at[name].bytes, made->names.at[name].size};
    }

    uint32_t parent(uint32_t slice) const { return made->slices.at[slice].parent; }

    op_class class_of(uint32_t slice) const
    {
        return op_class_of(made->names.at[made->slices.at[slice].name]);
    }

    double flop() const
    {
        double sum = 0;
        for (uint32_t i = 0; i < works.count; i++)
            sum += works.at[i].flop_known == OP_KNOWN ? works.at[i].flop : 0;
        return sum;
    }

    // Of a slice itself, by its attributes.
    op_work work_of_slice(uint32_t slice) const
    {
        std::map<std::string, std::string> texts;
        for (uint32_t i = 0; i < made->attrs.count; i++)
            if (made->attrs.at[i].slice == slice && made->attrs.at[i].type == PROF_ATTR_STRING)
                texts[name_of(made->attrs.at[i].key)] =
                    name_of(static_cast<uint32_t>(made->attrs.at[i].value));
        return work_of(name_of(made->slices.at[slice].name),
                       {texts["Input Dims"], texts["Input type"], texts["Concrete Inputs"]});
    }

    timeline *made = nullptr;
    kernel_works works{};
};

const char *const traces[] = {
    "pytorch/test_analysis_example_profile.json",
    "kineto/resnet50_nw0.1623143089861.pt.trace.json.gz",
    "kineto/gpu_metrics_input.json",
    "hta/amd_trace_mi250_minitoy_train_ROCm6_2_kineto.json.gz",
    "hta/call_stack_backward_thread.json",
    "hta/critical_path_alexnet_benchmark_result_2869224_1695835535_trace.json.gz",
    "hta/execution_trace_benchmark_simple_add_trace.json.gz",
    "hta/trace_diff_control_control.json.gz",
    "hta/triton_example_triton_example.json.gz",
};

class WorkTrace : public testing::TestWithParam<const char *>
{
};
} // namespace

// What kernels were given is, range by range, what the range's own texts make: once.
TEST_P(WorkTrace, EveryRangesWorkIsGivenOnce)
{
    std::string path = data_path(GetParam());
    if (!is_there(path))
        GTEST_SKIP() << path << " is not there";
    Trace trace(path);
    ASSERT_NE(trace.made, nullptr);
    ASSERT_EQ(trace.works.count, trace.made->gpus.count);
    std::map<uint32_t, double> flop, bytes;
    for (uint32_t i = 0; i < trace.works.count; i++) {
        const kernel_work &work = trace.works.at[i];
        EXPECT_EQ(work.flop_known == OP_KNOWN, !std::isnan(work.flop));
        EXPECT_EQ(work.bytes_known == OP_KNOWN, !std::isnan(work.bytes));
        EXPECT_EQ(work.source == WORK_NONE, work.slice == TL_NONE);
        if (work.slice == TL_NONE)
            continue;
        flop[work.slice] += work.flop;
        bytes[work.slice] += work.bytes;
    }
    for (auto [slice, sum] : flop) {
        op_work own = trace.work_of_slice(slice);
        if (own.flop_known == OP_KNOWN) {
            EXPECT_NEAR(sum, own.flop, own.flop * 1e-12);
        }
        if (own.bytes_known == OP_KNOWN) {
            EXPECT_NEAR(bytes[slice], own.bytes, own.bytes * 1e-12);
        }
        for (uint32_t up = trace.parent(slice); up != TL_NONE; up = trace.parent(up))
            EXPECT_TRUE(!flop.count(up) || trace.class_of(slice) < trace.class_of(up))
                << trace.name_of(trace.made->slices.at[slice].name) << " in "
                << trace.name_of(trace.made->slices.at[up].name);
    }
}

INSTANTIATE_TEST_SUITE_P(All, WorkTrace, testing::ValuesIn(traces));

TEST(WorkTraces, ExampleOfPyTorchHasItsPaddingCounted)
{
    std::string path = data_path(traces[0]);
    if (!is_there(path))
        GTEST_SKIP() << path << " is not there";
    Trace trace(path);
    // aten::convolution with 112 x 112 outputs, aten::addmm 2 * 1000 * 2048
    std::map<double, int> counts;
    for (uint32_t i = 0; i < trace.works.count; i++)
        counts[trace.works.at[i].flop]++;
    EXPECT_EQ(counts[236027904], 1);
    EXPECT_EQ(counts[4096000], 1);
    EXPECT_EQ(trace.flop(), 236027904 + 4096000);
}
