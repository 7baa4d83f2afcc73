/* inputs.h - the files of the command line: inputs become a timeline; outputs must not be an input
 * or a recording. */
#ifndef PROF_INPUTS_H
#define PROF_INPUTS_H

#include "commands.h"

#include <limits.h>

/* Loads and merges the inputs, cut down to the window unless a picture is written, which also shows
 * what was open in it. NULL after having complained. Free with timeline_destroy(). */
struct timeline *inputs_load(const struct profdump_options *options);

/* The path of the only input; of the newest trace if none is given. False after having
 * complained. */
bool inputs_find_one(const struct profdump_options *options, char path[PATH_MAX]);

/* The same in steps, to load several at once. create finds the inputs; NULL after having
 * complained. run loads them on any thread, silently; it returns the timeline, which the load owns,
 * or NULL. tell reports errors and warnings; false: there is no timeline. */
struct input_load;
struct input_load *input_load_create(const struct profdump_options *options);
const struct timeline *input_load_run(struct input_load *load);
bool input_load_tell(const struct input_load *load);
void input_load_destroy(struct input_load *load);

/* Calls `take` for each file that the inputs are, in order: a directory is its traces. False after
 * having complained, or once `take` has returned false. */
bool inputs_each(const struct profdump_options *options, bool (*take)(void *user, const char *path),
                 void *user);

/* Chrome traces, which --chrome copies, and the timeline of all other inputs. */
struct inputs {
    char **chrome_paths; /* in order */
    size_t chrome_count;
    struct timeline *timeline; /* NULL: there are no others, or no Chrome trace */
};

/* False after having complained. */
bool inputs_split(const struct profdump_options *options, struct inputs *inputs);
void inputs_fini(struct inputs *inputs);

/* Makes inputs that are pipes readable, before anything is read; "-" becomes /dev/stdin. False
 * after having complained. */
bool inputs_spool(struct profdump_options *options, const struct command *command);

/* ---- outputs ---- */

/* Whether `path` may be written; the message calls the output `what`. "-" is standard output.
 * Devices and pipes may always be written. False after having complained. */
bool output_agrees(const struct profdump_options *options, const char *what, const char *path);

/* The same for all outputs of the command line. */
bool outputs_agree(const struct profdump_options *options, const struct command *command);

#endif
