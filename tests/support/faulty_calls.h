// Calls of the recorder that a test makes fail, or counts: what links tests/support/faulty_calls.cc with --wrap.
#ifndef FAULTY_CALLS_H
#define FAULTY_CALLS_H

#include <atomic>
#include <cstddef>
#include <cstdint>

struct FaultyCalls {
    std::atomic<bool> no_shared_mappings{false}; // mmap() of a file MAP_SHARED fails with ENODEV
    std::atomic<bool> no_space{false};           // pwrite() fails with ENOSPC
    // mmap() of files or at a fixed place fails, and unmaps what was there
    std::atomic<bool> no_mappings{false};
    std::atomic<uint64_t> bytes_written{0}; // by pwrite()
};
extern FaultyCalls faulty_calls;

#endif
