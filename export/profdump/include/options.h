/* options.h - profdump's options as tables: how each is read, and what --help says of it. */
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
    OPTION_CALL,   /* `set`, which returns false after having complained */
};

struct option_entry {
    const char *name;
    const char *argument; /* NULL: it takes none */
    enum option_kind kind;
    size_t member; /* offset */
    unsigned value;
    bool (*set)(struct profdump_options *options, const char *text);
    const char *help; /* lines, the last without its newline; NULL: shares that of the next */
};

/* Rows of a table. `where` is a member of struct profdump_options. */
#define FLAG(name, where, help)                                                          \
    {                                                                                    \
        name, NULL, OPTION_FLAG, offsetof(struct profdump_options, where), 0, NULL, help \
    }
#define TEXT(name, argument, where, help)                                                    \
    {                                                                                        \
        name, argument, OPTION_TEXT, offsetof(struct profdump_options, where), 0, NULL, help \
    }
#define CHOICE(name, where, value, help)                                                       \
    {                                                                                          \
        name, NULL, OPTION_CHOICE, offsetof(struct profdump_options, where), value, NULL, help \
    }
#define CALL(name, argument, set, help)              \
    {                                                \
        name, argument, OPTION_CALL, 0, 0, set, help \
    }

/* Each ends with a NULL name. */
extern const struct option_entry table_options[]; /* which table is shown, and how */
extern const struct option_entry analyze_options[];
extern const struct option_entry blocks_options[]; /* of blocks, tax and memory --compat */
extern const struct option_entry breakdown_options[];
extern const struct option_entry diff_options_table[];
extern const struct option_entry explain_options[];
extern const struct option_entry query_options[];
extern const struct option_entry stacks_options[]; /* of stacks and folded */
extern const struct option_entry svg_options[];
extern const struct option_entry arrow_options[];
extern const struct option_entry window_options[];

/* Parses options up to --help or --version; the other words become the inputs. False after having complained. */
bool options_read(struct profdump_options *options, int argc, char **argv);

/* Parses one word, "--NAME" or "--NAME=VALUE", without getopt, which is not thread-safe. Borrows the value. False
 * after having complained. */
bool options_take(struct profdump_options *options, const char *word);

/* The same for an option that takes a value. */
bool options_put(struct profdump_options *options, const char *name, const char *value);

/* Prints the help. */
void options_help(void);

/* Extracts the next word of a comma-separated list; false at its end. Longer words are cut, so that they match no
 * known one. */
#define OPTIONS_WORD_BYTES 64u
bool options_next_word(const char **list, char word[OPTIONS_WORD_BYTES]);

/* Parses decimal digits alone; false unless `least` to `most`. */
bool options_number(const char *text, unsigned long least, unsigned long most,
                    unsigned long *number);

/* After all options: makes --json and --format json the same, and checks that the command has tables. False after
 * having complained. */
bool format_options_agree(struct profdump_options *options, const struct command *command);

/* After all options: chooses the time scale of blocks where none was given. Cycles cannot be shown as time. False after
 * having complained. */
bool blocks_options_agree(struct profdump_options *options);

/* True if standard output is a terminal with colors, and NO_COLOR is not set. */
bool terminal_wants_color(void);

#endif
