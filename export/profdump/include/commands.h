/* commands.h - profdump's commands, each declared once: parsing, help, completions and manual pages
 * use these declarations. */
#ifndef PROF_COMMANDS_H
#define PROF_COMMANDS_H

#include "profdump.h"

struct option_entry;

/* The headings of `profdump --help`. */
enum command_question {
    QUESTION_NONE, /* not listed there */
    QUESTION_TIME,
    QUESTION_CHANGE,
    QUESTION_COMPLETE,
    QUESTION_OTHER,
    QUESTION_COUNT
};

/* Exactly one of run, run_inputs, run_words and run_python runs from the command line. */
struct command {
    const char *family;   /* the word in front of `word`, as in "pytorch diff"; NULL: none */
    const char *word;     /* "" of the command that runs when none is named */
    const char *summary;  /* one line that begins with a verb */
    const char *usage;    /* what follows the words, one line for each form */
    const char *about;    /* the sentences of its own help */
    const char *examples; /* lines, each a command */
    enum command_question question;
    const struct option_entry *const *options; /* tables, ended with NULL */
    /* On one timeline, loaded from all inputs. */
    timeline_command *run;
    /* Opens its inputs itself; the library calls `run`, if there is one, on an open timeline. */
    inputs_command *run_inputs;
    /* Parses the words after it. The command must be the first word. */
    int (*run_words)(const struct profdump_options *options);
    /* All words after it, but --help, go to the Python package. The command must be the first
     * word. */
    bool run_python;
    /* True if Python handles the command with these words, too; NULL: never. */
    bool (*python_reads)(char *const *words, int count);
    /* Checks the command's own options once all are parsed; NULL: none. False after having
     * complained. */
    bool (*agree)(struct profdump_options *options);
    bool partial;     /* reads damaged files as far as possible */
    bool tables;      /* obeys --format */
    bool exports;     /* obeys -o with every format */
    bool html;        /* obeys -o with a report, which it writes itself */
    bool compat;      /* implies --compat */
    bool whole_files; /* copies files: refuses a window */
    bool writes_last; /* the last input is the output */
};

/* What -o OUT writes. A command line may have several. */
struct export_format {
    const char *option;  /* its name */
    const char *example; /* of OUT */
    const char *endings; /* of OUT, separated by blanks */
    bool packed;         /* .gz and .zst may follow these */
    const char *help;    /* one line that begins with a verb */
    export_command *run;
    uint64_t most_id;  /* the largest pid and tid that it holds; 0: it holds all */
    const char *moved; /* where a file has those that got another number */
};

extern const struct command *const commands[]; /* ends with NULL; the first has an empty word */
extern const struct command command_show, command_stats, command_query;
extern const struct export_format export_formats[EXPORT_COUNT];

/* --follow: runs the command on each part of a recording that goes on, until the program ends.
 * Returns an exit status. */
int cmd_follow(const struct profdump_options *options, const struct command *command);

/* The command of that name, or NULL. `family` NULL: commands of one word. */
const struct command *commands_find(const char *family, const char *word);

/* True if commands have this first word. */
bool commands_is_family(const char *word);

/* The words of a command: "stats", "pytorch diff". */
#define COMMAND_NAME_BYTES 64u
const char *command_name(const struct command *command, char name[COMMAND_NAME_BYTES]);

/* Writes the JSON Schema of each command's JSON into the directory, as NAME.schema.json. False
 * after having complained. */
bool cmd_schema_write(const char *directory);

/* Sets every option to its default. */
void command_options_default(struct profdump_options *options);

/* Checks that the options fit together and fit the command. False after having complained. */
bool command_agrees(struct profdump_options *options, const struct command *command);

/* Finds the format of each -o by --to or by the ending of its name. False after having
 * complained. */
bool outputs_resolve(struct profdump_options *options);

/* Checks the options of outputs against the outputs. False after having complained. */
bool export_options_agree(const struct profdump_options *options);

#endif
