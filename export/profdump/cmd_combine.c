/* cmd_combine.c - profdump combine IN1 IN2 [...] OUT: Chrome traces into one. */
#include "profdump.h"

#include "combine_compat.h"
#include "merge_chrome.h"

#include <errno.h>
#include <stdlib.h>

static int too_few(const struct profdump_options *options)
{
    if (!options->compat) {
        complain("combine: two or more traces and the file to write are wanted");
        return EXIT_USAGE;
    }
    /* that program takes it for done */
    fputs("Error: At least 2 input files are required for combining\n", options->out);
    return finish_answer(options, true);
}

/* The existing merge: ids and pids kept apart, times on one base. */
static int combine(const struct profdump_options *options, struct inputs *inputs)
{
    if (inputs->chrome_count)
        return cmd_chrome_merge(options, inputs);
    complain("combine: none of the inputs is a Chrome trace (profdump --chrome OUT merges others)");
    return EXIT_FAILURE;
}

int cmd_combine(const struct profdump_options *options)
{
    struct profdump_options merged = *options;
    struct inputs inputs;
    if (options->input_count < 3)
        return too_few(options);
    merged.input_count--;
    merged.export_paths[EXPORT_CHROME] = options->inputs[merged.input_count];
    if (options->compat)
        return combine_compat(&merged);
    if (!inputs_split(&merged, &inputs))
        return EXIT_FAILURE;
    int status = combine(&merged, &inputs);
    inputs_fini(&inputs);
    return status;
}
