/* path_json.h - a path of ranges as a JSON array of names, from the outermost in. */
#ifndef PROF_PATH_JSON_H
#define PROF_PATH_JSON_H

#include "json_out.h"
#include "range_paths.h"

/* Empty for TL_NONE; very deep paths begin in the middle. */
void path_json(struct json_out *out, const struct range_paths *paths, uint32_t path);

#endif
