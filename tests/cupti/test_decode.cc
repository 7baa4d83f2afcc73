// Activity records of all four layouts become the records of the trace file.
#include "fake_recorder.h"
#include "record_maker.h"

#include <gtest/gtest.h>

extern "C" {
#include "activity.h"
#include "facts.h"
}

namespace
{

decode_result decode(RecordMaker &maker, oracle_next_record next = nullptr)
{
    return decode_buffer(&maker.sizes, next, maker.data(), maker.size());
}

class Decode : public testing::TestWithParam<Layout>
{
protected:
    void SetUp() override { fake_reset(); }
    RecordMaker maker{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Layouts, Decode,
                         testing::Values(CUDA_11_2, CUDA_11_8, CUDA_12_4, CUDA_13_0),
                         [](const auto &one) {
                             std::string name = layout_name(one.param);
                             name[2] = '_';
                             return "Cuda" + name;
                         });

TEST_P(Decode, KeepsEveryFieldOfAKernelIn64Bytes)
{
    add_kernel(maker, "_Z5saxpyif", 77, 1000, 1500);
    EXPECT_EQ(decode(maker).device_records, 1u);
    auto records = fake_records(PROF_REC_KERNEL);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].words.size() * 8, PROF_REC_KERNEL_SHORT_BYTES);
    EXPECT_EQ(records[0].info, 77u);
    EXPECT_TRUE(records[0].late);
    auto kernel = records[0].as<prof_rec_kernel>();
    EXPECT_EQ(kernel.start_ns, 1000u);
    EXPECT_EQ(kernel.end_ns, 1500u);
    EXPECT_EQ(fake_name(kernel.name), "_Z5saxpyif");
    EXPECT_EQ(kernel.device, 1u);
    EXPECT_EQ(kernel.context, 2u);
    EXPECT_EQ(kernel.stream, 7u);
    EXPECT_EQ(kernel.grid_x, 100000u);
    EXPECT_EQ(kernel.grid_y, 2u);
    EXPECT_EQ(kernel.grid_z, 3u);
    EXPECT_EQ(kernel.block_x, 256u);
    EXPECT_EQ(kernel.registers, 40u);
    EXPECT_EQ(kernel.static_shared_memory, 128u);
    EXPECT_EQ(kernel.dynamic_shared_memory, 4096u);
    EXPECT_EQ(kernel.local_memory, 65535u) << "more than fits is said to be that or more";
    EXPECT_EQ(fake_gpu_records(), 1u);
}

TEST_P(Decode, WritesTheLongFormOfAKernelOfAGraph)
{
    add_kernel(maker, "k", 1, 10, 20).SET(KERNEL_GRAPH_NODE, 0x100000002).SET(KERNEL_GRAPH, 9);
    decode(maker);
    auto records = fake_records(PROF_REC_KERNEL);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].words.size() * 8, sizeof(prof_rec_kernel));
    auto kernel = records[0].as<prof_rec_kernel>();
    EXPECT_EQ(kernel.graph_node, 0x100000002u);
    EXPECT_EQ(kernel.graph, 9u);
    EXPECT_EQ(kernel.priority, PROF_PRIORITY_UNKNOWN);
}

TEST_P(Decode, ReadsAFieldOnlyWhereTheRecordIsLongEnough)
{
    add_kernel(maker, "k", 1, 10, 20)
        .SET(KERNEL_QUEUED, 5)
        .SET(KERNEL_CLUSTER_X, 2)
        .SET(KERNEL_CLUSTER_Y, 1)
        .SET(KERNEL_CLUSTER_Z, 1)
        .SET(KERNEL_CHANNEL, 4)
        .SET(KERNEL_CHANNEL_TYPE, 1);
    // What would be the cluster of a longer record is the next record's first bytes here.
    maker.add(ABI_KIND_MEMSET).SET(MEMSET_START, 1).SET(MEMSET_END, 2);
    decode(maker);
    auto records = fake_records(PROF_REC_KERNEL);
    ASSERT_EQ(records.size(), 1u);
    auto kernel = records[0].as<prof_rec_kernel>();
    bool has_cluster = GetParam() >= CUDA_11_8;
    EXPECT_EQ(kernel.cluster_x, has_cluster ? 2 : 0);
    EXPECT_EQ(kernel.channel, has_cluster ? 4u : 0u);
    EXPECT_EQ(kernel.queued_ns, 5u);
}

TEST_P(Decode, KeepsEveryFieldOfACopy)
{
    maker.add(ABI_KIND_MEMCPY)
        .SET(MEMCPY_START, 100)
        .SET(MEMCPY_END, 300)
        .SET(MEMCPY_BYTES, 1 << 20)
        .SET(MEMCPY_COPY_KIND, 1)
        .SET(MEMCPY_SRC_KIND, 1)
        .SET(MEMCPY_DST_KIND, 3)
        .SET(MEMCPY_FLAGS, 1)
        .SET(MEMCPY_DEVICE, 3)
        .SET(MEMCPY_CONTEXT, 4)
        .SET(MEMCPY_STREAM, 5)
        .SET(MEMCPY_CORRELATION, 6);
    EXPECT_EQ(decode(maker).device_records, 1u);
    auto records = fake_records(PROF_REC_MEMCPY);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].words.size() * 8, PROF_REC_MEMCPY_SHORT_BYTES);
    EXPECT_EQ(records[0].info, 6u);
    auto copy = records[0].as<prof_rec_memcpy>();
    EXPECT_EQ(copy.bytes, 1u << 20);
    EXPECT_EQ(copy.copy_kind, 1);
    EXPECT_EQ(copy.src_kind, 1);
    EXPECT_EQ(copy.dst_kind, 3);
    EXPECT_EQ(copy.flags, 1);
    EXPECT_EQ(copy.device, 3);
    EXPECT_EQ(copy.context, 4u);
    EXPECT_EQ(copy.stream, 5u);
}

TEST_P(Decode, SaysBothEndsOfACopyBetweenDevices)
{
    maker.add(ABI_KIND_PEER_MEMCPY)
        .SET(PEER_START, 100)
        .SET(PEER_END, 300)
        .SET(PEER_COPY_KIND, 10)
        .SET(PEER_DEVICE, 1)
        .SET(PEER_SRC_DEVICE, 1)
        .SET(PEER_DST_DEVICE, 2)
        .SET(PEER_SRC_CONTEXT, 11)
        .SET(PEER_DST_CONTEXT, 12)
        .SET(PEER_CORRELATION, 6);
    EXPECT_EQ(decode(maker).device_records, 1u);
    auto records = fake_records(PROF_REC_MEMCPY);
    ASSERT_EQ(records.size(), 1u);
    auto copy = records[0].as<prof_rec_memcpy>();
    EXPECT_EQ(records[0].info, 6u);
    EXPECT_EQ(copy.copy_kind, 10);
    EXPECT_EQ(copy.src_device, 1);
    EXPECT_EQ(copy.dst_device, 2);
    EXPECT_EQ(copy.src_context, 11u);
    EXPECT_EQ(copy.dst_context, 12u);
}

TEST_P(Decode, KeepsEveryFieldOfASet)
{
    maker.add(ABI_KIND_MEMSET)
        .SET(MEMSET_START, 100)
        .SET(MEMSET_END, 300)
        .SET(MEMSET_BYTES, 64)
        .SET(MEMSET_VALUE, 0xff)
        .SET(MEMSET_MEMORY_KIND, 3)
        .SET(MEMSET_FLAGS, 1)
        .SET(MEMSET_GRAPH, 8)
        .SET(MEMSET_CORRELATION, 6);
    EXPECT_EQ(decode(maker).device_records, 1u);
    auto records = fake_records(PROF_REC_MEMSET);
    ASSERT_EQ(records.size(), 1u);
    auto set = records[0].as<prof_rec_memset>();
    EXPECT_EQ(set.bytes, 64u);
    EXPECT_EQ(set.value, 0xffu);
    EXPECT_EQ(set.memory_kind, 3);
    EXPECT_EQ(set.flags, 1);
    EXPECT_EQ(set.graph, 8u);
}

TEST_P(Decode, WritesWaitsAndOverheadThatAreNoOperations)
{
    maker.add(ABI_KIND_SYNCHRONIZATION)
        .SET(SYNC_START, 1)
        .SET(SYNC_END, 2)
        .SET(SYNC_TYPE, 3)
        .SET(SYNC_STREAM, PROF_SYNC_NO_STREAM)
        .SET(SYNC_CORRELATION, 12);
    maker.add(ABI_KIND_OVERHEAD)
        .SET(OVERHEAD_START, 5)
        .SET(OVERHEAD_END, 6)
        .SET(OVERHEAD_KIND, 1 << 16)
        .SET(OVERHEAD_OBJECT_KIND, 2)
        .SET(OVERHEAD_CORRELATION, 13)
        .put(ABI_OVERHEAD_OBJECT, 4, 41)
        .put(ABI_OVERHEAD_OBJECT + 4, 4, 42);
    EXPECT_EQ(decode(maker).device_records, 0u);
    auto sync = fake_records(PROF_REC_SYNC);
    ASSERT_EQ(sync.size(), 1u);
    EXPECT_EQ(sync[0].info, 12u);
    EXPECT_EQ(sync[0].as<prof_rec_sync>().type, 3u);
    EXPECT_EQ(sync[0].as<prof_rec_sync>().stream, PROF_SYNC_NO_STREAM);
    auto overhead = fake_records(PROF_REC_OVERHEAD);
    ASSERT_EQ(overhead.size(), 1u);
    EXPECT_EQ(overhead[0].as<prof_rec_overhead>().object[1], 42u);
    EXPECT_EQ(overhead[0].info, GetParam() >= CUDA_12_4 ? 13u : 0u);
    EXPECT_EQ(fake_gpu_records(), 0u);
}

TEST_P(Decode, StatesContextsAndStreamsOnce)
{
    for (int times = 0; times < 2; times++) {
        maker.add(ABI_KIND_CONTEXT)
            .SET(CONTEXT_ID, 40 + GetParam())
            .SET(CONTEXT_DEVICE, 1)
            .SET(CONTEXT_NULL_STREAM, 7);
        maker.add(ABI_KIND_STREAM)
            .SET(STREAM_CONTEXT, 40 + GetParam())
            .SET(STREAM_ID, 13)
            .SET(STREAM_PRIORITY, -1)
            .SET(STREAM_FLAG, 2);
    }
    decode(maker);
    EXPECT_EQ(fake_metas(PROF_REC_CONTEXT).size(), 1u);
    auto streams = fake_metas(PROF_REC_STREAM);
    ASSERT_EQ(streams.size(), 1u);
    prof_rec_stream stream;
    memcpy(&stream, streams[0].bytes.data(), sizeof stream);
    EXPECT_EQ(stream.priority, -1);
}

TEST_P(Decode, CountsOperationsWithoutTimes)
{
    add_kernel(maker, "k", 1, 0, 0);
    add_kernel(maker, "k", 2, 20, 10);
    maker.add(ABI_KIND_MEMCPY);
    maker.add(ABI_KIND_MEMSET);
    maker.add(ABI_KIND_PEER_MEMCPY);
    add_kernel(maker, "k", 3, 10, 10);
    EXPECT_EQ(decode(maker).device_records, 1u);
    EXPECT_EQ(loss_get(PROF_LOSS_ZERO_TIME), 5u);
    EXPECT_EQ(fake_records().size(), 6u);
    EXPECT_EQ(fake_records(PROF_REC_KERNEL).size(), 1u);
}

TEST_P(Decode, SaysWhoseTheOperationWithoutTimesWas)
{
    add_kernel(maker, "k", 77, 0, 0);
    decode(maker);
    auto records = fake_records(PROF_REC_LOST);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].info, 77u) << "whose launch is known";
    EXPECT_TRUE(records[0].late);
    auto lost = records[0].as<prof_rec_lost>();
    EXPECT_EQ(lost.context, 2u);
    EXPECT_EQ(lost.stream, 7u);
    EXPECT_EQ(lost.device, 1u);
    EXPECT_EQ(lost.cause, PROF_LOSS_ZERO_TIME);
}

TEST_P(Decode, CountsAKindItDoesNotKnowAndReadsOn)
{
    maker.add(26 /* FUNCTION */);
    add_kernel(maker, "k", 3, 10, 11);
    EXPECT_EQ(decode(maker).device_records, 1u);
    EXPECT_EQ(loss_get(PROF_LOSS_UNKNOWN_RECORD), 1u);
}

TEST_P(Decode, StepsOverWhatAnotherToolAskedFor)
{
    for (uint32_t kind : {ABI_KIND_DRIVER, ABI_KIND_RUNTIME, ABI_KIND_EXTERNAL_CORRELATION})
        maker.add(kind);
    add_kernel(maker, "k", 3, 10, 11);
    EXPECT_EQ(decode(maker).device_records, 1u);
    EXPECT_EQ(loss_get(PROF_LOSS_UNKNOWN_RECORD), 0u);
}

// What a libcupti says of itself and of its records is not to be trusted.
TEST_P(Decode, StopsAtKindZero)
{
    add_kernel(maker, "k", 3, 10, 11);
    maker.add(ABI_KIND_CONCURRENT_KERNEL).put(0, 4, 0);
    EXPECT_EQ(decode(maker).device_records, 1u);
    EXPECT_EQ(decode(maker).unreadable, maker.sizes.size[ABI_KIND_CONCURRENT_KERNEL]);
    EXPECT_EQ(loss_get(PROF_LOSS_UNKNOWN_RECORD), 2u);
}

TEST_P(Decode, ReadsNoFieldOfARecordThatIsTooShort)
{
    for (uint32_t kind = 1; kind < ABI_KIND_COUNT; kind++)
        for (int size : {1, 3, 8, 16}) {
            RecordMaker liar{GetParam()};
            if (!liar.sizes.size[kind])
                continue;
            liar.sizes.size[kind] = static_cast<uint16_t>(size);
            for (int i = 0; i < 3; i++)
                liar.add(kind);
            EXPECT_EQ(decode(liar).device_records, 0u) << kind << " of " << size << " bytes";
        }
    EXPECT_TRUE(fake_records().empty());
}

TEST_P(Decode, StepsNowhereButForward)
{
    static uint8_t *where;
    auto next = [](uint8_t *, size_t, void **record) {
        *record = where;
        return static_cast<int>(ABI_OK);
    };
    maker.add(ABI_KIND_CONCURRENT_KERNEL).put(0, 4, 63);
    add_kernel(maker, "k", 3, 10, 11);
    for (ptrdiff_t to : {-4096, -8, 0, 1 << 20}) {
        where = maker.data() + to;
        EXPECT_EQ(decode(maker, next).device_records, 0u) << to;
    }
    where = nullptr;
    EXPECT_EQ(decode(maker, next).unreadable, maker.size());
}

TEST_P(Decode, RecordsAnOperationOfNoCall)
{
    add_kernel(maker, "k", 0, 10, 11);
    EXPECT_EQ(decode(maker).device_records, 1u);
    ASSERT_EQ(fake_records(PROF_REC_KERNEL).size(), 1u);
    EXPECT_EQ(fake_records(PROF_REC_KERNEL)[0].info, 0u);
}

TEST_P(Decode, StopsWhereNobodyKnowsTheSize)
{
    add_kernel(maker, "k", 3, 10, 11);
    maker.add(5).put(0, 4, 63);
    add_kernel(maker, "k", 4, 10, 11);
    size_t behind = 40u + maker.sizes.size[ABI_KIND_CONCURRENT_KERNEL];
    decode_result result = decode(maker);
    EXPECT_EQ(result.device_records, 1u);
    EXPECT_EQ(result.unreadable, behind);
    EXPECT_EQ(loss_get(PROF_LOSS_UNKNOWN_RECORD), 1u);
}

TEST_P(Decode, AsksCuptiToStepOverAKindTheOracleMissed)
{
    maker.add(5).put(0, 4, 63);
    add_kernel(maker, "k", 4, 10, 11);
    auto next = [](uint8_t *, size_t, void **record) -> int {
        *record = static_cast<uint8_t *>(*record) + 40;
        return ABI_OK;
    };
    EXPECT_EQ(decode(maker, next).device_records, 1u);
}

TEST_P(Decode, NeverReadsBeyondTheValidBytes)
{
    add_kernel(maker, "k", 4, 10, 11);
    for (size_t cut = 0; cut < maker.size(); cut++)
        EXPECT_EQ(decode_buffer(&maker.sizes, nullptr, maker.data(), cut).device_records, 0u);
}

TEST_P(Decode, LosesNothingSilentlyWhenTheTraceIsFull)
{
    add_kernel(maker, "k", 4, 10, 11);
    fake_set_full(true);
    EXPECT_EQ(decode(maker).device_records, 0u);
    EXPECT_EQ(loss_get(PROF_LOSS_FULL), 1u);
}

TEST_P(Decode, RecordsAKernelWithoutAName)
{
    add_kernel(maker, nullptr, 4, 10, 11);
    EXPECT_EQ(decode(maker).device_records, 1u);
    EXPECT_EQ(fake_records()[0].as<prof_rec_kernel>().name, 0u);
}

TEST(DecodePriority, IsKeptWhereTheRecordHasIt)
{
    fake_reset();
    RecordMaker maker(CUDA_13_0);
    maker.sizes.size[ABI_KIND_CONCURRENT_KERNEL] = 224; // CUDA 13.1
    add_kernel(maker, "k", 4, 10, 11).SET(KERNEL_PRIORITY, -2);
    decode(maker);
    EXPECT_EQ(fake_records()[0].as<prof_rec_kernel>().priority, -2);
}

TEST(DecodeWindow, CountsWhatWasLaunchedWhileRecordingWasOff)
{
    fake_reset();
    lost_window_note(5000);
    lost_window_note(5007);
    lost_window_end();
    RecordMaker maker(CUDA_13_0);
    for (uint32_t correlation : {4999u, 5000u, 5003u, 5007u, 5008u})
        add_kernel(maker, "k", correlation, 10, 11);
    add_kernel(maker, "k", 5001, 0, 0);
    EXPECT_EQ(decode(maker).device_records, 2u);
    EXPECT_EQ(loss_get(PROF_LOSS_OUT_OF_WINDOW), 4u) << "also without times";
    EXPECT_EQ(loss_get(PROF_LOSS_ZERO_TIME), 0u);
    auto sums = fake_metas(PROF_REC_STREAM_LOSS);
    ASSERT_EQ(sums.size(), 1u) << "added up by stream";
    prof_rec_stream_loss sum;
    memcpy(&sum, sums[0].bytes.data(), sizeof sum);
    EXPECT_EQ(sum.count, 4u);
    EXPECT_EQ(sum.context, 2u);
    EXPECT_EQ(sum.stream, 7u);
    EXPECT_EQ(sum.device, 1u);
    EXPECT_EQ(sum.cause, PROF_LOSS_OUT_OF_WINDOW);
}

TEST(DecodeCountOnly, CountsOperationsAndNothingElse)
{
    RecordMaker maker(CUDA_12_4);
    add_kernel(maker, "k", 1, 10, 11);
    maker.add(ABI_KIND_MEMCPY);
    maker.add(ABI_KIND_SYNCHRONIZATION);
    EXPECT_EQ(decode_count_only(&maker.sizes, maker.data(), maker.size()), 2u);
}

} // namespace
