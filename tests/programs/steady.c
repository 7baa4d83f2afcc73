/* steady MODE [N]: a program whose output and status must not change, whatever becomes of its trace. Records N ranges
 * "steady" (100,000 unless told), prints "output" and exits with 5. MODE is what it does in between:
 *
 *     plain       nothing
 *     closing     closes every descriptor from 3 on after its first event
 *     replacing   puts a file of its own on all descriptors from 3 to 1023 and checks that nobody writes to it
 *     hunting     a thread puts a file of its own on each descriptor from 3 on and closes it again, STEADY_HUNTS times
 *                 in all, while the ranges are recorded: as many as told, and on until it is done. Checks that nobody
 *                 writes to that file, and prints on stderr how many ranges there were
 *     relieved    a limit on the size of files that lets its trace grow to 2 MiB is gone after half of the ranges; then
 *                 ranges "after" until one is recorded, and 1,000 more
 *     storm       a timer interrupts it every millisecond, without SA_RESTART, before its first event
 *     moving      changes its directory before its first event
 *     rooting     changes its root to its directory
 *     titling     writes over its arguments and environment
 *     descriptors allows itself none beyond the standard ones
 *     memory      allocates 400 MiB and touches it
 *     speaking    prints what prof_loss() counts as lost on stderr
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

static void ranges(long count)
{
    for (long i = 0; i < count; i++) {
        prof_range_push("steady");
        prof_range_pop();
    }
}

static void nothing(int signal_number)
{
    (void)signal_number;
}

static void storm(void)
{
    struct sigaction action = {.sa_handler = nothing};
    struct timeval period = {.tv_usec = 1000};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){period, period}, NULL);
}

static int own_file = -1;

static void take_all_descriptors(void)
{
    own_file = open("own", O_RDWR | O_CREAT, 0600);
    for (int fd = 3; fd < 1024; fd++)
        if (fd != own_file)
            dup2(own_file, fd);
}

static int hunting;

static void *hunt(void *unused)
{
    const char *told = getenv("STEADY_HUNTS");
    long hunts = told ? atol(told) : 1000000;
    for (long done = 0; done < hunts;) {
        for (int fd = 3; fd < 1024; fd++)
            if (fd != own_file)
                done += dup2(own_file, fd) == fd;
        close_range(3, (unsigned)own_file - 1, 0);
        close_range((unsigned)own_file + 1, ~0u, 0);
    }
    __atomic_store_n(&hunting, 0, __ATOMIC_RELEASE);
    return unused;
}

static long hunted(long count)
{
    pthread_t hunter;
    struct stat status;
    long recorded = 0;
    int low = open("own", O_RDWR | O_CREAT, 0600);
    own_file = fcntl(low, F_DUPFD, 700);
    hunting = 1;
    pthread_create(&hunter, NULL, hunt, NULL);
    for (; recorded < count || __atomic_load_n(&hunting, __ATOMIC_ACQUIRE); recorded += 1000)
        ranges(1000);
    pthread_join(hunter, NULL);
    if (fstat(own_file, &status) != 0 || status.st_size != 0)
        exit(6);
    return recorded;
}

static void check_own_file(void)
{
    struct stat status;
    if (fstat(own_file, &status) != 0 || status.st_size != 0)
        exit(6);
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            exit(7);
}

static void write_title(char **argv)
{
    char *end = argv[0] - 1;
    for (char **argument = argv; *argument; argument++)
        end = *argument + strlen(*argument);
    for (char **entry = environ; *entry; entry++)
        if (*entry == end + 1) /* what setenv() has added lies elsewhere */
            end = *entry + strlen(*entry);
    memset(argv[0], 'T', (size_t)(end - argv[0]));
}

static void use_memory(void)
{
    char *memory = malloc(400u << 20);
    if (!memory)
        exit(8);
    memset(memory, 1, 400u << 20);
    free(memory);
}

static unsigned long long losses(void)
{
    struct prof_loss_counts counts = {.size_bytes = sizeof counts};
    prof_loss(&counts);
    return counts.total;
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

static void relieve(void)
{
    unsigned long long before;
    alarm(100);
    if (!losses())
        exit(10);
    limit_files(RLIM_INFINITY);
    do {
        usleep(10000);
        before = losses();
        prof_mark("after");
    } while (losses() != before);
    for (int i = 0; i < 1000; i++)
        prof_mark("after");
    alarm(0);
}

static void print_losses(void)
{
    fprintf(stderr, "lost %llu\n", losses());
}

int main(int argc, char **argv)
{
    char mode[16] = "plain";
    long count = argc > 2 ? atol(argv[2]) : 100000;
    snprintf(mode, sizeof mode, "%s", argc > 1 ? argv[1] : "plain");
    if (!strcmp(mode, "storm"))
        storm();
    if (!strcmp(mode, "moving") && (mkdir("elsewhere", 0700) != 0 || chdir("elsewhere") != 0))
        return 9;
    if (!strcmp(mode, "rooting") && chroot(".") != 0)
        return 9;
    if (!strcmp(mode, "titling"))
        write_title(argv);
    if (!strcmp(mode, "descriptors"))
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
    if (!strcmp(mode, "hunting")) {
        fprintf(stderr, "%ld\n", hunted(count));
        puts("output");
        return 5;
    }
    if (!strcmp(mode, "relieved"))
        limit_files(2 << 20);
    ranges(count / 2);
    if (!strcmp(mode, "relieved"))
        relieve();
    if (!strcmp(mode, "closing"))
        close_range(3, ~0u, 0);
    if (!strcmp(mode, "replacing"))
        take_all_descriptors();
    if (!strcmp(mode, "memory"))
        use_memory();
    ranges(count - count / 2);
    if (!strcmp(mode, "speaking"))
        print_losses();
    if (!strcmp(mode, "replacing"))
        check_own_file();
    puts("output");
    return 5;
}
