/* nvtx_ranges.h - what a program's slots for ranges and marks hold. They may be called from any
 * thread at any time, with any argument but a handle that is none of ours; they keep errno.
 *
 * Push and pop return the depth of the range in its domain, counted from 0, or NVTX_ERROR. Depths
 * are kept also while nothing is recorded, because programs may look at them.
 */
#ifndef PROF_NVTX_RANGES_H
#define PROF_NVTX_RANGES_H

#include "nvtx_abi.h"
#include "registry.h"

/* Begun while nothing was recorded: its end is not recorded either. */
#define NVTX_RANGE_UNRECORDED UINT64_MAX

int nvtx_range_push_a(const char *message);
int nvtx_range_push_w(const wchar_t *message);
int nvtx_range_push_ex(const struct nvtx_attributes *attributes);
int nvtx_range_pop(void);
int nvtx_domain_range_push_ex(const struct domain *domain,
                              const struct nvtx_attributes *attributes);
int nvtx_domain_range_pop(const struct domain *domain);

/* Any thread may end a range. Ids are never 0. */
uint64_t nvtx_range_start_a(const char *message);
uint64_t nvtx_range_start_w(const wchar_t *message);
uint64_t nvtx_range_start_ex(const struct nvtx_attributes *attributes);
uint64_t nvtx_domain_range_start_ex(const struct domain *domain,
                                    const struct nvtx_attributes *attributes);
void nvtx_range_end(uint64_t id);
void nvtx_domain_range_end(const struct domain *domain, uint64_t id);

void nvtx_mark_a(const char *message);
void nvtx_mark_w(const wchar_t *message);
void nvtx_mark_ex(const struct nvtx_attributes *attributes);
void nvtx_domain_mark_ex(const struct domain *domain, const struct nvtx_attributes *attributes);

#endif
