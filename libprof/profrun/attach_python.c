#include "attach.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_MS = 3000, VERSION_NEEDED = 0x30e };

struct exchange {
    char directory[64];
    char script[96], token[96], answer[96];
};

static bool begin_exchange(const struct attach_process *process, struct exchange *exchange)
{
    strcpy(exchange->directory, "/tmp/profrun-attach-XXXXXX");
    if (!attach_process_sees(process, "/tmp") || !mkdtemp(exchange->directory))
        return false;
    snprintf(exchange->script, sizeof exchange->script, "%s/script.py", exchange->directory);
    snprintf(exchange->token, sizeof exchange->token, "%s/token", exchange->directory);
    snprintf(exchange->answer, sizeof exchange->answer, "%s/answer", exchange->directory);
    return true;
}

static void end_exchange(const struct exchange *exchange)
{
    unlink(exchange->script);
    unlink(exchange->token);
    unlink(exchange->answer);
    rmdir(exchange->directory);
}

/* As a literal of Python's. */
static void print_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < 0x20)
            fprintf(file, "\\x%02x", (unsigned char)*text);
        else
            fputc(*text, file);
    fputc('"', file);
}

static void print_request(FILE *file, const struct attach_request *request)
{
    const unsigned char *bytes = (const unsigned char *)request;
    size_t size = sizeof *request;
    while (size && !bytes[size - 1])
        size--;
    fputs("    request = ctypes.create_string_buffer(bytes.fromhex(\"", file);
    for (size_t i = 0; i < size; i++)
        fprintf(file, "%02x", bytes[i]);
    fprintf(file, "\"), %zu)\n", sizeof *request);
}

/* The script needs the token to begin; the first to remove it decides. */
static void print_script(FILE *file, const struct exchange *exchange, const char *library,
                         const struct attach_request *request)
{
    fputs("def attach():\n    import os\n    try:\n        os.unlink(", file);
    print_string(file, exchange->token);
    fputs(")\n    except OSError:\n        return\n    import ctypes\n", file);
    print_request(file, request);
    fputs("    ctypes.CDLL(", file);
    print_string(file, library);
    fputs(", mode=ctypes.RTLD_GLOBAL).libprof_attach(request)\n    with open(", file);
    print_string(file, exchange->answer);
    fputs(" + '.new', 'wb') as out:\n        out.write(request.raw)\n    os.rename(out.name, "
          "out.name[:-4])\n"
          "try:\n    attach()\nexcept Exception:\n    pass\nfinally:\n    del attach\n",
          file);
}

/* The user of the process writes the answer. */
static bool write_files(const struct attach_process *process, const struct exchange *exchange,
                        const char *library, const struct attach_request *request)
{
    const int token = open(exchange->token, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *script = fopen(exchange->script, "we");
    if (script)
        print_script(script, exchange, library, request);
    const bool written = script && fclose(script) == 0 && token >= 0;
    if (token >= 0)
        close(token);
    if (process->owner != geteuid() && (chown(exchange->script, process->owner, (gid_t)-1) != 0 ||
                                        chown(exchange->directory, process->owner, (gid_t)-1) != 0))
        return false;
    return written;
}

/* sys.remote_exec() must be called by the same version of Python: by the program's own interpreter,
 * where it is one. */
static void exec_python(const struct attach_process *process, unsigned version, const char *script)
{
    static const char call[] = "import sys; sys.remote_exec(int(sys.argv[1]), sys.argv[2])";
    char link[64], path[PATH_MAX] = "", name[32], pid[16];
    snprintf(link, sizeof link, "/proc/%d/exe", (int)process->pid);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    snprintf(name, sizeof name, "python3.%u", version & 0xff);
    snprintf(pid, sizeof pid, "%d", (int)process->pid);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    if (strstr(path, "/python") && attach_process_sees(process, path))
        execl(path, path, "-IS", "-c", call, pid, script, (char *)NULL);
    execlp(name, name, "-IS", "-c", call, pid, script, (char *)NULL);
    _exit(127);
}

static bool ask_python(const struct attach_process *process, unsigned version, const char *script)
{
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0)
        exec_python(process, version, script);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && status == 0;
}

static bool read_answer(const struct exchange *exchange, struct attach_request *request)
{
    const int fd = open(exchange->answer, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const bool whole = fd >= 0 && read(fd, request, sizeof *request) == (ssize_t)sizeof *request;
    if (fd >= 0)
        close(fd);
    request->text[sizeof request->text - 1] = '\0';
    return whole;
}

/* A thread that never comes back to the interpreter never answers. */
static enum attach_python_result await_answer(const struct attach_process *process,
                                              const struct exchange *exchange,
                                              struct attach_request *request)
{
    const uint64_t end_ns = clock_monotonic_ns() + ANSWER_MS * 1000000ull;
    bool taken = false;
    while (attach_process_exists(process)) {
        if (read_answer(exchange, request))
            return ATTACH_PYTHON_ANSWERED;
        if (clock_monotonic_ns() > end_ns && (taken || unlink(exchange->token) == 0))
            return ATTACH_PYTHON_SILENT;
        taken |= clock_monotonic_ns() > end_ns + 2 * ANSWER_MS * 1000000ull;
        clock_pause(5000);
    }
    return ATTACH_PYTHON_NOT;
}

enum attach_python_result attach_python(const struct attach_process *process, const char *library,
                                        struct attach_request *request)
{
    struct exchange exchange;
    enum attach_python_result result = ATTACH_PYTHON_NOT;
    const unsigned version = attach_process_python(process);
    if (version < VERSION_NEEDED || !begin_exchange(process, &exchange))
        return ATTACH_PYTHON_NOT;
    if (write_files(process, &exchange, library, request) &&
        ask_python(process, version, exchange.script))
        result = await_answer(process, &exchange, request);
    if (result !=
        ATTACH_PYTHON_SILENT) /* else Python would complain of a script that is not there */
        end_exchange(&exchange);
    return result;
}
