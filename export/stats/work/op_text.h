/* op_text.h - lists in the texts that PyTorch writes beside a range: "[[1, 2], []]", "[2, 2]", "True".
 *
 * Texts come from files: any bytes are met. Nothing is read behind a text's end. Threads: any.
 */
#ifndef PROF_OP_TEXT_H
#define PROF_OP_TEXT_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is left of a list: begin with op_list_open(). */
struct op_list {
    const char *at, *end;
    bool failed; /* it is no list */
    bool ended;  /* its bracket was closed */
};

/* At the bracket of a list: its elements are next. */
struct op_list op_list_open(struct text text);

/* The next element, as it is in the text: a string without its quotes, a list with its brackets.
 * False: there is none, or the list failed. */
bool op_list_next(struct op_list *list, struct text *element);

/* Ended, and nothing but spaces behind it. */
bool op_list_is_whole(const struct op_list *list);

/* Whether an element is a list. */
bool op_text_is_list(struct text element);

/* A whole number, which may be written "1e3" or "128.0". False: it is none, or beyond 2^53. */
bool op_text_integer(struct text text, int64_t *number);

/* "True", "false", "1" ... False: it is none of them. */
bool op_text_truth(struct text text, bool *truth);

/* "[2, 2]", "(2, 2)" or one number. Returns how many; -1: no such thing, or more than `most`. */
int op_text_integers(struct text text, int64_t *numbers, int most);

/* The same of "[True, False]". */
int op_text_truths(struct text text, bool *truths, int most);

#ifdef __cplusplus
}
#endif
#endif
