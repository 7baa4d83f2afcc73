/* tables.c - the tables that dataset.def lists. */
#include "tables.h"

/* clang-format off */
#define TABLE(name) static const struct column name[] = {
#define COLUMN(name, type, unit, meaning) {#name, COLUMN_##type},
#define END };
#include "dataset.def"

#undef TABLE
#undef COLUMN
#undef END
#define TABLE(name) {#name, {name, sizeof name / sizeof *name}, add_##name},
#define COLUMN(name, type, unit, meaning)
#define END
const struct fleet_table fleet_tables[FLEET_TABLES] = {
#include "dataset.def"
};
/* clang-format on */
