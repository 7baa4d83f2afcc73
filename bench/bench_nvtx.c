/* bench_nvtx.c - cost of an NVTX push and pop, compared with the floor of bench_push.
 *
 * The program is linked with libprof and plays NVTX's part itself: it hands libprof its own slots.
 */
#include "bench.h"
#include "bench_floor.h"

#include <prof/prof.h>

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define PAIRS 50000u

/* ---- NVTX's part: slots and export tables ---- */

typedef void (*slot)(void);
typedef const void *(*get_export_table)(uint32_t table);

struct callbacks {
    size_t size;
    int (*get_module)(int module, slot ***slots, unsigned *count);
};

/* nvtxEventAttributes_t */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

enum { CORE = 1, CORE2 = 5, SLOTS = 16 };
enum { CORE_PUSH_A = 9, CORE_POP = 11 };
enum { CORE2_PUSH_EX = 4, CORE2_POP = 5, CORE2_STRING_A = 10, CORE2_DOMAIN_A = 12 };

static slot core[SLOTS], core2[SLOTS];
static slot *core_table[SLOTS + 1], *core2_table[SLOTS + 1];

static int get_module(int module, slot ***slots, unsigned *count)
{
    if (module != CORE && module != CORE2)
        return 0;
    slot *from = module == CORE ? core : core2, **table = module == CORE ? core_table : core2_table;
    for (int i = 1; i < SLOTS; i++)
        table[i] = &from[i];
    *slots = table;
    *count = SLOTS;
    return 1;
}

static const void *export_table(uint32_t table)
{
    static const struct callbacks callbacks = {sizeof callbacks, get_module};
    return table == 1 ? &callbacks : NULL;
}

int InitializeInjectionNvtx2(get_export_table get);

/* ---- candidates ---- */

#define PUSH_A ((int (*)(const char *))core[CORE_PUSH_A])
#define POP ((int (*)(void))core[CORE_POP])
#define PUSH_EX ((int (*)(void *, const struct attributes *))core2[CORE2_PUSH_EX])
#define DOMAIN_POP ((int (*)(void *))core2[CORE2_POP])

static void *domain;
static struct attributes registered = {.version = 3, .size = sizeof registered, .message_type = 3};
static struct attributes colored = {.version = 3,
                                    .size = sizeof colored,
                                    .category = 3,
                                    .color_type = 1,
                                    .color = 0xff00ff00,
                                    .message_type = 1,
                                    .message = "forward pass, layer 012"};

static void loop_ascii(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        const char *name = "forward pass, layer 012";
        __asm__ volatile("" : "+r"(name));
        PUSH_A(name);
        POP();
    }
}

static void loop_reused_buffer(void *user, uint64_t iterations)
{
    (void)user;
    char name[] = "forward pass, layer 000";
    for (uint64_t i = 0; i < iterations; i++) {
        name[sizeof name - 2] = (char)('a' + i % 16);
        PUSH_A(name);
        POP();
    }
}

static void loop_attributes(void *user, uint64_t iterations)
{
    const struct attributes *attributes = user;
    for (uint64_t i = 0; i < iterations; i++) {
        PUSH_EX(domain, attributes);
        DOMAIN_POP(domain);
    }
}

static void loop_payload(void *user, uint64_t iterations)
{
    struct attributes attributes = *(const struct attributes *)user;
    attributes.payload_type = 1;
    for (uint64_t i = 0; i < iterations; i++) {
        attributes.payload = i;
        PUSH_EX(domain, &attributes);
        DOMAIN_POP(domain);
    }
}

/* PyTorch's names: another text each time, of which one name and two attributes are made. */
static void loop_torch(void *user, uint64_t iterations)
{
    static const char form[] = "aten::mm, seq = 1000000, op_id = 1000000";
    char name[sizeof form];
    (void)user;
    memcpy(name, form, sizeof form);
    for (uint64_t i = 0; i < iterations; i++) {
        for (uint64_t digit = 0, rest = i; digit < 6; digit++, rest /= 10)
            name[22 - digit] = (char)('0' + rest % 10);
        PUSH_A(name);
        POP();
    }
}

static void measure(const char *name, bench_loop loop, void *user)
{
    bench_print(name, bench_against(floor_pairs, loop, user, PAIRS));
}

int main(void)
{
    struct prof_options options;
    prof_options_default(&options);
    options.output = "bench_nvtx-%p.prof";
    prof_configure(&options);
    if (!InitializeInjectionNvtx2(export_table)) {
        fprintf(stderr, "libprof did not attach to NVTX (PROF_NVTX=0?)\n");
        return 1;
    }
    domain = ((void *(*)(const char *))core2[CORE2_DOMAIN_A])("bench");
    registered.message =
        ((void *(*)(void *, const char *))core2[CORE2_STRING_A])(domain, "forward pass, layer 012");
    bench_print_header("floor");
    measure("off: registered string, domain", loop_attributes, &registered);
    prof_start();
    measure("on: registered string, domain", loop_attributes, &registered);
    measure("on: ASCII name", loop_ascii, NULL);
    measure("on: ASCII name, domain, category, colour", loop_attributes, &colored);
    measure("on: 16 ASCII names in one buffer", loop_reused_buffer, NULL);
    measure("on: registered string, payload", loop_payload, &registered);
    measure("on: PyTorch's name, seq and op_id", loop_torch, NULL);
    prof_stop();
    struct prof_loss_counts loss = {.size_bytes = sizeof loss};
    prof_loss(&loss);
    printf("events lost while measuring: %llu\n", (unsigned long long)loss.total);
    unlink(prof_output_path());
    return 0;
}
