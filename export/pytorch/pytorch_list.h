/* pytorch_list.h - lists of JSON in the args of an event: items one after the other, whole numbers. */
#ifndef PROF_PYTORCH_LIST_H
#define PROF_PYTORCH_LIST_H

#include "read.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PYTORCH_SHAPE_MAX 16u

struct pytorch_shape {
    int64_t at[PYTORCH_SHAPE_MAX];
    uint32_t count;
};

struct pytorch_list {
    const char *at, *end;
};

/* False: the text is no list. */
bool pytorch_list_begin(struct pytorch_list *list, struct text text);
/* The next item as it is written, without space around it. False: there is none. */
bool pytorch_list_next(struct pytorch_list *list, struct text *item);

uint32_t pytorch_list_count(struct text text);
/* False: the list has no such item. */
bool pytorch_list_item(struct text text, uint32_t index, struct text *item);

/* Whole numbers alone, at most PYTORCH_SHAPE_MAX. */
bool pytorch_list_shape(struct text text, struct pytorch_shape *shape);

/* The product of all numbers in a list, however deep; 1 without any. False: something in it is no
 * whole number, or the product has more than 63 bits. */
bool pytorch_list_product(struct text text, int64_t *product);

/* Strips the quotes of a string. False: it is none. */
bool pytorch_list_string(struct text item, struct text *body);

/* Parses "[2, 2]" or "2", the value of an argument. False: not whole numbers. */
bool pytorch_list_numbers(struct text text, struct pytorch_shape *numbers);

#ifdef __cplusplus
}
#endif
#endif
