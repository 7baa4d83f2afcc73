/* sample_python.c - which Python functions a thread is in, read from the interpreter's memory.
 *
 * The layout of frames differs between versions, and no function of CPython reports them in a
 * signal handler: they count references or allocate. So the offsets are here, from 3.9 on. From
 * 3.13 on the place of the current frame is looked for. Whatever is followed is read through the
 * kernel, and counts only if it leads to an object of type "code".
 */
#include "sample_inside.h"

#include "atomic.h"
#include "names.h"
#include "number.h"
#include "recorder.h"

#include <stdio.h>
#include <string.h>

#define SAMPLE_PART_MAX 1000u /* bytes of a text of Python's: the last; a hash stands for others */
#define SAMPLE_PART_BYTES (SAMPLE_PART_MAX + 20u)
#define SAMPLE_TEXT_MAX 65536u /* more is not a text */
#define SAMPLE_STATE_WORDS 32u /* where the current frame is looked for */
#define SAMPLE_CODE_BYTES 160u
#define SAMPLE_TAG UINT64_C(7) /* of references, from 3.14 on */
#define SAMPLE_TYPE_NAME 24u   /* in a type: its name, and its flags */
#define SAMPLE_TYPE_FLAGS 168u
#define SAMPLE_TYPE_READY (UINT64_C(1) << 12)

/* Offsets in bytes. */
struct sample_layout {
    unsigned minor;        /* of the version 3.MINOR */
    unsigned frame;        /* in the thread's state: the current frame, or what points to it */
    int frame_in;          /* in what points to it; -1: the state has it */
    unsigned code, caller; /* in the frame */
    unsigned line, file, name;
    unsigned text; /* in an ASCII text: its bytes */
};

static const struct sample_layout sample_layouts[] = {
    {9, 24, -1, 32, 24, 40, 104, 112, 48}, {10, 24, -1, 32, 24, 40, 104, 112, 48},
    {11, 56, 8, 32, 48, 72, 112, 128, 48}, {12, 56, 0, 0, 8, 68, 112, 128, 40},
    {13, 0, -1, 0, 8, 68, 112, 128, 40},   {14, 0, -1, 0, 8, 68, 112, 128, 40},
};

/* Of the library that is loaded now. The sampler's. */
static struct {
    const char *(*version)(void);
    void *(*state)(void);
    uint64_t code_type;
} sample_python_found;

static struct {
    void *(*state)(void);               /* the sampler releases, handlers acquire */
    const struct sample_layout *layout; /* before `state` */
    uint64_t code_type;                 /* address of the type "code" */
    uint32_t frame;                     /* its offset; 0: not found yet */
} sample_python;

static uint64_t sample_word(uint64_t from)
{
    uint64_t word;
    return from && unwind_copy(&word, from, sizeof word) ? word : 0;
}

void sample_python_find(void)
{
    if (sample_python.state)
        return;
    *(void **)(void *)&sample_python_found.version = unwind_find_python("Py_GetVersion");
    *(void **)(void *)&sample_python_found.state =
        unwind_find_python("PyGILState_GetThisThreadState");
    sample_python_found.code_type = (uint64_t)(uintptr_t)unwind_find_python("PyCode_Type");
}

/* The loader lists a library before it relocates it, and what is called in one before that jumps
 * anywhere. An interpreter that has made its types ready runs. In builds without the GIL, types
 * have another layout. */
static bool sample_python_runs(void)
{
    char name[sizeof "code"];
    uint64_t type = sample_python_found.code_type;
    return sample_python_found.version && sample_python_found.state && type &&
           (sample_word(type + SAMPLE_TYPE_FLAGS) & SAMPLE_TYPE_READY) &&
           unwind_copy(name, sample_word(type + SAMPLE_TYPE_NAME), sizeof name) &&
           memcmp(name, "code", sizeof name) == 0;
}

void sample_python_begin(void)
{
    if (sample_python.state || !sample_python_runs())
        return;
    const char *text = sample_python_found.version();
    sample_python_found.version = NULL; /* asked once, whether we know that version or not */
    unsigned minor = strncmp(text, "3.", 2) == 0 ? (unsigned)number_of_field(text, "3.", 10) : 0;
    for (size_t i = 0; i < sizeof sample_layouts / sizeof *sample_layouts; i++)
        if (sample_layouts[i].minor == minor) {
            sample_python.layout = &sample_layouts[i];
            sample_python.frame = sample_layouts[i].frame;
            sample_python.code_type = sample_python_found.code_type;
            store_release(&sample_python.state, sample_python_found.state);
        }
}

uint64_t sample_python_state(void)
{
    void *(*state)(void) = load_acquire(&sample_python.state);
    return state ? (uint64_t)(uintptr_t)state() : 0;
}

static bool sample_is_code(uint64_t object)
{
    return object && sample_word(object + 8) == sample_python.code_type;
}

/* The current frame is the first thing in the state whose first word is a code object. */
static uint32_t sample_find_frame(uint64_t state)
{
    uint64_t words[SAMPLE_STATE_WORDS];
    if (!unwind_copy(words, state, sizeof words))
        return 0;
    for (unsigned i = 0; i < SAMPLE_STATE_WORDS; i++)
        if (words[i] % 8 == 0 && sample_is_code(sample_word(words[i]) & ~SAMPLE_TAG))
            return i * 8;
    return 0;
}

static uint64_t sample_current_frame(uint64_t state)
{
    const struct sample_layout *layout = sample_python.layout;
    uint32_t offset = load_relaxed(&sample_python.frame);
    if (!offset && (offset = sample_find_frame(state)) != 0)
        store_relaxed(&sample_python.frame, offset);
    uint64_t frame = offset ? sample_word(state + offset) : 0;
    return frame && layout->frame_in >= 0 ? sample_word(frame + (unsigned)layout->frame_in) : frame;
}

unsigned sample_python_calls(uint64_t state, uint64_t *calls, unsigned limit)
{
    if (!load_acquire(&sample_python.state))
        return 0;
    const struct sample_layout *layout = sample_python.layout;
    uint64_t frame = sample_current_frame(state);
    unsigned count = 0;
    for (unsigned i = 0; frame && i < 2 * limit && count < limit; i++) {
        uint64_t part[8];
        if (!unwind_copy(part, frame, sizeof part))
            break;
        uint64_t code = part[layout->code / 8] & ~SAMPLE_TAG;
        if (code)
            calls[count++] = code;
        frame = part[layout->caller / 8];
    }
    return count;
}

/* ---- names ---- */

/* A text of Python's; other characters than ASCII's become question marks. */
static size_t sample_read_text(uint64_t text, char *to)
{
    uint64_t size = text ? sample_word(text + 16) : 0, begin = 0, hash = 0, part;
    uint64_t bytes = text + (uint64_t)sample_python.layout->text;
    if (!text || size > SAMPLE_TEXT_MAX)
        return 0;
    for (; size - begin > SAMPLE_PART_MAX; begin += part) {
        part = size - begin - SAMPLE_PART_MAX;
        part = part < SAMPLE_PART_MAX ? part : SAMPLE_PART_MAX;
        if (!unwind_copy(to, bytes + begin, part))
            return 0;
        hash = (hash ^ names_hash_rest(to, part)) * NAMES_MIX_1;
    }
    char *end = to;
    if (begin) {
        *end++ = '#';
        names_put_hash(end, hash);
        end = stpcpy(end + 16, "...");
    }
    if (!unwind_copy(end, bytes + begin, size - begin))
        return 0;
    for (uint64_t i = 0; i < size - begin; i++, end++)
        if (*end < ' ' || *end > '~')
            *end = '?';
    return (size_t)(end - to);
}

/* As those of recorded calls (python_names.c), so that both are one function. 0: not a code
 * object. */
static uint32_t sample_name(uint64_t code)
{
    const struct sample_layout *layout = sample_python.layout;
    char bytes[SAMPLE_CODE_BYTES], name[2 * SAMPLE_PART_BYTES + 32];
    uint64_t file, function, type;
    int32_t line;
    if (!unwind_copy(bytes, code, sizeof bytes))
        return 0;
    memcpy(&type, bytes + 8, sizeof type);
    memcpy(&file, bytes + layout->file, sizeof file);
    memcpy(&function, bytes + layout->name, sizeof function);
    memcpy(&line, bytes + layout->line, sizeof line);
    if (type != sample_python.code_type)
        return 0;
    size_t size = sample_read_text(file, name);
    size += (size_t)sprintf(name + size, "(%d): ", line);
    size += sample_read_text(function, name + size);
    return names_intern(name, size);
}

unsigned sample_python_names(const uint64_t *calls, unsigned count, uint32_t *names)
{
    unsigned named = 0;
    for (unsigned i = count; i-- > 0;) {
        uint32_t name = sample_name(calls[i]);
        if (name)
            names[named++] = name;
    }
    return named;
}
