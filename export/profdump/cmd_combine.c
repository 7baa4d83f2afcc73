/* cmd_combine.c - profdump combine IN1 IN2 [...] OUT: Chrome traces into one. */
#include "profdump.h"

#include "compat.h"
#include "merge_chrome.h"

#include <errno.h>
#include <stdlib.h>

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
    if (options->compat)
        return compat_combine(options);
    if (options->input_count < 3) {
        complain("combine: two or more traces and the file to write are wanted");
        return EXIT_USAGE;
    }
    merged.input_count--;
    merged.export_paths[EXPORT_CHROME] = options->inputs[merged.input_count];
    if (!inputs_split(&merged, &inputs))
        return EXIT_FAILURE;
    int status = combine(&merged, &inputs);
    inputs_fini(&inputs);
    return status;
}
