/* peak_rates.h - how fast a device can compute and move data at most.
 *
 * Rates are dense: without the doubling that vendors claim for matrices with zeros in a pattern.
 * They are in TFLOP/s, or TOP/s of integers: 10^12 operations per second, a multiplication and an
 * addition being two. Products of f16, bf16 and f8 are taken as added up in f32, as frameworks do
 * it; consumer boards do that at half the rate of adding up in f16. Bandwidth is in GB/s: 10^9
 * bytes per second.
 *
 * A device is looked up
 *
 *     1. in the user's file (struct peak_file), whose figures replace those of what follows
 *     2. by its name in the table (peak_table.h): normalised, the most specific entry that it
 *     begins
 *        with. What the trace says of the device must fit the entry: another number of
 *        multiprocessors is another model; with another size of memory the entry's bandwidth is not
 *        taken. Words left over in the name ("Laptop", "Max-Q", "D", "MIG 1g.5gb") are another
 *        model, too.
 *     3. by compute capability: multiprocessors x operations of each per clock x clock, and the
 *        bandwidth, where the trace contains these (libprof's own, nvprof's and nsys's do;
 *        PyTorch's do not). Of a slice of a device (MIG) that is the slice's share; its bandwidth
 *        is not known.
 *
 * A simulated device has no rates, unless the user's file says so, and neither has one of AMD whose
 * name identifies no model: its "compute capability" is not NVIDIA's.
 */
#ifndef PROF_PEAK_RATES_H
#define PROF_PEAK_RATES_H

#include "op_inputs.h"
#include "text.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- names of devices, normalised so that spellings of one model compare as equal ----
 *
 *     "NVIDIA A100-SXM4-80GB"        a100 sxm4 80gb
 *     "Tesla V100-SXM2-32GB"         v100 sxm2 32gb
 *     "NVIDIA GeForce RTX 3090"      rtx 3090
 *     "AMD INSTINCT MI350X"          mi350x
 *
 * Lower case, words of letters and digits with a blank between them, without the words that vendors
 * put before a model.
 */

#define DEVICE_NAME_BYTES 128u

/* What does not fit is left out. */
void device_name_normalize(struct text name, char to[DEVICE_NAME_BYTES]);

/* Whether a normalised name begins with these whole words. */
bool device_name_begins(const char *name, const char *words);

/* Whether all of its words from `rest` on are sizes and kinds of memory, which do not identify a
 * model. */
bool device_name_is_memory(const char *rest);

struct peak_file;

/* ---- rates ---- */

enum peak_origin {
    PEAK_UNKNOWN,
    PEAK_TABLE,
    PEAK_DERIVED, /* from compute capability, multiprocessors and clock */
    PEAK_FILE,    /* the user's: at least one figure */
};

/* 0 is unknown, or that the device has none. */
struct peak_figures {
    double vector[OP_TYPES]; /* of ordinary instructions */
    double matrix[OP_TYPES]; /* of tensor or matrix cores */
    double bandwidth_gbs, memory_gb;
};

#define PEAK_NAME_BYTES 128u

struct peak_rates {
    struct peak_figures figures;
    enum peak_origin origin;
    char name[PEAK_NAME_BYTES]; /* the entry's, or the user's section's; empty: none */
    const char *source;         /* where the figures are from; "" none. Of a file: its path */
    const char *beside; /* with PEAK_FILE: where figures are from that the file does not have; "" */
    const char *caveat; /* a reservation about them, or why there are none; "" none */
    uint32_t file_types; /* bit 1 << enum op_type: the user's file has it */
};

/* What a trace contains about a device; 0 and empty: unknown. */
struct peak_device {
    struct text name;
    uint32_t compute_major, compute_minor;
    uint32_t multiprocessors, core_clock_khz, threads_per_warp;
    uint64_t memory_bytes;
    uint64_t memory_bandwidth; /* bytes per second */
    bool simulated;
};

/* `device` NULL: the trace does not describe it. `file` may be NULL. The texts of `rates` are
 * constants or the file's. */
void peak_rates_find(struct peak_rates *rates, const struct peak_device *device,
                     const struct peak_file *file);

struct peak_device peak_device_of(const struct timeline *timeline, const struct tl_device *device);

/* The higher of vector and matrix rate, in TOP/s; NaN unknown. A complex number has the rate of its
 * parts. */
double peak_rates_of(const struct peak_rates *rates, enum op_type type);
double peak_rates_bandwidth(const struct peak_rates *rates); /* GB/s; NaN unknown */

/* "table", "derived", "file", "unknown" */
const char *peak_origin_name(enum peak_origin origin);

/* ---- the user's file: figures that are not in the table, or that replace the table's ----
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
 * A section is for the devices whose normalised names begin with its words; the longest
 * one counts. Types are spelled as op_type_find() knows them. Figures are positive decimal numbers;
 * what a section does not have stays as it is without the file.
 */

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

/* Reads the file. False: it cannot be read, or something in it is wrong; `error` says where and
 * what ("rates.ini:12: ..."), and fini is not needed. */
bool peak_file_read(struct peak_file *file, const char *path, char error[PEAK_FILE_ERROR_BYTES]);
void peak_file_fini(struct peak_file *file);

#ifdef __cplusplus
}
#endif
#endif
