/* compat_analysis.h - analyze --compat and diff --compat: what PyTorch's
 * torch/_inductor/analysis/profile_analysis.py prints of one trace, and of two. */
#ifndef PROF_COMPAT_ANALYSIS_H
#define PROF_COMPAT_ANALYSIS_H

#include "op_inputs.h"
#include "profdump.h"

struct compat_choice {
    enum op_type
        type; /* what to compute in where a kernel does not tell; OP_TYPE_UNKNOWN: nothing */
    const char *names[2]; /* of the traces; NULL: "Table 1", "Table 2" */
    unsigned name_limit;  /* characters of kernels' names; 0: 40 */
};

/* Of the one input. An exit status, after having complained where there is something to. */
int cmd_analyze_compat(const struct profdump_options *options, const struct compat_choice *choice);

/* Of the two inputs. */
int cmd_diff_compat(const struct profdump_options *options, const struct compat_choice *choice);

#endif
