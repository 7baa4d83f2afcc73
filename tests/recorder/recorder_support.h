// What the recorder's tests share: the environment, a trace file in memory.
#ifndef RECORDER_SUPPORT_H
#define RECORDER_SUPPORT_H

#include "isolated.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "chunks.h"
#include "meta.h"
#include "names.h"
}

// What the function writes to stderr.
template <typename Function>
std::string stderr_of(Function &&function)
{
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    function();
    dup2(kept, STDERR_FILENO);
    close(kept);
    std::string text(1 << 16, '\0');
    rewind(file);
    text.resize(fread(text.data(), 1, text.size(), file));
    fclose(file);
    return text;
}

inline uint64_t file_size(const std::string &path)
{
    struct stat status;
    return stat(path.c_str(), &status) == 0 ? (uint64_t)status.st_size : 0;
}

// Whether the process has mapped the file.
inline bool maps_file(const std::string &path)
{
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(path) != std::string::npos)
            return true;
    return false;
}

// Creates a trace file the way the session does, as far as chunks, META and names need it.
inline int begin_file(const std::string &path, uint64_t max_bytes, bool ring,
                      uint64_t address_bytes = UINT64_MAX)
{
    chunks_options options = {path.c_str(), max_bytes, address_bytes, ring};
    int error = chunks_create(&options);
    if (error)
        return error;
    chunks_first()->chunk_count = 1;
    meta_begin_file();
    chunks_publish();
    return 0;
}

#endif
