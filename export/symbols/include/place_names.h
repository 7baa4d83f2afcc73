/* place_names.h - names of functions at addresses of files, without a timeline. */
#ifndef PROF_PLACE_NAMES_H
#define PROF_PLACE_NAMES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The files that were opened so far. Threads: one at a time. */
struct place_names;

/* NULL: no memory. */
struct place_names *place_names_create(void);
void place_names_destroy(struct place_names *names);

/* The function that contains the address, as the file counts addresses; mangled. NULL: unknown.
 * Valid until place_names_destroy(). */
const char *place_names_find(struct place_names *names, const char *path, uint64_t address);

#ifdef __cplusplus
}
#endif
#endif
