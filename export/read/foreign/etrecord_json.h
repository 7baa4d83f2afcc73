/* etrecord_json.h - a part of etrecord.c: the numbers and texts of a JSON document, by their keys. */
#ifndef PROF_ETRECORD_JSON_H
#define PROF_ETRECORD_JSON_H

#include "etrecord.h"

/* `first` is the outermost key; bytes NULL: none. Elements of arrays have the array's keys. False:
 * no JSON, nested too deep, or the sink said so; `error` tells, with `path`. */
bool etrecord_json(struct text json, struct text first, const char *path,
                   const struct etrecord_sink *sink, struct read_error *error);

#endif
