/* symbols.h - call stacks as people read them. */
#ifndef PROF_SYMBOLS_H
#define PROF_SYMBOLS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct symbols_options {
    const char *perf_map; /* see perfmap_load(); NULL /tmp */
    bool debuginfod;      /* ask the servers of DEBUGINFOD_URLS, where libdw can */
};

/* A function on a stack. Texts live as long as the struct symbols. */
struct symbol_frame {
    const char *function; /* demangled; NULL unknown */
    const char *file;     /* source; NULL unknown */
    const char
        *module;     /* file name without directories, "[vdso]", "[jit]"; NULL: no file is known */
    uint64_t offset; /* the return address as the module counts; without a module as it was */
    uint32_t line;   /* 0 unknown */
    uint32_t module_index; /* into modules[], TL_NONE */
    bool inlined;          /* into the next frame */
    bool python;           /* a Python function: `line` is that of its def, `offset` its name */
};

struct symbol_stack {
    const struct symbol_frame *at; /* innermost first; valid until the next call */
    uint32_t count;
};

struct symbols;

/* NULL: no memory. */
struct symbols *symbols_create(const struct timeline *timeline,
                               const struct symbols_options *options);
void symbols_destroy(struct symbols *symbols);

/* The frames of a stack, inlined functions among them. Left out, unless there is nothing else:
 * those of CUPTI, CUDA and nvcc's launches between the program's line and libprof; those of libc
 * that start programs and threads. Count 0: no memory, or the stack is empty. */
struct symbol_stack symbols_stack(struct symbols *symbols, uint32_t stack);

/* The name of the CUDA call that a stack was taken at, as "cudaLaunchKernel"; size 0: none. */
struct text symbols_call(const struct symbols *symbols, uint32_t stack);

/* The program's file, if one of the stacks so far has functions of it and none has a source line;
 * NULL. */
const char *symbols_without_lines(const struct symbols *symbols);

/* Whether inlined functions and source lines are known. */
bool symbols_has_lines(void);

/* Sentences about files that could not be used, one each; NULL after the last. */
const char *symbols_note(const struct symbols *symbols, uint32_t index);

/* The function, or where it is when that is unknown: "?? (module+0x12)", which is written to
 * `place`. */
#define SYMBOL_PLACE_BYTES 320u
const char *symbols_name(const struct symbol_frame *frame, char place[SYMBOL_PLACE_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
