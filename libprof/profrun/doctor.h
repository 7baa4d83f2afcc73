/* doctor.h - profrun --doctor: what stands between this machine and a good recording, a line each.
 *
 * Reading order: doctor.c (the table of checks), doctor_cuda.c (libraries), doctor_tools.c (who
 * else is there), doctor_system.c (kernel and file system), doctor_trial.c (a kernel is launched,
 * recorded and read back).
 */
#ifndef PROFRUN_DOCTOR_H
#define PROFRUN_DOCTOR_H

#include "runopts.h"
#include "target.h"

enum doctor_grade {
    DOCTOR_OK,
    DOCTOR_WARN, /* recorded, but not everything or not as well */
    DOCTOR_FAIL, /* the request cannot be recorded */
};

enum { DOCTOR_TEXT_BYTES = 700 };

struct doctor_finding {
    enum doctor_grade grade;
    char text[DOCTOR_TEXT_BYTES]; /* what was found, then what to do; one line */
};

struct doctor {
    const struct preload *preload;
    const struct runopts *options;
    char directory[4096]; /* where a trace would be written */
    bool driver;          /* libcuda is there: doctor_check_driver() */
};

/* Examines and prints. Returns the status to exit with: 0, or 1 when a check failed. */
int doctor_run(const struct preload *preload, const struct runopts *options);

/* Grades and describes. A finding that is never filled says OK and nothing: it is not printed. */
void doctor_find(struct doctor_finding *finding, enum doctor_grade grade, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The checks. */
void doctor_check_driver(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_stubs(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_cupti(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_duplicates(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_preloads(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_injection(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_permission(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_partition(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_container(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_clock(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_disk(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_mapping(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_limits(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_memory(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_kernel(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_secure(struct doctor *doctor, struct doctor_finding *finding);
void doctor_check_trial(struct doctor *doctor, struct doctor_finding *finding);

/* doctor_trial.c: the program that the trial runs, which is profrun itself. */
_Noreturn void doctor_trial_program(void);

#endif
