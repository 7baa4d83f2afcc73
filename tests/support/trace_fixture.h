/* trace_fixture.h - the trace builder for tests in C++: shorter names, and a timeline at the end.
 *
 *     Trace trace;
 *     trace.thread(1).log(0, 1).push(100, "work").pop(200);
 *     const timeline *t = trace.load();
 */
#ifndef PROF_TRACE_FIXTURE_H
#define PROF_TRACE_FIXTURE_H

#include "check.h"
#include "read.h"
#include "trace_builder.h"

#include <string>
#include <utility>
#include <vector>

class Trace
{
public:
    Trace() : builder_(trace_builder_create()) {}
    explicit Trace(trace_builder *builder) : builder_(builder) {}
    ~Trace()
    {
        timeline_destroy(timeline_);
        trace_builder_destroy(builder_);
    }
    Trace(const Trace &) = delete;
    Trace &operator=(const Trace &) = delete;

    trace_builder *raw() { return builder_; }
    prof_file_header &header() { return *trace_builder_header(builder_); }
    uint32_t name(const char *text) { return trace_builder_name(builder_, text); }

    Trace &thread(uint32_t index, const char *text = "thread", uint32_t flags = 0)
    {
        trace_builder_thread(builder_, index, 1000 + index, text, flags);
        return *this;
    }
    Trace &log(uint32_t number, uint32_t thread, uint32_t epoch = 1)
    {
        trace_builder_log(builder_, number, thread, epoch);
        return *this;
    }
    Trace &push(int64_t time, const char *text)
    {
        trace_builder_push(builder_, time, name(text));
        return *this;
    }
    Trace &pop(int64_t time)
    {
        trace_builder_pop(builder_, time);
        return *this;
    }
    /* A call of a Python function begins, ends. */
    Trace &call(int64_t time, const char *text)
    {
        trace_builder_word(builder_, PROF_WORD_EVENT(PROF_KIND_FRAME_PUSH, name(text), time));
        return *this;
    }
    Trace &leave(int64_t time)
    {
        trace_builder_word(builder_, PROF_WORD_EVENT(PROF_KIND_FRAME_POP, 0, time));
        return *this;
    }
    /* An event name of a domain; `detail` may say more about it. */
    uint32_t event_name(const char *text, uint32_t domain, prof_rec_event_name detail = {})
    {
        detail.name = name(text);
        detail.domain = domain;
        return trace_builder_event_name(builder_, detail);
    }
    Trace &domain(uint32_t number, const char *text)
    {
        trace_builder_domain(builder_, number, text);
        return *this;
    }
    Trace &nvtx_push(int64_t time, const char *text, uint32_t domain = 0)
    {
        trace_builder_nvtx_push(builder_, time, domain ? event_name(text, domain) : name(text));
        return *this;
    }
    Trace &nvtx_pop(int64_t time, uint32_t domain = 0)
    {
        trace_builder_nvtx_pop(builder_, time, domain);
        return *this;
    }
    Trace &attr(const char *key, prof_attr_type type, uint64_t value, uint64_t target = 0)
    {
        trace_builder_attr_of(builder_, name(key), type, value, target);
        return *this;
    }
    Trace &step(int64_t time, uint64_t number)
    {
        trace_builder_step(builder_, time, number);
        return *this;
    }
    Trace &enter(int64_t time, uint32_t correlation, unsigned flags = PROF_API_LAUNCHES,
                 uint32_t operations = 1, prof_api_domain domain = PROF_API_RUNTIME)
    {
        prof_rec_api_enter call = {};
        call.correlation = correlation;
        call.cbid = domain == PROF_API_RUNTIME ? 211 : 307;
        call.domain = static_cast<uint8_t>(domain);
        call.flags = static_cast<uint8_t>(flags);
        call.operations = flags & PROF_API_LAUNCHES ? operations : 0;
        trace_builder_enter(builder_, time, call);
        return *this;
    }
    Trace &exit(int64_t time, uint32_t correlation, int32_t result = 0)
    {
        trace_builder_exit(builder_, time, correlation, result);
        return *this;
    }
    Trace &launch(int64_t start, int64_t end, uint32_t correlation)
    {
        return enter(start, correlation).exit(end, correlation);
    }
    Trace &kernel(int64_t start, int64_t end, uint32_t correlation, uint32_t stream = 7,
                  const char *text = "kernel")
    {
        prof_rec_kernel detail = {};
        detail.context = 1;
        detail.stream = stream;
        detail.name = name(text);
        trace_builder_kernel(builder_, start, end, correlation, detail, false);
        return *this;
    }
    Trace &api_names()
    {
        trace_builder_api_name(builder_, PROF_API_RUNTIME, 211, "cudaLaunchKernel");
        trace_builder_api_name(builder_, PROF_API_DRIVER, 307, "cuLaunchKernel");
        return *this;
    }

    std::vector<uint8_t> bytes()
    {
        size_t size = 0;
        const uint8_t *at = trace_builder_bytes(builder_, &size);
        return std::vector<uint8_t>(at, at + size);
    }

    /* NULL, with error() saying why, when the file is refused. */
    const timeline *load(bool partial = false) { return load_by(builder_begin(), partial); }
    /* The same, of which only what the window needs is read. */
    timeline *load_window(int64_t from_ns, int64_t to_ns)
    {
        builder *by = builder_begin();
        builder_set_window(by, from_ns, to_ns);
        return load_by(by, false);
    }
    std::string error() const { return error_.message; }

private:
    timeline *load_by(builder *by, bool partial)
    {
        size_t size = 0;
        const uint8_t *at = trace_builder_bytes(builder_, &size);
        timeline_destroy(timeline_);
        timeline_ = nullptr;
        trace_file *file = trace_file_open_memory(at, size, "test.prof", partial, &error_);
        if (file)
            timeline_ = timeline_from_files(by, &file, 1, &error_);
        else
            builder_abandon(by);
        trace_file_close(file);
        return timeline_;
    }

    trace_builder *builder_;
    timeline *timeline_ = nullptr;
    read_error error_ = {};
};

/* Windows that begin and end anywhere in trace_builder_sample(). */
inline std::vector<std::pair<int64_t, int64_t>> windows_of_sample()
{
    std::vector<int64_t> times = {INT64_MIN, INT64_MAX};
    for (int64_t time = 0; time <= 10000; time += 250)
        times.insert(times.end(), {time, time + 100});
    std::vector<std::pair<int64_t, int64_t>> windows;
    for (int64_t from : times)
        for (int64_t to : times)
            if (from < to)
                windows.emplace_back(from, to);
    return windows;
}

/* "name start end depth", one slice per line, in order. */
inline std::string slice_tree(const timeline *t)
{
    std::string text;
    for (uint32_t i = 0; i < t->slices.count; i++) {
        const tl_slice &slice = t->slices.at[i];
        text += std::string(slice.depth, ' ') + t->names.at[slice.name].bytes + " " +
                std::to_string(slice.start_ns) + " " + std::to_string(slice.end_ns) +
                (slice.flags & TL_CONTINUED ? " continued" : "") +
                (slice.flags & TL_UNCLOSED ? " unclosed" : "") + "\n";
    }
    return text;
}

/* "severity rule" of every finding, comma-separated. */
inline std::string findings(const timeline *t)
{
    check_report report;
    std::string text;
    timeline_check(t, &report);
    for (unsigned i = 0; i < report.count; i++)
        text += std::string(i ? ", " : "") + check_severity_name(report.findings[i].severity) +
                " " + check_rule_name(report.findings[i].rule);
    return text;
}

#endif
