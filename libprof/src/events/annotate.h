/* annotate.h - what the calls that write records of several words share. */
#ifndef PROF_ANNOTATE_H
#define PROF_ANNOTATE_H

#include <stdint.h>

/* Id of a name or key; 0 when there is nothing to record: NULL (counted), or recording is off. The
 * calling thread is attached then. */
uint32_t annotate_name(const char *name);

/* A counter's value; `name` is an id of a name or a label. */
void annotate_counter(uint32_t name, double value);

#endif
