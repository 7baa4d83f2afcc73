/* sim_driver.h - declarations shared by the files of the driver API. */
#ifndef SIM_DRIVER_H
#define SIM_DRIVER_H

#include <stdint.h>

#include "sim_call.h"
#include "sim_context.h"
#include "sim_facts.h"
#include "sim_handle.h"
#include "sim_shared.h"
#include "sim_stream.h"

/* CUdeviceptr, and the pointer it stands for. */
typedef unsigned long long sim_address;

static inline void *sim_pointer(sim_address address)
{
    return (void *)(uintptr_t)address;
}

static inline sim_address sim_address_of(const void *pointer)
{
    return (sim_address)(uintptr_t)pointer;
}

/* Returns from the calling function with result unless condition holds. */
#define SIM_CHECK(condition, result) \
    do {                             \
        if (!(condition))            \
            return result;           \
    } while (0)

/* Returns from the calling function unless expression is SIM_OK. */
#define SIM_TRY(expression)                 \
    do {                                    \
        const int sim_tried = (expression); \
        if (sim_tried != SIM_OK)            \
            return sim_tried;               \
    } while (0)

#endif
