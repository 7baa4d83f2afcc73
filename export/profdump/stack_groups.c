/* stack_groups.c - each stack as a text; equal texts, found by sorting, are one group. */
#define _GNU_SOURCE
#include "stack_groups.h"

#include "stack_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 400u

struct stack_line {
    char *text;
    uint32_t stack;
};

static void write_frame(const struct symbol_frame *frame, FILE *stream)
{
    char name[NAME_BYTES];
    symbols_name(frame, name, sizeof name);
    fputs(name, stream);
    if (frame->file) {
        const char *slash = strrchr(frame->file, '/');
        fprintf(stream, " (%s:%u)", slash ? slash + 1 : frame->file, frame->line);
    }
}

static char *text_of(struct symbol_stack stack, uint32_t frames)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    for (uint32_t i = 0; i < stack.count && i < frames; i++) {
        fputs(i ? " < " : "", stream);
        write_frame(&stack.at[i], stream);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static int by_text(const void *left, const void *right)
{
    const struct stack_line *a = left, *b = right;
    int order = strcmp(a->text, b->text);
    return order ? order : (a->stack > b->stack) - (a->stack < b->stack);
}

/* Hands the first text of each run of equal ones to the group, and frees the others. */
static void number_groups(struct stack_groups *groups, struct stack_line *lines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool same = i && strcmp(groups->texts[groups->count - 1], lines[i].text) == 0;
        if (same)
            free(lines[i].text);
        else
            groups->texts[groups->count++] = lines[i].text;
        groups->group_of[lines[i].stack] = groups->count - 1;
    }
}

static bool make(struct stack_groups *groups, struct symbols *symbols, uint32_t count,
                 uint32_t frames)
{
    struct stack_line *lines = malloc((count + (size_t)1) * sizeof *lines);
    uint32_t made = 0;
    for (; made < count && lines; made++) {
        lines[made] = (struct stack_line){text_of(symbols_stack(symbols, made), frames), made};
        if (!lines[made].text)
            break;
    }
    bool whole = lines && made == count;
    if (whole && count)
        qsort(lines, count, sizeof *lines, by_text);
    if (whole)
        number_groups(groups, lines, count);
    for (uint32_t i = 0; i < made && !whole; i++)
        free(lines[i].text);
    free(lines);
    return whole;
}

bool stack_groups_init(struct stack_groups *groups, const struct profdump_options *options,
                       const struct timeline *timeline)
{
    size_t count = timeline->stacks.count;
    *groups = (struct stack_groups){.group_of = calloc(count + 1, sizeof(uint32_t)),
                                    .texts = calloc(count + 1, sizeof(char *))};
    struct symbols *symbols = stack_text_symbols(options, timeline);
    bool made = groups->group_of && groups->texts && symbols &&
                make(groups, symbols, timeline->stacks.count, options->stack_frames);
    if (!made && symbols)
        complain("call stacks: %s", strerror(ENOMEM));
    if (made)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    if (!made)
        stack_groups_fini(groups);
    return made;
}

void stack_groups_fini(struct stack_groups *groups)
{
    for (uint32_t i = 0; groups->texts && i < groups->count; i++)
        free(groups->texts[i]);
    free(groups->texts);
    free(groups->group_of);
    *groups = (struct stack_groups){0};
}
