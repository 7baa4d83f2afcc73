/* jax_parts.c - what JAX wants of NVML and cuDNN before it compiles anything: versions, and handles that are
 * used for nothing. Built into one library that stands for both.
 */
#include <stddef.h>
#include <stdio.h>

/* ---- NVML ---- */

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlSystemGetDriverVersion(char *text, unsigned bytes);

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlShutdown(void)
{
    return 0;
}

int nvmlSystemGetDriverVersion(char *text, unsigned bytes)
{
    snprintf(text, bytes, "580.65.06"); /* CUDA 13.0's */
    return 0;
}

/* ---- cuDNN ---- */

static int cudnn_handle;

size_t cudnnGetVersion(void);
int cudnnGetProperty(int which, int *value);
int cudnnCreate(void **handle);
int cudnnDestroy(void *handle);
int cudnnSetStream(void *handle, void *stream);

size_t cudnnGetVersion(void)
{
    return 91200;
}

int cudnnGetProperty(int which, int *value)
{
    static const int version[] = {9, 12, 0};
    *value = which >= 0 && which < 3 ? version[which] : 0;
    return 0;
}

int cudnnCreate(void **handle)
{
    *handle = &cudnn_handle;
    return 0;
}

int cudnnDestroy(void *handle)
{
    (void)handle;
    return 0;
}

int cudnnSetStream(void *handle, void *stream)
{
    (void)handle, (void)stream;
    return 0;
}
