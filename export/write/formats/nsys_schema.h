/* nsys_schema.h - the tables of a database in the form that `nsys export --type sqlite` gives it, and ours
 * beside them.
 *
 * Names, columns and numbers of enumerations: "SQLite Schema Reference" of the Nsight Systems Analysis Guide.
 * Times are nanoseconds from TARGET_INFO_SESSION_START_TIME.utcEpochNs on.
 */
#ifndef PROF_NSYS_SCHEMA_H
#define PROF_NSYS_SCHEMA_H

/* ENUM_NSYS_EVENT_TYPE */
enum nsys_event_type {
    NSYS_CATEGORY = 33,
    NSYS_MARK = 34,
    NSYS_PUSH_POP = 59,
    NSYS_START_END = 60,
    NSYS_DOMAIN = 75,
};

extern const char nsys_tables[]; /* before anything is written */
extern const char nsys_enums[];  /* enumerations that scripts join with */
extern const char nsys_views[];  /* once all is */

#endif
