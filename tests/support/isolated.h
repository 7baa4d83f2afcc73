// isolated.h - what a test has to itself: a directory, a process, a locale.
#ifndef ISOLATED_H
#define ISOLATED_H

#include <gtest/gtest.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

class TemporaryDirectory
{
public:
    TemporaryDirectory()
    {
        const char *parent = getenv("TMPDIR");
        path = std::string(parent ? parent : "/tmp") + "/recorder.XXXXXX";
        if (!mkdtemp(path.data()))
            abort();
    }
    ~TemporaryDirectory()
    {
        std::string command = "rm -rf '" + path + "'";
        if (system(command.c_str()) != 0)
            ADD_FAILURE() << command;
    }
    std::string operator/(const char *name) const { return path + "/" + name; }
    std::string path;
};

// Runs the statements in a process of its own: the recorder's state is one per process. The numbers keep the names of one
// within another apart.
#define IN_A_PROCESS_OF_ITS_OWN(...) IN_A_PROCESS_NUMBERED(__COUNTER__, __VA_ARGS__)
#define IN_A_PROCESS_NUMBERED(number, ...) IN_A_PROCESS_WITH(STATUS_NAMED(number), __VA_ARGS__)
#define STATUS_NAMED(number) status_##number
#define IN_A_PROCESS_WITH(status, ...)                                 \
    do {                                                               \
        int status = status_of_a_process([&] { __VA_ARGS__; });        \
        EXPECT_EQ(status, 0) << "wait status; the failures are above"; \
    } while (0)

template <typename Function>
int status_of_a_process(Function &&function)
{
    fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        function();
        fflush(nullptr);
        _exit(::testing::Test::HasFailure());
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

// Runs the function in a locale with another decimal point: de_DE has a comma, ps_AF one of two bytes. Returns false where
// the system has no sources of locales. A process of its own leaves before LeakSanitizer looks: glibc's newlocale() loses
// a copy of LOCPATH.
template <typename Function>
bool run_in_locale(const char *name, Function &&function)
{
    TemporaryDirectory directory;
    const std::string file = std::string(name) + ".UTF-8";
    const std::string command = std::string("localedef -i ") + name + " -f UTF-8 '" +
                                (directory / file.c_str()) + "' >/dev/null 2>&1";
    if (system(command.c_str()) != 0)
        return false;
    IN_A_PROCESS_OF_ITS_OWN({
        setenv("LOCPATH", directory.path.c_str(), 1);
        locale_t locale = newlocale(LC_ALL_MASK, file.c_str(), nullptr);
        ASSERT_NE(locale, nullptr) << name;
        uselocale(locale);
        ASSERT_STRNE(localeconv()->decimal_point, ".");
        function();
    });
    return true;
}

#endif
