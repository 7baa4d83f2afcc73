/* write_html.h - a report that is one file of HTML: for a browser, without a network.
 *
 * Everything is in the file. Its Content-Security-Policy lets nothing in but its own style and
 * script, by their hashes, so that names of a trace are text and nothing else, whatever they hold.
 * What the page shows is added up here: its size depends on how much there is to show, not on the
 * number of events.
 */
#ifndef PROF_WRITE_HTML_H
#define PROF_WRITE_HTML_H

#include "out_file.h"
#include "reports.h"

#ifdef __cplusplus
extern "C" {
#endif

struct write_html_options {
    /* As in reports.h: functions with their places; NULL: call stacks are not shown. */
    uint32_t (*frames)(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES], uint32_t most);
    /* The same without the places. */
    uint32_t (*functions)(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                          uint32_t most);
    void *user;
    bool full; /* the timeline has every event; else a page has room for so many */
};

/* `path` as in out_file.h: replaced as a whole, "-" is stdout. False: `error` says why. */
bool write_html(const struct timeline *timeline, const struct write_html_options *options,
                const char *path, struct write_error *error);

/* Two runs compared; of the options names and unit count. */
bool write_html_diff(const struct diff *diff, const struct write_diff_options *options,
                     const char *path, struct write_error *error);

#ifdef __cplusplus
}
#endif
#endif
