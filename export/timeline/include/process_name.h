/* process_name.h - what a process is called wherever a person reads of it: by rank where there is
 * one. */
#ifndef PROF_PROCESS_NAME_H
#define PROF_PROCESS_NAME_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct process_name {
    char text[48];
};

/* "rank 3"; "pid 4711" where no rank is known. Processes with operations that would be called alike
 * are numbered: "pid 4711 #2", as process ids of several hosts can be equal. */
struct process_name process_short_name(const struct timeline *timeline, uint32_t process);

/* "rank 3 (pid 4711)", "pid 4711", "pid 4711 #2": where there is room. */
struct process_name process_full_name(const struct timeline *timeline, uint32_t process);

#ifdef __cplusplus
}
#endif
#endif
