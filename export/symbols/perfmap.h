/* perfmap.h - the file in which a JIT compiler says what it made: "START SIZE NAME" per line, in
 * hexadecimal, as perf(1) reads it. */
#ifndef PROF_PERFMAP_H
#define PROF_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfmap_entry {
    uint64_t start, bytes;
    const char *name;
    size_t line; /* later lines replace earlier ones */
};

struct perfmap {
    char *text;
    struct perfmap_entry *entries; /* by start */
    size_t count;
    uint64_t longest; /* bytes of the longest entry */
};

/* Reads the map of a process: `where` is a file, a directory that holds perf-PID.map, or NULL for
 * /tmp. False: there is none; the map is then empty. */
bool perfmap_load(struct perfmap *map, const char *where, uint32_t pid);
void perfmap_free(struct perfmap *map);

/* NULL: nothing is known at the address. */
const char *perfmap_find(const struct perfmap *map, uint64_t address);

#endif
