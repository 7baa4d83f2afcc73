#include "nvtx_calls.h"

#include "nvtx_record.h"
#include "recorder.h"

#include <string.h>

static struct nvtx_record_text nvtx_naming_ascii(const char *name)
{
    return nvtx_record_message(NVTX_MESSAGE_ASCII, (union nvtx_message){.ascii = name}, NULL);
}

static struct nvtx_record_text nvtx_naming_wide(const wchar_t *name, char *wide)
{
    return nvtx_record_message(NVTX_MESSAGE_UNICODE, (union nvtx_message){.unicode = name}, wide);
}

static bool nvtx_naming_has_text(struct nvtx_record_text name)
{
    if (!name.text)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    return name.text != NULL;
}

/* ---- domains and strings ---- */

static const struct domain *nvtx_naming_domain(struct nvtx_record_text name)
{
    return nvtx_naming_has_text(name) ? registry_domain(name.text, name.bytes) : NULL;
}

const struct domain *nvtx_domain_create_a(const char *name)
{
    return nvtx_naming_domain(nvtx_naming_ascii(name));
}

const struct domain *nvtx_domain_create_w(const wchar_t *name)
{
    char wide[NVTX_WIDE_BYTES];
    return nvtx_naming_domain(nvtx_naming_wide(name, wide));
}

/* Ranges of the domain may still be open, and another part of the program may have created it
 * too. */
void nvtx_domain_destroy(const struct domain *domain)
{
    (void)domain;
}

void nvtx_initialize(const void *reserved)
{
    (void)reserved;
}

static const struct interned_text *nvtx_naming_string(const struct domain *domain,
                                                      struct nvtx_record_text text)
{
    return nvtx_naming_has_text(text) ? texts_intern(registry_number(domain), text.text, text.bytes)
                                      : NULL;
}

const struct interned_text *nvtx_domain_string_a(const struct domain *domain, const char *text)
{
    return nvtx_naming_string(domain, nvtx_naming_ascii(text));
}

const struct interned_text *nvtx_domain_string_w(const struct domain *domain, const wchar_t *text)
{
    char wide[NVTX_WIDE_BYTES];
    return nvtx_naming_string(domain, nvtx_naming_wide(text, wide));
}

/* ---- categories and threads ---- */

static void nvtx_naming_category(const struct domain *domain, uint32_t category,
                                 struct nvtx_record_text name)
{
    if (nvtx_naming_has_text(name))
        registry_category(registry_number(domain), category, name.text, name.bytes);
}

void nvtx_domain_category_a(const struct domain *domain, uint32_t category, const char *name)
{
    nvtx_naming_category(domain, category, nvtx_naming_ascii(name));
}

void nvtx_domain_category_w(const struct domain *domain, uint32_t category, const wchar_t *name)
{
    char wide[NVTX_WIDE_BYTES];
    nvtx_naming_category(domain, category, nvtx_naming_wide(name, wide));
}

void nvtx_category_a(uint32_t category, const char *name)
{
    nvtx_domain_category_a(NULL, category, name);
}

void nvtx_category_w(uint32_t category, const wchar_t *name)
{
    nvtx_domain_category_w(NULL, category, name);
}

static void nvtx_naming_thread(uint32_t tid, struct nvtx_record_text name)
{
    if (nvtx_naming_has_text(name))
        registry_thread(tid, name.text, name.bytes);
}

void nvtx_thread_a(uint32_t tid, const char *name)
{
    nvtx_naming_thread(tid, nvtx_naming_ascii(name));
}

void nvtx_thread_w(uint32_t tid, const wchar_t *name)
{
    char wide[NVTX_WIDE_BYTES];
    nvtx_naming_thread(tid, nvtx_naming_wide(name, wide));
}

/* ---- resources ---- */

static enum prof_resource_type nvtx_naming_type(uint32_t raw_type)
{
    switch (raw_type) {
    case NVTX_RESOURCE_CUDA_DEVICE:
    case NVTX_RESOURCE_CUDART_DEVICE:
        return PROF_RESOURCE_DEVICE;
    case NVTX_RESOURCE_CUDA_CONTEXT:
        return PROF_RESOURCE_CONTEXT;
    case NVTX_RESOURCE_CUDA_STREAM:
    case NVTX_RESOURCE_CUDART_STREAM:
        return PROF_RESOURCE_STREAM;
    case NVTX_RESOURCE_CUDA_EVENT:
    case NVTX_RESOURCE_CUDART_EVENT:
        return PROF_RESOURCE_EVENT;
    default:
        return PROF_RESOURCE_OTHER;
    }
}

static const void *nvtx_naming_resource(const struct domain *domain, uint32_t raw_type,
                                        uint64_t handle, struct nvtx_record_text name)
{
    if (!nvtx_naming_has_text(name))
        return NULL;
    if (raw_type == NVTX_RESOURCE_THREAD_NATIVE)
        registry_thread((uint32_t)handle, name.text, name.bytes);
    return registry_resource(registry_number(domain), nvtx_naming_type(raw_type), raw_type, handle,
                             name.text, name.bytes);
}

const void *nvtx_resource_create(const struct domain *domain,
                                 const struct nvtx_resource_attributes *attributes)
{
    char wide[NVTX_WIDE_BYTES];
    if (!attributes || attributes->size < sizeof *attributes) {
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
        return NULL;
    }
    return nvtx_naming_resource(
        domain, (uint32_t)attributes->type, attributes->identifier,
        nvtx_record_message(attributes->message_type, attributes->message, wide));
}

/* Events recorded with it keep its name. */
void nvtx_resource_destroy(const void *resource)
{
    (void)resource;
}

/* Both functions of a kind of CUDA object. */
#define NVTX_NAMING_CUDA(name, type, raw_type)                                                \
    void nvtx_##name##_a(type object, const char *text)                                       \
    {                                                                                         \
        nvtx_naming_resource(NULL, raw_type, (uint64_t)object, nvtx_naming_ascii(text));      \
    }                                                                                         \
    void nvtx_##name##_w(type object, const wchar_t *text)                                    \
    {                                                                                         \
        char wide[NVTX_WIDE_BYTES];                                                           \
        nvtx_naming_resource(NULL, raw_type, (uint64_t)object, nvtx_naming_wide(text, wide)); \
    }

NVTX_NAMING_CUDA(cu_device, int, NVTX_RESOURCE_CUDA_DEVICE)
NVTX_NAMING_CUDA(cu_context, const void *, NVTX_RESOURCE_CUDA_CONTEXT)
NVTX_NAMING_CUDA(cu_stream, const void *, NVTX_RESOURCE_CUDA_STREAM)
NVTX_NAMING_CUDA(cu_event, const void *, NVTX_RESOURCE_CUDA_EVENT)
NVTX_NAMING_CUDA(cuda_device, int, NVTX_RESOURCE_CUDART_DEVICE)
NVTX_NAMING_CUDA(cuda_stream, const void *, NVTX_RESOURCE_CUDART_STREAM)
NVTX_NAMING_CUDA(cuda_event, const void *, NVTX_RESOURCE_CUDART_EVENT)

/* ---- synchronisation objects ---- */

const void *nvtx_sync_create(const struct domain *domain, const void *attributes)
{
    static const char object = 0;
    (void)domain;
    (void)attributes;
    return &object;
}

void nvtx_sync_ignore(const void *object)
{
    (void)object;
}
