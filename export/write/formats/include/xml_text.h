/* xml_text.h - any bytes as text of an XML document. */
#ifndef PROF_XML_TEXT_H
#define PROF_XML_TEXT_H

#include "text.h"

#include <stdio.h>

/* At most `columns` characters, "..." behind them where something did not fit. What drives a terminal or a
 * reader of XML is shown as show_text() shows it, so it is well-formed, and has no meaning in HTML either. */
void xml_text(FILE *stream, struct text text, unsigned columns);

#endif
