/* pytorch_report.c - see pytorch_report.h. */
#include "pytorch_report.h"

#include "python_text.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices and types ---- */

static const struct pytorch_device known_devices[] = {
    {"NVIDIA H100", 67.0, 67.5, 156.0, 1979.0, 3958.0, 3958.0, "3350", "80", false},
    {"NVIDIA A100", 19.5, 19.5, 156.0, 312.5, 0, 624.0, "2039.0", "80.0", true},
    {"NVIDIA L4", 15.1, 30.3, 120.0, 242.0, 485.0, 485.0, "3350", "24", false},
    {"AMD MI350X", 72.1, 144.2, 144.2, 2309.6, 4614.0, 4614.0, "8000.0", "288.0", false},
    {"AMD MI300A", 122.6, 122.6, 490.3, 980.6, 1961.2, 1961.2, "5300.0", "128.0", false},
    {"AMD MI300X", 163.4, 163.4, 653.7, 1307.4, 2614.9, 2614.9, "5300.0", "192.0", false},
    {"AMD MI210X", 45.3, 45.3, 45.3, 181.0, 181.0, 181.0, "1600.0", "64.0", false},
};

static const struct {
    const char *name;
    enum pytorch_type type;
} types[] = {
    {"float", PYTORCH_F32},
    {"float32", PYTORCH_F32},
    {"double", PYTORCH_F64},
    {"float64", PYTORCH_F64},
    {"int", PYTORCH_I32},
    {"int32", PYTORCH_I32},
    {"int8", PYTORCH_I8},
    {"int16", PYTORCH_I16},
    {"long", PYTORCH_I64},
    {"long int", PYTORCH_I64},
    {"signed char", PYTORCH_I8},
    {"unsigned char", PYTORCH_U8},
    {"bool", PYTORCH_BOOL},
    {"bfloat16", PYTORCH_BF16},
    {"float16", PYTORCH_F16},
    {"c10::BFloat16", PYTORCH_BF16},
    {"c10::Half", PYTORCH_F16},
    {"c10::complex<float>", PYTORCH_C64},
    {"c10::complex<double>", PYTORCH_C128},
};

enum pytorch_type pytorch_type_find(struct text name)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (text_is(name, types[i].name))
            return types[i].type;
    return PYTORCH_NO_TYPE;
}

const char *pytorch_type_name(enum pytorch_type type)
{
    static const char *const names[] = {
        [PYTORCH_NO_TYPE] = "None",         [PYTORCH_F64] = "torch.float64",
        [PYTORCH_F32] = "torch.float32",    [PYTORCH_BF16] = "torch.bfloat16",
        [PYTORCH_F16] = "torch.float16",    [PYTORCH_I64] = "torch.int64",
        [PYTORCH_I32] = "torch.int32",      [PYTORCH_I16] = "torch.int16",
        [PYTORCH_I8] = "torch.int8",        [PYTORCH_U8] = "torch.uint8",
        [PYTORCH_BOOL] = "torch.bool",      [PYTORCH_C64] = "torch.complex64",
        [PYTORCH_C128] = "torch.complex128"};
    return names[type];
}

const struct pytorch_device *pytorch_device_find(struct text name)
{
    static const char second[] =
        "AMD INSTINCT MI"; /* 350X, 300X, 210X: the same without INSTINCT */
    size_t skipped = 0;
    if (name.size > sizeof second - 1 && memcmp(name.bytes, second, sizeof second - 1) == 0 &&
        name.bytes[name.size - 1] == 'X')
        skipped = strlen("INSTINCT ");
    for (size_t i = 0; i < sizeof known_devices / sizeof known_devices[0]; i++) {
        const char *known = known_devices[i].name;
        if (strlen(known) + skipped == name.size && memcmp(known, name.bytes, 4) == 0 &&
            memcmp(known + 4, name.bytes + 4 + skipped, name.size - 4 - skipped) == 0)
            return &known_devices[i];
    }
    return NULL;
}

double pytorch_device_tops(const struct pytorch_device *device, enum pytorch_type type)
{
    switch (type) {
    case PYTORCH_F64:
        return device->f64;
    case PYTORCH_F32:
        return device->f32;
    case PYTORCH_BF16:
    case PYTORCH_F16:
        return device->half;
    case PYTORCH_I8:
        return device->i8;
    default:
        return 0;
    }
}

double pytorch_device_bandwidth(const struct pytorch_device *device)
{
    return strtod(device->bandwidth, NULL);
}

/* ---- runs of kernels added up ---- */

static struct pytorch_row *row_of(struct pytorch_rows *rows, struct text name)
{
    uint32_t number = text_pool_number(&rows->names, name);
    if (number == 0)
        return NULL;
    if (number >= rows->capacity) {
        uint32_t capacity = rows->capacity ? rows->capacity * 2 : 64;
        struct pytorch_row *at = realloc(rows->at, capacity * sizeof *at);
        if (!at)
            return NULL;
        memset(at + rows->capacity, 0, (capacity - rows->capacity) * sizeof *at);
        rows->at = at;
        rows->capacity = capacity;
    }
    rows->at[number].name = text_pool_text(&rows->names, number);
    return &rows->at[number];
}

/* One zero for both. */
static double plain(double value)
{
    return value == 0 ? 0 : value;
}

/* `*is_new`: no run of the row has these numbers. */
static bool note(struct pytorch_rows *rows, const struct pytorch_row *row,
                 const struct pytorch_sample *sample, bool *is_new)
{
    const double numbers[] = {(double)(row - rows->at),    plain(sample->flop_rate),
                              plain(sample->rate),         plain(sample->duration_us),
                              plain(sample->flop_percent), plain(sample->percent)};
    uint32_t before = rows->samples.count;
    uint32_t number =
        text_pool_number(&rows->samples, (struct text){(const char *)numbers, sizeof numbers});
    *is_new = rows->samples.count != before;
    return number != 0;
}

static void add(struct pytorch_row *row, const struct pytorch_sample *sample)
{
    struct pytorch_sample *sum = &row->sum;
    if (sample->flop_rate != 0) {
        sum->flop_rate += sample->flop_rate;
        sum->flop_percent += sample->flop_percent;
        row->flop_count++;
    }
    if (sample->rate != 0) {
        sum->rate += sample->rate;
        sum->percent += sample->percent;
        row->rate_count++;
    }
    sum->duration_us += sample->duration_us;
    row->count++;
}

bool pytorch_rows_add(struct pytorch_rows *rows, struct text name,
                      const struct pytorch_sample *sample)
{
    struct pytorch_row *row = row_of(rows, name);
    bool is_new;
    if (!row || !note(rows, row, sample, &is_new))
        return false;
    if (is_new)
        add(row, sample);
    return true;
}

void pytorch_rows_fini(struct pytorch_rows *rows)
{
    text_pool_fini(&rows->names);
    text_pool_fini(&rows->samples);
    free(rows->at);
    *rows = (struct pytorch_rows){0};
}

struct pytorch_device_rows *pytorch_device_rows_find(struct pytorch_device_rows *devices,
                                                     uint32_t count, struct text id)
{
    for (uint32_t i = 0; i < count; i++)
        if (text_equals(devices[i].id, id))
            return &devices[i];
    return NULL;
}

static const char *const headings[] = {"Kernel Count",      "FLOPS",
                                       "Kernel Reads (GB)", "Dur (us)",
                                       "Achieved FLOPS %",  "Achieved Bandwidth %"};
#define VALUES (sizeof headings / sizeof headings[0])

/* ---- tables ---- */

/* Characters, not bytes. */
static unsigned width_of(struct text text)
{
    unsigned width = 0;
    for (size_t i = 0; i < text.size; i++)
        width += ((unsigned char)text.bytes[i] & 0xc0) != 0x80;
    return width;
}

static void put_cell(FILE *to, const struct pytorch_cell *cell, unsigned width)
{
    int pad = (int)(width - width_of(cell->text));
    fprintf(to, " %*s", cell->is_number ? pad : 0, "");
    fwrite(cell->text.bytes, 1, cell->text.size, to);
    fprintf(to, "%*s ", cell->is_number ? 0 : pad, "");
}

static void put_row(FILE *to, const struct pytorch_cell *cells, const unsigned *widths,
                    uint32_t columns)
{
    for (uint32_t i = 0; i < columns; i++) {
        if (i)
            putc('|', to);
        put_cell(to, &cells[i], widths[i]);
    }
}

bool pytorch_tabulate(FILE *to, const struct pytorch_cell *cells, uint32_t rows, uint32_t columns)
{
    unsigned *widths = calloc(columns + 1, sizeof *widths);
    if (!widths)
        return false;
    for (uint32_t i = 0; i < rows * columns; i++) {
        unsigned width = width_of(cells[i].text);
        if (width > widths[i % columns])
            widths[i % columns] = width;
    }
    put_row(to, cells, widths, columns);
    putc('\n', to);
    for (uint32_t i = 0; i < columns; i++)
        for (unsigned j = 0; j < widths[i] + 2 + (i > 0); j++)
            putc('-', to);
    for (uint32_t i = 1; i < rows; i++) {
        putc('\n', to);
        put_row(to, cells + i * columns, widths, columns);
    }
    free(widths);
    return !ferror(to);
}

/* ---- pairs ---- */

static bool number_all(struct text_pool *pool, const struct text *texts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!text_pool_number(pool, texts[i]))
            return false;
    return true;
}

/* Numbered from 1 in the order of `second`, so that a number beyond is a text of the first
 * alone. */
bool pytorch_zip(const struct text *first, uint32_t first_count, const struct text *second,
                 uint32_t second_count, struct pytorch_pair *pairs, uint32_t *count)
{
    struct text_pool pool = {0};
    bool *taken = calloc((size_t)second_count + 1, sizeof *taken);
    bool good = taken && number_all(&pool, second, second_count);
    *count = 0;
    for (uint32_t i = 0; i < first_count && good; i++) {
        uint32_t number = text_pool_number(&pool, first[i]);
        bool both = number && number <= second_count;
        good = number != 0;
        if (both)
            taken[number - 1] = true;
        pairs[(*count)++] = (struct pytorch_pair){i, both ? number - 1 : UINT32_MAX};
    }
    for (uint32_t i = 0; i < second_count && good; i++)
        if (!taken[i])
            pairs[(*count)++] = (struct pytorch_pair){UINT32_MAX, i};
    free(taken);
    text_pool_fini(&pool);
    return good;
}

/* ---- reports ---- */

struct report {
    FILE *to;
    struct text_pool texts; /* of cells */
    struct pytorch_cell *cells;
    uint32_t used;
    unsigned name_limit;
    bool failed;
};

static void put_text(struct report *report, struct text text)
{
    struct text copy = text_pool_copy(&report->texts, text);
    report->failed |= !copy.bytes;
    if (!report->failed)
        report->cells[report->used++].text = copy;
}

static void put_string(struct report *report, const char *string)
{
    put_text(report, (struct text){string, strlen(string)});
}

static void put_name(struct report *report, struct text name)
{
    bool rest;
    char *shown = malloc(SHOW_TEXT_BYTES((size_t)report->name_limit));
    report->failed |= !shown;
    if (shown) {
        show_text(name, report->name_limit, shown, &rest);
        put_string(report, shown);
    }
    free(shown);
}

static void put_mean(struct report *report, double sum, uint32_t count)
{
    char text[400];
    if (count)
        snprintf(text, sizeof text, "%.4f", sum / count);
    put_string(report, count ? text : "0.0");
}

/* NULL: the kernel is not in that trace. */
static void put_values(struct report *report, const struct pytorch_row *row)
{
    char count[16];
    for (size_t i = 0; i < VALUES && !row; i++)
        put_string(report, "Empty");
    if (!row)
        return;
    snprintf(count, sizeof count, "%" PRIu32, row->count);
    put_string(report, count);
    put_mean(report, row->sum.flop_rate, row->flop_count);
    put_mean(report, row->sum.rate, row->rate_count);
    put_mean(report, row->sum.duration_us, row->count);
    put_mean(report, row->sum.flop_percent, row->flop_count);
    put_mean(report, row->sum.percent, row->rate_count);
}

/* "Table 1 FLOPS"; without a name "FLOPS". */
static void put_headings(struct report *report, const char *name)
{
    for (size_t i = 0; i < VALUES; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s%s", name ? name : "", name ? " " : "", headings[i]);
        bool rest;
        char shown[SHOW_TEXT_BYTES(256)];
        show_text((struct text){text, strlen(text)}, 256, shown, &rest);
        put_string(report, shown);
    }
}

static void put_top(FILE *to, bool *any, const char *type, double tops)
{
    char number[PYTHON_TEXT_BYTES];
    if (tops == 0)
        return;
    python_float(tops, number);
    fprintf(to, "%s%s: %s", *any ? ", " : "", type, number);
    *any = true;
}

static void put_info(FILE *to, const struct pytorch_device *device)
{
    static const char *const f8[] = {"torch.float8_e8m0fnu", "torch.float8_e4m3fnuz",
                                     "torch.float8_e5m2", "torch.float8_e5m2fnuz"};
    bool any = false;
    fputs("DeviceInfo(tops={", to);
    put_top(to, &any, "torch.float64", device->f64);
    put_top(to, &any, "torch.float32", device->f32);
    put_top(to, &any, "'torch.tf32'", device->i8_first ? 0 : device->tf32);
    put_top(to, &any, "torch.bfloat16", device->half);
    put_top(to, &any, "torch.float16", device->half);
    for (size_t i = 0; i < sizeof f8 / sizeof f8[0]; i++)
        put_top(to, &any, f8[i], device->f8);
    put_top(to, &any, "torch.int8", device->i8);
    put_top(to, &any, "'torch.tf32'", device->i8_first ? device->tf32 : 0);
    fprintf(to, "}, dram_bw_gbs=%s, dram_gb=%s)", device->bandwidth, device->memory);
}

static void put_device(FILE *to, const struct pytorch_device_rows *device)
{
    char name[SHOW_TEXT_BYTES(200)], id[SHOW_TEXT_BYTES(40)];
    bool rest;
    show_text(device->name, 200, name, &rest);
    show_text(device->id, 40, id, &rest);
    fprintf(to, "Device(%s, %s): ", name, id);
    if (device->device)
        put_info(to, device->device);
    else
        fputs("None", to);
    fputs(":\n", to);
}

static bool begin_table(struct report *report, size_t rows, size_t columns)
{
    report->used = 0;
    report->cells = calloc(rows * columns + 1, sizeof *report->cells);
    report->failed |= !report->cells;
    return !report->failed;
}

/* The table, after the ones before it. */
static void end_table(struct report *report, const struct pytorch_device_rows *device, bool first,
                      size_t columns)
{
    if (!report->failed) {
        if (!first)
            putc('\n', report->to);
        put_device(report->to, device);
        report->failed |= !pytorch_tabulate(report->to, report->cells,
                                            (uint32_t)(report->used / columns), (uint32_t)columns);
    }
    free(report->cells);
    text_pool_fini(&report->texts);
}

static void write_device(struct report *report, const struct pytorch_device_rows *device,
                         bool first)
{
    uint32_t count = device->rows.names.count;
    if (!begin_table(report, count + 1, VALUES + 1))
        return;
    put_string(report, "Kernel Name");
    put_headings(report, NULL);
    for (uint32_t i = 1; i <= count; i++) {
        put_name(report, device->rows.at[i].name);
        put_values(report, &device->rows.at[i]);
    }
    end_table(report, device, first, VALUES + 1);
}

bool pytorch_report_write(FILE *to, const struct pytorch_device_rows *devices, uint32_t count,
                          unsigned name_limit)
{
    struct report report = {.to = to, .name_limit = name_limit};
    for (uint32_t i = 0; i < count && !report.failed; i++)
        write_device(&report, &devices[i], i == 0);
    putc('\n', to);
    return !report.failed && !ferror(to);
}

static const struct pytorch_row *row_at(const struct pytorch_rows *rows, uint32_t index)
{
    return index == UINT32_MAX ? NULL : &rows->at[index + 1];
}

static void write_pairs(struct report *report, const struct pytorch_rows *first,
                        const struct pytorch_rows *second, const struct pytorch_pair *pairs,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct pytorch_row *a = row_at(first, pairs[i].first),
                                 *b = row_at(second, pairs[i].second);
        put_name(report, a ? a->name : b->name);
        put_values(report, a);
        put_values(report, b);
    }
}

static void write_both(struct report *report, const struct pytorch_device_rows *device,
                       const struct pytorch_device_rows *other, const char *const names[2],
                       bool first)
{
    uint32_t a = device->rows.names.count, b = other->rows.names.count;
    struct pytorch_pair *pairs = calloc((size_t)a + b + 1, sizeof *pairs);
    report->failed |= !pairs;
    if (pairs && begin_table(report, (size_t)a + b + 1, 2 * VALUES + 1)) {
        uint32_t count;
        report->failed |=
            !pytorch_zip(device->rows.names.at, a, other->rows.names.at, b, pairs, &count);
        put_string(report, "Kernel Name");
        put_headings(report, names[0]);
        put_headings(report, names[1]);
        write_pairs(report, &device->rows, &other->rows, pairs, count);
        end_table(report, device, first, 2 * VALUES + 1);
    }
    free(pairs);
}

bool pytorch_report_write_both(FILE *to, const struct pytorch_device_rows *devices,
                               const struct pytorch_device_rows *other, uint32_t count,
                               const char *const names[2], unsigned name_limit)
{
    struct report report = {.to = to, .name_limit = name_limit};
    for (uint32_t i = 0; i < count && !report.failed; i++) {
        const struct pytorch_device_rows *second =
            pytorch_device_rows_find((struct pytorch_device_rows *)other, count, devices[i].id);
        if (second)
            write_both(&report, &devices[i], second, names, i == 0);
    }
    putc('\n', to);
    return !report.failed && !ferror(to);
}
