/* block_names.c - see block_names.h. */
#include "block_names.h"

#include "blocks.h"

#include <string.h>

struct text block_delegate(const struct timeline *timeline, const struct block_item *item,
                           char number[BLOCK_NAME_BYTES])
{
    if (item->delegate != -1) {
        int size = snprintf(number, BLOCK_NAME_BYTES, "%d", item->delegate);
        return (struct text){number, (size_t)size};
    }
    if (item->delegate_name != TL_NONE)
        return timeline->names.at[item->delegate_name];
    return (struct text){NULL, 0};
}

struct text block_title(const struct blocks *blocks, const struct event_block *block)
{
    const char *range = blocks->options.range;
    return range ? (struct text){range, strlen(range)} : blocks->timeline->names.at[block->name];
}

struct text block_own_name(const struct blocks *blocks, const struct block_item *item,
                           char number[BLOCK_NAME_BYTES])
{
    bool is_range = blocks->options.range && item->depth == 0;
    return item->name == TL_NONE || is_range ? block_event_name(blocks, item, number)
                                             : blocks->timeline->names.at[item->name];
}

struct text block_event_name(const struct blocks *blocks, const struct block_item *item,
                             char number[BLOCK_NAME_BYTES])
{
    const char *range = blocks->options.range;
    const struct timeline *timeline = blocks->timeline;
    struct text delegate = block_delegate(timeline, item, number);
    if (range && item->depth == 0)
        return (struct text){range, strlen(range)};
    if (delegate.bytes)
        return delegate;
    return item->name == TL_NONE ? (struct text){"", 0} : timeline->names.at[item->name];
}

/* What the runtime itself does is at no instruction; it says 0 all the same. */
static bool is_frameworks(const struct timeline *timeline, const struct block_item *item)
{
    static const char *const names[] = {"Method::init", "Method::execute", "Program::load_method"};
    struct text name =
        item->name == TL_NONE ? (struct text){"", 0} : timeline->names.at[item->name];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is(name, names[i]))
            return true;
    return false;
}

const struct debug_entry *block_event_entry(const struct timeline *timeline,
                                            const struct debug_maps *maps,
                                            const struct block_item *item)
{
    char number[BLOCK_NAME_BYTES];
    if (is_frameworks(timeline, item))
        return NULL;
    return debug_maps_find(maps, item->instruction, block_delegate(timeline, item, number));
}

bool block_event_is_shown(const struct blocks *blocks, const struct write_blocks_options *options,
                          const struct block_row *row)
{
    char number[BLOCK_NAME_BYTES];
    struct text name = block_event_name(blocks, &blocks->items.at[row->item], number);
    return !options->event || name_has_prefix(name.bytes, name.size, options->event);
}

double block_start(const struct blocks *blocks, const struct block_run *run, uint32_t row)
{
    const struct block_item *item = &blocks->items.at[run->first_item + row];
    double ticks = item->is_signed ? (double)(int64_t)item->start_ticks : (double)item->start_ticks;
    return ticks / block_run_divisor(&blocks->options, run);
}
