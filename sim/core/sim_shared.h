/* Marks: what one of the three libraries lends to the other two, and what it exports as CUDA
 * does. */
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#define SIM_SHARED __attribute__((visibility("default")))
#define SIM_EXPORT __attribute__((visibility("default")))
#define SIM_UNUSED __attribute__((unused))
#define SIM_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
