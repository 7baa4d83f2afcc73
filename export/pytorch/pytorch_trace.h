/* pytorch_trace.h - a Chrome trace as PyTorch's torch/_inductor/analysis/profile_analysis.py sees
 * it: its kernels (category "kernel"), its operators (category "cpu_op") by "External id", its
 * devices.
 *
 * Where that program ends with an exception, this fails, and the message is the exception's kind
 * and sentence with what it is about.
 */
#ifndef PROF_PYTORCH_TRACE_H
#define PROF_PYTORCH_TRACE_H

#include "chrome_copy.h"
#include "pytorch.h"
#include "pytorch_work.h"
#include "text_pool.h"

struct pytorch_value {
    enum { PYTORCH_NONE, PYTORCH_WHOLE, PYTORCH_REAL } kind;
    int64_t whole;
    double real; /* PYTORCH_WHOLE: the same number */
};

struct pytorch_op {
    struct pytorch_event event;
    struct pytorch_value flop, gigabytes;
    bool has_kernel; /* and so gets both */
};

struct pytorch_kernel {
    struct pytorch_event event;
    struct pytorch_value flop, gigabytes;
    struct text external_id, device, duration; /* as written; `bytes` NULL: none */
    bool has_args;
};

struct pytorch_trace {
    struct pytorch_op *ops; /* in the order of the file */
    uint32_t op_count, op_capacity;
    struct pytorch_kernel *kernels;
    uint32_t kernel_count, kernel_capacity;
    uint32_t *op_of_id; /* by number in `ids`: index of the operator + 1, 0 none */
    uint32_t id_capacity;
    struct text_pool ids, texts;
    struct text *device_ids, *device_names; /* ids as written */
    uint32_t device_count;
    char *devices; /* "deviceProperties" as in the file */
    size_t device_bytes, device_capacity;
};

/* False: `message` says why. fini may be called anyway. */
bool pytorch_trace_read(struct pytorch_trace *trace, const char *path, bool partial,
                        struct pytorch_message *message);
void pytorch_trace_fini(struct pytorch_trace *trace);

/* Prefixes the message with the path, unless it is there already. */
void pytorch_message_name(struct pytorch_message *message, const char *path);

/* Gives each kernel and its operator their work. */
bool pytorch_trace_augment(struct pytorch_trace *trace, struct pytorch_message *message);

/* Which of the two an event is. */
bool pytorch_is_kernel(const struct augment_event *event);
bool pytorch_is_op(const struct augment_event *event);

/* ---- "deviceProperties" ---- */

/* Appends a segment of the member's value. False: no memory. */
bool pytorch_devices_segment(struct pytorch_trace *trace, struct text segment, bool first);

/* Iterates over the items of such a list: returns the byte after the item, or NULL at the end.
 * `item` and `id` are as written. `p` is the list's first byte, or what the last call returned. */
const char *pytorch_devices_next(const char *p, const char *end, struct text *item, struct text *id,
                                 struct text *name);

#endif
