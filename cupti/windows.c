#include "windows.h"

#include "atomic.h"

/* The last times that recording was off. A program that starts and stops around every step may go
 * through hundreds before the first record comes. */
#define WINDOW_COUNT 4096u

/* Ids grow from window to window, but for threads that were in a call while recording was
 * switched: so many windows that end before an id settle that no earlier one holds it. */
#define WINDOWS_SETTLING 16u

struct window {
    uint32_t low;  /* complement of the lowest id, so that 0 is empty and both ends only grow */
    uint32_t high; /* highest id; 0 = no launch was seen */
};

static struct window windows[WINDOW_COUNT]; /* ends grow by compare-and-swap in windows_note_off */
static uint32_t current;                    /* windows_end moves it; index modulo WINDOW_COUNT */
static bool any;                            /* set by the first note: most runs have none */
static bool is_open; /* set by a note, cleared by the one windows_end that counts */

static void raise_to(uint32_t *end, uint32_t value)
{
    uint32_t seen = load_relaxed(end);
    while (seen < value && !cas_acq_rel(end, &seen, value))
        continue;
}

void windows_note_off(uint32_t correlation)
{
    struct window *window = &windows[load_acquire(&current) % WINDOW_COUNT];
    raise_to(&window->low, ~correlation);
    raise_to(&window->high, correlation);
    store_relaxed(&any, true);
    store_relaxed(&is_open, true);
}

bool windows_is_open(void)
{
    return load_relaxed(&is_open);
}

void windows_end(void)
{
    if (!exchange_acquire(&is_open, false))
        return;
    uint32_t index = load_relaxed(&current);
    struct window *next = &windows[(index + 1) % WINDOW_COUNT];
    store_relaxed(&next->low, 0);
    store_relaxed(&next->high, 0);
    store_release(&current, index + 1);
}

/* From the newest on: most records are young. */
bool windows_was_off(uint32_t correlation)
{
    if (!load_relaxed(&any))
        return false;
    uint32_t newest = load_acquire(&current), ended_before = 0;
    for (uint32_t i = 0; i < WINDOW_COUNT && i <= newest; i++) {
        const struct window *window = &windows[(newest - i) % WINDOW_COUNT];
        uint32_t high = load_relaxed(&window->high);
        if (high && correlation <= high && correlation >= ~load_relaxed(&window->low))
            return true;
        ended_before += high && high < correlation;
        if (ended_before == WINDOWS_SETTLING)
            return false;
    }
    return false;
}
