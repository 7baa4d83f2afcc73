#include "attach_needed.h"

#include <stddef.h>

enum { PLACES_MAX = 256 };

/* Fields of an instruction that may name a register. */
enum { D = 0x1f, N = 0x1f << 5, A = 0x1f << 10, M = 0x1f << 16, ALL = D | N | A | M };

static const struct kind {
    uint32_t mask, value, fields;
} kinds[] = {
    {0x1f000000, 0x10000000, D},         /* adr, adrp */
    {0x1f800000, 0x11000000, D | N},     /* add, sub with a number */
    {0x1f800000, 0x12000000, D | N},     /* and, orr, eor with a number */
    {0x1f800000, 0x12800000, D},         /* movn, movz, movk */
    {0x1f800000, 0x13000000, D | N},     /* moves of bits */
    {0x3b000000, 0x18000000, D},         /* ldr of what is near */
    {0x3a000000, 0x28000000, D | N | A}, /* ldp, stp */
    {0x3b200000, 0x38000000, D | N},     /* ldr, str with a small distance */
    {0x3b000000, 0x39000000, D | N},     /* ldr, str with a distance */
    {0x7e000000, 0x34000000, D},         /* cbz, cbnz */
    {0x7e000000, 0x36000000, D},         /* tbz, tbnz */
    {0xfffff0ff, 0xd50330bf, 0},         /* barriers */
    {0xffffffff, 0xd503201f, 0},         /* nop */
};

/* pacia1716 and its like, pairs of registers (casp, mrrs), eight of them (ld64b, st64b): these read
 * registers that they do not name. */
static bool is_opaque(uint32_t instruction)
{
    return (instruction & 0xffffff1f) == 0xd503211f || (instruction & 0xffff8000) == 0xdac18000 ||
           (instruction & 0xbfa07c00) == 0x08207c00 || (instruction & 0xffc00000) == 0xd5400000 ||
           (instruction & 0xff208c00) == 0xf8208000;
}

static bool names_scratch(uint32_t instruction)
{
    uint32_t fields = ALL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((instruction & kinds[i].mask) == kinds[i].value)
            fields = kinds[i].fields;
    for (unsigned shift = 0; shift < 32; shift++) {
        const uint32_t field = UINT32_C(0x1f) << shift;
        if ((fields & field) == field && (shift == 0 || shift == 5 || shift == 10 || shift == 16) &&
            (instruction >> shift & 0x1e) == 16)
            return true;
    }
    return false;
}

/* The places to look at: those before `seen` have been. */
struct places {
    uint64_t at[PLACES_MAX];
    unsigned seen, count;
};

static bool add(struct places *places, uint64_t at)
{
    for (unsigned i = 0; i < places->count; i++)
        if (places->at[i] == at)
            return true;
    if (places->count == PLACES_MAX)
        return false;
    places->at[places->count++] = at;
    return true;
}

static uint64_t distance(uint32_t instruction, unsigned shift, unsigned bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    const uint64_t value = instruction >> shift & ((UINT64_C(1) << bits) - 1);
    return ((value ^ sign) - sign) * 4;
}

/* Adds where an instruction leads. False: it needs the registers, or is not understood. */
static bool follow(struct places *places, uint64_t at, uint32_t instruction)
{
    if (instruction >> 26 == 0x25 ||              /* bl */
        (instruction & 0xffe0001f) == 0xd4200000) /* brk */
        return true;
    if (instruction >> 26 == 0x05) /* b */
        return add(places, at + distance(instruction, 0, 26));
    if ((instruction & 0xff000000) == 0x54000000) /* b with a condition */
        return add(places, at + distance(instruction, 5, 19)) && add(places, at + 4);
    if ((instruction & 0xffe0001f) == 0xd4000001) /* svc */
        return add(places, at + 4);
    if (instruction >> 16 == 0 || is_opaque(instruction) || names_scratch(instruction))
        return false;
    if ((instruction & 0xfe000000) == 0xd6000000) /* ret, blr; br may stay in the function */
        return (instruction & 0xfffff000) == 0xd65f0000 || (instruction & 0xfefff000) == 0xd63f0000;
    if ((instruction & 0x7e000000) == 0x34000000 && /* cbz, cbnz */
        !add(places, at + distance(instruction, 5, 19)))
        return false;
    if ((instruction & 0x7e000000) == 0x36000000 && /* tbz, tbnz */
        !add(places, at + distance(instruction, 5, 14)))
        return false;
    return add(places, at + 4);
}

bool attach_needs_scratch(bool (*read)(const void *user, uint64_t at, uint32_t *instruction),
                          const void *user, uint64_t at)
{
    struct places places = {.count = 0};
    uint32_t instruction;
    add(&places, at);
    for (; places.seen < places.count; places.seen++)
        if (!read(user, places.at[places.seen], &instruction) ||
            !follow(&places, places.at[places.seen], instruction))
            return true;
    return false;
}
