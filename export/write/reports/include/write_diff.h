/* write_diff.h - a diff in words, cells or JSON. */
#ifndef PROF_WRITE_DIFF_H
#define PROF_WRITE_DIFF_H

#include "diff.h"
#include "units.h"
#include "write_format.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct write_diff_options {
    const char *names[2]; /* what the sides are called */
    enum write_format format;
    int64_t rows; /* of each table, -1 all */
    unsigned name_width;
    unsigned table_width; /* of the terminal that the text has to fit; 0 any */
    enum time_unit unit;
    bool color;
};

/* The tables that the diff was asked for. As text and Markdown the last line is the gate's, if there is
 * one. False: no memory (errno is ENOMEM), or the stream failed. */
bool write_diff(const struct diff *diff, const struct write_diff_options *options, FILE *stream);

/* "step: slower by 7.3 % (95 %: 6.8 to 7.9), limit 5 %: FAILED" */
#define DIFF_GATE_BYTES 512u
void write_diff_gate(const struct diff *diff, char to[DIFF_GATE_BYTES]);

#ifdef __cplusplus
}
#endif
#endif
