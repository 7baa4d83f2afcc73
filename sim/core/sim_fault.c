/* sim_fault.c - SIM_FAIL is a list of name[(argument)][@nth]=code; a rule without @nth fails every
 * call.
 */
#include "sim_fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_config.h"

enum { MAX_RULES = 64, MAX_NAME = 80 };

struct rule {
    char name[MAX_NAME];
    bool has_argument;
    uint64_t argument;
    uint64_t nth; /* 0: every call */
    int code;
    atomic_ullong calls; /* matching calls so far */
};

static struct rule rules[MAX_RULES];
static size_t rule_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *parse_number(const char *at, uint64_t *value)
{
    char *end = NULL;
    *value = strtoull(at, &end, 0);
    return end == at ? NULL : end;
}

static const char *parse_argument(const char *at, struct rule *rule)
{
    rule->has_argument = true;
    at = parse_number(at + 1, &rule->argument);
    return at && *at == ')' ? at + 1 : NULL;
}

/* Reads one rule. Returns where it ended, NULL when it cannot be read. */
static const char *parse_rule(const char *at, struct rule *rule)
{
    uint64_t code = 0;
    const size_t length = strcspn(at, "(@=,");
    if (length == 0 || length >= MAX_NAME)
        return NULL;
    memcpy(rule->name, at, length);
    at += length;
    if (*at == '(')
        at = parse_argument(at, rule);
    if (at && *at == '@')
        at = parse_number(at + 1, &rule->nth);
    if (!at || *at != '=')
        return NULL;
    at = parse_number(at + 1, &code);
    rule->code = (int)code;
    return at;
}

static void complain(const char *text)
{
    char line[256];
    int length = snprintf(line, sizeof line, "sim: SIM_FAIL cannot be read at \"%.100s\"\n", text);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return;
}

static void load(void)
{
    const char *at = sim_config()->fail;
    while (at && *at && rule_count < MAX_RULES) {
        const char *end = parse_rule(at, &rules[rule_count]);
        if (!end || (*end && *end != ',')) {
            memset(&rules[rule_count], 0, sizeof rules[0]);
            complain(at);
            return;
        }
        rule_count++;
        at = *end == ',' ? end + 1 : end;
    }
}

static bool rule_fires(struct rule *rule, const char *name, uint64_t argument)
{
    if (strcmp(rule->name, name) != 0)
        return false;
    if (rule->has_argument && rule->argument != argument)
        return false;
    const uint64_t call = atomic_fetch_add(&rule->calls, 1) + 1;
    return rule->nth == 0 || rule->nth == call;
}

bool sim_fault_check(const char *name, uint64_t argument, int *code)
{
    bool fires = false;
    pthread_once(&once, load);
    for (size_t i = 0; i < rule_count; i++) {
        if (!rule_fires(&rules[i], name, argument) || fires)
            continue;
        *code = rules[i].code;
        fires = true;
    }
    return fires;
}

/* O_APPEND and one write(2) per line: lines of several processes do not mix. */
void sim_fault_violation(const char *format, ...)
{
    const char *path = sim_config()->violations;
    const int saved = errno;
    char line[512];
    va_list list;
    if (!path)
        return;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line - 1, format, list);
    va_end(list);
    if (length < 0)
        return;
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    line[length++] = '\n';
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
        if (write(file, line, (size_t)length) < 0)
            errno = saved;
        close(file);
    }
    errno = saved;
}
