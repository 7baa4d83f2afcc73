#include "findings.h"

#include "array.h"
#include "finding_gaps.h"
#include "process_name.h"
#include "rules.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the context refers to. */
struct finding_workings {
    struct key_names names;
    struct range_paths paths;
    struct cuda_calls calls;
    struct finding_facts facts;
    struct finding_gaps gaps;
    struct finding_steps steps;
};

/* A new rule is a row here, a line in rules.h and a function in a rules_*.c. */
const struct finding_rule *const finding_rules[] = {
    &gap_rules[GAP_LAUNCH],
    &gap_rules[GAP_CPU],
    &gap_rules[GAP_SYNC],
    &gap_rules[GAP_COPY],
    &gap_rules[GAP_ALLOCATE],
    &gap_rules[GAP_OTHER_CALL],
    &gap_rules[GAP_HOST_FUNCTION],
    &gap_rules[GAP_QUEUED],
    &gap_rules[GAP_START],
    &gap_rules[GAP_END],
    &rule_tiny_kernels,
    &rule_sync_copies,
    &rule_allocations_in_loops,
    &rule_waits_in_loops,
    &rule_poor_overlap,
    &rule_low_occupancy,
    &rule_tail_wave,
    &rule_queue_empty,
    &rule_queue_full,
    &rule_cpu_only,
    &rule_long_gaps,
    &rule_low_utilization,
    &rule_exposed_communication,
    &rule_stragglers,
    &rule_pageable_copies,
    &rule_sync_memsets,
    &rule_small_copies,
    &rule_managed_memory,
    &rule_fp32_matrix,
    &rule_elementwise_trains,
    &rule_call_outliers,
    &rule_late_starts,
    &rule_graphable_steps,
    &rule_threads_share_stream,
    &rule_module_loading,
    &rule_stream_event_churn,
    &rule_state_queries,
    &rule_driver_overhead,
    &rule_data_loader,
    &rule_failed_calls,
    &rule_losses,
    NULL,
};

uint32_t finding_rule_find(const char *name)
{
    for (uint32_t i = 0; finding_rules[i]; i++)
        if (strcmp(finding_rules[i]->name, name) == 0)
            return i;
    return FINDING_RULES_MAX;
}

struct sentence_text finding_device(const struct finding_context *context, uint32_t process,
                                    uint32_t device)
{
    const struct timeline *timeline = context->timeline;
    struct sentence_text to;
    int used = device == TL_NONE ? snprintf(to.text, sizeof to.text, "An unknown GPU")
                                 : snprintf(to.text, sizeof to.text, "GPU %u", device);
    if (process != TL_NONE && timeline->processes.count > 1)
        snprintf(to.text + used, sizeof to.text - (size_t)used, " of %.20s",
                 process_short_name(timeline, process).text);
    return to;
}

bool finding_is_worth(const struct finding_context *context, int64_t cost_ns)
{
    return cost_ns > 0 &&
           (double)cost_ns >= context->limits->least_share * (double)context->wall_ns;
}

/* A name that was cut in the middle of a character loses all of that. */
static void trim_cut_character(char *sentence)
{
    size_t size = strlen(sentence);
    if (size + 1 < FINDING_SENTENCE_BYTES)
        return;
    while (size && ((unsigned char)sentence[size - 1] & 0xc0) == 0x80)
        size--;
    if (size && ((unsigned char)sentence[size - 1] & 0x80))
        size--;
    sentence[size] = '\0';
}

static int64_t clamp_saving(int64_t value, int64_t most)
{
    value = value > 0 ? value : 0;
    return value < most ? value : most;
}

/* ---- what limits leave out ---- */

static void leave_out(const struct finding_context *context, uint64_t count, int64_t cost_ns)
{
    context->below->count += count;
    context->below->cost_ns += cost_ns > 0 ? cost_ns : 0;
}

void finding_leave_short(const struct finding_context *context, uint64_t count, int64_t cost_ns)
{
    leave_out(context, count, cost_ns);
    context->below->is_short |= count > 0;
}

void finding_leave_rare(const struct finding_context *context, uint64_t count, int64_t cost_ns)
{
    leave_out(context, count, cost_ns);
    context->below->is_rare |= count > 0;
}

void finding_leave_little(const struct finding_context *context, uint64_t count, int64_t cost_ns)
{
    if (!finding_is_worth(context, cost_ns)) {
        finding_leave_short(context, count, cost_ns);
        return;
    }
    leave_out(context, count, cost_ns);
    context->below->saves_little |= count > 0;
}

static bool has_findings(const struct findings *findings, const struct finding_rule *rule)
{
    for (uint32_t i = 0; i < findings->found.count; i++)
        if (findings->found.at[i].rule == rule)
            return true;
    for (uint32_t i = 0; i < findings->also.count; i++)
        if (findings->also.at[i].rule == rule)
            return true;
    return false;
}

bool findings_below_text(const struct findings *findings, uint32_t rule,
                         char to[FINDING_SENTENCE_BYTES])
{
    const struct finding_below *below = &findings->below[rule];
    const struct finding_limits *limits = &findings->limits[rule];
    char rare[64] = "", share[64] = "";
    if (!below->count || !below->cost_ns || has_findings(findings, finding_rules[rule]))
        return false;
    if (below->is_rare)
        snprintf(rare, sizeof rare, "fewer than %u from one place", limits->loop_calls);
    if (below->is_short || below->saves_little)
        snprintf(share, sizeof share, "%s than %.3g %% of the wall time",
                 below->is_short ? "less" : "would save less", 100 * limits->least_share);
    snprintf(to, FINDING_SENTENCE_BYTES, "%s, %s (%s): %s%s%s",
             sentence_count(below->count, finding_rules[rule]->noun).text,
             sentence_time(below->cost_ns).text,
             sentence_share(below->cost_ns, findings->context.wall_ns).text, rare,
             *rare && *share ? ", or " : "", share);
    return true;
}

bool findings_add(struct findings *findings, const struct finding_context *context,
                  const struct finding *finding, const char *sentence, ...)
{
    va_list arguments;
    if (!finding_is_worth(context, finding->cost_ns)) {
        finding_leave_short(context, finding->count, finding->cost_ns);
        return true;
    }
    struct finding *added = ARRAY_ADD(&findings->found);
    if (!added)
        return false;
    *added = *finding;
    added->saved_ns = clamp_saving(finding->saved_ns, context->wall_ns);
    va_start(arguments, sentence);
    vsnprintf(added->sentence, sizeof added->sentence, sentence, arguments);
    va_end(arguments);
    trim_cut_character(added->sentence);
    return true;
}

static bool has_note(const struct findings *findings, const char *sentence)
{
    for (uint32_t i = 0; i < findings->notes.count; i++)
        if (strcmp(findings->notes.at[i].sentence, sentence) == 0)
            return true;
    return false;
}

bool findings_note(struct findings *findings, const struct finding_rule *rule, const char *sentence,
                   ...)
{
    struct finding_note note = {.rule = rule};
    va_list arguments;
    va_start(arguments, sentence);
    vsnprintf(note.sentence, sizeof note.sentence, sentence, arguments);
    va_end(arguments);
    trim_cut_character(note.sentence);
    if (has_note(findings, note.sentence))
        return true;
    struct finding_note *added = ARRAY_ADD(&findings->notes);
    if (added)
        *added = note;
    return added != NULL;
}

static bool run_rules(struct findings *findings, const struct finding_settings *settings)
{
    struct finding_context context = findings->context;
    bool done = true;
    for (uint32_t i = 0; finding_rules[i] && i < FINDING_RULES_MAX && done; i++) {
        context.limits = &settings->limits[i];
        context.below = &findings->below[i];
        if (settings->enabled[i])
            done = finding_rules[i]->find(&context, finding_rules[i], findings) &&
                   !context.paths->failed && !(context.steps && context.steps->failed);
    }
    memcpy(findings->limits, settings->limits, sizeof findings->limits);
    return done && findings_order(findings);
}

static bool finding_facts_init(struct finding_facts *facts, const struct timeline *timeline,
                               int64_t long_gap_ns, struct finding_steps *steps)
{
    *facts = (struct finding_facts){0};
    return work_classes_init(&facts->classes, timeline) &&
           temporal_breakdown_init(&facts->temporal, timeline, &facts->classes, long_gap_ns,
                                   steps) &&
           launch_stats_init(&facts->launches, timeline, LAUNCH_SLOW_CALL_NS, LAUNCH_LATE_START_NS,
                             steps) &&
           call_stats_init(&facts->calls, timeline);
}

/* False: no memory; fini may be called all the same. */
static void finding_facts_fini(struct finding_facts *facts)
{
    call_stats_fini(&facts->calls);
    launch_stats_fini(&facts->launches);
    temporal_breakdown_fini(&facts->temporal);
    work_classes_fini(&facts->classes);
}

bool finding_facts_any(const struct finding_facts *facts, uint8_t traits)
{
    for (uint32_t i = 0; i < facts->classes.timeline->names.count; i++)
        if (facts->classes.traits[i] & traits)
            return true;
    return false;
}

/* Names of operators, modules and kernels. */
static bool uses_torch(const struct timeline *timeline)
{
    static const char kernel[] = "at::native::";
    for (uint32_t i = 0; i < timeline->names.count; i++) {
        struct text name = timeline->names.at[i];
        if (text_begins(name, "aten::") || text_begins(name, "nn.Module: ") ||
            memmem(name.bytes, name.size, kernel, sizeof kernel - 1))
            return true;
    }
    return false;
}

static bool make_context(struct findings *findings, const struct timeline *timeline,
                         const struct finding_settings *settings, const struct finding_steps *steps)
{
    struct finding_workings *workings = calloc(1, sizeof *workings);
    findings->workings = workings;
    if (!workings || !key_names_init(&workings->names, timeline) ||
        !range_paths_init(&workings->paths, timeline) ||
        !cuda_calls_init(&workings->calls, timeline))
        return false;
    workings->paths.keys = &workings->names;
    workings->paths.merge_numbers = true;
    findings->context = (struct finding_context){
        .timeline = timeline,
        .paths = &workings->paths,
        .calls = &workings->calls,
        .steps = steps ? &workings->steps : NULL,
        .wall_ns = timeline->end_ns - timeline->start_ns,
        .uses_torch = uses_torch(timeline),
    };
    if (steps)
        workings->steps = *steps;
    struct finding_context context = findings->context;
    context.limits = &settings->shared;
    if (!finding_gaps_init(&workings->gaps, &context))
        return false;
    findings->context.gaps = &workings->gaps;
    if (!finding_facts_init(&workings->facts, timeline, settings->shared.long_gap_ns,
                            findings->context.steps))
        return false;
    findings->context.facts = &workings->facts;
    return true;
}

static bool init_findings(struct findings *findings, const struct timeline *timeline,
                          const struct finding_settings *settings,
                          const struct finding_steps *steps)
{
    struct finding_settings standard;
    *findings = (struct findings){0};
    finding_settings_default(&standard);
    settings = settings ? settings : &standard;
    if (make_context(findings, timeline, settings, steps) && run_rules(findings, settings))
        return true;
    findings_fini(findings);
    return false;
}

bool findings_init(struct findings *findings, const struct timeline *timeline,
                   const struct finding_settings *settings)
{
    return init_findings(findings, timeline, settings, NULL);
}

bool findings_init_by_step(struct findings *findings, const struct timeline *timeline,
                           const struct finding_settings *settings, const struct steps *steps,
                           const bool *is_apart)
{
    const struct finding_steps by = {.all = steps, .is_apart = is_apart};
    return init_findings(findings, timeline, settings, &by);
}

void findings_fini(struct findings *findings)
{
    struct finding_workings *workings = findings->workings;
    if (workings) {
        finding_steps_fini(&workings->steps);
        finding_facts_fini(&workings->facts);
        finding_gaps_fini(&workings->gaps);
        cuda_calls_fini(&workings->calls);
        range_paths_fini(&workings->paths);
        key_names_fini(&workings->names);
    }
    free(workings);
    free(findings->found.at);
    free(findings->also.at);
    free(findings->notes.at);
    *findings = (struct findings){0};
}

/* ---- settings ---- */

#define ALL_RULES UINT32_MAX
#define LINE_BYTES 1024u

static void finding_limits_default(struct finding_limits *limits)
{
    *limits = (struct finding_limits){
        .least_share = 0.01,
        .owner_share = 0.1,
        .least_gap_ns = 2000,
        .launch_ns = 20000,
        .tiny_kernel_ns = 10000,
        .low_occupancy = 0.25,
        .tail_share = 0.1,
        .queue_limit = 1000,
        .loop_calls = 20,
        .long_gap_ns = 500000000,
        .low_utilization = 0.5,
    };
}

void finding_settings_default(struct finding_settings *settings)
{
    finding_limits_default(&settings->shared);
    for (uint32_t i = 0; i < FINDING_RULES_MAX; i++) {
        settings->enabled[i] = true;
        finding_limits_default(&settings->limits[i]);
    }
}

/* ---- the limits by name ---- */

enum limit_kind { LIMIT_SHARE, LIMIT_US, LIMIT_COUNT };

static const struct limit {
    const char *name;
    size_t offset; /* in struct finding_limits */
    enum limit_kind kind;
    bool shared; /* of what is made once for all rules: it cannot differ between them */
} limits[] = {
    {"least_share", offsetof(struct finding_limits, least_share), LIMIT_SHARE, false},
    {"owner_share", offsetof(struct finding_limits, owner_share), LIMIT_SHARE, false},
    {"least_gap_us", offsetof(struct finding_limits, least_gap_ns), LIMIT_US, true},
    {"launch_us", offsetof(struct finding_limits, launch_ns), LIMIT_US, true},
    {"tiny_kernel_us", offsetof(struct finding_limits, tiny_kernel_ns), LIMIT_US, false},
    {"low_occupancy", offsetof(struct finding_limits, low_occupancy), LIMIT_SHARE, false},
    {"tail_share", offsetof(struct finding_limits, tail_share), LIMIT_SHARE, false},
    {"queue_limit", offsetof(struct finding_limits, queue_limit), LIMIT_COUNT, false},
    {"loop_calls", offsetof(struct finding_limits, loop_calls), LIMIT_COUNT, false},
    {"long_gap_us", offsetof(struct finding_limits, long_gap_ns), LIMIT_US, true},
    {"low_utilization", offsetof(struct finding_limits, low_utilization), LIMIT_SHARE, false},
};
#define LIMITS (sizeof limits / sizeof limits[0])

#define SHARE_MOST 1.0
#define US_MOST 1e9 /* 1000 s */
#define COUNT_MOST 1e9

static double limit_most(enum limit_kind kind)
{
    static const double most[] = {SHARE_MOST, US_MOST, COUNT_MOST};
    return most[kind];
}

static const char *limit_range(enum limit_kind kind)
{
    static const char *const words[] = {"a share of 0 to 1", "a number of microseconds",
                                        "a whole number"};
    return words[kind];
}

static bool parse_value(const struct limit *limit, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= 0 && *value <= limit_most(limit->kind) &&
           (limit->kind != LIMIT_COUNT || *value == floor(*value));
}

static void set_limit(struct finding_limits *to, const struct limit *limit, double value)
{
    char *member = (char *)to + limit->offset;
    if (limit->kind == LIMIT_SHARE)
        memcpy(member, &value, sizeof value);
    else if (limit->kind == LIMIT_US)
        memcpy(member, &(int64_t){llround(value * 1000)}, sizeof(int64_t));
    else
        memcpy(member, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
}

/* ---- the file ---- */

struct settings_file {
    struct finding_settings *settings;
    uint32_t rule; /* of the section; ALL_RULES */
    bool sections; /* one of a rule was there */
    char *message;
};

static bool report_error(const struct settings_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool report_error(const struct settings_file *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(file->message, FINDING_SETTINGS_MESSAGE, format, arguments);
    va_end(arguments);
    return false;
}

static char *trim_blanks(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t size = strlen(text);
    while (size && strchr(blanks, text[size - 1]))
        size--;
    text[size] = '\0';
    return text;
}

static bool begin_section(struct settings_file *file, char *name)
{
    size_t size = strlen(name);
    if (name[size - 1] != ']')
        return report_error(file, "a section ends with ']'");
    name[size - 1] = '\0';
    name = trim_blanks(name + 1);
    if (strcmp(name, "all") == 0) {
        file->rule = ALL_RULES;
        return !file->sections || report_error(file, "[all] comes before the sections of rules");
    }
    file->rule = finding_rule_find(name);
    file->sections = true;
    return file->rule < FINDING_RULES_MAX ||
           report_error(file, "there is no rule '%s'; 'profdump explain --rules' lists them", name);
}

static bool set_enabled(struct settings_file *file, const char *value)
{
    bool yes = strcmp(value, "yes") == 0;
    if (!yes && strcmp(value, "no") != 0)
        return report_error(file, "enabled: '%s' is neither yes nor no", value);
    for (uint32_t i = 0; i < FINDING_RULES_MAX; i++)
        if (file->rule == ALL_RULES || file->rule == i)
            file->settings->enabled[i] = yes;
    return true;
}

static const struct limit *find_limit(const char *name)
{
    for (size_t i = 0; i < LIMITS; i++)
        if (strcmp(limits[i].name, name) == 0)
            return &limits[i];
    return NULL;
}

static bool set_by_name(struct settings_file *file, const char *name, const char *text)
{
    const struct limit *limit = find_limit(name);
    double value;
    if (strcmp(name, "enabled") == 0)
        return set_enabled(file, text);
    if (!limit)
        return report_error(
            file,
            "there is no limit '%s'; known are enabled, least_share, owner_share, least_gap_us, "
            "launch_us, tiny_kernel_us, low_occupancy, tail_share, queue_limit, loop_calls, "
            "long_gap_us, low_utilization",
            name);
    if (limit->shared && file->rule != ALL_RULES)
        return report_error(file, "%s is the same for all rules: it belongs in [all]", name);
    if (!parse_value(limit, text, &value))
        return report_error(file, "%s: '%s' is not %s", name, text, limit_range(limit->kind));
    if (file->rule == ALL_RULES)
        set_limit(&file->settings->shared, limit, value);
    for (uint32_t i = 0; i < FINDING_RULES_MAX; i++)
        if (file->rule == ALL_RULES || file->rule == i)
            set_limit(&file->settings->limits[i], limit, value);
    return true;
}

static bool read_line(struct settings_file *file, char *line)
{
    line[strcspn(line, "#;")] = '\0';
    line = trim_blanks(line);
    if (!*line)
        return true;
    if (*line == '[')
        return begin_section(file, line);
    char *value = strchr(line, '=');
    if (!value)
        return report_error(file, "neither [rule] nor 'limit = value'");
    *value++ = '\0';
    return set_by_name(file, trim_blanks(line), trim_blanks(value));
}

bool finding_settings_read(struct finding_settings *settings, FILE *file, uint32_t *line,
                           char message[FINDING_SETTINGS_MESSAGE])
{
    struct settings_file state = {.settings = settings, .rule = ALL_RULES, .message = message};
    char text[LINE_BYTES];
    for (*line = 1; fgets(text, sizeof text, file); ++*line) {
        if (strlen(text) + 1 == sizeof text && !strchr(text, '\n'))
            return report_error(&state, "the line is too long");
        if (!read_line(&state, text))
            return false;
    }
    if (!ferror(file))
        return true;
    *line = 0;
    return report_error(&state, "%s", strerror(errno));
}
