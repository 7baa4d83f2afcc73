/* bench_sim.h - settings for measurements on the simulated CUDA: launches and graph nodes take no
 * time, so that the benchmark does not wait for the simulated device.
 */
#ifndef PROF_BENCH_SIM_H
#define PROF_BENCH_SIM_H

#include "bench.h"

#include <unistd.h>

/* Runs the program anew with such a simulation, recording off until prof_start(): the simulation and libprof read their
 * variables before main. */
static inline void bench_sim_without_launch_time(char **argv)
{
    if (getenv("SIM_LAUNCH_NS"))
        return;
    setenv("SIM_LAUNCH_NS", "0", 1);
    setenv("SIM_KERNEL_NS", "1", 1);
    setenv("SIM_NODE_NS", "0", 1);
    setenv("PROF_START", "api", 1);
    execv("/proc/self/exe", argv);
}

#endif
