/* Between the API hooks and the records of device work. */
#ifndef SIM_DEVICE_WORK_H
#define SIM_DEVICE_WORK_H

#include <stdint.h>

/* Says what the client's clock (cuptiActivityRegisterTimestampCallback) shows now: device times are
 * moved by its distance from CLOCK_REALTIME. */
void sim_device_work_align(uint64_t client_ns);

/* A graph was instantiated: whether its launches will have records as a whole. */
void sim_activity_instantiated(uint32_t graph);

#endif
