/* inputs.h - the files of the command line: inputs become a timeline; outputs must not be an input or a recording. */
#ifndef PROF_INPUTS_H
#define PROF_INPUTS_H

#include "commands.h"

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

/* The inputs with Chrome traces apart, which an output that is one copies instead of making it anew. */
struct inputs {
    char **chrome_paths; /* in order */
    size_t chrome_count;
    struct timeline *timeline; /* of the others; NULL: there are none, or no Chrome trace */
};

/* False after having complained. */
bool inputs_split(const struct profdump_options *options, struct inputs *inputs);
void inputs_fini(struct inputs *inputs);

/* ---- outputs ---- */

/* Whether `path` may be written; the message calls the output `what`. "-" is standard output. Devices and pipes may
 * always be written. False after having complained. */
bool output_agrees(const struct profdump_options *options, const char *what, const char *path);

/* The same for all outputs of the command line. */
bool outputs_agree(const struct profdump_options *options, const struct command *command);

#endif
