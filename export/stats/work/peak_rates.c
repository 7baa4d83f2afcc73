/* peak_rates.c - see peak_rates.h. */
#include "peak_rates.h"

#include "device_name.h"
#include "peak_file.h"
#include "peak_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GIB 1073741824.0
#define MEMORY_TOLERANCE \
    0.15 /* drivers keep up to 8 % of a device's memory, and some count in 10^9 */

/* ---- by name ---- */

/* An entry that may be the device's. */
struct match {
    const struct peak_entry *entry; /* NULL none yet */
    size_t words;                   /* bytes of the pattern */
    bool memory_fits;
    bool other_count; /* an entry was for this name, but has another number of multiprocessors */
    bool other_words; /* or the name says more */
};

/* Words that make another model of it, whatever else the name says. */
static bool is_part_or_mobile(const char *name)
{
    return device_name_has(name, "mig") || device_name_has(name, "laptop");
}

static bool memory_fits(const struct peak_entry *entry, const struct peak_device *device)
{
    if (device->memory_bytes == 0 || entry->memory_gb <= 0)
        return true;
    return fabs((double)device->memory_bytes / GIB / entry->memory_gb - 1) <= MEMORY_TOLERANCE;
}

static bool count_fits(const struct peak_entry *entry, const struct peak_device *device)
{
    if (device->multiprocessors == 0)
        return !entry->needs_count;
    return entry->multiprocessors == 0 || entry->multiprocessors == device->multiprocessors;
}

static void take_entry(struct match *match, const struct peak_entry *entry, size_t words,
                       const struct peak_device *device)
{
    bool fits = memory_fits(entry, device);
    bool better = words > match->words || (words == match->words && fits && !match->memory_fits);
    if (match->entry && !better)
        return;
    match->entry = entry;
    match->words = words;
    match->memory_fits = fits;
}

static void try_pattern(struct match *match, const struct peak_entry *entry, const char *pattern,
                        const char *name, const struct peak_device *device)
{
    size_t size = strlen(pattern);
    if (!device_name_begins(name, pattern))
        return;
    bool same_model =
        !is_part_or_mobile(name) && (entry->any_rest || device_name_is_memory(name + size));
    if (!same_model)
        match->other_words = true;
    else if (!count_fits(entry, device))
        match->other_count = true;
    else
        take_entry(match, entry, size, device);
}

static void try_entry(struct match *match, const struct peak_entry *entry, const char *name,
                      const struct peak_device *device)
{
    char pattern[DEVICE_NAME_BYTES];
    for (const char *at = entry->patterns; *at;) {
        size_t size = strcspn(at, "|");
        snprintf(pattern, sizeof pattern, "%.*s", (int)size, at);
        try_pattern(match, entry, pattern, name, device);
        at += size + (at[size] == '|');
    }
}

static struct match find_entry(const char *name, const struct peak_device *device)
{
    struct match match = {0};
    for (uint32_t i = 0; i < peak_table_count; i++)
        try_entry(&match, &peak_table[i], name, device);
    return match;
}

static void take_from_table(struct peak_rates *rates, const struct match *match,
                            const struct peak_device *device)
{
    const struct peak_entry *entry = match->entry;
    peak_entry_figures(entry, &rates->figures);
    rates->origin = PEAK_TABLE;
    rates->source = entry->source;
    rates->caveat = entry->caveat ? entry->caveat : "";
    snprintf(rates->name, sizeof rates->name, "%s", entry->name);
    if (!match->memory_fits) {
        rates->figures.memory_gb = rates->figures.bandwidth_gbs = 0;
        rates->caveat = "its memory has another size than the model's: the bandwidth is not known";
    }
    if (rates->figures.bandwidth_gbs <= 0)
        rates->figures.bandwidth_gbs = (double)device->memory_bandwidth / 1e9;
}

/* ---- by compute capability ---- */

/* Case does not matter. */
static bool mentions(struct text name, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= name.size; i++)
        if (strncasecmp(name.bytes + i, word, size) == 0)
            return true;
    return false;
}

static bool is_simulated(const struct peak_device *device)
{
    return device->simulated || mentions(device->name, "simulated");
}

/* Others number their architectures, too. */
static bool is_of_nvidia(const struct peak_device *device)
{
    bool other = mentions(device->name, "amd") || mentions(device->name, "radeon") ||
                 mentions(device->name, "intel");
    return !other && (device->threads_per_warp == 0 || device->threads_per_warp == 32);
}

static const struct peak_chip_row *find_chip(const struct peak_device *device)
{
    bool consumer = mentions(device->name, "geforce");
    const struct peak_chip_row *found = NULL;
    /* Jetson Thor was 10.1 before CUDA 13. */
    bool is_thor = device->compute_major == 10 && device->compute_minor == 1;
    uint32_t major = is_thor ? 11 : device->compute_major,
             minor = is_thor ? 0 : device->compute_minor;
    for (uint32_t i = CHIP_NONE + 1; i < PEAK_CHIPS; i++)
        if (peak_chips[i].major == major && peak_chips[i].minor == minor &&
            (!found || peak_chips[i].consumer == consumer))
            found = &peak_chips[i];
    return found;
}

static bool derive(struct peak_rates *rates, const struct peak_device *device)
{
    const struct peak_chip_row *chip = is_of_nvidia(device) ? find_chip(device) : NULL;
    if (!chip || device->multiprocessors == 0 || device->core_clock_khz == 0)
        return false;
    peak_row_spread(&chip->per_clock,
                    (double)device->multiprocessors * device->core_clock_khz / 1e9,
                    &rates->figures);
    rates->figures.memory_gb = (double)device->memory_bytes / GIB;
    if (!mentions(device->name, "MIG"))
        rates->figures.bandwidth_gbs = (double)device->memory_bandwidth / 1e9;
    rates->origin = PEAK_DERIVED;
    rates->source = chip->source;
    rates->caveat =
        "derived from compute capability: multiprocessors x clock of the trace x operations "
        "per clock";
    snprintf(rates->name, sizeof rates->name, "compute capability %u.%u", device->compute_major,
             device->compute_minor);
    return true;
}

/* ---- all of it ---- */

static const char *why_unknown(const struct match *match, const char *name)
{
    if (!*name)
        return "the recording does not tell the device's name";
    if (device_name_has(name, "mig"))
        return "a slice of a device (MIG), of which the recording does not tell multiprocessors "
               "and clock";
    if (match->other_count)
        return "the recording's multiprocessors are not those of the model with this name";
    if (match->other_words)
        return "the name says that it is another model than the one with known rates";
    return "no rates are known for this name";
}

static void find_known(struct peak_rates *rates, const char *name, const struct peak_device *device)
{
    struct match match = {0};
    if (is_simulated(device)) {
        rates->caveat = "a simulated device has no peak rates";
        return;
    }
    if (*name)
        match = find_entry(name, device);
    if (match.entry)
        take_from_table(rates, &match, device);
    else if (!derive(rates, device))
        rates->caveat = why_unknown(&match, name);
}

static void take_from_file(struct peak_rates *rates, const struct peak_file *file,
                           const struct peak_section *section)
{
    for (unsigned type = 0; type < OP_TYPES; type++)
        if (section->types & (1u << type)) {
            rates->figures.matrix[type] = section->figures.matrix[type];
            rates->figures.vector[type] = 0;
        }
    if (section->has_bandwidth)
        rates->figures.bandwidth_gbs = section->figures.bandwidth_gbs;
    if (section->has_memory)
        rates->figures.memory_gb = section->figures.memory_gb;
    if (rates->origin == PEAK_UNKNOWN)
        rates->caveat = "";
    rates->file_types = section->types;
    rates->beside = rates->source;
    rates->source = file->path;
    rates->origin = PEAK_FILE;
    snprintf(rates->name, sizeof rates->name, "%s", section->name);
}

void peak_rates_find(struct peak_rates *rates, const struct peak_device *device,
                     const struct peak_file *file)
{
    static const struct peak_device nothing = {.name = {"", 0}};
    char name[DEVICE_NAME_BYTES];
    device = device ? device : &nothing;
    *rates = (struct peak_rates){.source = "", .beside = "", .caveat = ""};
    device_name_normalize(device->name, name);
    find_known(rates, name, device);
    const struct peak_section *section = file ? peak_file_find(file, name) : NULL;
    if (section)
        take_from_file(rates, file, section);
}

struct peak_device peak_device_of(const struct timeline *timeline, const struct tl_device *device)
{
    const struct prof_rec_device *info = &device->info;
    return (struct peak_device){
        .name = device->name < timeline->names.count ? timeline->names.at[device->name]
                                                     : (struct text){"", 0},
        .compute_major = info->compute_major,
        .compute_minor = info->compute_minor,
        .multiprocessors = info->multiprocessors,
        .core_clock_khz = info->core_clock_khz,
        .threads_per_warp = info->threads_per_warp,
        .memory_bytes = info->memory_bytes,
        .memory_bandwidth = info->memory_bandwidth,
        .simulated = timeline->processes.at[device->process].info.simulated,
    };
}

static enum op_type part_of(enum op_type type)
{
    return type == OP_C64 ? OP_F64 : type == OP_C32 ? OP_F32 : type == OP_C16 ? OP_F16 : type;
}

double peak_rates_of(const struct peak_rates *rates, enum op_type type)
{
    type = part_of(type);
    double vector = rates->figures.vector[type], matrix = rates->figures.matrix[type];
    double higher = vector > matrix ? vector : matrix;
    return higher > 0 ? higher : (double)NAN;
}

double peak_rates_bandwidth(const struct peak_rates *rates)
{
    return rates->figures.bandwidth_gbs > 0 ? rates->figures.bandwidth_gbs : (double)NAN;
}

const char *peak_origin_name(enum peak_origin origin)
{
    static const char *const names[] = {"unknown", "table", "derived", "file"};
    return names[origin];
}
