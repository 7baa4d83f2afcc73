/* commands.c - see commands.h. */
#include "commands.h"

#include "analyze_options.h"
#include "diff_options.h"

#include <string.h>
#include <unistd.h>

const struct command commands[] = {
    {
        .word = "",
        .usage = "[OPTION]... [FILE|DIRECTORY]...",
        .run = cmd_show,
        .exports = true,
        .tables = true,
    },
    {
        .word = "explain",
        .usage = "explain [--format FORMAT] [OPTION]... [FILE|DIRECTORY]...",
        .help = "print where the time went: idle time of devices by cause, and what\n"
                "else costs time, whose it is, what to do about it, and what that\n"
                "saves at most",
        .run = cmd_explain_timeline,
        .run_inputs = cmd_explain,
        .tables = true,
    },
    {
        .word = "stacks",
        .usage = "stacks [OPTION]... [FILE|DIRECTORY]...",
        .help = "print the call stacks from which CUDA was called, the one that kept\n"
                "the device busy longest first",
        .run = cmd_stacks,
        .tables = true,
    },
    {
        .word = "folded",
        .usage = "folded [--stacks] [--metric METRIC] [FILE|DIRECTORY]...",
        .help = "print the ranges, or with --stacks the functions around them, as folded\n"
                "stacks, as flamegraph.pl reads them",
        .run = cmd_folded,
    },
    {
        .word = "blocks",
        .usage = "blocks [--range NAME] [OPTION]... [FILE|DIRECTORY]...",
        .help = "print profiling blocks: runs of the same events as iterations, with\n"
                "percentiles of each event",
        .run = cmd_blocks,
        .tables = true,
    },
    {
        .word = "tax",
        .usage = "tax [OPTION]... [FILE|DIRECTORY]...",
        .help = "print the share of executions and ranges during which no kernel ran",
        .run = cmd_tax,
        .tables = true,
    },
    {
        .word = "analyze",
        .usage = "analyze [OPTION]... [FILE|DIRECTORY]...",
        .help = "print what kernels achieved of what their device can do, and whether\n"
                "computing or memory bounds them",
        .run = cmd_analyze_timeline,
        .run_inputs = cmd_analyze,
        .agree = analyze_options_agree,
        .tables = true,
    },
    {
        .word = "breakdown",
        .usage = "breakdown [--table NAME] [OPTION]... [FILE|DIRECTORY]...",
        .help = "print what devices did, why streams were idle, kernels, copies, launches,\n"
                "queues, repeated sequences, and who came last to collectives",
        .run = cmd_breakdown,
        .tables = true,
    },
    {
        .word = "check",
        .usage = "check [FILE|DIRECTORY]...",
        .help = "verify every invariant of file and timeline",
        .run = cmd_check,
        .partial = true, /* a damaged file is what it is there for */
    },
    {
        .word = "graphs",
        .usage = "graphs [--format FORMAT] [FILE|DIRECTORY]...",
        .help = "show the CUDA graphs: launches, operations of each, where they were\n"
                "captured and where they are replayed",
        .run = cmd_graphs,
        .tables = true,
    },
    {
        .word = "ledger",
        .usage = "ledger [--format FORMAT] [FILE|DIRECTORY]...",
        .help = "show what was launched, recorded and lost, by stream and graph, and\n"
                "the CUDA calls that failed",
        .run = cmd_ledger,
        .tables = true,
    },
    {
        .word = "memory",
        .usage = "memory [--format FORMAT] [FILE|DIRECTORY]...",
        .help = "show what was allocated: peaks and who owned them, what was never\n"
                "freed, ranges, pools, managed memory",
        .run = cmd_memory,
        .tables = true,
    },
    {
        .word = "diff",
        .usage = "diff [--names A,B] [--fail-if-slower LIMIT] [OPTION]... A B",
        .help = "compare two runs, each a file or a directory: what got slower or faster,\n"
                "and whether that is more than noise",
        .run_inputs = cmd_diff,
        .html = true,
        .agree = diff_options_agree,
        .tables = true,
    },
    {
        .word = "augment",
        .usage = "augment [--compat] IN OUT",
        .help = "copy a Chrome trace, adding kernel_flop and kernel_num_gb to kernels\n"
                "and to the operators that launched them",
        .run_inputs = cmd_augment,
        .whole_files = true,
        .writes_last = true,
    },
    {
        .word = "combine",
        .usage = "combine [--compat] IN1 IN2 [IN3]... OUT",
        .help = "write Chrome traces as one, in which ids and times do not collide",
        .run_inputs = cmd_combine,
        .whole_files = true,
        .writes_last = true,
    },
    {
        .word = "ctl",
        .usage = "ctl list\n"
                 "ctl PID start|stop|status\n"
                 "ctl PID dump [OUT]",
        .help = "command a process that was started with PROF_CONTROL=1",
        .run_words = cmd_ctl,
    },
    {0},
};

const struct export_format export_formats[EXPORT_COUNT] = {
    [EXPORT_CHROME] = {"chrome", "out.json",
                       "write the timeline as a Chrome trace; open it in ui.perfetto.dev\n"
                       "or chrome://tracing (- is standard output)",
                       cmd_chrome},
    [EXPORT_HTML] = {"html", "out.html",
                     "write a report as one file for a browser: verdict, tables, plots, idle\n"
                     "gaps, flame graphs; with diff: of what differs",
                     cmd_html},
    [EXPORT_PERFETTO] = {"perfetto", "out.pftrace",
                         "write the timeline as a Perfetto protobuf trace, a third of the Chrome\n"
                         "trace's size; open it in ui.perfetto.dev",
                         cmd_perfetto},
    [EXPORT_PPROF] = {"pprof", "out.pb.gz",
                      "write where ranges, calls and the device spent their time as a profile\n"
                      "for pprof (gzip)",
                      cmd_pprof},
    [EXPORT_PROMETHEUS] = {"prometheus", "out.prom",
                           "write summary metrics in Prometheus' text format", cmd_prometheus},
    [EXPORT_SPEEDSCOPE] = {"speedscope", "out.speedscope.json",
                           "write threads and streams as profiles for speedscope.app",
                           cmd_speedscope},
    [EXPORT_ETPROF] = {"etprof", "out.etprof",
                       "write the profiling blocks as prof buffers of ExecuTorch", cmd_etprof},
    [EXPORT_SVG] = {"svg", "out.svg", "write the timeline as a picture (SVG)", cmd_svg},
    [EXPORT_SQLITE] = {"sqlite", "out.sqlite",
                       "write the timeline as a database with the tables of nsys, for SQL",
                       cmd_sqlite},
    [EXPORT_ARROW] = {"arrow", "out.arrow",
                      "write a table in Arrow's file format (Feather), for polars, pandas,\n"
                      "DuckDB ...; OUT a directory: all of them, as events.arrow ...",
                      cmd_arrow},
};

const struct command *commands_with_words(const char *word)
{
    for (const struct command *command = commands; command->word; command++)
        if (command->run_words && strcmp(command->word, word) == 0)
            return command;
    return NULL;
}

const struct command *commands_take(struct profdump_options *options)
{
    if (options->input_count == 0)
        return commands;
    for (const struct command *command = commands + 1; command->word; command++) {
        if (command->run_words || strcmp(command->word, options->inputs[0]) != 0)
            continue;
        options->inputs++;
        options->input_count--;
        return command;
    }
    return commands;
}

bool commands_missed(const struct profdump_options *options)
{
    const char *word = options->input_count ? options->inputs[0] : "";
    char known[512] = "";
    size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    if (letters == 0 || word[letters] || access(word, F_OK) == 0)
        return false;
    for (const struct command *command = commands + 1; command->word; command++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", command->word);
    }
    complain("there is no command and no file '%s'; commands are %s", word, known);
    return true;
}
