/* kernel_names.h - ids of kernels' names, which CUPTI gives as pointers, again and again the
 * same ones.
 *
 * One table for the process: name by address, checked by content, since a module may be unloaded
 * and another name may come to lie at its address. Lock-free; at most 8 MiB of names are kept,
 * others are interned anew.
 */
#ifndef PROF_KERNEL_NAMES_H
#define PROF_KERNEL_NAMES_H

#include <stdint.h>

/* Id of a (mangled) name; 0 for NULL and for a name that could not be recorded. Threads: any;
 * wait-free. */
uint32_t kernel_names_id(const char *name);

#endif
