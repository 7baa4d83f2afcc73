/* retired.c - ring mode: full LOG chunks in the order in which they became full, oldest first out.
 *
 * A bounded multi-producer multi-consumer queue after Dmitry Vyukov: each cell carries the turn at
 * which it may be written or read next.
 *
 *     turn == position        empty, a producer of this lap may write
 *     turn == position + 1    full, a consumer of this lap may read
 *     then turn = position + capacity: empty for the next lap
 */
#include "atomic.h"
#include "chunks.h"

#include <stddef.h>
#include <sys/mman.h>

struct retired_cell {
    uint64_t turn; /* whose move it is: producer, consumer release -> the other acquires */
    uint64_t chunk;
};

static struct {
    struct retired_cell *cells;
    uint64_t capacity; /* a power of two */
    uint64_t put_at;   /* producers */
    uint64_t take_at;  /* consumers */
} retired;

bool retired_init(uint64_t chunks)
{
    uint64_t capacity = 2;
    while (capacity < chunks)
        capacity *= 2;
    void *cells = mmap(NULL, capacity * sizeof *retired.cells, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (cells == MAP_FAILED)
        return false;
    retired.cells = (struct retired_cell *)cells;
    retired.capacity = capacity;
    retired.put_at = 0;
    retired.take_at = 0;
    for (uint64_t i = 0; i < capacity; i++)
        retired.cells[i].turn = i;
    return true;
}

static struct retired_cell *retired_cell(uint64_t position)
{
    return &retired.cells[position & (retired.capacity - 1)];
}

void retired_push(uint64_t chunk)
{
    uint64_t position = load_relaxed(&retired.put_at);
    for (;;) {
        struct retired_cell *cell = retired_cell(position);
        if (load_acquire(&cell->turn) != position)
            position = load_relaxed(&retired.put_at);
        else if (cas_acq_rel(&retired.put_at, &position, position + 1)) {
            cell->chunk = chunk;
            store_release(&cell->turn, position + 1);
            return;
        }
    }
}

uint64_t retired_pop(void)
{
    uint64_t position = load_relaxed(&retired.take_at);
    for (;;) {
        struct retired_cell *cell = retired_cell(position);
        uint64_t turn = load_acquire(&cell->turn);
        if ((int64_t)(turn - (position + 1)) < 0)
            return RETIRED_NONE;
        if (turn != position + 1)
            position = load_relaxed(&retired.take_at);
        else if (cas_acq_rel(&retired.take_at, &position, position + 1)) {
            uint64_t chunk = cell->chunk;
            store_release(&cell->turn, position + retired.capacity);
            return chunk;
        }
    }
}
