/* pytorch.h - what PyTorch's torch/_inductor/analysis/profile_analysis.py writes and prints for
 * Chrome traces, byte for byte. Each function returns false where that program raises an exception,
 * or a file cannot be read or written: `message` is one line for a person. It is left alone if
 * printing failed (errno says why), or the reader of the output closed the pipe. */
#ifndef PROF_PYTORCH_H
#define PROF_PYTORCH_H

#include "op_inputs.h"

#include <stdio.h>

struct pytorch_message {
    char text[1024];
};

struct pytorch_analysis {
    enum op_type type;    /* of kernels without a type of their own; OP_TYPE_UNKNOWN: none */
    const char *names[2]; /* of the traces; NULL: "Table 1", "Table 2" */
    unsigned name_limit;  /* characters of kernels' names; 0: 40 */
    bool partial;
};

/* The table of each device of a trace, and of two traces beside each other. */
bool pytorch_analyze(const char *path, const struct pytorch_analysis *how, FILE *out,
                     struct pytorch_message *message);
bool pytorch_diff(const char *const paths[2], const struct pytorch_analysis *how, FILE *out,
                  struct pytorch_message *message);

/* Copies a trace and gives each kernel all work of its operator, however many kernels that has. */
bool pytorch_augment(const char *from, const char *to, bool partial,
                     struct pytorch_message *message);

/* Concatenates traces; the last path is the output. Ids and times are not changed, so those of
 * different traces collide. Devices are those of the first trace, and those of the others with a
 * new id; other members are the first trace's. Prints a line when done, unless the output is
 * standard output. */
bool pytorch_combine(const char *const *paths, int count, bool partial, FILE *out,
                     struct pytorch_message *message);

#endif
