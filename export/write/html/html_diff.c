/* html_diff.c - the report about two runs: a page with what diff says as text, and with the block "diff-data",
 * as profdump diff --json.
 */
#include "html_page.h"
#include "write_html.h"

#include <errno.h>
#include <stdlib.h>

#define TEXT_ROWS 20
#define DATA_ROWS 500

struct report {
    const struct diff *diff;
    const struct write_diff_options *options;
};

static bool write_text(FILE *stream, const struct report *report)
{
    struct write_diff_options options = *report->options;
    char *bytes = NULL;
    size_t size;
    FILE *text = open_memstream(&bytes, &size);
    options.format = WRITE_TEXT;
    options.rows = TEXT_ROWS;
    options.color = false;
    bool printed = text && write_diff(report->diff, &options, text);
    printed = text && fclose(text) == 0 && printed;
    fputs("<header id=\"top\"></header>\n<main>\n<div id=\"sections\"></div>\n"
          "<section id=\"text\"><h2>As text</h2>\n<details><summary>what profdump diff "
          "prints</summary><pre class=\"lines\">",
          stream);
    if (printed)
        html_text(stream, bytes);
    fputs("</pre></details></section>\n</main>\n", stream);
    free(bytes);
    return printed;
}

static bool write_data(FILE *stream, const struct report *report)
{
    struct write_diff_options options = *report->options;
    options.format = WRITE_JSON;
    options.rows = DATA_ROWS;
    html_block_begin(stream, "diff-data");
    bool written = write_diff(report->diff, &options, stream);
    html_block_end(stream);
    return written;
}

static int write_report(FILE *stream, const void *user)
{
    const struct report *report = user;
    char title[400];
    snprintf(title, sizeof title, "%.150s against %.150s - libprof report",
             report->options->names[1], report->options->names[0]);
    html_page_begin(stream, title);
    errno = ENOMEM;
    bool written = write_text(stream, report) && write_data(stream, report);
    int code = errno ? errno : EIO;
    html_page_end(stream);
    return written ? 0 : code;
}

bool write_html_diff(const struct diff *diff, const struct write_diff_options *options,
                     const char *path, struct write_error *error)
{
    const struct report report = {diff, options};
    return html_page_write(write_report, &report, path, error);
}
