/* chrome_memory.h - memory in a Chrome trace: a curve per heap, an instant per change, managed
 * memory on rows of its device. */
#ifndef PROF_CHROME_MEMORY_H
#define PROF_CHROME_MEMORY_H

#include "chrome.h"

/* The curves' state. False: no memory; fini is needed all the same. */
bool chrome_memory_init(struct chrome *chrome);
void chrome_memory_fini(struct chrome *chrome);

/* Callbacks of the exporter; `user` is a struct chrome. */
void chrome_memory_event(void *user, uint32_t index);
void chrome_memory_migration(void *user, uint32_t index);

#endif
