/* html_flame.h - the flame graphs of a page. */
#ifndef PROF_HTML_FLAME_H
#define PROF_HTML_FLAME_H

#include "write_html.h"

#include "json_out.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HTML_STACKS 2000u /* call stacks whose functions are looked up, those that cost most */

/* Member "flames": see html_tree.h; ranges with what was launched in them, and call stacks where there
 * are any and `options` can name their functions. False: no memory. */
bool html_flames(struct json_out *out, const struct timeline *timeline,
                 const struct write_html_options *options);

#ifdef __cplusplus
}
#endif
#endif
