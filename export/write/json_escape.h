/* json_escape.h - any bytes as the inside of a JSON string.
 *
 * Valid UTF-8 comes back from a JSON parser exactly as it went in. Bytes that are not UTF-8 (also
 * surrogates and overlong forms) cannot be said in JSON: each becomes U+FFFD.
 *
 * More is escaped than JSON demands, losing nothing: control characters of both sets (a trace shown
 * in a terminal must not drive it), U+2028/2029 (line ends to JavaScript), characters that reverse
 * the reading direction, and the slash of "</" and the "<" of "<!" (a trace pasted into a web page
 * must not end its script).
 */
#ifndef PROF_JSON_ESCAPE_H
#define PROF_JSON_ESCAPE_H

#include "read.h"

#define JSON_ESCAPE_PIECE 512u /* input bytes taken per call, at most */
#define JSON_ESCAPE_GROWTH 6u  /* output bytes per input byte, at most */

/* Escapes a piece of at most JSON_ESCAPE_PIECE bytes (never ending inside a character, unless the
 * text does). Returns the bytes written to `to`, which holds JSON_ESCAPE_PIECE *
 * JSON_ESCAPE_GROWTH; `used` gets the bytes taken, at least 1. */
size_t json_escape(const char *from, size_t size, char *to, size_t *used);

/* Length of the UTF-8 character at `from`, 0 when there is none. `character` gets it. */
size_t utf8_decode(const char *from, size_t size, uint32_t *character);

/* Characters that are invisible or that change how text around them is shown: controls,
 * bidirectional marks. */
bool utf8_is_unsafe(uint32_t character);

#endif
