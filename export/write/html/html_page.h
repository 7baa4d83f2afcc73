/* html_page.h - the frame of a page: head, policy, style, blocks of data, script. */
#ifndef PROF_HTML_PAGE_H
#define PROF_HTML_PAGE_H

#include "out_file.h"
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

#ifdef __cplusplus
}
#endif
#endif
