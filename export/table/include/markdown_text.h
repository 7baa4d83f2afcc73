/* markdown_text.h - any text in Markdown, as CommonMark and its relatives at GitHub and GitLab read
 * it. */
#ifndef PROF_MARKDOWN_TEXT_H
#define PROF_MARKDOWN_TEXT_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the text, which show_text() has made one line without controls, so that a reader sees just
 * its characters: within a paragraph, a heading or a cell, not at the beginning of a line. Whatever
 * would be markup, HTML, a formula, a mention or a link there has a backslash in front. */
void markdown_text(const char *text, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
