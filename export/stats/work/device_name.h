/* device_name.h - names of devices, so that spellings of one model compare as equal.
 *
 *     "NVIDIA A100-SXM4-80GB"        a100 sxm4 80gb
 *     "Tesla V100-SXM2-32GB"         v100 sxm2 32gb
 *     "NVIDIA GeForce RTX 3090"      rtx 3090
 *     "AMD INSTINCT MI350X"          mi350x
 *
 * Lower case, words of letters and digits with a blank between them, without the words that vendors put
 * before a model.
 */
#ifndef PROF_DEVICE_NAME_H
#define PROF_DEVICE_NAME_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DEVICE_NAME_BYTES 128u

/* What does not fit is left out. */
void device_name_normalize(struct text name, char to[DEVICE_NAME_BYTES]);

/* Whether a normalised name begins with these whole words. */
bool device_name_begins(const char *name, const char *words);

/* Whether this is one of its words. */
bool device_name_has(const char *name, const char *word);

/* Whether all of its words from `rest` on say nothing of the model: sizes and kinds of memory. */
bool device_name_is_memory(const char *rest);

#ifdef __cplusplus
}
#endif
#endif
