/* markdown_text.c - see markdown_text.h. CommonMark 0.31, 2.4: a backslash makes any ASCII
 * punctuation text. Links without brackets are GitHub's own: "https://..." and "www. ...".
 */
#include "markdown_text.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Only what means something is escaped: the source is read by people, too. */
static bool is_markup(const char *text, const char *at)
{
    if (*at == ':')
        return at[1] == '/';
    if (*at == '.')
        return at - text >= 3 && strncasecmp(at - 3, "www", 3) == 0;
    return strchr("\\`*_[]<>&|~@#!$^{}", *at) != NULL;
}

/* Blanks at the ends of a text, and more than one between words, are lost elsewhere. */
static bool is_lost(const char *text, const char *at)
{
    return *at == ' ' && (at == text || at[-1] == ' ' || at[1] == '\0');
}

void markdown_text(const char *text, FILE *stream)
{
    for (const char *at = text; *at; at++) {
        if (is_lost(text, at)) {
            fputs("&nbsp;", stream);
            continue;
        }
        if (is_markup(text, at))
            fputc('\\', stream);
        fputc(*at, stream);
    }
}
