/* findings.c - see findings.h. */
#include "findings.h"

#include "array.h"
#include "finding_facts.h"
#include "finding_gaps.h"

#include <stdarg.h>
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
};

uint32_t finding_rule_find(const char *name)
{
    for (uint32_t i = 0; finding_rules[i]; i++)
        if (strcmp(finding_rules[i]->name, name) == 0)
            return i;
    return FINDING_RULES_MAX;
}

struct finding_text finding_device(const struct finding_context *context, uint32_t process,
                                   uint32_t device)
{
    const struct timeline *timeline = context->timeline;
    struct finding_text to;
    int used = device == TL_NONE ? snprintf(to.text, sizeof to.text, "An unknown GPU")
                                 : snprintf(to.text, sizeof to.text, "GPU %u", device);
    if (process == TL_NONE || timeline->processes.count < 2)
        return to;
    const struct read_process *info = &timeline->processes.at[process].info;
    size_t room = sizeof to.text - (size_t)used;
    if (info->rank >= 0)
        snprintf(to.text + used, room, " of rank %d", (int)info->rank);
    else
        snprintf(to.text + used, room, " of pid %u", info->pid);
    return to;
}

const struct tl_device *finding_device_facts(const struct timeline *timeline, uint32_t process,
                                             uint32_t device)
{
    return timeline_device_of(timeline, process, device);
}

bool finding_is_worth(const struct finding_context *context, int64_t cost_ns)
{
    return cost_ns > 0 &&
           (double)cost_ns >= context->limits->least_share * (double)context->wall_ns;
}

/* A name that was cut in the middle of a character loses all of that. */
static void trim(char *sentence)
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

static int64_t within(int64_t value, int64_t most)
{
    value = value > 0 ? value : 0;
    return value < most ? value : most;
}

bool findings_add(struct findings *findings, const struct finding_context *context,
                  const struct finding *finding, const char *sentence, ...)
{
    va_list arguments;
    if (!finding_is_worth(context, finding->cost_ns))
        return true;
    struct finding *added = ARRAY_ADD(&findings->found);
    if (!added)
        return false;
    *added = *finding;
    added->saved_ns = within(finding->saved_ns, context->wall_ns);
    va_start(arguments, sentence);
    vsnprintf(added->sentence, sizeof added->sentence, sentence, arguments);
    va_end(arguments);
    trim(added->sentence);
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
    trim(note.sentence);
    if (has_note(findings, note.sentence))
        return true;
    struct finding_note *added = ARRAY_ADD(&findings->notes);
    if (added)
        *added = note;
    return added != NULL;
}

static int by_saved(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    if (a->saved_ns != b->saved_ns)
        return (a->saved_ns < b->saved_ns) - (a->saved_ns > b->saved_ns);
    if (a->cost_ns != b->cost_ns)
        return (a->cost_ns < b->cost_ns) - (a->cost_ns > b->cost_ns);
    return strcmp(a->sentence, b->sentence);
}

static bool run_rules(struct findings *findings, const struct finding_settings *settings)
{
    struct finding_context context = findings->context;
    bool done = true;
    for (uint32_t i = 0; finding_rules[i] && i < FINDING_RULES_MAX && done; i++) {
        context.limits = &settings->limits[i];
        if (settings->enabled[i])
            done = finding_rules[i]->find(&context, finding_rules[i], findings) &&
                   !context.paths->failed;
    }
    if (findings->found.count)
        qsort(findings->found.at, findings->found.count, sizeof *findings->found.at, by_saved);
    return done;
}

static bool make_context(struct findings *findings, const struct timeline *timeline,
                         const struct finding_settings *settings)
{
    struct finding_workings *workings = calloc(1, sizeof *workings);
    findings->workings = workings;
    if (!workings || !key_names_init(&workings->names, timeline) ||
        !range_paths_init(&workings->paths, timeline) ||
        !cuda_calls_init(&workings->calls, timeline))
        return false;
    workings->paths.keys = &workings->names;
    findings->context = (struct finding_context){
        .timeline = timeline,
        .paths = &workings->paths,
        .calls = &workings->calls,
        .wall_ns = timeline->end_ns - timeline->start_ns,
    };
    struct finding_context context = findings->context;
    context.limits = &settings->shared;
    if (!finding_gaps_init(&workings->gaps, &context))
        return false;
    findings->context.gaps = &workings->gaps;
    if (!finding_facts_init(&workings->facts, timeline, settings->shared.long_gap_ns))
        return false;
    findings->context.facts = &workings->facts;
    return true;
}

bool findings_init(struct findings *findings, const struct timeline *timeline,
                   const struct finding_settings *settings)
{
    struct finding_settings standard;
    *findings = (struct findings){0};
    finding_settings_default(&standard);
    settings = settings ? settings : &standard;
    if (make_context(findings, timeline, settings) && run_rules(findings, settings))
        return true;
    findings_fini(findings);
    return false;
}

void findings_fini(struct findings *findings)
{
    struct finding_workings *workings = findings->workings;
    if (workings) {
        finding_facts_fini(&workings->facts);
        finding_gaps_fini(&workings->gaps);
        cuda_calls_fini(&workings->calls);
        range_paths_fini(&workings->paths);
        key_names_fini(&workings->names);
    }
    free(workings);
    free(findings->found.at);
    free(findings->notes.at);
    *findings = (struct findings){0};
}
