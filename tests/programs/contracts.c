/* contracts GROUP [record]: what the interposed functions of libc return and do, a line for each check. The lines must be
 * the same without the library, with it while nothing is recorded, and while the program records ("record").
 *
 * contracts child ...: what a program that was executed finds. contracts groups: the names of all groups.
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
extern int capset(cap_user_header_t header, cap_user_data_t data);

#define TEXT(text) (char *)(uintptr_t)(text)

static char self[4096];

#define UNTOUCHED 4321 /* of errno, where a function succeeds */

/* ---- printing ---- */

static void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
    fflush(stdout);
}

/* Evaluates a call with a known errno, and prints both. */
#define CALL(name, call)                                                                   \
    do {                                                                                   \
        errno = UNTOUCHED;                                                                 \
        long result_ = (long)(call);                                                       \
        int error_ = errno;                                                                \
        say("%s: %ld, errno %s", name, result_,                                            \
            error_ == UNTOUCHED ? "untouched" : strerrorname_np(error_) /* glibc 2.32 */); \
    } while (0)

static int status_of(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* In a child, as the call replaces or ends the process where it succeeds. What comes after is that it did not. */
#define IN_CHILD(name, statement)                                           \
    do {                                                                    \
        pid_t child_ = fork();                                              \
        if (child_ == 0) {                                                  \
            errno = UNTOUCHED;                                              \
            statement;                                                      \
            say("%s returned, errno %s", name,                              \
                errno == UNTOUCHED ? "untouched" : strerrorname_np(errno)); \
            _exit(77);                                                      \
        }                                                                   \
        say("%s: status %d", name, status_of(child_));                      \
    } while (0)

/* ---- what an executed program finds ---- */

static const char *signal_masks(void)
{
    static char masks[64];
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    masks[0] = '\0';
    for (int number = 1; number < 32; number++)
        if (sigismember(&blocked, number) == 1)
            snprintf(masks + strlen(masks), sizeof masks - strlen(masks), " %d", number);
    return masks;
}

static int child_main(int argc, char **argv)
{
    struct sigaction usr1, usr2;
    sigaction(SIGUSR1, NULL, &usr1);
    sigaction(SIGUSR2, NULL, &usr2);
    size_t bytes = 0;
    for (int i = 0; i < argc; i++)
        bytes += strlen(argv[i]);
    say("  child: %d arguments, last '%s', CONTRACT=%s, blocked:%s, USR1 %s, USR2 %s, group %s",
        argc, argc ? argv[argc - 1] : "", getenv("CONTRACT") ? getenv("CONTRACT") : "none",
        signal_masks(),
        usr1.sa_handler == SIG_IGN   ? "ignored"
        : usr1.sa_handler == SIG_DFL ? "default"
                                     : "handled",
        usr2.sa_handler == SIG_IGN   ? "ignored"
        : usr2.sa_handler == SIG_DFL ? "default"
                                     : "handled",
        getpgrp() == getpid() ? "own" : "parent's");
    return (int)(bytes % 64);
}

static char *const child_arguments[] = {self, TEXT("child"), TEXT("x"), NULL};

/* ---- fork ---- */

static char order[64];

static void note(const char *what)
{
    strcat(order, what);
}
static void before_1(void)
{
    note("b1 ");
}
static void before_2(void)
{
    note("b2 ");
}
static void parent_1(void)
{
    note("p1 ");
}
static void parent_2(void)
{
    note("p2 ");
}
static void child_1(void)
{
    note("c1 ");
}
static void child_2(void)
{
    note("c2 ");
}

static void forks(void)
{
    pthread_atfork(before_1, parent_1, child_1);
    pthread_atfork(before_2, parent_2, child_2);
    errno = UNTOUCHED;
    pid_t child = fork();
    if (child == 0) {
        say("in the child: %s, errno %d, parent %d", order, errno, getppid() > 1);
        exit(5);
    }
    int error = errno;
    say("in the parent: %s, errno %d, status %d", order, error, status_of(child));

    pid_t grandchild = fork();
    if (grandchild == 0)
        _exit(status_of(fork() ?: (_exit(3), 0)) + 1);
    say("a child's child: status %d", status_of(grandchild));

    child = vfork();
    if (child == 0)
        _exit(7);
    say("vfork, _exit: status %d", status_of(child));
    child = vfork();
    if (child == 0) {
        execv("/nonexistent/program", child_arguments);
        execv(self, child_arguments);
        _exit(1);
    }
    say("vfork, execv: status %d", status_of(child));
}

/* ---- posix_spawn ---- */

static volatile pid_t spawned;
static volatile int reaped, unknown;

static void on_child(int number)
{
    (void)number;
    int error = errno;
    for (pid_t pid; (pid = waitpid(-1, NULL, WNOHANG)) > 0; reaped++)
        unknown += pid != spawned;
    errno = error;
}

/* On one processor, the child often ends before posix_spawn() has returned. */
static void spawns_known_to_handlers(void)
{
    cpu_set_t one;
    sched_getaffinity(0, sizeof one, &one);
    for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &one) && seen++)
            CPU_CLR(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    signal(SIGCHLD, on_child);
    char *arguments[] = {TEXT("./quick"), NULL}, *none[] = {NULL};
    for (int i = 0; i < 600; i++) {
        spawned = 0;
        if (posix_spawn((pid_t *)&spawned, "./quick", NULL, NULL, arguments, none) != 0) {
            say("no ./quick");
            return;
        }
        while (reaped <= i)
            sched_yield();
    }
    signal(SIGCHLD, SIG_DFL);
    say("600 children reaped in a handler, %d of them before their id was stored", unknown);
}

static void spawn(const char *name, const posix_spawnattr_t *attributes)
{
    pid_t child = -5;
    errno = UNTOUCHED;
    int error = posix_spawn(&child, self, NULL, attributes, child_arguments, environ);
    int number = errno;
    say("%s: %d, errno %s, status %d, blocked here:%s", name, error,
        number == UNTOUCHED ? "untouched" : "changed", error ? -1 : status_of(child),
        signal_masks());
}

static void spawns(void)
{
    posix_spawnattr_t attributes;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR1, SIG_IGN);
    signal(SIGUSR2, on_child);

    spawn("plain", NULL);
    posix_spawnattr_init(&attributes);
    spawn("attributes without flags", &attributes);
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    posix_spawnattr_setsigmask(&attributes, &set);
    spawn("a mask without the flag", &attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    spawn("a mask", &attributes);
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    spawn("defaults and a group", &attributes);
    short flags;
    posix_spawnattr_getflags(&attributes, &flags);
    posix_spawnattr_getsigmask(&attributes, &set);
    say("attributes afterwards: flags %d, HUP %d, TERM %d", flags, sigismember(&set, SIGHUP),
        sigismember(&set, SIGTERM));
    posix_spawnattr_destroy(&attributes);
    sigemptyset(&set);
    sigprocmask(SIG_SETMASK, &set, NULL);

    pid_t child = -5;
    CALL("bad path",
         posix_spawn(&child, "/nonexistent/program", NULL, NULL, child_arguments, environ));
    say("its id: %d, children: %d", (int)child, wait(NULL) < 0 && errno == ECHILD ? 0 : 1);
    CALL("not a program", posix_spawn(&child, "./script", NULL, NULL, child_arguments, environ));
    CALL("not a program, by path",
         posix_spawnp(&child, "./script", NULL, NULL, child_arguments, environ));
    errno = UNTOUCHED;
    int error = posix_spawn(NULL, self, NULL, NULL, child_arguments, environ), number = errno;
    say("without an id: %d, errno %d, status %d", error, number, status_of(-1));
    error = posix_spawnp(&child, "sh", NULL, NULL,
                         (char *[]){TEXT("sh"), TEXT("-c"), TEXT("exit 6"), NULL}, environ);
    say("posix_spawnp: %d, status %d", error, status_of(child));

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/nonexistent/file", O_RDONLY, 0);
    CALL("a file action that fails",
         posix_spawn(&child, self, &actions, NULL, child_arguments, environ));
    posix_spawn_file_actions_destroy(&actions);
    spawns_known_to_handlers();
}

/* ---- exec* ---- */

static void execs(void)
{
    char *const nothing[] = {NULL};
    char *const one[] = {TEXT("CONTRACT=one"), NULL};
    int script = open("./script", O_RDONLY | O_CLOEXEC), program = open(self, O_RDONLY | O_CLOEXEC);
    setenv("CONTRACT", "inherited", 1);
    CALL("execve, bad path", execve("/nonexistent/program", child_arguments, environ));
    CALL("execve, a directory", execve("/", child_arguments, environ));
    CALL("execve, not a program", execve("./script", child_arguments, environ));
    CALL("execv, not a program", execv("./script", child_arguments));
    CALL("execl, bad path", execl("/nonexistent/program", "x", (char *)NULL));
    CALL("execle, bad path", execle("/nonexistent/program", "x", (char *)NULL, environ));
    CALL("fexecve, bad descriptor", fexecve(-1, child_arguments, environ));
    CALL("fexecve, no environment", fexecve(program, child_arguments, NULL));
    CALL("execveat, bad directory", execveat(-1, "x", child_arguments, environ, 0));
    CALL("execveat, bad flags", execveat(AT_FDCWD, self, child_arguments, environ, 1 << 30));
    CALL("execvp, empty name", execvp("", child_arguments));
    CALL("execvp, unknown name", execvp("no-such-program-anywhere", child_arguments));
    CALL("execvpe, unknown name", execvpe("no-such-program-anywhere", child_arguments, environ));
    CALL("execlp, unknown name", execlp("no-such-program-anywhere", "x", (char *)NULL));

    IN_CHILD("execve", execve(self, child_arguments, one));
    IN_CHILD("execve, no arguments", execve(self, nothing, one));
    IN_CHILD("execv", execv(self, child_arguments));
    IN_CHILD("execl", execl(self, self, "child", "a", "b", (char *)NULL));
    IN_CHILD("execle", execle(self, self, "child", "a", "b", (char *)NULL, one));
    IN_CHILD("execle, no environment", execle(self, self, "child", (char *)NULL, nothing));
    IN_CHILD("execvp, with a slash", execvp(self, child_arguments));
    IN_CHILD("fexecve", fexecve(program, child_arguments, one));
    IN_CHILD("fexecve, a script that is closed", fexecve(script, child_arguments, one));
    IN_CHILD("execveat", execveat(program, "", child_arguments, one, AT_EMPTY_PATH));

    /* PATH: first a file that must not be executed, then a script without an interpreter, then a program. */
    char path[3 * 4096];
    snprintf(path, sizeof path, "./denied:./plain:%.*s", (int)(strrchr(self, '/') - self), self);
    setenv("PATH", path, 1);
    IN_CHILD("execvp, a program", execvp("contracts", child_arguments));
    IN_CHILD("execlp, a program", execlp("contracts", self, "child", "p", (char *)NULL));
    IN_CHILD("execvpe, a program", execvpe("contracts", child_arguments, one));
    IN_CHILD("execvp, a plain script",
             execvp("script", (char *[]){TEXT("script"), TEXT("5"), NULL}));
    IN_CHILD("execlp, a plain script", execlp("script", "script", "6", (char *)NULL));
    IN_CHILD("execvpe, a plain script",
             execvpe("script", (char *[]){TEXT("script"), TEXT("7"), NULL}, one));
    IN_CHILD("execv, a plain script",
             execv("./plain/script", (char *[]){TEXT("script"), TEXT("8"), NULL}));
    IN_CHILD("execvp, denied everywhere",
             (setenv("PATH", "./denied", 1), execvp("script", child_arguments)));
    IN_CHILD("execvp, denied, then missing",
             (setenv("PATH", "./denied:/nonexistent", 1), execvp("script", child_arguments)));
    IN_CHILD("execvp, an empty part of PATH",
             (chdir("plain"), setenv("PATH", "/nonexistent::", 1),
              execvp("script", (char *[]){TEXT("script"), TEXT("9"), NULL})));
    IN_CHILD("execvp, no PATH", (unsetenv("PATH"), execvp("sh", (char *[]){TEXT("sh"), TEXT("-c"),
                                                                           TEXT("exit 4"), NULL})));

    static char *many[4000];
    many[0] = self, many[1] = TEXT("child");
    for (size_t i = 2; i < 3999; i++)
        many[i] = TEXT("argument");
    IN_CHILD("execv, many arguments", execv(self, many));
    static char large[200 << 10];
    memset(large, 'l', sizeof large - 1);
    IN_CHILD("execl, an argument that is too long",
             execl(self, self, "child", large, (char *)NULL));
}

/* ---- ways to end ---- */

static void at_end(void)
{
    say("an exit handler");
}
static void at_quick_end(void)
{
    say("a handler of quick_exit");
}

static void ends(void)
{
    atexit(at_end);
    at_quick_exit(at_quick_end);
    IN_CHILD("exit", exit(3));
    IN_CHILD("quick_exit", quick_exit(4));
    IN_CHILD("_exit", (printf("never written"), _exit(5)));
    IN_CHILD("_Exit", (printf("never written"), _Exit(256 + 6)));
    IN_CHILD("main's end", pthread_exit(NULL));
    int turns[2]; /* the daemon's line comes second */
    pid_t child = pipe(turns) == 0 ? fork() : -1;
    if (child == 0) {
        errno = UNTOUCHED;
        int result = daemon(0, 1), error = errno;
        char directory[64], turn;
        close(turns[1]);
        say("daemon: %d, errno %s, in %s, leader %d, read %d", result,
            error == UNTOUCHED ? "untouched" : "changed", getcwd(directory, sizeof directory),
            getsid(0) == getpid(), (int)read(turns[0], &turn, 1));
        _exit(0);
    }
    say("daemon's parent: status %d", status_of(child));
    close(turns[1]);
    _exit(0);
}

/* ---- the rest ---- */

static void others(void)
{
    char name[16] = "";
    CALL("prctl, set a name", prctl(PR_SET_NAME, "contract"));
    CALL("prctl, get it", prctl(PR_GET_NAME, name));
    say("name %s", name);
    CALL("prctl, unknown", prctl(123456, 1, 2, 3, 4));
    CALL("prctl, unused arguments", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    CALL("prctl, bad arguments", prctl(PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0));
    CALL("prctl, filters", prctl(PR_GET_SECCOMP));
    CALL("prctl, no filter", prctl(PR_SET_SECCOMP, 2, NULL));
    CALL("prctl, capabilities", prctl(PR_CAPBSET_READ, 1000));
    CALL("prctl, drop an unknown one", prctl(PR_CAPBSET_DROP, 1000));
    CALL("prctl, keep", prctl(PR_SET_KEEPCAPS, 1));
    CALL("prctl, kept", prctl(PR_GET_KEEPCAPS));
    CALL("prctl, keep what", prctl(PR_SET_KEEPCAPS, 7));

    CALL("syscall", syscall(SYS_getpid) == getpid());
    CALL("syscall, unknown", syscall(100000));
    CALL("syscall, no filter", syscall(SYS_seccomp, 1, 0, NULL));
    CALL("syscall, prctl", syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0));
    void *memory = (void *)syscall(SYS_mmap, NULL, 4096L, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
    say("syscall, six arguments: %d", memory != MAP_FAILED && (*(char *)memory = 1));
    pid_t child = (pid_t)syscall(SYS_clone, (long)SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        syscall(SYS_exit_group, 9);
    say("syscall that returns twice: status %d", status_of(child));

    CALL("unshare, nothing", unshare(0));
    CALL("unshare, files", unshare(CLONE_FILES));
    CALL("unshare, unknown", unshare(1));
    CALL("setns, bad descriptor", setns(-1, 0));
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC),
        space = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
    CALL("setns, no name space", setns(null, 0));
    CALL("setns, of another kind", setns(space, CLONE_NEWNET));
    struct __user_cap_header_struct header = {.version = 1};
    struct __user_cap_data_struct data[2] = {{0}};
    CALL("capset, an unknown version", capset(&header, data));
    say("version %x", header.version);
    header.pid = 1;
    CALL("capset, another process", capset(&header, data));
    CALL("capset, nowhere", capset(NULL, NULL));
    CALL("mlockall, no flags", mlockall(0));
    CALL("mlockall, unknown flags", mlockall(64));
    CALL("mlockall, on fault alone", mlockall(4));
}

/* ---- state that the functions must not touch ---- */

#define EACH_FUNCTION(before, after)                                                              \
    do {                                                                                          \
        pid_t pid_;                                                                               \
        before;                                                                                   \
        if ((pid_ = fork()) == 0)                                                                 \
            _exit(0);                                                                             \
        after("fork"), syscall(SYS_wait4, pid_, NULL, 0, NULL);                                   \
        before;                                                                                   \
        if (posix_spawn(&pid_, "./quick", NULL, NULL, (char *[]){TEXT("q"), NULL}, environ) == 0) \
            after("posix_spawn"), syscall(SYS_wait4, pid_, NULL, 0, NULL);                        \
        before, posix_spawnp(&pid_, "no-such-program", NULL, NULL, child_arguments, environ);     \
        after("posix_spawnp");                                                                    \
        before, execve("/nonexistent", child_arguments, environ), after("execve");                \
        before, execv("/nonexistent", child_arguments), after("execv");                           \
        before, execvp("no-such-program", child_arguments), after("execvp");                      \
        before, execvpe("no-such-program", child_arguments, environ), after("execvpe");           \
        before, execl("/nonexistent", "x", (char *)NULL), after("execl");                         \
        before, execlp("no-such-program", "x", (char *)NULL), after("execlp");                    \
        before, execle("/nonexistent", "x", (char *)NULL, environ), after("execle");              \
        before, fexecve(-1, child_arguments, environ), after("fexecve");                          \
        before, execveat(-1, "x", child_arguments, environ, 0), after("execveat");                \
        before, prctl(PR_SET_KEEPCAPS, 1), after("prctl");                                        \
        before, syscall(SYS_getpid), after("syscall");                                            \
        before, unshare(0), after("unshare");                                                     \
        before, setns(-1, 0), after("setns");                                                     \
        before, capset(NULL, NULL), after("capset");                                              \
        before, mlockall(64), after("mlockall");                                                  \
    } while (0)

#define FAIL_TO_OPEN dlopen("/nonexistent.so", RTLD_NOW)
#define SAY_ERROR(name)                                                              \
    do {                                                                             \
        const char *text_ = dlerror();                                               \
        say("%s: dlerror() %s", name, text_ ? "is still the program's" : "is gone"); \
    } while (0)

static void loader_errors(void)
{
#define AFTER(name) ({ SAY_ERROR(name); })
    EACH_FUNCTION(FAIL_TO_OPEN, AFTER);
#undef AFTER
#define AFTER(name) ({ say("%s: %s", name, dlerror() ? "an error of another's" : "no error"); })
    EACH_FUNCTION(dlerror(), AFTER);
#undef AFTER
}

/* None of them is a cancellation point. Printing is one. */
static char not_cancelled[1024];

static void *cancelled_thread(void *unused)
{
    pthread_cancel(pthread_self());
#define AFTER(name) strcat(strcat(not_cancelled, " "), name)
    EACH_FUNCTION((void)0, AFTER);
#undef AFTER
    pthread_testcancel();
    return unused;
}

static void cancels(void)
{
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, cancelled_thread, NULL);
    pthread_join(thread, &result);
    say("not cancelled:%s; then: %s", not_cancelled,
        result == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}

/* ---- signal handlers that interrupted malloc() or dlopen() ---- */

static volatile sig_atomic_t interrupts;

static void on_alarm(int number)
{
    int error = errno;
    pid_t child;
    (void)number;
    switch (interrupts++ % 4) {
    case 0:
        if ((child = fork()) == 0)
            _exit(0);
        waitpid(child, NULL, 0);
        break;
    case 1:
        if (posix_spawn(&child, "./quick", NULL, NULL, (char *[]){TEXT("q"), NULL}, environ) == 0)
            waitpid(child, NULL, 0);
        break;
    case 2:
        execve("/nonexistent", child_arguments, environ);
        syscall(SYS_getpid);
        break;
    default:
        if ((child = vfork()) == 0) {
            execv("./quick", child_arguments);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    errno = error;
}

static void handlers(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (interrupts < 200) {
        for (int i = 0; i < 100; i++)
            free(malloc((size_t)(i * 100 % 5000)));
        void *library = dlopen("./empty.so", RTLD_NOW);
        if (library)
            dlclose(library);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    say("200 interruptions");
}

/* ---- */

static const struct group {
    const char *name;
    void (*run)(void);
} groups[] = {
    {"forks", forks},       {"spawns", spawns},
    {"execs", execs},       {"ends", ends},
    {"others", others},     {"cancels", cancels},
    {"handlers", handlers}, {"loader_errors", loader_errors},
};

int main(int argc, char **argv)
{
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = '\0';
    if (argc < 2 || !strcmp(argv[1], "child"))
        return child_main(argc, argv);
    if (argc > 2) {
        prof_range_push("contract");
        prof_range_pop();
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!strcmp(argv[1], "groups"))
            say("%s", groups[i].name);
        else if (!strcmp(argv[1], groups[i].name))
            groups[i].run();
    }
    return 0;
}
