/* nvtx_emit.c - out, prof.h's ranges to another tool: see nvtx_attach.h. */
#include "memory.h"
#include "nvtx_attach.h"
#include "nvtx_record.h"
#include "thread.h"

#include <inttypes.h>
#include <stdio.h>

/* Belongs to its thread: ranges that the tool has open, and in which recording they were pushed. */
static __thread struct {
    uint32_t open;
    uint32_t epoch;
} nvtx_emit_self __attribute__((tls_model("initial-exec")));

/* ---- push and pop ---- */

/* Recording was off in between: what was open ended there. */
static void nvtx_emit_catch_up(const struct nvtx_tool *tool)
{
    uint32_t epoch = load_relaxed(&thread_gate);
    if (nvtx_emit_self.epoch == epoch)
        return;
    for (; nvtx_emit_self.open && tool->pop; nvtx_emit_self.open--)
        tool->pop();
    nvtx_emit_self.epoch = epoch;
}

static void nvtx_emit_push(const char *name)
{
    const struct nvtx_tool *tool = nvtx_tool_get();
    if (!tool || !tool->push)
        return;
    nvtx_emit_catch_up(tool);
    tool->push(name);
    nvtx_emit_self.open++;
}

/* As PyTorch writes it: "aten::mm, seq = 12", "aten::mm, stashed seq = 12". */
static void nvtx_emit_push_int(const char *name, const char *key, int64_t value)
{
    char text[NVTX_WIDE_BYTES], shown[64];
    size_t i = 0;
    for (; key[i] && i + 1 < sizeof shown; i++)
        shown[i] = key[i] == '_' ? ' ' : key[i];
    shown[i] = '\0';
    snprintf(text, sizeof text, "%.*s, %s = %" PRId64, (int)(sizeof text - sizeof shown - 32), name,
             shown, value);
    nvtx_emit_push(text);
}

static void nvtx_emit_pop(void)
{
    const struct nvtx_tool *tool = nvtx_tool_get();
    if (!tool || !tool->pop || !nvtx_emit_self.open ||
        nvtx_emit_self.epoch != load_relaxed(&thread_gate))
        return;
    nvtx_emit_self.open--;
    tool->pop();
}

/* ---- ranges that any thread may end ---- */

#define NVTX_EMIT_RANGES 4096u
#define NVTX_EMIT_PROBES 64u

/* Our id -> the tool's. Slots are claimed by the thread that begins and cleared by the one that
 * ends; only these know the id. */
struct nvtx_emit_range {
    uint64_t id; /* 0 free; CAS */
    uint64_t tools;
};

static struct nvtx_emit_range *nvtx_emit_ranges; /* memory_once() */

static uint32_t nvtx_emit_slot(uint64_t id, uint32_t probe)
{
    return ((uint32_t)((id * 0x9e3779b97f4a7c15u) >> 40) + probe) % NVTX_EMIT_RANGES;
}

/* A range that finds no room is not forwarded: the tool would wait for its end forever. */
static void nvtx_emit_begin(uint64_t id, const char *name)
{
    const struct nvtx_tool *tool = nvtx_tool_get();
    if (!tool || !tool->start || !tool->end || !MEMORY_ONCE(&nvtx_emit_ranges, NVTX_EMIT_RANGES))
        return;
    for (uint32_t probe = 0; probe < NVTX_EMIT_PROBES; probe++) {
        uint32_t slot = nvtx_emit_slot(id, probe);
        uint64_t empty = 0;
        if (cas_acq_rel(&nvtx_emit_ranges[slot].id, &empty, id)) {
            store_release(&nvtx_emit_ranges[slot].tools, tool->start(name));
            return;
        }
    }
}

static void nvtx_emit_end(uint64_t id)
{
    const struct nvtx_tool *tool = nvtx_tool_get();
    if (!tool || !tool->end || !load_acquire(&nvtx_emit_ranges))
        return;
    for (uint32_t probe = 0; probe < NVTX_EMIT_PROBES; probe++) {
        uint32_t slot = nvtx_emit_slot(id, probe);
        uint64_t expected = id;
        uint64_t tools = load_acquire(&nvtx_emit_ranges[slot].tools);
        if (cas_acq_rel(&nvtx_emit_ranges[slot].id, &expected, (uint64_t)0)) {
            tool->end(tools);
            return;
        }
    }
}

static void nvtx_emit_mark(const char *name)
{
    const struct nvtx_tool *tool = nvtx_tool_get();
    if (tool && tool->mark)
        tool->mark(name);
}

const struct emitter nvtx_emitter = {
    .push = nvtx_emit_push,
    .push_int = nvtx_emit_push_int,
    .pop = nvtx_emit_pop,
    .begin = nvtx_emit_begin,
    .end = nvtx_emit_end,
    .mark = nvtx_emit_mark,
};
