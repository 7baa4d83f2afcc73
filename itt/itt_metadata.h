/* itt_metadata.h - what a program's pointers for metadata hold: attributes of the instance `id`, or of
 * the innermost range of the thread (no id, or a scope other than markers).
 *
 * Any thread, any argument but a handle that is none; they keep errno. NULL keys and values, unknown
 * types and ids of tasks around the innermost one are ignored and counted; ids of what is not recorded
 * (oneTBB names nodes of graphs so) are ignored.
 */
#ifndef PROF_ITT_METADATA_H
#define PROF_ITT_METADATA_H

#include "itt_abi.h"

/* One value is a number, several are text: "[1, 2, 3]", cut at PROF_NAME_BYTES_MAX. */
void itt_metadata_add(const struct itt_domain *domain, struct itt_id id, struct itt_string *key,
                      int type, size_t count, const void *data);
void itt_metadata_add_with_scope(const struct itt_domain *domain, int scope, struct itt_string *key,
                                 int type, size_t count, const void *data);

/* `bytes` of the text count; ITT_TERMINATED: up to its end. */
void itt_metadata_str_add(const struct itt_domain *domain, struct itt_id id, struct itt_string *key,
                          const char *data, size_t bytes);
void itt_metadata_str_add_with_scope(const struct itt_domain *domain, int scope,
                                     struct itt_string *key, const char *data, size_t bytes);

/* As printf() has it, but without %n: the attribute "metadata". */
void itt_formatted_metadata_add(const struct itt_domain *domain, struct itt_string *format, ...);
void itt_formatted_metadata_add_overlapped(const struct itt_domain *domain, struct itt_id id,
                                           struct itt_string *format, ...);

#endif
