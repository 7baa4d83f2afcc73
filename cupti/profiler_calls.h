/* profiler_calls.h - PROF_START=cuda: the program switches recording by cudaProfilerStart() and
 * cudaProfilerStop(), or the driver's functions of that kind. */
#ifndef PROF_PROFILER_CALLS_H
#define PROF_PROFILER_CALLS_H

#include <stdint.h>

/* Enables their callbacks. */
void profiler_calls_enable(void *subscriber);

/* A callback; of any other call: nothing. Recording begins when the start returns and ends when the
 * stop is called. */
void profiler_calls_receive(uint32_t domain, uint32_t cbid, uint32_t site);

#endif
