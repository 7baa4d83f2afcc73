/* kineto_labels.h - what NVTX says of ranges and marks in a Chrome trace of libprof: domain, category, colour.
 *
 *     "args":{"domain":"cuBLAS","category":"matmul","category id":1,"color":"#FF76B900"}
 *
 * An empty domain is the default one; a number is that of a domain, or of a category, without a name.
 */
#ifndef PROF_KINETO_LABELS_H
#define PROF_KINETO_LABELS_H

#include "kineto_rows.h"
#include "maps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kineto_category_name {
    uint32_t pid, domain, number, name;
};

struct kineto_labels {
    struct keymap domains;              /* pid and name -> the store's domain */
    struct keymap known;                /* domain or pid, and number of the category -> 0 */
    KINETO_ARRAY(uint32_t) domain_pids; /* by domain of the store, from 1: whose it is */
    KINETO_ARRAY(struct kineto_category_name) categories;
    bool failed;
};

/* Zeroed is empty. */
void kineto_labels_fini(struct kineto_labels *labels);

/* The number that stands for the event's name with its label; `name` where it came through no NVTX. */
uint32_t kineto_labels_name(struct kineto_labels *labels, struct kineto_rows *rows,
                            const struct kineto_event *event, uint32_t name);

/* After kineto_rows_finish(): tells the store which process each domain and category belongs to. */
void kineto_labels_finish(struct kineto_labels *labels, const struct kineto_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
