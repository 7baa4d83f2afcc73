/* etrecord.h - what an ETRecord says of instructions: which operators of the model each one is.
 *
 * An ETRecord is a ZIP file whose members debug_handle_map and delegate_map are JSON:
 *
 *     debug_handle_map   {"0": [1, 2], "1": 3}
 *     delegate_map       {"4": {"name": "SomeBackend", "delegate_map": {"0": [5, 6], "conv": [7]}}}
 *
 * either of which may have a level more outside, the method's name. A directory with these files
 * (with or without .json), and a JSON file with both as members, are read too.
 */
#ifndef PROF_ETRECORD_H
#define PROF_ETRECORD_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ETRECORD_KEYS_MAX 8u

/* Each handle, with the keys that lead to it, the map's own name first; or a text, with `handle`
 * unused. False: stop, there is no memory. */
struct etrecord_sink {
    void *user;
    bool (*handle)(void *user, const struct text *keys, uint32_t count, int64_t handle);
    bool (*word)(void *user, const struct text *keys, uint32_t count, struct text word);
};

/* False: not readable, `error` says why. */
bool etrecord_read(const char *path, const struct etrecord_sink *sink, struct read_error *error);

#ifdef __cplusplus
}
#endif
#endif
