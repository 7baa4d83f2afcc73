/* compat_trace.h - a Chrome trace as PyTorch's torch/_inductor/analysis/profile_analysis.py sees it, for
 * --compat: its kernels (category "kernel"), its operators (category "cpu_op") by "External id", its
 * devices.
 *
 * Where that program ends with an exception, this fails, and the message is the exception's kind and
 * sentence with what it is about.
 */
#ifndef PROF_COMPAT_TRACE_H
#define PROF_COMPAT_TRACE_H

#include "augment_event.h"
#include "compat_work.h"
#include "text_pool.h"

struct compat_value {
    enum { COMPAT_NONE, COMPAT_WHOLE, COMPAT_REAL } kind;
    int64_t whole;
    double real; /* COMPAT_WHOLE: the same number */
};

struct compat_op {
    struct compat_event event;
    struct compat_value flop, gigabytes;
    bool has_kernel; /* and so gets both */
};

struct compat_kernel {
    struct compat_event event;
    struct compat_value flop, gigabytes;
    struct text external_id, device, duration; /* as written; `bytes` NULL: none */
    bool has_args;
};

struct compat_trace {
    struct compat_op *ops; /* in the order of the file */
    uint32_t op_count, op_capacity;
    struct compat_kernel *kernels;
    uint32_t kernel_count, kernel_capacity;
    uint32_t *op_of_id; /* by number in `ids`: index of the operator + 1, 0 none */
    uint32_t id_capacity;
    struct text_pool ids, texts;
    struct text *device_ids, *device_names; /* ids as written */
    uint32_t device_count;
    char *devices; /* "deviceProperties" as in the file */
    size_t device_bytes, device_capacity;
};

struct compat_message {
    char text[512];
};

/* False: `message` says why. fini may be called anyway. */
bool compat_trace_read(struct compat_trace *trace, const char *path, bool partial,
                       struct compat_message *message);
void compat_trace_fini(struct compat_trace *trace);

/* Gives each kernel and its operator their work. */
bool compat_trace_augment(struct compat_trace *trace, struct compat_message *message);

/* Which of the two an event is. */
bool compat_is_kernel(const struct augment_event *event);
bool compat_is_op(const struct augment_event *event);

#endif
