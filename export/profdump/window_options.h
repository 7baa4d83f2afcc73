/* window_options.h - --window: which time of a recording a command is about. */
#ifndef PROF_WINDOW_OPTIONS_H
#define PROF_WINDOW_OPTIONS_H

#include "commands.h"

#include "read.h"

/* Parses a length of time, "1.5ms" or "3s"; a bare "0" needs no unit. False: it is not one. */
bool window_options_duration(const char *text, int64_t *ns);

/* True if a window was given. */
bool window_options_given(const struct profdump_options *options);

/* Checks the options as far as possible without a recording. False after having complained. */
bool window_options_agree(const struct profdump_options *options, const struct command *command);

/* Finds the window in the timeline, from_ns < to_ns. False: `error` says why there is none. */
bool window_options_find(const struct profdump_options *options, const struct timeline *timeline,
                         int64_t *from_ns, int64_t *to_ns, struct read_error *error);

/* Cuts the timeline down to the window, if one was given. False: `error` says why not. */
bool window_options_apply(const struct profdump_options *options, struct timeline *timeline,
                          struct read_error *error);

#endif
