/* hang_text.h - what the hang watch found, as text: in PROF_REC_HANG_TEXT records and in a file beside the trace.
 *
 * The memory is reserved before anything hangs. Nothing here takes a lock or allocates. Only the watching thread uses it.
 */
#ifndef PROF_HANG_TEXT_H
#define PROF_HANG_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reserves the memory, once. False: the system refuses. */
bool hang_text_reserve(void);

/* Begins an empty text. */
void hang_text_clear(void);

/* Appends formatted text; what does not fit is left out, and the end says so. */
void hang_text_add(const char *format, ...) __attribute__((format(printf, 1, 2)));
void hang_text_add_bytes(const char *bytes, size_t size);

/* Appends `bytes` between quotes, without the characters that would end a line or the quotes. */
void hang_text_add_quoted(const char *text);

/* Writes the text to META as parts of hang `number`, and appends it to the file at `path` ("": no file). Returns 0, or the
 * errno value of why there is no file. */
int hang_text_write(uint32_t number, const char *path);

/* Reads a whole file of /proc, up to `size` - 1 bytes, and terminates it. Returns how many bytes; 0: it cannot be read. */
size_t hang_text_read_file(const char *path, char *to, size_t size);

#endif
