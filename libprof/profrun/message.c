#include "message.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void message_sanitize(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++)
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
}

void message(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return;
    message_sanitize(text);
    fprintf(stderr, "profrun: %s\n", text);
    free(text);
}

static bool message_is_plain(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./+=:,@%";
    return *text != '\0' && text[strspn(text, plain)] == '\0';
}

char *message_quote(const char *text)
{
    if (message_is_plain(text))
        return strdup(text);
    /* worst case: every byte is a quote, which takes four bytes, and the two around all */
    char *quoted = malloc(4 * strlen(text) + 3);
    if (!quoted)
        return NULL;
    char *out = quoted;
    *out++ = '\'';
    for (; *text != '\0'; text++)
        if (*text == '\'')
            out = stpcpy(out, "'\\''");
        else
            *out++ = *text;
    *out++ = '\'';
    *out = '\0';
    return quoted;
}
