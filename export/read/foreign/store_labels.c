/* store_labels.c - names with domains, categories and colours, as NVTX has them. */
#include "event_store_inside.h"

uint32_t event_store_label(struct event_store *store, const struct event_label *label)
{
    struct event_name record = {
        .name = label->name,
        .domain = label->domain,
        .category = label->category,
        .color = label->colored ? label->color : 0,
        .flags = label->colored ? PROF_EVENT_NAME_COLORED : 0,
    };
    uint32_t number =
        text_pool_number(&store->labels, (struct text){(const char *)&record, sizeof record});
    store->failed |= number == 0;
    return number ? STORE_LABEL | number : 0;
}

uint32_t event_store_domain(struct event_store *store, uint32_t process)
{
    struct store_domain *domain = ARRAY_ADD(&store->domains);
    if (!domain) {
        store->failed = true;
        return 0;
    }
    *domain = (struct store_domain){process, 0};
    return store->domains.count;
}

void event_store_name_domain(struct event_store *store, uint32_t domain, uint32_t name)
{
    if (domain && domain <= store->domains.count)
        store->domains.at[domain - 1].name = name;
}

void event_store_move_domain(struct event_store *store, uint32_t domain, uint32_t process)
{
    if (domain && domain <= store->domains.count)
        store->domains.at[domain - 1].process = process;
}

void event_store_category(struct event_store *store, uint32_t process, uint32_t domain,
                          uint32_t category, uint32_t name)
{
    struct store_category *kept = ARRAY_ADD(&store->categories);
    store->failed |= !kept;
    if (kept)
        *kept = (struct store_category){process,
                                        {.domain = domain, .category = category, .name = name}};
}

void event_store_stream(struct event_store *store, uint32_t process,
                        const struct cuda_stream *stream)
{
    struct store_stream *kept = ARRAY_ADD(&store->streams);
    store->failed |= !kept;
    if (kept)
        *kept = (struct store_stream){process, *stream};
}
