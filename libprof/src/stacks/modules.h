/* modules.h - which file an address of code belongs to, also after the file was closed.
 *
 * The executable mappings of the loaded libraries are remembered as they come and go; one goes into
 * the file when a call stack first points into it. The loader counts what it opens and closes, so
 * looking again costs next to nothing while nothing changed.
 *
 * Looking asks the loader, which takes a lock of its own for a moment: done when a stack is new,
 * and by the writer thread, never for a stack that is known.
 */
#ifndef PROF_MODULES_H
#define PROF_MODULES_H

#include <stdbool.h>
#include <stdint.h>

/* Reserves the table, once. False when the system refuses. */
bool modules_init(void);

/* Looks whether libraries came or went. `gone` is told of each mapping that is not there any more.
 * False: another thread is at it, or a signal handler interrupted it. */
bool modules_scan(void (*gone)(uint64_t start, uint64_t end));

/* Changes whenever a look found that libraries came or went; 0 before the first. */
uint32_t modules_generation(void);

/* States the module of an address unless that was done. False: it is in none that is known. */
bool modules_emit(uint64_t address);

/* Around fork(): no look is in progress when this returns, nor begins until modules_resume(), so
 * that the child inherits no lock of the loader's. Waits a tenth of a second at most. */
void modules_suspend(void);
void modules_resume(bool child);

/* A new file: nothing is stated in it. */
void modules_forget_emitted(void);

#endif
