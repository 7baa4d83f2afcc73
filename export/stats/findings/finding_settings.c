/* finding_settings.c - see finding_settings.h: one table of the limits that a file can set. */
#include "findings.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ALL_RULES UINT32_MAX
#define LINE_BYTES 1024u

void finding_limits_default(struct finding_limits *limits)
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

bool finding_settings_only(struct finding_settings *settings, const char *rule, bool first)
{
    uint32_t found = finding_rule_find(rule);
    if (found >= FINDING_RULES_MAX)
        return false;
    if (first)
        memset(settings->enabled, 0, sizeof settings->enabled);
    settings->enabled[found] = true;
    return true;
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

static double most_of(enum limit_kind kind)
{
    static const double most[] = {SHARE_MOST, US_MOST, COUNT_MOST};
    return most[kind];
}

static const char *range_of(enum limit_kind kind)
{
    static const char *const words[] = {"a share of 0 to 1", "a number of microseconds",
                                        "a whole number"};
    return words[kind];
}

static bool parse_value(const struct limit *limit, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= 0 && *value <= most_of(limit->kind) &&
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

static bool wrong(const struct settings_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool wrong(const struct settings_file *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(file->message, FINDING_SETTINGS_MESSAGE, format, arguments);
    va_end(arguments);
    return false;
}

static char *trimmed(char *text)
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
        return wrong(file, "a section ends with ']'");
    name[size - 1] = '\0';
    name = trimmed(name + 1);
    if (strcmp(name, "all") == 0) {
        file->rule = ALL_RULES;
        return !file->sections || wrong(file, "[all] comes before the sections of rules");
    }
    file->rule = finding_rule_find(name);
    file->sections = true;
    return file->rule < FINDING_RULES_MAX ||
           wrong(file, "there is no rule '%s'; 'profdump explain --rules' lists them", name);
}

static bool enable(struct settings_file *file, const char *value)
{
    bool yes = strcmp(value, "yes") == 0;
    if (!yes && strcmp(value, "no") != 0)
        return wrong(file, "enabled: '%s' is neither yes nor no", value);
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

static bool change(struct settings_file *file, const char *name, const char *text)
{
    const struct limit *limit = find_limit(name);
    double value;
    if (strcmp(name, "enabled") == 0)
        return enable(file, text);
    if (!limit)
        return wrong(
            file,
            "there is no limit '%s'; known are enabled, least_share, owner_share, least_gap_us, "
            "launch_us, tiny_kernel_us, low_occupancy, tail_share, queue_limit, loop_calls, "
            "long_gap_us, low_utilization",
            name);
    if (limit->shared && file->rule != ALL_RULES)
        return wrong(file, "%s is the same for all rules: it belongs in [all]", name);
    if (!parse_value(limit, text, &value))
        return wrong(file, "%s: '%s' is not %s", name, text, range_of(limit->kind));
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
    line = trimmed(line);
    if (!*line)
        return true;
    if (*line == '[')
        return begin_section(file, line);
    char *value = strchr(line, '=');
    if (!value)
        return wrong(file, "neither [rule] nor 'limit = value'");
    *value++ = '\0';
    return change(file, trimmed(line), trimmed(value));
}

bool finding_settings_read(struct finding_settings *settings, FILE *file, uint32_t *line,
                           char message[FINDING_SETTINGS_MESSAGE])
{
    struct settings_file state = {.settings = settings, .rule = ALL_RULES, .message = message};
    char text[LINE_BYTES];
    for (*line = 1; fgets(text, sizeof text, file); ++*line) {
        if (strlen(text) + 1 == sizeof text && !strchr(text, '\n'))
            return wrong(&state, "the line is too long");
        if (!read_line(&state, text))
            return false;
    }
    if (!ferror(file))
        return true;
    *line = 0;
    return wrong(&state, "%s", strerror(errno));
}
