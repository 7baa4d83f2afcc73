/* itt_tasks.h - what a program's pointers for tasks that nest hold, the hot path; and markers.
 *
 * Any thread, any argument but a handle that is none; they keep errno. A task is a push and a pop of
 * its domain.
 */
#ifndef PROF_ITT_TASKS_H
#define PROF_ITT_TASKS_H

#include "itt_abi.h"

void itt_task_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                    struct itt_string *name);
void itt_task_begin_fn(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                       void *function);
void itt_task_end(const struct itt_domain *domain);

void itt_marker(const struct itt_domain *domain, struct itt_id id, struct itt_string *name,
                int scope);

/* What attributes of the instance `id` have as their target: the innermost task of the thread (its
 * id, or none given), the latest marker, a range that any thread may end. UINT64_MAX: none
 * that can be told: a task around the innermost one (counted), or what is not recorded. */
uint64_t itt_target(struct itt_id id);

#endif
