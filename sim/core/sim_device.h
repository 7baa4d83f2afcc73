/* sim_device.h - the simulated devices, all of one model. */
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include <stdint.h>

#include "sim_shared.h"

/* What every simulated device is: an sm_90 of round numbers. */
enum {
    SIM_CC_MAJOR = 9,
    SIM_CC_MINOR = 0,
    SIM_SM_COUNT = 132,
    SIM_WARP = 32,
    SIM_MAX_THREADS = 1024,
    SIM_THREADS_PER_SM = 2048,
    SIM_BLOCKS_PER_SM = 32,
    SIM_REGISTERS = 65536,
    SIM_SHARED_PER_BLOCK = 49152,
    SIM_SHARED_OPTIN = 232448,
    SIM_SHARED_PER_SM = 233472,
    SIM_CONST_BYTES = 65536,
    SIM_L2_BYTES = 50 << 20,
    SIM_CLOCK_KHZ = 1755000,
    SIM_MEMORY_CLOCK_KHZ = 2619000,
    SIM_BUS_BITS = 5120,
    SIM_COPY_ENGINES = 3,
    SIM_MAX_DEVICES = 64,
};

/* How many there are (SIM_DEVICES). */
SIM_SHARED int sim_device_count(void);

/* "Simulated GPU N (sm_90)"; a process-wide constant. */
SIM_SHARED const char *sim_device_name(int device);

SIM_SHARED uint64_t sim_device_memory(void);

/* 16 bytes that differ between devices. */
SIM_SHARED void sim_device_uuid(int device, unsigned char uuid[16]);

/* CUdevice_attribute (the runtime's cudaDeviceAttr numbers are the same).
 *
 * Returns  SIM_OK, SIM_INVALID_DEVICE, or SIM_INVALID_VALUE for an unknown number.
 */
SIM_SHARED int sim_device_attribute(int device, int attribute, int *value);

#endif
