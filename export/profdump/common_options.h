/* common_options.h - what is the default of options that every command knows. */
#ifndef PROF_COMMON_OPTIONS_H
#define PROF_COMMON_OPTIONS_H

#include <stdbool.h>

/* Whether standard output is a terminal that shows colors, and nobody asked for none. */
bool terminal_wants_color(void);

#endif
