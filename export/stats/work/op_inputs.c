#include "op_inputs.h"

#include <stdlib.h>
#include <string.h>

/* What is left of a list: begin with op_list_open(). */
struct op_list {
    const char *at, *end;
    bool failed; /* it is not a list */
    bool ended;  /* its bracket was closed */
};

/* ---- lists: brackets and quotes alone delimit elements, which are parsed later ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

static struct text trim(struct text text)
{
    if (text.size == 0)
        return text;
    const char *end = text.bytes + text.size;
    const char *at = skip_space(text.bytes, end);
    while (end > at && is_space(end[-1]))
        end--;
    return (struct text){at, (size_t)(end - at)};
}

static bool opens(char c)
{
    return c == '[' || c == '(';
}

static bool closes(char c)
{
    return c == ']' || c == ')';
}

/* At the bracket of a list: its elements are next. */
static struct op_list op_list_open(struct text text)
{
    struct op_list list = {0};
    struct text whole = trim(text);
    list.failed = whole.size == 0 || !opens(whole.bytes[0]);
    list.at = list.failed ? NULL : whole.bytes + 1;
    list.end = list.failed ? NULL : whole.bytes + whole.size;
    return list;
}

/* Behind the closing quote; NULL: there is none. `at` is behind the opening one. */
static const char *skip_string(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at == '\\' && at + 1 < end)
            at++;
        else if (*at == '"')
            return at + 1;
    }
    return NULL;
}

/* Behind the bracket that closes; NULL: there is none. `at` is at the opening one. */
static const char *skip_list(const char *at, const char *end)
{
    size_t depth = 0;
    while (at < end) {
        char c = *at++;
        depth += opens(c);
        if (c == '"' && !(at = skip_string(at, end)))
            return NULL;
        if (closes(c) && --depth == 0)
            return at;
    }
    return NULL;
}

static const char *skip_word(const char *at, const char *end)
{
    while (at < end && *at != ',' && *at != '"' && !opens(*at) && !closes(*at))
        at++;
    return at;
}

static const char *skip_element(const char *at, const char *end, struct text *element)
{
    const char *behind;
    if (*at == '"') {
        behind = skip_string(at + 1, end);
        *element = (struct text){at + 1, behind ? (size_t)(behind - at) - 2 : 0};
        return behind;
    }
    behind = opens(*at) ? skip_list(at, end) : skip_word(at, end);
    if (behind)
        *element = trim((struct text){at, (size_t)(behind - at)});
    return element->size ? behind : NULL;
}

static bool fail(struct op_list *list)
{
    list->failed = true;
    return false;
}

/* The next element, as it is in the text: a string without its quotes, a list with its brackets.
 * False: there is none, or the list failed. */
static bool op_list_next(struct op_list *list, struct text *element)
{
    if (list->failed || list->ended)
        return false;
    list->at = skip_space(list->at, list->end);
    if (list->at == list->end)
        return fail(list);
    if (closes(*list->at)) {
        list->ended = true;
        list->at++;
        return false;
    }
    *element = (struct text){0};
    list->at = skip_element(list->at, list->end, element);
    if (!list->at)
        return fail(list);
    list->at = skip_space(list->at, list->end);
    if (list->at < list->end && *list->at == ',')
        list->at++;
    else if (list->at == list->end || !closes(*list->at))
        return fail(list);
    return true;
}

/* Ended, and nothing but spaces after it. */
static bool op_list_is_whole(const struct op_list *list)
{
    return list->ended && !list->failed && skip_space(list->at, list->end) == list->end;
}

/* Whether an element is a list. */
static bool op_text_is_list(struct text element)
{
    return element.size && opens(element.bytes[0]);
}

/* Most numbers are a few digits. False: look at it in another way. */
static bool plain_integer(struct text text, int64_t *number)
{
    bool minus = text.size && text.bytes[0] == '-';
    int64_t value = 0;
    if (text.size <= minus || text.size > 15)
        return false;
    for (size_t i = minus; i < text.size; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9')
            return false;
        value = value * 10 + (text.bytes[i] - '0');
    }
    *number = minus ? -value : value;
    return true;
}

/* strtod() would take "nan" and "0x10". */
static bool is_decimal(struct text text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!memchr("+-.eE0123456789", text.bytes[i], 15))
            return false;
    return text.size > 0;
}

bool op_text_integer(struct text text, int64_t *number)
{
    const double limit = 9007199254740992.0;
    char buffer[32], *end;
    text = trim(text);
    if (plain_integer(text, number))
        return true;
    if (text.size >= sizeof buffer || !is_decimal(text))
        return false;
    memcpy(buffer, text.bytes, text.size);
    buffer[text.size] = '\0';
    double value = strtod(buffer, &end);
    if (end != buffer + text.size || !(value >= -limit && value <= limit) ||
        value != (double)(int64_t)value)
        return false;
    *number = (int64_t)value;
    return true;
}

static bool is_word(struct text text, const char *word)
{
    size_t size = strlen(word);
    if (text.size != size)
        return false;
    for (size_t i = 0; i < size; i++)
        if ((text.bytes[i] | 0x20) != word[i])
            return false;
    return true;
}

bool op_text_truth(struct text text, bool *truth)
{
    int64_t number;
    text = trim(text);
    if (op_text_integer(text, &number)) {
        *truth = number != 0;
        return number == 0 || number == 1;
    }
    *truth = is_word(text, "true");
    return *truth || is_word(text, "false");
}

typedef bool element_reader(struct text text, void *to, int index);

static bool read_integer(struct text text, void *to, int index)
{
    return op_text_integer(text, (int64_t *)to + index);
}

static bool read_truth(struct text text, void *to, int index)
{
    return op_text_truth(text, (bool *)to + index);
}

static int read_list(struct text text, element_reader *read, void *to, int most)
{
    struct text element = trim(text);
    int count = 0;
    if (!op_text_is_list(element))
        return most > 0 && read(element, to, 0) ? 1 : -1;
    struct op_list list = op_list_open(element);
    while (op_list_next(&list, &element))
        if (count == most || !read(element, to, count++))
            return -1;
    return op_list_is_whole(&list) ? count : -1;
}

int op_text_integers(struct text text, int64_t *numbers, int most)
{
    return read_list(text, read_integer, numbers, most);
}

int op_text_truths(struct text text, bool *truths, int most)
{
    return read_list(text, read_truth, truths, most);
}

/* ---- types, as C++ (in traces), PyTorch, NumPy and CUDA spell them ---- */

/* What is left of a spelling by simplify(), below. */
static const struct {
    const char *name;
    uint8_t type;
} spellings[] = {
    {"double", OP_F64},
    {"float64", OP_F64},
    {"fp64", OP_F64},
    {"f64", OP_F64},
    {"64f", OP_F64},
    {"float", OP_F32},
    {"float32", OP_F32},
    {"fp32", OP_F32},
    {"f32", OP_F32},
    {"32f", OP_F32},
    {"tf32", OP_TF32},
    {"bfloat16", OP_BF16},
    {"bf16", OP_BF16},
    {"__nv_bfloat16", OP_BF16},
    {"16bf", OP_BF16},
    {"half", OP_F16},
    {"float16", OP_F16},
    {"fp16", OP_F16},
    {"f16", OP_F16},
    {"__half", OP_F16},
    {"16f", OP_F16},
    {"float8", OP_F8},
    {"fp8", OP_F8},
    {"f8", OP_F8},
    {"float8_e4m3", OP_F8},
    {"float8_e4m3fn", OP_F8},
    {"float8_e4m3fnuz", OP_F8},
    {"float8_e5m2", OP_F8},
    {"float8_e5m2fnuz", OP_F8},
    {"float8_e8m0fnu", OP_F8},
    {"__nv_fp8_e4m3", OP_F8},
    {"__nv_fp8_e5m2", OP_F8},
    {"8f_e4m3", OP_F8},
    {"8f_e5m2", OP_F8},
    {"float6", OP_F6},
    {"fp6", OP_F6},
    {"6f_e2m3", OP_F6},
    {"6f_e3m2", OP_F6},
    {"float4", OP_F4},
    {"fp4", OP_F4},
    {"float4_e2m1fn", OP_F4},
    {"4f_e2m1", OP_F4},
    {"long", OP_I64},
    {"long long", OP_I64},
    {"int64", OP_I64},
    {"64i", OP_I64},
    {"64u", OP_I64},
    {"int", OP_I32},
    {"int32", OP_I32},
    {"qint32", OP_I32},
    {"32i", OP_I32},
    {"32u", OP_I32},
    {"short", OP_I16},
    {"int16", OP_I16},
    {"bits16", OP_I16},
    {"16i", OP_I16},
    {"16u", OP_I16},
    {"char", OP_I8},
    {"byte", OP_I8},
    {"int8", OP_I8},
    {"qint8", OP_I8},
    {"quint8", OP_I8},
    {"bits8", OP_I8},
    {"8i", OP_I8},
    {"8u", OP_I8},
    {"int4", OP_I4},
    {"4i", OP_I4},
    {"4u", OP_I4},
    {"bool", OP_BOOL},
    {"complex<double>", OP_C64},
    {"complexdouble", OP_C64},
    {"complex128", OP_C64},
    {"complex<float>", OP_C32},
    {"complexfloat", OP_C32},
    {"complex64", OP_C32},
    {"complex<c10::half>", OP_C16},
    {"complexhalf", OP_C16},
    {"complex32", OP_C16},
};

static const struct {
    const char *name;
    unsigned bits;
} type_facts[OP_TYPES] = {
    [OP_TYPE_UNKNOWN] = {"unknown", 0},
    [OP_F64] = {"float64", 64},
    [OP_F32] = {"float32", 32},
    [OP_TF32] = {"tf32", 32},
    [OP_BF16] = {"bfloat16", 16},
    [OP_F16] = {"float16", 16},
    [OP_F8] = {"float8", 8},
    [OP_F6] = {"float6", 6},
    [OP_F4] = {"float4", 4},
    [OP_I64] = {"int64", 64},
    [OP_I32] = {"int32", 32},
    [OP_I16] = {"int16", 16},
    [OP_I8] = {"int8", 8},
    [OP_I4] = {"int4", 4},
    [OP_BOOL] = {"bool", 8},
    [OP_C64] = {"complex128", 128},
    [OP_C32] = {"complex64", 64},
    [OP_C16] = {"complex32", 32},
};

#define SPELLING_BYTES 32u

static bool drop_prefix(struct text *name, const char *prefix)
{
    size_t size = strlen(prefix);
    if (name->size <= size || !text_begins(*name, prefix))
        return false;
    name->bytes += size;
    name->size -= size;
    return true;
}

static bool drop_suffix(struct text *name, const char *suffix)
{
    size_t size = strlen(suffix);
    if (name->size <= size || !text_ends(*name, suffix))
        return false;
    name->size -= size;
    return true;
}

static struct text lower_case(char buffer[SPELLING_BYTES], struct text name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.bytes[i];
        buffer[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    return (struct text){buffer, name.size};
}

/* Namespaces, signs and what C++ lets one leave out: "unsigned long int" is as wide as "long". */
static struct text simplify(struct text name)
{
    static const char *const prefixes[] = {"c10::",   "at::",      "torch.",
                                           "cuda_r_", "unsigned ", "signed "};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        drop_prefix(&name, prefixes[i]);
    drop_suffix(&name, " int");
    drop_suffix(&name, "_t");
    if (name.size > 4 && text_begins(name, "uint"))
        drop_prefix(&name, "u");
    return name;
}

static enum op_type find_simple(struct text name)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (text_is(name, spellings[i].name))
            return (enum op_type)spellings[i].type;
    return OP_TYPE_UNKNOWN;
}

enum op_type op_type_find(struct text name)
{
    char buffer[SPELLING_BYTES];
    if (name.size == 0 || name.size > sizeof buffer)
        return OP_TYPE_UNKNOWN;
    struct text simple = simplify(lower_case(buffer, name));
    drop_suffix(&simple, "_x2");
    return find_simple(simple);
}

const char *op_type_name(enum op_type type)
{
    return type_facts[type < OP_TYPES ? type : OP_TYPE_UNKNOWN].name;
}

unsigned op_type_bits(enum op_type type)
{
    return type_facts[type < OP_TYPES ? type : OP_TYPE_UNKNOWN].bits;
}

/* PyTorch's ScalarType, as a number. */
enum op_type op_type_of_scalar_type(int64_t number)
{
    static const uint8_t by_number[] = {
        OP_I8,  OP_I8,   OP_I16, OP_I32, OP_I64, OP_F16,  OP_F32, OP_F64, OP_C16, OP_C32,
        OP_C64, OP_BOOL, OP_I8,  OP_I8,  OP_I32, OP_BF16, 0,      0,      OP_I8,  OP_I8,
        OP_I8,  OP_I8,   OP_I16, OP_F8,  OP_F8,  OP_F8,   OP_F8,  OP_I16, OP_I32, OP_I64,
    };
    bool known = number >= 0 && (size_t)number < sizeof by_number;
    return known ? (enum op_type)by_number[number] : OP_TYPE_UNKNOWN;
}

/* ---- inputs: three parallel lists of sizes, types and values ---- */

#define INPUTS_MAX 256u

/* The three lists, and the element of each that is looked at. */
struct reading {
    struct op_inputs *inputs;
    struct op_list types, values;
    struct text type, value;
    uint32_t input;
};

/* A type of C++ begins with a small letter. "Int", "Bool" and "Double", which traces of 2021 have,
 * are numbers that are not tensors; so are "Scalar", "ScalarList" and "GenericList". */
static bool is_element_type(struct text name)
{
    return name.size && name.bytes[0] >= 'a' && name.bytes[0] <= 'z' &&
           op_type_find(name) != OP_TYPE_UNKNOWN;
}

static bool ends_in_pairs(struct text name)
{
    return name.size > 3 && text_ends(name, "_x2");
}

static bool is_scalar_kind(struct text name)
{
    return text_begins(name, "Scalar");
}

/* NULL: there is no room. */
static struct op_tensor *add_tensor(struct reading *reading)
{
    struct op_inputs *inputs = reading->inputs;
    if (inputs->count == OP_TENSORS_MAX || reading->input >= INPUTS_MAX) {
        inputs->cut = true;
        return NULL;
    }
    struct op_tensor *tensor = &inputs->at[inputs->count++];
    tensor->dims = 0;
    tensor->input = (uint8_t)reading->input;
    tensor->type = OP_TYPE_UNKNOWN;
    tensor->pairs = false;
    tensor->is_tensor = false;
    tensor->value = reading->value;
    return tensor;
}

static void set_type(struct op_tensor *tensor, struct text type)
{
    tensor->is_tensor = is_element_type(type) || (tensor->dims > 0 && !is_scalar_kind(type));
    tensor->type = tensor->is_tensor ? (uint8_t)op_type_find(type) : OP_TYPE_UNKNOWN;
    tensor->pairs = ends_in_pairs(type);
}

/* One tensor's sizes. */
static bool read_sizes(struct reading *reading, struct text sizes)
{
    struct op_list list = op_list_open(sizes);
    struct op_tensor *tensor = add_tensor(reading);
    struct text element;
    int64_t size;
    while (op_list_next(&list, &element)) {
        if (op_text_is_list(element) || !op_text_integer(element, &size))
            return false;
        if (tensor && tensor->dims < OP_DIMS_MAX)
            tensor->sizes[tensor->dims++] = size;
        else
            reading->inputs->cut = true;
    }
    if (tensor)
        set_type(tensor, reading->type);
    return op_list_is_whole(&list);
}

static bool holds_lists(struct text input)
{
    struct op_list list = op_list_open(input);
    struct text element;
    return op_list_next(&list, &element) && op_text_is_list(element);
}

static bool read_input(struct reading *reading, struct text input)
{
    struct text sizes;
    if (!op_text_is_list(input))
        return false;
    if (!holds_lists(input))
        return read_sizes(reading, input);
    struct op_list list = op_list_open(input);
    while (op_list_next(&list, &sizes))
        if (!op_text_is_list(sizes) || !read_sizes(reading, sizes))
            return false;
    return op_list_is_whole(&list);
}

/* The next of a list that may have ended. */
static struct text next_of(struct op_list *list)
{
    struct text element;
    return op_list_next(list, &element) ? element : (struct text){"", 0};
}

/* A list of tensors may have a list of types: they are alike, the first will do. */
static struct text next_type(struct op_list *types)
{
    struct text type = next_of(types);
    struct op_list inside = op_list_open(type);
    return inside.failed ? type : next_of(&inside);
}

bool op_inputs_parse(struct op_inputs *inputs, struct text dims, struct text types,
                     struct text values)
{
    struct reading reading = {
        .inputs = inputs, .types = op_list_open(types), .values = op_list_open(values)};
    struct op_list list = op_list_open(dims);
    struct text input;
    inputs->count = 0;
    inputs->cut = false;
    inputs->has_types = !reading.types.failed;
    inputs->has_values = !reading.values.failed;
    for (; op_list_next(&list, &input); reading.input++) {
        reading.type = next_type(&reading.types);
        reading.value = next_of(&reading.values);
        list.failed |= !read_input(&reading, input);
    }
    if (!op_list_is_whole(&list))
        inputs->count = 0;
    return op_list_is_whole(&list);
}

const struct op_tensor *op_input(const struct op_inputs *inputs, uint32_t number)
{
    for (uint32_t i = number; i < inputs->count; i++) /* each input is one item at least */
        if (inputs->at[i].input >= number)
            return inputs->at[i].input == number ? &inputs->at[i] : NULL;
    return NULL;
}
