// log_words.h - what the logs of a trace file consist of.
#ifndef LOG_WORDS_H
#define LOG_WORDS_H

#include "prof/format.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

// The words of every LOG chunk, counted by kind, and by 16 + type for EXT records.
inline std::map<unsigned, unsigned> log_words(const std::string &path)
{
    std::map<unsigned, unsigned> count;
    FILE *file = fopen(path.c_str(), "rb");
    std::vector<uint64_t> chunk(PROF_CHUNK_BYTES / 8);
    for (bool first = true; file && fread(chunk.data(), 8, chunk.size(), file) == chunk.size();
         first = false) {
        const prof_chunk_header *header = (const prof_chunk_header *)chunk.data();
        if (first || header->magic != PROF_CHUNK_MAGIC || header->kind != PROF_CHUNK_LOG)
            continue;
        for (size_t at = PROF_CHUNK_HEADER_BYTES / 8; at < chunk.size();) {
            unsigned kind = PROF_WORD_KIND(chunk[at]);
            bool extended = kind == PROF_KIND_EXT || kind == PROF_KIND_HOLE;
            if (chunk[at])
                count[kind == PROF_KIND_EXT ? 16 + PROF_WORD_TYPE(chunk[at]) : kind]++;
            at += extended ? PROF_WORD_SIZE(chunk[at]) : 1;
        }
    }
    if (file)
        fclose(file);
    return count;
}

#endif
