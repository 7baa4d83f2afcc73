/* trace_attrs.h - attributes that come several in a record, as the walk meets them; private to this folder. */
#ifndef PROF_TRACE_ATTRS_H
#define PROF_TRACE_ATTRS_H

#include "trace_walk.h"

/* In META: PROF_REC_ATTR_SET. */
void walk_attr_set_collect(struct walk *walk, const struct record *record);

/* In a LOG: PROF_REC_ATTRS, told attribute by attribute. */
void walk_attrs(struct walk *walk, uint32_t thread, const struct record *record);

#endif
