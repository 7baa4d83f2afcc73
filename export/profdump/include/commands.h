/* commands.h - profdump's commands (a word in front of the inputs) and export formats (--FORMAT OUT). */
#ifndef PROF_COMMANDS_H
#define PROF_COMMANDS_H

#include "profdump.h"

/* Exactly one of run, run_inputs and run_words runs from the command line. */
struct command {
    const char *word;  /* "" when there is none: the table */
    const char *usage; /* what follows "profdump ", one line each; NULL: not in --help */
    const char *help;  /* lines, the last without its newline; NULL: not in --help */
    /* On one timeline, loaded from all inputs. */
    timeline_command *run;
    /* Opens its inputs itself; the library calls `run`, if there is one, on an open timeline. */
    inputs_command *run_inputs;
    /* Parses the words after it, none of profdump's options. The command must be the first word. */
    int (*run_words)(int count, char **words);
    /* Checks the command's own options once all are read; NULL: those of the table. False after having complained. */
    bool (*agree)(struct profdump_options *options);
    bool partial;     /* reads damaged files as far as possible */
    bool tables;      /* obeys --format */
    bool exports;     /* obeys --chrome and the other export formats */
    bool html;        /* writes --html itself */
    bool whole_files; /* copies files: refuses --from and its like */
    bool writes_last; /* the last input is the output */
};

/* What --OPTION OUT writes. A command line may have several. */
struct export_format {
    const char *option;
    const char *example; /* of OUT */
    const char *help;
    export_command *run;
};

extern const struct command *const commands[]; /* ends with NULL; the first has an empty word */
extern const struct command command_show, command_explain, command_stacks, command_folded,
    command_blocks, command_tax, command_analyze, command_breakdown, command_check, command_graphs,
    command_ledger, command_memory, command_query, command_diff, command_augment, command_combine,
    command_ctl;
extern const struct export_format export_formats[EXPORT_COUNT];

/* The command that the first input names, removed from the inputs; else command_show. */
const struct command *commands_take(struct profdump_options *options);

/* True if the first input looks like a mistyped command and is no file, after having complained with a list of commands. */
bool commands_missed(const struct profdump_options *options);

/* The command with run_words of that name, or NULL. */
const struct command *commands_with_words(const char *word);

/* Sets every option to its default. */
void command_options_default(struct profdump_options *options);

/* Checks that the options fit together and fit the command. False after having complained. */
bool command_agrees(struct profdump_options *options, const struct command *command);

#endif
