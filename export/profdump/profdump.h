/* profdump.h - what the sub-commands of profdump share. */
#ifndef PROF_PROFDUMP_H
#define PROF_PROFDUMP_H

#include "write.h"
#include "write_blocks.h"

#define EXIT_USAGE 2
#define EXIT_LOSS 3

enum export_kind {
    EXPORT_CHROME,
    EXPORT_PERFETTO,
    EXPORT_PPROF,
    EXPORT_PROMETHEUS,
    EXPORT_SPEEDSCOPE,
    EXPORT_ETPROF,
    EXPORT_COUNT
};

struct profdump_options {
    struct write_options write;
    const char *export_paths[EXPORT_COUNT]; /* --chrome and its like; NULL not given */
    bool json;
    struct write_blocks_options blocks;
    bool target_given;        /* --target-time-scale */
    bool compat;              /* --compat */
    const char *etrecord;     /* --etrecord, NULL not given */
    const char *compare;      /* --compare, NULL not given */
    const char *debug_buffer; /* --debug-buffer, NULL not given */
    bool tree;                /* --tree */
    uint32_t stack_frames;    /* --group-by stack:N */
    enum write_metric metric; /* --metric */
    bool folded;              /* --folded */
    bool debuginfod;          /* --debuginfod */
    const char *perf_map;     /* --perf-map, NULL not given */
    bool partial;
    bool fail_on_loss;
    bool help, version;
    char **inputs; /* as given: files and directories */
    int input_count;
};

/* Sub-commands: each answers one question about a timeline and returns an exit status. */
int cmd_show(const struct profdump_options *options,
             const struct timeline *timeline); /* the default */
/* Runs `write` with the functions of call stacks where rows are told apart by them. */
int cmd_with_stacks(const struct profdump_options *options, const struct timeline *timeline,
                    bool (*write)(const struct profdump_options *, const struct write_options *,
                                  const struct timeline *));
int cmd_folded(const struct profdump_options *options,
               const struct timeline *timeline);                                       /* folded */
int cmd_json(const struct profdump_options *options, const struct timeline *timeline); /* --json */
/* --chrome and its like: written to `path`. */
int cmd_chrome(const struct profdump_options *options, const struct timeline *timeline,
               const char *path);
int cmd_etprof(const struct profdump_options *options, const struct timeline *timeline,
               const char *path);
int cmd_perfetto(const struct profdump_options *options, const struct timeline *timeline,
                 const char *path);
int cmd_prometheus(const struct profdump_options *options, const struct timeline *timeline,
                   const char *path);
int cmd_speedscope(const struct profdump_options *options, const struct timeline *timeline,
                   const char *path);
int cmd_pprof(const struct profdump_options *options, const struct timeline *timeline,
              const char *path);
int cmd_stacks(const struct profdump_options *options,
               const struct timeline *timeline);                                        /* stacks */
int cmd_check(const struct profdump_options *options, const struct timeline *timeline); /* check */

int cmd_graphs(const struct profdump_options *options,
               const struct timeline *timeline); /* graphs */
int cmd_ledger(const struct profdump_options *options,
               const struct timeline *timeline); /* ledger */
int cmd_memory(const struct profdump_options *options,
               const struct timeline *timeline); /* memory */
int cmd_blocks(const struct profdump_options *options,
               const struct timeline *timeline);                                      /* blocks */
int cmd_tax(const struct profdump_options *options, const struct timeline *timeline); /* tax */
/* memory --compat */
int cmd_blocks_memory(const struct profdump_options *options, const struct timeline *timeline);
/* The words after "ctl". */
int cmd_ctl(int count, char **words);

/* "profdump: " and the message on stderr, with no byte in it that could drive a terminal. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Loads the inputs, merged. NULL after having complained. Free with timeline_destroy(). */
struct timeline *inputs_load(const struct profdump_options *options);

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

/* From here on a signal that ends the program removes the temporary file of an export. */
void cleanup_on_signals(void);

/* Flushes stdout and returns the command's exit status: 1 when not everything could be written
 * (said on stderr, except that a reader who closed the pipe needs no telling), EXIT_LOSS when asked
 * for and something was lost. */
int finish(const struct profdump_options *options, const struct timeline *timeline, bool written);

#endif
