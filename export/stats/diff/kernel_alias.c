/* kernel_alias.c - see kernel_alias.h: a name is read word by word, a word being letters, digits
 * and underscores; words are reduced part by part, parts being what underscores separate.
 */
#include "kernel_alias.h"

#include <string.h>

/* A part of so many hexadecimal digits with one of 0 to 9 among them is a hash. */
#define HASH_LETTERS 6u

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter & 0x80) != 0;
}

static bool is_word(char letter)
{
    return is_letter(letter) || is_digit(letter) || letter == '_';
}

/* ---- the parts of a word ---- */

struct part {
    const char *at;
    size_t size;
};

static bool part_is(struct part part, const char *word)
{
    return part.size == strlen(word) && memcmp(part.at, word, part.size) == 0;
}

static bool is_one_of(struct part part, const char *const *words)
{
    for (; *words; words++)
        if (part_is(part, *words))
            return true;
    return false;
}

static bool is_generation(struct part part)
{
    static const char *const generations[] = {"kepler", "maxwell", "pascal", "volta",     "turing",
                                              "ampere", "ada",     "hopper", "blackwell", NULL};
    return is_one_of(part, generations);
}

static bool is_type(struct part part)
{
    static const char *const types[] = {
        "float",         "double",   "half",  "__half", "Half",   "BFloat16", "nv_bfloat16",
        "__nv_bfloat16", "bfloat16", "int",   "long",   "short",  "char",     "unsigned",
        "signed",        "bool",     "fp16",  "bf16",   "half_t", "__half2",  "bfloat16_t",
        "tfloat32_t",    "int8_t",   "half2", "size_t", NULL};
    return is_one_of(part, types);
}

/* A type of elements at the beginning: f16, bf16, s8, tf32. 0: none. */
static size_t element_size(struct part rest)
{
    static const char *const elements[] = {"bf16", "tf32", "fp16", "fp32", "fp64", "fp8",
                                           "f16",  "f32",  "f64",  "s8",   "s32",  "u8",
                                           "i8",   "i32",  "e4m3", "e5m2", NULL};
    for (const char *const *element = elements; *element; element++) {
        size_t size = strlen(*element);
        bool fits = rest.size >= size && memcmp(rest.at, *element, size) == 0;
        if (fits && (rest.size == size || !is_digit(rest.at[size])))
            return size;
    }
    return 0;
}

/* "f16f16" could be hexadecimal as well. */
static bool is_elements(struct part rest)
{
    size_t size = 1;
    while (rest.size && size) {
        size = element_size(rest);
        rest = (struct part){rest.at + size, rest.size - size};
    }
    return rest.size == 0;
}

static bool is_hash(struct part part)
{
    bool has_digit = false;
    if (is_elements(part))
        return false;
    for (size_t i = 0; i < part.size; i++) {
        char letter = part.at[i];
        if (!is_digit(letter) && !(letter >= 'a' && letter <= 'f'))
            return false;
        has_digit |= is_digit(letter);
    }
    return has_digit && part.size >= HASH_LETTERS;
}

/* "128", "128x64x32", "2x2x1". */
static size_t number_size(struct part rest)
{
    size_t size = 0;
    while (size < rest.size && is_digit(rest.at[size])) {
        while (size < rest.size && is_digit(rest.at[size]))
            size++;
        if (size + 1 < rest.size && rest.at[size] == 'x' && is_digit(rest.at[size + 1]))
            size++;
    }
    return size;
}

static char *reduce_letters(struct part rest, enum kernel_alias_level level, char *to)
{
    bool inside = false; /* of a run of letters: no type of elements begins there */
    while (rest.size) {
        size_t element = inside ? 0 : element_size(rest), number = number_size(rest);
        size_t taken = element ? element : number ? number : 1;
        if (element && level >= KERNEL_ALIAS_TYPES) {
            *to++ = 'T';
        } else if (number) {
            *to++ = '#';
        } else {
            memmove(to, rest.at, taken);
            to += taken;
        }
        inside = !element && !number;
        rest = (struct part){rest.at + taken, rest.size - taken};
    }
    return to;
}

/* A part that begins with a digit is a number as a whole: Triton's "0d1d2d3de". */
static char *reduce_part(struct part part, enum kernel_alias_level level, char *to)
{
    char instead = 0;
    if (level >= KERNEL_ALIAS_TYPES)
        instead = is_generation(part) ? 'G' : is_type(part) ? 'T' : 0;
    if (!instead && part.size && (is_digit(part.at[0]) || is_hash(part)))
        instead = '#';
    if (!instead)
        return reduce_letters(part, level, to);
    *to++ = instead;
    return to;
}

static char *reduce_word(struct part word, enum kernel_alias_level level, char *to)
{
    if (level >= KERNEL_ALIAS_TYPES && is_type(word)) {
        *to++ = 'T';
        return to;
    }
    while (word.size) {
        size_t size = 0;
        while (size < word.size && word.at[size] != '_')
            size++;
        to = reduce_part((struct part){word.at, size}, level, to);
        if (size < word.size) {
            *to++ = '_';
            size++;
        }
        word = (struct part){word.at + size, word.size - size};
    }
    return to;
}

/* ---- what stands in brackets ---- */

static bool is_operator(const char *name, size_t at)
{
    static const char word[] = "operator";
    size_t size = sizeof word - 1;
    while (at > 0 && (name[at - 1] == '<' || name[at - 1] == '>' || name[at - 1] == '-'))
        at--;
    return at >= size && memcmp(name + at - size, word, size) == 0;
}

/* Copies the name without <...> and (...), but with (anonymous namespace). Returns 0 when the
 * brackets do not match: then nothing is known of what is inside. */
static size_t strip_brackets(struct text name, char *to)
{
    static const char anonymous[] = "(anonymous namespace)";
    size_t depth = 0, size = 0;
    for (size_t i = 0; i < name.size; i++) {
        char letter = name.bytes[i];
        size_t rest = name.size - i, skip = sizeof anonymous - 1;
        if (rest >= skip && memcmp(name.bytes + i, anonymous, skip) == 0) {
            i += skip - 1;
            if (depth == 0)
                memcpy(to + size, anonymous, skip), size += skip;
            continue;
        }
        bool is_bracket =
            !is_operator(name.bytes, i) && !(letter == '>' && i && name.bytes[i - 1] == '-');
        if (is_bracket && (letter == '<' || letter == '('))
            depth++;
        else if (is_bracket && (letter == '>' || letter == ')')) {
            if (depth-- == 0)
                return 0;
        } else if (depth == 0)
            to[size++] = letter;
    }
    return depth ? 0 : size;
}

/* What is returned stands before the last blank outside of brackets. */
static size_t drop_returned(char *name, size_t size)
{
    static const char anonymous[] = "(anonymous namespace)";
    for (size_t i = size; i-- > 0;) {
        size_t before = sizeof "(anonymous" - 1;
        bool inside = i >= before && size - i >= sizeof anonymous - 1 - before &&
                      memcmp(name + i - before, anonymous, sizeof anonymous - 1) == 0;
        if (name[i] != ' ' || inside || i + 1 == size)
            continue;
        memmove(name, name + i + 1, size - i - 1);
        return size - i - 1;
    }
    return size;
}

/* ---- a name ---- */

static bool blank_matters(const char *from, size_t at, size_t size)
{
    size_t next = at;
    while (next < size && from[next] == ' ')
        next++;
    return at > 0 && next < size && is_word(from[at - 1]) && is_word(from[next]);
}

static size_t reduce(const char *from, size_t size, enum kernel_alias_level level, char *to)
{
    char *start = to;
    for (size_t i = 0; i < size;) {
        size_t word = i;
        while (word < size && is_word(from[word]))
            word++;
        if (word > i && level >= KERNEL_ALIAS_NUMBERS) {
            to = reduce_word((struct part){from + i, word - i}, level, to);
            i = word;
        } else if (from[i] == ' ') {
            if (blank_matters(from, i, size))
                *to++ = ' ';
            while (i < size && from[i] == ' ')
                i++;
        } else {
            *to++ = from[i++];
        }
    }
    *to = 0;
    return (size_t)(to - start);
}

/* Reducing never writes beyond what it has read, so it may work in place. */
size_t kernel_alias_reduce(struct text name, enum kernel_alias_level level, char *to)
{
    size_t size = level == KERNEL_ALIAS_BARE ? strip_brackets(name, to) : 0;
    if (!size)
        return reduce(name.bytes, name.size, level, to);
    return reduce(to, drop_returned(to, size), level, to);
}
