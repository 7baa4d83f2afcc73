#include "doctor.h"

#include "config.h"
#include "runopts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The role of a process that doctor_run() has started: "examiner" or "trial". */
static const char role_variable[] = "PROFRUN_DOCTOR";

struct doctor_check {
    const char *name;
    void (*examine)(struct doctor *doctor, struct doctor_finding *finding);
};

/* Later checks depend on earlier ones. */
static const struct doctor_check doctor_checks[] = {
    {"driver", doctor_check_driver},
    {"stubs", doctor_check_stubs},
    {"cupti", doctor_check_cupti},
    {"duplicates", doctor_check_duplicates},
    {"preloads", doctor_check_preloads},
    {"injection", doctor_check_injection},
    {"permission", doctor_check_permission},
    {"partition", doctor_check_partition},
    {"container", doctor_check_container},
    {"clock", doctor_check_clock},
    {"disk", doctor_check_disk},
    {"mapping", doctor_check_mapping},
    {"limits", doctor_check_limits},
    {"memory", doctor_check_memory},
    {"kernel", doctor_check_kernel},
    {"secure", doctor_check_secure},
    {"trial", doctor_check_trial},
};

void doctor_find(struct doctor_finding *finding, enum doctor_grade grade, const char *format, ...)
{
    va_list arguments;
    finding->grade = grade;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

/* Replaces control characters: paths and names must not contain terminal escape sequences. */
static void doctor_print(const char *name, const struct doctor_finding *finding)
{
    static const char *const grades[] = {"OK", "WARN", "FAIL"};
    char shown[DOCTOR_TEXT_BYTES];
    snprintf(shown, sizeof shown, "%s", finding->text);
    for (char *c = shown; *c != '\0'; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    printf("%-4s  %-10s  %s\n", grades[finding->grade], name, shown);
}

static void doctor_find_directory(struct doctor *doctor)
{
    const char *pattern = doctor->options->output ? doctor->options->output : config_get()->output;
    const char *slash = strrchr(pattern, '/');
    if (!slash) {
        strcpy(doctor->directory, ".");
    } else {
        snprintf(doctor->directory, sizeof doctor->directory, "%.*s",
                 slash == pattern ? 1 : (int)(slash - pattern), pattern);
    }
}

static void doctor_print_summary(unsigned warnings, unsigned failures)
{
    if (failures)
        printf("%u of %zu checks failed\n", failures, sizeof doctor_checks / sizeof *doctor_checks);
    else if (warnings)
        printf("no check failed; %u warning%s\n", warnings, warnings == 1 ? "" : "s");
    else
        puts("all checks passed");
}

static int doctor_examine(struct doctor *doctor)
{
    unsigned count[DOCTOR_FAIL + 1] = {0};
    for (size_t i = 0; i < sizeof doctor_checks / sizeof *doctor_checks; i++) {
        struct doctor_finding finding = {.grade = DOCTOR_OK};
        doctor_checks[i].examine(doctor, &finding);
        count[finding.grade]++;
        if (finding.text[0] != '\0') {
            doctor_print(doctor_checks[i].name, &finding);
            fflush(stdout);
        }
    }
    doctor_print_summary(count[DOCTOR_WARN], count[DOCTOR_FAIL]);
    return count[DOCTOR_FAIL] ? 1 : 0;
}

/* The loader reads LD_LIBRARY_PATH once, so only a new process finds the simulated CUDA. */
static int doctor_restart(const struct preload *preload, const struct runopts *options)
{
    char *const argv[] = {(char *)"profrun",       (char *)"--doctor",
                          (char *)"--sim",         options->output ? (char *)"-o" : NULL,
                          (char *)options->output, NULL};
    if (!preload_set_sim(preload, options->sim_layout) || setenv(role_variable, "examiner", 1) != 0)
        return STATUS_INTERNAL;
    execv("/proc/self/exe", argv);
    message("cannot restart with the simulated CUDA");
    return STATUS_INTERNAL;
}

int doctor_run(const struct preload *preload, const struct runopts *options)
{
    const char *role = getenv(role_variable);
    if (role && strcmp(role, "trial") == 0)
        doctor_trial_program();
    if (options->sim && !role)
        return doctor_restart(preload, options);
    struct doctor doctor = {.preload = preload, .options = options};
    config_load();
    doctor_find_directory(&doctor);
    return doctor_examine(&doctor);
}
