/* cmd_schema.c - profdump schema: what each command's JSON has, as JSON Schema. */
#include "commands.h"
#include "help.h"
#include "members.h"
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool list_all(FILE *out)
{
    for (unsigned i = 0; members_command(i); i++)
        fprintf(out, "%s\n", members_command(i));
    return !ferror(out);
}

/* Complains of a command whose JSON is not declared. */
static void complain_of(const char *typed)
{
    const char *nearest = NULL;
    unsigned least = HELP_TOO_FAR;
    for (unsigned i = 0; members_command(i); i++)
        if (help_is_nearer(typed, members_command(i), &least))
            nearest = members_command(i);
    complain("schema: '%s' has no schema%s%s%s 'profdump schema' lists all", typed,
             nearest ? "; did you mean '" : ";", nearest ? nearest : "", nearest ? "'?" : "");
}

bool cmd_schema_write(const char *directory)
{
    char path[4096];
    bool written = true;
    for (unsigned i = 0; members_command(i) && written; i++) {
        snprintf(path, sizeof path, "%s/%s.schema.json", directory, members_command(i));
        FILE *file = fopen(path, "we");
        written = file && members_write_schema(members_command(i), file);
        written = file && fclose(file) == 0 && written;
    }
    if (!written)
        complain("%s: %s", path, strerror(errno));
    return written;
}

static int run_inputs(const struct profdump_options *options)
{
    if (options->input_count == 0)
        return finish_answer(options, list_all(options->out));
    if (options->input_count > 1) {
        complain("schema: takes one command");
        return EXIT_USAGE;
    }
    bool written = members_write_schema(options->inputs[0], options->out);
    if (!written && errno == ENOENT) {
        complain_of(options->inputs[0]);
        return EXIT_USAGE;
    }
    return finish_answer(options, written);
}

static const struct option_entry *const options_of_schema[] = {help_options, NULL};

const struct command command_schema = {
    .word = "schema",
    .summary = "print the JSON Schema of a command's JSON",
    .usage = "[COMMAND]",
    .about = "Describes each member of the JSON that COMMAND prints: its type, unit and meaning. "
             "Without COMMAND, lists the names of all schemas; they are also installed as files.",
    .examples = "schema explain",
    .question = QUESTION_OTHER,
    .options = options_of_schema,
    .run_inputs = run_inputs,
};
