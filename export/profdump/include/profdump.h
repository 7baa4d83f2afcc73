/* profdump.h - what profdump's commands share: parsed options, messages, exit statuses. */
#ifndef PROF_PROFDUMP_H
#define PROF_PROFDUMP_H

#include "bench_stats.h"
#include "dataset.h"
#include "diff.h"
#include "formats.h"
#include "reports.h"
#include "roofline.h"
#include "text.h"
#include "write.h"

#define EXIT_USAGE 2
#define EXIT_LOSS 3
#define EXIT_FOUND 4        /* what --fail-on or --fail-if-slower names */
#define EXIT_INCONCLUSIVE 5 /* evidence for that is missing, or noise may explain it */

enum export_kind {
    EXPORT_CHROME,
    EXPORT_HTML,
    EXPORT_PERFETTO,
    EXPORT_SQLITE,
    EXPORT_ARROW,
    EXPORT_SVG,
    EXPORT_PPROF,
    EXPORT_SPEEDSCOPE,
    EXPORT_PROMETHEUS,
    EXPORT_ETPROF,
    EXPORT_FOLDED,
    EXPORT_TENSORBOARD,
    EXPORT_CSV, /* the table, in other formats of text, too */
    EXPORT_COUNT
};

/* Of roofline. */
struct analyze_options {
    enum op_type type;        /* --type */
    enum roofline_by by;      /* --group-by */
    const char *device_rates; /* --device-rates, NULL not given */
    bool devices;             /* --devices */
};

/* A time as given. */
struct window_point {
    enum { WINDOW_OPEN, WINDOW_SINCE_FIRST, WINDOW_SINCE_EPOCH } kind; /* OPEN: not given */
    int64_t ns;
};

/* See window_options.h. */
struct window_options {
    struct window_point from, to; /* A..B */
    bool may_be_empty;            /* an empty window is not an error */
    int64_t recording;            /* on:N, 0 not given */
    bool steps;                   /* step:N-M */
    int64_t first_step, last_step;
};

#define LABELS_MAX 32u

struct profdump_options {
    FILE *out;            /* where commands print; NULL: nothing is printed */
    const char *out_name; /* in messages */
    struct write_options write;
    const char *export_paths[EXPORT_COUNT]; /* by format; NULL not given */
    const char *outputs[EXPORT_COUNT];      /* -o, until outputs_resolve() knows their formats */
    unsigned output_count;
    const char *to;           /* --to, NULL not given */
    const char *table_option; /* the first option given that is about the table of stats */
    enum write_format format; /* --format, --json */
    bool format_given;
    bool table_width_given;
    bool json;           /* the same as the format */
    bool compat;         /* --compat */
    bool units;          /* --units, with --compat */
    unsigned name_limit; /* --name-limit, 0 not given */
    /* --sort, --group-by: values depend on the command; NULL not given */
    const char *sort, *by;
    bool rows_given; /* --rows */

    bool tree;                /* --tree */
    bool depth_given;         /* --depth */
    uint32_t stack_frames;    /* --group-by stack:N */
    enum write_metric metric; /* --metric */
    bool metric_given;
    bool folded;          /* --folded */
    const char *flame;    /* -o of stacks; NULL */
    bool cpu_samples;     /* --cpu */
    bool functions;       /* --functions */
    bool by_function;     /* --stacks */
    bool html_full;       /* the report's timeline has every event */
    bool debuginfod;      /* --debuginfod */
    const char *perf_map; /* --perf-map, NULL not given */

    struct write_blocks_options blocks;
    bool target_given;        /* --target-time-scale */
    const char *etrecord;     /* --etrecord, NULL not given */
    const char *compare;      /* --compare, NULL not given */
    const char *debug_buffer; /* --debug-buffer, NULL not given */

    struct analyze_options analyze;
    struct breakdown_options breakdown;
    struct write_svg_options svg;
    const char *labels[LABELS_MAX]; /* --label, for Prometheus */
    size_t label_count;
    const char *metadata; /* --metadata, for Chrome traces; NULL not given */
    unsigned arrow_table; /* --arrow-table: enum arrow_table + 1; 0 not given */
    struct window_options window;

    uint64_t questions;         /* --question: a bit for each by its place; 0 all */
    uint64_t explain_rules;     /* --rule: a bit for each by its place; 0 all */
    const char *explain_limits; /* --limits, NULL not given */
    bool explain_list;          /* --rules */

    struct bench_options bench;
    const char *bench_against; /* --against, NULL not given */

    struct diff_options diff;
    bool follow;         /* --follow */
    bool once;           /* --once */
    int64_t interval_ns; /* --interval, 0 not given */
    uint64_t for_ms;     /* --for, 0 not given */
    const char *detail;  /* --detail, NULL not given */
    bool query_schema;   /* --schema */
    bool no_events;      /* --no-events */
    bool ledger;         /* --ledger */

    bool diff_no_match;     /* --no-match */
    const char *diff_names; /* --names, NULL not given */
    const char *baseline;   /* --baseline, NULL not given */
    const char *baselines;  /* --baselines, NULL not given */
    bool force;             /* --force */

    struct dataset_choice dataset; /* --rank */
    bool partial;
    bool fail_on_loss;
    uint64_t fail_on; /* --fail-on: a bit for each value by its place, that of "any" first */
    bool help, version;
    bool command_line; /* options of other outputs are refused */
    char **inputs;     /* as given: files and directories */
    int input_count;
};

/* Each returns an exit status. */
typedef int timeline_command(const struct profdump_options *options,
                             const struct timeline *timeline);
typedef int inputs_command(const struct profdump_options *options); /* opens its inputs itself */
typedef int export_command(const struct profdump_options *options, const struct timeline *timeline,
                           const char *path);

export_command cmd_arrow, cmd_chrome, cmd_folded, cmd_tensorboard;

/* Prints what stats prints. Returns EXIT_FAILURE after having complained. `*written`: false if
 * printing failed; errno says why. */
int cmd_show_print(const struct profdump_options *options, const struct timeline *timeline,
                   bool *written);
inputs_command cmd_diff;

/* --arrow-table, --source-time-scale. */
bool arrow_table_set(struct profdump_options *options, const char *name);
bool blocks_set_source(struct profdump_options *options, const char *scale);

/* --fail-if-slower: sets the gate of `diff`. */
bool gate_limit_set(struct profdump_options *options, const char *text);

/* Prints the rows of a statement. A wrong one is wrong usage. */
int cmd_query_timeline(const struct profdump_options *options, const struct timeline *timeline,
                       const char *sql);

/* --chrome: copies the Chrome traces among the inputs into one. `*copied` false: there are none,
 * and nothing was written. Returns an exit status. */
int cmd_chrome_copy(const struct profdump_options *options, bool *copied);

/* Reports one sentence to the error listener of this thread; without one, on stderr after
 * "profdump: ". Bytes that could control a terminal are escaped. complain_more() adds a line to the
 * last sentence on stderr; a listener does not get it. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
__attribute__((format(printf, 1, 2))) void complain_more(const char *format, ...);

/* The longest sentence, with its end. */
#define COMPLAINT_COLUMNS 900u
#define COMPLAINT_BYTES (SHOW_TEXT_BYTES(COMPLAINT_COLUMNS) + sizeof "...")

/* Error listener of a thread. */
struct listener {
    void (*hear)(void *user, const char *sentence);
    void *user;
};

/* Sets that of the calling thread, which must outlive its use; NULL: stderr again. Returns the
 * previous one. */
const struct listener *complain_to(const struct listener *listener);

/* Flushes the output and returns the command's exit status: 1, after having complained, when not
 * everything could be written (silently if the reader closed the pipe); EXIT_LOSS with
 * --fail-on-loss when something was or may have been lost. */
int finish(const struct profdump_options *options, const struct timeline *timeline, bool written);

/* Names the findings of a command for --fail-on: "any" first; NULL after the last. */
typedef const char *finding_name_at(unsigned number);

/* Returns EXIT_FOUND if --fail-on names something in `found`, a bit for each finding by its place;
 * EXIT_INCONCLUSIVE if it does not and `unknown` says why that cannot be judged; else `status`,
 * which is that of finish(). Says on stderr what was found, or why it cannot be judged. */
int finish_judged(const struct profdump_options *options, int status, finding_name_at *name_at,
                  uint64_t found, const char *unknown);

/* The same for answers that are about no recording. */
int finish_answer(const struct profdump_options *options, bool written);

/* Returns the exit status of an export, after having complained of what failed (silently if the
 * reader closed the pipe). */
int finish_export(const struct profdump_options *options, const struct timeline *timeline,
                  bool written, const struct write_error *error);

#endif
