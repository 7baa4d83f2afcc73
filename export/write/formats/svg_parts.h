/* svg_parts.h - what pictures in SVG share: the style sheet and the colors of names. */
#ifndef PROF_SVG_PARTS_H
#define PROF_SVG_PARTS_H

#include "text.h"

#define SVG_CHARACTER_PX 6.1 /* of the style's font, which is monospaced */

/* Classes: "p" the page, "f" frames, "d" dim text, "h" headings, "r0" to "r9" boxes by
 * svg_hue(). */
extern const char svg_style[];

/* Equal names have equal colors, in every picture; numbers at their end do not count. */
unsigned svg_hue(struct text name);

#endif
