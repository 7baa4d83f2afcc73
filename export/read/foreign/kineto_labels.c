/* kineto_labels.c - see kineto_labels.h. */
#include "kineto_labels.h"

#include <stdlib.h>

void kineto_labels_fini(struct kineto_labels *labels)
{
    keymap_fini(&labels->domains);
    keymap_fini(&labels->known);
    free(labels->domain_pids.at);
    free(labels->categories.at);
}

static uint32_t text_number(struct event_store *store, const struct json_string *string)
{
    char *plain = string->escaped ? malloc(string->size + (size_t)1) : NULL;
    struct text text = {string->bytes, string->size};
    if (plain)
        text = (struct text){plain, json_unescape(string, plain)};
    uint32_t number = event_store_name(store, text);
    free(plain);
    return number;
}

static int64_t key_of(uint32_t high, uint32_t low)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

static uint32_t new_domain(struct kineto_labels *labels, struct event_store *store, uint32_t pid)
{
    uint32_t domain = event_store_domain(store, 0);
    while (labels->domain_pids.count <= domain) {
        uint32_t *added = ARRAY_ADD(&labels->domain_pids);
        labels->failed |= !added;
        if (!added)
            return 0;
        *added = pid;
    }
    return domain;
}

/* `value`: as in the file. 0: the default domain. */
static uint32_t domain_of(struct kineto_labels *labels, struct event_store *store, uint32_t pid,
                          struct text value)
{
    bool named = value.size >= 2 && value.bytes[0] == '"';
    struct json_string name = {value.bytes + named, (uint32_t)(value.size - 2 * named), named};
    if (name.size == 0)
        return 0;
    uint32_t number = text_number(store, &name);
    int64_t key = key_of(pid, number) ^ (named ? 0 : INT64_MIN);
    uint32_t domain = keymap_find_id(&labels->domains, key);
    if (domain != KEYMAP_NONE)
        return domain;
    domain = new_domain(labels, store, pid);
    labels->failed |= !keymap_set_id(&labels->domains, key, domain);
    if (named)
        event_store_name_domain(store, domain, number);
    return domain;
}

static void name_category(struct kineto_labels *labels, struct event_store *store, uint32_t pid,
                          uint32_t domain, uint32_t number, struct text value)
{
    int64_t key = key_of(domain ? domain : UINT32_MAX - pid, number);
    if (keymap_find_id(&labels->known, key) != KEYMAP_NONE)
        return;
    struct json_string string = {value.bytes + 1, (uint32_t)value.size - 2, true};
    uint32_t name = text_number(store, &string);
    struct kineto_category_name *added = ARRAY_ADD(&labels->categories);
    labels->failed |= !added || !keymap_set_id(&labels->known, key, 0);
    if (added)
        *added = (struct kineto_category_name){pid, domain, number, name};
}

/* Its number, with a name beside it or alone; 0: none. */
static uint32_t category_of(struct kineto_labels *labels, struct event_store *store, uint32_t pid,
                            uint32_t domain, const struct kineto_args *args)
{
    if (!kineto_has(args, KINETO_LABEL_CATEGORY))
        return 0;
    const struct json_string *string = &args->at[KINETO_LABEL_CATEGORY].text;
    struct text value = {string->bytes, string->size};
    bool named = value.size >= 2 && value.bytes[0] == '"';
    int64_t number = 0;
    if (named)
        number = kineto_number(args, KINETO_LABEL_NUMBER, 0);
    else if (!json_text_scaled(value, 0, &number))
        return 0;
    if (number <= 0 || number > UINT32_MAX)
        return 0;
    if (named)
        name_category(labels, store, pid, domain, (uint32_t)number, value);
    return (uint32_t)number;
}

/* "#FF76B900" */
static bool read_color(const struct kineto_args *args, uint32_t *color)
{
    const struct json_string *text = &args->at[KINETO_COLOR].text;
    if (!kineto_has(args, KINETO_COLOR) || text->size != 9 || text->bytes[0] != '#')
        return false;
    char digits[9] = {0}, *end;
    memcpy(digits, text->bytes + 1, 8);
    *color = (uint32_t)strtoul(digits, &end, 16);
    return end == digits + 8;
}

/* Args of other programs may have the word, too. */
static bool is_labelled(const struct kineto_event *event)
{
    const struct json_string *category = &event->category_text;
    return kineto_has(&event->args, KINETO_DOMAIN) &&
           (event->category == KINETO_ANNOTATION || event->category == KINETO_OPERATOR ||
            json_string_is(category, "cpu_instant_event"));
}

uint32_t kineto_labels_name(struct kineto_labels *labels, struct kineto_rows *rows,
                            const struct kineto_event *event, uint32_t name)
{
    if (!is_labelled(event))
        return name;
    const struct json_string *value = &event->args.at[KINETO_DOMAIN].text;
    struct event_label label = {.name = name};
    uint32_t pid = kineto_rows_pid(rows, &event->pid);
    label.domain = domain_of(labels, rows->store, pid, (struct text){value->bytes, value->size});
    label.category = category_of(labels, rows->store, pid, label.domain, &event->args);
    label.colored = read_color(&event->args, &label.color);
    label.color = label.colored ? label.color : 0;
    return event_store_label(rows->store, &label);
}

void kineto_labels_finish(struct kineto_labels *labels, const struct kineto_rows *rows)
{
    for (uint32_t i = 1; i < labels->domain_pids.count; i++)
        event_store_move_domain(rows->store, i,
                                kineto_rows_of_thread(rows, labels->domain_pids.at[i]));
    for (uint32_t i = 0; i < labels->categories.count; i++) {
        const struct kineto_category_name *category = &labels->categories.at[i];
        event_store_category(rows->store, kineto_rows_of_thread(rows, category->pid),
                             category->domain, category->number, category->name);
    }
}
