/* stack_text.h - call stacks as one line each, for outputs that have no room for more. */
#ifndef PROF_STACK_TEXT_H
#define PROF_STACK_TEXT_H

#include "findings_report.h"
#include "profdump.h"
#include "symbols.h"

/* The symbols that the options ask for; NULL (said): no memory. */
struct symbols *stack_text_symbols(const struct profdump_options *options,
                                   const struct timeline *timeline);

/* Says which files could not be used; that nobody took stacks. */
void stack_text_complain(const struct symbols *symbols);
void stack_text_complain_of_none(const struct timeline *timeline);

/* As torch.profiler's "Call stack": "file(line): function", innermost first, separated by ';'. By
 * stack, each to free(). NULL: no memory. */
char **stack_text_lines(struct symbols *symbols, const struct timeline *timeline);

/* The same with the symbols that the options ask for, after having complained of files that could not be used. NULL also
 * where there are no stacks. */
char **stack_text_all_lines(const struct profdump_options *options,
                            const struct timeline *timeline);
void stack_text_free(char **lines, uint32_t count);

/* A line per function, innermost first, indented. */
void stack_text_print(FILE *stream, struct symbol_stack stack);

/* As flamegraph.pl reads it: outermost first, separated by ';', inlined functions marked _[i]. Of all
 * stacks: by stack, to stack_text_free(). NULL: no memory. */
void stack_text_folded(FILE *stream, struct symbol_stack stack);
char **stack_text_all_folded(struct symbols *symbols, const struct timeline *timeline);

/* The innermost functions of a stack, at most `most`, with where they are; and without. Returns how many.
 * `user` is a struct symbols. */
uint32_t stack_text_frames(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                           uint32_t most);
uint32_t stack_text_functions(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                              uint32_t most);

#endif
