// write_support.h - what the writers' tests share: output as a string, JSON checked by Python's
// strict parser.
#ifndef PROF_WRITE_SUPPORT_H
#define PROF_WRITE_SUPPORT_H

#include "../stats/timeline_maker.h"

extern "C" {
#include "json_out.h"
#include "write.h"
}

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

inline std::string to_string(const std::function<void(FILE *)> &write)
{
    char *bytes = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    write(stream);
    fclose(stream);
    std::string result(bytes, size);
    free(bytes);
    return result;
}

// A directory that is removed again.
class Scratch
{
public:
    Scratch()
    {
        char made[] = "/tmp/prof-write-XXXXXX";
        directory = mkdtemp(made);
    }
    ~Scratch() { run("rm -rf '" + directory + "'"); }
    std::string path(const std::string &name) const { return directory + "/" + name; }
    static int run(const std::string &command)
    {
        int status = std::system(command.c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    std::string directory;
};

inline std::string read_file(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}

inline void write_file(const std::string &path, const std::string &bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

inline bool have_python()
{
    static const bool have = Scratch::run("python3 -c '' 2>/dev/null") == 0;
    return have;
}

// Directory of this file: check_trace.py lies beside it. (__FILE__ may be relative to anything.)
inline std::string test_directory()
{
    return PROF_SOURCE_DIR "/tests/write";
}

// Names that have broken trace writers, terminals and browsers.
inline std::vector<std::string> nasty_names()
{
    std::string all_controls;
    for (int c = 0; c < 32; c++)
        all_controls += static_cast<char>(c);
    return {
        "",
        "plain",
        "quote\" backslash\\ slash/",
        all_controls + "\x7f",
        "</script><script>alert(1)</script><!-- ]]> <img src=x onerror=alert(1)>",
        "\x1b[31mred\x1b]0;title\x07\x9b"
        "31m",
        "\xc2\x9b"
        "31m \xc2\x85 C1",
        "\xff\xfe\x80 invalid \xc0\x80 overlong \xe0\x80\x80 \xf8\x88\x80\x80\x80",
        "\xed\xa0\x80 lone \xed\xb0\x80 surrogates",
        "\xf4\x90\x80\x80 beyond",
        "cut \xe2\x82",
        "line \xe2\x80\xa8 paragraph \xe2\x80\xa9",
        "\xe2\x80\xae"
        "evil\xe2\x80\xac \xe2\x81\xa6 isolate \xef\xbb\xbf",
        "=cmd|' /C calc'!A0",
        "a;b c|d\ttab\nnewline",
        "\xf0\x9f\x98\x80 \xe4\xb8\xad\xe6\x96\x87 \xc3\xa9",
        "'%s%n$(reboot)`reboot`",
        std::string("embedded\0nul", 12),
        std::string(1 << 20, 'x') + "\"",
        std::string(1 << 20, '\xff'),
        std::string(511, 'a') + "\xe2\x82\xac" + std::string(511, '"') + "\xf0\x9f\x98\x80",
    };
}

#endif
