/* itt_counters.h - what a program's pointers for counters hold. A counter has one value in the process,
 * which is kept also while nothing is recorded; each change is recorded as the value it leads to.
 *
 * Any thread, any argument but a handle that is none; they keep errno.
 */
#ifndef PROF_ITT_COUNTERS_H
#define PROF_ITT_COUNTERS_H

#include "itt_abi.h"

/* NULL: no name, or no memory (counted). */
struct itt_counter *itt_counter_create(const char *name, const char *domain);
struct itt_counter *itt_counter_create_typed(const char *name, const char *domain, int type);
struct itt_counter *itt_counter_create_v3(const struct itt_domain *domain, const char *name,
                                          int type);

/* `value` points to a number of the counter's type. */
void itt_counter_set_value(struct itt_counter *counter, const void *value);

void itt_counter_inc(struct itt_counter *counter);
void itt_counter_dec(struct itt_counter *counter);
void itt_counter_inc_delta(struct itt_counter *counter, uint64_t delta);
void itt_counter_dec_delta(struct itt_counter *counter, uint64_t delta);

void itt_counter_inc_v3(const struct itt_domain *domain, struct itt_string *name);
void itt_counter_dec_v3(const struct itt_domain *domain, struct itt_string *name);
void itt_counter_inc_delta_v3(const struct itt_domain *domain, struct itt_string *name,
                              uint64_t delta);
void itt_counter_dec_delta_v3(const struct itt_domain *domain, struct itt_string *name,
                              uint64_t delta);

#endif
