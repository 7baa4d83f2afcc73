/* kineto_facts.c - see kineto_facts.h. */
#include "kineto_facts.h"

#include "kineto_slice.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool kineto_facts_init(struct kineto_facts *facts, struct unordered *events,
                       struct kineto_rows *rows)
{
    *facts = (struct kineto_facts){
        .events = events, .rows = rows, .own = {.rank = -1, .world_size = -1}};
    facts->value = malloc(KINETO_FACT_BYTES + JSON_PAD_BYTES);
    return facts->value != NULL;
}

void kineto_facts_fini(struct kineto_facts *facts)
{
    free(facts->value);
    free(facts->groups.at);
    free(facts->members.at);
}

static int64_t number_of(struct text value)
{
    int64_t number = 0;
    if (value.size >= 2 && value.bytes[0] == '"')
        value = (struct text){value.bytes + 1, value.size - 2};
    return json_text_scaled(value, 0, &number) ? number : 0;
}

static uint32_t number32(struct text value)
{
    int64_t number = number_of(value);
    return number < 0 ? 0 : number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* The text of a string; empty for anything else. */
static struct text string_of(struct kineto_facts *facts, struct text value)
{
    if (value.size < 2 || value.bytes[0] != '"')
        return (struct text){"", 0};
    struct json_string string = {value.bytes + 1, (uint32_t)value.size - 2, true};
    char *plain = malloc(value.size);
    struct text kept = {"", 0};
    if (plain)
        kept =
            unordered_keep_text(facts->events, (struct text){plain, json_unescape(&string, plain)});
    free(plain);
    return kept;
}

/* Kineto's names for what cudaGetDeviceProperties() returns; "major" is that of 2021. */
static const struct {
    const char *key;
    size_t offset;
} device_fields[] = {
    {"id", offsetof(struct tl_device_info, device)},
    {"major", offsetof(struct tl_device_info, compute_major)},
    {"minor", offsetof(struct tl_device_info, compute_minor)},
    {"computeMajor", offsetof(struct tl_device_info, compute_major)},
    {"computeMinor", offsetof(struct tl_device_info, compute_minor)},
    {"numSms", offsetof(struct tl_device_info, multiprocessors)},
    {"warpSize", offsetof(struct tl_device_info, threads_per_warp)},
    {"maxThreadsPerBlock", offsetof(struct tl_device_info, max_threads_per_block)},
    {"maxThreadsPerMultiProcessor",
     offsetof(struct tl_device_info, max_threads_per_multiprocessor)},
    {"maxThreadsPerMultiprocessor",
     offsetof(struct tl_device_info, max_threads_per_multiprocessor)},
    {"regsPerBlock", offsetof(struct tl_device_info, registers_per_block)},
    {"regsPerMultiprocessor", offsetof(struct tl_device_info, registers_per_multiprocessor)},
    {"sharedMemPerBlock", offsetof(struct tl_device_info, shared_memory_per_block)},
    {"sharedMemPerMultiprocessor",
     offsetof(struct tl_device_info, shared_memory_per_multiprocessor)},
    {"maxSharedMemoryPerMultiProcessor",
     offsetof(struct tl_device_info, shared_memory_per_multiprocessor)},
};

static void read_device_member(void *user, const struct json_string *key, struct text value)
{
    struct kineto_facts *facts = user;
    struct tl_device_info *device = &facts->devices[facts->device_count];
    if (json_string_is(key, "totalGlobalMem")) {
        int64_t bytes = number_of(value);
        device->memory_bytes = bytes < 0 ? 0 : (uint64_t)bytes;
    } else if (json_string_is(key, "name")) {
        device->name = unordered_name(facts->events, string_of(facts, value));
    }
    for (size_t i = 0; i < sizeof device_fields / sizeof *device_fields; i++)
        if (json_string_is(key, device_fields[i].key)) {
            uint32_t number = number32(value);
            memcpy((char *)device + device_fields[i].offset, &number, sizeof number);
        }
}

static void read_devices(struct kineto_facts *facts, struct json_cursor *cursor, const char *p)
{
    bool more = true;
    if (*p != '[')
        return;
    p = json_space(p + 1);
    while (p && more && *p == '{' && facts->device_count < KINETO_DEVICES_MAX) {
        facts->devices[facts->device_count] = (struct tl_device_info){0};
        p = json_each_member(cursor, p, read_device_member, facts);
        facts->device_count += p != NULL;
        p = p ? json_next(cursor, p, ']', &more) : NULL;
    }
}

static void read_distributed(void *user, const struct json_string *key, struct text value)
{
    kineto_group_rank(user, key, value);
}

static void read_pid(void *user, struct text now, struct text before)
{
    struct kineto_facts *facts = user;
    bool quoted = before.size >= 2 && before.bytes[0] == '"';
    struct kineto_id own =
        kineto_id_of((struct text){before.bytes + quoted, before.size - 2 * quoted});
    kineto_rows_group(facts->rows, now, facts->groups.count, &own);
}

/* Groups are numbered from 1. */
static void read_group(void *user, const struct kineto_group *group)
{
    struct kineto_facts *facts = user;
    struct kineto_group *kept = ARRAY_ADD(&facts->groups);
    facts->failed |= !kept;
    if (!kept)
        return;
    *kept = *group;
    kept->host = string_of(facts, group->host);
    kept->clock = string_of(facts, group->clock);
    kept->pids = (struct text){"", 0};
    kineto_group_pids(group, read_pid, facts);
}

static void read_libprof(void *user, const struct json_string *key, struct text value)
{
    struct kineto_facts *facts = user;
    if (json_string_is(key, "simulated"))
        facts->simulated = text_is(value, "true");
    else if (json_string_is(key, "source"))
        facts->format = string_of(facts, value);
    else if (json_string_is(key, "span_ns"))
        facts->span_ns = number_of(value);
}

static bool append_member_bytes(struct kineto_facts *facts, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char *place = ARRAY_ADD(&facts->members);
        if (!place)
            return false;
        *place = bytes[i];
    }
    return true;
}

/* Members that every writer of Chrome traces sets itself. */
static bool is_of_writer(const struct json_string *key)
{
    static const char *const keys[] = {"schemaVersion", "displayTimeUnit", "traceName",
                                       "skippedCounters", "traceEvents"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_string_is(key, keys[i]))
            return true;
    return false;
}

static bool is_plain(struct text name)
{
    bool plain = utf8_is_valid(name);
    for (size_t i = 0; i < name.size; i++)
        plain &= (unsigned char)name.bytes[i] >= ' ' && name.bytes[i] != '\\';
    return plain;
}

/* Keeps members that PyTorch or its users added to a trace: flags, ids, the job. */
static void keep_member(struct kineto_facts *facts, const struct json_string *key)
{
    struct text value = {facts->value, facts->size}, name = {key->bytes, key->size};
    if (is_of_writer(key) || !is_plain(name) || !json_is_valid(value) ||
        facts->members.count + facts->size + key->size > KINETO_FACT_BYTES)
        return;
    facts->failed |= !append_member_bytes(facts, facts->members.count ? ",\"" : "\"",
                                          facts->members.count ? 2 : 1) ||
                     !append_member_bytes(facts, key->bytes, key->size) ||
                     !append_member_bytes(facts, "\":", 2) ||
                     !append_member_bytes(facts, value.bytes, value.size);
}

static void read_value(struct kineto_facts *facts, const struct json_string *key)
{
    struct json_cursor cursor = {.end = facts->value + facts->size};
    struct text value = {facts->value, facts->size};
    memset(facts->value + facts->size, '"', JSON_PAD_BYTES);
    if (json_string_is(key, "deviceProperties") || json_string_is(key, "computeProperties"))
        read_devices(facts, &cursor, facts->value);
    else if (json_string_is(key, "distributedInfo"))
        json_each_member(&cursor, facts->value, read_distributed, &facts->own),
            keep_member(facts, key);
    else if (json_string_is(key, "baseTimeNanoseconds"))
        facts->base_ns = number_of(value) < 0 ? 0 : (uint64_t)number_of(value);
    else if (json_string_is(key, "host_name"))
        facts->own.host = string_of(facts, value);
    else if (json_string_is(key, "libprof"))
        facts->is_libprofs = true, json_each_member(&cursor, facts->value, read_libprof, facts);
    else if (kineto_groups_is((struct text){key->bytes, key->size}))
        kineto_groups_each(value, read_group, facts);
    else
        keep_member(facts, key);
}

void kineto_facts_member(struct kineto_facts *facts, struct text key, struct text segment,
                         bool first, bool last)
{
    struct json_string name = {key.bytes, (uint32_t)key.size, false};
    if (first) {
        facts->size = 0;
        facts->skipping = false;
    }
    if (facts->skipping || segment.size > KINETO_FACT_BYTES - facts->size) {
        facts->large_groups += !facts->skipping && kineto_groups_is(key);
        facts->skipping = true;
        return;
    }
    memcpy(facts->value + facts->size, segment.bytes, segment.size);
    facts->size += segment.size;
    if (last)
        read_value(facts, &name);
}

void kineto_facts_call(struct kineto_facts *facts, const struct kineto_event *event)
{
    struct text name = {event->name.bytes, event->name.size};
    struct text category = {event->category_text.bytes, event->category_text.size};
    if (text_begins(name, "hip") || text_begins(name, "__hip") || text_begins(name, "hsa_"))
        facts->amd_calls = true;
    else if (!text_begins(category, "cuda") && !text_begins(category, "Runtime"))
        facts->other_calls = true;
    else if (text_begins(name, "cu"))
        facts->cuda_calls = true;
    else
        facts->unnamed_calls = true;
}

void kineto_facts_memory(struct kineto_facts *facts, const struct kineto_event *event)
{
    enum { CPU = 0, CUDA = 1, HIP = 6 }; /* c10::DeviceType */
    int64_t type = kineto_number(&event->args, KINETO_MEMORY_TYPE, CPU);
    facts->amd_calls |= type == HIP;
    facts->other_calls |= type != CPU && type != CUDA && type != HIP;
}

/* Whether a device is called one of AMD's: "AMD Instinct MI300X", "AMD Radeon Graphics",
 * "gfx942". */
static bool has_amd_device(const struct kineto_facts *facts)
{
    for (uint32_t i = 0; i < facts->device_count; i++) {
        struct text name = unordered_name_text(facts->events, facts->devices[i].name);
        if (text_begins(name, "AMD ") || text_begins(name, "gfx") ||
            memmem(name.bytes, name.size, "Instinct", 8) ||
            memmem(name.bytes, name.size, "Radeon", 6))
            return true;
    }
    return false;
}

static enum tl_device_api api_of(const struct kineto_facts *facts)
{
    if (facts->cuda_calls)
        return TL_API_CUDA;
    if (facts->amd_calls || (!facts->other_calls && has_amd_device(facts)))
        return TL_API_HIP;
    return facts->other_calls && !facts->unnamed_calls ? TL_API_OTHER : TL_API_CUDA;
}

void kineto_facts_mode(const struct kineto_facts *facts, struct tl_process_info *process)
{
    static const char amd[] = "AMD's devices, timed by their own profiler",
                      other[] = "another maker's devices, timed by their own profiler";
    process->simulated = facts->simulated;
    process->device_api = api_of(facts);
    if (process->device_api == TL_API_CUDA)
        return;
    process->gpu_mode = PROF_GPU_OTHER;
    process->gpu_reason = process->device_api == TL_API_HIP
                              ? (struct text){amd, sizeof amd - 1}
                              : (struct text){other, sizeof other - 1};
}

static bool is_described(const struct kineto_facts *facts, uint32_t ordinal)
{
    for (uint32_t i = 0; i < facts->device_count; i++)
        if (facts->devices[i].device == ordinal)
            return true;
    return false;
}

/* False: they do not agree, or there is none. */
static bool common_device(const struct kineto_facts *facts, struct tl_device_info *common)
{
    for (uint32_t i = 0; i < facts->device_count; i++) {
        struct tl_device_info device = facts->devices[i];
        device.device = 0;
        if (i == 0)
            *common = device;
        else if (memcmp(common, &device, sizeof device) != 0)
            return false;
    }
    return facts->device_count > 0;
}

void kineto_facts_devices(const struct kineto_facts *facts, uint32_t process)
{
    struct tl_device_info common;
    for (uint32_t i = 0; i < facts->device_count; i++)
        unordered_add_device(facts->events, process, &facts->devices[i]);
    if (api_of(facts) != TL_API_HIP || !common_device(facts, &common))
        return;
    uint64_t busy = unordered_busy_devices(facts->events, process);
    for (uint32_t ordinal = 0; ordinal < KINETO_DEVICES_MAX; ordinal++) {
        common.device = ordinal;
        if (busy >> ordinal & 1 && !is_described(facts, ordinal))
            unordered_add_device(facts->events, process, &common);
    }
}

/* ---- groups of pids ---- */

void kineto_group_rank(struct kineto_group *group, const struct json_string *key, struct text value)
{
    int64_t number;
    if (!json_text_scaled(value, 0, &number) || number < 0 || number > INT32_MAX)
        return;
    if (json_string_is(key, "rank"))
        group->rank = (int32_t)number;
    else if (json_string_is(key, "world_size"))
        group->world_size = (int32_t)number;
}

static void read_member(void *user, const struct json_string *key, struct text value)
{
    struct kineto_group *group = user;
    if (json_string_is(key, "pids"))
        group->pids = value;
    else if (json_string_is(key, "host_name"))
        group->host = value;
    else if (json_string_is(key, "clock"))
        group->clock = value;
    else
        kineto_group_rank(group, key, value);
}

void kineto_groups_each(struct text value, kineto_read_group *take, void *user)
{
    struct json_cursor cursor = {.end = value.bytes + value.size};
    bool more = value.size && *value.bytes == '[';
    const char *p = more ? json_space(value.bytes + 1) : NULL;
    while (p && more && p < cursor.end && *p == '{') {
        struct kineto_group group = {.rank = -1, .world_size = -1};
        p = json_each_member(&cursor, p, read_member, &group);
        if (p)
            take(user, &group);
        p = p ? json_next(&cursor, p, ']', &more) : NULL;
    }
}

struct pid_reader {
    kineto_read_pid *take;
    void *user;
};

static void read_pid_of(void *user, const struct json_string *key, struct text value)
{
    const struct pid_reader *taker = user;
    taker->take(taker->user, (struct text){key->bytes, key->size}, value);
}

void kineto_group_pids(const struct kineto_group *group, kineto_read_pid *take, void *user)
{
    struct json_cursor cursor = {.end = group->pids.bytes + group->pids.size};
    struct pid_reader taker = {take, user};
    if (group->pids.size)
        json_each_member(&cursor, group->pids.bytes, read_pid_of, &taker);
}
