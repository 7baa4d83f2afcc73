/* report_cells.h - cells that the tables of several reports have. */
#ifndef PROF_REPORT_CELLS_H
#define PROF_REPORT_CELLS_H

#include "memory_use.h"
#include "range_paths.h"
#include "table.h"

/* Of a table that names the process of its rows: for people by rank where there is one, for
 * programs by pid. */
#define PROCESS_COLUMNS(X, timeline, process)                                         \
    X(cell_process(table, timeline, process), "process", "Process", TABLE_FOR_PEOPLE) \
    X(cell_pid(table, timeline, process), "pid", .in = TABLE_FOR_PROGRAMS)

/* Not known of TL_NONE; the rank also of a process without one. */
void cell_process(struct table *table, const struct timeline *timeline, uint32_t process);
void cell_pid(struct table *table, const struct timeline *timeline, uint32_t process);
void cell_rank(struct table *table, const struct timeline *timeline, uint32_t process);

/* A count, a name: or nothing for TL_NONE. */
void cell_index(struct table *table, uint32_t index);
void cell_name(struct table *table, const struct timeline *timeline, uint32_t name);

/* A path of ranges, from the outermost in: in JSON an array of names, which is empty for TL_NONE
 * and of which very deep paths lack the outermost, else a text. */
void cell_path(struct table *table, const struct range_paths *paths, uint32_t path);

/* A name of the timeline; "(unnamed)" where there is none. */
struct text name_or_unnamed(const struct timeline *timeline, uint32_t name);

/* What the trace calls the device; empty: it does not say. */
struct text device_name(const struct timeline *timeline, const struct tl_device *device);

/* Behind a list as text, of which `most` are shown (-1 all): "... and 3 more", or nothing. */
void cell_rest(FILE *stream, uint32_t count, int64_t most);

/* What outputs call a heap and a path of ranges. */

#define MEMORY_LABEL_BYTES 200
#define MEMORY_PATH_BYTES 600

/* "Device 0 device", "Host pinned", "Allocator arena"; with ", rank 3" where the timeline holds
 * several processes. The name in it may hold any bytes. */
void memory_label(const struct timeline *timeline, uint32_t heap, char to[MEMORY_LABEL_BYTES]);

/* "train > forward > cudaMalloc"; the outermost names are left out ("... > ") where there is no
 * room. "(outside of any range)" for TL_NONE. */
void memory_path_text(const struct timeline *timeline, const struct memory_sites *sites,
                      uint32_t path, char to[MEMORY_PATH_BYTES]);

#endif
