/* blocks_parts.h - what the outputs of write_blocks.h share. */
#ifndef PROF_BLOCKS_PARTS_H
#define PROF_BLOCKS_PARTS_H

#include "blocks.h"
#include "grid.h"
#include "write_blocks.h"

/* A cell "[1, 2, 3]"; empty where the entry is NULL. */
void blocks_handles(struct grid *grid, const struct debug_maps *maps,
                    const struct debug_entry *entry);

/* One output each. False: no memory, or the stream failed; errno says which. */
bool blocks_print(struct blocks *blocks, const struct write_blocks_options *options, FILE *stream);
bool blocks_print_rows(const struct blocks *blocks, const struct write_blocks_options *options,
                       FILE *stream);
bool blocks_print_json(struct blocks *blocks, const struct write_blocks_options *options,
                       FILE *stream);

#endif
