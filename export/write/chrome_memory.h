/* chrome_memory.h - memory in a Chrome trace: a curve per heap, an instant per change, managed
 * memory on rows of its device. */
#ifndef PROF_CHROME_MEMORY_H
#define PROF_CHROME_MEMORY_H

#include "chrome.h"

/* Callbacks of the exporter; `user` is a struct chrome. */
void chrome_memory_event(void *user, uint32_t index);
void chrome_memory_migration(void *user, uint32_t index);

#endif
