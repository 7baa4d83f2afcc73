/* blocks_report.h - what the events of blocks are called. */
#ifndef PROF_BLOCKS_REPORT_H
#define PROF_BLOCKS_REPORT_H

#include "blocks.h"
#include "write_blocks.h"

#define BLOCK_NAME_BYTES 24

/* The identifier that a delegate gave, `bytes` NULL: none. A number is written into `number`. */
struct text block_delegate(const struct timeline *timeline, const struct block_item *item,
                           char number[BLOCK_NAME_BYTES]);

/* What the event block is called: a range as it was asked for. */
struct text block_title(const struct blocks *blocks, const struct event_block *block);

/* Events of delegates are called by the identifier. */
struct text block_event_name(const struct blocks *blocks, const struct block_item *item,
                             char number[BLOCK_NAME_BYTES]);

/* What the maps say of it; NULL nothing. */
const struct debug_entry *block_event_entry(const struct timeline *timeline,
                                            const struct debug_maps *maps,
                                            const struct block_item *item);

/* False if an option of the user leaves it out. */
bool block_event_is_shown(const struct blocks *blocks, const struct write_blocks_options *options,
                          const struct block_row *row);

#endif
