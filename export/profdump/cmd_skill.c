/* cmd_skill.c - profdump skill [REFERENCE]: prints how an assistant uses libprof, from skill/. */
#include "commands.h"
#include "help.h"
#include "options.h"
#include "skill_texts.h"

#include <stdio.h>
#include <string.h>

static const struct skill_text *find_text(const char *name)
{
    for (const struct skill_text *text = skill_texts; text->name; text++)
        if (strcmp(text->name, name) == 0)
            return text;
    return NULL;
}

static void complain_of_reference(const char *name)
{
    char known[256] = "";
    const char *nearest = NULL;
    unsigned least = HELP_TOO_FAR;
    for (const struct skill_text *text = skill_texts + 1; text->name; text++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", text->name);
        if (help_is_nearer(name, text->name, &least))
            nearest = text->name;
    }
    if (nearest)
        complain("skill: there is no reference '%s'; did you mean '%s'?", name, nearest);
    else
        complain("skill: there is no reference '%s'; references are %s", name, known);
}

static int run(const struct profdump_options *options)
{
    const struct skill_text *text = skill_texts;
    if (options->input_count > 1) {
        complain("skill: prints one reference at a time");
        return EXIT_USAGE;
    }
    if (options->input_count == 1 && !(text = find_text(options->inputs[0]))) {
        complain_of_reference(options->inputs[0]);
        return EXIT_USAGE;
    }
    return finish_answer(options, fputs(text->text, options->out) >= 0);
}

static const struct option_entry *const options_of_skill[] = {help_options, NULL};

const struct command command_skill = {
    .word = "skill",
    .summary = "print how an assistant uses libprof",
    .usage = "[REFERENCE]",
    .about = "Prints the skill for assistants (SKILL.md), or one of its references: record, read, "
             "explain, compare, ranks, hangs, memory. The same files are installed in "
             "share/libprof/skills/libprof.",
    .examples = "skill\nskill compare",
    .question = QUESTION_OTHER,
    .options = options_of_skill,
    .run_words = run,
};
