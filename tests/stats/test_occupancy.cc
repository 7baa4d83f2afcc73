// Occupancy against figures that NVIDIA's calculator and Kineto give.
extern "C" {
#include "occupancy.h"
}

#include <gtest/gtest.h>

namespace
{

tl_device_info a100()
{
    tl_device_info device{};
    device.compute_major = 8;
    device.multiprocessors = 108;
    device.threads_per_warp = 32;
    device.max_threads_per_multiprocessor = 2048;
    device.max_blocks_per_multiprocessor = 32;
    device.registers_per_multiprocessor = 65536;
    device.shared_memory_per_multiprocessor = 167936;
    return device;
}

tl_kernel kernel(uint32_t blocks, uint16_t threads, uint16_t registers, uint32_t shared = 0)
{
    tl_kernel made{};
    made.grid_x = blocks;
    made.block_x = threads;
    made.grid_y = made.grid_z = made.block_y = made.block_z = 1;
    made.registers = registers;
    made.static_shared_memory = shared;
    return made;
}

TEST(Occupancy, AgreesWithKineto)
{
    tl_device_info device = a100();
    tl_kernel by_registers = kernel(864, 256, 47), by_grid = kernel(12, 256, 16);
    occupancy first = occupancy_of(&by_registers, &device);
    EXPECT_DOUBLE_EQ(first.blocks_per_sm, 8);
    EXPECT_DOUBLE_EQ(first.warps_per_sm, 64);
    EXPECT_EQ(first.percent, 63);
    occupancy second = occupancy_of(&by_grid, &device);
    EXPECT_NEAR(second.blocks_per_sm, 0.11111111, 1e-8);
    EXPECT_NEAR(second.warps_per_sm, 0.8888889, 1e-7);
    EXPECT_EQ(second.percent, 1);
}

TEST(Occupancy, IsLimitedBySharedMemory)
{
    tl_device_info device = a100();
    tl_kernel made = kernel(100000, 128, 32, 49152);
    EXPECT_EQ(occupancy_of(&made, &device).percent, 100 * 3 * 128 / 2048 + 1)
        << "3 blocks of 48+1 KiB fit in 164 KiB";
}

TEST(Occupancy, CountsTheRegistersOfEachPartOfAMultiprocessor)
{
    tl_device_info device = a100();
    tl_kernel made = kernel(100000, 64, 40); /* 1280 registers a warp */
    EXPECT_EQ(occupancy_of(&made, &device).percent, 75) << "four times 12 warps, 24 blocks";
    device.compute_major = 6;
    EXPECT_EQ(occupancy_of(&made, &device).percent, 78) << "sm_60: twice 25 warps, 25 blocks";
    device.compute_minor = 1;
    EXPECT_EQ(occupancy_of(&made, &device).percent, 75);
}

TEST(Occupancy, KnowsHowManyBlocksFitWhereTheFileDoesNotSay)
{
    tl_device_info device = a100();
    tl_kernel made = kernel(100000, 32, 16);
    device.max_blocks_per_multiprocessor = 0;
    EXPECT_EQ(occupancy_of(&made, &device).percent, 50) << "32 blocks of a warp, not 64";
    device.compute_minor = 6;
    EXPECT_EQ(occupancy_of(&made, &device).percent, 25);
}

TEST(Occupancy, SaysNothingOfOtherMakersDevices)
{
    tl_device_info device = a100();
    tl_kernel made = kernel(1000, 256, 47);
    device.threads_per_warp = 64;
    EXPECT_EQ(occupancy_of(&made, &device).percent, -1);
}

TEST(Occupancy, SaysNothingWhereTheDeviceIsUnknown)
{
    tl_device_info device{};
    tl_kernel made = kernel(100, 128, 32);
    EXPECT_EQ(occupancy_of(&made, &device).percent, -1);
    device = a100();
    device.max_threads_per_multiprocessor = 0;
    EXPECT_EQ(occupancy_of(&made, &device).percent, -1);
    EXPECT_GT(occupancy_of(&made, &device).blocks_per_sm, 0);
}

TEST(Occupancy, TakesAnyNumbers)
{
    tl_device_info device = a100();
    tl_kernel made = kernel(UINT32_MAX, 65535, 65535, UINT32_MAX);
    made.grid_y = made.grid_z = made.block_y = made.block_z = 65535;
    made.dynamic_shared_memory = UINT32_MAX;
    EXPECT_EQ(occupancy_of(&made, &device).percent, -1) << "more threads than a multiprocessor has";
    made = kernel(1, 0, 0);
    EXPECT_EQ(occupancy_of(&made, &device).percent, -1);
}

} // namespace
