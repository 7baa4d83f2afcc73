/* format_options.c - see format_options.h. */
#include "format_options.h"

bool format_options_set(struct profdump_options *options, const char *name)
{
    options->format_given = true;
    if (write_format_find(name, &options->format))
        return true;
    complain("--format: '%s' is not one of " WRITE_FORMAT_NAMES, name);
    return false;
}

static bool has_tables(const struct profdump_options *options, const struct command *command)
{
    if (options->folded)
        complain("--format: not together with --folded, whose format is flamegraph.pl's");
    else if (options->compat && options->format == WRITE_MARKDOWN)
        complain("--format markdown: not together with --compat");
    else if (!command->tables)
        complain("--format: '%s' prints no table", command->word);
    else
        return true;
    return false;
}

bool format_options_agree(struct profdump_options *options, const struct command *command)
{
    if ((options->format_given || (options->json && options->folded)) &&
        !has_tables(options, command))
        return false;
    if (options->json && options->format_given && options->format != WRITE_JSON) {
        complain("--json: not together with --format %s", write_format_name(options->format));
        return false;
    }
    options->json |= options->format == WRITE_JSON;
    if (options->json)
        options->format = WRITE_JSON;
    return true;
}
