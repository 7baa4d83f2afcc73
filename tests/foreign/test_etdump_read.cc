// ETDumps of ExecuTorch: every kind of event, defaults, and files that are not right.
#include "executorch_fixture.h"

// I1: runs, events, and the two places of the identifier
TEST(EtdumpRead, ReadsRunsWithAndWithoutTheirSize)
{
    std::vector<EtRun> runs = {{"Default", {profile("Method::init", 10, 25, 0, -1)}, {}},
                               {"Execute", {profile("native_call_relu.out", 100, 130, 3)}, {}, 2}};
    for (bool sized : {true, false}) {
        Read read(etdump(runs, sized));
        ASSERT_NE(read.get(), nullptr) << read.error();
        EXPECT_EQ(read.text(),
                  "Default x1: Method::init 15\nExecute x1: native_call_relu.out 30\n");
        EXPECT_EQ(read->blocks.at[0].input, -1);
        EXPECT_EQ(read->blocks.at[1].input, 2);
        EXPECT_EQ(read->block_events.at[0].chain, -1);
        EXPECT_EQ(read->block_events.at[1].instruction, 3u);
        EXPECT_EQ(read->event_sources.at[1].start_ticks, 100u);
    }
}

TEST(EtdumpRead, ReadsDelegatesByNumberAndByName)
{
    made_event number = profile(nullptr, 1, 2, 0), name = profile(nullptr, 3, 4, 0);
    number.delegate = 10;
    name.delegate_name = "conv";
    name.metadata = "bytes";
    Read read(etdump({{"Execute", {number, name}, {}}}));
    EXPECT_EQ(read.text(), "Execute x1: 10 1 conv 1\n");
    EXPECT_EQ(read->event_sources.at[0].delegate, 10);
    EXPECT_EQ(read->event_sources.at[1].delegate, -1);
    EXPECT_EQ(read.name(read->event_sources.at[1].delegate_name), "conv");
    EXPECT_EQ(read.name(read->event_sources.at[1].metadata), "bytes");
}

// I4: allocations, of allocators that count from 1 on
TEST(EtdumpRead, ReadsAllocations)
{
    Read read(etdump(
        {{"Execute",
          {allocation(1, 100), allocation(2, 5), allocation(1, 0x100000000), allocation(3, 7)},
          {"method", "temp"}}}));
    EXPECT_EQ(read.text(), "Execute x1:; method=4294967396; temp=5; (allocator 3)=7\n");
    EXPECT_EQ(read.warnings(), "1 allocations of allocators that their run does not have\n");
}

TEST(EtdumpRead, ReadsLoggedValues)
{
    int64_t sizes[] = {2, 3}, strides[] = {3, 1};
    made_tensor tensors[] = {{6, sizes, strides, 2, 64}, {5, sizes, nullptr, 1, -1}};
    std::vector<made_event> events;
    for (uint8_t kind = 1; kind <= 6; kind++) {
        made_event event = logged("value", 4, kind);
        event.integer = -7;
        event.real = 0.5;
        event.tensors = tensors;
        event.tensor_count = kind == 6 ? 2 : 1;
        events.push_back(event);
    }
    events[4].output = true;
    Read read(etdump({{"Execute", events, {}}}));
    ASSERT_EQ(read->debugs.count, 6u);
    const tl_debug *debugs = read->debugs.at;
    EXPECT_EQ(debugs[0].kind, TL_VALUE_INT);
    EXPECT_EQ(debugs[0].integer, -7);
    EXPECT_EQ(debugs[0].instruction, 4);
    EXPECT_EQ(debugs[1].kind, TL_VALUE_BOOL);
    EXPECT_EQ(debugs[1].integer, 1);
    EXPECT_EQ(debugs[2].real, 0.5);
    EXPECT_EQ(debugs[3].real, 0.5);
    EXPECT_TRUE(debugs[4].is_output);
    EXPECT_FALSE(debugs[3].is_output);
    ASSERT_EQ(debugs[5].tensor_count, 2u);
    const tl_tensor &tensor = read->tensors.at[debugs[5].first_tensor];
    EXPECT_EQ(tensor.type, 6u);
    EXPECT_EQ(tensor.offset, 64);
    ASSERT_EQ(tensor.size_count, 2u);
    ASSERT_EQ(tensor.stride_count, 2u);
    EXPECT_EQ(read->tensor_sizes.at[tensor.first_size + 1], 3);
    EXPECT_EQ(read->tensor_sizes.at[tensor.first_stride], 3);
    EXPECT_EQ(read->tensors.at[debugs[5].first_tensor + 1].offset, -1);
}

// Inspector defect 9: an empty dump is one without blocks
TEST(EtdumpRead, ReadsADumpWithoutRuns)
{
    Read read(etdump({}));
    ASSERT_NE(read.get(), nullptr) << read.error();
    EXPECT_EQ(read.text(), "");
}

TEST(EtdumpRead, TakesDefaultsWhereFieldsAreMissing)
{
    made_event empty = {};
    empty.kind = MADE_EMPTY;
    Read read(etdump({{nullptr, {empty, profile(nullptr, 1, 2)}, {}}}));
    EXPECT_EQ(read.text(), " x1:  1\n");
    EXPECT_EQ(read.warnings(), "1 empty events\n");
}

TEST(EtdumpRead, SaysThatAFileWasCut)
{
    Bytes bytes = etdump({{"Execute", {profile("a", 1, 2)}, {}}});
    bytes.resize(bytes.size() - 8);
    Read read(bytes);
    EXPECT_EQ(read.get(), nullptr);
    EXPECT_NE(read.error().find("truncated"), std::string::npos) << read.error();
}

TEST(EtdumpRead, RefusesAnotherVersion)
{
    Bytes bytes = etdump({{"Execute", {profile("a", 1, 2)}, {}}});
    size_t root = 4 + bytes[4];
    uint16_t field;
    memcpy(&field, &bytes[root - 4 + 0], 2); /* the vtable ends before the table */
    size_t vtable = root - (bytes[root] | bytes[root + 1] << 8);
    memcpy(&field, &bytes[vtable + 4], 2);
    bytes[root + field] = 1;
    Read read(bytes);
    EXPECT_EQ(read.get(), nullptr);
    EXPECT_NE(read.error().find("version 1"), std::string::npos) << read.error();
}

// References to the same bytes again and again must not cost more than the file's size allows.
TEST(EtdumpRead, RefusesOneTableReferredToByEveryElement)
{
    std::vector<made_event> events(4000, profile("a", 1, 2));
    Bytes bytes = etdump({{"Execute", events, {}}, {"Execute", events, {}}});
    uint32_t runs = 0;
    /* every byte that may be the count of a vector becomes a large one */
    for (size_t at = 8; at + 4 <= bytes.size(); at += 4) {
        uint32_t value;
        memcpy(&value, &bytes[at], 4);
        if (value != 4000)
            continue;
        value = (uint32_t)(bytes.size() - at - 4) / 4;
        memcpy(&bytes[at], &value, 4);
        runs++;
    }
    EXPECT_EQ(runs, 2u);
    Read read(bytes);
    EXPECT_EQ(read.get(), nullptr);
}

TEST(EtdumpRead, SurvivesAnyCutAndAnyByte)
{
    int64_t sizes[] = {2, 3};
    made_tensor tensor = {6, sizes, sizes, 2, 0};
    made_event value = logged("v", 1, 5);
    value.tensors = &tensor;
    value.tensor_count = 1;
    Bytes bytes = etdump({{"E", {profile("a", 1, 2), value, allocation(1, 8)}, {"x"}, 3}});
    for (size_t size = 0; size < bytes.size(); size++)
        Read(Bytes(bytes.begin(), bytes.begin() + (long)size), {}, true);
    for (size_t at = 0; at < bytes.size(); at++)
        for (int change : {0xff, 0x80, 0x01}) {
            Bytes changed = bytes;
            changed[at] = static_cast<uint8_t>(changed[at] ^ change);
            Read read(changed, {}, at % 2 != 0);
            if (read.get())
                read.text();
        }
}
