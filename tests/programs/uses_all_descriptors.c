/* uses_all_descriptors: uses up its descriptors and then computes for ever, in a range. Whoever opens a file in this process's
 * table fails. */
#include <prof/prof.h>

#include <fcntl.h>
#include <sys/resource.h>

static volatile double sum;

__attribute__((noinline)) static void compute(void)
{
    for (unsigned i = 1;; i++)
        sum += 1.0 / i;
}

int main(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 80;
    setrlimit(RLIMIT_NOFILE, &limit);
    while (open("/dev/null", O_RDONLY) >= 0)
        continue;
    prof_range_push("full");
    compute();
}
