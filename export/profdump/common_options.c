/* common_options.c - options that every command knows, and those of call stacks. */
#include "common_options.h"

#include "format_options.h"
#include "options.h"
#include "table_options.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

bool terminal_wants_color(void)
{
    const char *terminal = getenv("TERM");
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE"))
        return true;
    return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

static bool set_color(struct profdump_options *options, const char *when)
{
    if (strcmp(when, "always") == 0)
        options->write.color = true;
    else if (strcmp(when, "never") == 0)
        options->write.color = false;
    else if (strcmp(when, "auto") == 0)
        options->write.color = terminal_wants_color();
    else
        return complain("--color: '%s' is not one of auto, always, never", when), false;
    return true;
}

const struct option_entry stacks_options[] = {
    FLAG("folded", folded,
         "with stacks: a line per stack as flamegraph.pl reads it, weighted by\n"
         "nanoseconds of device time"),
    FLAG("stacks", by_function,
         "with folded: the functions that opened, made or launched each thing,\n"
         "instead of the ranges around it"),
    CALL("metric", "METRIC", table_options_metric,
         "with folded: self_cpu (default), self_cuda in nanoseconds, or count"),
    TEXT("perf-map", "PATH", perf_map,
         "where a JIT compiler named its code: a file, or a directory with\n"
         "perf-PID.map (default /tmp)"),
    FLAG("debuginfod", debuginfod, "ask the servers of DEBUGINFOD_URLS for debug information"),
    {0},
};

const struct option_entry common_options[] = {
    CALL("format", "FORMAT", format_options_set,
         "of all tables: text (default), tsv, csv, json, markdown"),
    FLAG("json", json, "print the same facts as JSON: --format json"),
    FLAG("partial", partial, "show what is readable of a damaged file"),
    FLAG("fail-on-loss", fail_on_loss, "exit with 3 when anything was lost while recording"),
    CALL("color", "WHEN", set_color, "auto (default), always or never; NO_COLOR is honoured"),
    FLAG("h", help, NULL),
    FLAG("help", help, "print this help"),
    FLAG("V", version, NULL),
    FLAG("version", version, "print the version"),
    {0},
};
