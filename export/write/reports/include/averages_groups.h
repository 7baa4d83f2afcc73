/* averages_groups.h - the keys, other than names, by which rows are grouped, as text. */
#ifndef PROF_AVERAGES_GROUPS_H
#define PROF_AVERAGES_GROUPS_H

#include "write_report.h"

#define GROUP_PARTS 8u

struct group_part {
    uint32_t flag;      /* KEY_BY_* */
    const char *title;  /* in the table */
    unsigned width_max; /* columns */
    bool left;          /* aligned */
};

/* In the order of their columns. */
extern const struct group_part group_parts[GROUP_PARTS];

struct group_texts {
    const struct timeline *timeline;
    const struct key_averages *averages;
    const struct write_stacks *stacks;
};

/* Writes the text of a row's part to the stream, as it is recorded; nothing where there is none. */
void group_text_write(const struct group_texts *texts, const struct key_average *row, uint32_t flag,
                      FILE *stream);

/* The same for a terminal, at most `columns` characters into `to` of SHOW_TEXT_BYTES(columns).
 * Returns how many characters that is. */
unsigned group_text_show(const struct group_texts *texts, const struct key_average *row,
                         uint32_t flag, unsigned columns, char *to);

#endif
