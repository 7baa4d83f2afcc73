/* row_names.h - what the rows of a timeline are called in traces: processes, devices, threads and
 * streams.
 *
 * Every function fills `to`. Names come from the program and may hold any bytes; long ones are cut.
 */
#ifndef PROF_ROW_NAMES_H
#define PROF_ROW_NAMES_H

#include "chrome_rows.h"

#define ROW_NAME_BYTES 400u

/* "train"; "train [4711] rank 3" where there are several processes. `given`: what the program calls
 * a device of it, in place of its own name; TL_NONE nothing. */
void row_name_process(const struct timeline *timeline, uint32_t process, uint32_t given,
                      char to[ROW_NAME_BYTES]);

/* The same for viewers that show the pid themselves: "train rank 3". A row that could not have its
 * own pid has it in the name, as above. */
void row_name_program(const struct chrome_rows *rows, uint32_t process, char to[ROW_NAME_BYTES]);

/* "GPU 0", "GPU 0, Simulated GPU" */
void row_name_gpu(const struct chrome_rows *rows, uint32_t gpu, char to[ROW_NAME_BYTES]);

/* The thread's own name, else the program's. */
struct text row_name_thread(const struct timeline *timeline, uint32_t thread);

/* "stream 7", "stream 7 compute" where the program named it, "stream 7 (lane 2)" from lane 1 on. */
void row_name_stream(const struct timeline *timeline, uint32_t stream, uint32_t lane,
                     char to[ROW_NAME_BYTES]);

/* "stream 7 (sync)", "CUDA (overhead, lane 2)" ... */
void row_name_spare(const struct chrome_rows *rows, const struct chrome_spare *spare,
                    char to[ROW_NAME_BYTES]);

/* "ranges timed by events (thread 4711)" */
void row_name_timed(const struct timeline *timeline, const struct chrome_timed *timed,
                    char to[ROW_NAME_BYTES]);

/* At most `limit` bytes of the text, as printf's precision. */
static inline int row_name_part(struct text text, int limit)
{
    return text.size < (size_t)limit ? (int)text.size : limit;
}

#endif
