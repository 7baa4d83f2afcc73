/* cleanup.h - what an export leaves behind when the user ends profdump: nothing. */
#ifndef PROF_CLEANUP_H
#define PROF_CLEANUP_H

/* From here on a signal that ends the program removes the temporary file of an export. */
void cleanup_on_signals(void);

#endif
