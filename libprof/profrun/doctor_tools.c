/* doctor_tools.c - checks for other profilers, and for restrictions on profiling. */
#include "doctor.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Parts of the names of libraries that use CUPTI, when preloaded or injected. */
static const char *const tool_names[] = {
    "nsys",         "nsight",   "ToolsInjection", "libcupti",  "libnvperf", "ncu",
    "TreeLauncher", "cuda-gdb", "libInterceptor", "libkineto", "nvbit",     "vtune"};

/* Returns the known tool that a list of paths contains, or NULL. */
static const char *find_tool(const char *list)
{
    for (size_t i = 0; list && i < sizeof tool_names / sizeof *tool_names; i++) {
        if (strcasestr(list, tool_names[i])) {
            return tool_names[i];
        }
    }
    return NULL;
}

/* Lists the preloaded libraries except the simulated CUDA; truncated to `bytes`. */
static void list_preloads(const struct doctor *doctor, char *list, size_t bytes)
{
    const char *entry = getenv("LD_PRELOAD"), *sim = doctor->preload->sim;
    size_t size = 0;
    *list = '\0';
    while (entry && *entry && size + 1 < bytes) {
        const size_t length = strcspn(entry, " :");
        const bool ours = sim && length > strlen(sim) && strncmp(entry, sim, strlen(sim)) == 0;
        if (length && !ours) {
            size += (size_t)snprintf(list + size, bytes - size, "%s%.*s", size ? ":" : "",
                                     (int)length, entry);
        }
        entry += length + strspn(entry + length, " :");
    }
}

void doctor_check_preloads(struct doctor *doctor, struct doctor_finding *finding)
{
    char preloads[PATH_MAX];
    list_preloads(doctor, preloads, sizeof preloads);
    const char *tool = find_tool(preloads);
    if (tool) {
        doctor_find(finding, DOCTOR_WARN,
                    "LD_PRELOAD=%.300s looks like another profiler (%s), which will hold CUPTI: "
                    "run without it",
                    preloads, tool);
    } else if (*preloads) {
        doctor_find(finding, DOCTOR_OK, "LD_PRELOAD=%.300s is kept; libprof is appended", preloads);
    } else {
        doctor_find(finding, DOCTOR_OK, "nothing else is preloaded");
    }
}

static bool is_own(const struct doctor *doctor, const char *path)
{
    char mine[PATH_MAX], theirs[PATH_MAX];
    return realpath(doctor->preload->library, mine) && realpath(path, theirs) &&
           strcmp(mine, theirs) == 0;
}

void doctor_check_injection(struct doctor *doctor, struct doctor_finding *finding)
{
    static const char *const variables[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH",
                                            "INTEL_LIBITTNOTIFY64"};
    doctor_find(finding, DOCTOR_OK, "no other tool is injected into CUDA, NVTX or ITT");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *path = getenv(variables[i]);
        if (path && *path && !is_own(doctor, path)) {
            doctor_find(finding, DOCTOR_WARN,
                        "%s=%.300s injects another tool instead of libprof: unset it", variables[i],
                        path);
            return;
        }
    }
}

static bool read_file(const char *path, char *text, size_t bytes)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    const size_t size = fread(text, 1, bytes - 1, file);
    text[size] = '\0';
    fclose(file);
    return true;
}

void doctor_check_permission(struct doctor *doctor, struct doctor_finding *finding)
{
    static char params[65536];
    (void)doctor;
    if (!read_file("/proc/driver/nvidia/params", params, sizeof params)) {
        doctor_find(finding, DOCTOR_OK, "no NVIDIA kernel module restricts profiling");
    } else if (!strstr(params, "RmProfilingAdminOnly: 1") || geteuid() == 0) {
        doctor_find(finding, DOCTOR_OK, "this user may profile GPUs");
    } else {
        doctor_find(finding, DOCTOR_WARN,
                    "the driver restricts GPU counters to administrators; kernel times usually "
                    "still work; if not, run as root or set NVreg_RestrictProfilingToAdminUsers=0");
    }
}

static size_t count_matches(const char *pattern)
{
    glob_t found;
    const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    globfree(&found);
    return count;
}

void doctor_check_partition(struct doctor *doctor, struct doctor_finding *finding)
{
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    const size_t instances = count_matches("/proc/driver/nvidia/capabilities/gpu*/mig/gi*");
    (void)doctor;
    if (visible && strncmp(visible, "MIG-", 4) == 0) {
        doctor_find(finding, DOCTOR_WARN,
                    "CUDA_VISIBLE_DEVICES chooses a MIG partition: older versions of CUPTI record "
                    "nothing there");
    } else if (instances) {
        doctor_find(finding, DOCTOR_WARN,
                    "%zu MIG partitions exist: older versions of CUPTI record nothing on them",
                    instances);
    } else if (visible && !*visible) {
        doctor_find(finding, DOCTOR_WARN,
                    "CUDA_VISIBLE_DEVICES is empty, which hides every GPU: unset it");
    } else {
        doctor_find(finding, DOCTOR_OK, "no GPU is partitioned (MIG) or hidden");
    }
}

static const char *container_kind(void)
{
    static char groups[8192];
    if (access("/.dockerenv", F_OK) == 0) {
        return "Docker";
    }
    if (access("/run/.containerenv", F_OK) == 0) {
        return "Podman";
    }
    if (read_file("/proc/1/cgroup", groups, sizeof groups) && strstr(groups, "kubepods")) {
        return "Kubernetes";
    }
    return getenv("APPTAINER_CONTAINER") || getenv("SINGULARITY_CONTAINER") ? "Apptainer" : NULL;
}

void doctor_check_container(struct doctor *doctor, struct doctor_finding *finding)
{
    const char *kind = container_kind();
    const char *wanted = getenv("NVIDIA_DRIVER_CAPABILITIES");
    const bool has_compute = !wanted || strstr(wanted, "all") || strstr(wanted, "compute");
    if (!kind) {
        doctor_find(finding, DOCTOR_OK, "not in a container");
    } else if (!has_compute) {
        doctor_find(finding, DOCTOR_WARN,
                    "%s, and NVIDIA_DRIVER_CAPABILITIES=%.60s lacks compute: the container has no "
                    "libcuda",
                    kind, wanted);
    } else if (!doctor->driver) {
        doctor_find(finding, DOCTOR_WARN,
                    "%s without libcuda: give the container its GPUs (--gpus all, --nv)", kind);
    } else {
        doctor_find(finding, DOCTOR_OK, "%s, with libcuda", kind);
    }
}
