/* A program with a CUPTI tool of its own, as PyTorch is: two_tools MOMENT FORM.
 *
 *     MOMENT  early: it subscribes before CUDA is used; late: after
 *     FORM    of CUPTI's interface: first or second (the one with `_v2`)
 *
 * Prints how many of its five kernels the tool was told of, or which error CUPTI gave it.
 */
#include <prof/prof.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
    unsigned x, y, z;
};

struct params {
    size_t struct_size;
    const char *name;
    char *old_name;
    size_t old_size;
    uint8_t allow_others, padding[7];
};

void **__cudaRegisterFatBinary(const void *image);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *function, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp);
int cudaFree(void *pointer);
int cudaDeviceSynchronize(void);
int cudaLaunchKernel(const void *stub, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);
int cuptiSubscribe(void **subscriber, void *callback, void *user);
int cuptiSubscribe_v2(void **subscriber, void *callback, void *user, struct params *params);
int cuptiActivityEnable(uint32_t kind);
int cuptiActivityEnable_v2(void *subscriber, uint32_t kind, const void *config);
int cuptiActivityRegisterCallbacks(void *request, void *complete);
int cuptiActivityRegisterCallbacks_v2(void *subscriber, void *request, void *complete);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, uint8_t **record);
int cuptiActivityGetNextRecord_v2(void *subscriber, uint8_t *buffer, size_t valid, uint8_t **at);
int cuptiActivityFlushAll(uint32_t flags);

static const char kernel[] = "stub";
static void *subscriber;
static int second, kernels;

static void request(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *size = 1 << 16;
    *buffer = malloc(*size);
    *max_records = 0;
}

static void count(uint8_t *buffer, size_t valid)
{
    uint8_t *record = NULL;
    while ((second ? cuptiActivityGetNextRecord_v2(subscriber, buffer, valid, &record)
                   : cuptiActivityGetNextRecord(buffer, valid, &record)) == 0) {
        uint32_t kind;
        memcpy(&kind, record, sizeof kind);
        kernels += kind == 10;
    }
    free(buffer);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context, (void)stream, (void)size;
    count(buffer, valid);
}

static void complete_v2(uint8_t *buffer, size_t size, size_t valid, void *info)
{
    (void)size, (void)info;
    count(buffer, valid);
}

static void check(int result)
{
    if (!result)
        return;
    printf("error %d\n", result);
    fflush(stdout);
    second = -1;
}

static void collect(void)
{
    struct params params = {.struct_size = sizeof params, .name = "the tool", .allow_others = 1};
    check(second ? cuptiSubscribe_v2(&subscriber, NULL, NULL, &params)
                 : cuptiSubscribe(&subscriber, NULL, NULL));
    if (second < 0)
        return;
    check(second ? cuptiActivityRegisterCallbacks_v2(subscriber, request, complete_v2)
                 : cuptiActivityRegisterCallbacks(request, complete));
    check(second ? cuptiActivityEnable_v2(subscriber, 10, NULL) : cuptiActivityEnable(10));
}

int main(int argc, char **argv)
{
    void **handle = __cudaRegisterFatBinary("image");
    __cudaRegisterFunction(handle, kernel, NULL, "_Z4workPfi", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    if (argc != 3)
        return 2;
    second = strcmp(argv[2], "second") == 0;
    if (strcmp(argv[1], "early") == 0)
        collect();
    cudaFree(NULL);
    if (strcmp(argv[1], "late") == 0)
        collect();
    prof_range_push("work");
    for (int i = 0; i < 5; i++)
        cudaLaunchKernel(kernel, (struct dim3){1, 1, 1}, (struct dim3){32, 1, 1}, NULL, 0, NULL);
    prof_range_pop();
    cudaDeviceSynchronize();
    if (second >= 0) {
        cuptiActivityFlushAll(0);
        printf("kernels %d\n", kernels);
    }
    return 0;
}
