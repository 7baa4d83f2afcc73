/* text.h - text of any bytes: UTF-8 and what is not, how it is shown on a terminal or in XML, and
 * how it is put together. */
#ifndef PROF_TEXT_H
#define PROF_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Not NUL-terminated, any bytes. */
struct text {
    const char *bytes;
    size_t size;
};

/* Whether it is that word and nothing else. */
static inline bool text_is(struct text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.bytes, word, text.size) == 0;
}

static inline bool text_begins(struct text text, const char *word)
{
    size_t size = strlen(word);
    return text.size >= size && memcmp(text.bytes, word, size) == 0;
}

/* Eight bytes as one number, of any alignment. */
static inline uint64_t text_eight_at(const char *bytes)
{
    uint64_t eight;
    memcpy(&eight, bytes, sizeof eight);
    return eight;
}

static inline bool text_equals(struct text a, struct text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

static inline bool text_ends(struct text text, const char *suffix)
{
    size_t size = strlen(suffix);
    return text.size >= size && memcmp(text.bytes + text.size - size, suffix, size) == 0;
}

/* Only of ASCII, whatever the locale. */
static inline char text_lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + ('a' - 'A')) : letter;
}

/* By bytes, as SQLite's BINARY collation: below 0, 0 or above 0. */
static inline int text_compare(struct text a, struct text b)
{
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.bytes, b.bytes, common) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* FNV-1a of 32 bits. */
static inline uint32_t text_hash(struct text text)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (uint8_t)text.bytes[i]) * 16777619u;
    return hash;
}

/* Length of the UTF-8 character at `from`, 0 when there is none. `character` gets it. */
size_t utf8_decode(const char *from, size_t size, uint32_t *character);

/* Characters that are invisible or that change how text around them is shown: controls,
 * bidirectional marks. */
bool utf8_is_unsafe(uint32_t character);

bool utf8_is_valid(struct text text);

/* Bytes of the first `characters` characters of a valid NUL-terminated text, or of all of it. */
size_t utf8_prefix(const char *text, unsigned characters);

/* Bytes that utf8_mend() may need. */
#define UTF8_MENDED_BYTES(size) ((size)*3)

/* Replaces each byte that is not part of a character by U+FFFD, as in JSON. Returns the bytes
 * written. */
size_t utf8_mend(struct text text, char *to);

/* Text for a terminal: control characters of both sets, marks that reverse the reading direction
 * and bytes that are not UTF-8 become \n, \x1b, \u202e ...: a name can neither drive a terminal nor
 * disguise itself. A backslash stays as it is. */

/* Bytes that show_text() may need for a number of columns. */
#define SHOW_TEXT_BYTES(columns) ((columns)*4u + 12u)

/* Writes at most `columns` characters of the text into `to` (of SHOW_TEXT_BYTES(columns)),
 * NUL-terminated, and returns how many characters they are. `rest` gets whether something did not
 * fit. */
unsigned show_text(struct text text, unsigned columns, char *to, bool *rest);

/* The same, ending in "..." where something did not fit. */
unsigned show_text_cut(struct text text, unsigned columns, char *to);

/* The number of characters that show_text() would need, counted up to `limit`. */
unsigned show_text_width(struct text text, unsigned limit);

/* Writes text of an XML document: at most `columns` characters, "..." after them where something
 * did not fit. What drives a terminal or a reader of XML is shown as show_text() shows it, so it is
 * well-formed, and has no meaning in HTML either. */
void xml_text(FILE *stream, struct text text, unsigned columns);

/* ---- bytes put together in memory ----
 *
 * The first failure is latched, and everything after it is dropped. Zeroed is empty. */

struct text_out {
    char *bytes;
    size_t size, capacity;
    bool failed; /* no memory */
};

void text_out_fini(struct text_out *out);

/* Room for so many bytes more; NULL: no memory. */
char *text_out_grow(struct text_out *out, size_t size);

static inline char *text_out_room(struct text_out *out, size_t size)
{
    bool fits = out->capacity - out->size >= size && out->bytes;
    return fits ? out->bytes + out->size : text_out_grow(out, size);
}

static inline void text_out_bytes(struct text_out *out, const char *bytes, size_t size)
{
    char *to = text_out_room(out, size);
    if (!to)
        return;
    memcpy(to, bytes, size);
    out->size += size;
}

static inline void text_out_string(struct text_out *out, const char *string)
{
    text_out_bytes(out, string, strlen(string));
}

#ifdef __cplusplus
}
#endif
#endif
