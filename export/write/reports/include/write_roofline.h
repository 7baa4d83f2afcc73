/* write_roofline.h - roofline: achieved against peak, and the peaks of devices. */
#ifndef PROF_WRITE_ROOFLINE_H
#define PROF_WRITE_ROOFLINE_H

#include "roofline.h"
#include "write_blocks.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct write_roofline_options {
    enum write_format format;
    enum roofline_by by;
    int64_t rows;         /* of each device, -1 all */
    unsigned name_width;  /* columns that a name may have, in text */
    unsigned table_width; /* of the terminal that the text has to fit; 0 any */
};

/* A table per device, with what is unknown and why; TSV and CSV have the rows of all devices, JSON has
 * everything. False: no memory, or the stream failed (errno). */
bool write_roofline(const struct roofline *roofline, const struct write_roofline_options *options,
                    FILE *stream);

/* The table of devices with the source of each entry. */
bool write_peaks(enum write_format format, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
