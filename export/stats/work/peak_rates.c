#include "peak_rates.h"

#include "array.h"
#include "peak_table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of devices ---- */

static const char *const vendor_words[] = {"nvidia", "amd", "tesla",       "geforce", "instinct",
                                           "jetson", "gpu", "accelerator", "tm",      "r"};

static bool is_word(const char *word, size_t size, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0)
            return true;
    return false;
}

static bool is_letter(char letter)
{
    return (text_lower(letter) >= 'a' && text_lower(letter) <= 'z') ||
           (letter >= '0' && letter <= '9');
}

/* Appends a word of the name, unless it is a vendor's; returns the new length. */
static size_t add_word(char to[DEVICE_NAME_BYTES], size_t used, const char *word, size_t size)
{
    size_t start = used ? used + 1 : 0;
    if (start + size + 1 > DEVICE_NAME_BYTES)
        return used;
    for (size_t i = 0; i < size; i++)
        to[start + i] = text_lower(word[i]);
    if (is_word(to + start, size, vendor_words, sizeof vendor_words / sizeof *vendor_words)) {
        to[used] = '\0';
        return used;
    }
    if (used)
        to[used] = ' ';
    to[start + size] = '\0';
    return start + size;
}

void device_name_normalize(struct text name, char to[DEVICE_NAME_BYTES])
{
    size_t used = 0, at = 0;
    to[0] = '\0';
    while (at < name.size) {
        size_t start = at;
        while (at < name.size && is_letter(name.bytes[at]))
            at++;
        if (at > start)
            used = add_word(to, used, name.bytes + start, at - start);
        else
            at++;
    }
}

bool device_name_begins(const char *name, const char *words)
{
    size_t size = strlen(words);
    return strncmp(name, words, size) == 0 && (name[size] == '\0' || name[size] == ' ');
}

/* The next word from `*at` on; 0: there is none. */
static size_t next_word(const char **at)
{
    *at += strspn(*at, " ");
    return strcspn(*at, " ");
}

/* Whether this is one of its words. */
static bool device_name_has(const char *name, const char *word)
{
    size_t size, wanted = strlen(word);
    for (const char *at = name; (size = next_word(&at)) != 0; at += size)
        if (size == wanted && memcmp(at, word, size) == 0)
            return true;
    return false;
}

/* "80gb", "144g", "80", "gb", "hbm3e", "gddr6x" */
static bool says_memory(const char *word, size_t size)
{
    static const char *const units[] = {"gb", "g", "gib", ""};
    size_t digits = strspn(word, "0123456789");
    if (strncmp(word, "hbm", 3) == 0 || strncmp(word, "gddr", 4) == 0)
        return true;
    if (digits > size)
        digits = size;
    return is_word(word + digits, size - digits, units, digits ? 3 : 1);
}

bool device_name_is_memory(const char *rest)
{
    size_t size;
    for (const char *at = rest; (size = next_word(&at)) != 0; at += size)
        if (!says_memory(at, size))
            return false;
    return true;
}

struct reading {
    struct peak_file *file;
    struct peak_section *section; /* that lines are of; NULL before the first */
    uint32_t line;
    char *error;
};

static bool fail(const struct reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(const struct reading *reading, const char *format, ...)
{
    int used = snprintf(reading->error, PEAK_FILE_ERROR_BYTES, "%.200s:%u: ", reading->file->path,
                        reading->line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reading->error + used, PEAK_FILE_ERROR_BYTES - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

/* Without blanks around it. */
static char *trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    for (size_t size = strlen(text); size && strchr(blanks, text[size - 1]); size--)
        text[size - 1] = '\0';
    return text;
}

/* ---- sections ---- */

static const struct peak_section *same_section(const struct peak_file *file, const char *words)
{
    for (uint32_t i = 0; i < file->count; i++)
        if (strcmp(file->at[i].words, words) == 0)
            return &file->at[i];
    return NULL;
}

static bool begin_section(struct reading *reading, char *name)
{
    struct peak_section section = {.line = reading->line};
    size_t size = strlen(name);
    if (name[size - 1] != ']')
        return fail(reading, "a section ends with ']'");
    name[size - 1] = '\0';
    name = trim(name + 1);
    device_name_normalize((struct text){name, strlen(name)}, section.words);
    if (!*section.words && strcmp(name, "*") != 0)
        return fail(reading, "'%.100s' is not a device name; [*] matches every device", name);
    const struct peak_section *same = same_section(reading->file, section.words);
    if (same)
        return fail(reading, "[%.100s] is the same device as [%.100s] of line %u", name, same->name,
                    same->line);
    snprintf(section.name, sizeof section.name, "%.127s", name);
    reading->section = ARRAY_ADD(reading->file);
    if (!reading->section)
        return fail(reading, "%s", strerror(ENOMEM));
    *reading->section = section;
    return true;
}

/* ---- figures ---- */

static bool read_number(const struct reading *reading, const char *key, const char *text,
                        double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (end == text || *end || strpbrk(text, "xXpP"))
        return fail(reading, "%.60s: '%.100s' is not a decimal number", key, text);
    if (!isfinite(*number) || *number <= 0)
        return fail(reading, "%.60s: '%.100s' is not a positive number", key, text);
    return true;
}

static bool set_once(const struct reading *reading, const char *key, const char *text, bool *given,
                     double *figure)
{
    if (*given)
        return fail(reading, "%.60s was given before in [%.100s]", key, reading->section->name);
    *given = true;
    return read_number(reading, key, text, figure);
}

static bool set_rate(const struct reading *reading, const char *key, const char *text)
{
    struct peak_section *section = reading->section;
    enum op_type type = op_type_find((struct text){key, strlen(key)});
    if (type == OP_TYPE_UNKNOWN)
        return fail(reading,
                    "'%.60s' is neither a type (float16, bf16, tf32, int8 ...), bandwidth_gbs nor "
                    "memory_gb",
                    key);
    bool given = section->types & (1u << type);
    section->types |= 1u << type;
    return set_once(reading, key, text, &given, &section->figures.matrix[type]);
}

static bool read_figure(const struct reading *reading, char *line)
{
    struct peak_section *section = reading->section;
    char *equals = strchr(line, '=');
    if (!equals)
        return fail(reading, "'%.100s' is neither [a device] nor figure = number", line);
    if (!section)
        return fail(reading, "a figure before the first [device]");
    *equals = '\0';
    const char *key = trim(line), *text = trim(equals + 1);
    if (strcmp(key, "bandwidth_gbs") == 0)
        return set_once(reading, key, text, &section->has_bandwidth,
                        &section->figures.bandwidth_gbs);
    if (strcmp(key, "memory_gb") == 0)
        return set_once(reading, key, text, &section->has_memory, &section->figures.memory_gb);
    return set_rate(reading, key, text);
}

/* ---- file ---- */

static bool read_line(struct reading *reading, char *line, size_t size)
{
    reading->line++;
    if (strlen(line) != size)
        return fail(reading, "there is a zero byte in the line");
    line[strcspn(line, "#;")] = '\0';
    line = trim(line);
    if (!*line)
        return true;
    return *line == '[' ? begin_section(reading, line) : read_figure(reading, line);
}

static bool read_lines(struct reading *reading, FILE *stream)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size = 0;
    bool good = true;
    errno = 0;
    while (good && (size = getline(&line, &room, stream)) >= 0)
        good = read_line(reading, line, (size_t)size);
    if (good && ferror(stream))
        good = fail(reading, "%s", strerror(errno));
    else if (good && reading->file->count == 0)
        good = fail(reading, "there is no [device] in this file");
    free(line);
    return good;
}

bool peak_file_read(struct peak_file *file, const char *path, char error[PEAK_FILE_ERROR_BYTES])
{
    struct reading reading = {.file = file, .error = error};
    FILE *stream = fopen(path, "re");
    int code = errno;
    *file = (struct peak_file){.path = strdup(path)};
    bool good = stream && file->path && read_lines(&reading, stream);
    if (!stream || !file->path)
        snprintf(error, PEAK_FILE_ERROR_BYTES, "%.400s: %s", path,
                 strerror(stream ? ENOMEM : code));
    if (stream)
        fclose(stream);
    if (!good)
        peak_file_fini(file);
    return good;
}

void peak_file_fini(struct peak_file *file)
{
    free(file->path);
    free(file->at);
    *file = (struct peak_file){0};
}

/* The section for a device, by its normalised name; NULL none. */
static const struct peak_section *peak_file_find(const struct peak_file *file, const char *name)
{
    const struct peak_section *best = NULL;
    for (uint32_t i = 0; i < file->count; i++) {
        const struct peak_section *section = &file->at[i];
        bool is_for = !*section->words || device_name_begins(name, section->words);
        if (is_for && (!best || strlen(section->words) > strlen(best->words)))
            best = section;
    }
    return best;
}

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
    bool other_words; /* or the name has more words */
};

/* Words that denote another model, whatever else is in the name. */
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

static void consider_entry(struct match *match, const struct peak_entry *entry, size_t words,
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
        consider_entry(match, entry, size, device);
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

static void copy_from_table(struct peak_rates *rates, const struct match *match,
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
        rates->caveat = "its memory size differs from the model's: the bandwidth is unknown";
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
        return "the recording does not have the device's name";
    if (device_name_has(name, "mig"))
        return "a slice of a device (MIG) whose multiprocessors and clock were not recorded";
    if (match->other_count)
        return "the recording's multiprocessors are not those of the model with this name";
    if (match->other_words)
        return "the name denotes another variant of a model with known rates";
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
        copy_from_table(rates, &match, device);
    else if (!derive(rates, device))
        rates->caveat = why_unknown(&match, name);
}

static void copy_from_file(struct peak_rates *rates, const struct peak_file *file,
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
        copy_from_file(rates, file, section);
}

struct peak_device peak_device_of(const struct timeline *timeline, const struct tl_device *device)
{
    const struct tl_device_info *info = &device->info;
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
