/* compat_devices.h - "deviceProperties" of a Chrome trace, for compat_trace.c. */
#ifndef PROF_COMPAT_DEVICES_H
#define PROF_COMPAT_DEVICES_H

#include "compat_trace.h"

/* The member's value as it comes. False: no memory. */
bool compat_devices_piece(struct compat_trace *trace, struct text piece, bool first);

/* Takes the value apart. False: it is no list of objects with an id and a name, or no memory. */
bool compat_devices_read(struct compat_trace *trace);

/* The items of such a list one after the other: behind the item, or NULL at the end. `item` and `id`
 * get what is written there. `p` is the list's first byte, or what was returned. */
const char *compat_devices_next(const char *p, const char *end, struct text *item, struct text *id,
                                struct text *name);

#endif
