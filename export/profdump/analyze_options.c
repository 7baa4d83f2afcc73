/* analyze_options.c - see analyze_options.h. */
#include "analyze_options.h"

#include "options.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_TYPES                                                                            \
    "float64, float32, tf32, bfloat16, float16, float8, float6, float4, int8, int4 and their " \
    "other spellings"

static bool set_type(struct profdump_options *options, const char *name)
{
    options->analyze.type = op_type_find((struct text){name, strlen(name)});
    if (options->analyze.type != OP_TYPE_UNKNOWN)
        return true;
    complain("--type: '%s' is no type; known are " KNOWN_TYPES, name);
    return false;
}

static bool find_by(struct profdump_options *options)
{
    static const char *const names[] = {"kernel", "op", "range"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], options->by) == 0) {
            options->analyze.by = (enum roofline_by)i;
            return true;
        }
    complain("--by: '%s' is not one of kernel, op, range", options->by);
    return false;
}

static bool set_name_limit(struct profdump_options *options, const char *text)
{
    char *end;
    unsigned long limit = strtoul(text, &end, 10);
    bool good = *text >= '0' && *text <= '9' && !*end && limit <= WRITE_NAME_WIDTH_MAX;
    if (good)
        options->name_limit = (unsigned)limit;
    else
        complain("--name-limit: '%s' is not a number of up to %u", text, WRITE_NAME_WIDTH_MAX);
    return good;
}

bool analyze_options_agree(struct profdump_options *options)
{
    enum roofline_column column;
    if (options->by && !find_by(options))
        return false;
    if (!options->sort || roofline_column_find(options->sort, &column))
        return true;
    complain("--sort: there is no column '%s'; known are %s", options->sort,
             roofline_column_names());
    return false;
}

const struct option_entry analyze_options[] = {
    CALL("type", "TYPE", set_type,
         "with analyze: the type of kernels of which neither the trace nor their name\n"
         "tells it: float16, bf16, tf32, int8 ..."),
    TEXT("device-rates", "FILE", analyze.device_rates,
         "with analyze: peak rates of devices, which count more than the table's"),
    TEXT("by", "WHAT", by,
         "with analyze: a row per kernel (default), op (the range that had the work\n"
         "done) or range (the outermost one); with diff: only this table, all of it:\n"
         "kernel, op, range, path, api, copy; else path and kernel, 20 rows each"),
    FLAG("devices", analyze.devices,
         "with analyze: print the table of devices and the sources of its figures"),
    CALL("name-limit", "N", set_name_limit,
         "with --compat: characters of a kernel's name in tables (default 40)"),
    {0},
};
