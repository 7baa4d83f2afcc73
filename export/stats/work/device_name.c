/* device_name.c - see device_name.h. */
#include "device_name.h"

#include <string.h>

static const char *const vendor_words[] = {"nvidia", "amd", "tesla",       "geforce", "instinct",
                                           "jetson", "gpu", "accelerator", "tm",      "r"};

static bool is_word(const char *word, size_t size, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == size && memcmp(words[i], word, size) == 0)
            return true;
    return false;
}

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + ('a' - 'A')) : letter;
}

static bool is_letter(char letter)
{
    return (lower(letter) >= 'a' && lower(letter) <= 'z') || (letter >= '0' && letter <= '9');
}

/* Appends a word of the name, unless it is a vendor's; returns the new length. */
static size_t add_word(char to[DEVICE_NAME_BYTES], size_t used, const char *word, size_t size)
{
    size_t start = used ? used + 1 : 0;
    if (start + size + 1 > DEVICE_NAME_BYTES)
        return used;
    for (size_t i = 0; i < size; i++)
        to[start + i] = lower(word[i]);
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

bool device_name_has(const char *name, const char *word)
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
