#include "stack_text.h"

#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 1000u

struct symbols *stack_text_symbols(const struct profdump_options *options,
                                   const struct timeline *timeline)
{
    struct symbols_options wanted = {options->perf_map, options->debuginfod};
    const char *servers = getenv("DEBUGINFOD_URLS");
    if (options->debuginfod && (!servers || !*servers))
        complain("--debuginfod: DEBUGINFOD_URLS names no server");
    struct symbols *symbols = symbols_create(timeline, &wanted);
    if (!symbols)
        complain("call stacks: %s", strerror(ENOMEM));
    return symbols;
}

void stack_text_complain(const struct symbols *symbols)
{
    const char *note;
    for (uint32_t i = 0; (note = symbols_note(symbols, i)); i++)
        complain("%s", note);
}

void stack_text_complain_of_none(const struct timeline *timeline)
{
    if (timeline->stacks.count == 0)
        complain("there are no call stacks in this recording%s",
                 timeline_is_native(timeline)
                     ? "; 'profrun --stacks' records them"
                     : "; in PyTorch's traces, with_stack=True records Python functions");
}

/* Writes a text with semicolons replaced, since they separate names. */
static void write_part(FILE *stream, const char *part)
{
    char shown[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    bool rest;
    show_text((struct text){part, strlen(part)}, NAME_COLUMNS, shown, &rest);
    for (char *at = shown; (at = strchr(at, ';')); at++)
        *at = ':';
    fputs(shown, stream);
}

static void write_name(FILE *stream, const struct symbol_frame *frame)
{
    char name[NAME_COLUMNS + 1];
    symbols_name(frame, name, sizeof name);
    write_part(stream, name);
}

static void write_line(FILE *stream, struct symbol_stack stack)
{
    for (uint32_t i = 0; i < stack.count; i++) {
        const struct symbol_frame *frame = &stack.at[i];
        fputs(i ? ";" : "", stream);
        if (frame->file) {
            write_part(stream, frame->file);
            fprintf(stream, "(%u): ", frame->line);
        } else if (frame->function && frame->module)
            fprintf(stream, "%s: ", frame->module);
        write_name(stream, frame);
    }
}

/* Returns what `write` writes, to free(). NULL: no memory. */
static char *line_of(struct symbol_stack stack,
                     void (*write)(FILE *stream, struct symbol_stack stack))
{
    char *line = NULL;
    size_t size;
    FILE *stream = open_memstream(&line, &size);
    if (!stream)
        return NULL;
    write(stream, stack);
    if (fclose(stream) == 0)
        return line;
    free(line);
    return NULL;
}

static char **lines_of_all(struct symbols *symbols, const struct timeline *timeline,
                           void (*write)(FILE *stream, struct symbol_stack stack))
{
    uint32_t count = timeline->stacks.count;
    char **lines = calloc(count + 1u, sizeof *lines);
    for (uint32_t i = 0; i < count && lines; i++) {
        lines[i] = line_of(symbols_stack(symbols, i), write);
        if (!lines[i]) {
            stack_text_free(lines, i);
            return NULL;
        }
    }
    return lines;
}

char **stack_text_lines(struct symbols *symbols, const struct timeline *timeline)
{
    return lines_of_all(symbols, timeline, write_line);
}

char **stack_text_all_lines(const struct profdump_options *options, const struct timeline *timeline)
{
    struct symbols *symbols = timeline->stacks.count ? stack_text_symbols(options, timeline) : NULL;
    char **lines = symbols ? stack_text_lines(symbols, timeline) : NULL;
    if (symbols)
        stack_text_complain(symbols);
    symbols_destroy(symbols);
    return lines;
}

char **stack_text_all_folded(struct symbols *symbols, const struct timeline *timeline)
{
    return lines_of_all(symbols, timeline, stack_text_folded);
}

void stack_text_free(char **lines, uint32_t count)
{
    for (uint32_t i = 0; i < count && lines; i++)
        free(lines[i]);
    free(lines);
}

void stack_text_folded(FILE *stream, struct symbol_stack stack)
{
    for (uint32_t i = stack.count; i-- > 0;) {
        write_name(stream, &stack.at[i]);
        fputs(stack.at[i].inlined ? "_[i]" : "", stream);
        fputs(i ? ";" : "", stream);
    }
}

#define FRAME_COLUMNS 400u

static void print_shown(FILE *stream, const char *text)
{
    char shown[SHOW_TEXT_BYTES(FRAME_COLUMNS)];
    bool rest;
    show_text((struct text){text, strlen(text)}, FRAME_COLUMNS, shown, &rest);
    fprintf(stream, "%s%s", shown, rest ? "..." : "");
}

static void print_frame(FILE *stream, const struct symbol_frame *frame)
{
    char name[4 * FRAME_COLUMNS];
    symbols_name(frame, name, sizeof name);
    fputs("    ", stream);
    print_shown(stream, name);
    if (frame->file) {
        fputs("  at ", stream);
        print_shown(stream, frame->file);
        fprintf(stream, ":%u", frame->line);
    } else if (frame->function && frame->module) {
        fputs("  in ", stream);
        print_shown(stream, frame->module);
    }
    fputs(frame->inlined ? " (inlined)\n" : "\n", stream);
}

void stack_text_print(FILE *stream, struct symbol_stack stack)
{
    for (uint32_t i = 0; i < stack.count; i++)
        print_frame(stream, &stack.at[i]);
}

uint32_t stack_text_frames(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                           uint32_t most)
{
    struct symbol_stack frames = symbols_stack(user, stack);
    uint32_t count = frames.count < most ? frames.count : most;
    for (uint32_t i = 0; i < count; i++) {
        const struct symbol_frame *frame = &frames.at[i];
        char name[FINDINGS_FRAME_BYTES / 2];
        symbols_name(frame, name, sizeof name);
        if (frame->file)
            snprintf(to[i], FINDINGS_FRAME_BYTES, "%s  at %.150s:%u", name, frame->file,
                     frame->line);
        else
            snprintf(to[i], FINDINGS_FRAME_BYTES, "%s%s%.150s", name,
                     frame->function && frame->module ? "  in " : "",
                     frame->function && frame->module ? frame->module : "");
    }
    return count;
}

static uint32_t put_functions(struct symbol_stack frames, uint32_t first,
                              char (*to)[FINDINGS_FRAME_BYTES], uint32_t most)
{
    uint32_t count = frames.count - first < most ? frames.count - first : most;
    for (uint32_t i = 0; i < count; i++)
        symbols_name(&frames.at[first + i], to[i], FINDINGS_FRAME_BYTES);
    return count;
}

uint32_t stack_text_functions(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                              uint32_t most)
{
    return put_functions(symbols_stack(user, stack), 0, to, most);
}

uint32_t stack_text_blamed(void *user, uint32_t stack, char (*to)[FINDINGS_FRAME_BYTES],
                           uint32_t most)
{
    struct symbol_stack frames = symbols_stack(user, stack);
    uint32_t first = 0;
    while (first < frames.count && !frames.at[first].python)
        first++;
    return put_functions(frames, first < frames.count ? first : 0, to, most);
}
