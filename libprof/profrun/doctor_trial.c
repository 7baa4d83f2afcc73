/* doctor_trial.c - records a test program that launches kernels, and checks its trace.
 *
 *     doctor --fork--> profrun with libprof preloaded: the test program; prints its errors
 *        '--fork--> profdump --json, which reads the trace
 */
#include "doctor.h"

#include "loader.h"
#include "runreport.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAUNCHES = 10, TRIAL_SECONDS = 60, JSON_BYTES = 1 << 18 };

/* An empty kernel, which every driver since CUDA 9 compiles for every GPU that it supports. */
static const char kernel_text[] = ".version 6.0\n"
                                  ".target sm_50\n"
                                  ".address_size 64\n"
                                  ".visible .entry prof_doctor()\n"
                                  "{\n"
                                  "ret;\n"
                                  "}\n";

/* ---- the test program ---- */

struct driver {
    int (*init)(unsigned);
    int (*count)(int *);
    int (*retain)(void **, int);
    int (*set_current)(void *);
    int (*load)(void **, const void *);
    int (*find)(void **, void *, const char *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*synchronize)(void);
};

static void resolve(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    if (!address) {
        printf("libcuda has no %s\n", name);
        exit(1);
    }
    memcpy(function, &address, sizeof address);
}

static void resolve_all(struct driver *driver, void *library)
{
    resolve(library, "cuInit", &driver->init);
    resolve(library, "cuDeviceGetCount", &driver->count);
    resolve(library, "cuDevicePrimaryCtxRetain", &driver->retain);
    resolve(library, "cuCtxSetCurrent", &driver->set_current);
    resolve(library, "cuModuleLoadData", &driver->load);
    resolve(library, "cuModuleGetFunction", &driver->find);
    resolve(library, "cuLaunchKernel", &driver->launch);
    resolve(library, "cuCtxSynchronize", &driver->synchronize);
}

static void must(int result, const char *what)
{
    if (result != 0) {
        printf("%s returned error %d\n", what, result);
        exit(1);
    }
}

static void call_if_present(const char *name, const char *argument)
{
    void (*function)(const char *) = NULL;
    void *address = dlsym(RTLD_DEFAULT, name);
    memcpy(&function, &address, sizeof address);
    if (function) {
        function(argument);
    }
}

static void launch_all(const struct driver *driver)
{
    void *context, *module, *function;
    must(driver->retain(&context, 0), "cuDevicePrimaryCtxRetain");
    must(driver->set_current(context), "cuCtxSetCurrent");
    must(driver->load(&module, kernel_text), "cuModuleLoadData");
    must(driver->find(&function, module, "prof_doctor"), "cuModuleGetFunction");
    call_if_present("prof_range_push", "doctor");
    for (int i = 0; i < LAUNCHES; i++) {
        must(driver->launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), "cuLaunchKernel");
    }
    must(driver->synchronize(), "cuCtxSynchronize");
    call_if_present("prof_range_pop", NULL);
}

_Noreturn void doctor_trial_program(void)
{
    struct driver driver;
    int devices = 0;
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        puts("there is no libcuda.so.1");
        exit(1);
    }
    alarm(TRIAL_SECONDS);
    resolve_all(&driver, library);
    must(driver.init(0), "cuInit");
    must(driver.count(&devices), "cuDeviceGetCount");
    if (devices == 0) {
        puts("there is no CUDA device");
        exit(1);
    }
    launch_all(&driver);
    exit(0);
}

/* ---- the doctor ---- */

struct trial {
    char directory[64];
    char trace[96], output[96], json[96];
};

static bool begin_trial(struct trial *trial)
{
    const char *base = getenv("TMPDIR");
    const bool plain = base && strlen(base) < 40 && *base == '/';
    snprintf(trial->directory, sizeof trial->directory, "%s/profrun-doctor-XXXXXX",
             plain ? base : "/tmp");
    if (!mkdtemp(trial->directory)) {
        return false;
    }
    snprintf(trial->trace, sizeof trial->trace, "%s/trial.prof", trial->directory);
    snprintf(trial->output, sizeof trial->output, "%s/output.txt", trial->directory);
    snprintf(trial->json, sizeof trial->json, "%s/trial.json", trial->directory);
    return true;
}

static void end_trial(const struct trial *trial)
{
    unlink(trial->trace);
    unlink(trial->output);
    unlink(trial->json);
    rmdir(trial->directory);
}

static void exec_test_program(const struct doctor *doctor, const struct trial *trial)
{
    char *const argv[] = {(char *)"profrun", (char *)"--doctor", NULL};
    const int out = open(trial->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    if (preload_set_library(doctor->preload) && setenv("PROF_OUTPUT", trial->trace, 1) == 0 &&
        setenv("PROF_TABLE", "0", 1) == 0 && setenv("PROF_START", "now", 1) == 0 &&
        unsetenv("PROF_SESSION_FILE") == 0 && setenv("PROFRUN_DOCTOR", "trial", 1) == 0) {
        execv("/proc/self/exe", argv);
    }
    _exit(127);
}

/* Returns the test program's wait(2) status, or -1 if it could not be started. */
static int run_test_program(const struct doctor *doctor, const struct trial *trial)
{
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        exec_test_program(doctor, trial);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

static char *read_all(const char *path)
{
    char *text = calloc(1, JSON_BYTES);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (text && fd >= 0 && read(fd, text, JSON_BYTES - 1) < 0) {
        text[0] = '\0';
    }
    if (fd >= 0) {
        close(fd);
    }
    return text;
}

static char *read_trace(const struct trial *trial)
{
    const char *argv[] = {"profdump", "--json", trial->trace, NULL};
    const int out = open(trial->json, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const int status = runtable_profdump(argv, out);
    close(out);
    return status == 0 ? read_all(trial->json) : NULL;
}

/* Returns the number of the first JSON member of that name, or -1: there is none, or it is null. */
static int64_t number_of(const char *json, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = json ? strstr(json, key) : NULL;
    return found && strncmp(found + strlen(key), "null", 4) != 0
               ? strtoll(found + strlen(key), NULL, 10)
               : -1;
}

static void text_of(const char *json, const char *name, char *text, size_t bytes)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *found = json ? strstr(json, key) : NULL;
    const char *from = found ? found + strlen(key) : "";
    snprintf(text, bytes, "%.*s", (int)strcspn(from, "\""), from);
}

static void grade_events(const char *json, const char *reason, struct doctor_finding *finding)
{
    if (number_of(json, "timed_by_events") > 0) {
        doctor_find(finding, DOCTOR_WARN, "ranges have CUDA times, kernels have none: %s", reason);
    } else {
        doctor_find(finding, DOCTOR_FAIL, "neither kernels nor ranges have CUDA times: %s", reason);
    }
}

/* The process has an error of that name as well: that of the system's clock. */
static int64_t device_clock_error_ns(const char *json)
{
    const char *devices = json ? strstr(json, "\"devices\":") : NULL;
    return number_of(devices, "clock_error_ns");
}

static enum doctor_grade clock_grade(int64_t error_ns)
{
    return error_ns <= 10000 ? DOCTOR_OK : error_ns <= 1000000 ? DOCTOR_WARN : DOCTOR_FAIL;
}

static void grade_trace(const char *json, struct doctor_finding *finding)
{
    char mode[32], reason[440], clock[120] = "the clocks were not compared";
    const int64_t recorded = number_of(json, "recorded"), launched = number_of(json, "launched");
    const int64_t error_ns = device_clock_error_ns(json);
    text_of(json, "mode", mode, sizeof mode);
    text_of(json, "mode_reason", reason, sizeof reason);
    if (error_ns >= 0) {
        snprintf(clock, sizeof clock, "the device's clock is within %" PRId64 " ns of the host's%s",
                 error_ns, strstr(json, "\"simulated\":true") ? " (Simulated GPU)" : "");
    }
    if (!json) {
        doctor_find(finding, DOCTOR_FAIL,
                    "cannot read the trace: is profdump in profrun's directory?");
    } else if (strcmp(mode, "cupti") != 0) {
        grade_events(json, reason, finding);
    } else if (launched != LAUNCHES || recorded != LAUNCHES) {
        doctor_find(finding, DOCTOR_FAIL,
                    "%d kernels were launched, %" PRId64 " launches and %" PRId64
                    " kernels were recorded; %s",
                    LAUNCHES, launched, recorded, clock);
    } else {
        doctor_find(finding, clock_grade(error_ns),
                    "%d kernels launched, all launches and kernels recorded; %s", LAUNCHES, clock);
    }
}

static void grade_failure(const struct trial *trial, int status, struct doctor_finding *finding)
{
    char *output = read_all(trial->output);
    if (output) {
        output[strcspn(output, "\n")] = '\0';
    }
    if (WIFSIGNALED(status)) {
        doctor_find(finding, DOCTOR_FAIL, "the test program was killed by signal %d (%s)",
                    WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
        doctor_find(finding, DOCTOR_FAIL, "the test program failed: %.300s",
                    output && *output ? output : "no output");
    }
    free(output);
}

void doctor_check_trial(struct doctor *doctor, struct doctor_finding *finding)
{
    struct trial trial;
    if (!doctor->driver) {
        doctor_find(finding, DOCTOR_WARN, "no test kernel was launched: there is no driver");
        return;
    }
    if (!begin_trial(&trial)) {
        doctor_find(finding, DOCTOR_FAIL, "cannot create %s: %s", trial.directory, strerror(errno));
        return;
    }
    const int status = run_test_program(doctor, &trial);
    if (status != 0) {
        grade_failure(&trial, status, finding);
    } else {
        char *json = read_trace(&trial);
        grade_trace(json, finding);
        free(json);
    }
    end_trial(&trial);
}
