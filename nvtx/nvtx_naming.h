/* nvtx_naming.h - what a program's slots for domains, strings and names of things hold. None makes a
 * file or records an event; all keep errno; NULL names are ignored and counted.
 */
#ifndef PROF_NVTX_NAMING_H
#define PROF_NVTX_NAMING_H

#include "nvtx_abi.h"
#include "registry.h"

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

#endif
