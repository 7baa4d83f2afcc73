/* explain_options.c - see explain_options.h. Rules are checked as they are read, and used later. */
#include "explain_options.h"

#include "findings.h"
#include "options.h"

#include <errno.h>
#include <string.h>

#define RULE_BYTES 64u

/* The next name of a list that is separated by commas. */
static const char *next_rule(const char *list, char name[RULE_BYTES])
{
    size_t size = strcspn(list, ",");
    snprintf(name, RULE_BYTES, "%.*s", (int)(size < RULE_BYTES ? size : RULE_BYTES - 1), list);
    return list[size] ? list + size + 1 : NULL;
}

static bool complain_of_rule(const char *name)
{
    complain("--rule: there is no rule '%s'; known are", name);
    for (uint32_t i = 0; finding_rules[i]; i++)
        complain_more("%s", finding_rules[i]->name);
    return false;
}

static bool set_rule(struct profdump_options *options, const char *list)
{
    char name[RULE_BYTES];
    while (list) {
        list = next_rule(list, name);
        uint32_t rule = finding_rule_find(name);
        if (rule >= FINDING_RULES_MAX)
            return complain_of_rule(name);
        options->explain_rules |= UINT64_C(1) << rule;
    }
    return true;
}

static bool read_limits(const char *path, struct finding_settings *settings)
{
    char message[FINDING_SETTINGS_MESSAGE];
    uint32_t line;
    FILE *file = fopen(path, "re");
    if (!file)
        return complain("%s: %s", path, strerror(errno)), false;
    bool read = finding_settings_read(settings, file, &line, message);
    fclose(file);
    if (!read && line)
        complain("%s:%u: %s", path, line, message);
    else if (!read)
        complain("%s: %s", path, message);
    return read;
}

/* A rule that is asked for runs, whatever the limits say. */
bool explain_settings(const struct profdump_options *options, struct finding_settings *settings)
{
    _Static_assert(FINDING_RULES_MAX <= 64, "explain_rules has a bit for each");
    finding_settings_default(settings);
    if (options->explain_limits && !read_limits(options->explain_limits, settings))
        return false;
    for (uint32_t i = 0; i < FINDING_RULES_MAX && options->explain_rules; i++)
        settings->enabled[i] = options->explain_rules >> i & 1;
    return true;
}

const struct option_entry explain_options[] = {
    CALL("rule", "NAME", set_rule,
         "with explain: only what this rule finds; a list, or given more than\n"
         "once, for several"),
    FLAG("rules", explain_list, "with explain: list the rules"),
    TEXT("limits", "FILE", explain_limits,
         "with explain: from what on something is worth telling, for all rules\n"
         "or one: see the manual page"),
    {0},
};
