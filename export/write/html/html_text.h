/* html_text.h - names in the data of a page: a page is read by people, so what goes on for too long is
 * cut, and the page stays small whatever names hold. */
#ifndef PROF_HTML_TEXT_H
#define PROF_HTML_TEXT_H

#include "json_out.h"
#include "range_paths.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTML_NAME_BYTES 2000u
#define HTML_PATH_DEPTH 64u

/* A string of at most HTML_NAME_BYTES, with "..." in place of the rest. */
void html_name(struct json_out *out, struct text name);

/* A path as an array of names, from the outermost in; the outer ones of very deep paths give way to
 * "...". Empty for TL_NONE. */
void html_path(struct json_out *out, const struct range_paths *paths, uint32_t path);

#ifdef __cplusplus
}
#endif
#endif
