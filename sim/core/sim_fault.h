/* sim_fault.h - faults on demand (SIM_FAIL) and the log of broken rules (SIM_VIOLATIONS). */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim_shared.h"

/* Asks whether this call of an exported function shall fail.
 *
 * name      as exported.
 * argument  its first argument as an integer (matched by "name(argument)=code").
 * code      out: what the call must return; written only when true is returned.
 * Threads   any.
 */
SIM_SHARED bool sim_fault_check(const char *name, uint64_t argument, int *code);

/* Notes a rule of CUDA or CUPTI the program broke: one line appended to SIM_VIOLATIONS, if set. */
SIM_SHARED void sim_fault_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
