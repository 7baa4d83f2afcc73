// log_pieces.h - the LOG chunks of a trace file, and the parts of its PARTS chunks.
#ifndef LOG_PIECES_H
#define LOG_PIECES_H

#include "prof/format.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

struct log_piece {
    uint64_t chunk; // its number
    uint32_t log, thread;
    uint64_t sequence;
    std::vector<uint64_t> words; // its records
};

// Every record in the words, with its size.
template <typename Function>
void each_record(const std::vector<uint64_t> &words, Function &&see)
{
    for (size_t at = 0, size; at < words.size(); at += size) {
        bool sized = PROF_WORD_KIND(words[at]) == PROF_KIND_EXT ||
                     PROF_WORD_KIND(words[at]) == PROF_KIND_HOLE;
        size = sized ? PROF_WORD_SIZE(words[at]) : 1;
        see(&words[at], size);
    }
}

inline std::vector<log_piece> log_pieces_of(const std::vector<uint64_t> &words, uint64_t number)
{
    std::vector<log_piece> pieces;
    prof_chunk_header header;
    memcpy(&header, words.data(), sizeof header);
    size_t skip = sizeof header / 8, part = header.part_bytes / 8;
    if (header.magic != PROF_CHUNK_MAGIC)
        return pieces;
    if (header.kind == PROF_CHUNK_LOG)
        pieces.push_back({number, header.log, header.thread, header.sequence,
                          std::vector<uint64_t>(words.begin() + (long)skip, words.end())});
    for (size_t at = 0; header.kind == PROF_CHUNK_PARTS && at < words.size(); at += part) {
        prof_rec_part owner;
        size_t begin = at ? at : skip;
        memcpy(&owner, &words[begin], sizeof owner);
        if (owner.header)
            pieces.push_back(
                {number, owner.log, owner.thread, owner.sequence,
                 std::vector<uint64_t>(words.begin() + (long)(begin + sizeof owner / 8),
                                       words.begin() + (long)(at + part))});
    }
    return pieces;
}

// In the order of the file.
inline std::vector<log_piece> log_pieces(const std::string &path)
{
    std::vector<log_piece> pieces;
    std::vector<uint64_t> words(PROF_CHUNK_BYTES / 8);
    FILE *file = fopen(path.c_str(), "rb");
    for (uint64_t number = 0; file && fread(words.data(), 8, words.size(), file) == words.size();
         number++)
        for (log_piece &piece : log_pieces_of(words, number))
            if (number)
                pieces.push_back(std::move(piece));
    if (file)
        fclose(file);
    return pieces;
}

#endif
