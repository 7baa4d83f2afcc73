/* compat_augment.c - work for the kernels of a trace as PyTorch's program gives it: each kernel all of
 * its operator's, however many kernels that has. */
#include "compat_trace.h"

static struct compat_value whole(int64_t number)
{
    return (struct compat_value){COMPAT_WHOLE, number, (double)number};
}

static bool is_there(struct compat_value value)
{
    return value.kind != COMPAT_NONE && value.real != 0;
}

/* What is there already and not 0 stays. */
static bool flop_of(const struct compat_event *event, struct compat_value *flop,
                    struct compat_error *error)
{
    int64_t number;
    if (!event->name.bytes) {
        snprintf(error->message, sizeof error->message, "KeyError: 'name'");
        return false;
    }
    if (is_there(*flop))
        return true;
    if (!compat_flop(event, &number, error))
        return false;
    *flop = whole(number);
    return true;
}

static bool gigabytes_of(const struct compat_event *event, struct compat_value *gigabytes,
                         struct compat_error *error)
{
    double number;
    bool is_whole;
    if (is_there(*gigabytes))
        return true;
    if (!compat_gigabytes(event, &number, &is_whole, error))
        return false;
    *gigabytes = is_whole ? whole(0) : (struct compat_value){COMPAT_REAL, 0, number};
    return true;
}

/* The kernel's own are asked for where its operator has none. */
static bool augment(struct compat_op *op, struct compat_kernel *kernel, struct compat_error *error)
{
    if (!flop_of(&op->event, &op->flop, error))
        return false;
    if (!is_there(op->flop)) {
        if (!flop_of(&kernel->event, &kernel->flop, error))
            return false;
        op->flop = kernel->flop;
    }
    if (!gigabytes_of(&op->event, &op->gigabytes, error))
        return false;
    kernel->flop = op->flop;
    kernel->gigabytes = op->gigabytes;
    op->has_kernel = true;
    return true;
}

static struct compat_op *op_of(struct compat_trace *trace, struct text external_id)
{
    uint32_t before = trace->ids.count;
    uint32_t number = text_pool_number(&trace->ids, external_id);
    bool known = number && trace->ids.count == before && number < trace->id_capacity;
    return known && trace->op_of_id[number] ? &trace->ops[trace->op_of_id[number] - 1] : NULL;
}

static void tell(struct compat_message *message, const char *what, struct text about)
{
    int size = about.size > 200 ? 200 : (int)about.size;
    snprintf(message->text, sizeof message->text, "%s%.*s", what, size,
             about.bytes ? about.bytes : "");
}

bool compat_trace_augment(struct compat_trace *trace, struct compat_message *message)
{
    for (uint32_t i = 0; i < trace->kernel_count; i++) {
        struct compat_kernel *kernel = &trace->kernels[i];
        struct compat_error error;
        if (!kernel->has_args) {
            tell(message, "ParseException: kernel has no args: ", kernel->event.name);
            return false;
        }
        if (!kernel->external_id.bytes)
            continue;
        struct compat_op *op = op_of(trace, kernel->external_id);
        if (!op) {
            tell(message,
                 "IndexError: list index out of range: no cpu_op has a kernel's External id ",
                 kernel->external_id);
            return false;
        }
        if (!augment(op, kernel, &error)) {
            snprintf(message->text, sizeof message->text, "%s", error.message);
            return false;
        }
    }
    return true;
}
