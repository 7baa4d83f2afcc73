/* waits_deep.c - a thread waits in read(), below functions with frames of different kinds, within a range. The process ends after two
 * seconds. The functions on its stack, outermost first:
 *
 *     begin [grow] sort compare pass_registers pass_many fill wait    with "grow": beside memory of alloca()
 *     begin wait_beside                                               with "beside": the innermost has memory of alloca() itself
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <alloca.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

static int ends[2];

KEPT static long wait(long a)
{
    char bytes[64];
    long result = read(ends[0], bytes, 1);
    return result + a;
}

KEPT static long fill(long a)
{
    char bytes[70000];
    memset(bytes, (int)a, sizeof bytes);
    long result = wait(a);
    return result + bytes[a];
}

KEPT static long pass_many(long a, long b, long c, long d, long e, long f, long g, long h)
{
    long result = fill(a);
    return result + a * b + c * d + e * f + g * h;
}

KEPT static long pass_registers(long a, long b, long c)
{
    long x = a * 3, y = b * 5, z = c * 7, w = a + b, v = b * c;
    long result = pass_many(a, b, c, x, y, z, w, v);
    return result + x + y + z + w + v;
}

KEPT static int compare(const void *left, const void *right)
{
    static int once;
    if (!once++)
        pass_registers(1, 2, 3);
    return *(const int *)left - *(const int *)right;
}

KEPT static long sort(long n)
{
    int numbers[8] = {3, 1, 2, 8, 4, 7, 5, 6};
    qsort(numbers, 8, sizeof *numbers, compare);
    return numbers[n];
}

KEPT static long grow(long n)
{
    char *bytes = alloca((size_t)n * 100);
    memset(bytes, (int)n, (size_t)n * 100);
    long result = sort(n);
    return result + bytes[n];
}

KEPT static long wait_beside(long n)
{
    char *bytes = alloca((size_t)n * 100);
    memset(bytes, 0, (size_t)n * 100);
    long result = read(ends[0], bytes, 1);
    return result + bytes[n];
}

KEPT static void *begin(void *how)
{
    prof_range_push("waiting");
    long result = strcmp(how, "grow") == 0     ? grow(3)
                  : strcmp(how, "beside") == 0 ? wait_beside(3)
                                               : sort(3);
    prof_range_pop();
    return (void *)result;
}

int main(int count, char **arguments)
{
    pthread_t thread;
    if (count < 2 || pipe(ends) != 0 || pthread_create(&thread, NULL, begin, arguments[1]) != 0)
        return 1;
    sleep(2);
    _exit(0);
}
