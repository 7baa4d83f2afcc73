#include "stack_text.h"

#include "evidence.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    char lacking[EVIDENCE_BYTES];
    if (evidence_missing(timeline, EVIDENCE_STACKS, lacking))
        complain("%s", lacking);
}

#define PIECE_BYTES 250u

/* Writes a text with semicolons replaced, since they separate names. All of it, in pieces of whole
 * characters: what would be cut could be another's. */
static void write_part(FILE *stream, const char *part)
{
    for (size_t left = strlen(part), size; left; part += size, left -= size) {
        char shown[SHOW_TEXT_BYTES(4 * PIECE_BYTES)]; /* "\xff" for a byte */
        bool rest;
        size = left < PIECE_BYTES ? left : PIECE_BYTES;
        for (unsigned i = 0; i < 3 && size < left && ((unsigned char)part[size] & 0xc0) == 0x80;
             i++)
            size--;
        show_text((struct text){part, size}, 4 * PIECE_BYTES, shown, &rest);
        for (char *at = shown; (at = strchr(at, ';')); at++)
            *at = ':';
        fputs(shown, stream);
    }
}

static void write_name(FILE *stream, const struct symbol_frame *frame)
{
    char place[SYMBOL_PLACE_BYTES];
    write_part(stream, symbols_name(frame, place));
}

void stack_text_write_line(FILE *stream, struct symbol_stack stack)
{
    for (uint32_t i = 0; i < stack.count; i++) {
        const struct symbol_frame *frame = &stack.at[i];
        fputs(i ? ";" : "", stream);
        if (frame->file) {
            write_part(stream, frame->file);
            if (frame->line)
                fprintf(stream, "(%u)", frame->line);
            fputs(": ", stream);
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

char *stack_text_line(struct symbol_stack stack)
{
    return line_of(stack, stack_text_write_line);
}

char **stack_text_lines(struct symbols *symbols, const struct timeline *timeline)
{
    return lines_of_all(symbols, timeline, stack_text_write_line);
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

/* ---- stacks that are shown as one: equal texts, found by sorting ---- */

struct written_stack {
    char *text;
    uint32_t stack;
};

static int by_text(const void *left, const void *right)
{
    const struct written_stack *a = left, *b = right;
    int order = strcmp(a->text, b->text);
    return order ? order : (a->stack > b->stack) - (a->stack < b->stack);
}

/* Keeps the first text of each run of equal ones for its group, and frees the others. */
static void number_groups(struct stack_groups *groups, struct written_stack *written,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i && strcmp(groups->texts[groups->count - 1], written[i].text) == 0) {
            free(written[i].text);
        } else {
            groups->first[groups->count] = i;
            groups->texts[groups->count++] = written[i].text;
        }
        groups->stacks[i] = written[i].stack;
        groups->group_of[written[i].stack] = groups->count - 1;
    }
    groups->first[groups->count] = count;
}

bool stack_groups_init(struct stack_groups *groups, struct symbols *symbols,
                       const struct timeline *timeline,
                       void (*write)(FILE *stream, const struct tl_stack *stack,
                                     struct symbol_stack frames, const void *user),
                       const void *user)
{
    uint32_t count = timeline->stacks.count, made = 0;
    struct written_stack *written = calloc(count + (size_t)1, sizeof *written);
    *groups = (struct stack_groups){.group_of = calloc(count + (size_t)1, sizeof(uint32_t)),
                                    .stacks = calloc(count + (size_t)1, sizeof(uint32_t)),
                                    .first = calloc(count + (size_t)1, sizeof(uint32_t)),
                                    .texts = calloc(count + (size_t)1, sizeof(char *))};
    bool whole = written && groups->group_of && groups->stacks && groups->first && groups->texts;
    for (; made < count && whole; made++) {
        size_t size;
        written[made].stack = made;
        FILE *stream = open_memstream(&written[made].text, &size);
        if (stream)
            write(stream, &timeline->stacks.at[made], symbols_stack(symbols, made), user);
        whole = stream && fclose(stream) == 0;
    }
    if (whole && count)
        qsort(written, count, sizeof *written, by_text);
    if (whole)
        number_groups(groups, written, count);
    for (uint32_t i = 0; i < made && !whole; i++)
        free(written[i].text);
    free(written);
    if (!whole)
        stack_groups_fini(groups);
    return whole;
}

void stack_groups_fini(struct stack_groups *groups)
{
    for (uint32_t i = 0; i < groups->count; i++)
        free(groups->texts[i]);
    free(groups->group_of);
    free(groups->stacks);
    free(groups->first);
    free(groups->texts);
    *groups = (struct stack_groups){0};
}

/* ---- lines for people ---- */

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
    char place[SYMBOL_PLACE_BYTES];
    fputs("    ", stream);
    print_shown(stream, symbols_name(frame, place));
    if (frame->file) {
        fputs("  at ", stream);
        print_shown(stream, frame->file);
        if (frame->line)
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
        char place[SYMBOL_PLACE_BYTES];
        const char *name = symbols_name(frame, place);
        if (frame->file)
            snprintf(to[i], FINDINGS_FRAME_BYTES, "%.199s  at %.150s:%u", name, frame->file,
                     frame->line);
        else
            snprintf(to[i], FINDINGS_FRAME_BYTES, "%.199s%s%.150s", name,
                     frame->function && frame->module ? "  in " : "",
                     frame->function && frame->module ? frame->module : "");
    }
    return count;
}

/* Two functions have different texts, also where a name is cut. */
static void put_function(const struct symbol_frame *frame, char to[FINDINGS_FRAME_BYTES])
{
    char place[SYMBOL_PLACE_BYTES];
    const char *name = symbols_name(frame, place);
    size_t size = strlen(name), kept = FINDINGS_FRAME_BYTES - sizeof "...#00000000";
    if (size < FINDINGS_FRAME_BYTES)
        memcpy(to, name, size + 1);
    else
        snprintf(to, FINDINGS_FRAME_BYTES, "%.*s...#%08x", (int)kept, name,
                 text_hash((struct text){name + kept, size - kept}));
}

static uint32_t put_functions(struct symbol_stack frames, uint32_t first,
                              char (*to)[FINDINGS_FRAME_BYTES], uint32_t most)
{
    uint32_t count = frames.count - first < most ? frames.count - first : most;
    for (uint32_t i = 0; i < count; i++)
        put_function(&frames.at[first + i], to[i]);
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
