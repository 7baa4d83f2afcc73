/* locked_memory.h - mlockall() for a user whose limit is below the size of the address space. */
#ifndef PROF_LOCKED_MEMORY_H
#define PROF_LOCKED_MEMORY_H

/* Resolves the real mlockall(), which ours interposes. Called in the constructor. */
void locked_memory_resolve(void);

#endif
