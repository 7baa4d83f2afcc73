/* sim_shared.h - macros that mark what each of the three libraries exports to the others, and what
 * it exports like CUDA.
 */
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#define SIM_SHARED __attribute__((visibility("default")))
#define SIM_EXPORT __attribute__((visibility("default")))
#define SIM_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
