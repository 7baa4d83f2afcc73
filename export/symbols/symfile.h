/* symfile.h - one file of code: which functions are at an address of it.
 *
 * symfile.c finds the file. Two implementations read it, of which a build has one: symfile_dwarf.c (libdw: inlined functions, source
 * lines, separate debug files) and symfile_table.c (symbol tables alone).
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

/* ---- what each implementation has ---- */

/* Whether it tells inlined functions and source lines. */
bool symfile_has_lines(void);

/* NULL: the path cannot be read, or is not of this machine. */
struct symfile *symfile_open_path(const char *path);
void symfile_close(struct symfile *file);

/* Its size; 0: there is none. */
uint32_t symfile_build_id(const struct symfile *file, const uint8_t **build_id);

/* Tells the functions at an address as the file counts addresses, innermost first. False: none is
 * known. */
bool symfile_find(struct symfile *file, uint64_t address, symfile_found found, void *user);

#endif
