/* compat_list.h - lists of JSON as compat_work.c needs them: items one after the other, whole numbers. */
#ifndef PROF_COMPAT_LIST_H
#define PROF_COMPAT_LIST_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COMPAT_SHAPE_MAX 16u

struct compat_shape {
    int64_t at[COMPAT_SHAPE_MAX];
    uint32_t count;
};

struct compat_list {
    const char *at, *end;
};

/* False: the text is no list. */
bool compat_list_begin(struct compat_list *list, struct text text);
/* The next item as it is written, without space around it. False: there is none. */
bool compat_list_next(struct compat_list *list, struct text *item);

uint32_t compat_list_count(struct text text);
/* False: the list has no such item. */
bool compat_list_item(struct text text, uint32_t index, struct text *item);

/* Whole numbers alone, at most COMPAT_SHAPE_MAX. */
bool compat_shape_read(struct text text, struct compat_shape *shape);

/* The product of all numbers in a list, however deep; 1 without any. False: something in it is no
 * whole number, or the product has more than 63 bits. */
bool compat_list_product(struct text text, int64_t *product);

/* What is between the quotes of a string. False: it is none. */
bool compat_string(struct text item, struct text *body);

/* "[2, 2]" or "2", as the value of an argument is told. False: not whole numbers. */
bool compat_numbers(struct text text, struct compat_shape *numbers);

#ifdef __cplusplus
}
#endif
#endif
