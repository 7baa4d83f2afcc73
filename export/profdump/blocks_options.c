/* blocks_options.c - see blocks_options.h. */
#include "blocks_options.h"

#include "options.h"

static bool set_scale(const char *option, const char *name, enum time_scale *scale)
{
    if (time_scale_find(name, scale))
        return true;
    complain("%s: '%s' is not one of ns, us, ms, s, cycles", option, name);
    return false;
}

static bool set_source(struct profdump_options *options, const char *scale)
{
    return set_scale("--source-time-scale", scale, &options->blocks.blocks.source);
}

static bool set_target(struct profdump_options *options, const char *scale)
{
    options->target_given = true;
    return set_scale("--target-time-scale", scale, &options->blocks.blocks.target);
}

/* Programs get nanoseconds, as from every table. */
static enum time_scale default_target(const struct profdump_options *options)
{
    bool separated = options->format == WRITE_TSV || options->format == WRITE_CSV;
    if (options->blocks.blocks.source == TIME_SCALE_CYCLES)
        return TIME_SCALE_CYCLES;
    return separated && !options->compat ? TIME_SCALE_NS : TIME_SCALE_MS;
}

bool blocks_options_agree(struct profdump_options *options)
{
    struct blocks_options *blocks = &options->blocks.blocks;
    if (!options->target_given)
        blocks->target = default_target(options);
    options->blocks.format = options->format;
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

const struct option_entry blocks_options[] = {
    TEXT("range", "NAME", blocks.blocks.range, "with blocks and tax: the calls of this range"),
    TEXT("block", "NAME", blocks.blocks.block, "with blocks and tax: only blocks of this name"),
    TEXT("event", "PREFIX", blocks.event,
         "with blocks: only events of this name, or of parts of it"),
    TEXT("total-of", "PREFIX", blocks.total,
         "with blocks: the time of all these events, once each"),
    CALL("source-time-scale", "S", set_source,
         "what ticks of files with ticks are: ns (default), us, ms, s, cycles"),
    CALL("target-time-scale", "S", set_target,
         "in what blocks and tax show times: ns (default of tsv and csv), us,\n"
         "ms (default of the others), s, cycles"),
    FLAG("wrap32", blocks.blocks.wrap32, "32-bit tick counter that wraps"),
    FLAG("units", units,
         "with --compat and --format tsv or csv: name the unit in the header"),
    FLAG("raw", blocks.raw,
         "with blocks --format json: also ticks, allocations and logged values as recorded"),
    FLAG("compat", compat,
         "blocks, tax, memory: print what ExecuTorch's own programs print;\n"
         "augment, combine, analyze: write what PyTorch's own analysis writes"),
    TEXT("etrecord", "FILE", etrecord, "with blocks: debug handles and delegates, of an ETRecord"),
    TEXT("compare", "REF[:BUFFER]", compare,
         "with blocks: how far logged values are from those of another ETDump"),
    TEXT("debug-buffer", "FILE", debug_buffer, "with --compare: the debug buffer of the input"),
    {0},
};
