#include "itt_record.h"

#include "itt_handles.h"

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
