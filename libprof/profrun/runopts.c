#include "runopts.h"

#include "number.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_FORCE = 256,
    OPTION_SIM,
    OPTION_NO_TABLE,
    OPTION_ROWS,
    OPTION_SORT,
    OPTION_STACKS,
    OPTION_GRAPHS,
    OPTION_BUDGET,
    OPTION_SUMMARY,
    OPTION_HANG,
    OPTION_PROMETHEUS,
    OPTION_ATTACH,
    OPTION_FOR,
    OPTION_SAMPLE,
    OPTION_HELP_ENV,
    OPTION_DOCTOR
};

/* '+': everything after the program's name belongs to the program. */
static const char short_options[] = "+:o:e:qhV";

static const struct option long_options[] = {
    {"output", required_argument, NULL, 'o'},
    {"force", no_argument, NULL, OPTION_FORCE},
    {"sim", optional_argument, NULL, OPTION_SIM},
    {"no-table", no_argument, NULL, OPTION_NO_TABLE},
    {"rows", required_argument, NULL, OPTION_ROWS},
    {"sort", required_argument, NULL, OPTION_SORT},
    {"stacks", optional_argument, NULL, OPTION_STACKS},
    {"graphs", required_argument, NULL, OPTION_GRAPHS},
    {"budget", required_argument, NULL, OPTION_BUDGET},
    {"summary", required_argument, NULL, OPTION_SUMMARY},
    {"hang", required_argument, NULL, OPTION_HANG},
    {"prometheus", required_argument, NULL, OPTION_PROMETHEUS},
    {"attach", required_argument, NULL, OPTION_ATTACH},
    {"for", required_argument, NULL, OPTION_FOR},
    {"sample", required_argument, NULL, OPTION_SAMPLE},
    {"env", required_argument, NULL, 'e'},
    {"quiet", no_argument, NULL, 'q'},
    {"doctor", no_argument, NULL, OPTION_DOCTOR},
    {"help", no_argument, NULL, 'h'},
    {"help-env", no_argument, NULL, OPTION_HELP_ENV},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static enum runopts_verdict runopts_wrong(const char *what, const char *which)
{
    message("%s%s", what, which);
    fputs("Try 'profrun --help'.\n", stderr);
    return RUNOPTS_WRONG;
}

static enum runopts_verdict runopts_set_env(const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment)
        return runopts_wrong("-e needs NAME=VALUE, not ", assignment);
    char *name = strndup(assignment, (size_t)(equals - assignment));
    const bool ok = name && setenv(name, equals + 1, 1) == 0;
    free(name);
    return ok ? RUNOPTS_RUN : runopts_wrong("cannot set ", assignment);
}

static bool runopts_is_layout(const char *layout)
{
    static const char *const layouts[] = {"11.0", "11.2", "11.8", "12.4", "13.0", "13.3"};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        if (strcmp(layout, layouts[i]) == 0)
            return true;
    return false;
}

static enum runopts_verdict runopts_set_sim(struct runopts *options, const char *layout)
{
    if (layout && !runopts_is_layout(layout))
        return runopts_wrong("--sim needs 11.0, 11.2, 11.8, 12.4, 13.0 or 13.3, not ", layout);
    options->sim = true;
    options->sim_layout = layout;
    return RUNOPTS_RUN;
}

static enum runopts_verdict runopts_setenv(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0 ? RUNOPTS_RUN : runopts_wrong("cannot set ", name);
}

/* A number from 1 to `most`, and nothing after it; 0: anything else. */
static uint64_t runopts_number(const char *text, uint64_t most)
{
    uint64_t number;
    const char *end = number_parse(text, &number);
    return end && !*end && number <= most ? number : 0;
}

static enum runopts_verdict runopts_set_stacks(const char *where)
{
    if (where && strcmp(where, "launch") != 0 && strcmp(where, "range") != 0)
        return runopts_wrong("--stacks needs launch or range, not ", where);
    return runopts_setenv("PROF_STACKS", where ? where : "launch");
}

static enum runopts_verdict runopts_set_graphs(const char *as)
{
    if (strcmp(as, "nodes") != 0 && strcmp(as, "graph") != 0)
        return runopts_wrong("--graphs needs nodes or graph, not ", as);
    return runopts_setenv("PROF_GRAPHS", as);
}

/* As PROF_BUDGET: 0.01 to 100, with or without a percent sign. */
static bool runopts_is_percent(const char *text)
{
    char *end;
    const bool digits = text[strspn(text, "0123456789.")] == '\0' ||
                        strcmp(text + strspn(text, "0123456789."), "%") == 0;
    const double percent = digits ? strtod(text, &end) : 0;
    return digits && (*end == '\0' || *end == '%') && percent >= 0.01 && percent <= 100;
}

static enum runopts_verdict runopts_set_budget(const char *percent)
{
    if (!runopts_is_percent(percent))
        return runopts_wrong("--budget needs a percentage from 0.01% to 100%, as in 2%, not ",
                             percent);
    return runopts_setenv("PROF_BUDGET", percent);
}

/* As PROF_SUMMARY: 1 to 86400, with or without an s. */
static enum runopts_verdict runopts_set_summary(const char *period)
{
    char seconds[8];
    const size_t digits = strspn(period, "0123456789");
    snprintf(seconds, sizeof seconds, "%.*s", (int)digits, period);
    const long number = digits && digits < 6 ? strtol(seconds, NULL, 10) : 0;
    if (number < 1 || number > 86400 || (period[digits] && strcmp(period + digits, "s") != 0))
        return runopts_wrong("--summary needs 1 to 86400 seconds, as in 30s, not ", period);
    return runopts_setenv("PROF_SUMMARY", seconds);
}

/* A number of ms, s, m or h; seconds where no unit is given. Returns 0 for anything else. */
static uint64_t runopts_time_ms(const char *time)
{
    static const struct {
        const char *unit;
        uint64_t ms;
    } units[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
    const size_t digits = strspn(time, "0123456789");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (digits > 0 && digits < 10 && strcmp(time + digits, units[i].unit) == 0)
            return strtoull(time, NULL, 10) * units[i].ms;
    return 0;
}

/* As PROF_HANG. */
static enum runopts_verdict runopts_set_hang(const char *time)
{
    if (runopts_time_ms(time) == 0)
        return runopts_wrong("--hang needs a time, as in 60s, not ", time);
    return runopts_setenv("PROF_HANG", time);
}

/* The recorder says so if it cannot write there, and tries again. */
static enum runopts_verdict runopts_set_prometheus(const char *directory)
{
    if (!*directory)
        return runopts_wrong("--prometheus needs a directory", "");
    return runopts_setenv("PROF_PROMETHEUS", directory);
}

static enum runopts_verdict runopts_set_attach(struct runopts *options, const char *pid)
{
    options->attach = (pid_t)runopts_number(pid, INT_MAX);
    return options->attach ? RUNOPTS_RUN
                           : runopts_wrong("--attach needs the number of a process, not ", pid);
}

static enum runopts_verdict runopts_set_for(struct runopts *options, const char *time)
{
    options->for_ms = runopts_time_ms(time);
    return options->for_ms ? RUNOPTS_RUN
                           : runopts_wrong("--for needs a time, as in 10s, not ", time);
}

/* Whether the options fit together. */
static enum runopts_verdict runopts_check(const struct runopts *options, const char *program)
{
    const char *alone =
        options->doctor ? "--doctor takes no program: " : "--attach takes no program: ";
    if ((options->doctor || options->attach) && program)
        return runopts_wrong(alone, program);
    if (options->attach && (options->sim || options->doctor))
        return runopts_wrong("--attach cannot be combined with --sim or --doctor", "");
    if (options->for_ms && !options->attach)
        return runopts_wrong("--for needs --attach", "");
    if (!program && !options->doctor && !options->attach)
        return runopts_wrong("which program?", "");
    return RUNOPTS_RUN;
}

/* As PROF_SAMPLE: 1 to 1000. */
static enum runopts_verdict runopts_set_sample(const char *rate)
{
    if (!runopts_number(rate, 1000))
        return runopts_wrong("--sample needs 1 to 1000 samples a second, as in 99, not ", rate);
    return runopts_setenv("PROF_SAMPLE", rate);
}

static enum runopts_verdict runopts_apply(struct runopts *options, int option)
{
    switch (option) {
    case 'o':
        options->output = optarg;
        return RUNOPTS_RUN;
    case OPTION_FORCE:
        options->force = true;
        return RUNOPTS_RUN;
    case OPTION_SIM:
        return runopts_set_sim(options, optarg);
    case OPTION_NO_TABLE:
        options->table = false;
        return RUNOPTS_RUN;
    case OPTION_ROWS:
        options->rows = optarg;
        return RUNOPTS_RUN;
    case OPTION_SORT:
        options->sort = optarg;
        return RUNOPTS_RUN;
    case OPTION_STACKS:
        return runopts_set_stacks(optarg);
    case OPTION_GRAPHS:
        return runopts_set_graphs(optarg);
    case OPTION_BUDGET:
        return runopts_set_budget(optarg);
    case OPTION_SUMMARY:
        return runopts_set_summary(optarg);
    case OPTION_HANG:
        return runopts_set_hang(optarg);
    case OPTION_PROMETHEUS:
        return runopts_set_prometheus(optarg);
    case OPTION_ATTACH:
        return runopts_set_attach(options, optarg);
    case OPTION_FOR:
        return runopts_set_for(options, optarg);
    case OPTION_SAMPLE:
        return runopts_set_sample(optarg);
    case 'e':
        return runopts_set_env(optarg);
    case 'q':
        options->quiet = true;
        return RUNOPTS_RUN;
    case OPTION_DOCTOR:
        options->doctor = true;
        return RUNOPTS_RUN;
    case 'h':
        return runhelp_usage();
    case 'V':
        return runhelp_version();
    default:
        return runhelp_env();
    }
}

/* The option getopt_long() stumbled over, as the user typed it. */
static const char *runopts_culprit(char **argv)
{
    static char letter[3] = "-?";
    const char *word = argv[optind - 1];
    if (optopt > 0 && optopt < OPTION_FORCE && strncmp(word, "--", 2) != 0) {
        letter[1] = (char)optopt;
        return letter;
    }
    return word;
}

/* What replaces another profiler's option here; NULL: it is not known. */
static const char *runopts_instead(const char *option)
{
    static const struct {
        const char *option, *instead;
    } others[] = {
        {"--stats", "the table is always printed, unless --no-table is given"},
        {"--trace", "CUDA, NVTX and ranges are always recorded"},
        {"-t", "CUDA, NVTX and ranges are always recorded"},
        {"--force-overwrite", "use --force"},
        {"-f", "use --force"},
        {"--export", "convert a recording with 'profdump -o OUT.sqlite run.prof'"},
        {"--duration", "record a part with --attach PID --for 10s"},
    };
    const size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i].option) == length && strncmp(option, others[i].option, length) == 0)
            return others[i].instead;
    return NULL;
}

static enum runopts_verdict runopts_unknown(const char *option)
{
    const char *instead = runopts_instead(option);
    message("unknown option: %s%s%s", option, instead ? "; " : "", instead ? instead : "");
    fputs("Try 'profrun --help'.\n", stderr);
    return RUNOPTS_WRONG;
}

/* Whether getopt_long() stumbled over the value of a long option that takes none: it sets optopt
 * only if it knows the option. */
static bool runopts_has_value(char **argv)
{
    return optopt != 0 && strncmp(argv[optind - 1], "--", 2) == 0;
}

enum runopts_verdict runopts_parse(int argc, char **argv, struct runopts *options)
{
    *options = (struct runopts){.table = true};
    int option;
    if (argc > 1 && (strcmp(argv[1], "record") == 0 || strcmp(argv[1], "profile") == 0)) {
        /* as with other profilers */
        argc--;
        argv++;
    }
    while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        if (option == '?')
            return runopts_has_value(argv)
                       ? runopts_wrong("option takes no value: ", runopts_culprit(argv))
                       : runopts_unknown(runopts_culprit(argv));
        if (option == ':')
            return runopts_wrong("no value given for ", runopts_culprit(argv));
        const enum runopts_verdict verdict = runopts_apply(options, option);
        if (verdict != RUNOPTS_RUN)
            return verdict;
    }
    options->program = argv + optind;
    return runopts_check(options, optind < argc ? argv[optind] : NULL);
}
