/* nvtx_json.c - {"ranges", "marks", "begin_end_ranges",
 *                "domains": [{pid, name, ranges, marks, begin_end_ranges}],
 *                "categories": [{pid, domain, category, name, ranges, marks, begin_end_ranges}]}
 *
 * The default domain's name is null, and so is that of a category of which only the number is
 * known.
 */
#include "nvtx_json.h"

static void write_counts(struct json_out *out, const struct nvtx_count *count)
{
    json_key(out, "ranges"), json_uint(out, count->ranges);
    json_key(out, "marks"), json_uint(out, count->marks);
    json_key(out, "begin_end_ranges"), json_uint(out, count->begin_ends);
}

static void write_name(struct json_out *out, const struct timeline *timeline, uint32_t name)
{
    if (name < timeline->names.count)
        json_text(out, timeline->names.at[name]);
    else
        json_null(out);
}

static uint32_t pid_of(const struct timeline *timeline, const struct tl_domain *domain)
{
    return timeline->processes.at[domain->process].info.pid;
}

static void write_domains(struct json_out *out, const struct timeline *timeline,
                          const struct nvtx_counts *counts)
{
    json_key(out, "domains"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->domains.count; i++) {
        const struct tl_domain *domain = &timeline->domains.at[i];
        json_newline(out);
        json_object_begin(out);
        json_key(out, "pid"), json_uint(out, pid_of(timeline, domain));
        json_key(out, "name"), write_name(out, timeline, domain->name);
        write_counts(out, &counts->domains[i]);
        json_object_end(out);
    }
    json_array_end(out);
}

static void write_categories(struct json_out *out, const struct timeline *timeline,
                             const struct nvtx_counts *counts)
{
    json_key(out, "categories"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->categories.count; i++) {
        const struct tl_category *category = &timeline->categories.at[i];
        const struct tl_domain *domain = &timeline->domains.at[category->domain];
        json_newline(out);
        json_object_begin(out);
        json_key(out, "pid"), json_uint(out, pid_of(timeline, domain));
        json_key(out, "domain"), write_name(out, timeline, domain->name);
        json_key(out, "category"), json_uint(out, category->number);
        json_key(out, "name"), write_name(out, timeline, category->name);
        write_counts(out, &counts->categories[i]);
        json_object_end(out);
    }
    json_array_end(out);
}

void nvtx_json(struct json_out *out, const struct timeline *timeline,
               const struct nvtx_counts *counts)
{
    json_key(out, "nvtx"), json_object_begin(out);
    write_counts(out, &counts->all);
    write_domains(out, timeline, counts);
    write_categories(out, timeline, counts);
    json_object_end(out);
}
