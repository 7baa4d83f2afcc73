/* blocks_options.c - see blocks_options.h. */
#include "blocks_options.h"

static bool set_scale(const char *option, const char *name, enum time_scale *scale)
{
    if (time_scale_find(name, scale))
        return true;
    complain("%s: '%s' is not one of ns, us, ms, s, cycles", option, name);
    return false;
}

bool blocks_options_source(struct profdump_options *options, const char *scale)
{
    return set_scale("--source-time-scale", scale, &options->blocks.blocks.source);
}

bool blocks_options_target(struct profdump_options *options, const char *scale)
{
    options->target_given = true;
    return set_scale("--target-time-scale", scale, &options->blocks.blocks.target);
}

bool blocks_options_format(struct profdump_options *options, const char *format)
{
    if (blocks_format_find(format, &options->blocks.format))
        return true;
    complain("--format: '%s' is not one of text, tsv, csv, json", format);
    return false;
}

bool blocks_options_agree(struct profdump_options *options)
{
    struct blocks_options *blocks = &options->blocks.blocks;
    if (!options->target_given)
        blocks->target = blocks->source == TIME_SCALE_CYCLES ? TIME_SCALE_CYCLES : TIME_SCALE_MS;
    if (options->json)
        options->blocks.format = BLOCKS_JSON;
    if (time_scale_fits(blocks->source, blocks->target))
        return true;
    if (options->compat)
        complain("RuntimeError: For TimeScale in cycles both the source and target time scale have "
                 "to be in cycles.");
    else
        complain("--source-time-scale %s cannot be shown in %s: cycles are no time",
                 time_scale_name(blocks->source), time_scale_name(blocks->target));
    return false;
}
