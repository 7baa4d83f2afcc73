#include "config.h"

#include "control_thread.h"
#include "environment.h"
#include "log.h"
#include "number.h"
#include "recorder.h"
#include "triggers.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* X(NAME, field, kind, default text, default, lowest, highest, choices, help). The kind is TEXT,
 * NUMBER, FLAG (0 or 1), CHOICE (separated by ", "; the value is the index), or another
 * config_kind. */
#define CONFIG_TABLE(X)                                                                          \
    X("PROF_OUTPUT", output, TEXT, "%e%R-%p.prof", 0, 0, 0, "",                                  \
      "Trace file name: %p process id, %h host name, %r rank, %R \"-rankN\" in a parallel job "  \
      "and "                                                                                     \
      "nothing elsewhere, %e program name, %n lowest unused number, %q{NAME} environment "       \
      "variable, "                                                                               \
      "%% percent sign.")                                                                        \
    X("PROF_START", start, MOMENT, "auto", 0, 0, 0, "auto, now, api, cuda, step:10, time:5s",    \
      "When recording begins: immediately (now), at prof_start() (api), between "                \
      "cudaProfilerStart() and cudaProfilerStop() (cuda), at that step of prof_step() (step), "  \
      "or this long after the program started, in ms, s, m or h (time). auto means now if the "  \
      "library is preloaded or injected, and api if it is linked.")                              \
    X("PROF_STOP", stop, MOMENT, "never", 0, 0, 0, "never, step:20, time:30s",                   \
      "When recording ends: at that step of prof_step(), or this long after the program "        \
      "started.")                                                                                \
    X("PROF_SCHEDULE", schedule, SCHEDULE, "", 0, 0, 0,                                          \
      "skip_first=10,wait=5,warmup=1,active=3,repeat=2",                                         \
      "Record only the active steps of prof_step(), like torch.profiler.schedule. Replaces "     \
      "PROF_START. active is required, other fields default to 0; repeat=0 repeats forever.")    \
    X("PROF_SIGNAL", signal, SIGNAL, "", 0, 0, 0, "name or number",                              \
      "Toggle recording whenever the process receives this signal.")                             \
    X("PROF_CONTROL", control, FLAG, "0", 0, 0, 1, "",                                           \
      "Accept commands from profdump ctl on a socket in $XDG_RUNTIME_DIR/libprof or "            \
      "/tmp/libprof-UID.")                                                                       \
    X("PROF_DAEMON", daemon, CHOICE, "auto", 0, 0, 0, "auto, always, never",                     \
      "Record when Dynolog's daemon (dyno gputrace) or the file that KINETO_CONFIG names "       \
      "requests a trace: if KINETO_USE_DAEMON is set and PyTorch is not loaded, whose Kineto "   \
      "answers instead (auto); always (always); or never (never).")                              \
    X("PROF_RING_SECONDS", ring_seconds, NUMBER, "0", 0, 0, 1000000, "",                         \
      "Limit a dump to the last seconds, in whole chunks of 64 KiB; 0 dumps everything that is " \
      "left.")                                                                                   \
    X("PROF_MAX_MB", max_mib, NUMBER, "8192", 8192, 2, 1048576, "",                              \
      "Size limit of the trace file in MiB.")                                                    \
    X("PROF_FULL", full, CHOICE, "stop", 0, 0, 0, "stop, ring",                                  \
      "At the size limit: stop recording and count the losses (stop), or overwrite the oldest "  \
      "part (ring).")                                                                            \
    X("PROF_CUDA", cuda, FLAG, "1", 1, 0, 1, "", "Record CUDA calls and device operations.")     \
    X("PROF_NVTX", nvtx, FLAG, "1", 1, 0, 1, "", "Record the program's NVTX annotations.")       \
    X("PROF_ITT", itt, FLAG, "1", 1, 0, 1, "", "Record the program's ITT annotations.")          \
    X("PROF_NCCL", nccl, CHOICE, "1", CONFIG_NCCL_ON, 0, 0, "0, 1, proxy, steps",                \
      "What to record as NCCL's profiler plugin: nothing (0), NCCL's calls (1), also what its "  \
      "proxies send and receive (proxy), or also each step of these (steps). Another plugin "    \
      "that NCCL would load has priority.")                                                      \
    X("PROF_CUBLAS", cublas, FLAG, "1", 1, 0, 1, "",                                             \
      "Record matrix products of cuBLAS and cuBLASLt as ranges with their sizes and types.")     \
    X("PROF_EMIT_NVTX", emit_nvtx, FLAG, "0", 0, 0, 1, "",                                       \
      "Forward the ranges of prof.h to the NVTX tool that NVTX_INJECTION64_PATH names.")         \
    X("PROF_GPU", gpu, CHOICE, "auto", 0, 0, 0, "auto, cupti, events, none",                     \
      "How to time device operations: with CUPTI if available (auto, cupti), with CUDA events "  \
      "around ranges, which are barriers in the program's streams (events), or not at all "      \
      "(none).")                                                                                 \
    X("PROF_GPU_DETAIL", gpu_detail, CHOICE, "standard", CONFIG_DETAIL_STANDARD, 0, 0,           \
      "minimal, standard, full",                                                                 \
      "What CUPTI records: kernels, copies, sets and the calls that launch them (minimal), "     \
      "also memory, waits and where the nodes of graphs come from (standard), also all other "   \
      "calls that fail and the event that each wait is for (full).")                             \
    X("PROF_EVENT_STREAM", event_stream, CHOICE, "legacy", 0, 0, 0, "legacy, thread",            \
      "Stream on which CUDA events time ranges: the legacy default stream, or the thread's "     \
      "default stream.")                                                                         \
    X("PROF_CUPTI", cupti_path, TEXT, "", 0, 0, 0, "",                                           \
      "Load this libcupti instead of searching for one.")                                        \
    X("PROF_START_EVENTS", start_events, FLAG, "1", 1, 0, 1, "",                                 \
      "At the start, time one tiny operation per device between two readings of the CPU clock, " \
      "to verify that the clocks agree.")                                                        \
    X("PROF_GRAPHS", graphs, CHOICE, "nodes", 0, 0, 0, "nodes, graph",                           \
      "How to record a launched CUDA graph: one record per kernel, copy and set (nodes), or "    \
      "one for the whole graph, which costs the least (graph).")                                 \
    X("PROF_MEMORY", memory, FLAG, "1", 1, 0, 1, "",                                             \
      "Record CUDA memory allocations, frees and memory pools.")                                 \
    X("PROF_UNIFIED_MEMORY", unified_memory, FLAG, "0", 0, 0, 1, "",                             \
      "Record migrations and page faults of managed memory; slows down programs that use it.")   \
    X("PROF_KERNEL_LATENCY", kernel_latency, FLAG, "0", 0, 0, 1, "",                             \
      "Also record when kernels were queued and submitted; adds to the cost of every launch.")   \
    X("PROF_HARDWARE_TRACE", hardware_trace, FLAG, "0", 0, 0, 1, "",                             \
      "Let the device's hardware time kernels (Blackwell and later; CUDA 12.8 and later, on "    \
      "aarch64 13.0 Update 1). Not together with PROF_KERNEL_LATENCY. Before CUDA 13.4, device " \
      "records are collected only at the end.")                                                  \
    X("PROF_FLUSH_MS", flush_ms, NUMBER, "100", 100, 1, 60000, "",                               \
      "Flush device records this often, in ms. kill -9 loses operations in flight, and those "   \
      "that ended within the last two intervals or are among a thread's last 50.")               \
    X("PROF_GPU_BUFFER_KB", gpu_buffer_kib, NUMBER, "1024", 1024, 64, 65536, "",                 \
      "Largest size of a buffer for device records, in KiB. Buffers are smaller at low record "  \
      "rates.")                                                                                  \
    X("PROF_EXIT_MS", exit_ms, NUMBER, "2000", 2000, 0, 600000, "",                              \
      "Longest delay of the program's exit in ms; device records not collected by then are "     \
      "lost.")                                                                                   \
    X("PROF_STACKS", stacks, CHOICE, "off", 0, 0, 0, "off, launch, range",                       \
      "Record call stacks of CUDA calls that launch, copy, set or allocate (launch), or of "     \
      "these and of ranges (range).")                                                            \
    X("PROF_STACK_DEPTH", stack_depth, NUMBER, "32", 32, 1, CONFIG_STACK_DEPTH_MAX, "",          \
      "Maximum number of frames per call stack, including those in CUPTI and CUDA.")             \
    X("PROF_STACK_METHOD", stack_method, CHOICE, "auto", 0, 0, 0, "auto, tables, frames",        \
      "How to unwind call stacks: with unwind tables (tables; needs libunwind.so.8 and "         \
      "x86-64), with frame pointers (frames), or with tables where they exist and frame "        \
      "pointers elsewhere (auto).")                                                              \
    X("PROF_BUDGET", budget_ppm, PERCENT, "", 0, 100, 1000000, "",                               \
      "Limit for the cost of recording, in percent of wall time. Above it, libprof stops "       \
      "recording samples, then call stacks, then CUDA calls that launch nothing, then the "      \
      "operations of graphs.")                                                                   \
    X("PROF_SUMMARY", summary_s, NUMBER, "0", 0, 0, 86400, "",                                   \
      "Add a summary of what was recorded to the file every N seconds: counts and durations "    \
      "per step and name, and what the device did in each step. Summaries remain when a ring "   \
      "overwrites the events. 0 adds none.")                                                     \
    X("PROF_PROMETHEUS", prometheus, TEXT, "", 0, 0, 0, "",                                      \
      "Write metrics of the running process to a file in this directory every 30 seconds "       \
      "and at exit, for node_exporter's textfile collector.")                                    \
    X("PROF_SAMPLE", sample_hz, NUMBER, "0", 0, 0, 1000, "99",                                   \
      "Sample the stack of each thread this many times per second of its CPU time, and where "   \
      "threads wait. 0 samples nothing.")                                                        \
    X("PROF_HANG", hang_ms, DURATION, "off", 0, 20, 86400000, "60s",                             \
      "When no step, range, CUDA call or device operation has ended for this long while "        \
      "something is open, write the stacks of all threads and what is open to the trace and to " \
      "TRACE.hang.txt; in ms, s, m or h.")                                                       \
    X("PROF_HANG_ACTION", hang_action, HANG_ACTION, "dump", 0, 0, 0, "dump, abort, signal:USR1", \
      "What else to do at a hang: nothing (dump), end the process with SIGABRT (abort), or "     \
      "send it this signal (signal).")                                                           \
    X("PROF_TABLE", table, FLAG, "1", 1, 0, 1, "",                                               \
      "Print the key averages on stderr at exit. Needs profdump next to libprof.so and a trace " \
      "of at most 64 MiB; gives up after 10 seconds.")                                           \
    X("PROF_TABLE_ROWS", table_rows, NUMBER, "30", 30, 1, 1000000, "",                           \
      "Number of rows of that table.")                                                           \
    X("PROF_LOG", log_level, NUMBER, "1", 1, 0, 5, "",                                           \
      "Messages on stderr: 0 none, 1 errors, 2 per process, 3 per thread, 4 per buffer, 5 per "  \
      "event.")                                                                                  \
    X("PROF_SESSION_FILE", session_file, TEXT, "", 0, 0, 0, "",                                  \
      "Existing file to which libprof appends one line per process: the path of the trace "      \
      "file, or \"# \" and a word for why there is none. Set by profrun.")

enum config_kind {
    CONFIG_TEXT,
    CONFIG_NUMBER,
    CONFIG_FLAG,
    CONFIG_CHOICE,
    CONFIG_MOMENT, /* a choice; "step:10" in the list means any number of steps */
    CONFIG_SCHEDULE,
    CONFIG_SIGNAL,
    CONFIG_PERCENT,  /* kept as millionths */
    CONFIG_DURATION, /* kept as milliseconds; "off" is 0 */
    CONFIG_HANG_ACTION,
};

/* How to parse a variable. Same order as config_shown[]. */
struct config_rule {
    enum config_kind kind;
    size_t offset; /* of the field in struct config */
    uint64_t lowest, highest;
    const char *choices;
};

#define CONFIG_RULE(name, field, kind, text, value, lowest, highest, choices, help) \
    {CONFIG_##kind, offsetof(struct config, field), lowest, highest, choices},
static const struct config_rule config_rules[] = {CONFIG_TABLE(CONFIG_RULE)};

#define CONFIG_TYPE_TEXT "text"
#define CONFIG_TYPE_NUMBER "number"
#define CONFIG_TYPE_FLAG "0 or 1"
#define CONFIG_TYPE_CHOICE "one of"
#define CONFIG_TYPE_MOMENT "one of"
#define CONFIG_TYPE_SCHEDULE "schedule"
#define CONFIG_TYPE_PERCENT "percent"
#define CONFIG_TYPE_SIGNAL "signal"
#define CONFIG_TYPE_DURATION "time"
#define CONFIG_TYPE_HANG_ACTION "one of"
#define CONFIG_RANGE_TEXT(lowest, highest, choices) ""
#define CONFIG_RANGE_NUMBER(lowest, highest, choices) #lowest ".." #highest
#define CONFIG_RANGE_FLAG(lowest, highest, choices) ""
#define CONFIG_RANGE_CHOICE(lowest, highest, choices) choices
#define CONFIG_RANGE_MOMENT(lowest, highest, choices) choices
#define CONFIG_RANGE_SCHEDULE(lowest, highest, choices) choices
#define CONFIG_RANGE_PERCENT(lowest, highest, choices) "0.01%..100%"
#define CONFIG_RANGE_SIGNAL(lowest, highest, choices) choices
#define CONFIG_RANGE_DURATION(lowest, highest, choices) "off, " choices
#define CONFIG_RANGE_HANG_ACTION(lowest, highest, choices) choices
#define CONFIG_SHOWN(name, field, kind, text, value, lowest, highest, choices, help) \
    {name, CONFIG_TYPE_##kind, text, CONFIG_RANGE_##kind(lowest, highest, choices), help},
static const struct config_option config_shown[] = {CONFIG_TABLE(CONFIG_SHOWN)};

#define CONFIG_COUNT (sizeof config_shown / sizeof *config_shown)

#define CONFIG_VALUE_TEXT(text, value) text
#define CONFIG_VALUE_NUMBER(text, value) value
#define CONFIG_VALUE_FLAG(text, value) value
#define CONFIG_VALUE_CHOICE(text, value) value
#define CONFIG_VALUE_MOMENT(text, value) value
#define CONFIG_VALUE_SCHEDULE(text, value) text
#define CONFIG_VALUE_PERCENT(text, value) value
#define CONFIG_VALUE_SIGNAL(text, value) value
#define CONFIG_VALUE_DURATION(text, value) value
#define CONFIG_VALUE_HANG_ACTION(text, value) value
#define CONFIG_DEFAULT(name, field, kind, text, value, lowest, highest, choices, help) \
    .field = CONFIG_VALUE_##kind(text, value),
static struct config config_values = {CONFIG_TABLE(CONFIG_DEFAULT)};

/* Variables whose value is not used as it is: config_warn() reports them. */
static enum config_verdict {
    CONFIG_ACCEPTED,
    CONFIG_REFUSED, /* the default counts */
    CONFIG_MOVED,   /* a number out of range: the nearest one counts */
} config_verdicts[CONFIG_COUNT] GUEST_DATA;

GUEST_PATH const struct config *config_get(void)
{
    return &config_values;
}

const struct config_option *config_options(size_t *count)
{
    *count = CONFIG_COUNT;
    return config_shown;
}

/* Of PROF_GPU_DETAIL. */
static const struct config_rule *config_gpu_detail_rule(void)
{
    const struct config_rule *rule = config_rules;
    while (rule->offset != offsetof(struct config, gpu_detail))
        rule++;
    return rule;
}

static bool config_parse_number(const struct config_rule *rule, const char *text, uint64_t *value)
{
    const char *end = number_parse(text, value);
    return end && *end == '\0' && *value >= rule->lowest && *value <= rule->highest;
}

/* Parses "2%", "0.5%" or "2". Not with strtod(), which depends on the locale. */
static bool config_parse_percent(const struct config_rule *rule, const char *text, uint64_t *value)
{
    uint64_t ppm;
    const char *end = number_parse(text, &ppm);
    if (!end || ppm > 100)
        return false;
    ppm *= 10000;
    if (*end == '.')
        for (uint64_t unit = 1000; *++end >= '0' && *end <= '9'; unit /= 10)
            ppm += unit * (uint64_t)(*end - '0');
    end += *end == '%';
    *value = ppm;
    return *end == '\0' && ppm >= rule->lowest && ppm <= rule->highest;
}

/* Parses the "10" of "step:10", or the "5s" of "time:5s" as milliseconds. */
static bool config_parse_amount(const char *text, bool is_time, uint64_t *amount)
{
    static const struct {
        const char *unit;
        uint64_t ms;
    } units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"h", 3600000}};
    const char *end = number_parse(text, amount);
    if (!end || *amount > CONFIG_AMOUNT_MAX)
        return false;
    if (!is_time)
        return *end == '\0';
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0) {
            *amount *= units[i].ms;
            return true;
        }
    return false;
}

/* Stores the index of the choice, and the amount in the bits above CONFIG_AMOUNT_SHIFT. */
static bool config_parse_moment(const struct config_rule *rule, const char *text, uint64_t *value)
{
    size_t size = strlen(text);
    *value = 0;
    for (const char *choice = rule->choices; choice; *value += 1) {
        size_t choice_size = strcspn(choice, ",");
        const char *colon = memchr(choice, ':', choice_size);
        size_t word = colon ? (size_t)(colon + 1 - choice) : choice_size;
        uint64_t amount = 0;
        if (strncmp(choice, text, word) == 0 &&
            (colon ? config_parse_amount(text + word, *choice == 't', &amount) : size == word)) {
            *value |= amount << CONFIG_AMOUNT_SHIFT;
            return true;
        }
        choice = choice[choice_size] ? choice + choice_size + 2 : NULL;
    }
    return false;
}

static bool config_parse_choice(const struct config_rule *rule, const char *text, uint64_t *value)
{
    size_t size = strlen(text);
    *value = 0;
    for (const char *choice = rule->choices; choice; *value += 1) {
        const char *comma = strchr(choice, ',');
        size_t choice_size = comma ? (size_t)(comma - choice) : strlen(choice);
        if (size == choice_size && memcmp(choice, text, size) == 0)
            return true;
        choice = comma ? comma + 2 : NULL;
    }
    return false;
}

bool config_parse_gpu_detail(const char *text, uint64_t *detail)
{
    return config_parse_choice(config_gpu_detail_rule(), text, detail);
}

void config_gpu_detail_text(uint64_t detail, char *text, size_t text_bytes)
{
    const char *choice = config_gpu_detail_rule()->choices;
    for (; detail && *choice; detail--)
        choice += strcspn(choice, ",") + 2;
    snprintf(text, text_bytes, "%.*s", (int)strcspn(choice, ","), choice);
}

/* Parses "60s" or "off". */
static bool config_parse_duration(const struct config_rule *rule, const char *text, uint64_t *value)
{
    *value = 0;
    return strcmp(text, "off") == 0 || (config_parse_amount(text, true, value) &&
                                        *value >= rule->lowest && *value <= rule->highest);
}

static bool config_parse_hang_action(const char *text, uint64_t *value)
{
    static const char signal[] = "signal:";
    *value = strcmp(text, "abort") == 0 ? CONFIG_HANG_ABORT : CONFIG_HANG_DUMP;
    if (strncmp(text, signal, sizeof signal - 1) != 0)
        return *value == CONFIG_HANG_ABORT || strcmp(text, "dump") == 0;
    if (!control_signal_parse(text + sizeof signal - 1, value))
        return false;
    *value += CONFIG_HANG_SIGNAL;
    return true;
}

/* Copies the text, because programs overwrite argv and the environment with their title. Returns
 * NULL if the text is too long. */
static const char *config_copy(const char *text)
{
    static char pool[5 * 4096]; /* a path for each text of the table */
    static size_t used GUEST_DATA;
    size_t size = strlen(text) + 1;
    if (size > sizeof pool - used)
        return NULL;
    used += size;
    return memcpy(pool + used - size, text, size);
}

static bool config_parse_value(const struct config_rule *rule, const char *text, uint64_t *value)
{
    switch (rule->kind) {
    case CONFIG_CHOICE:
        return config_parse_choice(rule, text, value);
    case CONFIG_MOMENT:
        return config_parse_moment(rule, text, value);
    case CONFIG_PERCENT:
        return config_parse_percent(rule, text, value);
    case CONFIG_SIGNAL:
        return control_signal_parse(text, value);
    case CONFIG_DURATION:
        return config_parse_duration(rule, text, value);
    case CONFIG_HANG_ACTION:
        return config_parse_hang_action(text, value);
    default:
        return config_parse_number(rule, text, value);
    }
}

static bool config_parse(const struct config_rule *rule, const char *text)
{
    void *field = (char *)&config_values + rule->offset;
    if (rule->kind == CONFIG_TEXT || rule->kind == CONFIG_SCHEDULE) {
        struct schedule schedule;
        bool readable = rule->kind == CONFIG_TEXT || schedule_parse(text, &schedule);
        const char *copy = readable ? config_copy(text) : NULL;
        if (copy)
            *(const char **)field = copy;
        return copy != NULL;
    }
    uint64_t value;
    bool good = config_parse_value(rule, text, &value);
    if (good)
        *(uint64_t *)field = value;
    return good;
}

/* A number out of range means as little or as much as possible. */
static bool config_parse_nearest(const struct config_rule *rule, const char *text)
{
    uint64_t value;
    if (rule->kind != CONFIG_NUMBER || text[strspn(text, "0123456789")] != '\0')
        return false;
    if (!number_parse(text, &value))
        value = UINT64_MAX; /* it has too many digits */
    value = value < rule->lowest ? rule->lowest : value > rule->highest ? rule->highest : value;
    *(uint64_t *)((char *)&config_values + rule->offset) = value;
    return true;
}

/* What is read instead of the environment; NULL: the environment. */
static const char *config_list GUEST_DATA;
static size_t config_list_bytes GUEST_DATA;

void config_use(const char *options, size_t bytes)
{
    config_list = options;
    config_list_bytes = bytes;
}

static const char *config_find_in_list(const char *name)
{
    const size_t size = strlen(name);
    const char *end = config_list + config_list_bytes;
    for (const char *entry = config_list; entry < end;) {
        const size_t length = strnlen(entry, (size_t)(end - entry));
        if (length == (size_t)(end - entry))
            return NULL; /* not terminated */
        if (length > size && entry[size] == '=' && memcmp(entry, name, size) == 0)
            return entry + size + 1;
        entry += length + 1;
    }
    return NULL;
}

GUEST_PATH static const char *config_text(const char *name)
{
    return config_list ? config_find_in_list(name) : environment_get(name);
}

GUEST_PATH void config_load(void)
{
    for (size_t i = 0; i < CONFIG_COUNT; i++) {
        const char *text = config_text(config_shown[i].name);
        if (!text || !*text || config_parse(&config_rules[i], text))
            config_verdicts[i] = CONFIG_ACCEPTED;
        else
            config_verdicts[i] =
                config_parse_nearest(&config_rules[i], text) ? CONFIG_MOVED : CONFIG_REFUSED;
    }
    log_set_level((int)config_values.log_level);
}

bool config_override(const char *output, uint64_t max_mib, bool ring)
{
    static char output_kept[4096];
    if ((output && strlen(output) >= sizeof output_kept) || max_mib == 1 || max_mib > 1048576)
        return false;
    if (output) {
        memcpy(output_kept, output, strlen(output) + 1);
        config_values.output = output_kept;
    }
    if (max_mib)
        config_values.max_mib = max_mib;
    if (ring)
        config_values.full = CONFIG_FULL_RING;
    return true;
}

void config_emit_nvtx(void)
{
    config_values.emit_nvtx = 1;
}

static bool config_is_variable(const char *entry)
{
    static const char *const others[] = {"PROF_LIBRARY", "PROF_BASELINES"}; /* of our programs */
    size_t size = strcspn(entry, "=");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strlen(others[i]) == size && memcmp(entry, others[i], size) == 0)
            return true;
    for (size_t i = 0; i < CONFIG_COUNT; i++)
        if (strlen(config_shown[i].name) == size && memcmp(config_shown[i].name, entry, size) == 0)
            return true;
    return false;
}

static void config_warn_moved(size_t i)
{
    const struct config_option *option = &config_shown[i];
    const uint64_t *used =
        (const uint64_t *)((const char *)&config_values + config_rules[i].offset);
    log_line(LOG_ERROR, "%s=%.64s is out of range: expected %s %s; using %llu", option->name,
             config_text(option->name), option->type_name, option->range_text,
             (unsigned long long)*used);
}

static void config_warn_refused(size_t i)
{
    const struct config_option *option = &config_shown[i];
    log_line(LOG_ERROR, "%s=%.64s ignored: expected %s %s; using %s", option->name,
             config_text(option->name), option->type_name, option->range_text,
             *option->default_text ? option->default_text : "none");
}

void config_warn(void)
{
    for (size_t i = 0; i < CONFIG_COUNT; i++)
        if (config_verdicts[i] == CONFIG_MOVED)
            config_warn_moved(i);
        else if (config_verdicts[i] == CONFIG_REFUSED)
            config_warn_refused(i);
    for (char **entry = config_list ? NULL : environment_list(); entry && *entry; entry++)
        if (strncmp(*entry, "PROF_", 5) == 0 && !config_is_variable(*entry))
            log_line(LOG_ERROR, "%.*s ignored: unknown variable ('profrun --help-env' lists all)",
                     (int)strcspn(*entry, "="), *entry);
}
