// What the driver says of its devices becomes facts, once, as soon as it answers.
#include "fake_recorder.h"

#include <gtest/gtest.h>

#include <cstdio>

extern "C" {
#include "abi.h"
#include "facts.h"
}

namespace
{

bool initialised;

driver_library driver()
{
    driver_library made{};
    made.cuDeviceGetCount = [](int *count) {
        *count = 2;
        return initialised ? 0 : 3;
    };
    made.cuDeviceGet = [](int *device, int ordinal) {
        *device = 10 + ordinal;
        return 0;
    };
    made.cuDeviceGetName = [](char *name, int bytes, int device) {
        snprintf(name, static_cast<size_t>(bytes), "Simulated GPU %d", device - 10);
        return 0;
    };
    made.cuDeviceTotalMem_v2 = [](size_t *bytes, int) {
        *bytes = size_t{1} << 35;
        return 0;
    };
    made.cuDeviceGetAttribute = [](int *value, int attribute, int) {
        *value = attribute == ABI_CUDA_ATTRIBUTE_WARP             ? 32
                 : attribute == ABI_CUDA_ATTRIBUTE_THREADS_PER_SM ? 2048
                                                                  : attribute;
        return attribute == ABI_CUDA_ATTRIBUTE_BLOCKS_PER_SM ? 1 : 0; // an old driver
    };
    made.cuDeviceGetUuid = [](uint8_t *uuid, int device) {
        memset(uuid, device, 16);
        return 0;
    };
    return made;
}

prof_rec_device device(size_t index)
{
    prof_rec_device record;
    memcpy(&record, fake_metas(PROF_REC_DEVICE).at(index).bytes.data(), sizeof record);
    return record;
}

} // namespace

TEST(Devices, AreStatedOnceTheDriverAnswersAndNotAgain)
{
    fake_reset();
    const driver_library driver_ = driver();
    driver_library old = driver_;
    old.cuDeviceGetAttribute = nullptr;
    facts_emit_devices(nullptr);
    facts_emit_devices(&old);
    facts_emit_devices(&driver_);
    EXPECT_TRUE(fake_metas(PROF_REC_DEVICE).empty());
    EXPECT_FALSE(fake_simulated());
    initialised = true;
    facts_emit_devices(&driver_);
    facts_emit_devices(&driver_);
    ASSERT_EQ(fake_metas(PROF_REC_DEVICE).size(), 2u);
    EXPECT_TRUE(fake_simulated());
    const prof_rec_device second = device(1);
    EXPECT_EQ(second.device, 1u);
    EXPECT_EQ(fake_name(second.name), "Simulated GPU 1");
    EXPECT_EQ(second.memory_bytes, uint64_t{1} << 35);
    EXPECT_EQ(second.memory_bandwidth, 2 * 36 * 1000 * 37 / 8u);
    EXPECT_EQ(second.compute_major, 75u);
    EXPECT_EQ(second.multiprocessors, 16u);
    EXPECT_EQ(second.max_warps_per_multiprocessor, 64u);
    EXPECT_EQ(second.max_blocks_per_multiprocessor, 0u);
    EXPECT_EQ(second.uuid[15], 11u);
}
