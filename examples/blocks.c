/* blocks.c - a model runner that measures itself: three iterations of a profiling block, written as
 * prof buffers for ExecuTorch's own tools, and as a trace like any other.
 *
 * The library is not linked: without profrun the same program runs, and writes nothing. */
#include <prof/block.h>

#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1 << 16, ITERATIONS = 3, LAYERS = 2 };

static uint32_t planned_memory;

static float *allocate(size_t count)
{
    float *values = calloc(count, sizeof *values);
    if (!values)
        abort();
    PROF_TRACK_ALLOCATION(planned_memory, count * sizeof *values);
    return values;
}

static void add(float *values, float number)
{
    PROF_SCOPE("native_call_add.out");
    for (int i = 0; i < SIZE; i++)
        values[i] += number;
}

static void scale(float *values, float number)
{
    PROF_SCOPE("native_call_mul.out");
    for (int i = 0; i < SIZE; i++)
        values[i] *= number;
}

static float execute(void)
{
    PROF_CREATE_BLOCK("inference");
    PROF_SCOPE("Method::execute");
    float *values = allocate(SIZE);
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        PROF_INSTRUCTION_SCOPE(0, 2 * layer);
        add(values, 1.0f);
        PROF_INSTRUCTION_SCOPE(0, 2 * layer + 1);
        scale(values, 0.5f);
    }
    float result = values[SIZE - 1];
    free(values);
    return result;
}

int main(void)
{
    float result = 0.0f;
    planned_memory = PROF_TRACK_ALLOCATOR("planned memory");
    for (int i = 0; i < ITERATIONS; i++)
        result += execute();
    printf("result %.2f\n", (double)result);
    printf("blocks.etprof: %s\n", prof_status_text(PROF_DUMP_RESULTS("blocks.etprof")));
    return 0;
}
