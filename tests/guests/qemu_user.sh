# qemu-user: programs of this machine and their threads, signals and forks, emulated
# packages: qemu-user gcc
# commands: qemu-x86_64 gcc

version() { qemu-x86_64 --version | head -n 1; }

prepare() {
    cat >guest.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t alarms, faults;
static char *page;

static void on_alarm(int number) { (void)number, alarms++; }

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    faults += info->si_addr == page;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void *work(void *argument)
{
    long total = 0;
    for (long i = 0; i < 200000; i++)
        total += i % (long)argument;
    return (void *)total;
}

int main(int argc, char **argv)
{
    (void)argv;
    pthread_t threads[8];
    long total = 0;
    for (long i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 2));
    for (int i = 0; i < 8; i++) {
        void *result;
        pthread_join(threads[i], &result);
        total += (long)result;
    }
    printf("threads %ld\n", total);
    signal(SIGALRM, on_alarm);
    struct itimerval timer = {{0, 5000}, {0, 5000}};
    setitimer(ITIMER_REAL, &timer, NULL);
    while (alarms < 20)
        pause();
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("alarms\n");
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 7;
    printf("faults %d\n", (int)faults);
    fflush(stdout);
    if (argc > 1)
        raise(SIGKILL);
    int ends[2], status, sum = 0;
    if (pipe(ends) != 0)
        return 1;
    for (int i = 1; i <= 6; i++)
        if (fork() == 0) {
            dprintf(ends[1], "%d ", i);
            _exit(i);
        }
    while (wait(&status) > 0)
        sum += WEXITSTATUS(status);
    printf("children %d\n", sum);
    fflush(stdout);
    if (vfork() == 0) {
        execl("/bin/sh", "sh", "-c", "echo executed; kill -TERM $$", NULL);
        _exit(127);
    }
    wait(&status);
    printf("signal %d, %s", WTERMSIG(status), system("exit 3") == 3 << 8 ? "system\n" : "no\n");
    fflush(stdout);
    raise(SIGKILL);
}
C
    gcc -O1 -pthread guest.c -o guest
    gcc -O1 -pthread -static guest.c -o guest_static
}

workload() {
    qemu-x86_64 ./guest_static
    echo "status $?"
    qemu-x86_64 -U LD_PRELOAD ./guest
    echo "status $?"
    qemu-x86_64 ./guest without_forks
    echo "status $?"
    qemu-x86_64 /bin/dash -c 'echo $((6 * 7)); exec seq 3'
    echo "status $?"
}
