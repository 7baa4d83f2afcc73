/* search.h - where a libcupti may be, in the order in which it is worth trying.
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
#ifndef PROF_SEARCH_H
#define PROF_SEARCH_H

#include <stdbool.h>

#define SEARCH_PATH_BYTES 4096u

struct search_hints {
    const char *named;      /* PROF_CUPTI; NULL or "" = not given */
    const char *cudart_dir; /* directory of the mapped libcudart; NULL = none is mapped */
    int driver_major;       /* 0 = unknown */
    bool none_loaded;       /* the process has no libcupti: the loader is not asked for one */
};

/* Tries one candidate. `loaded` asks only for one that is already in the process. True ends the
 * search. */
typedef bool (*search_try)(const char *path, bool loaded, void *user);

/* Offers the candidates in order until one is taken. Returns whether one was. */
bool search_cupti(const struct search_hints *hints, search_try try_one, void *user);

/* Directory of the libcudart mapped into this process, into `dir` of SEARCH_PATH_BYTES. */
bool search_cudart_dir(char dir[SEARCH_PATH_BYTES]);

#endif
