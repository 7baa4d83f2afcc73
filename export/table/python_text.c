/* python_text.c - see python_text.h. */
#include "python_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shortest: "d.ddde+XX". */
static int shortest(double value, char text[PYTHON_TEXT_BYTES])
{
    int digits = 0;
    do {
        snprintf(text, PYTHON_TEXT_BYTES, "%.*e", digits, value);
    } while (strtod(text, NULL) != value && digits++ < 17);
    return digits;
}

void python_float(double value, char to[PYTHON_TEXT_BYTES])
{
    char text[PYTHON_TEXT_BYTES];
    if (isnan(value) || isinf(value)) {
        snprintf(to, PYTHON_TEXT_BYTES, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    int digits = shortest(value, text);
    const char *e = strchr(text, 'e');
    int exponent = e ? (int)strtol(e + 1, NULL, 10) : 0;
    if (exponent < -4 || exponent >= 16) {
        snprintf(to, PYTHON_TEXT_BYTES, "%s", text);
        return;
    }
    int decimals = digits - exponent > 1 ? digits - exponent : 1;
    snprintf(to, PYTHON_TEXT_BYTES, "%.*f", decimals, value);
}

/* printf rounds the exact number to the nearest, as Python does. */
double python_round4(double value)
{
    char text[400];
    if (!isfinite(value))
        return value;
    snprintf(text, sizeof text, "%.4f", value);
    return strtod(text, NULL);
}
