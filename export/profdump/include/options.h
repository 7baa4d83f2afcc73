/* options.h - profdump's options as tables: how each is parsed, and what the help prints. */
#ifndef PROF_OPTIONS_H
#define PROF_OPTIONS_H

#include "commands.h"
#include "profdump.h"

#include <stdbool.h>
#include <stddef.h>

/* An option sets a member of struct profdump_options, or has a function. */
enum option_kind {
    OPTION_FLAG,   /* a bool */
    OPTION_TEXT,   /* a const char *, not empty */
    OPTION_CHOICE, /* an unsigned, to `value` */
    OPTION_BITS,   /* a uint64_t: a bit for each value of a list, by its place */
    OPTION_CALL,   /* `set`, which returns false after having complained; with values, it does not
                      complain: the caller lists them */
};

struct option_entry {
    const char *name;
    const char *argument; /* NULL: it takes none */
    enum option_kind kind;
    size_t member; /* offset */
    unsigned value;
    bool (*set)(struct profdump_options *options, const char *text);
    const char *help;   /* one line that begins with a verb; NULL: not in the help */
    const char *values; /* what the argument may be, separated by blanks; NULL: anything */
    /* The same where another table has them, which the help does not print: NULL after the last. */
    const char *(*value_at)(unsigned number);
    /* "--name" of another option, whose values are mistaken for those of this one; NULL: none. */
    const char *mistaken;
};

/* Members of a row; {FLAG(...), .values = "..."} adds others. */
#define FLAG(name_, where, help_)                                                             \
    .name = (name_), .kind = OPTION_FLAG, .member = offsetof(struct profdump_options, where), \
    .help = (help_)
#define TEXT(name_, argument_, where, help_)                       \
    .name = (name_), .argument = (argument_), .kind = OPTION_TEXT, \
    .member = offsetof(struct profdump_options, where), .help = (help_)
#define CHOICE(name_, where, value_, help_)                                                     \
    .name = (name_), .kind = OPTION_CHOICE, .member = offsetof(struct profdump_options, where), \
    .value = (value_), .help = (help_)
#define BITS(name_, argument_, where, help_)                       \
    .name = (name_), .argument = (argument_), .kind = OPTION_BITS, \
    .member = offsetof(struct profdump_options, where), .help = (help_)
#define CALL(name_, argument_, set_, help_) \
    .name = (name_), .argument = (argument_), .kind = OPTION_CALL, .set = (set_), .help = (help_)

#define TIME_SCALE_NAMES "ns us ms s cycles"

/* Tables that several commands have. Each ends with a NULL name. */
extern const struct option_entry table_options[]; /* of stats */
extern const struct option_entry rows_options[], unit_options[], width_options[];
extern const struct option_entry fit_options[]; /* of width_options, that of the table */
extern const struct option_entry symbol_options[];
/* report_options: -o of a command that writes a report itself. */
extern const struct option_entry report_options[], output_options[], folded_options[],
    export_options[];
extern const struct option_entry window_options[];
extern const struct option_entry input_options[];
extern const struct option_entry format_options[];
extern const struct option_entry report_format_options[]; /* of commands without tables */
extern const struct option_entry follow_options[], interval_options[];
extern const struct option_entry help_options[];

/* Finds the command and parses its options; the other words become the inputs. Stops at --help and
 * --version. False after having complained; `*command` is NULL if there is no such command. */
bool options_parse(struct profdump_options *options, int argc, char **argv,
                   const struct command **command);

/* Parses one word, "--NAME" or "--NAME=VALUE", as an option of that command; NULL: of any that
 * prints a report. Borrows the value. False after having complained. */
bool options_parse_word(struct profdump_options *options, const struct command *command,
                        const char *word);

/* The same for an option that takes a value. */
bool options_put(struct profdump_options *options, const struct command *command, const char *name,
                 const char *value);

/* The value of an option at that place, in `word` or a constant; NULL: there are fewer, or its
 * values are not declared. */
#define OPTIONS_WORD_BYTES 64u
const char *options_value(const struct option_entry *entry, unsigned number,
                          char word[OPTIONS_WORD_BYTES]);

/* Extracts the next word of a comma-separated list; false at its end. Longer words are cut, so that
 * they match no known one. */
bool options_next_word(const char **list, char word[OPTIONS_WORD_BYTES]);

/* Parses decimal digits alone; false unless `least` to `most`. */
bool options_number(const char *text, unsigned long least, unsigned long most,
                    unsigned long *number);

/* Reads a decimal number, without a sign or an exponent; `*rest` is what follows it. */
bool options_decimal(const char *text, double *number, const char **rest);

/* After all options: finds the column of --sort in the table of stats. False after having
 * complained. */
bool table_sort_agrees(struct profdump_options *options);

/* After all options: makes --json and --format json the same, and checks that the command has
 * tables. False after having complained. */
bool format_options_agree(struct profdump_options *options, const struct command *command);

/* After all options: chooses the time scale of blocks where none was given. Cycles cannot be shown
 * as time. False after having complained. */
bool blocks_options_agree(struct profdump_options *options);

/* True if standard output is a terminal with colors, and NO_COLOR is not set. */
bool terminal_wants_color(void);

#endif
