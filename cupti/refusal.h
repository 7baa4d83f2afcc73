/* refusal.h - why CUPTI cannot be had, in one sentence for whoever reads the trace. */
#ifndef PROF_REFUSAL_H
#define PROF_REFUSAL_H

#include <stddef.h>

/* result  what CUPTI answered (enum abi_result)
 * step    what it was asked to do, "subscribe"
 * holder  who holds CUPTI, when it said so; NULL or "" otherwise */
void refusal_sentence(int result, const char *step, const char *holder, char *sentence,
                      size_t bytes);

#endif
