/* sim_rt_unsupported.c - all other functions of the runtime: arrays, textures, surfaces, graphics,
 * external memory, IPC ...
 */
#include "sim_call.h"

/* The parameters do not matter to a function that reads none. */
#define SIM_UNSUPPORTED(name)                       \
    SIM_EXPORT int name(void);                      \
    SIM_EXPORT int name(void)                       \
    {                                               \
        *sim_call_last_error() = SIM_NOT_SUPPORTED; \
        return SIM_NOT_SUPPORTED;                   \
    }
#include "sim_unsupported.def"

struct channel {
    int bits[4];
    int format;
};

/* Computes only, and returns no error. */
SIM_EXPORT struct channel cudaCreateChannelDesc(int x, int y, int z, int w, int format);
SIM_EXPORT struct channel cudaCreateChannelDesc(int x, int y, int z, int w, int format)
{
    return (struct channel){{x, y, z, w}, format};
}
