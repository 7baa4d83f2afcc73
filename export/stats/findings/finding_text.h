/* finding_text.h - times and shares as sentences have them: three digits, "unknown" where nothing is
 * known.
 *
 *     "busy %s of %s", finding_share(busy, window).text, finding_time(window).text
 */
#ifndef PROF_FINDING_TEXT_H
#define PROF_FINDING_TEXT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct finding_text {
    char text[32];
};

struct finding_text finding_time(int64_t ns);                   /* "1.23 ms" */
struct finding_text finding_share(int64_t part, int64_t whole); /* "41 %"; "unknown" of nothing */
struct finding_text finding_bytes(uint64_t bytes);              /* "1.50 MB", powers of 1024 */
struct finding_text finding_count(uint64_t count, const char *noun); /* "1 copy", "2 copies" */

#ifdef __cplusplus
}
#endif
#endif
