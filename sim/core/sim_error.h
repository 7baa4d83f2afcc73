/* sim_error.h - names and descriptions of CUDA result codes. */
#ifndef SIM_ERROR_H
#define SIM_ERROR_H

#include "sim_shared.h"

/* The runtime's spelling (cudaErrorX), the driver's (CUDA_ERROR_X) and a sentence; NULL if
 * unknown. */
SIM_SHARED const char *sim_error_runtime_name(int result);
SIM_SHARED const char *sim_error_driver_name(int result);
SIM_SHARED const char *sim_error_text(int result);

#endif
