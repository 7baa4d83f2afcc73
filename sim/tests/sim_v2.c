/* sim_v2.c - CUPTI's v2 subscriber API, alone and together with v1. One promise per
 * sub-command. */
#include <string.h>

#include "sim_test.h"

struct params {
    size_t struct_size;
    const char *name;
    char *old_name;
    size_t old_size;
    uint8_t allow_others, padding[7];
};

typedef void (*request_v2_function)(uint8_t **, size_t *, size_t *, const void *);
typedef void (*complete_v2_function)(uint8_t *, size_t, size_t, const void *);

int cuptiActivityEnable_v2(void *subscriber, uint32_t kind, const void *config);
int cuptiActivityDisable_v2(void *subscriber, uint32_t kind, const void *config);
int cuptiActivityRegisterCallbacks_v2(void *subscriber, request_v2_function, complete_v2_function);
int cuptiActivityGetNextRecord_v2(void *subscriber, uint8_t *buffer, size_t valid, uint8_t **at);
int cuptiActivityGetNumDroppedRecords_v2(void *subscriber, void *context, uint32_t stream,
                                         size_t *dropped);
int cuptiActivityGetStructSize(uint32_t kind, uint32_t version, size_t *bytes);
int cuptiActivitySetAttribute_v2(void *subscriber, uint32_t number, size_t *bytes, void *value);
int cuptiFinalize(void);
int cuptiGetTimestamp_v2(void *subscriber, uint64_t *time_ns);

static void *first_tool, *second_tool;
static unsigned counts[2][64]; /* by tool and kind */

static int subscribe(void **subscriber, uint8_t allow_others, char old_name[64])
{
    struct params params = {
        .struct_size = sizeof params,
        .name = "a tool",
        .old_name = old_name,
        .old_size = 64,
        .allow_others = allow_others,
    };
    return cuptiSubscribe_v2(subscriber, NULL, NULL, &params);
}

static void request(uint8_t **buffer, size_t *size, size_t *max_records, const void *info)
{
    EXPECT(info);
    *size = 8192;
    *buffer = calloc(1, *size);
    *max_records = 0;
}

static void count(unsigned tool, void *subscriber, uint8_t *buffer, size_t valid)
{
    uint8_t *record = NULL;
    while (cuptiActivityGetNextRecord_v2(subscriber, buffer, valid, &record) == 0)
        counts[tool][*(uint32_t *)(void *)record]++;
    free(buffer);
}

static void complete_v1(uint8_t *buffer, size_t size, size_t valid, const void *info)
{
    EXPECT(info && valid <= size);
    count(0, first_tool, buffer, valid);
}

static void complete_v2(uint8_t *buffer, size_t size, size_t valid, const void *info)
{
    EXPECT(info && valid <= size);
    count(1, second_tool, buffer, valid);
}

static void launch_and_copy(void)
{
    void *device = NULL;
    CHECK(cudaMalloc(&device, 4096));
    for (int i = 0; i < 3; i++)
        CHECK(launch(NULL));
    CHECK(cudaMemset(device, 0, 4096));
    CHECK(cudaDeviceSynchronize());
    CHECK(cuptiActivityFlushAll(0));
}

static void shares_what_each_asked_for(void)
{
    char old_name[64] = "";
    uint64_t time_ns = 0;
    size_t dropped = 1;
    CHECK(subscribe(&first_tool, 1, old_name));
    EXPECT(!*old_name);
    CHECK(subscribe(&second_tool, 1, old_name));
    EXPECT(strcmp(old_name, "a tool") == 0 && first_tool != second_tool);
    CHECK(cuptiGetTimestamp_v2(second_tool, &time_ns));
    EXPECT(time_ns);
    CHECK(cuptiActivityRegisterCallbacks_v2(first_tool, request, complete_v1));
    CHECK(cuptiActivityRegisterCallbacks_v2(second_tool, request, complete_v2));
    CHECK(cuptiActivityEnable_v2(first_tool, 10, NULL));
    CHECK(cuptiActivityEnable_v2(second_tool, 10, NULL));
    CHECK(cuptiActivityEnable_v2(second_tool, 2, NULL));
    launch_and_copy();
    EXPECT(counts[0][10] == 3 && counts[0][2] == 0);
    EXPECT(counts[1][10] == 3 && counts[1][2] == 1);
    CHECK(cuptiFinalize()); /* does nothing: there are two */
    CHECK(cuptiUnsubscribe(first_tool));
    launch_and_copy();
    EXPECT(counts[0][10] == 3 && counts[1][10] == 6);
    CHECK(cuptiActivityGetNumDroppedRecords_v2(second_tool, NULL, 0, &dropped));
    EXPECT(dropped == 0);
}

static void ask(uint8_t **buffer, size_t *size, size_t *max_records)
{
    (void)buffer, (void)size, (void)max_records;
}

static void give(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context, (void)stream, (void)buffer, (void)size, (void)valid;
}

static void keeps_forms_apart(void)
{
    void *subscriber = NULL;
    size_t one = 1;
    uint8_t value = 1;
    CHECK(subscribe(&first_tool, 1, NULL));
    EXPECT(cuptiSubscribe(&subscriber, NULL, NULL) == 39);
    EXPECT(cuptiActivityEnable(10) == 39 && cuptiActivityDisable(10) == 39);
    EXPECT(cuptiActivityRegisterCallbacks(ask, give) == 39);
    EXPECT(cuptiActivitySetAttribute(5, &one, &value) == 39);
    CHECK(cuptiActivitySetAttribute_v2(first_tool, 5, &one, &value));
    CHECK(cuptiUnsubscribe(first_tool));
    CHECK(cuptiSubscribe(&subscriber, NULL, NULL));
    EXPECT(subscribe(&second_tool, 1, NULL) == 39);
    EXPECT(cuptiActivityEnable_v2(subscriber, 10, NULL) == 39);
}

static void keeps_to_itself(void)
{
    char old_name[64] = "";
    size_t bytes = 0;
    CHECK(subscribe(&first_tool, 0, NULL));
    EXPECT(subscribe(&second_tool, 1, old_name) == 39 && strcmp(old_name, "a tool") == 0);
    EXPECT(cuptiActivityEnable_v2(NULL, 10, NULL) == 1);
    CHECK(cuptiActivityGetStructSize(10, 0, &bytes));
    EXPECT(bytes == 232);
    EXPECT(cuptiActivityGetStructSize(10, 120000, &bytes) == 27);
    EXPECT(cuptiActivityGetStructSize(63, 0, &bytes) == 21);
}

static void needs_its_driver(void)
{
    CHECK(subscribe(&first_tool, 1, NULL));
    EXPECT(subscribe(&second_tool, 1, NULL) == 39);
}

static void times_by_hardware(void)
{
    size_t one = 1, dropped = 0;
    uint8_t value = 1;
    CHECK(cuptiActivitySetAttribute_v2(NULL, 13, &one, &value));
    CHECK(subscribe(&first_tool, 1, NULL));
    EXPECT(cuptiActivitySetAttribute_v2(first_tool, 15, &one, &value) == 14);
    CHECK(cuptiActivityRegisterCallbacks_v2(first_tool, request, complete_v1));
    CHECK(cuptiActivityEnable_v2(first_tool, 10, NULL));
    for (int i = 0; i < 5; i++)
        CHECK(launch(NULL));
    CHECK(cudaDeviceSynchronize());
    CHECK(cuptiActivityFlushAll(0));
    CHECK(cuptiActivityGetNumDroppedRecords_v2(first_tool, NULL, 0, &dropped));
    EXPECT(counts[0][10] == 3 && dropped == 2);
    EXPECT(cuptiActivitySetAttribute_v2(NULL, 13, &one, &value) == 14);
}

static void has_no_hardware(void)
{
    size_t one = 1;
    uint8_t value = 1;
    EXPECT(cuptiActivitySetAttribute_v2(NULL, 13, &one, &value) == 27);
}

static const struct sim_test commands[] = {
    {"shares_what_each_asked_for", shares_what_each_asked_for},
    {"keeps_forms_apart", keeps_forms_apart},
    {"keeps_to_itself", keeps_to_itself},
    {"needs_its_driver", needs_its_driver},
    {"times_by_hardware", times_by_hardware},
    {"has_no_hardware", has_no_hardware},
};

int main(int argc, char **argv)
{
    return sim_test_main(argc, argv, commands, sizeof commands / sizeof commands[0]);
}
