// record_maker.h - activity records of a chosen CUDA version, made by hand.
#ifndef RECORD_MAKER_H
#define RECORD_MAKER_H

extern "C" {
#include "abi_memory.h"
#include "oracle.h"
}

#include <cstring>
#include <string>
#include <vector>

enum Layout { CUDA_11_2, CUDA_11_8, CUDA_12_4, CUDA_13_0, LAYOUTS };

inline const char *layout_name(Layout layout)
{
    static const char *const names[] = {"11.2", "11.8", "12.4", "13.0"};
    return names[layout];
}

// Strides measured on libcupti 11.2.152, 11.8.87, 12.4.127 and 13.0.85.
inline oracle layout_oracle(Layout layout)
{
    struct Row {
        uint32_t kind;
        uint16_t size[LAYOUTS];
    };
    static const Row rows[] = {
        {ABI_KIND_MEMCPY, {80, 88, 88, 96}},
        {ABI_KIND_MEMSET, {80, 88, 88, 88}},
        {ABI_KIND_KERNEL, {168, 200, 208, 216}},
        {4, {40, 40, 40, 40}},
        {5, {40, 40, 40, 40}},
        {ABI_KIND_DEVICE, {144, 176, 184, 184}},
        {ABI_KIND_CONTEXT, {16, 16, 24, 32}},
        {ABI_KIND_CONCURRENT_KERNEL, {168, 200, 208, 216}},
        {ABI_KIND_OVERHEAD, {40, 40, 56, 56}},
        {ABI_KIND_PEER_MEMCPY, {88, 96, 96, 96}},
        {26, {32, 32, 32, 32}}, // FUNCTION, which nobody enables
        {36, {24, 24, 24, 56}},
        {ABI_KIND_STREAM, {24, 24, 24, 24}},
        {ABI_KIND_SYNCHRONIZATION, {40, 40, 40, 56}},
        {39, {24, 24, 24, 24}},
        {ABI_KIND_UNIFIED_MEMORY, {64, 64, 64, 104}},
        {ABI_KIND_MEMORY, {112, 120, 120, 128}},
        {ABI_KIND_MEMORY_POOL, {64, 72, 72, 80}},
    };
    oracle sizes{};
    for (const Row &row : rows)
        sizes.size[row.kind] = row.size[layout];
    return sizes;
}

// A buffer of records; fields are set on the record added last. A field the layout lacks is
// dropped, as CUPTI of that version would have no place for it.
class RecordMaker
{
public:
    explicit RecordMaker(Layout layout) : sizes(layout_oracle(layout)) {}

    RecordMaker &add(uint32_t kind)
    {
        at = bytes.size();
        bytes.resize(at + sizes.size[kind]);
        return put(0, 4, kind);
    }

    RecordMaker &put(uint32_t offset, uint32_t width, uint64_t value)
    {
        if (at + offset + width <= bytes.size())
            memcpy(&bytes[at + offset], &value, width);
        return *this;
    }

    RecordMaker &text(uint32_t offset, const char *value)
    {
        return put(offset, 8, reinterpret_cast<uintptr_t>(value));
    }

    uint8_t *data() { return bytes.data(); }
    size_t size() const { return bytes.size(); }

    oracle sizes;

private:
    std::vector<uint8_t> bytes;
    size_t at = 0;
};

#define SET(field, value) put(ABI_##field, ABI_##field##_WIDTH, static_cast<uint64_t>(value))

inline RecordMaker &add_kernel(RecordMaker &maker, const char *name, uint32_t correlation,
                               uint64_t start_ns, uint64_t end_ns)
{
    return maker.add(ABI_KIND_CONCURRENT_KERNEL)
        .SET(KERNEL_START, start_ns)
        .SET(KERNEL_END, end_ns)
        .SET(KERNEL_CORRELATION, correlation)
        .SET(KERNEL_REGISTERS, 40)
        .SET(KERNEL_DEVICE, 1)
        .SET(KERNEL_CONTEXT, 2)
        .SET(KERNEL_STREAM, 7)
        .SET(KERNEL_GRID_X, 100000)
        .SET(KERNEL_GRID_Y, 2)
        .SET(KERNEL_GRID_Z, 3)
        .SET(KERNEL_BLOCK_X, 256)
        .SET(KERNEL_BLOCK_Y, 1)
        .SET(KERNEL_BLOCK_Z, 1)
        .SET(KERNEL_STATIC_SHARED, 128)
        .SET(KERNEL_DYNAMIC_SHARED, 4096)
        .SET(KERNEL_LOCAL_PER_THREAD, 100000)
        .text(ABI_KERNEL_NAME, name);
}

#endif
