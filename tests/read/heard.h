/* heard.h - what the native reader appends to a timeline, as text: one line per event. */
#ifndef PROF_HEARD_H
#define PROF_HEARD_H

#include "../support/trace_fixture.h"

#include <cstring>
#include <string>
#include <vector>

struct Heard {
    std::string text;
    tl_health health = {};
    read_error error = {};
    bool walked = false;
    bool has(const std::string &lines) const { return text.find(lines) != std::string::npos; }
};

inline std::string number(int64_t value)
{
    return std::to_string(value);
}

/* Reads the file into a timeline; heard.cc notes what the reader appends to it. */
Heard hear(const std::vector<uint8_t> &bytes, bool partial = false);
Heard hear(trace_file *file);

inline Heard hear(Trace &trace, bool partial = false)
{
    return hear(trace.bytes(), partial);
}

/* Why the file is refused; "" when it is not. */
inline std::string refusal(const std::vector<uint8_t> &bytes, bool partial = false)
{
    Heard heard = hear(bytes, partial);
    return heard.walked ? "" : heard.error.message;
}

template <typename Value>
void put(std::vector<uint8_t> &bytes, size_t offset, Value value)
{
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

#endif
