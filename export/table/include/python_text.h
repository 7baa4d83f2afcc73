/* python_text.h - numbers as Python writes them, for outputs that stand in for a Python program's.
 */
#ifndef PROF_PYTHON_TEXT_H
#define PROF_PYTHON_TEXT_H

#define PYTHON_TEXT_BYTES 40

#ifdef __cplusplus
extern "C" {
#endif

/* repr(float): the shortest digits that read back as the same number; "1e-05", "0.1", "2.0". */
void python_float(double value, char to[PYTHON_TEXT_BYTES]);

/* round(value, 4) */
double python_round4(double value);

#ifdef __cplusplus
}
#endif
#endif
