/* nvtx_calls.h - what a program's slots of NVTX hold. A section per source file.
 *
 * They may be called from any thread at any time, with any argument but a handle that is not ours;
 * they preserve errno.
 */
#ifndef PROF_NVTX_CALLS_H
#define PROF_NVTX_CALLS_H

#include "nvtx_abi.h"
#include "nvtx_abi_payload.h"
#include "registry.h"

/* ---- nvtx_ranges.c: ranges and marks ----
 *
 * Push and pop return the depth of the range in its domain, counted from 0, or NVTX_ERROR. Depths
 * are kept also while nothing is recorded, because programs may look at them.
 */

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

/* ---- nvtx_naming.c: domains, strings and names of things ----
 *
 * None makes a file or records an event; NULL names are ignored and counted.
 */

const struct domain *nvtx_domain_create_a(const char *name);
const struct domain *nvtx_domain_create_w(const wchar_t *name);
void nvtx_domain_destroy(const struct domain *domain);
void nvtx_initialize(const void *reserved);

const struct interned_text *nvtx_domain_string_a(const struct domain *domain, const char *text);
const struct interned_text *nvtx_domain_string_w(const struct domain *domain, const wchar_t *text);

void nvtx_category_a(uint32_t category, const char *name);
void nvtx_category_w(uint32_t category, const wchar_t *name);
void nvtx_domain_category_a(const struct domain *domain, uint32_t category, const char *name);
void nvtx_domain_category_w(const struct domain *domain, uint32_t category, const wchar_t *name);

void nvtx_thread_a(uint32_t tid, const char *name);
void nvtx_thread_w(uint32_t tid, const wchar_t *name);

const void *nvtx_resource_create(const struct domain *domain,
                                 const struct nvtx_resource_attributes *attributes);
void nvtx_resource_destroy(const void *resource);

void nvtx_cu_device_a(int device, const char *name);
void nvtx_cu_device_w(int device, const wchar_t *name);
void nvtx_cu_context_a(const void *context, const char *name);
void nvtx_cu_context_w(const void *context, const wchar_t *name);
void nvtx_cu_stream_a(const void *stream, const char *name);
void nvtx_cu_stream_w(const void *stream, const wchar_t *name);
void nvtx_cu_event_a(const void *event, const char *name);
void nvtx_cu_event_w(const void *event, const wchar_t *name);
void nvtx_cuda_device_a(int device, const char *name);
void nvtx_cuda_device_w(int device, const wchar_t *name);
void nvtx_cuda_stream_a(const void *stream, const char *name);
void nvtx_cuda_stream_w(const void *stream, const wchar_t *name);
void nvtx_cuda_event_a(const void *event, const char *name);
void nvtx_cuda_event_w(const void *event, const wchar_t *name);

/* Synchronisation objects of the program's own: accepted, nothing is recorded of them. */
const void *nvtx_sync_create(const struct domain *domain, const void *attributes);
void nvtx_sync_ignore(const void *object);

/* ---- nvtx_extension.c ----
 *
 * The payload extension, where all that is known of an event is in its blobs. */

/* Return the id to use in entries and blobs, 0 when the description cannot be used (counted). */
uint64_t nvtx_extension_schema(const struct domain *domain,
                               const struct nvtx_schema_attributes *attributes);
uint64_t nvtx_extension_enum(const struct domain *domain,
                             const struct nvtx_enum_attributes *attributes);

void nvtx_extension_mark(const struct domain *domain, const struct nvtx_blob *blobs, size_t count);
int nvtx_extension_push(const struct domain *domain, const struct nvtx_blob *blobs, size_t count);
int nvtx_extension_pop(const struct domain *domain, const struct nvtx_blob *blobs, size_t count);
uint64_t nvtx_extension_start(const struct domain *domain, const struct nvtx_blob *blobs,
                              size_t count);
void nvtx_extension_end(const struct domain *domain, uint64_t id, const struct nvtx_blob *blobs,
                        size_t count);

/* 1, also while nothing is recorded: programs ask once and recording may go on later. */
uint8_t nvtx_extension_is_enabled(const struct domain *domain);

#endif
