/* heard.h - what a sink was told, as text: one line per event. */
#ifndef PROF_HEARD_H
#define PROF_HEARD_H

#include "../support/trace_fixture.h"

#include <cstring>
#include <string>
#include <vector>

struct Heard {
    std::string text;
    read_health health = {};
    read_error error = {};
    bool walked = false;
    bool has(const std::string &lines) const { return text.find(lines) != std::string::npos; }
};

inline void hear_line(void *user, const std::string &text)
{
    static_cast<Heard *>(user)->text += text + "\n";
}

inline std::string number(int64_t value)
{
    return std::to_string(value);
}

inline void hear_push(void *user, uint32_t thread, int64_t time, uint32_t name)
{
    hear_line(user, "push " + number(thread) + " " + number(time) + " " + number(name));
}

inline void hear_pop(void *user, uint32_t thread, int64_t time)
{
    hear_line(user, "pop " + number(thread) + " " + number(time));
}

inline void hear_mark(void *user, uint32_t thread, int64_t time, uint32_t name)
{
    hear_line(user, "mark " + number(thread) + " " + number(time) + " " + number(name));
}

inline void hear_range_begin(void *user, uint32_t thread, int64_t time, uint32_t name, uint64_t id)
{
    hear_line(user, "begin " + number(thread) + " " + number(time) + " " + number(name) + " " +
                        std::to_string(id));
}

inline void hear_range_end(void *user, uint32_t thread, int64_t time, uint64_t id)
{
    hear_line(user, "end " + number(thread) + " " + number(time) + " " + std::to_string(id));
}

inline void hear_close(void *user, uint32_t thread, int64_t time, bool unclosed)
{
    hear_line(user, "close " + number(thread) + " " + number(time) + (unclosed ? " unclosed" : ""));
}

inline void hear_cut(void *user, uint32_t thread)
{
    hear_line(user, "cut " + number(thread));
}

inline void hear_thread(void *user, uint32_t thread, uint32_t tid, text name, bool internal)
{
    hear_line(user, "thread " + number(thread) + " " + number(tid) + " " +
                        std::string(name.bytes, name.size) + (internal ? " internal" : ""));
}

inline void hear_gpu(void *user, const read_gpu *gpu)
{
    hear_line(user, "gpu " + number(gpu->kind) + " " + number(gpu->start_ns) + " " +
                        number(gpu->end_ns) + " " + number(gpu->correlation));
}

inline void hear_note(void *user, text note)
{
    hear_line(user, "note " + std::string(note.bytes, note.size));
}

inline read_sink ear(Heard *heard)
{
    read_sink sink = {};
    sink.user = heard;
    sink.push = hear_push;
    sink.pop = hear_pop;
    sink.mark = hear_mark;
    sink.range_begin = hear_range_begin;
    sink.range_end = hear_range_end;
    sink.close_all = hear_close;
    sink.cut = hear_cut;
    sink.thread = hear_thread;
    sink.gpu = hear_gpu;
    sink.note = hear_note;
    return sink;
}

inline Heard hear(const std::vector<uint8_t> &bytes, bool partial = false)
{
    Heard heard;
    read_sink sink = ear(&heard);
    trace_file *file =
        trace_file_open_memory(bytes.data(), bytes.size(), "test.prof", partial, &heard.error);
    if (file)
        heard.walked = trace_file_walk(file, &sink, &heard.health, &heard.error);
    trace_file_close(file);
    return heard;
}

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
