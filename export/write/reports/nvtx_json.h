/* nvtx_json.h - what NVTX brought, for programs. */
#ifndef PROF_NVTX_JSON_H
#define PROF_NVTX_JSON_H

#include "json_out.h"
#include "run_facts.h"

/* Member "nvtx" of an open object: counts, and lists of the domains and categories of all
 * processes. */
void nvtx_json(struct json_out *out, const struct timeline *timeline,
               const struct nvtx_counts *counts);

#endif
