/* help.h - what profdump prints about itself, all of it from the declarations of commands and
 * options. */
#ifndef PROF_HELP_H
#define PROF_HELP_H

#include "commands.h"

/* Prints the help of a command; of the first one, that of the program. */
void help_print(const struct command *command);

/* Writes a manual page for each command into the directory, as profdump-COMMAND.1. False after
 * having complained. */
bool manual_write(const char *directory);

/* Prints commands and options for completions and tests, a line each, members separated by tabs:
 *
 *     command NAME old|shown SUMMARY
 *     option  COMMAND NAME ARGUMENT old|hidden|shown VALUES HELP
 *
 * NAME of an option has its dashes; missing members are "-". The command that needs no word is
 * "-". */
void help_list(void);

/* Finds what somebody meant: whether `meant` is more like what was typed than those before it, so
 * that the difference may be a typing error. `*least` is HELP_TOO_FAR before the first one. */
#define HELP_TOO_FAR 3u
bool help_is_nearer(const char *typed, const char *meant, unsigned *least);

/* What does here what other profilers call so, or NULL: a command line to try. */
const char *help_instead(const char *word);

/* True if the word could be a command and is not a file. */
bool help_looks_like_a_command(const char *word);

/* Complains of a word that is not a command: with the nearest one, or all. `family` NULL: of one
 * word. */
void help_complain_of_command(const char *family, const char *word);

#endif
