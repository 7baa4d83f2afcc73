#include "runreport.h"

#include "runopts.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

struct runnothing_text {
    const char *why, *remedy;
};

/* By the reason that libprof gave. */
static const struct runnothing_text runnothing_texts[] = {
    [RUNNOTHING_OFF] = {"recording was never switched on",
                        "'profrun --help-env' lists the variables that switch it on"},
    [RUNNOTHING_COLD] =
        {"it pushed no range, and CUDA was loaded but not initialised: no GPU, or no "
         "CUDA call",
         "'profrun --doctor' checks driver and GPU; '--sim' runs the program on a "
         "simulated GPU"},
    [RUNNOTHING_IDLE] =
        {"it pushed no range, and its CUDA calls launched, copied and allocated nothing",
         "if another program, such as a server, does its GPU work, run that one with "
         "profrun"},
    [RUNNOTHING_REFUSED] = {"it pushed no range, and its CUDA calls could not be recorded",
                            "'profrun --doctor' checks why"},
    [RUNNOTHING_FAILED] = {"the trace file could not be created", "choose another path with -o"},
};

static const struct runnothing_text runnothing_not_found = {
    "it exited with status 127, which usually means that a library or a command is missing",
    "if that is libcudart or libcuda, '--sim' provides a simulated one"};
static const struct runnothing_text runnothing_short = {
    "each of its processes ended within 100 ms, or only waited for others",
    "--sample and --hang record processes that live longer; ranges and CUDA calls are always "
    "recorded"};
static const struct runnothing_text runnothing_no_driver = {
    "it pushed no range, and there is no CUDA driver (libcuda.so.1) on this machine",
    "'--sim' runs the program on a simulated GPU; 'profrun --doctor' checks this machine"};
static const struct runnothing_text runnothing_no_simulation = {
    "it pushed no range and made no call of the simulated CUDA",
    "a program for --sim must be built with 'nvcc -cudart shared'; 'profrun --doctor --sim' tests "
    "the simulation"};
static const struct runnothing_text runnothing_no_cuda = {
    "it pushed no range and loaded no CUDA library",
    "annotate it with prof.h or NVTX; 'profrun --doctor' checks CUDA on this machine"};

enum runnothing runnothing_read(const char *line, enum runnothing so_far)
{
    static const char *const words[] = {
        [RUNNOTHING_UNKNOWN] = "",          [RUNNOTHING_OFF] = "# off",
        [RUNNOTHING_COLD] = "# cold",       [RUNNOTHING_IDLE] = "# idle",
        [RUNNOTHING_REFUSED] = "# refused", [RUNNOTHING_FAILED] = "# failed",
    };
    for (size_t i = so_far + 1u; i < sizeof words / sizeof *words; i++)
        if (strcmp(line, words[i]) == 0)
            return (enum runnothing)i;
    return so_far;
}

static const struct runnothing_text *runnothing_find(const struct runopts *options,
                                                     enum runnothing why, int status)
{
    /* --sim loads CUDA into every program, so COLD says nothing about the program */
    const bool is_told = why != RUNNOTHING_UNKNOWN && !(why == RUNNOTHING_COLD && options->sim);
    if (is_told)
        return &runnothing_texts[why];
    if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_FOUND)
        return &runnothing_not_found;
    if (runreport_has("PROF_SAMPLE") || runreport_has("PROF_HANG"))
        return &runnothing_short;
    if (options->sim)
        return &runnothing_no_simulation;
    return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) ? &runnothing_no_cuda
                                                          : &runnothing_no_driver;
}

void runnothing_print(const struct runopts *options, enum runnothing why, int status)
{
    const struct runnothing_text *text = runnothing_find(options, why, status);
    message("%s recorded nothing: %s", options->program[0], text->why);
    message("%s", text->remedy);
}
