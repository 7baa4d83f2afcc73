/* html_page.h - the frame of a page: head, policy, style, blocks of data, script. */
#ifndef PROF_HTML_PAGE_H
#define PROF_HTML_PAGE_H

#include "json_out.h"
#include "out_file.h"
#include "range_paths.h"
#include "text.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Made from report.css and the scripts by embed.cmake: text that is ASCII, and the base64 of its
 * SHA-256. */
extern const char html_style[], html_script[];
extern const char html_style_hash[], html_script_hash[];

/* Everything up to the contents of the body. */
void html_page_begin(FILE *stream, const char *title);
/* The script, and the end. */
void html_page_end(FILE *stream);

/* Around a value of JSON that json_out.h writes: it cannot end the block. */
void html_block_begin(FILE *stream, const char *id);
void html_block_end(FILE *stream);

/* Text of any bytes as it is between tags: what is unsafe to show is as show_text.h has it, but line
 * ends stay. */
void html_text(FILE *stream, const char *text);

/* Has `write` write the file of that path. What it returns: the errno of what went wrong, or 0. */
bool html_page_write(int (*write)(FILE *stream, const void *user), const void *user,
                     const char *path, struct write_error *error);

/* Names in the data of a page: a page is read by people, so what goes on for too long is
 * cut, and the page stays small whatever names hold. */

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
