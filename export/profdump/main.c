/* main.c - profdump's command line.
 *
 * Exit status: 0 done, 1 failed, 2 wrong usage, 3 something was lost while recording
 * (--fail-on-loss).
 */
#include "profdump.h"

#include "blocks_options.h"
#include "table_options.h"
#include "write_version.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: profdump [OPTION]... [FILE|DIRECTORY]...\n"
    "       profdump --chrome OUT [OPTION]... [FILE|DIRECTORY]...\n"
    "       profdump --etprof OUT [OPTION]... [FILE|DIRECTORY]...\n"
    "       profdump --json [OPTION]... [FILE|DIRECTORY]...\n"
    "       profdump stacks [OPTION]... [FILE|DIRECTORY]...\n"
    "       profdump folded [--metric METRIC] [FILE|DIRECTORY]...\n"
    "       profdump blocks [--range NAME] [OPTION]... [FILE|DIRECTORY]...\n"
    "       profdump tax [OPTION]... [FILE|DIRECTORY]...\n"
    "       profdump check [FILE|DIRECTORY]...\n"
    "       profdump graphs [--json] [FILE|DIRECTORY]...\n"
    "       profdump ledger [--json] [FILE|DIRECTORY]...\n"
    "       profdump memory [--json] [FILE|DIRECTORY]...\n"
    "       profdump ctl list\n"
    "       profdump ctl PID start|stop|status\n"
    "       profdump ctl PID dump [OUT]\n"
    "\n"
    "Shows what libprof recorded: a summary and the key averages. Several files, or the\n"
    "*.prof files of a directory, are merged. Without an input: the newest *.prof file here.\n"
    "\n"
    "  --chrome OUT          write the timeline as a Chrome trace; open it in ui.perfetto.dev\n"
    "                        or chrome://tracing (- is standard output)\n"
    "  --etprof OUT          write the profiling blocks as prof buffers of ExecuTorch\n"
    "  --json                print summary and key averages as JSON\n"
    "  stacks                print the call stacks from which CUDA was called, the one that kept\n"
    "                        the device busy longest first\n"
    "  folded                print the ranges as folded stacks, as flamegraph.pl reads them\n"
    "  blocks                print profiling blocks: runs of the same events as iterations, with\n"
    "                        percentiles of each event\n"
    "  tax                   print how much of executions and ranges passed without a kernel\n"
    "  check                 verify every invariant of file and timeline\n"
    "  graphs                show the CUDA graphs: launches, operations of each, where they were\n"
    "                        captured and where they are replayed\n"
    "  ledger                show what was launched, recorded and lost, by stream and graph, and\n"
    "                        the CUDA calls that failed\n"
    "  memory                show what was allocated: peaks and who owned them, what was never\n"
    "                        freed, ranges, pools, managed memory\n"
    "  ctl                   command a process that was started with PROF_CONTROL=1\n"
    "\n"
    "  --sort COLUMN         sort the table, descending: name, self_cpu, cpu_total, cpu_avg,\n"
    "                        self_cuda, cuda_total, cuda_avg, count, or a column of --columns;\n"
    "                        torch.profiler's names are known too\n"
    "  --rows N              print at most N rows\n"
    "  --group-by LIST       what rows are told apart by: name (the default), shape, stack, "
    "stack:N,\n"
    "                        thread, device, stream, rank, path, process\n"
    "  --columns LIST        add columns: min, max, mean, stddev, p10, p50, p90, p99, cold, warm,\n"
    "                        projected, projected_avg, bytes, rate, all\n"
    "  --tree                print the ranges as a tree; --depth N: at most N levels of it\n"
    "  --kernels, --memcpy, --memset, --api\n"
    "                        print only rows of that kind, with how their durations are spread\n"
    "  --projected           print ranges from their first device operation to their last\n"
    "  --top-level           only calls that nothing on their thread is around\n"
    "  --total               add a row with the sums of all\n"
    "  --header TEXT         print a line above the table\n"
    "  --time-unit UNIT      s, ms, us or ns for all times\n"
    "  --name-width N        columns for names (default 55)\n"
    "  --memory              add the table's columns of memory: net change, in total and self\n"
    "  --range NAME          with blocks and tax: the calls of this range\n"
    "  --block NAME          with blocks and tax: only blocks of this name\n"
    "  --event PREFIX        with blocks: only events of this name, or of parts of it\n"
    "  --total-of PREFIX     with blocks: the time of all these events, once each\n"
    "  --source-time-scale S what ticks of files with ticks are: ns (default), us, ms, s, cycles\n"
    "  --target-time-scale S in what blocks and tax show times: ns, us, ms (default), s, cycles\n"
    "  --wrap32              ticks have 32 bits and begin anew\n"
    "  --format FORMAT       of blocks and tax: text (default), tsv, csv, json\n"
    "  --units               with --format tsv or csv: name the unit in the header\n"
    "  --compat              blocks, tax, memory: print what ExecuTorch's own programs print\n"
    "  --etrecord FILE       with blocks: debug handles and delegates, of an ETRecord\n"
    "  --compare REF[:BUFFER]  with blocks: how far logged values are from those of another "
    "ETDump\n"
    "  --debug-buffer FILE   with --compare: the debug buffer of the input\n"
    "  --folded              with stacks: a line per stack as flamegraph.pl reads it, weighted by\n"
    "                        nanoseconds of device time\n"
    "  --metric METRIC       with folded: self_cpu (default), self_cuda in nanoseconds, or count\n"
    "  --perf-map PATH       where a JIT compiler named its code: a file, or a directory with\n"
    "                        perf-PID.map (default /tmp)\n"
    "  --debuginfod          ask the servers of DEBUGINFOD_URLS for debug information\n"
    "  --partial             show what is readable of a damaged file\n"
    "  --fail-on-loss        exit with 3 when anything was lost while recording\n"
    "  --color WHEN          auto (default), always or never; NO_COLOR is honoured\n"
    "  -h, --help            print this help\n"
    "  -V, --version         print the version\n";

enum option_code {
    OPTION_CHROME = 256,
    OPTION_ETPROF,
    OPTION_JSON,
    OPTION_SORT,
    OPTION_ROWS,
    OPTION_MEMORY,
    OPTION_PARTIAL,
    OPTION_FAIL_ON_LOSS,
    OPTION_COLOR,
    OPTION_FOLDED,
    OPTION_PERF_MAP,
    OPTION_DEBUGINFOD,
    OPTION_GROUP_BY,
    OPTION_COLUMNS,
    OPTION_TREE,
    OPTION_DEPTH,
    OPTION_KERNELS,
    OPTION_MEMCPY,
    OPTION_MEMSET,
    OPTION_API,
    OPTION_PROJECTED,
    OPTION_TOP_LEVEL,
    OPTION_TOTAL,
    OPTION_HEADER,
    OPTION_TIME_UNIT,
    OPTION_NAME_WIDTH,
    OPTION_METRIC,
    OPTION_RANGE,
    OPTION_BLOCK,
    OPTION_EVENT,
    OPTION_TOTAL_OF,
    OPTION_SOURCE_SCALE,
    OPTION_TARGET_SCALE,
    OPTION_WRAP32,
    OPTION_FORMAT,
    OPTION_UNITS,
    OPTION_COMPAT,
    OPTION_ETRECORD,
    OPTION_COMPARE,
    OPTION_DEBUG_BUFFER,
};

static const struct option long_options[] = {
    {"chrome", required_argument, NULL, OPTION_CHROME},
    {"etprof", required_argument, NULL, OPTION_ETPROF},
    {"json", no_argument, NULL, OPTION_JSON},
    {"sort", required_argument, NULL, OPTION_SORT},
    {"rows", required_argument, NULL, OPTION_ROWS},
    {"memory", no_argument, NULL, OPTION_MEMORY},
    {"partial", no_argument, NULL, OPTION_PARTIAL},
    {"fail-on-loss", no_argument, NULL, OPTION_FAIL_ON_LOSS},
    {"color", required_argument, NULL, OPTION_COLOR},
    {"folded", no_argument, NULL, OPTION_FOLDED},
    {"perf-map", required_argument, NULL, OPTION_PERF_MAP},
    {"debuginfod", no_argument, NULL, OPTION_DEBUGINFOD},
    {"group-by", required_argument, NULL, OPTION_GROUP_BY},
    {"columns", required_argument, NULL, OPTION_COLUMNS},
    {"tree", no_argument, NULL, OPTION_TREE},
    {"depth", required_argument, NULL, OPTION_DEPTH},
    {"kernels", no_argument, NULL, OPTION_KERNELS},
    {"memcpy", no_argument, NULL, OPTION_MEMCPY},
    {"memset", no_argument, NULL, OPTION_MEMSET},
    {"api", no_argument, NULL, OPTION_API},
    {"projected", no_argument, NULL, OPTION_PROJECTED},
    {"top-level", no_argument, NULL, OPTION_TOP_LEVEL},
    {"total", no_argument, NULL, OPTION_TOTAL},
    {"header", required_argument, NULL, OPTION_HEADER},
    {"time-unit", required_argument, NULL, OPTION_TIME_UNIT},
    {"name-width", required_argument, NULL, OPTION_NAME_WIDTH},
    {"metric", required_argument, NULL, OPTION_METRIC},
    {"range", required_argument, NULL, OPTION_RANGE},
    {"block", required_argument, NULL, OPTION_BLOCK},
    {"event", required_argument, NULL, OPTION_EVENT},
    {"total-of", required_argument, NULL, OPTION_TOTAL_OF},
    {"source-time-scale", required_argument, NULL, OPTION_SOURCE_SCALE},
    {"target-time-scale", required_argument, NULL, OPTION_TARGET_SCALE},
    {"wrap32", no_argument, NULL, OPTION_WRAP32},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"units", no_argument, NULL, OPTION_UNITS},
    {"compat", no_argument, NULL, OPTION_COMPAT},
    {"etrecord", required_argument, NULL, OPTION_ETRECORD},
    {"compare", required_argument, NULL, OPTION_COMPARE},
    {"debug-buffer", required_argument, NULL, OPTION_DEBUG_BUFFER},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {0},
};

static int wrong_usage(void)
{
    fputs("Try 'profdump --help'.\n", stderr);
    return EXIT_USAGE;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static bool terminal_wants_color(void)
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

static bool set_sort(struct profdump_options *options, const char *column)
{
    if (key_sort_find(column, &options->write.sort))
        return true;
    complain("--sort: there is no column '%s'; known are %s", column, key_sort_columns());
    return false;
}

static bool set_rows(struct profdump_options *options, const char *rows)
{
    char *end;
    errno = 0;
    options->write.rows = strtoll(rows, &end, 10);
    if (*rows && !*end && !errno && options->write.rows >= -1)
        return true;
    complain("--rows: '%s' is not a number of rows", rows);
    return false;
}

static bool set_chrome(struct profdump_options *options, const char *path)
{
    options->chrome_path = path;
    if (*path)
        return true;
    complain("--chrome: the name of the output is empty");
    return false;
}

static bool set_etprof(struct profdump_options *options, const char *path)
{
    options->etprof_path = path;
    if (*path)
        return true;
    complain("--etprof: the name of the output is empty");
    return false;
}

/* Options of blocks and tax. */
static bool apply_to_blocks(struct profdump_options *options, int code)
{
    switch (code) {
    case OPTION_RANGE:
        options->blocks.blocks.range = optarg;
        return true;
    case OPTION_BLOCK:
        options->blocks.blocks.block = optarg;
        return true;
    case OPTION_EVENT:
        options->blocks.event = optarg;
        return true;
    case OPTION_TOTAL_OF:
        options->blocks.total = optarg;
        return true;
    case OPTION_SOURCE_SCALE:
        return blocks_options_source(options, optarg);
    case OPTION_TARGET_SCALE:
        return blocks_options_target(options, optarg);
    case OPTION_WRAP32:
        options->blocks.blocks.wrap32 = true;
        return true;
    case OPTION_FORMAT:
        return blocks_options_format(options, optarg);
    case OPTION_UNITS:
        options->blocks.units = true;
        return true;
    case OPTION_COMPAT:
        options->compat = true;
        return true;
    case OPTION_ETRECORD:
        options->etrecord = optarg;
        return true;
    case OPTION_COMPARE:
        options->compare = optarg;
        return true;
    case OPTION_DEBUG_BUFFER:
        options->debug_buffer = optarg;
        return true;
    default:
        return false;
    }
}

static bool apply_to_table(struct profdump_options *options, int code)
{
    switch (code) {
    case OPTION_GROUP_BY:
        return table_options_group_by(options, optarg);
    case OPTION_COLUMNS:
        return table_options_columns(options, optarg);
    case OPTION_TIME_UNIT:
        return table_options_unit(options, optarg);
    case OPTION_NAME_WIDTH:
        return table_options_name_width(options, optarg);
    case OPTION_DEPTH:
        return table_options_depth(options, optarg);
    case OPTION_METRIC:
        return table_options_metric(options, optarg);
    case OPTION_KERNELS:
    case OPTION_MEMCPY:
    case OPTION_MEMSET:
    case OPTION_API:
    case OPTION_PROJECTED:
        options->write.table = (enum write_table)(code - OPTION_KERNELS + WRITE_TABLE_KERNELS);
        return true;
    case OPTION_TREE:
        options->tree = true;
        return true;
    case OPTION_TOP_LEVEL:
        options->write.top_level = true;
        return true;
    case OPTION_TOTAL:
        options->write.total = true;
        return true;
    case OPTION_HEADER:
        options->write.header = optarg;
        return true;
    default:
        return apply_to_blocks(options, code);
    }
}

static bool apply(struct profdump_options *options, int code)
{
    switch (code) {
    case OPTION_CHROME:
        return set_chrome(options, optarg);
    case OPTION_ETPROF:
        return set_etprof(options, optarg);
    case OPTION_JSON:
        options->json = true;
        return true;
    case OPTION_SORT:
        return set_sort(options, optarg);
    case OPTION_ROWS:
        return set_rows(options, optarg);
    case OPTION_MEMORY:
        options->write.memory = true;
        return true;
    case OPTION_PARTIAL:
        options->partial = true;
        return true;
    case OPTION_FAIL_ON_LOSS:
        options->fail_on_loss = true;
        return true;
    case OPTION_COLOR:
        return set_color(options, optarg);
    case OPTION_FOLDED:
        options->folded = true;
        return true;
    case OPTION_PERF_MAP:
        options->perf_map = optarg;
        return true;
    case OPTION_DEBUGINFOD:
        options->debuginfod = true;
        return true;
    default:
        return apply_to_table(options, code);
    }
}

/* Help and version are answers: on stdout, and a failure to print them is one. */
static int answer(const char *text)
{
    if (fputs(text, stdout) >= 0 && fflush(stdout) == 0)
        return EXIT_SUCCESS;
    complain("standard output: %s", strerror(errno));
    return EXIT_FAILURE;
}

/* A command is a word in front of the inputs. */
static bool take_word(struct profdump_options *options, const char *word)
{
    if (options->input_count == 0 || strcmp(options->inputs[0], word) != 0)
        return false;
    options->inputs++;
    options->input_count--;
    return true;
}

/* A damaged file is what "check" is there for: it is read as far as possible. */
static void take_command(struct profdump_options *options)
{
    if (take_word(options, "check"))
        options->check = options->partial = true;
    else if (take_word(options, "graphs"))
        options->graphs = true;
    else if (take_word(options, "stacks"))
        options->stacks = true;
    else if (take_word(options, "folded"))
        options->range_stacks = true;
    else if (take_word(options, "ledger"))
        options->ledger = true;
    else if (take_word(options, "blocks"))
        options->of_blocks = true;
    else if (take_word(options, "tax"))
        options->tax = true;
    else
        options->memory = take_word(options, "memory");
}

/* Options that say opposite things. */
static bool agree(const struct profdump_options *options)
{
    if (!options->write.memory || (options->write.group_by == KEY_BY_KEY && !options->tree))
        return true;
    complain("--memory: memory is known by name only, not with --group-by or --tree");
    return false;
}

/* These write files, so they may come together and with --json; alone they leave stdout to others. */
static int run_exports(const struct profdump_options *options, const struct timeline *timeline)
{
    int status = EXIT_SUCCESS;
    if (options->chrome_path)
        status = cmd_chrome(options, timeline);
    if (options->etprof_path && status != EXIT_FAILURE)
        status = cmd_etprof(options, timeline);
    return status;
}

static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    if (options->check)
        return cmd_check(options, timeline);
    if (options->stacks)
        return cmd_stacks(options, timeline);
    if (options->graphs)
        return cmd_graphs(options, timeline);
    if (options->range_stacks)
        return cmd_folded(options, timeline);
    if (options->ledger)
        return cmd_ledger(options, timeline);
    if (options->of_blocks)
        return cmd_blocks(options, timeline);
    if (options->tax)
        return cmd_tax(options, timeline);
    if (options->memory && options->compat)
        return cmd_blocks_memory(options, timeline);
    if (options->memory)
        return cmd_memory(options, timeline);
    if (options->chrome_path || options->etprof_path) {
        int status = run_exports(options, timeline);
        if (status == EXIT_FAILURE || !options->json)
            return status;
    }
    return options->json ? cmd_json(options, timeline) : cmd_show(options, timeline);
}

/* Chrome traces among the inputs of --chrome are copied; then that option is dealt with. `*done`: and
 * nothing is left to do. */
static int merge_chrome(struct profdump_options *options, bool *done)
{
    struct inputs inputs;
    int status = EXIT_SUCCESS;
    bool other_word = options->check || options->stacks || options->memory;
    if (!options->chrome_path || other_word || options->input_count == 0)
        return status;
    *done = !inputs_split(options, &inputs);
    if (*done)
        return EXIT_FAILURE;
    if (inputs.chrome_count) {
        status = cmd_chrome_merge(options, &inputs);
        options->chrome_path = NULL;
        *done = status == EXIT_FAILURE || (!options->etprof_path && !options->json);
    }
    inputs_fini(&inputs);
    return status;
}

int main(int argc, char **argv)
{
    static char program[] = "profdump";
    struct profdump_options options = {0};
    if (argc > 0)
        argv[0] = program; /* getopt's messages begin with it */
    if (argc > 1 && strcmp(argv[1], "ctl") == 0)
        return cmd_ctl(argc - 2, argv + 2);
    write_options_default(&options.write);
    options.write.color = terminal_wants_color();
    for (int code; (code = getopt_long(argc, argv, "hV", long_options, NULL)) != -1;) {
        if (code == 'h')
            return answer(usage_text);
        if (code == 'V')
            return answer("profdump " PROF_VERSION "\n");
        if (!apply(&options, code))
            return wrong_usage();
    }
    options.inputs = argv + optind;
    options.input_count = argc - optind;
    take_command(&options);
    if (!agree(&options) || !blocks_options_agree(&options))
        return wrong_usage();
    bool done = false;
    int merged = merge_chrome(&options, &done);
    if (done)
        return merged;
    struct timeline *timeline = inputs_load(&options);
    int status = timeline ? run(&options, timeline) : EXIT_FAILURE;
    timeline_destroy(timeline);
    return status;
}
