/* loader.h - loads libcupti and libcuda at run time.
 *
 * libprof links neither: an unresolvable NEEDED would kill the program, and libcupti must be the
 * one that fits the program's CUDA. Both are opened RTLD_LOCAL and never closed (CUPTI up to
 * 12.4 leaves a thread behind even where it fails).
 */
#ifndef PROF_LOADER_H
#define PROF_LOADER_H

#include "abi.h"

#include <stdbool.h>

#define LOADER_PATH_BYTES 4096u

/* Functions under their own names: loader_cupti()->cuptiActivityFlushAll(0). OPTIONAL ones may be
 * NULL. */
struct cupti_library {
#define LOADER_MEMBER(need, name, arguments) int(*name) arguments;
    ABI_CUPTI_FUNCTIONS(LOADER_MEMBER)
    uint32_t version;             /* cuptiGetVersion(); 0 when it failed */
    int version_result;           /* what it returned: from 13.3 on it fails without a driver */
    char path[LOADER_PATH_BYTES]; /* the file that was taken */
};

struct driver_library {
    ABI_DRIVER_FUNCTIONS(LOADER_MEMBER)
#undef LOADER_MEMBER
    int version; /* 13000 = CUDA 13.0; 0 = no usable driver */
    char path[LOADER_PATH_BYTES];
};

/* Opens the libcuda that is in the process. False when there is none. Threads: one, before any
 * reader. */
bool loader_open_driver(void);

/* Finds and opens libcupti. `named` is PROF_CUPTI. On failure `why` says in one
 * sentence what is missing. Threads: one, before any reader. */
bool loader_open_cupti(const char *named, char *why, size_t why_bytes);

/* What was opened; NULL before and after a failure. */
const struct cupti_library *loader_cupti(void);
const struct driver_library *loader_driver(void);

/* Whether the libcuda of the process is the toolkit's stub, which is there to link with and knows
 * no device; `path` gets the file. */
bool loader_finds_stub(char path[LOADER_PATH_BYTES]);

/* Returns how many libcupti are mapped into the process. `paths` gets the first LOADER_CUPTI_MAX of
 * them; NULL: they are only counted. */
#define LOADER_CUPTI_MAX 2
unsigned loader_mapped_cupti(char (*paths)[LOADER_PATH_BYTES]);

/* ---- where a libcupti may be, in the order in which it is worth trying ----
 *
 *     1 the file the user named (PROF_CUPTI); nothing else then
 *     2 one that is in the process already (PyTorch loads one): two copies would be two tools
 *     3 beside the libcudart in use, in its toolkit's extras/CUPTI/lib64, in the wheel next to it
 *     4 wherever the dynamic loader looks
 *     5 /usr/local/cuda
 *
 * At each place the sonames from 13 down to 11.0; the 11.x sonames carry the minor version,
 * later ones only the major one. Majors above the driver's are left out: such a libcupti refuses
 * to work.
 */

struct loader_hints {
    const char *named;      /* PROF_CUPTI; NULL or "" = not given */
    const char *cudart_dir; /* directory of the mapped libcudart; NULL = none is mapped */
    int driver_major;       /* 0 = unknown */
    bool none_loaded;       /* the process has no libcupti: the loader is not asked for one */
};

/* Tries one candidate. `loaded` asks only for one that is already in the process. True ends the
 * search. */
typedef bool (*loader_try)(const char *path, bool loaded, void *user);

/* Offers the candidates in order until one is taken. Returns whether one was. */
bool loader_search(const struct loader_hints *hints, loader_try try_one, void *user);

/* Directory of the libcudart mapped into this process, into `dir` of LOADER_PATH_BYTES. */
bool loader_cudart_dir(char dir[LOADER_PATH_BYTES]);

/* Whether something in the process is linked with libcupti's functions of the v1 API alone, as
 * PyTorch is: another tool. */
bool loader_finds_tool(void);

/* For tests: a table of their own in the place of a library's, NULL to take it away. */
void loader_use_cupti(const struct cupti_library *functions);
void loader_use_driver(const struct driver_library *functions);

#endif
