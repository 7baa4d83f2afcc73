/* sink_quiet.h - a sink whose every member can be called. */
#ifndef PROF_SINK_QUIET_H
#define PROF_SINK_QUIET_H

#include "read.h"

/* The sink with functions that do nothing in place of NULL: no test per event. */
struct read_sink sink_quiet(const struct read_sink *sink);

#endif
