#include "sim_device.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "sim_config.h"
#include "sim_facts.h"

enum { LAST_ATTRIBUTE = 147 };

static char names[SIM_MAX_DEVICES][48];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void write_names(void)
{
    for (int i = 0; i < SIM_MAX_DEVICES; i++)
        snprintf(names[i], sizeof names[i], "Simulated GPU %d (sm_%d%d)", i, SIM_CC_MAJOR,
                 SIM_CC_MINOR);
}

int sim_device_count(void)
{
    return (int)sim_config()->devices;
}

const char *sim_device_name(int device)
{
    pthread_once(&once, write_names);
    return device >= 0 && device < SIM_MAX_DEVICES ? names[device] : "Simulated GPU";
}

uint64_t sim_device_memory(void)
{
    return (uint64_t)sim_config()->device_mem_mb << 20;
}

void sim_device_uuid(int device, unsigned char uuid[16])
{
    memcpy(uuid, "SimulatedGPU", 12);
    memset(uuid + 12, 0, 4);
    uuid[15] = (unsigned char)(device + 1);
}

struct attribute {
    int number;
    int value;
};

/* What is not listed is 0: a feature the simulation does not have. */
static const struct attribute attributes[] = {
    {1, SIM_MAX_THREADS},
    {2, 1024},
    {3, 1024},
    {4, 64},
    {5, 0x7fffffff},
    {6, 65535},
    {7, 65535},
    {8, SIM_SHARED_PER_BLOCK},
    {9, SIM_CONST_BYTES},
    {10, SIM_WARP},
    {11, 0x7fffffff},
    {12, SIM_REGISTERS},
    {13, SIM_CLOCK_KHZ},
    {14, 512},
    {15, 1},
    {16, SIM_SM_COUNT},
    {19, 1},
    {21, 131072},
    {22, 131072},
    {23, 65536},
    {24, 16384},
    {25, 16384},
    {26, 16384},
    {30, 512},
    {31, 1},
    {36, SIM_MEMORY_CLOCK_KHZ},
    {37, SIM_BUS_BITS},
    {38, SIM_L2_BYTES},
    {39, SIM_THREADS_PER_SM},
    {40, SIM_COPY_ENGINES},
    {41, 1},
    {51, 32},
    {75, SIM_CC_MAJOR},
    {76, SIM_CC_MINOR},
    {78, 1},
    {79, 1},
    {80, 1},
    {81, SIM_SHARED_PER_SM},
    {82, SIM_REGISTERS},
    {83, 1},
    {87, 2},
    {89, 1},
    {90, 1},
    {91, 1},
    {95, 1},
    {97, SIM_SHARED_OPTIN},
    {99, 1},
    {102, 1},
    {106, SIM_BLOCKS_PER_SM},
    {111, 1024},
    {115, 1},
    {120, 1},
    {129, 1},
    {131, -1},
    {134, -1},
};

int sim_device_attribute(int device, int attribute, int *value)
{
    if (device < 0 || device >= sim_device_count())
        return SIM_INVALID_DEVICE;
    if (attribute < 1 || attribute > LAST_ATTRIBUTE)
        return SIM_INVALID_VALUE;
    *value = attribute == 33 ? device + 1 : 0; /* 33: the PCI bus, one per device */
    for (size_t i = 0; i < SIM_COUNT(attributes); i++)
        if (attributes[i].number == attribute)
            *value = attributes[i].value;
    return SIM_OK;
}
