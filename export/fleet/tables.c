/* tables.c - columns as docs/ranks.md describes them; _dataset.py has the same. */
#include "tables.h"

static const struct column kernels[] = {
    {"rank", COLUMN_32},          {"step", COLUMN_32},     {"device", COLUMN_32},
    {"stream", COLUMN_32},        {"start", COLUMN_64},    {"duration_ns", COLUMN_64},
    {"name", COLUMN_64},          {"range", COLUMN_64},    {"class", COLUMN_WORD},
    {"correlation", COLUMN_64},   {"queue_ns", COLUMN_64}, {"graph", COLUMN_64},
    {"whole_graph", COLUMN_BOOL}, {"context", COLUMN_32},  {"grid_x", COLUMN_32},
    {"grid_y", COLUMN_32},        {"grid_z", COLUMN_32},   {"block_x", COLUMN_32},
    {"block_y", COLUMN_32},       {"block_z", COLUMN_32},  {"registers", COLUMN_32},
    {"shared_bytes", COLUMN_32},
};
static const struct column copies[] = {
    {"rank", COLUMN_32},   {"step", COLUMN_32},        {"device", COLUMN_32},
    {"stream", COLUMN_32}, {"start", COLUMN_64},       {"duration_ns", COLUMN_64},
    {"name", COLUMN_64},   {"range", COLUMN_64},       {"kind", COLUMN_WORD},
    {"bytes", COLUMN_64},  {"correlation", COLUMN_64}, {"context", COLUMN_32},
};
static const struct column ranges[] = {
    {"rank", COLUMN_32},      {"step", COLUMN_32},        {"tid", COLUMN_64},
    {"start", COLUMN_64},     {"duration_ns", COLUMN_64}, {"name", COLUMN_64},
    {"depth", COLUMN_32},     {"self_ns", COLUMN_64},     {"device_ns", COLUMN_64},
    {"crosses", COLUMN_BOOL},
};
static const struct column calls[] = {
    {"rank", COLUMN_32},        {"step", COLUMN_32},        {"tid", COLUMN_64},
    {"start", COLUMN_64},       {"duration_ns", COLUMN_64}, {"name", COLUMN_64},
    {"correlation", COLUMN_64}, {"result", COLUMN_32},
};
static const struct column ranks[] = {
    {"rank", COLUMN_32},
    {"rank_known", COLUMN_BOOL},
    {"host", COLUMN_TEXT},
    {"pid", COLUMN_64},
    {"local_rank", COLUMN_32},
    {"world_size", COLUMN_32},
    {"program", COLUMN_TEXT},
    {"device", COLUMN_TEXT},
    {"start", COLUMN_64},
    {"duration_ns", COLUMN_64},
    {"closed", COLUMN_BOOL},
    {"source", COLUMN_TEXT},
    {"file", COLUMN_TEXT},
    {"identity", COLUMN_TEXT},
    {"clock_synchronized", COLUMN_BOOL},
    {"clock_error_ns", COLUMN_64},
};
static const struct column steps[] = {
    {"rank", COLUMN_32},
    {"step", COLUMN_32},
    {"start", COLUMN_64},
    {"duration_ns", COLUMN_64},
    {"compute_ns", COLUMN_64},
    {"overlapped_ns", COLUMN_64},
    {"communication_ns", COLUMN_64},
    {"copy_ns", COLUMN_64},
    {"idle_host_ns", COLUMN_64},
    {"idle_device_ns", COLUMN_64},
    {"tid", COLUMN_64},
};
static const struct column idle[] = {
    {"rank", COLUMN_32}, {"step", COLUMN_32}, {"range", COLUMN_64}, {"host_ns", COLUMN_64}};
static const struct column collectives[] = {
    {"rank", COLUMN_32},
    {"step", COLUMN_32},
    {"communicator", COLUMN_64},
    {"sequence", COLUMN_32},
    {"function", COLUMN_TEXT},
    {"bytes", COLUMN_64},
    {"called", COLUMN_64},
    {"start", COLUMN_64},
    {"duration_ns", COLUMN_64},
    {"stream", COLUMN_32},
    {"algorithm", COLUMN_TEXT},
    {"protocol", COLUMN_TEXT},
    {"channels", COLUMN_32},
    {"type", COLUMN_TEXT},
    {"counted", COLUMN_64},
    {"peer", COLUMN_32},
    {"communicator_rank", COLUMN_32},
    {"group_place", COLUMN_32},
    {"group_bytes", COLUMN_64},
};
static const struct column memory[] = {
    {"rank", COLUMN_32},       {"step", COLUMN_32}, {"device", COLUMN_32}, {"kind", COLUMN_TEXT},
    {"peak_bytes", COLUMN_64}, {"time", COLUMN_64}, {"range", COLUMN_64},
};
static const struct column ledger[] = {
    {"rank", COLUMN_32}, {"launched", COLUMN_64}, {"recorded", COLUMN_64}, {"lost", COLUMN_64}};
static const struct column names[] = {{"id", COLUMN_64}, {"name", COLUMN_TEXT}};
static const struct column stacks[] = {{"id", COLUMN_64}, {"stack", COLUMN_TEXT}};
static const struct column summary[] = {
    {"rank", COLUMN_32},   {"step", COLUMN_32},   {"kind", COLUMN_WORD},
    {"name", COLUMN_64},   {"count", COLUMN_64},  {"sum_ns", COLUMN_64},
    {"min_ns", COLUMN_64}, {"max_ns", COLUMN_64}, {"histogram", COLUMN_MAP},
};

#define TABLE(name, add)                                \
    {                                                   \
#name, {name, sizeof name / sizeof *name }, add \
    }
const struct fleet_table fleet_tables[FLEET_TABLES] = {
    TABLE(ranks, add_ranks),     TABLE(steps, add_steps),
    TABLE(idle, add_idle),       TABLE(kernels, add_kernels),
    TABLE(copies, add_copies),   TABLE(ranges, add_ranges),
    TABLE(calls, add_calls),     TABLE(collectives, add_collectives),
    TABLE(memory, add_memory),   TABLE(ledger, add_ledger),
    TABLE(names, add_names),     TABLE(stacks, add_stacks),
    TABLE(summary, add_summary),
};
