/* symfile.h - files that name functions: files of code, and what JIT compilers write about theirs.
 *
 * With libdw, code files yield inlined functions, source lines and separate debug files; without
 * it, only their symbol tables are read.
 */
#ifndef PROF_SYMFILE_H
#define PROF_SYMFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symfile_request {
    const char *path;
    const uint8_t *build_id; /* the file must have this one */
    uint32_t build_id_bytes; /* 0: unknown, any file will do */
};

/* A function at an address. Texts live until symfile_close(). */
struct symfile_frame {
    const char *function; /* as the compiler named it; NULL unknown */
    const char *file;     /* NULL unknown */
    uint32_t line;        /* 0 unknown */
    bool inlined;         /* into the next frame */
};

typedef void (*symfile_found)(void *user, const struct symfile_frame *frame);

struct symfile;

/* NULL: the file is not there or is another build (`problem` says which), and no debug file of that
 * build is installed. */
struct symfile *symfile_open(const struct symfile_request *request, const char **problem);

/* Whether it has inlined functions and source lines. */
bool symfile_has_lines(void);

void symfile_close(struct symfile *file);

/* Its size; 0: there is none. */
uint32_t symfile_build_id(const struct symfile *file, const uint8_t **build_id);

/* Reports the functions at an address of the file, innermost first. False: none is known. */
bool symfile_find(struct symfile *file, uint64_t address, symfile_found found, void *user);

/* ---- the map that a JIT compiler writes of its code ----
 *
 * "START SIZE NAME" per line, in hexadecimal, as perf(1) reads it.
 */

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
