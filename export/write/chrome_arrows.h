/* chrome_arrows.h - arrows of a Chrome trace: from a call to what it launched, from a range to the
 * same range timed by events, from a forward range to its backward passes.
 *
 * An arrow's end is written behind the slice that it is tied to. Failures are the writer's.
 */
#ifndef PROF_CHROME_ARROWS_H
#define PROF_CHROME_ARROWS_H

#include "chrome.h"

/* From a slice to each operation that it launched. */
void chrome_arrows_launches(struct chrome *chrome, const struct chrome_row *row, uint32_t slice);

/* To an operation, if something launched it. */
void chrome_arrows_to(struct chrome *chrome, const struct chrome_row *row, uint32_t op);

/* From a slice, if it was timed by events; to what was timed, of timings[]. */
void chrome_arrows_timed_from(struct chrome *chrome, const struct chrome_row *row, uint32_t slice);
void chrome_arrows_timed_to(struct chrome *chrome, const struct chrome_row *row, uint32_t timing);

/* All from forward to backward. After all slices. */
void chrome_arrows_fwdbwd(struct chrome *chrome);

#endif
