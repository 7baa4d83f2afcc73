/* diff_facts.c - each fact is a list of the distinct values that processes or devices have. */
#include "diff_facts.h"

#include "run_facts.h"

#include <stdio.h>
#include <string.h>

/* A list of texts with ", " between. What does not fit is cut, and the list ends with "...". */
struct fact_list {
    char *text;
    size_t size;
};

/* Whether the list has the text as an item. */
static bool has_item(const char *list, struct text item)
{
    for (const char *at = list; (at = strstr(at, item.bytes)); at += item.size) {
        bool begins = at == list || (at >= list + 2 && memcmp(at - 2, ", ", 2) == 0);
        char after = at[item.size];
        if (begins && (after == 0 || after == ','))
            return true;
    }
    return false;
}

static void add_text(struct fact_list *list, struct text item)
{
    char copy[DIFF_FACT_BYTES];
    int size = snprintf(copy, sizeof copy, "%.*s", (int)(item.size < 200 ? item.size : 200),
                        item.bytes ? item.bytes : "");
    if (size <= 0 || has_item(list->text, (struct text){copy, (size_t)size}))
        return;
    size_t used = strlen(list->text);
    bool fits = used + (size_t)size + 6 < list->size;
    snprintf(list->text + used, list->size - used, "%s%s", used ? ", " : "", fits ? copy : "...");
}

static void add_string(struct fact_list *list, const char *text)
{
    add_text(list, (struct text){text, strlen(text)});
}

static void add_number(struct fact_list *list, unsigned long long number)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", number);
    add_string(list, text);
}

/* ---- of processes ---- */

typedef void add_fact(struct fact_list *list, const struct read_process *info);

static void add_program(struct fact_list *list, const struct read_process *info)
{
    add_text(list, info->program);
}

static void add_host(struct fact_list *list, const struct read_process *info)
{
    add_text(list, info->host);
}

static void add_format(struct fact_list *list, const struct read_process *info)
{
    add_text(list, info->format.size ? info->format : (struct text){"libprof trace", 13});
}

static void add_version(struct fact_list *list, const struct read_process *info)
{
    add_text(list, info->library_version);
}

static void add_driver(struct fact_list *list, const struct read_process *info)
{
    add_text(list, info->driver);
}

static void add_cupti(struct fact_list *list, const struct read_process *info)
{
    add_text(list, info->cupti);
}

static void add_mode(struct fact_list *list, const struct read_process *info)
{
    add_string(list, run_facts_mode_name(info->gpu_mode));
}

static void add_world(struct fact_list *list, const struct read_process *info)
{
    if (info->world_size > 0)
        add_number(list, (unsigned long long)info->world_size);
}

static void list_processes(const struct timeline *timeline, add_fact *add, struct fact_list *list)
{
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        add(list, &timeline->processes.at[i].info);
}

/* ---- of the whole ---- */

static void list_devices(const struct timeline *timeline, struct fact_list *list)
{
    for (uint32_t i = 0; i < timeline->devices.count; i++)
        if (timeline->devices.at[i].name < timeline->names.count)
            add_text(list, timeline->names.at[timeline->devices.at[i].name]);
}

static void list_device_count(const struct timeline *timeline, struct fact_list *list)
{
    add_number(list, timeline->devices.count);
}

static void list_process_count(const struct timeline *timeline, struct fact_list *list)
{
    add_number(list, timeline->processes.count);
}

static const struct {
    const char *name;
    add_fact *of_process;
    void (*of_timeline)(const struct timeline *timeline, struct fact_list *list);
} sources[DIFF_FACTS] = {
    {"program", add_program, NULL},
    {"host", add_host, NULL},
    {"processes", NULL, list_process_count},
    {"world size", add_world, NULL},
    {"device", NULL, list_devices},
    {"devices", NULL, list_device_count},
    {"driver", add_driver, NULL},
    {"cupti", add_cupti, NULL},
    {"gpu mode", add_mode, NULL},
    {"recorded by", add_format, NULL},
    {"libprof", add_version, NULL},
};

void diff_facts_init(struct diff_facts *facts, const struct timeline *left,
                     const struct timeline *right)
{
    memset(facts, 0, sizeof *facts);
    for (uint32_t i = 0; i < DIFF_FACTS; i++) {
        struct diff_fact *fact = &facts->at[i];
        fact->name = sources[i].name;
        for (unsigned side = 0; side < 2; side++) {
            const struct timeline *timeline = side ? right : left;
            struct fact_list list = {fact->value[side], sizeof fact->value[side]};
            if (sources[i].of_process)
                list_processes(timeline, sources[i].of_process, &list);
            else
                sources[i].of_timeline(timeline, &list);
        }
        fact->differs = strcmp(fact->value[0], fact->value[1]) != 0;
        facts->differing += fact->differs;
    }
}
