#include "fake_recorder.h"

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>

extern "C" {
#include "log.h"
}

namespace
{

struct Fake {
    std::mutex lock;
    bool file = true, full = false;
    std::vector<FakeRecord> records;
    std::vector<FakeMeta> metas;
    std::map<int, std::string> infos;
    std::map<std::string, uint32_t> ids;
    std::vector<std::string> names{""};
    std::vector<uintptr_t> stacks;
    uint64_t gpu_records = 0, loss[PROF_LOSS_COUNT] = {};
    prof_gpu_mode mode = PROF_GPU_NONE;
    std::string reason;
    bool simulated = false;
    std::vector<std::string> log;
};

Fake *fake = new Fake; // outlives threads that a test leaves behind
std::atomic<bool> is_on{true};
std::atomic<bool> is_off_at_reserve{false};
std::atomic<bool> is_ending{false};
config the_config;
std::atomic<const range_timer *> the_timer{nullptr};
std::atomic<uint64_t> the_costs[PROF_COST_COUNT];
std::atomic<void (*)(bool)> the_sheddable[PROF_THROTTLE_COUNT];

struct Pending {
    uint64_t words[PROF_RECORD_WORDS_MAX];
    bool late;
};
thread_local Pending pending;

uint64_t *reserve(unsigned words, bool late)
{
    if (fake->full) {
        loss_add(PROF_LOSS_FULL, 1);
        return nullptr;
    }
    memset(pending.words, 0, words * 8);
    pending.late = late;
    return pending.words;
}

template <typename T>
T locked(T Fake::*member)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    return fake->*member;
}

} // namespace

void fake_reset()
{
    static std::mutex guard;
    std::lock_guard<std::mutex> hold(guard);
    std::lock_guard<std::mutex> lock(fake->lock);
    fake->file = true;
    fake->full = false;
    fake->records.clear();
    fake->metas.clear();
    fake->infos.clear();
    fake->gpu_records = 0;
    memset(fake->loss, 0, sizeof fake->loss);
    fake->mode = PROF_GPU_NONE;
    fake->reason.clear();
    fake->simulated = false;
    fake->log.clear();
    fake->stacks.clear();
    stacks_mode = 0;
    is_on = true;
    is_off_at_reserve = false;
    is_ending = false;
    the_timer = nullptr;
    the_config = config{};
    the_config.cuda = 1;
    the_config.exit_ms = 2000;
    the_config.gpu_buffer_kib = 64;
    the_config.start_events = 1;
    the_config.gpu_detail = CONFIG_DETAIL_FULL;
}

extern "C" uint32_t recorder_gpu_detail(void)
{
    return static_cast<uint32_t>(the_config.gpu_detail);
}

void fake_set_on(bool on)
{
    is_on = on;
}

void fake_set_off_at_reserve()
{
    is_off_at_reserve = true;
}

void fake_set_ending()
{
    is_on = false;
    is_ending = true;
}

void fake_set_file(bool exists)
{
    fake->file = exists;
}
void fake_set_full(bool full)
{
    fake->full = full;
}
std::vector<uintptr_t> fake_stacks()
{
    return locked(&Fake::stacks);
}
config &fake_config()
{
    return the_config;
}
std::vector<FakeRecord> fake_records()
{
    return locked(&Fake::records);
}

std::vector<FakeRecord> fake_records(prof_record_type type)
{
    std::vector<FakeRecord> found;
    for (auto &record : fake_records())
        if (record.type == type)
            found.push_back(record);
    return found;
}

std::vector<FakeMeta> fake_metas(prof_record_type type)
{
    std::vector<FakeMeta> found;
    for (auto &meta : locked(&Fake::metas))
        if (meta.type == type)
            found.push_back(meta);
    return found;
}

std::string fake_info(prof_info_key key)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    return fake->infos[key];
}

std::string fake_name(uint32_t id)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    return id < fake->names.size() ? fake->names[id] : "?";
}

prof_gpu_mode fake_gpu_mode()
{
    return locked(&Fake::mode);
}
std::string fake_gpu_reason()
{
    return locked(&Fake::reason);
}
bool fake_simulated()
{
    return locked(&Fake::simulated);
}
uint64_t fake_gpu_records()
{
    return locked(&Fake::gpu_records);
}
std::vector<std::string> fake_log()
{
    return locked(&Fake::log);
}
uint64_t fake_cost(prof_cost_part part)
{
    return the_costs[part];
}

const range_timer *fake_timer()
{
    return the_timer;
}

extern "C" {

bool recorder_on(void)
{
    return is_on;
}

void recorder_switch(bool on, enum prof_control_reason)
{
    is_on = on;
}

bool recorder_leaving(void)
{
    return false;
}

void recorder_renew_exit(void) {}

bool recorder_is_forked(void)
{
    return false;
}

bool recorder_ending(void)
{
    return is_ending;
}

uint64_t *thread_reserve(enum prof_record_type, unsigned words)
{
    if (is_off_at_reserve)
        is_on = false;
    return is_on ? reserve(words, false) : nullptr;
}

uint64_t *thread_reserve_now(enum prof_record_type type, unsigned words, uint64_t *ticks)
{
    uint64_t *record = thread_reserve(type, words);
    *ticks = record ? thread_ticks(record) : 0;
    return record;
}

uint64_t *thread_reserve_late(enum prof_record_type, unsigned words)
{
    return reserve(words, true);
}

void thread_commit(uint64_t *record, enum prof_record_type type, unsigned words, uint64_t info)
{
    record[0] = PROF_WORD_EXT(PROF_KIND_EXT, type, words, info);
    std::lock_guard<std::mutex> guard(fake->lock);
    fake->records.push_back({type, info, {record, record + words}, pending.late});
}

uint64_t thread_ticks(const uint64_t *)
{
    return clock_now();
}
uint64_t clock_gettime_ns(clockid_t id)
{
    timespec now = {};
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
    return clock_gettime_ns(CLOCK_MONOTONIC);
}
void clock_pause(uint32_t us)
{
    std::this_thread::sleep_for(std::chrono::microseconds(us));
}

int own_thread_create(size_t, void *(*main)(void *), void *argument)
{
    pthread_t thread;
    int error = pthread_create(&thread, nullptr, main, argument);
    if (!error)
        pthread_detach(thread);
    return error;
}

void clock_wait(int)
{
    std::this_thread::yield();
}

void own_thread_leave(void) {}

bool own_thread_changes(void)
{
    return false;
}

void own_thread_enter(const char *) {}

void own_thread_adopt(void) {}

uint32_t stacks_mode;

uint32_t stacks_capture(stacks_origin origin)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    fake->stacks.push_back(origin.address);
    return static_cast<uint32_t>(fake->stacks.size());
}

uint32_t names_intern(const char *bytes, size_t size)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    auto [place, is_new] = fake->ids.emplace(std::string(bytes, size), fake->names.size());
    if (is_new)
        fake->names.push_back(place->first);
    return place->second;
}

uint32_t names_intern_stable(const char *name)
{
    return name ? names_intern(name, strlen(name)) : 0;
}

uint32_t names_state_again(uint32_t id)
{
    return id;
}

const void *meta_append(enum prof_record_type type, const void *head, size_t bytes, const char *,
                        size_t)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    if (!fake->file)
        return nullptr;
    fake->metas.push_back({type, std::string(static_cast<const char *>(head), bytes)});
    return fake;
}

void meta_info(enum prof_info_key key, const char *text)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    if (fake->file)
        fake->infos[key] = text;
}

void loss_add(enum prof_loss_cause cause, uint64_t count)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    fake->loss[cause] += count;
}

uint64_t loss_get(enum prof_loss_cause cause)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    return fake->loss[cause];
}

void recorder_set_gpu_mode(enum prof_gpu_mode mode, const char *reason)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    fake->mode = mode;
    fake->reason = reason;
}

void recorder_set_simulated(void)
{
    fake->simulated = true;
}

void recorder_count_gpu_records(uint64_t count)
{
    std::lock_guard<std::mutex> guard(fake->lock);
    fake->gpu_records += count;
}

void recorder_time_ranges(const struct range_timer *timer)
{
    the_timer = timer;
}

__thread uint64_t cost_charged;

void cost_charge(enum prof_cost_part part, uint64_t)
{
    the_costs[part]++;
}

void cost_charge_sampled(enum prof_cost_part part, uint32_t stood_for, uint64_t)
{
    the_costs[part] += stood_for;
}

void cost_end(struct cost_sampler *sampler, enum prof_cost_part part, uint64_t began)
{
    cost_charge_sampled(part, cost_stands_for(sampler), began);
    sampler->gap = sampler->left = ++sampler->seen < COST_TIMED_FIRST ? 1 : COST_GAP_MIN;
}

void cost_add_ns(enum prof_cost_part part, uint64_t count, uint64_t)
{
    the_costs[part] += count;
}

void cost_add_launches(uint64_t) {}

void recorder_throttleable(enum prof_throttle_thing what, void (*keep)(bool on))
{
    the_sheddable[what] = keep;
}

uint64_t clock_now(void)
{
    static std::atomic<uint64_t> ticks{1000};
    return ++ticks;
}

uint64_t clock_ticks_per_second(void)
{
    return 1000000000;
}
const struct config *config_get(void)
{
    return &the_config;
}

void log_line(enum log_level level, const char *format, ...)
{
    if (level != LOG_ERROR)
        return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    std::lock_guard<std::mutex> guard(fake->lock);
    fake->log.push_back(line);
}
}
