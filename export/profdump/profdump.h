/* profdump.h - what the sub-commands of profdump share. */
#ifndef PROF_PROFDUMP_H
#define PROF_PROFDUMP_H

#include "breakdown_report.h"
#include "formats.h"
#include "roofline.h"
#include "text.h"
#include "write.h"
#include "write_blocks.h"
#include "write_diff.h"

#define EXIT_USAGE 2
#define EXIT_LOSS 3
#define EXIT_SLOWER 4

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
    EXPORT_COUNT
};

/* Of analyze. */
struct analyze_options {
    enum op_type type;        /* --type */
    enum roofline_by by;      /* --by */
    const char *device_rates; /* --device-rates, NULL not given */
    bool devices;             /* --devices */
};

/* A time as it was given. */
struct window_point {
    enum { WINDOW_OPEN, WINDOW_SINCE_FIRST, WINDOW_SINCE_EPOCH } kind; /* OPEN: it was not */
    int64_t ns;
};

/* Which time of the recording; see window_options.h. */
struct window_options {
    struct window_point from, to; /* --from, --to */
    bool may_be_empty;            /* there need be no time between them */
    int64_t recording;            /* --window, 0 not given */
    bool steps;                   /* --steps */
    int64_t first_step, last_step;
};

struct profdump_options {
    FILE *out;            /* what is printed goes here; NULL: nothing is printed */
    const char *out_name; /* as messages call it */
    struct write_options write;
    const char *export_paths[EXPORT_COUNT]; /* --chrome and its like; NULL not given */
    enum write_format format;               /* --format, --json */
    bool format_given;
    bool json;           /* the same as the format */
    bool compat;         /* --compat */
    bool units;          /* --units, with --compat */
    unsigned name_limit; /* --name-limit, 0 not given */
    /* --sort, --by: what they may be depends on the command; NULL not given */
    const char *sort, *by;
    bool rows_given; /* --rows */

    bool tree;                /* --tree */
    uint32_t stack_frames;    /* --group-by stack:N */
    enum write_metric metric; /* --metric */
    bool folded;              /* --folded */
    bool by_function;         /* --stacks */
    bool debuginfod;          /* --debuginfod */
    const char *perf_map;     /* --perf-map, NULL not given */

    struct write_blocks_options blocks;
    bool target_given;        /* --target-time-scale */
    const char *etrecord;     /* --etrecord, NULL not given */
    const char *compare;      /* --compare, NULL not given */
    const char *debug_buffer; /* --debug-buffer, NULL not given */

    struct analyze_options analyze;
    struct breakdown_options breakdown;
    struct write_svg_options svg;
    unsigned arrow_table; /* --arrow-table: enum arrow_table + 1; 0 not given */
    struct window_options window;

    uint64_t explain_rules;     /* --rule: a bit for each by its place; 0 all */
    const char *explain_limits; /* --limits, NULL not given */
    bool explain_list;          /* --rules */

    struct diff_options diff;
    bool diff_no_match;     /* --no-match */
    const char *diff_names; /* --names, NULL not given */

    bool partial;
    bool fail_on_loss;
    bool help, version;
    char **inputs; /* as given: files and directories */
    int input_count;
};

/* Each answers one question and returns an exit status. */
typedef int timeline_command(const struct profdump_options *options,
                             const struct timeline *timeline);
typedef int inputs_command(const struct profdump_options *options); /* opens its inputs itself */
typedef int export_command(const struct profdump_options *options, const struct timeline *timeline,
                           const char *path);

timeline_command cmd_show; /* without a command */
timeline_command cmd_json; /* --json */
timeline_command cmd_blocks;
timeline_command cmd_breakdown;
timeline_command cmd_check;
timeline_command cmd_folded;
timeline_command cmd_graphs;
timeline_command cmd_ledger;
timeline_command cmd_memory;
timeline_command cmd_stacks;
timeline_command cmd_tax;

inputs_command cmd_analyze;
inputs_command cmd_augment; /* its last input is the output */
inputs_command cmd_combine; /* the same */
inputs_command cmd_diff;
inputs_command cmd_explain;

/* The same of a timeline that is there already. */
timeline_command cmd_analyze_timeline;
timeline_command cmd_explain_timeline;

export_command cmd_arrow;
export_command cmd_chrome;
export_command cmd_etprof;
export_command cmd_perfetto;
export_command cmd_pprof;
export_command cmd_prometheus;
export_command cmd_speedscope;
export_command cmd_html;
export_command cmd_sqlite;
export_command cmd_svg;

/* The words after "ctl". */
int cmd_ctl(int count, char **words);

/* Runs `write` with the functions of call stacks where rows are told apart by them. */
int cmd_with_stacks(const struct profdump_options *options, const struct timeline *timeline,
                    bool (*write)(const struct profdump_options *, const struct write_options *,
                                  const struct timeline *));

/* Says one sentence to whoever listens on this thread, with no byte in it that could drive a terminal: on
 * stderr behind "profdump: " where nobody does. complain_more() adds an item to the last one, on stderr as a line. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
__attribute__((format(printf, 1, 2))) void complain_more(const char *format, ...);

/* The longest that is said, with its end. */
#define COMPLAINT_COLUMNS 900u
#define COMPLAINT_BYTES (SHOW_TEXT_BYTES(COMPLAINT_COLUMNS) + sizeof "...")

/* Who hears what is complained of on the calling thread. */
struct listener {
    void (*hear)(void *user, const char *sentence);
    void (*hear_more)(void *user, const char *line);
    void *user;
};

/* From here on; NULL: stderr again. It must live as long. Returns the one before. */
const struct listener *complain_to(const struct listener *listener);

/* Loads the inputs, merged, and cuts them down to the window that was asked for; but for a picture, which shows what
 * was open in it, too. NULL after having complained. Free with timeline_destroy(). */
struct timeline *inputs_load(const struct profdump_options *options);

/* The same in steps, so that several can be loaded at once: create finds the inputs and is NULL after
 * having complained; run loads them, silently, on any thread, and gives the load's timeline or NULL;
 * tell complains of what was wrong, and is false when there is no timeline. */
struct input_load;
struct input_load *input_load_create(const struct profdump_options *options);
const struct timeline *input_load_run(struct input_load *load);
bool input_load_tell(const struct input_load *load);
void input_load_destroy(struct input_load *load);

/* Whether the file is an input: named, in a named directory, or, if none is named, the newest here. */
struct stat;
bool inputs_have(const struct profdump_options *options, const struct stat *file);

/* The inputs with Chrome traces apart, which an output that is one copies instead of making it anew. */
struct inputs {
    char **chrome_paths; /* in order */
    size_t chrome_count;
    struct timeline *timeline; /* of the others; NULL: there are none, or no Chrome trace */
};

/* False after having complained. */
bool inputs_split(const struct profdump_options *options, struct inputs *inputs);
void inputs_fini(struct inputs *inputs);

/* --chrome where an input is a Chrome trace. `others` is the timeline of the inputs that are none, or
 * NULL. */
int cmd_chrome_merge(const struct profdump_options *options, const struct inputs *inputs);

/* Flushes the output and returns the command's exit status: 1 when not everything could be written
 * (said on stderr, except that a reader who closed the pipe needs no telling), EXIT_LOSS when asked
 * for and something was lost. */
int finish(const struct profdump_options *options, const struct timeline *timeline, bool written);

/* The same of what is about no recording. */
int finish_answer(const struct profdump_options *options, bool written);

/* The exit status of an export, after having complained where it was not written; except that a reader who
 * closed the pipe needs no telling. */
int finish_export(const struct profdump_options *options, const struct timeline *timeline,
                  bool written, const struct write_error *error);

#endif
