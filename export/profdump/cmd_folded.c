/* cmd_folded.c - profdump folded FILE...: ranges, or the functions around them, as folded stacks. */
#include "profdump.h"

#include "stack_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int fold(const struct profdump_options *options, const struct timeline *timeline,
                char **functions)
{
    return finish(
        options, timeline,
        write_folded(timeline, options->metric, (const char *const *)functions, options->out));
}

static int fold_functions(const struct profdump_options *options, const struct timeline *timeline,
                          struct symbols *symbols)
{
    char **functions = stack_text_all_folded(symbols, timeline);
    if (!functions) {
        complain("call stacks: %s", strerror(ENOMEM));
        return EXIT_FAILURE;
    }
    int status = fold(options, timeline, functions);
    stack_text_complain(symbols);
    stack_text_free(functions, timeline->stacks.count);
    return status;
}

int cmd_folded(const struct profdump_options *options, const struct timeline *timeline)
{
    if (!options->by_function)
        return fold(options, timeline, NULL);
    struct symbols *symbols = stack_text_symbols(options, timeline);
    int status = symbols ? fold_functions(options, timeline, symbols) : EXIT_FAILURE;
    stack_text_complain_of_none(timeline);
    symbols_destroy(symbols);
    return status;
}
