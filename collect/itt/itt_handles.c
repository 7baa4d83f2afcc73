#include "itt_handles.h"

#include "memory.h"
#include "recorder.h"
#include "registry.h"
#include "torch_names.h"

#include <string.h>

/* Texts are distinguished by the domain they were registered in: these are not domains. */
#define ITT_SPACE(space, domain) ((uint32_t)(space) << 28 | (domain))

struct interned_text *itt_space_text(enum itt_space space, uint32_t domain, const char *name,
                                     size_t bytes)
{
    return texts_intern(ITT_SPACE(space, domain), name, bytes);
}

void *itt_space_handle(struct interned_text *text, size_t bytes,
                       void (*fill)(void *handle, const struct interned_text *text))
{
    void *handle = load_acquire(&text->handle);
    if (handle)
        return handle;
    void *fresh = arena_alloc(bytes);
    if (!fresh)
        return NULL;
    fill(fresh, text);
    return cas_acq_rel(&text->handle, &handle, fresh) ? fresh : handle;
}

static bool itt_has_text(const char *name)
{
    if (!name)
        loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    return name != NULL;
}

/* ---- domains ---- */

static void itt_domain_fill(void *handle, const struct interned_text *text)
{
    struct itt_domain *domain = handle;
    domain->flags = 1;
    domain->name = text->text;
}

struct itt_domain *itt_domain_create(const char *name)
{
    if (!itt_has_text(name))
        return NULL;
    struct interned_text *text = itt_space_text(ITT_SPACE_DOMAINS, 0, name, strlen(name));
    struct itt_domain *domain =
        text ? itt_space_handle(text, sizeof *domain, itt_domain_fill) : NULL;
    if (domain)
        itt_domain_number(domain);
    return domain;
}

uint32_t itt_domain_learn(const struct itt_domain *domain)
{
    const struct domain *known =
        domain->name ? registry_domain(domain->name, strlen(domain->name)) : NULL;
    uint32_t number = registry_number(known);
    store_relaxed(&((struct itt_domain *)(uintptr_t)domain)->extra1, (int32_t)number + 1);
    return number;
}

/* ---- strings ---- */

/* Store the text first: a reader that sees `extra1` sees it. */
static struct interned_text *itt_string_learn(struct itt_string *string, struct interned_text *text)
{
    struct torch_names torch;
    bool parted = torch_names_parse(text->text, text->bytes, &torch);
    store_relaxed(&string->extra2, (void *)text);
    store_release(&string->extra1, parted ? ITT_STRING_PARTED : ITT_STRING_PLAIN);
    return text;
}

static void itt_string_fill(void *handle, const struct interned_text *text)
{
    struct itt_string *string = handle;
    string->text = text->text;
    itt_string_learn(string, (struct interned_text *)(uintptr_t)text);
}

struct itt_string *itt_string_create(const char *given)
{
    if (!itt_has_text(given))
        return NULL;
    struct interned_text *text = texts_intern(0, given, strlen(given));
    return text ? itt_space_handle(text, sizeof(struct itt_string), itt_string_fill) : NULL;
}

struct interned_text *itt_string_text(struct itt_string *string, bool *parted)
{
    *parted = false;
    if (!string || !itt_has_text(string->text))
        return NULL;
    int32_t met = load_acquire(&string->extra1);
    struct interned_text *text = met ? string->extra2 : NULL;
    if (!text)
        text = texts_intern(0, string->text, strlen(string->text));
    if (text && !met)
        itt_string_learn(string, text);
    *parted = load_relaxed(&string->extra1) == ITT_STRING_PARTED;
    return text;
}

/* ---- ITT events as labelled events ---- */

static void itt_record_name(struct labelled_name *named, struct interned_text *text, bool parted)
{
    if (text && parted)
        labelled_read_n(named, text->text, text->bytes);
    else if (text)
        named->name = texts_name(text);
}

uint64_t itt_record(enum labelled_kind kind, uint32_t domain, struct interned_text *text,
                    bool parted, uint64_t *begun)
{
    struct labelled_name named = {0};
    itt_record_name(&named, text, parted);
    const struct label *label =
        labelled_label(&(struct label){.name = named.name, .domain = domain});
    if (label && text && !parted)
        store_release(&text->latest, label);
    uint64_t target = labelled_record(kind, label ? (uint32_t)label->id : named.name, begun);
    if (kind != LABELLED_BEGIN || *begun)
        labelled_parts(target, &named);
    return target;
}

uint32_t itt_record_id(uint32_t domain, struct interned_text *text)
{
    uint32_t name = text ? texts_name(text) : 0;
    const struct label *label = labelled_label(&(struct label){.name = name, .domain = domain});
    return label ? (uint32_t)label->id : name;
}

uint64_t itt_record_string(enum labelled_kind kind, uint32_t domain, struct itt_string *name,
                           uint64_t *begun)
{
    bool parted;
    struct interned_text *text = itt_string_text(name, &parted);
    return itt_record(kind, domain, text, parted, begun);
}
