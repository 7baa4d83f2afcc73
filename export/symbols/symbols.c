/* symbols.c - which file an address is in, each file opened once, each address looked up once. */
#include "symbols.h"

#include "array.h"
#include "demangle.h"
#include "maps.h"
#include "symfile.h"
#include "timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file that modules of any process were loaded from. */
struct open_file {
    uint32_t module;      /* the first of them */
    struct symfile *file; /* NULL: cannot be used */
};

/* Frames of one address. */
struct known_address {
    uint64_t address;
    uint32_t owner;        /* module, or modules.count + process */
    uint32_t first, count; /* into frames */
};

struct symbols {
    const struct timeline *timeline;
    struct symbols_options options;
    uint32_t *file_of;    /* by module: into files, TL_NONE not opened yet */
    struct perfmap *maps; /* by process */
    bool *mapped;         /* by process: maps was filled */
    uint32_t *call_of;    /* by stack: the name of its CUDA call, TL_NONE */
    struct keymap by_address;
    TL_ARRAY(struct known_address) addresses;
    TL_ARRAY(struct open_file) files;
    TL_ARRAY(struct symbol_frame) frames;
    TL_ARRAY(struct symbol_frame) stack; /* the last one that was requested */
    struct keymap by_name;               /* of Python functions: into frames */
    TL_ARRAY(char *) texts;
    TL_ARRAY(char *) notes;
};

/* A stack is of one place in the code, so its calls have one name. NULL: no memory. */
static uint32_t *find_calls(const struct timeline *timeline)
{
    uint32_t *call_of = malloc((timeline->stacks.count + 1) * sizeof *call_of);
    if (!call_of)
        return NULL;
    memset(call_of, 0xff, timeline->stacks.count * sizeof *call_of);
    for (uint32_t i = 0; i < timeline->slice_stacks.count; i++) {
        const struct tl_stack_of *of = &timeline->slice_stacks.at[i];
        const struct tl_slice *slice = &timeline->slices.at[of->owner];
        if (slice->kind == TL_API)
            call_of[of->stack] = slice->name;
    }
    return call_of;
}

struct symbols *symbols_create(const struct timeline *timeline,
                               const struct symbols_options *options)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    if (!symbols)
        return NULL;
    if (!options->debuginfod)
        unsetenv("DEBUGINFOD_URLS"); /* libdw asks whenever it is set */
    symbols->timeline = timeline;
    symbols->options = *options;
    symbols->file_of = malloc((timeline->modules.count + 1) * sizeof *symbols->file_of);
    symbols->maps = calloc(timeline->processes.count + 1, sizeof *symbols->maps);
    symbols->mapped = calloc(timeline->processes.count + 1, sizeof *symbols->mapped);
    symbols->call_of = find_calls(timeline);
    if (!symbols->file_of || !symbols->maps || !symbols->mapped || !symbols->call_of) {
        symbols_destroy(symbols);
        return NULL;
    }
    memset(symbols->file_of, 0xff, timeline->modules.count * sizeof *symbols->file_of);
    return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
    if (!symbols)
        return;
    for (uint32_t i = 0; i < symbols->files.count; i++)
        symfile_close(symbols->files.at[i].file);
    for (uint32_t i = 0; symbols->maps && i < symbols->timeline->processes.count; i++)
        perfmap_free(&symbols->maps[i]);
    for (uint32_t i = 0; i < symbols->texts.count; i++)
        free(symbols->texts.at[i]);
    for (uint32_t i = 0; i < symbols->notes.count; i++)
        free(symbols->notes.at[i]);
    keymap_fini(&symbols->by_address);
    keymap_fini(&symbols->by_name);
    free(symbols->call_of);
    free(symbols->addresses.at);
    free(symbols->files.at);
    free(symbols->frames.at);
    free(symbols->stack.at);
    free(symbols->texts.at);
    free(symbols->notes.at);
    free(symbols->file_of);
    free(symbols->maps);
    free(symbols->mapped);
    free(symbols);
}

bool symbols_has_lines(void)
{
    return symfile_has_lines();
}

const char *symbols_note(const struct symbols *symbols, uint32_t index)
{
    return index < symbols->notes.count ? symbols->notes.at[index] : NULL;
}

/* ---- files ---- */

static const char *module_path(const struct symbols *symbols, const struct tl_module *module)
{
    return symbols->timeline->names.at[module->path].bytes;
}

static void add_note(struct symbols *symbols, const char *path, const char *problem)
{
    char **kept = ARRAY_ADD(&symbols->notes);
    if (!kept)
        return;
    if (asprintf(kept, "%s %s: its functions are not known", path, problem) < 0)
        symbols->notes.count--;
}

static bool same_file(const struct tl_module *a, const struct tl_module *b)
{
    return a->path == b->path && a->build_id_bytes == b->build_id_bytes &&
           memcmp(a->build_id, b->build_id, sizeof a->build_id) == 0;
}

static uint32_t find_file(const struct symbols *symbols, const struct tl_module *module)
{
    const struct tl_module *modules = symbols->timeline->modules.at;
    for (uint32_t i = 0; i < symbols->files.count; i++)
        if (same_file(&modules[symbols->files.at[i].module], module))
            return i;
    return TL_NONE;
}

static uint32_t open_file(struct symbols *symbols, uint32_t index)
{
    const struct tl_module *module = &symbols->timeline->modules.at[index];
    const char *path = module_path(symbols, module);
    struct symfile_request request = {path, module->build_id, module->build_id_bytes};
    struct open_file *opened = ARRAY_ADD(&symbols->files);
    const char *problem = NULL;
    if (!opened)
        return TL_NONE;
    *opened = (struct open_file){.module = index};
    if (*path == '/')
        opened->file = symfile_open(&request, &problem);
    if (problem && !opened->file)
        add_note(symbols, path, problem);
    return symbols->files.count - 1;
}

static struct symfile *file_of(struct symbols *symbols, uint32_t module)
{
    uint32_t *known = &symbols->file_of[module];
    if (*known == TL_NONE)
        *known = find_file(symbols, &symbols->timeline->modules.at[module]);
    if (*known == TL_NONE)
        *known = open_file(symbols, module);
    return *known == TL_NONE ? NULL : symbols->files.at[*known].file;
}

/* ---- addresses ---- */

/* An address that is being looked up. */
struct lookup {
    struct symbols *symbols;
    struct symbol_frame place; /* module and offset, of all frames */
    uint32_t added;
};

static const char *readable(struct symbols *symbols, const char *name)
{
    size_t size;
    char *demangled = name ? demangle_name(name, strlen(name), &size) : NULL;
    char **kept = demangled ? ARRAY_ADD(&symbols->texts) : NULL;
    if (!kept) {
        free(demangled);
        return name;
    }
    return *kept = demangled;
}

static void add_frame(void *user, const struct symfile_frame *found)
{
    struct lookup *lookup = user;
    struct symbol_frame *frame = ARRAY_ADD(&lookup->symbols->frames);
    if (!frame)
        return;
    *frame = lookup->place;
    frame->function = readable(lookup->symbols, found->function);
    frame->file = found->file;
    frame->line = found->line;
    frame->inlined = found->inlined;
    lookup->added++;
}

static const char *jit_name(struct symbols *symbols, uint32_t process, uint64_t address)
{
    if (!symbols->mapped[process])
        perfmap_load(&symbols->maps[process], symbols->options.perf_map,
                     (uint32_t)symbols->timeline->processes.at[process].info.pid);
    symbols->mapped[process] = true;
    return perfmap_find(&symbols->maps[process], address);
}

static const char *without_directories(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The call is before the address to which it returns, and may be the last of its function. Nothing
 * is before the address to which a signal handler returns. */
static void look_up(struct symbols *symbols, const struct tl_stack *stack,
                    const struct tl_module *module, uint64_t address, struct lookup *lookup)
{
    struct symfile_frame found = {0};
    lookup->place = (struct symbol_frame){.offset = address, .module_index = TL_NONE};
    if (module) {
        uint32_t index = (uint32_t)(module - symbols->timeline->modules.at);
        struct symfile *file = file_of(symbols, index);
        lookup->place.module = without_directories(module_path(symbols, module));
        lookup->place.module_index = index;
        lookup->place.offset = address - module->bias;
        if (file && (symfile_find(file, lookup->place.offset - 1, add_frame, lookup) ||
                     symfile_find(file, lookup->place.offset, add_frame, lookup)))
            return;
    } else {
        found.function = jit_name(symbols, stack->process, address - 1);
        lookup->place.module = found.function ? "[jit]" : NULL;
    }
    add_frame(lookup, &found);
}

static uint64_t address_key(uint64_t address, uint32_t owner)
{
    return (address ^ (uint64_t)owner << 40) * 0x9e3779b97f4a7c15u;
}

static struct known_address resolve(struct symbols *symbols, const struct tl_stack *stack,
                                    uint64_t address)
{
    const struct timeline *timeline = symbols->timeline;
    const struct tl_module *module =
        stack_of_module(timeline, stack->process, address, stack->ticks);
    uint32_t owner = module ? (uint32_t)(module - timeline->modules.at)
                            : timeline->modules.count + stack->process;
    uint64_t key = address_key(address, owner);
    uint32_t at = keymap_find(&symbols->by_address, key);
    if (at != KEYMAP_NONE && symbols->addresses.at[at].address == address &&
        symbols->addresses.at[at].owner == owner)
        return symbols->addresses.at[at];
    struct lookup lookup = {.symbols = symbols};
    struct known_address known = {address, owner, symbols->frames.count, 0};
    look_up(symbols, stack, module, address, &lookup);
    known.count = lookup.added;
    struct known_address *kept = ARRAY_ADD(&symbols->addresses);
    if (kept)
        *kept = known;
    if (kept && at == KEYMAP_NONE)
        keymap_set(&symbols->by_address, key, symbols->addresses.count - 1);
    return known;
}

/* ---- stacks ---- */

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Between the program's call and the function in which the stack was taken. */
static bool is_plumbing(const struct symbol_frame *frame)
{
    if (frame->inlined && frame->function && begins_with(frame->function, "prof_"))
        return true; /* prof.h's */
    return frame->module &&
           (begins_with(frame->module, "libprof.so") || begins_with(frame->module, "libcupti.so") ||
            begins_with(frame->module, "libcuda.so") || begins_with(frame->module, "libcudart.so"));
}

/* How a kernel's launch begins in what nvcc makes of <<<...>>>. */
static bool is_launch(const char *function)
{
    return begins_with(function, "__cudaLaunchKernel") || begins_with(function, "__device_stub__");
}

/* Whether the function is the call itself, also as a template of CUDA's headers:
 * "cudaMalloc<float>". */
static bool is_call(const char *function, struct text call)
{
    return call.size && strncmp(function, call.bytes, call.size) == 0 &&
           (function[call.size] == '\0' || function[call.size] == '<' ||
            function[call.size] == '(');
}

#define CALL_FRAMES_MOST 16u /* of a CUDA runtime that is linked into the program */

/* The first frame of the program: after those of CUDA, whether it is a library or a part of the
 * program. */
static uint32_t first_shown(const struct symbols *symbols, struct text call)
{
    uint32_t first = 0, count = symbols->stack.count;
    while (first < count && is_plumbing(&symbols->stack.at[first]))
        first++;
    for (uint32_t i = first; i < count && i < first + CALL_FRAMES_MOST; i++) {
        const char *function = symbols->stack.at[i].function;
        if (function && (is_launch(function) || is_call(function, call)))
            first = i + 1;
    }
    return first == count ? 0 : first;
}

/* What libc does around main() and around a thread's function. */
static bool is_start(const struct symbol_frame *frame)
{
    static const char *const functions[] = {"_start",
                                            "__libc_start_main",
                                            "__libc_start_main_impl",
                                            "__libc_start_call_main",
                                            "__libc_start_main_alias_2",
                                            "start_thread",
                                            "clone",
                                            "__clone",
                                            "clone3",
                                            "__clone3",
                                            "__clone_internal",
                                            "__GI___clone",
                                            "__GI___clone3",
                                            "thread_start"};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && frame->function; i++)
        if (strcmp(frame->function, functions[i]) == 0)
            return true;
    return !frame->function && frame->module &&
           (begins_with(frame->module, "libc.so") || begins_with(frame->module, "libpthread.so"));
}

static void drop_start(struct symbols *symbols)
{
    uint32_t count = symbols->stack.count;
    while (count && is_start(&symbols->stack.at[count - 1]))
        count--;
    symbols->stack.count = count ? count : symbols->stack.count;
}

static bool append(struct symbols *symbols, struct known_address known)
{
    for (uint32_t i = 0; i < known.count; i++) {
        struct symbol_frame *frame = ARRAY_ADD(&symbols->stack);
        if (!frame)
            return false;
        *frame = symbols->frames.at[known.first + i];
    }
    return true;
}

/* What a signal interrupted was not a call: its address is that of the next instruction. */
static bool is_signal_return(const struct symbols *symbols)
{
    uint32_t count = symbols->stack.count;
    const char *function = count ? symbols->stack.at[count - 1].function : NULL;
    return function && strcmp(function, "__restore_rt") == 0;
}

static bool append_all(struct symbols *symbols, const struct tl_stack *stack)
{
    const uint64_t *addresses =
        stack->count ? symbols->timeline->addresses.at + stack->first : NULL;
    symbols->stack.count = 0;
    for (uint32_t i = 0; i < stack->count; i++) {
        uint64_t after_call = addresses[i] + (is_signal_return(symbols) ? 1 : 0);
        if (!append(symbols, resolve(symbols, stack, after_call)))
            return false;
    }
    return true;
}

/* Where code without frame pointers begins, the walk by frame pointers ends in words that are not
 * addresses of code. */
static void drop_strays(struct symbols *symbols, const struct tl_stack *stack)
{
    if (stack->method != PROF_STACK_FRAME_POINTERS)
        return;
    while (symbols->stack.count > 1 && !symbols->stack.at[symbols->stack.count - 1].module)
        symbols->stack.count--;
}

/* ---- Python ---- */

/* From here on the interpreter runs the functions that are known by name. */
static void drop_interpreter(struct symbols *symbols)
{
    for (uint32_t i = 0; i < symbols->stack.count; i++) {
        const char *function = symbols->stack.at[i].function;
        if (function && begins_with(function, "_PyEval_EvalFrame"))
            symbols->stack.count = i;
    }
}

/* Takes "file(LINE): function" apart, in place; the last such colon counts, for functions have
 * none. */
static void split_name(char *text, struct symbol_frame *frame)
{
    size_t end = strlen(text), begin;
    frame->function = text;
    for (char *colon = text + end; colon-- > text;) {
        if (strncmp(colon, "): ", 3) != 0)
            continue;
        for (begin = (size_t)(colon - text);
             begin && text[begin - 1] >= '0' && text[begin - 1] <= '9';)
            begin--;
        if (begin == (size_t)(colon - text) || begin < 2 || text[begin - 1] != '(')
            continue;
        *colon = text[begin - 1] = '\0';
        frame->file = text;
        frame->line = (uint32_t)strtoul(text + begin, NULL, 10);
        frame->function = colon + 3;
        return;
    }
}

/* Index into frames of a Python function; TL_NONE: no memory. */
static uint32_t python_frame(struct symbols *symbols, uint32_t name)
{
    uint32_t known = keymap_find(&symbols->by_name, name);
    if (known != KEYMAP_NONE)
        return known;
    struct text text = symbols->timeline->names.at[name];
    char **kept = ARRAY_ADD(&symbols->texts);
    if (!kept)
        return TL_NONE;
    *kept = strndup(text.bytes, text.size);
    struct symbol_frame *frame = *kept ? ARRAY_ADD(&symbols->frames) : NULL;
    if (!frame || !keymap_set(&symbols->by_name, name, symbols->frames.count - 1))
        return TL_NONE;
    *frame = (struct symbol_frame){.module_index = TL_NONE, .offset = name, .python = true};
    split_name(*kept, frame);
    return symbols->frames.count - 1;
}

static bool append_python(struct symbols *symbols, uint32_t path)
{
    const struct tl_frame_path *paths = symbols->timeline->frame_paths.at;
    for (; path != TL_NONE; path = paths[path].parent) {
        uint32_t known = python_frame(symbols, paths[path].name);
        struct symbol_frame *frame = known == TL_NONE ? NULL : ARRAY_ADD(&symbols->stack);
        if (!frame)
            return false;
        *frame = symbols->frames.at[known];
    }
    return true;
}

struct symbol_stack symbols_stack(struct symbols *symbols, uint32_t stack)
{
    const struct tl_stack *from = &symbols->timeline->stacks.at[stack];
    if (!append_all(symbols, from))
        return (struct symbol_stack){NULL, 0};
    drop_strays(symbols, from);
    drop_start(symbols);
    if (from->frames != TL_NONE) {
        drop_interpreter(symbols);
        if (!append_python(symbols, from->frames))
            return (struct symbol_stack){NULL, 0};
    }
    uint32_t first = first_shown(symbols, symbols_call(symbols, stack));
    return (struct symbol_stack){symbols->stack.at + first, symbols->stack.count - first};
}

struct text symbols_call(const struct symbols *symbols, uint32_t stack)
{
    uint32_t name = symbols->call_of[stack];
    return name < symbols->timeline->names.count ? symbols->timeline->names.at[name]
                                                 : (struct text){"", 0};
}

const char *symbols_without_lines(const struct symbols *symbols)
{
    const char *program = NULL;
    for (uint32_t i = 0; i < symbols->frames.count; i++) {
        const struct symbol_frame *frame = &symbols->frames.at[i];
        bool is_program = frame->module && frame->function && *frame->module != '[' &&
                          !strstr(frame->module, ".so");
        if (is_program && frame->file && strcmp(frame->function, "_start") != 0)
            return NULL;
        if (is_program && !program)
            program = frame->module;
    }
    return program;
}

const char *symbols_name(const struct symbol_frame *frame, char place[SYMBOL_PLACE_BYTES])
{
    if (frame->function)
        return frame->function;
    if (frame->module)
        snprintf(place, SYMBOL_PLACE_BYTES, "?? (%.250s+0x%llx)", frame->module,
                 (unsigned long long)frame->offset);
    else
        snprintf(place, SYMBOL_PLACE_BYTES, "?? (0x%llx)", (unsigned long long)frame->offset);
    return place;
}
