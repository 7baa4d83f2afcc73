/* nvtx_attach.h - putting our functions into a program's slots. */
#ifndef PROF_NVTX_ATTACH_H
#define PROF_NVTX_ATTACH_H

#include "nvtx_abi.h"
#include "nvtx_abi_payload.h"

#include <stdbool.h>

/* Fills the slots that the tables give out, as far as they reach. False: there are no tables, or
 * none of a module that ranges need. Any thread, any number of times. */
bool nvtx_attach(nvtx_get_export_table get);

/* The same for an extension of NVTX. False: none that is known. */
bool nvtx_attach_extension(const struct nvtx_extension *extension);

#endif
