/* query_data.h - what getters and the scan need beside the timeline, made when it is first asked for. */
#ifndef PROF_QUERY_DATA_H
#define PROF_QUERY_DATA_H

#include "query_table.h"

/* False: no memory; fini is needed all the same. */
bool query_data_init(struct query_data *data, const struct timeline *timeline);
void query_data_fini(struct query_data *data);

/* Each makes what is said, if it is not there: ranks and by_rank; sums; shorts and short_ids. False: no memory. */
bool query_data_rank(struct query_data *data);
bool query_data_add_up(struct query_data *data);
bool query_data_shorten(struct query_data *data);

/* The rank of names with this text; QUERY_NULL: none has it. After query_data_rank(). */
int64_t query_data_find(const struct query_data *data, struct text text);

#endif
