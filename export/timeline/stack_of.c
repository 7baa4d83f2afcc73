#include "stack_of.h"

#include "array.h"

static uint32_t find(const struct tl_stack_of *at, uint32_t count, uint32_t owner)
{
    uint32_t low =
        array_lower_bound(at, count, sizeof *at, offsetof(struct tl_stack_of, owner), owner);
    return low < count && at[low].owner == owner ? at[low].stack : TL_NONE;
}

uint32_t stack_of_slice(const struct timeline *timeline, uint32_t slice)
{
    return find(timeline->slice_stacks.at, timeline->slice_stacks.count, slice);
}

uint32_t stack_of_async(const struct timeline *timeline, uint32_t async)
{
    return find(timeline->async_stacks.at, timeline->async_stacks.count, async);
}

/* Whether `module` answers better than `best`: it was there at that time and came later; or neither
 * was, and it came first after that time, for the recorder may see a module after its stack. */
static bool is_better(const struct tl_module *module, const struct tl_module *best, uint64_t ticks)
{
    bool there = module->ticks <= ticks;
    if (!best)
        return true;
    bool best_there = best->ticks <= ticks;
    if (there != best_there)
        return there;
    return there ? module->ticks >= best->ticks : module->ticks < best->ticks;
}

const struct tl_module *stack_of_module(const struct timeline *timeline, uint32_t process,
                                        uint64_t address, uint64_t ticks)
{
    const struct tl_process *owner = &timeline->processes.at[process];
    const struct tl_module *best = NULL;
    for (uint32_t i = 0; i < owner->module_count; i++) {
        const struct tl_module *module = &timeline->modules.at[owner->first_module + i];
        bool covers = address >= module->start && address < module->end;
        if (covers && module->gone_ticks > ticks && is_better(module, best, ticks))
            best = module;
    }
    return best;
}
