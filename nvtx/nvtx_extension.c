#include "nvtx_calls.h"

#include "annotate.h"
#include "nvtx_payload.h"
#include "nvtx_record.h"
#include "thread.h"

uint64_t nvtx_extension_schema(const struct domain *domain,
                               const struct nvtx_schema_attributes *attributes)
{
    return nvtx_schema_register(registry_number(domain), attributes);
}

uint64_t nvtx_extension_enum(const struct domain *domain,
                             const struct nvtx_enum_attributes *attributes)
{
    return nvtx_schema_register_enum(registry_number(domain), attributes);
}

/* An event's attributes with nothing but blobs in them. */
static struct nvtx_attributes nvtx_extension_attributes(const struct nvtx_blob *blobs, size_t count)
{
    bool some = blobs && count && count <= INT32_MAX;
    return (struct nvtx_attributes){.size = sizeof(struct nvtx_attributes),
                                    .payload_type =
                                        some ? NVTX_PAYLOAD_EXTENDED : NVTX_PAYLOAD_NONE,
                                    .payload_count = some ? (int32_t)count : 0,
                                    .payload.blobs = blobs};
}

void nvtx_extension_mark(const struct domain *domain, const struct nvtx_blob *blobs, size_t count)
{
    struct nvtx_attributes attributes = nvtx_extension_attributes(blobs, count);
    nvtx_domain_mark_ex(domain, &attributes);
}

int nvtx_extension_push(const struct domain *domain, const struct nvtx_blob *blobs, size_t count)
{
    struct nvtx_attributes attributes = nvtx_extension_attributes(blobs, count);
    return nvtx_domain_range_push_ex(domain, &attributes);
}

int nvtx_extension_pop(const struct domain *domain, const struct nvtx_blob *blobs, size_t count)
{
    if (thread_ready(&thread_self))
        nvtx_record_blobs(registry_number(domain), ATTRS_OF_RANGE, blobs, count);
    return nvtx_domain_range_pop(domain);
}

uint64_t nvtx_extension_start(const struct domain *domain, const struct nvtx_blob *blobs,
                              size_t count)
{
    struct nvtx_attributes attributes = nvtx_extension_attributes(blobs, count);
    return nvtx_domain_range_start_ex(domain, &attributes);
}

void nvtx_extension_end(const struct domain *domain, uint64_t id, const struct nvtx_blob *blobs,
                        size_t count)
{
    if (id && id != NVTX_RANGE_UNRECORDED && thread_ready(&thread_self))
        nvtx_record_blobs(registry_number(domain), id, blobs, count);
    nvtx_range_end(id);
}

uint8_t nvtx_extension_is_enabled(const struct domain *domain)
{
    (void)domain;
    return 1;
}
