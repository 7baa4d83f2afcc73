/* sim_layout.h - the differences between the CUPTI versions that can be simulated
 * (SIM_CUPTI_LAYOUT).
 */
#ifndef SIM_LAYOUT_H
#define SIM_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What cuptiGetVersion answers. */
uint32_t sim_layout_version(void);

/* Whether this CUPTI belongs to a later major version of CUDA than the driver. */
bool sim_layout_is_newer_than_driver(void);

/* Bytes of a record of that kind; 0: the version has no such kind. */
size_t sim_layout_size(uint32_t kind);

/* What cuptiActivityGetNextRecord says of an unknown kind. */
int sim_layout_unknown_kind(void);

/* The callback id under which the version knows a function whose id in 13.0 is cbid.
 *
 * Returns  0 when that version has no such function: nothing is delivered.
 */
uint32_t sim_layout_cbid(uint32_t domain, uint32_t cbid);

/* How many callback ids a domain has, plus one. */
uint32_t sim_layout_cbids(uint32_t domain);

#endif
