// log_words.h - what the logs of a trace file consist of.
#ifndef LOG_WORDS_H
#define LOG_WORDS_H

#include "log_pieces.h"

#include <map>

// The records of all logs, counted by kind, and by 16 + type for EXT records.
inline std::map<unsigned, unsigned> log_words(const std::string &path)
{
    std::map<unsigned, unsigned> count;
    for (const log_piece &piece : log_pieces(path))
        each_record(piece.words, [&](const uint64_t *record, size_t) {
            unsigned kind = PROF_WORD_KIND(*record);
            if (*record)
                count[kind == PROF_KIND_EXT ? 16 + PROF_WORD_TYPE(*record) : kind]++;
        });
    return count;
}

#endif
