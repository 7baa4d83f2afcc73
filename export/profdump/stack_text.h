/* stack_text.h - call stacks as text: lines, functions, folded stacks. */
#ifndef PROF_STACK_TEXT_H
#define PROF_STACK_TEXT_H

#include "profdump.h"
#include "reports.h"
#include "symbols.h"

/* Creates the symbolizer with the options given. NULL after having complained: no memory. */
struct symbols *stack_text_symbols(const struct profdump_options *options,
                                   const struct timeline *timeline);

/* Reports files that could not be used; reports a recording without stacks. */
void stack_text_complain(const struct symbols *symbols);
void stack_text_complain_of_none(const struct timeline *timeline);

/* As torch.profiler's "Call stack": "file(line): function", innermost first, separated by ';'. By
 * stack, each to free(). NULL: no memory. */
char **stack_text_lines(struct symbols *symbols, const struct timeline *timeline);

/* The same with a symbolizer of its own, after having reported files that could not be used. NULL
 * also where there are no stacks. */
char **stack_text_all_lines(const struct profdump_options *options,
                            const struct timeline *timeline);
void stack_text_free(char **lines, uint32_t count);

/* One line: written to a stream, or returned for the caller to free(). */
void stack_text_write_line(FILE *stream, struct symbol_stack stack);
char *stack_text_line(struct symbol_stack stack);

/* ---- stacks that are shown as one ---- */

struct stack_groups {
    uint32_t count;
    uint32_t *group_of; /* by stack */
    uint32_t *stacks;   /* those of a group side by side */
    uint32_t *first;    /* by group, and one more: into stacks */
    char **texts;       /* by group: what was written of its stacks */
};

/* Stacks for which `write` writes the same text are one group. False: no memory; fini is not needed
 * then. */
bool stack_groups_init(struct stack_groups *groups, struct symbols *symbols,
                       const struct timeline *timeline,
                       void (*write)(FILE *stream, const struct tl_stack *stack,
                                     struct symbol_stack frames, const void *user),
                       const void *user);
void stack_groups_fini(struct stack_groups *groups);

/* A line per function, innermost first, indented. */
void stack_text_print(FILE *stream, struct symbol_stack stack);

/* As flamegraph.pl reads it: outermost first, separated by ';', inlined functions marked _[i]. Of
 * all stacks: by stack, to stack_text_free(). NULL: no memory. */
void stack_text_folded(FILE *stream, struct symbol_stack stack);
char **stack_text_all_folded(struct symbols *symbols, const struct timeline *timeline);

/* Writes the innermost functions of a stack, at most `most`: with source lines, and without.
 * Returns how many. `user` is a struct symbols. */
uint32_t stack_text_frames(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                           uint32_t most);
uint32_t stack_text_functions(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                              uint32_t most);

/* The same from the innermost Python function on, if there is one: what it called is the
 * interpreter's, or its fault. */
uint32_t stack_text_blamed(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                           uint32_t most);

#endif
