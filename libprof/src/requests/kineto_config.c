/* kineto_config.c - the text by which Dynolog's daemon, or Kineto's configuration file, requests a
 * trace.
 *
 *     PROFILE_START_TIME=1789000000000     # CLOCK_REALTIME in ms; at once when missing or 0
 *     ACTIVITIES_DURATION_MSECS=500
 *     ACTIVITIES_LOG_FILE=/tmp/trace.json  # only "trace" is used: see requests.h
 *
 * One KEY=VALUE per line, '#' begins a comment. The meaning of the keys is Kineto's. By iterations
 * (PROFILE_START_ITERATION, ACTIVITIES_ITERATIONS) has priority over by time, as there.
 */
#include "number.h"
#include "requests.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define KINETO_CONFIG_INT_MAX 2147483647ull /* Kineto's numbers are int32_t */
#define KINETO_CONFIG_LONG_MAX 9223372036854775807ull

enum kineto_config_kind {
    KINETO_CONFIG_NUMBER,
    KINETO_CONFIG_LONG,
    KINETO_CONFIG_TEXT,
    KINETO_CONFIG_DEFAULT, /* known, without effect here, and not worth a word */
    KINETO_CONFIG_WISH,    /* a flag: libprof's own variables decide about that */
    KINETO_CONFIG_ENABLED, /* a flag without which nothing is recorded */
    KINETO_CONFIG_MEMORY,  /* a flag that requests another kind of file */
};

/* X(key, kind, field, whether the key requests a trace) */
#define KINETO_CONFIG_KEYS(X)                                      \
    X("PROFILE_START_TIME", LONG, start_ms, 1)                     \
    X("PROFILE_START_ITERATION", NUMBER, start_step, 1)            \
    X("PROFILE_START_ITERATION_ROUNDUP", NUMBER, round_step, 1)    \
    X("ACTIVITIES_DURATION_MSECS", NUMBER, duration_ms, 1)         \
    X("ACTIVITIES_DURATION_SECS", NUMBER, duration_ms, 1)          \
    X("ACTIVITIES_ITERATIONS", NUMBER, steps, 1)                   \
    X("ACTIVITIES_LOG_FILE", TEXT, log_file, 1)                    \
    X("ACTIVITIES_WARMUP_PERIOD_SECS", NUMBER, warmup_ms, 0)       \
    X("ACTIVITIES_WARMUP_ITERATIONS", NUMBER, warmup_steps, 0)     \
    X("ACTIVITIES_ENABLED", ENABLED, wants_trace, 0)               \
    X("REQUEST_TRACE_ID", TEXT, id, 0)                             \
    X("REQUEST_GROUP_TRACE_ID", DEFAULT, id, 0)                    \
    X("ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS", NUMBER, poll_s, 0)  \
    X("PROFILE_MEMORY", MEMORY, wants_trace, 0)                    \
    X("PROFILE_MEMORY_DURATION_MSECS", DEFAULT, id, 0)             \
    X("PROFILE_PROFILE_MEMORY", WISH, id, 0)                       \
    X("PROFILE_REPORT_INPUT_SHAPES", WISH, id, 0)                  \
    X("PROFILE_WITH_STACK", WISH, id, 0)                           \
    X("PROFILE_WITH_FLOPS", WISH, id, 0)                           \
    X("PROFILE_WITH_MODULES", WISH, id, 0)                         \
    X("PYTHON_STACK_TRACE", WISH, id, 0)                           \
    X("CLIENT_INTERFACE_ENABLE_OP_INPUTS_COLLECTION", WISH, id, 0) \
    X("ACTIVITY_TYPES", DEFAULT, id, 0)                            \
    X("ACTIVITIES_MAX_GPU_BUFFER_SIZE_MB", DEFAULT, id, 0)         \
    X("ACTIVITIES_DISPLAY_CUDA_SYNC_WAIT_EVENTS", DEFAULT, id, 0)  \
    X("CUPTI_PER_THREAD_BUFFER_ENABLED", DEFAULT, id, 0)           \
    X("CUSTOM_CONFIG", DEFAULT, id, 0)                             \
    X("ENABLE_IPC_FABRIC", DEFAULT, id, 0)                         \
    X("ENABLE_SIGUSR2", DEFAULT, id, 0)                            \
    X("ROCTRACER_MAX_EVENTS", DEFAULT, id, 0)                      \
    X("VERBOSE_LOG_LEVEL", DEFAULT, id, 0)                         \
    X("VERBOSE_LOG_MODULES", DEFAULT, id, 0)

static const struct kineto_config_key {
    const char *name;
    enum kineto_config_kind kind;
    size_t offset, bytes; /* of the field */
    bool asks;
} kineto_config_keys[] = {
#define KINETO_CONFIG_KEY(name, kind, field, asks)                      \
    {name, KINETO_CONFIG_##kind, offsetof(struct kineto_config, field), \
     sizeof(((struct kineto_config *)0)->field), asks},
    KINETO_CONFIG_KEYS(KINETO_CONFIG_KEY)
#undef KINETO_CONFIG_KEY
};
#define KINETO_CONFIG_COUNT (sizeof kineto_config_keys / sizeof *kineto_config_keys)
_Static_assert(KINETO_CONFIG_COUNT <= 64, "kineto_config_reading.seen has a bit for each");

/* Part of the text; not terminated. */
struct kineto_config_part {
    const char *at;
    size_t size;
};

struct kineto_config_reading {
    struct kineto_config *config;
    uint64_t seen; /* a bit for each key */
    char *reason;
    size_t reason_bytes;
};

/* A terminal may show it. */
static void kineto_config_make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '\x7f')
            *text = '?';
}

__attribute__((format(printf, 2, 3))) static bool
kineto_config_fail(struct kineto_config_reading *reading, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reading->reason, reading->reason_bytes, format, arguments);
    va_end(arguments);
    kineto_config_make_printable(reading->reason);
    return false;
}

/* ---- parts ---- */

static bool kineto_config_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

static struct kineto_config_part kineto_config_trim(const char *at, const char *end)
{
    while (at < end && kineto_config_is_space(*at))
        at++;
    while (at < end && kineto_config_is_space(end[-1]))
        end--;
    return (struct kineto_config_part){at, (size_t)(end - at)};
}

static bool kineto_config_is(struct kineto_config_part part, const char *text)
{
    return strlen(text) == part.size && memcmp(part.at, text, part.size) == 0;
}

static size_t kineto_config_find(struct kineto_config_part name)
{
    size_t place = 0;
    while (place < KINETO_CONFIG_COUNT && !kineto_config_is(name, kineto_config_keys[place].name))
        place++;
    return place;
}

/* The end of a text that does not fit: of a path that is the file's name. */
static void kineto_config_copy(char *to, size_t bytes, struct kineto_config_part from)
{
    size_t size = from.size < bytes ? from.size : bytes - 1;
    memcpy(to, from.at + from.size - size, size);
    to[size] = '\0';
}

static bool kineto_config_parse_number(struct kineto_config_part value, uint64_t most,
                                       uint64_t *number)
{
    char text[24];
    if (value.size >= sizeof text)
        return false;
    kineto_config_copy(text, sizeof text, value);
    const char *end = number_parse(text, number);
    return end && end == text + value.size && *number <= most;
}

static bool kineto_config_parse_flag(struct kineto_config_part value, bool *flag)
{
    static const char *const texts[] = {"0", "1", "n", "y", "no", "yes", "f", "t", "false", "true"};
    char text[8];
    if (value.size >= sizeof text)
        return false;
    kineto_config_copy(text, sizeof text, value);
    for (char *at = text; *at; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(text, texts[i]) == 0) {
            *flag = i % 2;
            return true;
        }
    return false;
}

static void kineto_config_add_unused(struct kineto_config *config, struct kineto_config_part name)
{
    size_t used = strlen(config->unused), room = sizeof config->unused - used;
    size_t shown = name.size < 48 ? name.size : 48;
    if (shown + 3 > room)
        return;
    snprintf(config->unused + used, room, "%s%.*s", used ? ", " : "", (int)shown, name.at);
    kineto_config_make_printable(config->unused + used);
}

/* ---- lines ---- */

static bool kineto_config_set_number(struct kineto_config_reading *reading,
                                     const struct kineto_config_key *key,
                                     struct kineto_config_part value)
{
    uint64_t number;
    uint64_t most =
        key->kind == KINETO_CONFIG_LONG ? KINETO_CONFIG_LONG_MAX : KINETO_CONFIG_INT_MAX;
    if (!kineto_config_parse_number(value, most, &number))
        return kineto_config_fail(reading, "%s=%.*s is not a number from 0 to %llu", key->name,
                                  (int)(value.size < 40 ? value.size : 40), value.at,
                                  (unsigned long long)most);
    if (strstr(key->name, "_SECS") && key->offset != offsetof(struct kineto_config, poll_s))
        number *= 1000;
    memcpy((char *)reading->config + key->offset, &number, sizeof number);
    return true;
}

static bool kineto_config_set_flag(struct kineto_config_reading *reading,
                                   const struct kineto_config_key *key,
                                   struct kineto_config_part value)
{
    bool flag;
    if (!kineto_config_parse_flag(value, &flag))
        return kineto_config_fail(reading, "%s=%.*s is neither true nor false", key->name,
                                  (int)(value.size < 40 ? value.size : 40), value.at);
    if (key->kind == KINETO_CONFIG_ENABLED && !flag)
        return kineto_config_fail(reading, "ACTIVITIES_ENABLED is false");
    if (key->kind == KINETO_CONFIG_MEMORY && flag)
        return kineto_config_fail(
            reading, "PROFILE_MEMORY asks for a snapshot of PyTorch's allocator, which libprof "
                     "does not make");
    if (key->kind == KINETO_CONFIG_WISH && flag)
        kineto_config_add_unused(reading->config,
                                 (struct kineto_config_part){key->name, strlen(key->name)});
    return true;
}

static bool kineto_config_set(struct kineto_config_reading *reading,
                              const struct kineto_config_key *key, struct kineto_config_part value)
{
    switch (key->kind) {
    case KINETO_CONFIG_NUMBER:
    case KINETO_CONFIG_LONG:
        return kineto_config_set_number(reading, key, value);
    case KINETO_CONFIG_TEXT:
        kineto_config_copy((char *)reading->config + key->offset, key->bytes, value);
        kineto_config_make_printable((char *)reading->config + key->offset);
        return true;
    case KINETO_CONFIG_DEFAULT:
        return true;
    default:
        return kineto_config_set_flag(reading, key, value);
    }
}

static bool kineto_config_parse_line(struct kineto_config_reading *reading, const char *line,
                                     const char *end)
{
    const char *comment = memchr(line, '#', (size_t)(end - line));
    struct kineto_config_part all = kineto_config_trim(line, comment ? comment : end);
    const char *equals = memchr(all.at, '=', all.size);
    if (all.size == 0)
        return true;
    if (!equals || memchr(equals + 1, '=', (size_t)(all.at + all.size - equals - 1)))
        return kineto_config_fail(reading, "the line '%.*s' is not KEY=VALUE",
                                  (int)(all.size < 60 ? all.size : 60), all.at);
    struct kineto_config_part name = kineto_config_trim(all.at, equals);
    struct kineto_config_part value = kineto_config_trim(equals + 1, all.at + all.size);
    size_t place = kineto_config_find(name);
    if (place == KINETO_CONFIG_COUNT) {
        kineto_config_add_unused(reading->config, name);
        return true;
    }
    if (reading->seen >> place & 1)
        return kineto_config_fail(reading, "%s is given twice", kineto_config_keys[place].name);
    reading->seen |= 1ull << place;
    reading->config->wants_trace |= kineto_config_keys[place].asks;
    return kineto_config_set(reading, &kineto_config_keys[place], value);
}

/* ---- what the keys mean together ---- */

static bool kineto_config_has(const struct kineto_config_reading *reading, const char *name)
{
    size_t place = kineto_config_find((struct kineto_config_part){name, strlen(name)});
    return reading->seen >> place & 1;
}

static bool kineto_config_settle(struct kineto_config_reading *reading)
{
    struct kineto_config *config = reading->config;
    if (kineto_config_has(reading, "ACTIVITIES_DURATION_SECS") &&
        kineto_config_has(reading, "ACTIVITIES_DURATION_MSECS"))
        return kineto_config_fail(
            reading, "ACTIVITIES_DURATION_SECS and ACTIVITIES_DURATION_MSECS are both given");
    if (config->duration_ms == 0)
        return kineto_config_fail(reading, "its duration is 0");
    if (config->start_step == KINETO_CONFIG_NO_STEP && (config->steps || config->round_step))
        config->start_step = 0;
    if (config->start_step == KINETO_CONFIG_NO_STEP)
        return true;
    if (config->steps == 0)
        return kineto_config_fail(reading,
                                  "it has a start iteration, but no ACTIVITIES_ITERATIONS");
    if (config->start_ms)
        kineto_config_add_unused(config, (struct kineto_config_part){"PROFILE_START_TIME", 18});
    return true;
}

bool kineto_config_parse(const char *text, size_t size, struct kineto_config *config, char *reason,
                         size_t reason_bytes)
{
    struct kineto_config_reading reading = {
        .config = config, .reason = reason, .reason_bytes = reason_bytes};
    *config = (struct kineto_config){.duration_ms = KINETO_CONFIG_DURATION_MS,
                                     .warmup_ms = KINETO_CONFIG_WARMUP_MS,
                                     .start_step = KINETO_CONFIG_NO_STEP};
    *reason = '\0';
    for (const char *at = text, *end = text + size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;
        if (!kineto_config_parse_line(&reading, at, line_end))
            return false;
        at = newline ? newline + 1 : end;
    }
    return !config->wants_trace || kineto_config_settle(&reading);
}

/* ---- the file's name ---- */

static bool kineto_config_is_harmless(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '+' || c == '@';
}

void kineto_config_file_name(const struct kineto_config *config, uint32_t pid, unsigned attempt,
                             char *name, size_t name_bytes)
{
    static const char *const endings[] = {".pt.trace.json", ".json", ".prof"};
    const char *slash = strrchr(config->log_file, '/');
    const char *last = slash ? slash + 1 : config->log_file;
    char base[128], number[16] = "";
    snprintf(base, sizeof base, "%.127s", *last ? last : "libkineto_activities");
    size_t size = strlen(base);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (size > ending && strcmp(base + size - ending, endings[i]) == 0) {
            base[size - ending] = '\0';
            break;
        }
    }
    for (char *at = base; *at; at++)
        if (!kineto_config_is_harmless(*at) || (at == base && (*at == '.' || *at == '-')))
            *at = '_';
    if (attempt > 1)
        snprintf(number, sizeof number, "-%u", attempt);
    snprintf(name, name_bytes, "%s_%u%s.prof", base, (unsigned)pid, number);
}
