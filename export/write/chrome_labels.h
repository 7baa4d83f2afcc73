/* chrome_labels.h - the metadata events of a Chrome trace: what rows are called and in which order
 * they stand. */
#ifndef PROF_CHROME_LABELS_H
#define PROF_CHROME_LABELS_H

#include "chrome_rows.h"

/* Names processes, devices, threads and streams. */
void chrome_labels_write(const struct chrome_rows *rows, struct json_out *out);

/* Names a row made by chrome_rows_spare(), once. */
void chrome_labels_spare(const struct chrome_rows *rows, struct json_out *out,
                         struct chrome_spare *spare);

/* The same for a row of timed ranges, once. */
void chrome_labels_timed(const struct chrome_rows *rows, struct json_out *out,
                         const struct chrome_timed *timed);

#endif
