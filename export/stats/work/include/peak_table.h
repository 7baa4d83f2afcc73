/* peak_table.h - the devices whose rates are known by their name, and where each figure is from.
 *
 * An entry either has published rates, or is a number of multiprocessors and the boost clock: then
 * its rates are
 *
 *     multiprocessors x operations per clock and multiprocessor (peak_chips) x boost clock
 *
 * which is how the vendor's own tables come about; tests compare them.
 */
#ifndef PROF_PEAK_TABLE_H
#define PROF_PEAK_TABLE_H

#include "peak_rates.h"

/* How multiprocessors compute. The consumer boards of a generation have tensor cores that add up in
 * f32 at half the rate. */
enum peak_chip {
    CHIP_NONE,
    CHIP_60,
    CHIP_61,
    CHIP_70,
    CHIP_72,
    CHIP_75,
    CHIP_75_CONSUMER,
    CHIP_80,
    CHIP_86,
    CHIP_86_CONSUMER,
    CHIP_87,
    CHIP_89,
    CHIP_89_CONSUMER,
    CHIP_90,
    CHIP_100,
    CHIP_103,
    CHIP_110,
    CHIP_120,
    CHIP_120_CONSUMER,
    CHIP_121,
    PEAK_CHIPS
};

/* Rates by type, as the table has them: TOP/s, or operations per clock and multiprocessor. 0
 * unknown. */
struct peak_row {
    double f64, f32, f16, bf16, i8;                           /* vector */
    double m64, m32, tf32, mbf16, mf16, f8, f6, f4, mi8, mi4; /* matrix */
};

struct peak_entry {
    const char *patterns; /* normalised beginnings of names, separated by '|' */
    const char *name;
    enum peak_chip chip;      /* CHIP_NONE: `rates` are published */
    uint16_t multiprocessors; /* 0 unknown: any number fits */
    uint16_t boost_mhz;
    bool any_rest;    /* whatever else is in the name, it is this model */
    bool needs_count; /* the name is ambiguous: the trace must have the number of multiprocessors */
    double bandwidth_gbs, memory_gb; /* memory in GiB; 0: any size fits */
    struct peak_row rates;
    const char *source;
    const char *caveat; /* NULL none */
};

struct peak_chip_row {
    uint8_t major, minor; /* compute capability; of several, the first */
    bool consumer;
    struct peak_row per_clock;
    const char *source;
};

extern const struct peak_entry peak_table[];
extern const uint32_t peak_table_count;
extern const struct peak_chip_row peak_chips[PEAK_CHIPS];

/* Figures of an entry. */
void peak_entry_figures(const struct peak_entry *entry, struct peak_figures *figures);

/* `row` times `factor`. */
void peak_row_spread(const struct peak_row *row, double factor, struct peak_figures *figures);

#endif
