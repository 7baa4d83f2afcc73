/* bench.h - timing two loops against each other in one run.
 *
 * Shared machines drift between speeds, so a figure is a ratio: floor and candidate take turns, and
 * the median of the per-round ratios is reported beside the fastest time of each.
 */
#ifndef PROF_BENCH_H
#define PROF_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_ROUNDS 31

struct bench_result {
    double floor_ns, candidate_ns; /* fastest round, per iteration */
    double ratio;                  /* median over the rounds */
};

/* Runs `iterations` iterations of something. */
typedef void (*bench_loop)(void *user, uint64_t iterations);

static inline double bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double bench_time(bench_loop loop, void *user, uint64_t iterations)
{
    double start = bench_now_ns();
    loop(user, iterations);
    return (bench_now_ns() - start) / (double)iterations;
}

static inline int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rounds so far; zeroed at first. */
struct bench_turns {
    struct bench_result fastest;
    double ratios[BENCH_ROUNDS];
    int rounds;
};

static inline void bench_turn(struct bench_turns *turns, double floor_ns, double candidate_ns)
{
    struct bench_result *fastest = &turns->fastest;
    if (!turns->rounds || floor_ns < fastest->floor_ns)
        fastest->floor_ns = floor_ns;
    if (!turns->rounds || candidate_ns < fastest->candidate_ns)
        fastest->candidate_ns = candidate_ns;
    turns->ratios[turns->rounds++] = candidate_ns / floor_ns;
}

static inline struct bench_result bench_turns_end(struct bench_turns *turns)
{
    qsort(turns->ratios, (size_t)turns->rounds, sizeof *turns->ratios, bench_compare);
    turns->fastest.ratio = turns->ratios[turns->rounds / 2];
    return turns->fastest;
}

static inline struct bench_result bench_against(bench_loop floor, bench_loop candidate, void *user,
                                                uint64_t iterations)
{
    struct bench_turns turns = {.rounds = 0};
    floor(user, iterations);
    candidate(user, iterations);
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double floor_ns = bench_time(floor, user, iterations);
        bench_turn(&turns, floor_ns, bench_time(candidate, user, iterations));
    }
    return bench_turns_end(&turns);
}

static inline void bench_print(const char *name, struct bench_result result)
{
    printf("%-44s %8.2f ns %8.2f ns %7.2fx\n", name, result.floor_ns, result.candidate_ns,
           result.ratio);
    fflush(stdout);
}

static inline void bench_print_header(const char *floor)
{
    printf("%-44s %11s %11s %8s\n", "", floor, "measured", "ratio");
}

#endif
