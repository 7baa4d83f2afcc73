/* commands.h - what profdump can be told to do: a word in front of the inputs, or an output to write. */
#ifndef PROF_COMMANDS_H
#define PROF_COMMANDS_H

#include "profdump.h"

/* A word in front of the inputs. One of the functions answers it. */
struct command {
    const char *word;  /* "" when there is none: the table */
    const char *usage; /* what comes after "profdump ", a line each; NULL: told elsewhere */
    const char *help;  /* lines without the last newline; NULL: told elsewhere */
    /* Of one timeline, made of all inputs. */
    timeline_command *run;
    /* Opens its inputs itself; where `run` is there, too, that is for a timeline that is open already. */
    inputs_command *run_inputs;
    /* Has options of its own, so none of profdump's: the words after it. It must come first. */
    int (*run_words)(int count, char **words);
    /* After all options: checks those that it alone can judge, as of the table where NULL. False after having
     * complained. */
    bool (*agree)(struct profdump_options *options);
    bool partial;     /* reads damaged files as far as possible */
    bool tables;      /* prints what --format is of */
    bool exports;     /* --chrome and its like are looked at, too */
    bool html;        /* it writes --html itself */
    bool whole_files; /* it copies files: --from and its like are not for it */
    bool writes_last; /* the last input is the output */
};

/* What --OPTION OUT writes. Several can be asked for at once. */
struct export_format {
    const char *option;
    const char *example; /* of OUT */
    const char *help;
    export_command *run;
};

extern const struct command *const commands[]; /* ends with NULL; the first has an empty word */
extern const struct command command_show, command_explain, command_stacks, command_folded,
    command_blocks, command_tax, command_analyze, command_breakdown, command_check, command_graphs,
    command_ledger, command_memory, command_diff, command_augment, command_combine, command_ctl;
extern const struct export_format export_formats[EXPORT_COUNT];

/* The command that the first input names, which is taken from the inputs then; else command_show. */
const struct command *commands_take(struct profdump_options *options);

/* Whether the first input looks like a word that should have been a command, and no such file is there: then
 * that is said, with all commands. */
bool commands_missed(const struct profdump_options *options);

/* The one whose words are its own; NULL: the word is none. */
const struct command *commands_with_words(const char *word);

/* Options that were never told anything. */
void command_options_default(struct profdump_options *options);

/* After all options: whether they go together, and with the command. False after having complained. */
bool command_agrees(struct profdump_options *options, const struct command *command);

#endif
