/* peak_file.h - figures of devices from a file of the user's, for devices that the table lacks or has
 * otherwise.
 *
 *     # what this machine's boards reach
 *     [NVIDIA A100-SXM4-80GB]
 *     float16 = 290           # TFLOP/s, dense; integers: TOP/s
 *     bandwidth_gbs = 1900    # 10^9 bytes per second
 *     memory_gb = 80
 *
 *     [*]                     # every device that no other section is for
 *     float32 = 10
 *
 * A section is for the devices whose normalised names (device_name.h) begin with its words; the longest
 * one counts. Types are spelled as op_type_find() knows them. Figures are positive decimal numbers; what
 * a section does not have stays as it is without the file.
 */
#ifndef PROF_PEAK_FILE_H
#define PROF_PEAK_FILE_H

#include "device_name.h"
#include "peak_rates.h"

#ifdef __cplusplus
extern "C" {
#endif

struct peak_section {
    char words[DEVICE_NAME_BYTES]; /* normalised; empty: every device */
    char name[DEVICE_NAME_BYTES];  /* as written */
    uint32_t line;
    uint32_t types; /* bit 1 << enum op_type: its rate is given */
    bool has_bandwidth, has_memory;
    struct peak_figures figures; /* rates in .matrix */
};

struct peak_file {
    char *path;
    struct peak_section *at;
    uint32_t count, capacity;
};

#define PEAK_FILE_ERROR_BYTES 512u

/* Reads the file. False: it cannot be read, or something in it is wrong; `error` says where and what
 * ("rates.ini:12: ..."), and fini is not needed. */
bool peak_file_read(struct peak_file *file, const char *path, char error[PEAK_FILE_ERROR_BYTES]);
void peak_file_fini(struct peak_file *file);

/* The section for a device, by its normalised name; NULL none. */
const struct peak_section *peak_file_find(const struct peak_file *file, const char *name);

#ifdef __cplusplus
}
#endif
#endif
