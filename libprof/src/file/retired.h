/* retired.h - ring mode: full LOG chunks in the order in which they became full, oldest first out.
 *
 * A bounded multi-producer multi-consumer queue after Dmitry Vyukov: each cell carries the turn at
 * which it may be written or read next.
 *
 *     turn == position        empty, a producer of this lap may write
 *     turn == position + 1    full, a consumer of this lap may read
 *     then turn = position + capacity: empty for the next lap
 */
#ifndef PROF_RETIRED_H
#define PROF_RETIRED_H

#include <stdbool.h>
#include <stdint.h>

#define RETIRED_NONE UINT64_MAX

/* Room for `chunks` chunk numbers. Before any other call; false when there is no memory. */
bool retired_init(uint64_t chunks);

/* Any thread; lock-free. There is always room: no chunk is in the queue twice. */
void retired_push(uint64_t chunk);

/* Any thread; lock-free. RETIRED_NONE: no chunk is full yet. */
uint64_t retired_pop(void);

#endif
