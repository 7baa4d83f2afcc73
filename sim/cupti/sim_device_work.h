/* sim_device_work.h - interface between the API hooks and the records of device work. */
#ifndef SIM_DEVICE_WORK_H
#define SIM_DEVICE_WORK_H

#include <stdint.h>

/* A graph was instantiated: whether its launches will have records as a whole. */
void sim_activity_instantiated(uint32_t graph);

#endif
