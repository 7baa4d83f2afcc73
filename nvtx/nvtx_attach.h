/* nvtx_attach.h - installs libprof's functions in a program's NVTX slots. */
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
