/* sim_layout.c - record sizes by CUPTI version. Records have only grown at their end: one is built
 * in its longest form and truncated.
 */
#include "sim_layout.h"

#include "sim_config.h"
#include "sim_cupti.h"

struct version {
    uint32_t number;
    int unknown_kind;
    uint32_t driver_cbids, runtime_cbids, resource_cbids, state_cbids;
};

static const struct version versions[SIM_LAYOUTS] = {
    [SIM_LAYOUT_11_0] = {13, SIM_CUPTI_UNKNOWN, 579, 347, 21, 0},
    [SIM_LAYOUT_11_2] = {14, SIM_CUPTI_UNKNOWN, 626, 405, 21, 0},
    [SIM_LAYOUT_11_8] = {18, SIM_CUPTI_UNKNOWN, 677, 436, 21, 0},
    [SIM_LAYOUT_12_4] = {22, SIM_CUPTI_INVALID_KIND, 754, 468, 22, 4},
    [SIM_LAYOUT_13_0] = {130001, SIM_CUPTI_INVALID_KIND, 807, 523, 24, 4},
    [SIM_LAYOUT_13_3] = {130300, SIM_CUPTI_INVALID_KIND, 807, 523, 24, 4},
};

/* 11.0 from its release notes, 13.3 from its headers; the others measured. */
static const uint16_t sizes[SIM_KINDS][SIM_LAYOUTS] = {
    [1] = {72, 80, 88, 88, 96, 96},
    [2] = {72, 80, 88, 88, 88, 88},
    [3] = {160, 168, 200, 208, 216, 232},
    [4] = {40, 40, 40, 40, 40, 40},
    [5] = {40, 40, 40, 40, 40, 40},
    [8] = {144, 144, 176, 184, 184, 192},
    [9] = {16, 16, 16, 24, 32, 40},
    [10] = {160, 168, 200, 208, 216, 232},
    [11] = {32, 32, 32, 32, 32, 32},
    [12] = {56, 56, 56, 56, 56, 56},
    [13] = {32, 32, 32, 32, 40, 40},
    [17] = {40, 40, 40, 56, 56, 56},
    [18] = {144, 144, 144, 144, 144, 144},
    [19] = {40, 40, 40, 40, 40, 40},
    [20] = {40, 40, 40, 40, 40, 40},
    [22] = {80, 88, 96, 96, 96, 96},
    [25] = {64, 64, 64, 64, 104, 104},
    [26] = {32, 32, 32, 32, 32, 32},
    [27] = {24, 24, 24, 24, 24, 24},
    [28] = {24, 24, 24, 24, 24, 24},
    [33] = {152, 152, 152, 152, 152, 152},
    [34] = {152, 152, 152, 152, 152, 152},
    [35] = {120, 120, 120, 120, 120, 120},
    [36] = {24, 24, 24, 24, 56, 56},
    [37] = {24, 24, 24, 24, 24, 24},
    [38] = {40, 40, 40, 40, 56, 56},
    [39] = {24, 24, 24, 24, 24, 24},
    [40] = {88, 88, 136, 136, 136, 136},
    [45] = {80, 80, 80, 80, 80, 80},
    [46] = {168, 168, 168, 168, 168, 168},
    [47] = {40, 40, 40, 40, 40, 40},
    [48] = {40, 40, 40, 40, 40, 40},
    [49] = {0, 112, 120, 120, 128, 128},
    [50] = {0, 64, 72, 72, 80, 80},
    [51] = {0, 0, 48, 56, 56, 56},
    [52] = {0, 0, 64, 72, 72, 72},
    [53] = {0, 0, 0, 0, 56, 56},
    [54] = {0, 0, 0, 0, 64, 64},
    [55] = {0, 0, 0, 0, 32, 32},
    [56] = {0, 0, 0, 0, 0, 56},
    [57] = {0, 0, 0, 0, 0, 24},
    [58] = {0, 0, 0, 0, 0, 48},
    [59] = {0, 0, 0, 0, 0, 168},
};

static const struct version *current(void)
{
    return &versions[sim_config()->layout];
}

uint32_t sim_layout_version(void)
{
    return current()->number;
}

bool sim_layout_is_newer_than_driver(void)
{
    static const int64_t majors[SIM_LAYOUTS] = {11, 11, 11, 12, 13, 13};
    return majors[sim_config()->layout] > sim_config()->driver_version / 1000;
}

size_t sim_layout_size(uint32_t kind)
{
    return kind < SIM_KINDS ? sizes[kind][sim_config()->layout] : 0;
}

int sim_layout_unknown_kind(void)
{
    return current()->unknown_kind;
}

uint32_t sim_layout_cbids(uint32_t domain)
{
    switch (domain) {
    case SIM_CB_DRIVER:
        return current()->driver_cbids;
    case SIM_CB_RUNTIME:
        return current()->runtime_cbids;
    case SIM_CB_RESOURCE:
        return current()->resource_cbids;
    case SIM_CB_SYNCHRONIZE:
        return 3;
    case SIM_CB_NVTX:
        return 256;
    case SIM_CB_STATE:
        return current()->state_cbids;
    default:
        return 0;
    }
}

/* A function that later got a new id, as programs built with the older version call it. */
struct alias {
    uint16_t domain, newer, older;
};

static const struct alias aliases[] = {
    {SIM_CB_RUNTIME, 505, 211},                           /* __cudaLaunchKernel: cudaLaunchKernel */
    {SIM_CB_RUNTIME, 506, 214}, {SIM_CB_RUNTIME, 440, 4}, /* cudaGetDeviceProperties */
    {SIM_CB_RUNTIME, 443, 310},                           /* cudaGraphInstantiate */
    {SIM_CB_RUNTIME, 448, 254},                           /* cudaMemAdvise */
    {SIM_CB_RUNTIME, 449, 252},                           /* cudaMemPrefetchAsync */
    {SIM_CB_RUNTIME, 450, 253}, {SIM_CB_RUNTIME, 461, 324}, /* cudaStreamGetCaptureInfo */
    {SIM_CB_RUNTIME, 462, 325}, {SIM_CB_RUNTIME, 486, 139}, /* cudaEventElapsedTime */
    {SIM_CB_DRIVER, 780, 123},                              /* cuEventElapsedTime */
    {SIM_CB_DRIVER, 643, 578},                              /* cuGraphInstantiate */
    {SIM_CB_DRIVER, 757, 235},                              /* cuCtxCreate */
    {SIM_CB_DRIVER, 647, 482},                              /* cuDeviceGetUuid */
    {SIM_CB_DRIVER, 652, 307},                              /* cuLaunchKernelEx */
    {SIM_CB_DRIVER, 653, 442},  {SIM_CB_DRIVER, 677, 626},  /* cuGetProcAddress */
};

uint32_t sim_layout_cbid(uint32_t domain, uint32_t cbid)
{
    if (cbid < sim_layout_cbids(domain))
        return cbid;
    for (size_t i = 0; i < SIM_COUNT(aliases); i++)
        if (aliases[i].domain == domain && aliases[i].newer == cbid)
            return aliases[i].older < sim_layout_cbids(domain) ? aliases[i].older : 0;
    return 0;
}
