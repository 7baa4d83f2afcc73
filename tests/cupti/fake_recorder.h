// fake_recorder.h - the functions of recorder.h, written down instead of recorded.
#ifndef FAKE_RECORDER_H
#define FAKE_RECORDER_H

extern "C" {
#include "config.h"
#include "cost.h"
#include "recorder.h"
}

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

struct FakeRecord {
    prof_record_type type;
    uint64_t info;
    std::vector<uint64_t> words;
    bool late;

    template <typename T>
    T as() const
    {
        T value{};
        size_t bytes = words.size() * 8;
        memcpy(&value, words.data(), bytes < sizeof value ? bytes : sizeof value);
        return value;
    }
};

struct FakeMeta {
    prof_record_type type;
    std::string bytes;
};

// Begins a test: nothing recorded, recording on, a file to write META to, default configuration.
void fake_reset();
void fake_set_on(bool on);
void fake_set_ending(); // recording goes off without a stop
void fake_set_file(bool exists);
void fake_set_off_at_reserve(); // recording is switched off between recorder_on() and thread_reserve()
void fake_set_full(bool full); // thread_reserve finds no space
config &fake_config();

std::vector<FakeRecord> fake_records();
std::vector<FakeRecord> fake_records(prof_record_type type);
std::vector<FakeMeta> fake_metas(prof_record_type type);
std::string fake_info(prof_info_key key);
std::string fake_name(uint32_t id);
// To where the callbacks return that took stacks; set stacks_mode.
std::vector<uintptr_t> fake_stacks();
prof_gpu_mode fake_gpu_mode();
std::string fake_gpu_reason();
bool fake_simulated();
uint64_t fake_gpu_records();
std::vector<std::string> fake_log();
uint64_t fake_cost(prof_cost_part part); // occurrences that were measured, or stood for
const range_timer *fake_timer();         // who was to be called at pushes and pops; nullptr nobody

#endif
