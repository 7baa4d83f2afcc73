/* merge_chrome.h - Chrome traces into one, without loss: events and members are copied as they are
 * in the files.
 *
 * One file stays what it is. Of several, and beside a timeline, ids are kept apart: a pid that an
 * earlier file has gets another number; ids of flows, ranges, correlations and operators are
 * counted on from those of the files before; times are brought to one base. The members of the
 * first file stay the trace's; those of the others stand in "mergedTraces" ("mergedTraces 2" where
 * the first has that already), an object per file, and their devices are listed beside those of the
 * first. Which pids belong together stands in "mergedProcesses": see kineto_facts.h.
 */
#ifndef PROF_MERGE_CHROME_H
#define PROF_MERGE_CHROME_H

#include "timeline.h"
#include "write.h"

/* True if the file is a Chrome trace; false also if it cannot be read, which its reader will
 * report. */
bool merge_chrome_is(const char *path);

struct merge_chrome;

/* Prepares a merge of the files in this order. `timeline` is what else the trace will contain, or
 * NULL. Borrows the paths. NULL: `error` says why. */
struct merge_chrome *merge_chrome_create(const char *const *paths, size_t count, bool partial,
                                         const struct timeline *timeline,
                                         struct write_error *error);
void merge_chrome_destroy(struct merge_chrome *merge);

/* Writes the merged trace without a timeline. */
bool merge_chrome_write(struct merge_chrome *merge, const char *path, struct write_error *error);

/* Adds the files to the trace that a timeline is written to. Afterwards, merge_chrome_failed() says
 * whether the files could be read. */
struct write_chrome_more merge_chrome_more(struct merge_chrome *merge);
bool merge_chrome_failed(const struct merge_chrome *merge, struct write_error *error);

/* Calls `warn` for each anomaly in the files, after they were written. */
typedef void merge_chrome_warn(const char *path, uint64_t count, const char *what);
void merge_chrome_each_warning(const struct merge_chrome *merge, merge_chrome_warn *warn);

#endif
